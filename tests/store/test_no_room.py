"""A full disk, and a limit on the size of files: said as what it is, nothing is lost, and nothing half made is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem import memory
from edgemem.errors import StoreFull
from edgemem.store.engine import Engine
from tests.helpers import files, opened, python

resource = pytest.importorskip("resource")

LIMITED = """if 1:
    import resource, sys
    from pathlib import Path
    from edgemem.errors import EdgememError
    from tests.helpers import opened
    path, limit = Path(sys.argv[1]), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    kept = 0
    try:
        with opened(path, words_only=True) as file:
            for n in range(1000):
                file.user("me").add(f"fact {n} " + "word " * 200)
                kept += 1
    except EdgememError as error:
        print(kept, type(error).__name__, error, error.hint)
"""


@pytest.mark.parametrize("limit", [0, 1000, 4096, 20_000, 100_000])
def test_a_new_file_that_cannot_be_made_leaves_nothing_in_the_way(store_path: Path, limit: int) -> None:
    """What there is of it is not deleted: another program may be making the file, and have it open."""
    told = python(LIMITED, store_path, limit).stdout
    assert told.startswith("0 StoreFull ")
    assert f"{limit:,} bytes at most" in told
    assert "ulimit" in told
    assert "check" not in told
    assert all(name.startswith(store_path.name) for name in files(store_path.parent))
    with opened(store_path, words_only=True) as file:
        assert file.is_new
        assert file.check() == []
        file.user("me").add("I keep bees")
    assert files(store_path.parent) == [store_path.name]


@pytest.mark.parametrize("more", [-5000, 40_000, 400_000])
def test_a_file_that_may_not_grow_keeps_what_was_acknowledged(store_path: Path, more: int) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("me").add("I keep bees")
    told = python(LIMITED, store_path, store_path.stat().st_size + more).stdout
    assert "StoreFull" in told
    assert "ulimit" in told
    with opened(store_path, words_only=True) as file:
        assert file.check() == []
        assert len(file.user("me").list(limit=0)) == 1 + int(told.split()[0])


KEPT = """if 1:
    import resource, sys
    from pathlib import Path
    from edgemem.errors import StoreFull
    from edgemem.testing import WordsEmbedder
    from tests.helpers import opened, said
    path, how = Path(sys.argv[1]), sys.argv[2]
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

    limited = []

    class Full(WordsEmbedder):
        # The room ends after the words were written, before their vectors are: the log of writes may not grow.
        def embed(self, texts, kind, *, priority="background"):
            made = super().embed(texts, kind, priority=priority)
            if not limited:
                limited.append(True)
                size = Path(f"{path}-wal").stat().st_size
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, unlimited[1]))
            return made

    file = opened(path, embedder=Full(512, "full"))
    mem = file.user("me")
    WRITES = {
        "add": lambda: mem.add("walnuts are what I fear"),
        "log": lambda: mem.log(said("walnuts are what I fear", session="s")),
        "edit": lambda: mem.edit(mem.list()[0].id, "walnuts are what I fear"),
    }
    try:
        WRITES[how]()
        print("kept")
    except StoreFull as error:
        print("refused", error)
    try:
        mem.add("goats " * 1600)
        print("no limit was met")
    except StoreFull:
        print("full")
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    print([h.content for h in mem.recall("walnuts", arms=("vector", "log"), limit=1)], mem.counts()["vector"])
    file.close()
"""


@pytest.mark.parametrize("how", ["add", "log", "edit"])
def test_words_whose_vector_found_no_room_are_kept_and_get_it_later(store_path: Path, how: str) -> None:
    """They were in the file already when the disk was full, and the call said that nothing was kept."""
    with opened(store_path, words_only=True) as file:
        file.user("me").add("I keep bees")
    told = python(KEPT, store_path, how).stdout.splitlines()
    assert told[:2] == ["kept", "full"], told
    with opened(store_path, words_only=True) as file:
        assert file.check() == []
        words = [m.content for m in file.user("me").list()] + [t.content for t in file.user("me").turns("s")]
    assert words.count("walnuts are what I fear") == 1
    assert told[2].endswith(f" {1 + (how != 'edit')}"), told


def test_a_disk_that_fails_does_not_make_the_file_a_damaged_one(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        error = file.engine._names.name(file.engine.driver_errors[0]("disk I/O error"))
    assert "damaged" not in str(error)
    assert "messages of the system" in error.hint


def test_a_file_that_another_program_makes_stays_where_this_one_cannot_open_it(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(engine: Engine, *, now: str) -> bool:
        monkeypatch.undo()
        with opened(engine.path, words_only=True) as other:
            other.user("me").add("I keep bees")
        raise StoreFull("no room", "Make room.")

    monkeypatch.setattr(memory, "migrate", full)
    with pytest.raises(StoreFull):
        opened(store_path, words_only=True)
    with opened(store_path, words_only=True) as file:
        assert [m.content for m in file.user("me").list()] == ["I keep bees"]
