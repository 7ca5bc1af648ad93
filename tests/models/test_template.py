from __future__ import annotations

import logging

import pytest
from edgemem_models.language import LlamaLanguageModel
from edgemem_models.prompt import Prompts
from edgemem_models.template import CHATML, ChatTemplate

from edgemem.errors import InvalidInput
from edgemem.ports import Message

TALK = [Message("system", "Be brief."), Message("user", "Hi"), Message("assistant", "Hello"), Message("user", "Bye")]


def template(source: str | None) -> ChatTemplate:
    return ChatTemplate(source, bos="<s>", eos="</s>", model="test.gguf")


def test_a_model_without_template_gets_chatml_and_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        fallback = template(None)
    assert fallback.name == "chatml"
    assert "test.gguf" in caplog.text
    assert fallback.render(TALK).endswith("<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n")


def test_a_broken_template_falls_back(caplog: pytest.LogCaptureFixture) -> None:
    assert template("{% for %}").name == "chatml"
    assert "ChatML" in caplog.text


def test_thinking_is_switched_off() -> None:
    assert template("{% if enable_thinking %}think{% else %}plain{% endif %}").render(TALK) == "plain"


def test_helpers_that_templates_call_are_there() -> None:
    source = "{{ bos_token }}{{ strftime_now('%Y') }}{{ messages[0] | tojson }}{% for m in messages %}{% break %}{% endfor %}"
    assert "Be brief." in template(source).render(TALK)


def test_templates_that_refuse_a_system_role_get_it_in_the_first_turn() -> None:
    source = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "{% for m in messages %}[{{ m['role'] }}:{{ m['content'] }}]{% endfor %}"
    )
    assert template(source).render(TALK).startswith("[user:Be brief.\n\nHi]")


def test_a_template_cannot_reach_out_of_its_sandbox() -> None:
    hostile = template("{{ ''.__class__.__mro__[1].__subclasses__() }}")
    with pytest.raises(InvalidInput):
        hostile.render(TALK)


def test_no_messages_are_refused() -> None:
    with pytest.raises(InvalidInput):
        template(CHATML).render([])


THINKER = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n<think>\n"
)


@pytest.mark.model
def test_a_thought_that_the_template_opens_is_waited_for_or_ended(tiny: LlamaLanguageModel) -> None:
    prompts = Prompts(tiny._vocabulary, template(THINKER))
    waiting, at_once = prompts.build(TALK), prompts.build(TALK, at_once=True)
    assert waiting.thinks == "</think>"
    assert at_once.thinks is None
    end = tiny._vocabulary.detokenize(at_once.tokens[len(waiting.tokens) - 2 :])
    assert end.endswith("</think>\n\n")


@pytest.mark.model
def test_only_leading_constant_messages_count_as_constant(tiny: LlamaLanguageModel) -> None:
    prompts = Prompts(tiny._vocabulary, template(CHATML))
    rules = Message("system", "Be brief and kind.", constant=True)
    sizes = [
        prompts.build([*front, *TALK[1:], *back]).constant
        for front, back in (([rules], []), ([], [rules]), ([TALK[0], rules], []), ([rules, TALK[0]], []))
    ]
    assert sizes[1:] == [0, 0, 0]
    assert 0 < sizes[0] < tiny.count_messages([rules, *TALK[1:]])
    for question in ("\n\nWell?", "  x", "中", "<|im_end|>", ""):
        shared = prompts.build([rules, Message("user", question)])
        assert shared.constant == sizes[0]
        assert "Be brief" in tiny._vocabulary.detokenize(shared.tokens[: shared.constant])
