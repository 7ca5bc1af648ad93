"""No argument of any method reaches another user's rows."""

from __future__ import annotations

import functools
import itertools
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem.errors import EdgememError, InvalidInput, NotFound
from edgemem.memory import MemoryFile
from edgemem.store import users
from edgemem.testing import ScriptedModel
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, opened, said

ODD = [
    "a", "ab", "a%", "A", "a b", "_", "用户/1", "用户", "O'Brien", 'x" OR "1"="1', "u1u", "1", "../me", "é", "e", "🦜",
    "x" * 500, "*", "a/b",
]  # fmt: skip


@pytest.mark.parametrize("name", ["", "x" * 501, "a\0b", "\ud83d"])
def test_impossible_names_are_refused(store: MemoryFile, name: str) -> None:
    with pytest.raises(InvalidInput):
        store.user(name)


def test_odd_names_are_different_people(store: MemoryFile) -> None:
    for name in ODD:
        store.user(name).add(f"shared secret of {name}")
    for name in ODD:
        assert [m.content for m in store.user(name).list()] == [f"shared secret of {name}".strip()]
        hits = store.user(name).recall("shared secret")
        assert [h.content for h in hits] == [f"shared secret of {name}".strip()]
    assert sorted(store.users()) == sorted(ODD)


UNSEEN = [
    "a ",
    " a",
    "a  b",
    "a\u00a0b",
    "a\u3000b",
    "a\nb",
    "\t",
    "a\u200b",
    "a\ufeff",
    "a\u200d",
    "\u202ea",
    "a\u2028b",
    "a\u200db",
    "a\u200c\u200db",
    "\u0646\u200c",
    "\u200c\u0646",
    "\u0646\u200c\u200c\u0632",
    "\u0646\u200c \u0632",
    "\u0646\u200ca",
    "\u0646\u200b\u0632",
]


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_a_new_name_that_looks_like_another_one_is_refused(store: MemoryFile, name: str) -> None:
    store.user("a")
    with pytest.raises(InvalidInput, match="may look like another") as told:
        store.user(name)
    assert told.value.hint
    assert store.users() == ["a"]
    assert store.user(name, make=False).list() == []


@pytest.mark.parametrize("name", ["a ", "a\u200b", "a\nb", "Jose\u0301"], ids=ascii)
def test_somebody_of_an_older_file_keeps_such_a_name(store: MemoryFile, name: str) -> None:
    with store.engine.write() as tx:
        users.find_or_add(tx, name, store.now(), users.Seen())
    mem = store.user(name)
    mem.add("I keep bees")
    assert mem.name == name
    assert store.users() == [name]
    assert [m.content for m in store.user(unicodedata.normalize("NFC", name)).list()] == ["I keep bees"]


def test_letters_are_the_same_however_they_are_composed(store: MemoryFile) -> None:
    heard: list[object] = []
    store.on(heard.append, user="Jose\u0301")
    store.user("Jose\u0301").add("I keep bees")
    assert store.users() == ["Jos\u00e9"]
    assert [m.content for m in store.user("Jos\u00e9").list()] == ["I keep bees"]
    assert len(heard) == 1


JOINED = [
    "\u0646\u0627\u0632\u0646\u06cc\u0646\u200c\u0632\u0647\u0631\u0627",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f469\U0001f3fd\u200d\U0001f680 Ada",
    "\u2764\ufe0f\u200d\U0001f525",
    "\u0915\u094d\u200d\u0937",
]
"""A Persian name, a family, a coloured astronaut, a heart on fire, a Hindi syllable: each with a joiner in it."""


@pytest.mark.parametrize("name", JOINED, ids=ascii)
@pytest.mark.parametrize("joined_first", [True, False])
def test_a_name_with_joiners_is_one_user_with_and_without(store: MemoryFile, name: str, joined_first: bool) -> None:
    bare = name.replace("\u200c", "").replace("\u200d", "")
    first, second = (name, bare) if joined_first else (bare, name)
    store.user(first).add("I keep bees")
    mem = store.user(second)
    mem.add("I keep goats")
    assert store.users() == [first]
    assert mem.name == first
    assert {m.content for m in store.user(first).list()} == {"I keep bees", "I keep goats"}
    assert {m.content for m in store.user(second, make=False).list()} == {"I keep bees", "I keep goats"}
    assert store.check() == []


def test_a_name_of_joiners_alone_is_nobodys(store: MemoryFile) -> None:
    with store.engine.write() as tx:
        users.find_or_add(tx, "\u200d", store.now(), users.Seen())
    with pytest.raises(InvalidInput, match="may look like another"):
        store.user("\u200c")
    assert store.users() == ["\u200d"]


def _lived(file: MemoryFile, name: str) -> dict[str, Any]:
    """Give a user something in every table, and return the ids of it."""
    mem = file.user(name)
    kept, gone = mem.add(f"{name} keeps bees"), mem.add(f"{name} keeps goats")
    forgotten = mem.forget(gone)
    receipt = mem.learn(said("I keep parrots", session="shared session"))
    waiting = mem.observe(said("later", session="waiting"))
    mem.set_state("task:1", "step", name)
    learned = mem.get(receipt.memories[0].id)
    return {
        "kept": kept, "gone": gone, "forgotten": forgotten, "turn": receipt.turns[0], "waiting": waiting[0],
        "learned": learned.id, "trace": learned.trace, "job": mem.jobs()[0].id, "added": mem.history(kept)[0].id,
    }  # fmt: skip


def _all_of(mem: Memory) -> tuple[Any, ...]:
    """Everything one user can see, to compare before and after."""
    return (
        sorted((m.id, m.content, m.status, m.version, m.use_count) for m in mem.list(limit=0, status="any")),
        [c.id for c in mem.history(limit=0)],
        [(s.id, [t.id for t in mem.turns(s.id)]) for s in mem.sessions()],
        [(j.id, j.status, j.attempts) for j in mem.jobs()],
        mem.state_fields(),
        mem.counts(),
    )


@pytest.fixture
def two(store_path: Path) -> Any:
    model = RuleModel(Fact("I keep parrots", "The user keeps parrots."))
    with opened(store_path, model) as file:
        yield file, _lived(file, "a"), _lived(file, "a%")


def test_another_users_ids_lead_nowhere(two: Any) -> None:
    file, _, theirs = two
    mine, other = file.user("a"), file.user("a%")
    before = _all_of(other)
    for uid in (theirs["kept"], theirs["gone"], theirs["learned"]):
        for call in (
            mine.get, mine.history, mine.forget, mine.pin, mine.resolve, lambda u: mine.edit(u, "stolen"),
            lambda u: mine.get(u[-12:]), lambda u: mine.forget(u[:20] + "%"),
        ):  # fmt: skip
            with pytest.raises(NotFound):
                call(uid)
    for change in (theirs["forgotten"], theirs["added"]):
        with pytest.raises(NotFound):
            mine.undo(change)
    for call in (mine.trace, mine.retry):
        with pytest.raises(NotFound):
            call(theirs["trace"] if call == mine.trace else theirs["job"])
    with pytest.raises(NotFound):
        mine.turn("waiting", "no such")
    assert _all_of(other) == before


def test_another_users_job_is_not_done_in_their_place(two: Any) -> None:
    file, _, theirs = two
    other = file.user("a%")
    job = other.jobs()[0]
    file.user("a").run(job, lambda: False)
    assert [(j.id, j.status) for j in other.jobs()] == [(theirs["job"], "queued")]


def test_reading_stays_inside(two: Any) -> None:
    file, own, theirs = two
    mine = file.user("a")
    foreign = set(theirs.values()) - set(own.values())
    for query in ("keeps bees", "parrots", "a%", "u2u", "later", 'scope : "u2u" OR bees', "%", "*"):
        for hit in (*mine.recall(query, limit=100), *mine.search_log(query, 100)):
            assert hit.id not in foreign - {own["turn"], own["waiting"]}
            assert "a%" not in hit.content
        assert "a%" not in mine.context(query).text
    assert {m.content for m in mine.list(limit=0, status="any")} == {
        "a keeps bees", "a keeps goats", "The user keeps parrots.",
    }  # fmt: skip
    assert mine.state["task:1"]["step"] == "a"
    assert list(mine.state) == ["task:1"]
    assert not {c.memory for c in mine.history(limit=0)} & foreign


def test_a_hostile_namespace_or_kind_filters_nothing_in(two: Any) -> None:
    mine = two[0].user("a")
    for word in ("%", "*", "' OR 1=1 --", "knowledge' OR '1'='1"):
        assert mine.list(namespace=word) == []
        assert mine.recall("bees", namespace=word).hits == ()
        with pytest.raises(InvalidInput, match="There is no kind"):
            mine.list(kind=word)
        with pytest.raises(InvalidInput, match="There is no kind"):
            mine.recall("bees", kinds=[word])
        assert mine.state_fields(word) == []
        assert mine.turns(word) == []


_names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12)

nfc = functools.partial(unicodedata.normalize, "NFC")


@given(names=st.lists(_names, min_size=2, max_size=4, unique_by=nfc), words=st.lists(_names, min_size=1, max_size=4))
@settings(max_examples=20)
def test_any_two_people_are_apart(tmp_path_factory: pytest.TempPathFactory, names: list[str], words: list[str]) -> None:
    with opened(tmp_path_factory.mktemp("iso") / "x.edgemem", ScriptedModel()) as file:
        owned: dict[str, set[str]] = {}
        for name, word in itertools.product(names, words):
            try:
                owned.setdefault(name, set()).add(file.user(name).add(f"{word} fact"))
            except InvalidInput:
                owned.setdefault(name, set())
        for name in names:
            mem = file.user(name)
            assert {m.id for m in mem.list(limit=0)} == owned[name]
            for query in (*words, *names, "fact"):
                assert {h.id for h in mem.recall(query, limit=100)} <= owned[name]
            others = set().union(*(ids for n, ids in owned.items() if n != name))
            for uid in others:
                with pytest.raises(EdgememError):
                    mem.get(uid)
        assert file.check() == []


def test_forgetting_all_of_one_changes_nothing_of_another(two: Any) -> None:
    file, _, _ = two
    before = _all_of(file.user("a%"))
    for memory in file.user("a").list(limit=0):
        file.user("a").forget(memory.id)
    assert file.user("a").list() == []
    assert _all_of(file.user("a%")) == before
    assert file.check() == []
