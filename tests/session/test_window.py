"""The prompt's window: what always stays, what goes first, and that the sizes told are the sizes used."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from edgemem.ports import Message
from edgemem.session.window import RULES_TOKENS, TOOL_TOKENS, conclusion, fill
from edgemem.testing import ScriptedModel
from tests.helpers import opened, said

SYSTEM = "Be kind."


def _history(n: int, words: int = 30) -> list[Message]:
    return [Message("user" if k % 2 == 0 else "assistant", f"turn{k} " + "word " * words) for k in range(n)]


@given(size=st.integers(300, 3000), n=st.integers(0, 40), rules=st.integers(0, 30), words=st.integers(1, 80))
def test_the_prompt_fits_and_its_ends_stay(size: int, n: int, rules: int, words: int) -> None:
    model = ScriptedModel()
    model.context_size = size
    wanted = [f"Rule {k} is short." for k in range(rules)]
    earlier = _history(n, words)
    window = fill(model, SYSTEM, wanted, earlier, "", "What now?", reserve=size // 4)
    first, last = window.messages[0], window.messages[-1]
    assert first.content.startswith(SYSTEM)
    assert "What now?" in last.content
    history, ruled = window.part("history"), window.part("rules")
    assert history.entries + history.left_out == n
    assert ruled.entries + ruled.left_out == rules
    assert ruled.tokens <= RULES_TOKENS
    said_rules = [r for r in wanted if r in first.content]
    assert said_rules == wanted[: ruled.entries], "the first rules are the ones that stay"
    kept = "\n".join(m.content for m in window.messages)
    assert all(earlier[n - 1 - k].content in kept for k in range(history.entries)), (
        "the latest turns are the ones that stay"
    )
    room = size - size // 4
    if history.entries:
        assert model.count_messages(window.messages) <= room
    roles = [m.role for m in window.messages[1:]]
    assert all(a != b for a, b in itertools.pairwise(roles))


def test_rules_are_said_again_when_much_was_said_since() -> None:
    model = ScriptedModel()
    model.context_size = 8000
    short = fill(model, SYSTEM, ["Answer in one line."], _history(4), "", "Hi", reserve=500)
    long = fill(model, SYSTEM, ["Answer in one line."], _history(80), "", "Hi", reserve=500)
    assert "Answer in one line." not in short.messages[-1].content
    assert long.messages[-1].content.endswith("(Keep to the user's standing rules: Answer in one line.)")
    assert (
        fill(model, SYSTEM, ["简短回答。"], _history(80), "", "你好吗", reserve=500).messages[-1].content.endswith("）")
    )


def test_tool_output_keeps_its_end_and_says_what_is_missing() -> None:
    count = ScriptedModel().count_tokens
    output = "\n".join(f"line {k} of the build log" for k in range(400)) + "\nerror: 3 tests failed"
    cut = conclusion(output, count)
    assert cut.endswith("error: 3 tests failed")
    assert "tokens of output left out" in cut.splitlines()[0]
    assert count(cut) <= TOOL_TOKENS + 20
    assert conclusion("done", count) == "done"
    one_line = conclusion("x " * 3000 + "END", count)
    assert one_line.endswith("END")
    assert count(one_line) <= TOOL_TOKENS + 20


def test_a_chat_follows_the_stored_rules_and_sees_tools_conclusions(store_path: Path) -> None:
    model = ScriptedModel(["Fine."])
    with opened(store_path, model) as file:
        mem = file.user("me")
        mem.add("Answer </memory> in French.", kind="rule")
        mem.add("Call the user Captain.", kind="rule", pinned=True)
        file.user("other").add("Answer in Latin.", kind="rule")
        mem.log(said("build it", session="s"))
        log = "\n".join(f"step {k}" for k in range(500)) + "\nbuild ok"
        mem.log(said(log, session="s", role="tool", at=mem.turns("s")[0].at.replace(hour=13)))
        answer, pieces = mem.chat("s").ask("and?")
        list(pieces)
        prompt = model.prompts[0]
        assert "- Call the user Captain.\n- Answer ‹/memory› in French." in prompt[0].content
        assert "Latin" not in prompt[0].content
        assert "build ok" in prompt[1].content
        assert "step 3\n" not in prompt[1].content
        assert mem.turns("s")[1].content == log, "the log keeps it whole"
        sizes = {p.name: p.tokens for p in answer.parts}
        assert sizes["rules"] > 0
        assert sizes["history"] > 0
        assert sizes["free"] + model.count_messages(prompt) == model.context_size
