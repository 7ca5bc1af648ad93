"""What survives a full disk and a killed writer: everything that was acknowledged."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgemem.errors import StoreFull
from tests.helpers import environment, files, opened, python

# A full disk

_FILL = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    from edgemem.errors import StoreError
    kept = 0
    with opened(Path(sys.argv[1])) as file:
        mem = file.user("me")
        if sys.argv[2] != "0":
            import resource, signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
        try:
            for n in range(3000):
                mem.log([__import__("edgemem").Turn("user", f"turn {n} " + "x" * 2000, session="s", id=str(n))])
                kept = n + 1
        except StoreError as error:
            print(type(error).__name__)
    print(kept)
"""


def _assert_kept(path: Path, kept: int) -> None:
    with opened(path) as file:
        assert [t.id for t in file.user("me").turns("s")][:kept] == [str(n) for n in range(kept)]
        assert len(file.user("me").turns("s")) <= kept + 1
        assert file.check() == []


def test_a_file_that_may_not_grow_keeps_what_it_has(store_path: Path) -> None:
    opened(store_path).close()
    name, kept = python(_FILL, store_path, 1_500_000).stdout.split()
    assert name in {"StoreFull", "StoreError"}
    assert int(kept) > 10
    _assert_kept(store_path, int(kept))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_named_and_loses_nothing(small_disk: Path) -> None:
    path = small_disk / "me.edgemem"
    opened(path).close()
    name, kept = python(_FILL, path, 0).stdout.split()
    assert name == StoreFull.__name__
    assert int(kept) > 10
    _assert_kept(path, int(kept))


# Killed

_WRITER = """if 1:
    import os, sys
    from pathlib import Path
    from edgemem import Turn
    from tests.helpers import opened
    file = opened(Path(sys.argv[1]), words_only=True)
    mem = file.user("me")
    for n in range(100_000):
        mem.log([Turn("user", f"turn {n} of {sys.argv[2]}", session=sys.argv[2], id=str(n))])
        mem.add(f"fact {n} of {sys.argv[2]}")
        os.write(1, b"%d\\n" % n)
"""

CYCLES = 15


def test_killing_the_writer_loses_nothing_it_acknowledged(store_path: Path) -> None:
    acknowledged: dict[str, int] = {}
    for cycle in range(CYCLES):
        process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(store_path), f"c{cycle}"], env=environment(), stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        for _ in range(3 + cycle % 5):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[0]
        acknowledged[f"c{cycle}"] = 3 + cycle % 5 + rest.count(b"\n")
    with opened(store_path, words_only=True) as file:
        assert file.check() == []
        mem = file.user("me")
        facts = {m.content for m in mem.list(limit=0)}
        for session, n in acknowledged.items():
            assert len(mem.turns(session)) >= n
            assert {f"fact {i} of {session}" for i in range(n)} <= facts
    assert files(store_path.parent) == [store_path.name]
