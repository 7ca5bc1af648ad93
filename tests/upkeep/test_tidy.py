"""Forgetting: what expires, what the budget takes, what it never takes, and how it comes back."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.errors import NotFound
from edgemem.settings import Settings
from edgemem.store import changing, memories
from edgemem.times import to_db
from edgemem.upkeep.value import value
from edgemem.view import Memory
from tests.helpers import NOW, Fact, RuleModel, SetClock, opened, said


def _live(mem: Memory) -> set[str]:
    return {m.content for m in mem.list(limit=0)}


def test_what_has_expired_goes_with_its_reason_and_comes_back_by_undo(mem: Memory, clock: SetClock) -> None:
    mem.add("The user is on holiday.", kind="state", expires=NOW + timedelta(days=7))
    mem.add("The user keeps bees.")
    clock.forward(days=6)
    assert mem.maintain().dropped == ()
    clock.forward(days=1)
    (gone,) = mem.maintain().dropped
    assert (gone.what, gone.content, gone.reason) == ("memory", "The user is on holiday.", "expired on 2026-05-13")
    assert _live(mem) == {"The user keeps bees."}
    assert mem.get(gone.id).status == "expired"
    last = mem.history(gone.id)[-1]
    assert (last.action, last.author, last.id) == ("expire", "rule", gone.change)
    mem.undo(last.id)
    assert mem.get(gone.id).status == "live"


def test_a_pinned_memory_outlives_its_date(mem: Memory, clock: SetClock) -> None:
    mem.add("The user is on holiday.", expires=NOW + timedelta(days=7), pinned=True)
    clock.forward(days=400)
    assert mem.maintain().dropped == ()


def test_a_preview_names_what_would_go_and_changes_nothing(store_path: Path) -> None:
    with opened(store_path, settings=Settings(background=False, memory_budget=2)) as file:
        mem = file.user("me")
        for n in range(4):
            mem.add(f"The user owns book {n}.", importance=0.1 + 0.2 * n)
        changes = mem.history(limit=0)
        planned = mem.maintain(preview=True)
        assert [d.content for d in planned.dropped] == ["The user owns book 0.", "The user owns book 1."]
        assert (planned.preview, planned.live, mem.history(limit=0)) == (True, 2, changes)
        done = mem.maintain()
        assert [d.id for d in done.dropped] == [d.id for d in planned.dropped]
        assert mem.maintain().dropped == ()


def test_while_there_is_room_no_memory_is_read_to_be_weighed(
    mem: Memory, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(5):
        mem.add(f"Note {n}")
    ends = mem.add("The milk is good until Monday", expires=NOW + timedelta(days=1))
    clock.forward(days=2)
    whole = mem.maintain(preview=True)
    monkeypatch.setattr(memories, "listed", None)
    assert mem.maintain(preview=True) == whole
    assert [d.id for d in whole.dropped] == [ends]
    assert whole.live == 5


def test_the_budget_is_each_users_own(store_path: Path) -> None:
    with opened(store_path, settings=Settings(background=False, memory_budget=2)) as file:
        for name in ("a", "ab"):
            for n in range(2):
                file.user(name).add(f"{name} owns book {n}.")
        assert file.user("a").maintain().dropped == ()


def test_what_is_pinned_or_used_every_week_survives_a_year_over_budget(store_path: Path, clock: SetClock) -> None:
    with opened(store_path, clock=clock, settings=Settings(background=False, memory_budget=20)) as file:
        mem = file.user("me")
        mem.add("The user is allergic to latex.", pinned=True, importance=0.0)
        mem.add("The user takes the tram to work.", kind="event", importance=0.5)
        for week in range(52):
            clock.forward(days=7)
            for n in range(3):
                mem.add(f"The user saw film {week}-{n}.", kind="event", importance=0.5)
            assert mem.recall("tram to work").hits
            mem.maintain()
        kept = _live(mem)
        assert len(kept) == 20
        assert {"The user is allergic to latex.", "The user takes the tram to work."} <= kept
        assert "The user saw film 0-0." not in kept
        assert file.check() == []


@given(idle=st.floats(-10, 4000), more=st.floats(0, 4000), uses=st.integers(0, 500))
def test_worth_falls_with_idleness_and_rises_with_use(idle: float, more: float, uses: int) -> None:
    from dataclasses import replace

    from edgemem.records import Memory as Record
    from edgemem.records import Source

    here = Record("m", "x", "fact", "knowledge", "user", NOW, NOW, Source(None, None, None, None, None, None))
    now = NOW + timedelta(days=idle)
    later = now + timedelta(days=more)
    assert 0 <= value(here, later) <= value(here, now) <= 1
    assert value(replace(here, use_count=uses), now) >= value(here, now)
    assert value(replace(here, pinned=True), later) == 1


def test_a_task_that_ended_is_archived_then_deleted(mem: Memory, clock: SetClock) -> None:
    task = mem.state["order:1"]
    task["status"] = "shipped"
    mem.state["order:2"]["status"] = "open"
    assert task.end().status == "done"
    clock.forward(days=29)
    assert mem.maintain().dropped == ()
    assert task["status"] == "shipped"
    clock.forward(days=1)
    assert [d.reason for d in mem.maintain().dropped] == ["archived: ended over 30 days ago"]
    assert [t.name for t in mem.tasks()] == ["order:2"]
    assert [t.name for t in mem.tasks(archived=True)] == ["order:2", "order:1"]
    assert task["status"] == "shipped", "an archived task can still be asked for by name"
    clock.forward(days=30)
    assert [d.reason for d in mem.maintain().dropped] == ["deleted: archived for 30 days"]
    with pytest.raises(KeyError):
        task["status"]
    clock.forward(days=1000)
    assert mem.maintain().dropped == ()
    assert mem.state["order:2"]["status"] == "open"


def test_writing_to_an_ended_task_opens_it_again(mem: Memory, clock: SetClock) -> None:
    mem.state["t"]["x"] = 1
    mem.state["t"].end()
    mem.state["t"]["x"] = 2
    clock.forward(days=500)
    assert mem.maintain().dropped == ()
    assert mem.state["t"]["x"] == 2


def test_what_was_out_of_use_for_its_grace_is_deleted_and_what_was_said_stays(
    store_path: Path, clock: SetClock
) -> None:
    holiday = Fact("I am on holiday in Vigo", "The user is on holiday in Vigo.", "state")
    with opened(store_path, RuleModel(holiday), clock=clock) as file:
        mem = file.user("me")
        kept = mem.add("The user is packing for Turku.", kind="state", expires=NOW + timedelta(days=1))
        back = mem.add("The user is moving to Brno.", kind="state", expires=NOW + timedelta(days=1))
        uid = mem.learn(said(holiday.quote)).memories[0].id
        with file.engine.write() as tx:
            row = memories.row(tx, 1, uid)
            changing.change(tx, 1, row, "edit", "test", file.now(), expires_at=to_db(NOW + timedelta(days=1)))
        clock.forward(days=2)
        assert len(mem.maintain().dropped) == 3
        mem.undo(mem.history(back)[-1].id)
        mem.pin(back)
        mem.pin(kept)
        clock.forward(days=89)
        assert mem.maintain().dropped == ()
        clock.forward(days=1)
        planned = mem.maintain(preview=True)
        assert [(d.id, d.reason) for d in planned.dropped] == [(uid, "deleted: out of use for 90 days")]
        assert mem.get(uid).status == "expired"
        assert [d.id for d in mem.maintain().dropped] == [uid]
        with pytest.raises(NotFound):
            mem.get(uid)
        assert [t.content for t in mem.turns("s")] == [holiday.quote]
        assert {mem.get(kept).status, mem.get(back).status} == {"expired", "live"}
        assert mem.maintain().dropped == ()
        assert file.check() == []


def test_what_one_copy_deleted_for_its_age_is_not_erased_from_another(tmp_path: Path, clock: SetClock) -> None:
    here, there = tmp_path / "here.edgemem", tmp_path / "there.edgemem"
    with opened(here, clock=clock) as file:
        one, two = (
            file.user("me").add(f"The user is waiting for parcel {n}.", expires=NOW + timedelta(days=1)) for n in (1, 2)
        )
        clock.forward(days=2)
        file.user("me").maintain()
    shutil.copy(here, there)
    with opened(there, clock=clock) as file:
        file.user("me").undo(file.user("me").history(two)[-1].id)
        file.user("me").pin(two)
    clock.forward(days=100)
    with opened(here, clock=clock) as file:
        assert len(file.user("me").maintain().dropped) == 2
    with opened(there, clock=clock) as file:
        mem = file.user("me")
        assert mem.maintain().dropped[0].id == one, "each copy deletes by itself"
        file.merge(here)
        assert [(m.id, m.status) for m in mem.list(status="any")] == [(two, "live")]
        assert file.check() == []
    with opened(here, clock=clock) as file:
        file.merge(there)
        assert file.check() == []
