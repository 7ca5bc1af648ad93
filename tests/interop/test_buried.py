"""An export made before an erasure does not bring back what was erased, unless it is asked to."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem import Turn
from edgemem.store import changing, memories
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, SetClock, opened, plain_connection, said
from tests.store.everywhere import tables

WORD = "xylophone"
FACTS = (
    Fact(f"I play the {WORD}", f"The user plays the {WORD}."),
    Fact("I live in Porto", "The user lives in Porto."),
)


def fill(mem: Memory) -> None:
    """The word in a message, a memory of it, a task, the profile, the graph, an insight; and other things beside it."""
    mem.learn(said("Good morning", f"I play the {WORD}", session="band"))
    mem.learn(said("I live in Porto", session="home"))
    mem.add("I keep bees")
    mem.set_state("gig", "instrument", WORD)
    mem.set_state("trip", "step", "pack")
    mem.set_profile("instrument", WORD)
    mem.set_profile("name", "Ida")
    mem.graph.add(f"{WORD} Mary", kind="person")
    mem.graph.relate("Ida", "plays in", f"{WORD} club")


def holding(path: Path, word: str = WORD) -> list[str]:
    """Rows of the file that hold the word, in whatever table."""
    with contextlib.closing(plain_connection(path)) as connection:
        rows = (
            f"{table}: {tuple(row)}"
            for table in tables(connection)
            for row in connection.execute(f"SELECT * FROM {table}").fetchall()
        )
        return [row for row in rows if word in row]


@pytest.fixture
def exported(store_path: Path, tmp_path: Path, clock: SetClock) -> Path:
    """A file with the word, and an export of it."""
    with opened(store_path, RuleModel(*FACTS), clock=clock) as file:
        fill(file.user("me"))
        file.user("me").export_to(tmp_path / "old.jsonl")
    clock.forward(days=3)
    return tmp_path / "old.jsonl"


def erase(path: Path, clock: SetClock, **aim: Any) -> None:
    with opened(path, words_only=True, clock=clock) as file:
        assert file.user("me").erase(**aim).items
    clock.forward(days=2)


def take(path: Path, source: Path, clock: SetClock, **options: Any) -> Any:
    with opened(path, words_only=True, clock=clock) as file:
        report = file.user("me").import_from(source, **options)
        assert file.check() == []
    return report


def test_what_a_search_erased_stays_erased(store_path: Path, exported: Path, clock: SetClock) -> None:
    erase(store_path, clock, search=WORD)
    assert holding(store_path) == []
    report = take(store_path, exported, clock)
    assert holding(store_path) == []
    assert {item.reason for item in report.erased} == {"erased here on 2026-05-09"}
    assert {item.what for item in report.erased} >= {
        "turn",
        "memory",
        "history",
        "state",
        "profile",
        "entity",
        "relation",
    }
    assert [item for item in report.left if item.outcome == "left"] == []
    assert report.counts["memory"]["known"] == 2
    assert WORD in "".join(item.content for item in report.erased)


def test_what_a_session_took_with_it_stays_gone(store_path: Path, exported: Path, clock: SetClock) -> None:
    erase(store_path, clock, session="band")
    report = take(store_path, exported, clock)
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        assert {s.id for s in mem.sessions(limit=0)} == {"home"}
        assert {m.content for m in mem.list(limit=0, status="any")} == {"I keep bees", "The user lives in Porto."}
    assert "memory" in {item.what for item in report.erased}


def test_an_erased_person_does_not_come_back(store_path: Path, exported: Path, clock: SetClock) -> None:
    with opened(store_path, words_only=True, clock=clock) as file:
        file.user("me").erase(everything=True)
    clock.forward(days=1)
    report = take(store_path, exported, clock)
    assert holding(store_path) == []
    assert holding(store_path, "bees") == []
    assert set(report.counts) <= {item.what for item in report.erased}
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        assert (mem.list(limit=0, status="any"), mem.sessions(limit=0), mem.state_fields()) == ([], [], [])


def test_it_comes_back_when_asked_for_and_stays(
    store_path: Path, exported: Path, clock: SetClock, tmp_path: Path
) -> None:
    shutil.copy(store_path, tmp_path / "twin.edgemem")
    erase(store_path, clock, search=WORD)
    report = take(store_path, exported, clock, revive=True)
    assert report.erased == []
    with opened(store_path, words_only=True, clock=clock) as file:
        mem = file.user("me")
        assert f"The user plays the {WORD}." in {m.content for m in mem.list(limit=0)}
        assert f"I play the {WORD}" in {t.content for t in mem.turns("band")}
        assert mem.state["gig"]["instrument"] == WORD
        (uid,) = (m.id for m in mem.list(limit=0) if WORD in m.content)
        assert mem.history(uid)[-1].reason == "brought back by an import"
        # Neither a merge nor a second import takes it away again.
        file.merge(tmp_path / "twin.edgemem")
        assert mem.get(uid).status == "live"
    before = holding(store_path)
    again = take(store_path, exported, clock)
    assert again.erased == []
    assert holding(store_path) == before


def test_a_title_given_since_the_erasure_stays(store_path: Path, exported: Path, clock: SetClock) -> None:
    erase(store_path, clock, search=WORD)
    with opened(store_path, words_only=True, clock=clock) as file:
        mem = file.user("me")
        named = {s.id: f"my {s.id}" for s in mem.sessions(limit=0)}
        for session, title in named.items():
            mem.rename(session, title)
    assert named
    assert "turn" in {item.what for item in take(store_path, exported, clock).erased}
    with opened(store_path, words_only=True) as file:
        assert {s.id: s.title for s in file.user("me").sessions(limit=0)} == named


def test_a_dry_run_tells_what_was_erased(store_path: Path, exported: Path, clock: SetClock) -> None:
    erase(store_path, clock, search=WORD)
    told = take(store_path, exported, clock, dry_run=True)
    assert told.counts == take(store_path, exported, clock).counts
    assert told.erased


def test_what_was_said_later_under_the_same_name_is_something_else(
    store_path: Path, exported: Path, clock: SetClock, tmp_path: Path
) -> None:
    erase(store_path, clock, session="band")
    with opened(tmp_path / "other.edgemem", words_only=True, clock=clock) as other:
        turn = Turn("user", "The band is back", session="band", id="new", at=clock.now())
        other.user("me").log([turn])
        other.user("me").export_to(tmp_path / "later.jsonl")
    assert take(store_path, tmp_path / "later.jsonl", clock).erased == []
    with opened(store_path, words_only=True) as file:
        assert [t.content for t in file.user("me").turns("band")] == ["The band is back"]


def test_another_copy_with_what_was_learned_since_from_the_erased_message(
    store_path: Path, exported: Path, clock: SetClock, tmp_path: Path
) -> None:
    """The other file drew more from the message than this one ever knew: that goes, too."""
    other = tmp_path / "other.edgemem"
    shutil.copy(store_path, other)
    with opened(other, words_only=True, clock=clock) as file:
        mem = file.user("me")
        (key,) = (t.key for t in mem.turns("band") if WORD in t.content)
        (bees,) = (m.id for m in mem.list(limit=0) if "bees" in m.content)
        with file.engine.write() as tx:
            changing.change(tx, 1, memories.row(tx, 1, bees), "edit", "told there", file.now(), source_turn=key)
        mem.export_to(tmp_path / "more.jsonl")
    with opened(store_path, words_only=True, clock=clock) as file:
        mem = file.user("me")
        (bees,) = (m.id for m in mem.list(limit=0) if "bees" in m.content)
        mem.erase(bees)
    erase(store_path, clock, session="band")
    take(store_path, tmp_path / "more.jsonl", clock)
    assert holding(store_path, "bees") == []


CHATS: list[dict[str, Any]] = [
    {"role": "user", "content": f"I play the {WORD}", "session": "c", "id": "1", "at": "2026-05-01T08:00:00Z"},
    {"role": "user", "content": "I live in Porto", "session": "d", "id": "2", "at": "2026-05-01T09:00:00Z"},
]
NOTES = {"results": [
    {"id": "n1", "memory": f"Plays the {WORD}", "created_at": "2026-05-01T08:00:00+00:00"},
    {"id": "n2", "memory": "Lives in Porto", "created_at": "2026-05-01T08:00:00+00:00"},
]}  # fmt: skip


TIMELESS = [{k: v for k, v in line.items() if k not in ("at", "id")} for line in CHATS]


@pytest.mark.parametrize("kind", ["chats", "timeless", "notes"])
def test_an_erased_record_of_another_tool_does_not_come_again(
    store_path: Path, tmp_path: Path, clock: SetClock, kind: str
) -> None:
    source = tmp_path / f"{kind}.json{'' if kind == 'notes' else 'l'}"
    lines = CHATS if kind == "chats" else TIMELESS
    source.write_text(json.dumps(NOTES) if kind == "notes" else "\n".join(map(json.dumps, lines)))
    assert take(store_path, source, clock, extract=False).left == []
    erase(store_path, clock, search=WORD)
    report = take(store_path, source, clock, extract=False)
    assert holding(store_path) == []
    assert [item.reason for item in report.erased] == ["erased here on 2026-05-06"]
    clock.forward(days=1)
    assert take(store_path, source, clock, extract=False).counts == report.counts
    assert take(store_path, source, clock, extract=False, revive=True).erased == []
    assert holding(store_path)
    # What came back is there to stay: neither a further import nor another copy thinks it erased.
    assert {item.outcome for item in take(store_path, source, clock, extract=False).items} == {"known"}
    with opened(tmp_path / "copy.edgemem", words_only=True, clock=clock) as copy:
        copy.merge(store_path)
    assert holding(tmp_path / "copy.edgemem")


@pytest.mark.parametrize("kind", ["chats", "timeless", "notes", "notes without a time"])
def test_what_another_tool_had_of_an_erased_person_does_not_come_again(
    store_path: Path, tmp_path: Path, clock: SetClock, kind: str
) -> None:
    """A record without a time may be as old as the person: it counts as such, and says how it can be had."""
    notes = [{k: v for k, v in n.items() if k != "created_at" or kind == "notes"} for n in NOTES["results"]]
    lines = CHATS if kind == "chats" else TIMELESS
    source = tmp_path / f"other.json{'' if 'notes' in kind else 'l'}"
    source.write_text(json.dumps({"results": notes}) if "notes" in kind else "\n".join(map(json.dumps, lines)))
    assert take(store_path, source, clock, extract=False).left == []
    assert holding(store_path)
    with opened(store_path, words_only=True, clock=clock) as file:
        file.user("me").erase(everything=True)
    clock.forward(days=1)
    report = take(store_path, source, clock, extract=False)
    assert {item.outcome for item in report.items} == {"erased"}
    assert holding(store_path) == []
    assert take(store_path, source, clock, extract=False, revive=True).erased == []
    assert holding(store_path)
    # What came back is there to stay.
    assert {item.outcome for item in take(store_path, source, clock, extract=False).items} == {"known"}


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_no_erasure_is_undone_by_an_import(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever is erased, an import of the export from before changes nothing at all in what the file holds."""
    folder, clock = tmp_path_factory.mktemp("one"), SetClock()
    path, source = folder / "me.edgemem", folder / "old.jsonl"
    with opened(path, RuleModel(*FACTS), clock=clock) as file:
        fill(file.user("me"))
        file.user("me").export_to(source)
    clock.forward(days=1)
    with opened(path, words_only=True, clock=clock) as file:
        mem = file.user("me")
        for _ in range(data.draw(st.integers(1, 3))):
            aim = data.draw(st.sampled_from(["session", "search", "memory"]))
            if aim == "session" and mem.sessions(limit=0):
                mem.erase(session=data.draw(st.sampled_from([s.id for s in mem.sessions(limit=0)])))
            elif aim == "memory" and mem.list(limit=0):
                mem.erase(data.draw(st.sampled_from([m.id for m in mem.list(limit=0)])))
            else:
                mem.erase(search=data.draw(st.sampled_from([WORD, "bees", "Porto", "Ida"])))
        before = _said(mem)
    clock.forward(days=1)
    assert take(path, source, clock) is not None
    with opened(path, words_only=True) as file:
        assert _said(file.user("me")) == before


def _said(mem: Memory) -> dict[str, list[str]]:
    """All that a person would read of a memory."""
    return {
        "memories": sorted(m.content for m in mem.list(limit=0, status="any")),
        "turns": sorted(t.content for s in mem.sessions(limit=0) for t in mem.turns(s.id)),
        "sessions": sorted(s.id for s in mem.sessions(limit=0)),
        "state": sorted(f"{f.task}.{f.field}={f.value}" for f in mem.state_fields()),
        "profile": sorted(f"{f.field}={f.value}" for f in mem.profile()),
        "entities": sorted(e.name for e in mem.graph.entities(limit=0)),
    }
