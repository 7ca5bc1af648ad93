from __future__ import annotations

import logging

import pytest
from edgemem_models.template import CHATML, ChatTemplate, strip_thinking

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


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plain", "plain"),
        ("<think>hm\nhm</think>\n\nYes.", "Yes."),
        ("opened before</think>Yes.", "Yes."),
        ("<think>never closed", ""),
        ("a < b and <this> stays", "a < b and <this> stays"),
        ("  kept spaces", "  kept spaces"),
    ],
)
def test_thoughts_are_stripped(raw: str, clean: str) -> None:
    assert strip_thinking(raw) == clean
