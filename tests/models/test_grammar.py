from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable

import pytest
from edgemem_models.grammar import GrammarCache
from edgemem_models.grammar_check import check
from edgemem_models.language import LlamaLanguageModel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edgemem import gbnf
from edgemem.errors import GrammarRefused, InvalidInput
from edgemem.ports import Message

ASK = [Message("user", "Write something.")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        'root = "a"',
        'start ::= "a"',
        'root ::= "a',
        'root ::= ("a"',
        'root ::= "a")',
        "root ::= [a-z",
        "root ::= missing",
        'root ::= "a"{3000}',
        'root ::= * "a"',
        'root ::= "\\q"',
        'root ::= "a"\n | "b"',
        'root ::= ("a" "b"{0,900}){0,900}',
        'root ::= "\x00"',
        'root ::= "\ud800"',
        "root ::= { }",
        'root ::= "a"{3,1}',
        'root ::= ""*',
        "root ::= !<nope>",
        "root ::= <[5]> <nope>",
        'root ::= "\\uD800"',
        "root ::= [\\uDC00-\\uDFFF]",
        'root ::= "\\U0000DABC"',
        'root ::= "\\U00110000"',
        "root ::= " + " | ".join(['"a"'] * 8002),
    ],
)
def test_bad_grammars_are_refused_before_llama_cpp_sees_them(text: str) -> None:
    with pytest.raises(GrammarRefused) as caught:
        check(text)
    assert caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        'root ::= "a"',
        '# comment\nroot ::= "a" # more\n\nb ::= root | [^\\x00-\\x1F"\\]]+\n',
        'root ::= (\n "a" |\n "b"\n){2,3} .',
        'root ::=\n  "a"\n',
        'root ::= item ("," item)*\nitem ::= [0-9]+ "\\u00e9" "\\U0001F600" "\\t"?\n',
    ],
)
def test_good_grammars_pass(text: str) -> None:
    check(text)


@pytest.mark.model
@pytest.mark.parametrize("text", ["root ::= root", 'root ::= root "a" | "b"'])
def test_llama_cpp_has_the_last_word(tiny: LlamaLanguageModel, text: str) -> None:
    with pytest.raises(GrammarRefused, match="left recursion"):
        tiny.generate(ASK, grammar=text)


_FRAGMENTS = (
    'root ::= ', 'b ::= ', 'root', 'b', '"a"', '"', '""', '[a-z]', '[z-a]', '[^a]', '[]]', '[', '(', ')', '|', '*', '+', '?', '{2}', '{0,3}',
    '{3,1}', '.', '\n', ' ', '#x', '<|im_end|>', '!<|im_end|>', '<nope>', '!<nope>', '<[5]>', '!<[5]>', '<[49151]>', '<[49152]>', '<[99999999999999999999]>',
    '"\\uD800"', '"\\xff"', '"\\U0010FFFF"', '[\\u0000-\\uFFFF]', '字', '::=', '<', '!', '\\',
)  # fmt: skip


@pytest.mark.model
@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(parts=st.lists(st.sampled_from(_FRAGMENTS), max_size=8))
def test_whatever_the_grammar_nothing_is_written_to_the_terminal_but_an_error_raised(
    tiny: LlamaLanguageModel, capfd: pytest.CaptureFixture[str], parts: list[str]
) -> None:
    cache = GrammarCache(tiny._vocabulary)
    with contextlib.suppress(GrammarRefused):
        cache.start("root ::= " + "".join(parts)).close()
    cache.close()
    assert capfd.readouterr() == ("", "")


@pytest.mark.model
@pytest.mark.parametrize("text", ['root ::= "a" <|im_end|>?', 'root ::= !<[5]> "a"', "root ::= <[49151]>?"])
def test_tokens_by_name_or_number_may_be_in_a_grammar(tiny: LlamaLanguageModel, text: str) -> None:
    assert tiny.generate(ASK, grammar=text, max_tokens=2).finish in ("stop", "length")


@pytest.mark.model
def test_nothing_is_written_to_the_terminal(tiny: LlamaLanguageModel, capfd: pytest.CaptureFixture[str]) -> None:
    for text in ('root ::= "a" missing', "root ::= [", "root ::= root"):
        with pytest.raises(GrammarRefused):
            tiny.generate(ASK, grammar=text)
    tiny.generate(ASK, max_tokens=2, grammar='root ::= "a"')
    assert capfd.readouterr() == ("", "")


@settings(max_examples=200)
@given(st.integers(-2000, 2000), st.integers(0, 3000))
def test_integer_covers_exactly_its_range(low: int, width: int) -> None:
    high = low + width
    pattern = re.compile(_as_regex(gbnf.integer(low, high)))
    for number in {
        low - 1,
        low,
        low + width // 3,
        low + width // 2,
        high - 1,
        high,
        high + 1,
        0,
        -1,
        9,
        10,
        99,
        100,
        1000,
    }:
        assert bool(pattern.fullmatch(str(number))) == (low <= number <= high), (number, pattern.pattern)
    assert not pattern.fullmatch("007")


def _as_regex(body: str) -> str:  # digits and classes read the same in both notations
    return re.sub(r'"([^"]*)"', r"\1", body).replace(" ", "")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1))
def test_every_text_makes_a_valid_literal(text: str) -> None:
    check(gbnf.grammar(gbnf.one_of([text, text + "!"])))


def test_impossible_limits_are_refused() -> None:
    builders: list[Callable[[], str]] = [
        lambda: gbnf.string(2001),
        lambda: gbnf.string(0),
        lambda: gbnf.integer(3, 2),
        lambda: gbnf.one_of([]),
        lambda: gbnf.array("item", 2, 1),
        lambda: gbnf.repeat("item", 0, 0),
    ]
    for build in builders:
        with pytest.raises(InvalidInput):
            build()


EXOTIC = [
    "สวัสดีครับ ผมชื่อสมชาย",
    "👨‍👩‍👧‍👦 family 🏳️‍🌈",
    "𠮷野家 𪚥 龘",
    "naïve “quotes” \\ back",
    "العربية \u200f right",
    'tab\tand\nnewline "quoted"',
]


@pytest.mark.model
@pytest.mark.parametrize("text", EXOTIC)
def test_unicode_literals_come_out_exactly(tiny: LlamaLanguageModel, text: str) -> None:
    answer = tiny.generate(ASK, grammar=gbnf.grammar(gbnf.literal(text)), max_tokens=200)
    assert answer.text == text
    assert answer.finish == "stop"
    assert "".join(answer.tokens) == text


@pytest.mark.model
def test_two_thousand_alternatives(tiny: LlamaLanguageModel) -> None:
    names = [f"item {number:04d} {chr(0x4E00 + number)}" for number in range(2000)]
    answer = tiny.generate(ASK, grammar=gbnf.grammar(gbnf.one_of(names)))
    assert answer.text in names


@pytest.mark.model
def test_an_object_with_all_the_parts_parses(tiny: LlamaLanguageModel) -> None:
    text = gbnf.grammar(
        gbnf.array("note", 1, 3),
        note=gbnf.obj(
            [
                ("quote", gbnf.string(40, 1)),
                ("kind", gbnf.string_of(["fact", 'odd "one"', "C:\\new"])),
                ("importance", gbnf.integer(1, 10)),
                ("certainty", gbnf.decimal()),
                ("done", gbnf.any_of(['"true"', '"false"'])),
            ]
        ),
    )
    answer = tiny.generate([Message("user", "Extract notes as JSON: I like tea and live in Rome.")], grammar=text)
    notes = json.loads(answer.text)
    assert 1 <= len(notes) <= 3
    for note in notes:
        assert note["kind"] in ("fact", 'odd "one"', "C:\\new")
        assert 1 <= note["importance"] <= 10
        assert 0 <= note["certainty"] <= 1
        assert 1 <= len(note["quote"]) <= 40


@pytest.mark.model
def test_same_grammar_again_is_the_same_answer(tiny: LlamaLanguageModel) -> None:
    text = gbnf.grammar(gbnf.line(60))
    first, second = (tiny.generate(ASK, grammar=text, temperature=0.8, seed=3) for _ in range(2))
    assert first.text == second.text
    assert "\n" not in first.text


@pytest.mark.model
def test_a_cut_answer_says_so(tiny: LlamaLanguageModel) -> None:
    answer = tiny.generate(ASK, grammar=gbnf.grammar(gbnf.string(500, 400)), max_tokens=5)
    assert answer.finish == "length"
    assert len(answer.tokens) == 5
