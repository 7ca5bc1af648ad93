"""check and repair: what is found, what is put right and from where, and that nothing deleted comes back."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edgemem
from edgemem.errors import NewerStore, NotAStore, StoreBusy
from edgemem.store import pages
from tests.helpers import child, files, opened, plain_connection, said

Life = dict[str, Any]


def live(path: Path) -> Life:
    """Everything people can read in a file."""
    with opened(path) as file:
        return {
            name: {
                "memories": {
                    m.id: (m.content, m.status, m.version) for m in file.user(name).list(limit=0, status="any")
                },
                "turns": [
                    (t.session, t.id, t.content)
                    for s in file.user(name).sessions()
                    for t in file.user(name).turns(s.id)
                ],
                "state": [(f.task, f.field, f.value) for f in file.user(name).state_fields()],
                "history": [(c.id, c.action) for c in file.user(name).history(limit=0)],
            }
            for name in file.users()
        }


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Life]:
    """A file of two people with all that a life leaves, of some three hundred pages."""
    path = tmp_path_factory.mktemp("original") / "me.edgemem"
    with opened(path) as file:
        for name in ("me", "you"):
            mem = file.user(name)
            with file.engine.write():
                ids = [mem.add(f"{name} fact {n} 蜜蜂 {'word ' * n}") for n in range(40)]
                mem.log(
                    said(*[f"{name} said {n} {'long ' * (n % 7 == 0) * 1500}" for n in range(60)], session=f"{name}-s")
                )
            mem.edit(ids[0], f"{name} fact zero, in other words")
            mem.forget(ids[1])
            mem.undo(mem.forget(ids[2]))
            mem.pin(ids[3])
            mem.set_state("task", "step", {"n": 1})
        assert file.check() == []
    return path, live(path)


@pytest.fixture
def lived(original: tuple[Path, Life], store_path: Path) -> Path:
    shutil.copy(original[0], store_path)
    return store_path


def sql(path: Path, *statements: str) -> None:
    db = plain_connection(path)
    for statement in statements:
        db.execute(statement)
    db.close()


def areas(path: Path) -> set[str]:
    with opened(path) as file:
        return {p.area for p in file.check()}


def digest(path: Path) -> str:
    """Of all but the header, in which a file that is closed for good has other flags than one in use."""
    return hashlib.sha256(path.read_bytes()[100:]).hexdigest()


ONE = "8"
"""The key of the memory whose words are ``me fact 7``."""


@pytest.mark.parametrize(
    ("statement", "area"),
    [
        (f"UPDATE memory SET content = 'wrong' WHERE id = {ONE}", "rows"),
        (f"UPDATE memory SET status = 'forgotten' WHERE id = {ONE}", "rows"),
        (f"UPDATE memory SET row_hash = x'00' WHERE id = {ONE}", "rows"),
        (f"UPDATE memory SET content_hash = x'00' WHERE id = {ONE}", "rows"),
        (f"UPDATE memory SET content = CAST(x'fffe' AS TEXT) WHERE id = {ONE}", "integrity"),
        (f"DELETE FROM memory WHERE id = {ONE}", "history"),
        ("INSERT INTO memory_fts(memory_fts) VALUES ('delete-all')", "fulltext"),
        ("UPDATE memory_fts_data SET block = x'0000' WHERE id > 10", "integrity"),
        (
            f"INSERT INTO memory_fts(rowid, scope, body) SELECT id, 'u1u', 'another word' FROM memory WHERE id = {ONE}",
            "fulltext",
        ),
        ("UPDATE vector SET v = x'0000' WHERE id = 3", "vectors"),
        ("UPDATE vector SET v = zeroblob(length(v)) WHERE id = 3", "vectors"),
        ("UPDATE vector SET owner_id = 9999 WHERE id = 3", "vectors"),
        ("UPDATE history SET hash = x'00' WHERE seq = 10", "history"),
        ("PRAGMA application_id = 7", "integrity"),
        ("PRAGMA user_version = 1000", "integrity"),
    ],
)
def test_what_can_be_put_right_is(original: tuple[Path, Life], lived: Path, statement: str, area: str) -> None:
    sql(lived, "PRAGMA foreign_keys=OFF", statement)
    before = digest(lived)
    done = edgemem.repair(lived)
    assert area in {p.area for p in done.found}
    assert (done.lost, done.left) == ((), ())
    assert done.kept is not None
    assert digest(done.kept) == before
    assert live(lived) == original[1]
    with opened(lived) as file:
        assert file.check() == []
        assert [h.content.split(" 蜜蜂")[0] for h in file.user("me").recall("me fact 7", arms=["text"]).hits]
    assert edgemem.repair(lived).kept is None
    assert files(lived.parent) == sorted([lived.name, done.kept.name])


def test_a_file_in_order_is_left_alone(lived: Path) -> None:
    before = digest(lived)
    done = edgemem.repair(lived)
    assert (done.kept, done.found, done.done) == (None, (), ())
    assert digest(lived) == before


def test_vectors_that_went_are_made_anew(lived: Path) -> None:
    sql(lived, "UPDATE vector SET v = zeroblob(length(v))")
    with opened(lived) as file:
        whole = file.user("me").counts()["vector"]
    assert any("made anew" in line for line in edgemem.repair(lived).done)
    with opened(lived) as file:
        mem = file.user("me")
        assert mem.counts()["vector"] == 0
        mem.add("one more")
        mem.log(said("one more", session="t"))
        # Two more than there were, without the one that was forgotten and needs none.
        assert mem.counts()["vector"] == whole + 2 - 1


def test_wrong_words_without_a_second_source_are_taken_out_and_told(lived: Path) -> None:
    sql(lived, "UPDATE turn SET content = 'I never said this' WHERE content LIKE 'me said 5 %'")
    sql(lived, f"UPDATE memory SET content = 'nor this' WHERE id = {ONE}")
    sql(lived, f"UPDATE history SET payload = '{{}}' WHERE memory_uid = (SELECT uid FROM memory WHERE id = {ONE})")
    done = edgemem.repair(lived)
    assert done.left == ()
    assert len(done.lost) == 3
    assert any("I never said this" in line for line in done.lost)
    assert any("nor this" in line for line in done.lost)
    assert "never said" not in str(live(lived))
    assert "nor this" not in str(live(lived))


def test_backups_give_back_turns_and_changes(original: tuple[Path, Life], lived: Path) -> None:
    with opened(lived) as file:
        file.backup()
    sql(lived, "UPDATE turn SET content = 'I never said this' WHERE content LIKE 'me said 5 %'")
    sql(lived, "UPDATE history SET payload = '{}' WHERE seq = 5", "UPDATE history SET action = 'x' WHERE seq = 7")
    done = edgemem.repair(lived)
    assert (done.lost, done.left) == ((), ())
    assert sum("from a backup" in line for line in done.done) == 3
    assert live(lived) == original[1]


def test_a_backup_of_another_file_gives_nothing(lived: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "other.edgemem") as other:
        other.user("me").log(said("somebody else's words"))
        (tmp_path / f"{lived.name}-backups").mkdir()
        other.backup(tmp_path / f"{lived.name}-backups" / "me-20260101T000000Z.edgemem")
    sql(lived, "UPDATE turn SET content = 'I never said this' WHERE id = 1")
    assert edgemem.repair(lived).lost
    assert "somebody else" not in str(live(lived))


def test_what_was_erased_stays_so(lived: Path) -> None:
    """Erased: no row, and the history keeps that it was there but not what it said. A backup still has it."""
    with opened(lived) as file:
        file.backup()
        uid = next(m.id for m in file.user("me").list(limit=0) if m.content.startswith("me fact 7 "))
    sql(lived, "PRAGMA foreign_keys=OFF",
        f"UPDATE history SET payload = NULL, salt = NULL WHERE memory_uid = '{uid}'",
        f"DELETE FROM vector WHERE owner = 'memory' AND owner_id = {ONE}",
        f"DELETE FROM memory WHERE id = {ONE}",
        "DELETE FROM turn WHERE content LIKE 'me said 5 %'",
        "UPDATE history SET hash = x'00' WHERE seq = 10")  # fmt: skip
    edgemem.repair(lived)
    assert "me fact 7 " not in str(live(lived))
    assert "me said 5 " not in str(live(lived))
    assert uid not in live(lived)["me"]["memories"]


@pytest.mark.parametrize("column", ["payload", "digest"])
def test_one_flipped_bit_of_a_change_is_put_right_without_a_backup(lived: Path, column: str) -> None:
    before = live(lived)
    db = plain_connection(lived)
    (value,) = db.execute(f"SELECT {column} FROM history WHERE seq = 7").fetchone()
    raw = bytearray(value.encode() if column == "payload" else value)
    raw[12] ^= 1
    db.execute(f"UPDATE history SET {column} = ? WHERE seq = 7", (raw.decode() if column == "payload" else bytes(raw),))
    db.close()
    done = edgemem.repair(lived)
    assert (done.lost, done.left) == ((), ())
    assert any("what was written again: one bit" in line for line in done.done)
    assert live(lived) == before


@pytest.mark.parametrize("change", ["first", "second", "last"])
@pytest.mark.parametrize("to", ["you", "they"])
def test_a_change_that_went_to_somebody_else_does_not_take_the_memory_along(
    store_path: Path, change: str, to: str
) -> None:
    """The first change of all follows nothing, so it fits as the first of anybody."""
    with opened(store_path, words_only=True) as file:
        for name in ("me", "you", "they"):
            mem = file.user(name)
            mem.pin(mem.add(f"{name} keeps bees"))
            mem.add(f"{name} keeps goats")
    before = live(store_path)
    seq = {"first": 1, "second": 2, "last": 3}[change]
    sql(
        store_path,
        "PRAGMA foreign_keys=OFF",
        f"UPDATE history SET user_id = {2 if to == 'you' else 3} WHERE seq = {seq}",
    )
    done = edgemem.repair(store_path)
    assert [p for p in done.found if p.area == "history"]
    assert (done.lost, done.left) == ((), ())
    assert live(store_path) == before


def test_with_changes_missing_a_memory_comes_back_for_review_only(lived: Path) -> None:
    """The last change that is left says live; the one that forgot it may be among those that are gone."""
    with opened(lived) as file:
        mem = file.user("you")
        uid = mem.add("the last one")
        mem.forget(uid)
    sql(lived, "DELETE FROM history WHERE seq = (SELECT max(seq) FROM history)",
        f"DELETE FROM vector WHERE owner = 'memory' AND owner_id = (SELECT id FROM memory WHERE uid = '{uid}')",
        f"DELETE FROM memory WHERE uid = '{uid}'")  # fmt: skip
    done = edgemem.repair(lived)
    assert done.left == ()
    with opened(lived) as file:
        assert file.user("you").get(uid).status == "review"
        assert file.user("you").recall("the last one", arms=["text"]).abstained


# Damaged pages


def page_of(path: Path, name: str) -> int:
    db = plain_connection(path)
    number: int = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
    db.close()
    return number


def overwrite(path: Path, page: int, *, start: int = 0, length: int = 4096) -> None:
    with path.open("r+b") as raw:
        raw.seek((page - 1) * 4096 + start)
        raw.write(b"\xa5" * length)


def _header(path: Path) -> None:
    overwrite(path, 1, length=100)


def _first_page(path: Path) -> None:
    overwrite(path, 1)


def _root_of(name: str) -> Callable[[Path], None]:
    return lambda path: overwrite(path, page_of(path, name))


def _schema_text(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE memory", b"CREATE TA\xff\xfeE memory"))


def _several(path: Path) -> None:
    for page in range(20, path.stat().st_size // 4096, 17):
        overwrite(path, page)


def _cut(path: Path) -> None:
    with path.open("r+b") as raw:
        raw.truncate(path.stat().st_size * 2 // 3 + 1000)


@pytest.mark.parametrize(
    ("damage", "all_memories"),
    [
        (_header, True), (_first_page, True), (_schema_text, True), (_root_of("memory"), True), (_root_of("turn"), True),
        (_root_of("history"), True), (_root_of("user"), True), (_root_of("session"), True), (_root_of("memory_once"), True),
        (_root_of("memory_fts_data"), True), (_root_of("meta"), True), (_root_of("state"), True), (_several, False),
        (_cut, False),
    ],
)  # fmt: skip
def test_damaged_pages(
    original: tuple[Path, Life], lived: Path, damage: Callable[[Path], None], all_memories: bool
) -> None:
    damage(lived)
    before = digest(lived)
    done = edgemem.repair(lived)
    assert done.kept is not None
    assert digest(done.kept) == before
    assert done.left == ()
    after = live(lived)
    names = {"me": "me", "you": "you", "recovered-1": "me", "recovered-2": "you"}
    for name, life in after.items():
        whole = original[1][names[name]]
        for uid, (content, status, version) in life["memories"].items():
            assert content == whole["memories"][uid][0]
            assert status in {whole["memories"][uid][1], "review"}
            assert version >= whole["memories"][uid][2]
        assert {c for _, _, c in life["turns"]} <= {c for _, _, c in whole["turns"]}
        if all_memories:
            assert len(life["memories"]) == len(whole["memories"])
            assert len(life["turns"]) == len(whole["turns"])
    assert after
    with opened(lived) as file:
        mem = file.user(next(iter(after)))
        mem.add("life goes on")
        assert mem.recall("life goes on", arms=["text"]).hits
        assert file.check() == []


def test_the_rows_of_bare_pages_are_those_of_sql(lived: Path) -> None:
    db = plain_connection(lived)
    wanted = {tuple(row) for row in db.execute("SELECT id, content FROM memory")}
    wanted_turns = {tuple(row) for row in db.execute("SELECT id, content FROM turn")}
    db.close()
    found = [r for r in pages.records(lived.read_bytes()) if r.rowid is not None]
    assert {(r.rowid, r.values[6]) for r in found if len(r.values) == 33} == wanted
    assert {(r.rowid, r.values[7]) for r in found if len(r.values) == 12 and r.values[11] in (0, 1, 2)} == wanted_turns
    assert max(len(str(c)) for _, c in wanted_turns) > 7000


# Files that repair must not touch


def test_a_file_with_nothing_of_ours_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("shopping list: " + "milk, " * 2000)
    before = digest(path)
    with pytest.raises(NotAStore, match="Nothing of edgemem's"):
        edgemem.repair(path)
    assert digest(path) == before
    assert files(tmp_path) == ["notes.txt"]


def test_a_newer_file_is_refused(lived: Path) -> None:
    sql(lived, "PRAGMA user_version=99", "INSERT INTO _sqlite_migrations VALUES (99, 'edgemem', 'm099_later', '2030')")
    before = digest(lived)
    with pytest.raises(NewerStore):
        edgemem.repair(lived)
    assert digest(lived) == before


_HOLDS = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    with opened(Path(sys.argv[1])) as file:
        file.user("me").list()
        print("open", flush=True)
        sys.stdin.readline()
"""


def test_a_file_in_use_is_refused(lived: Path) -> None:
    sql(lived, "INSERT INTO memory_fts(memory_fts) VALUES ('delete-all')")
    with child(_HOLDS, lived) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(StoreBusy):
            edgemem.repair(lived)
        holder.communicate("\n", timeout=60)
    assert edgemem.repair(lived).left == ()
