"""An upgrade that ends anywhere, by a kill or for want of room, leaves a file of the old schema or of the new one, whole."""

from __future__ import annotations

import contextlib
import gzip
from pathlib import Path
from typing import Any

import pytest

from edgemem.store import migrations, schema
from edgemem.testing import WordsEmbedder
from tests.helpers import files, opened, plain_connection, python

from .test_upgrade import DATA

FIXTURES = sorted(path.name for path in DATA.glob("schema-*.edgemem.gz"))

KILLED = """if 1:
    import functools, os, signal, sys
    from pathlib import Path
    from edgemem.store import migrations
    from edgemem.store.engine import Engine
    from tests.helpers import opened
    path, place = Path(sys.argv[1]), int(sys.argv[2])
    def die():
        os.kill(os.getpid(), signal.SIGKILL)
    def dying(step, before):
        @functools.wraps(step)
        def taken(tx, now):
            if before:
                die()
            tx.execute("PRAGMA cache_size=2")  # so that what is not durable is written out all the same
            step(tx, now)
            die()
        return taken
    steps = migrations.STEPS
    if place < len(steps):
        migrations.STEPS = (*steps[:place], dying(steps[place], place % 2), *steps[place + 1 :])
    elif place == len(steps):  # when all steps are done, before they are durable
        take = migrations._take_steps
        migrations._take_steps = lambda tx, now: (take(tx, now), die())
    else:  # durable, before the log is folded
        Engine.close = lambda self: die()
    opened(path, words_only=True).close()
    """

LIMITED = """if 1:
    import resource, signal, sys
    from pathlib import Path
    from edgemem.errors import EdgememError
    from tests.helpers import opened
    import sqlite_utils.migrations
    path = Path(sys.argv[1])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    try:
        opened(path, words_only=True).close()
    except EdgememError as error:
        print(type(error).__name__, error.hint)
    """


def _rows(path: Path) -> dict[str, list[Any]]:
    """What people said and know, whatever the schema."""
    with contextlib.closing(plain_connection(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        queries = {t: f"SELECT * FROM {t} ORDER BY 1" for t in ("user", "task", "state", "profile")}
        columns = {"turn": "id, uid, content", "memory": "id, uid, content, status", "history": "seq, uid, payload"}
        queries |= {t: f"SELECT {c} FROM {t} ORDER BY 1" for t, c in columns.items()}
        rows = {t: [tuple(r) for r in db.execute(q)] for t, q in queries.items()}
        # Later schemas put a seal at the end of some.
        return {t: [r[:3] for r in found] for t, found in rows.items()}


def _unpack(name: str, path: Path) -> tuple[dict[str, list[Any]], int]:
    path.write_bytes(gzip.decompress((DATA / name).read_bytes()))
    with contextlib.closing(plain_connection(path)) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
    return _rows(path), version


@pytest.mark.parametrize("name", FIXTURES)
def test_killed_between_any_two_steps_it_is_upgraded_the_next_time(store_path: Path, name: str) -> None:
    before, version = _unpack(name, store_path)
    places = range(version, len(migrations.STEPS) + 2)
    # Every step of the oldest, which takes them all; of the others the ends.
    for place in places if version == 1 else places[-2:]:
        python(KILLED, store_path, place, expect=-9)
        with contextlib.closing(plain_connection(store_path)) as db:
            now = db.execute("PRAGMA user_version").fetchone()[0]
        assert now == (schema.VERSION if place > len(migrations.STEPS) else version)
        assert _rows(store_path) == before
    with opened(store_path, embedder=WordsEmbedder(16, "words-16")) as file:
        assert file.check() == []
    assert _rows(store_path) == before
    assert files(store_path.parent) == [store_path.name]


@pytest.mark.parametrize("more", [-20_000, 0, 8_192, 40_000, 120_000])
@pytest.mark.parametrize("name", [FIXTURES[0], "schema-6.edgemem.gz", "schema-9.edgemem.gz"])
def test_without_room_for_it_the_old_file_stays(store_path: Path, name: str, more: int) -> None:
    before, version = _unpack(name, store_path)
    told = python(LIMITED, store_path, store_path.stat().st_size + more).stdout
    with contextlib.closing(plain_connection(store_path)) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == (version if told else schema.VERSION)
    assert not told or told.startswith("StoreFull ")
    assert _rows(store_path) == before
    with opened(store_path, words_only=True) as file:
        assert file.check() == []
    assert _rows(store_path) == before
