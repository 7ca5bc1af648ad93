"""Rows without a history carry seals: what was altered on the disk is never told as if it had been written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edgemem
from edgemem import Memory
from edgemem.errors import StoreCorrupt, StoreError
from edgemem.store import row_seals, schema_changes
from tests.helpers import opened, plain_connection, said

from .everywhere import live_through

CELLS = [(table, column) for table, columns in row_seals.COLUMNS.items() for column in columns]


def alter(path: Path, table: str, column: str, where: str = "1") -> Any:
    """Change one value as a flipped bit would: no rule of the schema is asked. Returns what it was."""
    with contextlib.closing(plain_connection(path)) as connection:
        for pragma in ("ignore_check_constraints=ON", "foreign_keys=OFF"):
            connection.execute(f"PRAGMA {pragma}")
        (old,) = connection.execute(f"SELECT {column} FROM {table} WHERE {where} LIMIT 1").fetchone()
        kind = next(r[2] for r in connection.execute(f"PRAGMA table_info({table})") if r[1] == column)
        changed = f"UPDATE {table} SET {column} = ? WHERE {column} IS ? AND {where}"
        connection.execute(changed, (_other(kind, old), old))
        return old


def _other(kind: str, old: Any) -> Any:
    if kind == "BLOB":
        return bytes([old[0] ^ 0xFF]) + old[1:]
    return f"{old}"[:-1] + "~" if kind == "TEXT" else 0.015625 if kind == "REAL" else (old or 0) + 1000


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with rows in every table."""
    path = tmp_path_factory.mktemp("lived") / "lived.edgemem"
    live_through(path, "me", "walnuts")
    with contextlib.closing(plain_connection(path, sealing=True)) as connection:
        for table in ("summary", "insight", "entity"):
            connection.execute(f"UPDATE {table} SET status = 'live', created_at = '2026-05-06T12:00:00.000000Z'")
        connection.execute("UPDATE insight SET checked_at = NULL")
        connection.execute("UPDATE relation SET valid_from = NULL, valid_to = NULL")
    with opened(path) as file:
        assert file.check() == []
    return path


@pytest.fixture
def path(lived: Path, store_path: Path) -> Path:
    store_path.write_bytes(lived.read_bytes())
    return store_path


@pytest.mark.parametrize(("table", "column"), CELLS, ids=[f"{table}.{column}" for table, column in CELLS])
def test_an_altered_value_is_found(path: Path, table: str, column: str) -> None:
    alter(path, table, column)
    with opened(path, read_only=True) as file:
        assert any(p.area == "rows" and table in p.message for p in file.check())


@pytest.mark.parametrize(("table", "column"), CELLS, ids=[f"{table}.{column}" for table, column in CELLS])
def test_a_later_write_does_not_make_an_altered_row_true(path: Path, table: str, column: str) -> None:
    alter(path, table, column)
    with opened(path) as file:
        # A key that points nowhere is refused already.
        with contextlib.suppress(StoreError), file.engine.write() as tx:
            every = ", ".join(f"{name} = {name}" for name in row_seals.COLUMNS[table])
            tx.execute(f"UPDATE {table} SET {every}")
        assert any(p.area == "rows" and table in p.message for p in file.check())


NOT_COVERED = {
    "history": {"salt", "payload"},  # its digest is: they may be erased
    "job": {"priority", "status", "attempts", "error", "lease_until", "lease_by", "updated_at"},
}


def test_every_column_is_covered(store_path: Path) -> None:
    with opened(store_path) as file, file.engine.read() as tx:
        for table, (columns, keys) in schema_changes.SEALED_ROWS.items():
            info = tx.execute(f"PRAGMA table_info({table})").fetchall()
            assert set(columns) | {"seal"} == {c[1] for c in info} - NOT_COVERED.get(table, set())
            assert set(columns[:keys]) == {c[1] for c in info if c[5]}


READERS: dict[str, tuple[str, Callable[[Memory], object]]] = {
    "state.value": ("state", lambda m: m.state_fields()),
    "task.name": ("state", lambda m: m.state_fields()),
    "task.status": ("tasks", lambda m: m.tasks(archived=True)),
    "profile.value": ("profile", lambda m: m.profile()),
    "profile.avoid": ("profile", lambda m: m.profile()),
    "entity.name": ("graph", lambda m: m.graph.entities(limit=0)),
    "alias.name": ("graph", lambda m: m.graph.entities(limit=0)),
    "relation.predicate": ("graph", lambda m: m.graph.neighbours(m.graph.entities(limit=0)[0].id)),
    "insight.content": ("insights", lambda m: m.insights()),
    "evidence.memory_id": ("insights", lambda m: m.insights()),
    "summary_sentence.content": ("summaries", lambda m: [m.summaries(s.id) for s in m.sessions(limit=0)]),
    "user.name": ("people", lambda m: m.file.users()),
    "user.created_at": ("people", lambda m: m.file.user("somebody new")),
}


@pytest.mark.parametrize("cell", READERS)
def test_who_reads_an_altered_row_is_told(path: Path, cell: str) -> None:
    table, column = cell.split(".")
    what, read = READERS[cell]
    with opened(path, words_only=True) as file:
        mem = file.user("me")
        read(mem)
        alter(path, table, column, "name = 'somebody new'" if cell == "user.created_at" else "1")
        with pytest.raises(StoreCorrupt, match=what):
            read(mem)


@pytest.mark.parametrize("table", sorted(set(row_seals.COLUMNS) - {"user"} | {"memory", "turn"}))
def test_an_altered_row_is_not_carried_out(path: Path, table: str) -> None:
    column = {"memory": "content", "turn": "content"}.get(table) or row_seals.COLUMNS[table][-1]
    with contextlib.closing(plain_connection(path)) as connection:
        connection.execute("UPDATE job SET status = 'queued'")  # one that is done stays here
    alter(path, table, column)
    with opened(path, words_only=True) as file, pytest.raises(StoreCorrupt, match="altered on the disk"):
        list(file.user("me").records(sensitive=True))


@pytest.mark.parametrize("table", sorted(set(row_seals.COLUMNS) - {"history"}))  # a change has its chain besides
def test_repair_puts_a_number_right_or_takes_out_what_was_altered_and_names_it(path: Path, table: str) -> None:
    # Where the last column points to another row, that is missed first.
    column = {"evidence": "n"}.get(table) or row_seals.COLUMNS[table][-1]
    old = alter(path, table, column)
    done = edgemem.repair(path)
    assert done.left == ()
    told = done.done if table == "user" or isinstance(old, int) else done.lost
    assert any(line.startswith(f"{table} ") for line in told), (done.done, done.lost)
    with opened(path, words_only=True) as file:
        assert file.check() == []
        assert file.users() == ["me"]


def test_repair_takes_from_a_backup_only_what_has_not_changed_since(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.set_state("trip", "city", "Porto")
        mem.set_state("trip", "step", 1)
        file.backup()
        mem.set_state("trip", "step", 2)
    alter(store_path, "state", "updated_at", "field = 'city'")
    alter(store_path, "state", "updated_at", "field = 'step'")
    done = edgemem.repair(store_path)
    assert any("state" in line and "from a backup" in line for line in done.done)
    assert [line for line in done.lost if "step" in line]
    with opened(store_path, words_only=True) as file:
        assert {f.field: f.value for f in file.user("me").state_fields()} == {"city": "Porto"}


def test_a_name_that_was_altered_is_not_somebody_new(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("Ida").add("I keep bees")
    alter(store_path, "user", "name")
    with opened(store_path, words_only=True) as file, pytest.raises(StoreCorrupt, match="people"):
        file.user("Ida")


def test_a_new_person_does_not_make_all_others_be_looked_at_again(store_path: Path) -> None:
    """Once each, in one open file: else the time for a new one grows with all there are."""
    with opened(store_path, words_only=True) as file:
        for n in range(20):
            file.user(f"person {n}")
    with opened(store_path, words_only=True) as file:
        looked: list[object] = []

        def looking(*row: object) -> int:
            looked.append(row[2])
            return 1

        file.engine.raw().create_function("edgemem_whole", -1, looking, deterministic=True)
        for n in range(5):
            file.user(f"another {n}")
        assert len([key for key in looked if key is not None]) <= 20 + 2 * 5


def test_a_copied_row_keeps_the_seal_it_has(store_path: Path) -> None:
    """A repair carries rows into a fresh file: an altered one must not get a seal of its own there."""
    with opened(store_path, words_only=True) as file:
        file.user("me").set_state("trip", "city", "Porto")
        with file.engine.write() as tx:
            tx.execute(
                "INSERT INTO state SELECT user_id, task_id, 'other', value, version, updated_at, seal FROM state"
            )
        assert [p.area for p in file.check()] == ["rows"]


def test_rows_that_any_statement_writes_are_sealed(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.set_state("trip", "city", "Porto")
        with file.engine.write() as tx:
            tx.execute("UPDATE state SET value = '1'")
            tx.execute(
                "INSERT INTO entity(user_id, uid, name, kind, created_at) VALUES (1, 'u', 'Mia', 'person', ?)",
                (file.now(),),
            )
            tx.execute("UPDATE user SET created_at = ?", (file.now(),))
        assert file.check() == []
        assert mem.state["trip"]["city"] == 1


def test_a_write_that_is_taken_back_leaves_the_seals_at_work(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        with contextlib.suppress(ZeroDivisionError), file.engine.write() as tx:
            tx.execute("UPDATE user SET created_at = created_at")
            raise ZeroDivisionError
        mem.set_profile("name", "Ida")
        assert file.check() == []
        assert [f.value for f in mem.profile()] == ["Ida"]


def test_a_column_that_lost_its_name_is_damage(store_path: Path) -> None:
    """A flipped bit in the text of the schema: the table reads well, and has no column of that name."""
    with opened(store_path, words_only=True) as file:
        uid = file.user("me").add("I keep bees")
    data = store_path.read_bytes()
    assert data.count(b"\n  polarity INTEGER") == 1
    store_path.write_bytes(data.replace(b"\n  polarity INTEGER", b"\n  polarisy INTEGER"))
    with opened(store_path, words_only=True) as file:
        with pytest.raises(StoreCorrupt, match="damaged"):
            file.user("me").list()
        assert file.check()
    assert edgemem.repair(store_path).left == ()
    with opened(store_path, words_only=True) as file:
        assert file.user("me").get(uid).content == "I keep bees"


def test_the_notes_of_the_file_may_be_gone(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        uid = file.user("me").add("I keep bees")
    with contextlib.closing(plain_connection(store_path)) as connection:
        connection.execute("DELETE FROM meta")
    with opened(store_path, words_only=True) as file:
        assert file.user("me").get(uid).content == "I keep bees"
        assert {p.area for p in file.check()} == {"rows"}
    assert edgemem.repair(store_path).left == ()
    with opened(store_path, words_only=True) as file:
        assert {"file_id", "created_at"} <= set(file.info())
        assert file.backup().path.exists()


def test_the_messages_of_a_lost_conversation_are_checked_all_the_same(store_path: Path) -> None:
    """The seal of a message needs nothing but its own row."""
    with opened(store_path, words_only=True) as file:
        file.user("me").log(said("I keep bees", "I keep goats", "I keep hens", session="farm"))
    with contextlib.closing(plain_connection(store_path)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("DELETE FROM session")
        connection.execute("UPDATE turn SET said_at = '202v-x' || substr(said_at, 5) WHERE content LIKE '%goats'")
        connection.execute("UPDATE turn SET content = 'I keep wrens' WHERE content LIKE '%hens'")
    done = edgemem.repair(store_path)
    assert done.left == ()
    assert len([line for line in done.lost if "goats" in line or "wrens" in line]) == 2
    assert any("session recovered-1 has its entry under a new name" in line for line in done.done)
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        assert [t.content for s in mem.sessions(limit=0) for t in mem.turns(s.id)] == ["I keep bees"]
