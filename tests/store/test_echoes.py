"""An erased memory leaves turns that repeat it, such as the assistant's answer: they are named, and taken when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from edgemem.records import Turn
from edgemem.view import Memory
from tests.cli.conftest import Run, models, run  # noqa: F401 - fixtures
from tests.helpers import Fact, RuleModel, opened

TOLD = Fact("I am allergic to peanuts", "The user is allergic to peanuts.")
ZH = Fact("我对花生过敏", "用户对花生过敏。")
TALK = [
    Turn("user", "Good morning, the peanut field is in bloom", session="s", id="before"),
    Turn("user", "I am allergic to peanuts", session="s", id="told"),
    Turn("assistant", "Noted: I will never suggest a PEANUT sauce.", session="s", id="echo"),
    Turn("user", "What is the weather like?", session="s", id="weather"),
    Turn("user", "As you know, peanuts: allergic!", session="later", id="again"),
    Turn("user", "我对花生过敏", session="zh", id="zh"),
    Turn("assistant", "好的，以后不推荐花生。", session="zh", id="zh-echo"),
]


@pytest.fixture
def mem(store_path: Path) -> Iterator[Memory]:
    with opened(store_path, RuleModel(TOLD, ZH)) as file:
        memory = file.user("me")
        for turn in TALK:
            memory.learn([turn]) if turn.id in ("told", "zh") else memory.log([turn])
        file.user("you").log(TALK)
        yield memory
        assert file.check() == []


def of(mem: Memory, fact: Fact) -> str:
    return next(m.id for m in mem.list(limit=0) if m.content == fact.memory)


def left(mem: Memory) -> set[str]:
    return {turn.id for session in mem.sessions() for turn in mem.turns(session.id)}


@pytest.mark.parametrize(("fact", "gone", "echoes"), [(TOLD, "told", {"echo", "again"}), (ZH, "zh", {"zh-echo"})])
def test_echoes_are_named_before_and_after_and_stay(mem: Memory, fact: Fact, gone: str, echoes: set[str]) -> None:
    planned = mem.erase(of(mem, fact), preview=True)
    assert {e.id for e in planned.echoes} == echoes
    assert {e.effect for e in planned.echoes} == {"stays"}
    done = mem.erase(of(mem, fact))
    assert {(e.id, e.text) for e in done.echoes} == {(t.id, t.content) for t in TALK if t.id in echoes}
    assert left(mem) == {t.id for t in TALK} - {gone}
    assert len(mem.file.user("you").turns("s")) == 4


def test_echoes_go_when_they_are_asked_for(mem: Memory) -> None:
    planned = mem.erase(of(mem, TOLD), echoes=True, preview=True)
    assert {i.id for i in planned.items if i.what == "turn"} == {"told", "echo", "again"}
    assert planned.echoes == ()
    done = mem.erase(of(mem, TOLD), echoes=True, verify=True)
    assert done.proof is not None
    assert left(mem) == {"before", "weather", "zh", "zh-echo"}


def test_a_session_that_goes_names_what_is_told_elsewhere(mem: Memory) -> None:
    assert {e.id for e in mem.erase(session="s", preview=True).echoes} == {"again"}
    assert mem.erase(everything=True, preview=True).echoes == ()


def test_a_short_word_is_not_found_in_the_beginning_of_another(store_path: Path) -> None:
    with opened(store_path, RuleModel(Fact("I have two cars", "The user has two cars."))) as file:
        mem = file.user("me")
        mem.learn([Turn("user", "I have two cars", session="s", id="told")])
        for n, content in enumerate(["Take care, and be careful!", "A car costs a lot, your cars' fuel too."]):
            mem.log([Turn("assistant", content, session="s", id=f"answer {n}")])
        mem.log([Turn("user", "I need a carpet", session="later", id="carpet")])
        planned = mem.erase(mem.list()[0].id, preview=True)
        assert {e.id for e in planned.echoes} == {"answer 1"}


def test_the_command_names_them_and_takes_them(
    mem: Memory,
    run: Run,  # noqa: F811
) -> None:
    uid = of(mem, TOLD)
    shown = run("erase", uid)
    assert "says it again: echo: Noted: I will never suggest a PEANUT sauce." in shown.err
    assert "To erase 2 such messages too, add --echoes." in shown.err
    assert {e["id"] for e in run("erase", uid, "--json").json["echoes"]} == {"echo", "again"}
    done = run("erase", uid, "--echoes", "--yes", "--json")
    assert (done.code, done.json["echoes"]) == (0, [])
    assert left(mem) == {"before", "weather", "zh", "zh-echo"}


def test_a_told_secret_is_known_by_its_own_words_not_by_its_label(store_path: Path) -> None:
    """Other secrets have the same label; the answer that repeats one has none of its words."""
    talk = [
        Turn("user", "My mail password is Plum-Harbour_9.", session="a", id="first"),
        Turn("assistant", "Noted, Plum-Harbour_9 it is.", session="a", id="answer"),
        Turn("user", "My mail password is Fig-Lantern_4.", session="b", id="second"),
    ]
    with opened(store_path, RuleModel()) as file:
        mem = file.user("me")
        mem.learn(talk)
        first, second = (
            next(m.id for m in mem.list(status="review") if m.source and m.source.session == s) for s in ("a", "b")
        )
        assert mem.erase(second, preview=True).echoes == ()
        assert [e.id for e in mem.erase(first, preview=True).echoes] == ["answer"]
        mem.erase(second, echoes=True)
        assert [t.id for t in mem.turns("a")] == ["first", "answer"]
        mem.erase(first, echoes=True)
        assert mem.sessions() == [] or not mem.turns("a")
