"""What is taken into the log, what is refused, and that nothing of a refused call is kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from edgemem.errors import Conflict, InvalidInput
from edgemem.memory import MemoryFile
from edgemem.records import Turn
from edgemem.settings import Settings
from edgemem.view import Memory
from tests.helpers import NOW, opened, said


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        (Turn("bot", "hello"), "role 'bot'"),
        (Turn("", "hello"), "role ''"),
        (Turn("user", ""), "is empty"),
        (Turn("user", " \n\t"), "is empty"),
        (Turn("user", "a\0b"), "NUL character at position 2"),
        (Turn("user", "ab\ud83d"), "half a character at position 3"),
        (Turn("user", "hi", session="\ud83d"), "session of turn 2"),
        (Turn("user", "hi", id="x" * 501), "longer than 500"),
        (Turn("user", "hi", speaker="a\0"), "speaker of turn 2"),
        (Turn("user", "hi", at="2026-05-01T12:00:00"), "has no zone"),
        (Turn("user", "hi", at=datetime(2026, 5, 1)), "has no zone"),
        (Turn("user", "hi", at="yesterday"), "not an ISO 8601 time"),
        (Turn("user", "hi", at="0001-01-01T00:00:00+14:00"), "out of range"),
        (Turn("user", "hi", at="9999-12-31T23:00:00-12:00"), "out of range"),
        (Turn("user", None), "is no text"),  # type: ignore[arg-type]
    ],
)
def test_a_turn_that_cannot_be_taken_is_named_and_nothing_is_kept(mem: Memory, turn: Turn, why: str) -> None:
    with pytest.raises(InvalidInput, match=why) as raised:
        mem.log([Turn("user", "a good one", session="s"), turn])
    assert raised.value.exit_code == 2
    assert mem.sessions() == []


def test_a_message_of_a_megabyte_is_kept_whole_and_found(mem: Memory) -> None:
    text = "x " * 500_000 + "and the end of it mentions a zebrafish."
    mem.log(said(text))
    assert mem.turns("s")[0].content == text
    assert [h.turn.content for h in mem.search_log("zebrafish", 5) if h.turn] == [text]


def test_a_message_above_the_limit_is_refused_not_cut(tmp_path: Path) -> None:
    with opened(tmp_path / "small.edgemem", settings=Settings(background=False, max_turn_bytes=10)) as file:
        mem = file.user("me")
        mem.log([Turn("user", "火" * 3, session="s")])
        with pytest.raises(InvalidInput, match="12 bytes long; the limit is 10"):
            mem.log([Turn("user", "火" * 4, session="s")])
        assert len(mem.turns("s")) == 1


def test_the_same_id_with_the_same_words_is_one_turn(mem: Memory) -> None:
    first = mem.log(said("one", "two"))
    again = mem.log(said("one", "two", "three"))
    assert again[:2] == first
    assert [t.content for t in mem.turns("s")] == ["one", "two", "three"]


def test_the_same_id_with_other_words_is_refused_and_nothing_is_kept(mem: Memory) -> None:
    mem.log(said("one"))
    for other in (
        Turn("user", "ONE!", session="s", id="s-0612-0"),
        Turn("assistant", "one", session="s", id="s-0612-0"),
    ):
        with pytest.raises(Conflict, match="other words"):
            mem.log([Turn("user", "new", session="s"), other])
    assert [t.content for t in mem.turns("s")] == ["one"]


@pytest.mark.parametrize(
    "text", ["👨‍👩‍👧‍👦 family", "e\u0301", "\ufeffbom", "a\r\nb", "\u202eright", "ﬁ", " padded ", "𝔘𝔫𝔦", "\x1b[31mred"]
)
def test_text_comes_back_exactly(mem: Memory, text: str) -> None:
    mem.log(said(text))
    assert mem.turns("s")[0].content == text


@pytest.mark.parametrize(
    ("at", "zone"),
    [
        ("2026-05-01T00:30:00+08:00", "+08:00"),
        ("2026-05-01T00:30:00Z", "+00:00"),
        ("2026-05-01T00:30:00-09:30", "-09:30"),
        ("0001-01-02T00:00:00+00:00", "+00:00"),
        ("9999-12-30T00:00:00+14:00", "+14:00"),
        ("2026-10-25T02:30:00.123456+02:00", "+02:00"),
    ],
)
def test_instants_and_their_zones_come_back(mem: Memory, at: str, zone: str) -> None:
    mem.log([Turn("user", "hello", at=at, session="s")])
    turn = mem.turns("s")[0]
    assert turn.at == datetime.fromisoformat(at)
    assert turn.at.tzinfo == UTC
    assert turn.zone == zone
    assert mem.sessions()[0].started_at == turn.at


def test_what_is_left_out_is_filled_in(mem: Memory) -> None:
    late = NOW.replace(hour=20).astimezone(timezone(timedelta(hours=8)))
    (uid,) = mem.log([Turn("user", "no time")])
    mem.log([Turn("user", "evening in Shanghai", at=late)])
    assert [(s.id, s.turns) for s in mem.sessions()] == [("2026-05-07", 1), ("2026-05-06", 1)]
    assert mem.turn("2026-05-06", uid).at == NOW


def test_roles_speakers_and_order(mem: Memory) -> None:
    roles: Sequence[str] = ("system", "user", "assistant", "tool")
    mem.log([Turn(r, f"{r} speaks", session="s", speaker="Ana" if r == "user" else None) for r in roles])
    assert [(t.role, t.position, t.speaker) for t in mem.turns("s")] == [
        ("system", 0, None), ("user", 1, "Ana"), ("assistant", 2, None), ("tool", 3, None),
    ]  # fmt: skip


def test_an_empty_call_is_nothing(store: MemoryFile, mem: Memory) -> None:
    assert mem.log([]) == ()
    assert store.check() == []


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add(""), lambda m: m.add("  "), lambda m: m.add("a\0b"), lambda m: m.add("\ud83d"),
        lambda m: m.add("x" * 10_001), lambda m: m.add("x", kind="opinion"), lambda m: m.add("x", importance=1.5),
        lambda m: m.add("x", importance=float("nan")), lambda m: m.add("x", expires=datetime(2026, 1, 1)),
        lambda m: m.add("x", data={"n": float("nan")}), lambda m: m.add("x", data={"n": object()}),
        lambda m: m.add("x", namespace="\ud83d"), lambda m: m.set_state("t", "f", float("inf")),
        lambda m: m.set_state("t", "f", "\ud83d"), lambda m: m.set_state("\ud83d", "f", 1), lambda m: m.get("\ud83d"),
        lambda m: m.turns("\ud83d"), lambda m: m.recall("half \ud83d"), lambda m: m.search_log("\ud83d"),
        lambda m: m.context("\ud83d"), lambda m: m.undo("\ud83d"), lambda m: m.retry("\ud83d"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named_and_leave_no_trace(store: MemoryFile, mem: Memory, call: object) -> None:
    assert callable(call)
    with pytest.raises(InvalidInput):
        call(mem)
    assert mem.list(status="any") == []
    assert mem.state_fields() == []
    assert store.check() == []
