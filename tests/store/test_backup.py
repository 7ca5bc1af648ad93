"""Backups: whole while others write, checked, kept a few deep, and put back without losing anything."""

from __future__ import annotations

import functools
import logging
import subprocess
from pathlib import Path

import pytest

import edgemem
from edgemem.errors import NotAStore, StoreBusy, StoreCorrupt, StoreError, StoreReadOnly
from edgemem.memory import MemoryFile
from edgemem.settings import Settings
from edgemem.store import backup
from tests.helpers import NOW, SetClock, child, files, opened, plain_connection, python, said, wait_until


def contents(path: Path) -> set[str]:
    with opened(path, read_only=True) as file:
        assert file.check() == []
        return {m.content for m in file.user("me").list(limit=0, status="any")}


def damage(path: Path) -> None:
    db = plain_connection(path)
    db.execute("UPDATE memory SET content = 'I keep wasps'")
    db.close()


def test_a_backup_holds_what_the_file_holds_and_is_one_file(store_path: Path, tmp_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        mem.add("I keep bees")
        mem.log(said("I keep bees"))
        made = file.backup(tmp_path / "copy.edgemem")
        mem.add("later")
        assert made.bytes == made.path.stat().st_size
    assert contents(made.path) == {"I keep bees"}
    assert made.path.stat().st_mode == store_path.stat().st_mode
    assert files(tmp_path) == ["copy.edgemem", store_path.name]


_WRITES = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    with opened(Path(sys.argv[1]), words_only=True) as file:
        mem = file.user("me")
        print("ready", flush=True)
        for n in range(100_000):
            # Two that belong together: a copy has both or neither.
            with file.engine.write():
                mem.add(f"left {n}")
                mem.add(f"right {n}")
"""


def _holds_more_than(file: MemoryFile, rows: int) -> bool:
    return len(file.user("me").list(limit=0)) > rows


def test_a_backup_made_while_another_process_writes_is_of_one_moment(store_path: Path, tmp_path: Path) -> None:
    with child(_WRITES, store_path) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        with opened(store_path, words_only=True) as file:
            for n in range(5):
                wait_until(functools.partial(_holds_more_than, file, 40 * n))
                file.backup(tmp_path / f"{n}.edgemem")
        assert writer.poll() is None
    sizes = []
    for n in range(5):
        found = contents(tmp_path / f"{n}.edgemem")
        assert {c.removeprefix("left ") for c in found if c.startswith("left")} == {
            c.removeprefix("right ") for c in found if c.startswith("right")
        }
        sizes.append(len(found))
    assert sizes == sorted(sizes)
    assert sizes[-1] > 80


def test_a_taken_name_and_a_missing_folder_are_refused(store_path: Path, tmp_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
        with pytest.raises(StoreError, match="is there already"):
            file.backup(store_path)
        with pytest.raises(StoreReadOnly, match="cannot be written"):
            file.backup(tmp_path / "blocked" / "no" / "copy.edgemem")
        assert file.backup(tmp_path).path.parent == tmp_path
    assert contents(store_path) == {"I keep bees"}


def test_damage_is_not_copied_on(store_path: Path, tmp_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
    damage(store_path)
    with opened(store_path) as file, pytest.raises(StoreCorrupt, match="not in order") as raised:
        file.backup(tmp_path / "copy.edgemem")
    assert "--repair" in raised.value.hint
    assert files(tmp_path) == [store_path.name]


def test_a_full_disk_leaves_no_half_backup(store_path: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        with opened(store_path, words_only=True) as file:
            file.user("me").log(said(*["x" * 20_000] * 20))
            with pytest.raises(StoreError):
                file.backup(disk / "copy.edgemem")
            assert file.check() == []
        assert files(disk) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# Automatic ones

DAILY = Settings(background=False, backups=2, backup_days=1)


def _day(path: Path, clock: SetClock, *, words: str | None = None, settings: Settings = DAILY) -> list[str]:
    """One day later, somebody opens the file, perhaps adds something, and closes it. What backups hold, newest first."""
    clock.forward(days=1)
    with opened(path, clock=clock, settings=settings) as file:
        if words is not None:
            file.user("me").add(words)
    return [b.path.name for b in backup.listed(path)]


def test_automatic_backups_are_kept_a_few_deep(store_path: Path, clock: SetClock) -> None:
    with opened(store_path, clock=clock, settings=DAILY) as file:
        file.user("me").add("day 0")
    assert backup.listed(store_path) == []
    assert len(_day(store_path, clock, words="day 1")) == 1
    with opened(store_path, clock=clock) as file:
        by_hand = file.backup().path
    for n in range(2, 6):
        _day(store_path, clock, words=f"day {n}")
    kept = backup.listed(store_path)
    assert [b.automatic for b in kept] == [True, True, False]
    assert kept[-1].path == by_hand
    assert contents(kept[0].path) == {f"day {n}" for n in range(6)}
    assert contents(kept[1].path) == {f"day {n}" for n in range(5)}


def test_backups_of_one_second_stand_side_by_side_in_the_order_they_were_made(
    store_path: Path, clock: SetClock
) -> None:
    with opened(store_path, clock=clock) as file:
        made = [file.backup().path for _ in range(11)]
        assert len(set(made)) == 11
        assert [b.path for b in backup.listed(store_path)] == made[::-1]


def test_nothing_is_copied_when_nothing_changed_or_none_are_wanted(store_path: Path, clock: SetClock) -> None:
    opened(store_path, clock=clock, settings=DAILY).close()
    first = _day(store_path, clock)
    assert len(first) == 1
    assert _day(store_path, clock) == first
    assert len(_day(store_path, clock, words="more")) == 2
    assert len(_day(store_path, clock, words="even more", settings=Settings(background=False, backups=0))) == 2


def test_a_backup_that_cannot_be_made_is_told_and_keeps_the_good_ones(
    store_path: Path, clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(store_path, clock=clock, settings=DAILY) as file:
        file.user("me").add("I keep bees")
    good = _day(store_path, clock, words="still good")
    damage_one = "UPDATE memory SET content = 'I keep wasps' WHERE content = 'I keep bees'"
    db = plain_connection(store_path)
    db.execute(damage_one)
    db.close()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert _day(store_path, clock, words=None) == good
    assert "No automatic backup" in caplog.text


def test_the_worker_makes_one_in_a_program_that_never_closes(store_path: Path, clock: SetClock) -> None:
    with opened(store_path, clock=clock, settings=DAILY) as file:
        file.user("me").add("I keep bees")
        file.work_once()
        assert file.backups() == []
        clock.forward(days=2)
        file.work_once()
        assert [b.automatic for b in file.backups()] == [True]
        file.work_once()
        assert len(file.backups()) == 1


# Putting one back


def test_restore_keeps_what_was_there(store_path: Path, tmp_path: Path, clock: SetClock) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
        made = file.backup(tmp_path / "copy.edgemem").path
        file.user("me").add("later")
    aside = edgemem.restore(made, store_path, clock=clock).kept
    assert aside is not None
    assert aside is not None
    assert contents(store_path) == {"I keep bees"}
    assert contents(aside) == {"I keep bees", "later"}
    assert contents(made) == {"I keep bees"}
    again = edgemem.restore(aside, store_path, clock=clock).kept
    assert contents(store_path) == {"I keep bees", "later"}
    assert again is not None
    assert again != aside
    assert f"{NOW:%Y%m%d}" in aside.name


def test_restore_in_place_of_a_ruin_with_its_log(store_path: Path, tmp_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
        made = file.backup(tmp_path / "copy.edgemem").path
    log = store_path.with_name(f"{store_path.name}-wal")
    store_path.write_bytes(b"\xff" * 5000)
    log.write_bytes(b"an old log")
    aside = edgemem.restore(made, store_path).kept
    assert aside is not None
    assert contents(store_path) == {"I keep bees"}
    assert aside.read_bytes() == b"\xff" * 5000
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == b"an old log"


def test_restore_where_nothing_is(store_path: Path, tmp_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
    assert edgemem.restore(store_path, tmp_path / "new.edgemem").kept is None
    assert contents(tmp_path / "new.edgemem") == {"I keep bees"}


def test_a_bad_backup_changes_nothing(store_path: Path, tmp_path: Path) -> None:
    for name in ("mine", "bad"):
        with opened(tmp_path / name) as file:
            file.user("me").add("I keep bees")
    damage(tmp_path / "bad")
    (tmp_path / "text").write_text("no database" * 1000)
    before = (tmp_path / "mine").read_bytes()
    with pytest.raises(StoreCorrupt):
        edgemem.restore(tmp_path / "bad", tmp_path / "mine")
    with pytest.raises(NotAStore):
        edgemem.restore(tmp_path / "text", tmp_path / "mine")
    with pytest.raises(StoreError, match="no backup"):
        edgemem.restore(tmp_path / "missing", tmp_path / "mine")
    assert ((tmp_path / "mine").read_bytes() == before) is True
    assert files(tmp_path) == ["bad", "mine", "text"]


_HOLDS = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    with opened(Path(sys.argv[1])) as file:
        file.user("me").list()
        print("open", flush=True)
        sys.stdin.readline()
"""


def test_restore_is_refused_while_a_program_has_the_file_open(store_path: Path, tmp_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
        made = file.backup(tmp_path / "copy.edgemem").path
    with child(_HOLDS, store_path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(StoreBusy) as raised:
            edgemem.restore(made, store_path)
        assert "Close it first" in raised.value.hint
        holder.communicate("\n", timeout=60)
    edgemem.restore(made, store_path)
    assert contents(store_path) == {"I keep bees"}


def test_a_crash_between_the_steps_of_restore_loses_nothing(store_path: Path, tmp_path: Path) -> None:
    """The process dies at each step that touches a name: one of the two files stands, and nothing of either is gone."""
    with opened(store_path) as file:
        file.user("me").add("I keep bees")
        made = file.backup(tmp_path / "copy.edgemem").path
        file.user("me").add("later")
    code = """if 1:
        import os, sys
        from pathlib import Path
        import edgemem
        left = int(sys.argv[3])
        def dying(call):
            def step(*args, **kwargs):
                global left
                left -= 1
                if left < 0: os._exit(9)
                return call(*args, **kwargs)
            return step
        for name in ("link", "rename", "replace", "fsync"):
            setattr(os, name, dying(getattr(os, name)))
        edgemem.restore(sys.argv[1], Path(sys.argv[2]))
    """
    codes = []
    for n in range(10):
        codes.append(python(code, made, store_path, n, expect=None).returncode)
        assert contents(store_path) in ({"I keep bees"}, {"I keep bees", "later"})
        if codes[-1] == 0:
            break
    assert codes[0] == 9
    assert codes[-1] == 0
    assert contents(store_path) == {"I keep bees"}
    asides = [p for p in tmp_path.iterdir() if "before-restore" in p.name]
    assert any(contents(p) == {"I keep bees", "later"} for p in asides)
