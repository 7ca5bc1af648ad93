"""Inside another app: its threads, its forks, its own sqlite3."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from edgemem import open_async
from tests.helpers import QUIET, files, opened, python, said


def test_many_threads_share_one_open_file(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")

        def work(thread: int) -> None:
            for n in range(15):
                mem.add(f"fact {thread} {n}")
                mem.log(said(f"turn {n}", session=f"t{thread}-{n}"))
                assert mem.recall(f"fact {thread} {n}", arms=["text"]).hits

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert len(mem.list(limit=0)) == 8 * 15
        assert len(mem.sessions(limit=0)) == 8 * 15
        assert file.check() == []
    assert files(store_path.parent) == [store_path.name]


def test_closing_from_several_threads_at_once_is_closing_once(store_path: Path) -> None:
    file = opened(store_path)
    file.user("me").add("I keep bees")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: file.close(), range(16)))
    assert files(store_path.parent) == [store_path.name]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of open files here")
def test_opening_and_closing_leaves_no_file_open(store_path: Path) -> None:
    def descriptors() -> list[str]:
        # One that is gone by the time it is looked at is not open any more.
        found = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
        return [name for name in found if str(store_path) in name]

    for n in range(20):
        with opened(store_path) as file:
            file.user("me").add(f"fact {n}")
            file.check()
    assert descriptors() == []
    threads = [t.name for t in threading.enumerate()]
    assert not [name for name in threads if "edgemem" in name]


async def test_tasks_of_one_loop_and_a_task_that_is_given_up(store_path: Path) -> None:
    async with await open_async(store_path, settings=QUIET) as file:
        mem = await file.user("me")
        await asyncio.gather(*(mem.add(f"fact {n}") for n in range(20)))
        given_up = asyncio.create_task(mem.add("perhaps"))
        await asyncio.sleep(0)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert len(await mem.list(limit=0)) in {20, 21}
        await file.close()
    with opened(store_path) as again:
        assert again.check() == []
    assert files(store_path.parent) == [store_path.name]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_while_another_thread_writes_never_waits(store_path: Path) -> None:
    """The child's copy of the lock is held by a thread that it does not have."""
    code = """if 1:
        import os, sys, threading
        from pathlib import Path
        from tests.helpers import opened
        from edgemem.errors import StoreClosed
        file = opened(Path(sys.argv[1]), words_only=True)
        mem = file.user("me")
        inside, go_on = threading.Event(), threading.Event()
        def hold():
            with file.engine.write():
                mem.add("from the thread")
                inside.set()
                go_on.wait(60)
        thread = threading.Thread(target=hold)
        thread.start()
        inside.wait(60)
        child = os.fork()
        if child == 0:
            try:
                mem.list()
            except StoreClosed:
                file.close()
                with opened(Path(sys.argv[1]), words_only=True) as own:
                    os._exit(7 if own.user("me").list() == [] else 8)
            os._exit(9)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        go_on.set()
        thread.join()
        file.close()
        print(code)
    """
    assert python(code, store_path).stdout == "7\n"
    with opened(store_path, words_only=True) as file:
        assert [m.content for m in file.user("me").list()] == ["from the thread"]
        assert file.check() == []


def test_an_apps_own_sqlite_beside_it(store_path: Path, tmp_path: Path) -> None:
    own = sqlite3.connect(tmp_path / "app.db", check_same_thread=False)
    own.execute("CREATE TABLE notes(text)")
    with opened(store_path, words_only=True) as file:
        for n in range(10):
            with own:
                own.execute("INSERT INTO notes VALUES (?)", (f"note {n}",))
                file.user("me").add(f"fact {n}")
        assert len(file.user("me").list()) == 10
    assert own.execute("SELECT count(*) FROM notes").fetchone()[0] == 10
    own.close()
    reader = sqlite3.connect(f"{store_path.as_uri()}?mode=ro", uri=True)
    assert reader.execute("SELECT count(*) FROM memory").fetchone()[0] == 10
    reader.close()


@pytest.mark.parametrize("passphrase", [None, "words"])
def test_a_second_opening_for_long_reads_delays_nobody(store_path: Path, passphrase: str | None) -> None:
    """Threads that share one opening take turns; a second one, to read, has a view of its own."""
    with opened(store_path, words_only=True, passphrase=passphrase) as file:
        file.user("me").add("I keep bees")
        with opened(store_path, words_only=True, passphrase=passphrase, read_only=True) as reader:
            with reader.engine.read():
                assert len(reader.user("me").list()) == 1
                file.user("me").add("I keep goats")
                assert len(file.user("me").list()) == 2
                assert len(reader.user("me").list()) == 1
            assert len(reader.user("me").list()) == 2
            reader.close()
            reader.close()
        file.user("me").add("I keep hens")
        assert file.check() == []
    assert files(store_path.parent) == [store_path.name]
