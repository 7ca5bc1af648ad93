"""Looking through a memory: pages, filters, figures, what was believed when; renaming and cancelling."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import edgemem
from edgemem.browse import ORDERS, MemoryFilter
from edgemem.errors import InvalidInput, NotFound
from edgemem.memory import MemoryFile
from edgemem.records import KINDS, Turn
from tests.helpers import QUIET, NoModels

START = datetime(2026, 5, 1, 12, tzinfo=UTC)


class StepClock:
    """An hour later each time it is read."""

    def __init__(self) -> None:
        self._hours = itertools.count()

    def now(self) -> datetime:
        return START + timedelta(hours=next(self._hours))


@pytest.fixture
def file(tmp_path: Path) -> Iterator[MemoryFile]:
    with edgemem.open(tmp_path / "a.edgemem", provider=NoModels(), settings=QUIET, clock=StepClock()) as opened:
        yield opened


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    kinds=st.lists(st.sampled_from(KINDS), max_size=12), size=st.integers(1, 5), order=st.sampled_from(ORDERS),
    kind=st.none() | st.sampled_from(KINDS), pinned=st.none() | st.booleans(),
)  # fmt: skip
def test_pages_never_overlap_and_leave_nothing_out(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str], size: int, order: str, kind: str | None, pinned: bool | None
) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("pages") / "a.edgemem"
    with edgemem.open(path, provider=NoModels(), settings=QUIET) as file:
        mem = file.user("me")
        for n, one in enumerate(kinds):
            mem.add(f"Number {n}", kind=one, pinned=n % 3 == 0, importance=n / 20)
        file.user("other").add("Somebody else's")
        wanted = MemoryFilter(kind=kind, pinned=pinned, order=order)
        whole = mem.browse(wanted, limit=0)
        pages = [mem.browse(wanted, limit=size, offset=at) for at in range(0, whole.total + size, size)]
        assert [m.id for page in pages for m in page.memories] == [m.id for m in whole.memories]
        fits = [k for n, k in enumerate(kinds) if kind in (None, k) and pinned in (None, n % 3 == 0)]
        assert whole.total == len(whole.memories) == len(fits)
        assert {page.total for page in pages} == {whole.total}


def test_filters_by_day_confidence_and_expiry(file: MemoryFile) -> None:
    mem = file.user("me")
    first = mem.add("The car is blue")
    mem.add("The bill is due", expires=START + timedelta(days=9))
    changed = mem.get(first).updated_at
    assert [m.id for m in mem.browse(MemoryFilter(until=changed + timedelta(minutes=1))).memories] == [first]
    assert [m.id for m in mem.browse(MemoryFilter(since=changed + timedelta(minutes=1))).memories] != [first]
    assert [m.content for m in mem.browse(MemoryFilter(expiring=True)).memories] == ["The bill is due"]
    assert mem.browse(MemoryFilter(sure_below=1.0)).total == 0
    assert mem.browse(MemoryFilter(sure_from=1.0)).total == 2
    with pytest.raises(InvalidInput, match="no order"):
        mem.browse(MemoryFilter(order="colour"))


def test_what_was_believed_is_what_the_history_says(file: MemoryFile) -> None:
    mem = file.user("me")
    uid = mem.add("The car is blue")
    blue = file.clock.now()
    mem.edit(uid, "The car is red")
    mem.add("I like tea")
    red = file.clock.now()
    mem.forget(uid)

    def words(at: datetime) -> list[str]:
        return [(c.after or {})["content"] for c in mem.believed(at).changes]

    assert words(START - timedelta(days=1)) == []
    assert words(blue) == ["The car is blue"]
    assert words(red) == ["I like tea", "The car is red"]
    assert words(file.clock.now()) == ["I like tea"]
    assert mem.believed(red, limit=1, offset=1).total == 2
    with pytest.raises(InvalidInput, match="zone"):
        mem.believed(datetime(2026, 5, 1))


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=st.lists(st.tuples(st.sampled_from(["add", "edit", "forget", "undo"]), st.integers(0, 5)), max_size=25))
def test_what_was_believed_is_the_last_change_of_each_memory_until_then(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    place = tmp_path_factory.mktemp("believed") / "a.edgemem"
    with edgemem.open(place, provider=NoModels(), settings=QUIET, clock=StepClock()) as file:
        mem, other = file.user("me"), file.user("other")
        kept, done = [mem.add("Note 0")], [""]
        other.add("Not mine")
        for n, (what, which) in enumerate(steps, 1):
            one = kept[which % len(kept)]
            if what == "add":
                kept.append(mem.add(f"Note {n}"))
            elif what == "edit":
                done.append(mem.edit(one, f"Note {n}"))
            elif what == "forget" and mem.get(one).status == "live":
                done.append(mem.forget(one))
            elif what == "undo" and done[-1]:
                mem.undo(done.pop())
        changes = list(mem.history(limit=0))[::-1]
        for at in {change.at for change in changes}:
            last = {c.memory: c for c in changes if c.at <= at}
            wanted = [c for c in last.values() if (c.after or {}).get("status") == "live"]
            wanted.sort(key=lambda c: -c.seq)
            pages = [mem.believed(at, limit=2, offset=first) for first in range(0, len(wanted) + 1, 2)]
            assert [c.id for page in pages for c in page.changes] == [c.id for c in wanted]
            assert {page.total for page in pages} == {len(wanted)}


def test_statistics_agree_with_the_lists(file: MemoryFile) -> None:
    mem = file.user("me")
    for n in range(5):
        mem.add(f"Number {n}", kind=KINDS[n % 2])
    mem.forget(mem.list()[0].id)
    mem.log([Turn("user", "Good morning", at=START, session="s")])
    found = mem.statistics()
    assert sum(found.kinds.values()) == len(mem.list(limit=0)) == 4
    assert found.statuses == {"live": 4, "forgotten": 1}
    assert sum(found.stored_on.values()) == 5
    assert found.said_on == {START.date(): 1}
    assert found.confidence[9] == 4
    assert (found.uses, found.never_used, found.most_used) == (0, 4, ())
    assert file.user("other").statistics().statuses == {}


def test_a_conversation_is_renamed_and_named_back(file: MemoryFile) -> None:
    mem = file.user("me")
    mem.log([Turn("user", "Good morning", session="s")])
    assert mem.rename("s", "  Plans\nfor spring ") == ""
    assert mem.sessions()[0].title == "Plans for spring"
    assert mem.rename("s", "") == "Plans for spring"
    with pytest.raises(NotFound):
        file.user("other").rename("s", "Mine now")
    with pytest.raises(InvalidInput):
        mem.rename("s", "x" * 201)


def test_a_waiting_job_is_cancelled_once(file: MemoryFile) -> None:
    mem = file.user("me")
    mem.observe([Turn("user", "I keep bees", session="s")])
    job = mem.jobs()[0].id
    with pytest.raises(NotFound):
        file.user("other").cancel(job)
    mem.cancel(job)
    assert mem.jobs() == []
    with pytest.raises(NotFound):
        mem.cancel(job)
    assert [t.content for t in mem.turns("s")] == ["I keep bees"]


def test_the_stamp_tells_of_own_changes_and_of_those_of_others(file: MemoryFile) -> None:
    mem = file.user("me")
    before = mem.stamp()
    assert mem.stamp() == before
    file.user("me").add("The car is blue")
    own = mem.stamp()
    assert own != before
    with edgemem.open(file.path, provider=NoModels(), settings=QUIET) as other:
        other.user("me").add("The bike is green")
        assert mem.stamp() != own


def test_letters_are_found_within_words_in_any_case_and_as_they_stand(file: MemoryFile) -> None:
    mem, texts = (
        file.user("me"),
        ["100% Walnut", "a_b", "axb", r"C:\tmp", "Élan vital", "我喜欢龙井茶", "walnuts again"],
    )
    ids = {mem.add(text): text for text in texts}
    file.user("other").add("Somebody else's walnut")

    def found(letters: str, **more: object) -> set[str]:
        page = mem.browse(MemoryFilter(holding=letters, **more), limit=0)  # type: ignore[arg-type]
        assert page.total == len(page.memories)
        return {ids[m.id] for m in page.memories}

    assert found("WALN") == {"100% Walnut", "walnuts again"}
    assert found("%") == {"100% Walnut"}
    assert found("_") == {"a_b"}
    assert found("\\") == {r"C:\tmp"}
    assert found("éLAN") == found("élan") == {"Élan vital"}
    assert found("龙井") == {"我喜欢龙井茶"}
    assert found("") == set(texts)
    mem.forget(next(iter(ids)))
    assert found("waln") == {"walnuts again"}
    assert found("waln", status="forgotten") == {"100% Walnut"}
