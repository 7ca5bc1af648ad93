"""Erased is gone: from every table, from what was built on it, from the bytes of the file. And nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edgemem.errors import Conflict, InvalidInput, NotFound, StoreError
from edgemem.memory import MemoryFile
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, child, opened, plain_connection, python, said
from tests.store.everywhere import BY_HAND, NOT_A_PERSONS, holding, live_through, tables

WORD = "xylocarpine"
"""A word of no language, which only the person who is erased has said."""

AIMS: dict[str, dict[str, Any]] = {
    "memory": {}, "search": {"search": WORD}, "session": {"session": "s me"}, "everything": {"everything": True},
}  # fmt: skip


@pytest.mark.parametrize("aim", AIMS)
def test_no_table_and_no_byte_holds_what_was_erased(store_path: Path, aim: str) -> None:
    uid = live_through(store_path, "me", WORD)
    before = holding(store_path, WORD)
    connection = plain_connection(store_path)
    filled = {n for n in tables(connection) if connection.execute(f"SELECT count(*) FROM {n}").fetchone()[0]}
    assert filled >= set(tables(connection)) - set(NOT_A_PERSONS), (
        "a table stayed empty: teach everywhere.py to fill it"
    )
    vector = connection.execute(
        "SELECT v FROM vector v JOIN memory m ON m.id = v.owner_id AND v.owner = 'memory'"
    ).fetchone()[0]
    connection.close()
    assert {
        "memory",
        "turn",
        "trace",
        "job",
        "history",
        "entity",
        "insight",
        "summary_sentence",
        "state",
        "profile",
    } <= before
    with opened(store_path) as file:
        mem = file.user("me")
        done = mem.erase(uid, verify=True) if aim == "memory" else mem.erase(**AIMS[aim], verify=True)
        assert done.done
        assert done.scrubbed
        assert done.proof is not None
        assert done.proof.words > 3
        if aim in ("search", "everything"):
            assert done.proof.found == {}
        assert file.check() == []
    left = holding(store_path, WORD)
    assert left <= (BY_HAND if aim in ("memory", "session") else set())
    data = store_path.read_bytes()
    assert vector not in data
    assert b"badly allerg" not in data
    if not left:
        assert WORD.encode() not in data.lower()
        assert WORD[:9].encode() not in data.lower()


@pytest.mark.parametrize("aim", AIMS)
def test_another_user_loses_nothing(store_path: Path, aim: str) -> None:
    uid = live_through(store_path, "me", WORD)
    live_through(store_path, "other", WORD)
    before = _rows_of(store_path, "other")
    with opened(store_path) as file:
        mem = file.user("me")
        mem.erase(uid) if aim == "memory" else mem.erase(**AIMS[aim])
        assert f"The user is badly allergic to {WORD}." in [h.content for h in file.user("other").recall(WORD)]
        assert file.check() == []
    assert _rows_of(store_path, "other") == before


def _rows_of(path: Path, user: str) -> dict[str, list[Any]]:
    connection = plain_connection(path)
    key = connection.execute("SELECT id FROM user WHERE name = ?", (user,)).fetchone()[0]
    columns = {n: [r[1] for r in connection.execute(f"PRAGMA table_info({n})")] for n in tables(connection)}
    unused = {"use_count", "last_used_at"}
    rows = {
        n: [{c: v for c, v in zip(cols, row, strict=True) if c not in unused}
            for row in connection.execute(f"SELECT * FROM {n} WHERE user_id = ? ORDER BY 1, 2", (key,))]
        for n, cols in columns.items() if "user_id" in cols
    }  # fmt: skip
    connection.close()
    return rows


@pytest.fixture
def told(store_path: Path) -> Any:
    """Two facts from one message, one of them told again later, one told differently later."""
    model = RuleModel(
        Fact("allergic to walnuts", "The user is allergic to walnuts."), Fact("live in Porto", "The user lives in Porto."),
        Fact("yes, walnuts, allergic", "The user is allergic to walnuts."),
    )  # fmt: skip
    with opened(store_path, model) as file:
        mem = file.user("me")
        first = mem.learn(said("hello", "I am allergic to walnuts and I live in Porto", "bye", session="one"))
        mem.learn(said("yes, walnuts, allergic as I said", session="two"))
        yield file, mem, {m.content: m.id for m in first.memories}


def test_with_a_memory_go_all_messages_that_told_it(told: Any) -> None:
    file, mem, ids = told
    plan = mem.erase(ids["The user is allergic to walnuts."], preview=True)
    assert {(i.what, i.effect) for i in plan.items} == {
        ("memory", "erased"),
        ("turn", "erased"),
        ("memory", "detached"),
        ("history", "erased"),
    }
    assert sorted(i.text for i in plan.items if i.what == "turn") == [
        "I am allergic to walnuts and I live in Porto", "yes, walnuts, allergic as I said",
    ]  # fmt: skip
    assert len(mem.list()) == 2, "a preview touches nothing"
    done = mem.erase(ids["The user is allergic to walnuts."], verify=True)
    assert done.proof.found == {}
    assert "Porto" in done.proof.kept
    assert [(m.content, m.source.turn, m.source.quote) for m in mem.list()] == [
        ("The user lives in Porto.", None, None)
    ]
    assert [t.content for t in mem.turns("one")] == ["hello", "bye"]
    assert [s.id for s in mem.sessions()] == ["one"], "a session of which nothing is left goes"
    assert mem.recall("walnuts").abstained
    assert not any("walnuts" in h.content for h in mem.search_log("walnuts"))
    assert file.check() == []


def test_what_stays_can_still_be_changed_and_undone(told: Any) -> None:
    file, mem, ids = told
    mem.erase(ids["The user is allergic to walnuts."])
    kept = mem.list()[0]
    change = mem.edit(kept.id, "The user lives in Braga.")
    mem.undo(change)
    assert mem.get(kept.id).content == "The user lives in Porto."
    assert file.check() == []


def test_what_was_erased_cannot_be_undone(told: Any) -> None:
    _, mem, ids = told
    added = mem.history(ids["The user is allergic to walnuts."])[0]
    mem.erase(ids["The user is allergic to walnuts."])
    with pytest.raises(Conflict, match="erased"):
        mem.undo(added.id)
    entries = [c for c in mem.history(limit=0) if c.memory == ids["The user is allergic to walnuts."]]
    assert [c.action for c in entries] == ["erase", "add"]
    assert all(c.before is None and c.after is None for c in entries)


def test_a_session_takes_what_was_learned_from_it_and_gives_back_what_it_replaced(store_path: Path) -> None:
    model = RuleModel(
        Fact("live in Lyon", "The user lives in Lyon."),
        Fact("live in Porto", "The user lives in Porto."),
        relation="conflict",
    )
    with opened(store_path, model) as file:
        mem = file.user("me")
        mem.learn(said("I live in Lyon", session="one"))
        mem.learn(said("Now I live in Porto", session="two"))
        assert [m.content for m in mem.list()] == ["The user lives in Porto."]
        done = mem.erase(session="two", verify=True)
        assert done.count("memory", "revived") == 1
        assert [(m.content, m.superseded_by, m.valid_to) for m in mem.list(status="any")] == [
            ("The user lives in Lyon.", None, None)
        ]
        assert mem.recall("where does the user live?").hits[0].content == "The user lives in Lyon."
        assert file.check() == []
    assert b"Porto" not in store_path.read_bytes()


def test_a_refined_memory_is_again_what_it_was(store_path: Path) -> None:
    model = RuleModel(
        Fact("have a dog", "The user has a dog."), Fact("dog is called Quixotl", "The user has a dog called Quixotl."),
        relation="refine",
    )  # fmt: skip
    with opened(store_path, model) as file:
        mem = file.user("me")
        mem.learn(said("I have a dog", session="one"))
        mem.learn(said("My dog is called Quixotl", session="two"))
        assert [m.content for m in mem.list()] == ["The user has a dog called Quixotl."]
        mem.erase(session="two")
        assert [m.content for m in mem.list()] == ["The user has a dog."]
        assert mem.list()[0].source.session == "one"
        assert mem.recall("dog").hits[0].content == "The user has a dog."
        assert file.check() == []
    assert b"quixotl" not in store_path.read_bytes().lower()


def test_a_search_takes_whole_words_in_any_case_and_their_longer_forms(mem: Memory) -> None:
    for text in ("I love Peanuts", "PEANUT butter is fine", "I count my pennies", "花生酱很好吃", "appeanuts"):
        mem.add(text)
    assert sorted(i.text for i in mem.erase(search="peanut", preview=True).items) == [
        "I love Peanuts",
        "PEANUT butter is fine",
    ]
    assert [i.text for i in mem.erase(search="花生", preview=True).items] == ["花生酱很好吃"]
    assert mem.erase(search="peanut pennies", preview=True).items == ()
    mem.erase(search="peanut")
    assert sorted(m.content for m in mem.list()) == ["I count my pennies", "appeanuts", "花生酱很好吃"]


def test_a_search_reaches_an_old_version_only_the_history_has(mem: Memory, store: MemoryFile) -> None:
    uid = mem.add("the user likes marzipan")
    mem.edit(uid, "the user likes cake")
    done = mem.erase(search="marzipan", verify=True)
    assert done.proof is not None
    assert done.proof.found == {}
    assert done.count("history") == 2
    assert mem.get(uid).content == "the user likes cake"
    assert store.check() == []


@pytest.mark.parametrize(
    "aim", [{}, {"search": "a", "session": "b"}, {"search": "?!"}, {"everything": True, "search": "x"}]
)
def test_an_unclear_aim_is_refused(mem: Memory, aim: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        mem.erase(**aim)


def test_nothing_of_that_name(mem: Memory) -> None:
    mem.add("something")
    for aim in ({"memory": "0" * 36}, {"session": "none"}):
        with pytest.raises(NotFound):
            mem.erase(**aim)  # type: ignore[arg-type]
    assert mem.erase(search="nothing").items == ()
    assert len(mem.list()) == 1


def test_the_key_of_an_erased_user_is_nobody_elses(store: MemoryFile) -> None:
    old = store.user("bob")
    old.add("bob's own")
    old.erase(everything=True)
    assert store.users() == []
    carol = store.user("carol")
    carol.add("carol's own")
    assert old.list() == []
    assert old.recall("own").hits == ()
    with pytest.raises(StoreError, match="erased"):
        old.add("into the void")
    assert [m.content for m in store.user("carol").list()] == ["carol's own"]
    assert store.user("bob").list() == []
    assert store.check() == []


def test_a_turn_erased_while_it_was_read_gives_no_memory(store_path: Path) -> None:
    erased: list[bool] = []

    class Slow(RuleModel):
        def generate(self, *args: Any, **kwargs: Any) -> Any:
            # Somebody erases the message, and a new one takes its key, while the model still reads it.
            with opened(store_path) as other:
                other.user("me").erase(search="parrots")
                other.user("me").log(said("I keep quiet", session="new"))
            erased.append(True)
            return super().generate(*args, **kwargs)

    with opened(store_path, Slow(Fact("I keep parrots", "The user keeps parrots."))) as file:
        mem = file.user("me")
        receipt = mem.learn(said("I keep parrots"))
        assert erased
        assert receipt.memories == ()
        assert receipt.failed == ()
        assert mem.list() == []
        assert file.check() == []
    assert b"parrots" not in store_path.read_bytes()


_READER = """if 1:
    import sys
    from tests.helpers import plain_connection
    connection = plain_connection(sys.argv[1])
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM memory").fetchall()
    print("reading", flush=True)
    sys.stdin.readline()
    connection.execute("COMMIT")
    connection.close()
    print("done", flush=True)
    sys.stdin.readline()
"""


def test_a_reader_elsewhere_is_told_of_and_the_bytes_go_when_it_is_done(store_path: Path) -> None:
    from edgemem.settings import Settings

    with opened(store_path, settings=Settings(background=False, busy_timeout=0.3)) as file:
        mem = file.user("me")
        uid = mem.add(f"about {WORD}")
        with child(_READER, store_path) as reader:
            assert reader.stdout is not None
            assert reader.stdin is not None
            assert reader.stdout.readline() == "reading\n"
            done = mem.erase(uid, verify=True)
            assert not done.scrubbed
            assert done.proof is not None
            assert WORD in done.proof.found
            reader.stdin.write("\n")
            reader.stdin.flush()
            assert reader.stdout.readline() == "done\n"
            assert mem.look(WORD).found == {}


def test_words_left_from_before_are_found_and_written_over(store_path: Path) -> None:
    """A file that another tool changed without secure_delete: the look finds the rest, and the file is written anew."""
    opened(store_path).close()
    connection = plain_connection(store_path)
    connection.execute("PRAGMA secure_delete=OFF")
    connection.execute("INSERT INTO meta VALUES ('note', ?)", (f"{WORD} " * 50,))
    connection.execute("DELETE FROM meta WHERE key = 'note'")
    connection.close()
    assert WORD.encode() in store_path.read_bytes()
    with opened(store_path) as file:
        proof = file.user("me").look(f"say {WORD}")
        assert proof.found == {}
    assert WORD.encode() not in store_path.read_bytes()


def test_the_look_sees_what_is_there(store_path: Path) -> None:
    """The proof is worth nothing if the look could not fail."""
    from edgemem.store import scan

    with opened(store_path) as file:
        file.user("me").add(f"about {WORD} and 海獭")
    found, size = scan.found(store_path, [WORD, "海獭", "absent"])
    assert set(found) == {WORD, "海獭"}
    assert size >= store_path.stat().st_size


def test_another_process_sees_the_erasure_at_once(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        mem.add("about otters")
        assert mem.recall("otters").hits
        python("import sys; from pathlib import Path; from tests.helpers import opened\n"
               "with opened(Path(sys.argv[1])) as f: f.user('me').erase(search='otters')", store_path)  # fmt: skip
        assert mem.recall("otters").hits == ()
