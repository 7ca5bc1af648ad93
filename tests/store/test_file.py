"""The file: what it is, what is refused, what survives."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import edgemem
from edgemem.errors import NewerStore, NotAStore, StoreBusy, StoreClosed, StoreError, StoreReadOnly
from edgemem.memory import MemoryFile
from edgemem.settings import Settings
from edgemem.store import schema
from tests.helpers import QUIET, child, files, opened, plain_connection, python

AS_ROOT = os.geteuid() == 0
NOBODY = 65534


def test_a_new_file_names_itself_and_its_schema(store_path: Path) -> None:
    opened(store_path).close()
    db = plain_connection(store_path)
    assert db.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID
    assert db.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION
    assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    db.close()


def test_every_table_is_strict_and_every_persons_table_has_their_key(store: MemoryFile) -> None:
    with store.engine.read() as tx:
        tables = tx.execute(
            "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'"
            " AND name NOT LIKE '%_fts%'"
        ).fetchall()
        columns = {t[0]: {c[1] for c in tx.execute(f"PRAGMA table_info({t[0]})")} for t in tables}
    # sqlite-utils keeps its list of applied steps in a table of its own.
    assert [t[0] for t in tables if not t[1]] == ["_sqlite_migrations"]
    shared = {"meta", "user", "embedding_model", "_sqlite_migrations"}
    inside_another = {"summary_sentence", "summary_source", "evidence"}
    assert {t for t, names in columns.items() if "user_id" not in names} == shared | inside_another


def test_pragmas_that_keep_what_was_acknowledged(store: MemoryFile) -> None:
    with store.engine.read() as tx:
        values = {p: tx.execute(f"PRAGMA {p}").fetchone()[0] for p in ("foreign_keys", "synchronous", "secure_delete")}
        mapped = tx.execute("PRAGMA mmap_size").fetchone()
    assert values == {"foreign_keys": 1, "synchronous": 2, "secure_delete": 1}
    assert mapped is None or mapped[0] == 0


def test_a_row_of_a_missing_user_is_refused(store: MemoryFile) -> None:
    with pytest.raises(StoreError, match="erased in the meantime"), store.engine.write() as tx:
        tx.execute("INSERT INTO session(user_id, uid, started_at, last_at) VALUES (99, 'x', '', '')")


def test_opening_again_changes_nothing_of_the_schema(store_path: Path) -> None:
    with opened(store_path) as file:
        first = file.info()
    with opened(store_path) as file:
        second = file.info()
    assert first["file_id"] == second["file_id"]
    assert first["schema"] == second["schema"] == schema.VERSION


def test_two_processes_make_one_new_file_together(tmp_path: Path) -> None:
    code = """if 1:
        import sys, edgemem
        from edgemem.settings import Settings
        sys.stdin.readline()
        with edgemem.open(sys.argv[1], settings=Settings(background=False)) as file:
            file.user(sys.argv[2]); print(file.info()["file_id"])
    """
    for n in range(2):
        path = tmp_path / f"{n}.edgemem"
        with child(code, path, "a") as one, child(code, path, "b") as two:
            for process in (one, two):
                assert process.stdin is not None
                process.stdin.write("go\n")
                process.stdin.flush()
            outputs = [process.communicate(timeout=60)[0] for process in (one, two)]
            assert [one.returncode, two.returncode] == [0, 0]
        assert outputs[0] == outputs[1]
        with opened(path) as file:
            assert file.users() == ["a", "b"]
            assert file.check() == []


def test_the_fact_that_two_processes_add_at_once_is_there_once(store_path: Path) -> None:
    opened(store_path).close()
    code = """if 1:
        import sys, edgemem
        from edgemem.settings import Settings
        from edgemem.testing import WordsEmbedder
        with edgemem.open(sys.argv[1], embedder=WordsEmbedder(), settings=Settings(background=False)) as file:
            mem = file.user("me"); sys.stdin.readline()
            for n in range(25): mem.add(f"shared fact {n}"); mem.add(f"{sys.argv[2]} fact {n}")
    """
    with child(code, store_path, "a") as one, child(code, store_path, "b") as two:
        for process in (one, two):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [p.wait(60) for p in (one, two)] == [0, 0]
    with opened(store_path) as file:
        contents = [m.content for m in file.user("me").list(limit=0)]
        assert len(contents) == len(set(contents)) == 75
        assert file.check() == []


# Files that are not ours


def _foreign(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs (x)")
    db.commit()
    db.close()


def _newer(path: Path) -> None:
    opened(path).close()
    db = plain_connection(path)
    db.execute(f"PRAGMA user_version={schema.VERSION + 1}")
    db.close()


def _text(path: Path) -> None:
    path.write_text("shopping list: " + "milk, " * 2000, encoding="utf-8")


def _short(path: Path) -> None:
    path.write_bytes(b"hello")


def _cut_header(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + bytes(40))


@pytest.mark.parametrize(
    ("make", "error"),
    [(_foreign, NotAStore), (_text, NotAStore), (_short, NotAStore), (_cut_header, NotAStore), (_newer, NewerStore)],
)
def test_a_file_that_is_not_ours_is_refused_and_left_as_it_was(
    tmp_path: Path, make: Callable[[Path], None], error: type[StoreError]
) -> None:
    path = tmp_path / "theirs.db"
    make(path)
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(error) as raised:
            opened(path, read_only=read_only)
        assert str(path) in str(raised.value)
        assert raised.value.hint
    assert path.read_bytes() == before
    assert files(tmp_path) == ["theirs.db"]


def test_a_folder_and_a_missing_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        opened(tmp_path)
    with pytest.raises(StoreError, match="does not exist"):
        opened(tmp_path / "no" / "me.edgemem")
    with pytest.raises(StoreError, match="no file"):
        opened(tmp_path / "me.edgemem", read_only=True)
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", ["a b.edgemem", "50%#?.edgemem", "记忆.edgemem", "x'y\";--.edgemem"])
def test_names_with_meaning_for_a_uri_are_only_names(tmp_path: Path, name: str) -> None:
    with opened(tmp_path / name) as file:
        file.user("me").add("a fact")
    assert files(tmp_path) == [name]


# Reading only


def test_read_only_reads_and_refuses_to_write(store_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
    before = store_path.read_bytes()
    with opened(store_path, read_only=True) as file:
        assert [h.content for h in file.user("me").recall("bees")] == ["I keep bees"]
        assert file.user("stranger").list() == []
        with pytest.raises(StoreReadOnly):
            file.user("me").add("more")
    assert store_path.read_bytes() == before


_AS_NOBODY = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    from edgemem.errors import EdgememError
    path, read_only = Path(sys.argv[1]), sys.argv[2] == "ro"
    try:
        with opened(path, read_only=read_only) as file:
            print("read", [m.content for m in file.user("me").list()])
            if not read_only:
                file.user("me").add("more")
            print("wrote")
    except EdgememError as error:
        print(type(error).__name__, error.exit_code, bool(error.hint), error)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder others may enter: pytest closes its own to them, again whenever another run begins."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(not AS_ROOT, reason="only root can become somebody without rights")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_without_rights_to_write_reading_works_and_writing_says_why(open_folder: Path, what: str) -> None:
    store_path = open_folder / "me.edgemem"
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
    store_path.chmod(0o644)
    if what == "file":
        store_path.parent.chmod(0o777)
    before = store_path.read_bytes()
    written = python(_AS_NOBODY, store_path, "rw", uid=NOBODY).stdout
    assert "StoreReadOnly 1 True" in written
    assert "wrote" not in written
    assert "cannot be written" in written
    assert python(_AS_NOBODY, store_path, "ro", uid=NOBODY).stdout.splitlines() == ["read ['I keep bees']", "wrote"]
    assert store_path.read_bytes() == before


_NO_ROOM_AT_CLOSE = """if 1:
    import resource, sys
    from pathlib import Path
    from tests.helpers import opened
    file = opened(Path(sys.argv[1]), words_only=True)
    mem = file.user("me")
    for n in range(200):
        mem.add(f"thing number {n}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
    file.close()
"""


@pytest.mark.skipif(os.name == "nt", reason="no limit of the size of files")
def test_a_log_that_cannot_be_folded_at_the_end_is_told_and_read_by_the_next(store_path: Path) -> None:
    done = python(_NO_ROOM_AT_CLOSE, store_path)
    assert f"{store_path.name}-wal, could not be folded into it" in done.stderr
    assert store_path.with_name(f"{store_path.name}-wal").exists()
    with opened(store_path, words_only=True) as file:
        assert len(file.user("me").list(limit=0)) == 200
        assert file.check() == []
    assert not store_path.with_name(f"{store_path.name}-wal").exists()


# Other processes

_HOLD = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    with opened(Path(sys.argv[1])) as file:
        with file.engine.write() as tx:
            tx.execute("UPDATE user SET name = name")
            print("held", flush=True)
            sys.stdin.readline()
"""


def test_a_held_file_can_be_read_and_is_busy_for_writers(store_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
    with child(_HOLD, store_path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with opened(store_path, settings=Settings(background=False, busy_timeout=0.3)) as file:
            mem = file.user("me")
            assert [h.content for h in mem.recall("bees")] == ["I keep bees"]
            with pytest.raises(StoreBusy) as raised:
                mem.add("more")
            assert raised.value.exit_code == 3
            holder.communicate("\n", timeout=60)
            mem.add("more")
            assert len(mem.list()) == 2
    assert files(store_path.parent) == [store_path.name]


def test_closing_does_not_wait_for_whoever_holds_the_file(store_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
    with child(_HOLD, store_path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        start = time.monotonic()
        with opened(store_path, settings=Settings(background=False, busy_timeout=120)) as file:
            assert file.user("me").recall("bees").hits
        assert time.monotonic() - start < 60
        assert holder.poll() is None


def test_after_close_there_is_exactly_one_file(store_path: Path) -> None:
    with opened(store_path) as one, opened(store_path) as two:
        one.user("me").add("from one")
        two.user("me").add("from two")
        assert len(one.user("me").list()) == 2
        assert len(files(store_path.parent)) > 1
    assert files(store_path.parent) == [store_path.name]


def test_use_after_close_is_named_and_close_twice_is_fine(store_path: Path) -> None:
    file = opened(store_path)
    mem = file.user("me")
    file.close()
    file.close()
    with pytest.raises(StoreClosed):
        mem.add("late")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_is_told_to_open_the_file_anew(store_path: Path) -> None:
    code = """if 1:
        import os, sys
        from pathlib import Path
        from tests.helpers import opened
        from edgemem.errors import StoreClosed
        file = opened(Path(sys.argv[1]))
        mem = file.user("me")
        child = os.fork()
        if child == 0:
            try:
                mem.add("from the child")
            except StoreClosed:
                file.close()
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        mem.add("from the parent")
        file.close()
    """
    python(code, store_path)
    with opened(store_path) as file:
        assert [m.content for m in file.user("me").list()] == ["from the parent"]
        assert file.check() == []


def test_defaults_of_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with edgemem.open(settings=QUIET) as file:
        assert file.path.name == "me.edgemem"
        assert tmp_path in file.path.parents


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_a_new_file_is_its_owners_alone_and_an_old_one_keeps_its_rights(store_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
        rights = {p.name: p.stat().st_mode & 0o777 for p in store_path.parent.iterdir() if p.is_file()}
    assert len(rights) > 1, "the side files too"
    assert set(rights.values()) == {0o600}
    store_path.chmod(0o640)
    with opened(store_path) as file:
        file.user("me").add("I keep ducks")
    assert store_path.stat().st_mode & 0o777 == 0o640
