"""Several processes at one file: exact counts, nobody turned away, nobody blind to the others."""

from __future__ import annotations

import contextlib
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest

from edgemem.errors import StoreBusy, StoreCorrupt
from edgemem.settings import Settings
from edgemem.store import patience
from edgemem.store.engine import Engine
from tests.helpers import NOW, Fact, RuleModel, child, opened, plain_connection, said, wait_until
from tests.torture import concurrency


def test_eight_processes_writing_and_reading_lose_and_double_nothing(store_path: Path) -> None:
    """Also the file is made by all of them at once, on a machine that may have much else to do. The long form: ``python -m tests.torture.concurrency``."""
    concurrency.run(store_path, processes=8, writes=20, patience=60)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM memory WHERE id = 1",
        "UPDATE state SET value = '1'",
        "UPDATE memory SET content = 'x' WHERE id = 1",
        "DELETE FROM turn WHERE id = (SELECT max(id) FROM turn)",
    ],
)
def test_the_examination_sees_what_is_lost(store_path: Path, damage: str) -> None:
    """A planted loss must be noticed, or the counts above would mean nothing."""
    concurrency.work(store_path, 0, 20)
    concurrency.examine(store_path, 1, 20)
    with opened(store_path, words_only=True) as file, file.engine.write() as tx:
        tx.execute(damage)
    with pytest.raises((AssertionError, StoreCorrupt)):
        concurrency.examine(store_path, 1, 20)


_WRITER = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    with opened(Path(sys.argv[1])) as file:
        mem = file.user("me")
        print("ready", flush=True)
        for line in sys.stdin:
            print(mem.add(line.strip()), flush=True)
"""


def test_a_live_view_sees_another_processs_write_within_a_second(store_path: Path) -> None:
    with opened(store_path) as file, child(_WRITER, store_path) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        mem = file.user("me")
        mem.add("I paint boats")
        assert writer.stdout.readline() == "ready\n"
        for word in ("bees", "goats", "火锅", "violin", "harbour"):
            before = file.engine.data_version()
            assert mem.recall(word, arms=("vector",), limit=1).hits == ()
            writer.stdin.write(f"I like {word}\n")
            writer.stdin.flush()
            uid = writer.stdout.readline().strip()
            acknowledged = time.monotonic()
            assert file.engine.data_version() != before
            assert [h.id for h in mem.recall(word, arms=("vector",), limit=1)] == [uid]
            assert [h.id for h in mem.recall(word, arms=("text",), limit=1)] == [uid]
            assert mem.list(limit=1)[0].id == uid
            assert time.monotonic() - acknowledged < 1
        unchanged = file.engine.data_version()
        assert file.engine.data_version() == unchanged


_HOLDER = """if 1:
    import sys, time
    from pathlib import Path
    from tests.helpers import opened
    with opened(Path(sys.argv[1]), words_only=True) as file, file.engine.write():
        print("held", flush=True)
        sys.stdin.readline()
"""


def test_a_writer_waits_for_another_ones_write_and_gives_up_in_time(store_path: Path) -> None:
    patient, hasty = Settings(background=False), Settings(background=False, busy_timeout=0.3)
    opened(store_path, words_only=True).close()
    with opened(store_path, words_only=True, settings=patient) as file, opened(
        store_path, words_only=True, settings=hasty
    ) as other, child(_HOLDER, store_path) as holder:  # fmt: skip
        assert holder.stdin is not None
        assert holder.stdout is not None
        mem, quick = file.user("me"), other.user("me")
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy):
            quick.add("not now")
        assert quick.list() == []
        waiting = threading.Thread(target=mem.add, args=("I keep bees",))
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        holder.stdin.write("\n")
        holder.stdin.flush()
        waiting.join(10)
        wait_until(lambda: [m.content for m in quick.list()] == ["I keep bees"])


_LEARNER = """if 1:
    import sys
    from datetime import timedelta
    from pathlib import Path
    from tests.helpers import NOW, Fact, RuleModel, opened, said
    city, days = sys.argv[2], int(sys.argv[3])
    model = RuleModel(Fact(f"I live in {city}", f"The user lives in {city}."), relation="conflict")
    with opened(Path(sys.argv[1]), model) as file:
        found = file.user("me").learn(said(f"I live in {city}", session=city, at=NOW + timedelta(days=days)))
    print(found.memories[0].outcome)
"""


def test_a_machine_with_too_much_to_do_does_not_use_up_the_patience(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever wakes up late was not kept waiting by the other's write, which gets no further either."""
    sleep, late = time.sleep, 0

    def overslept(_: float) -> None:
        nonlocal late
        late += 1
        sleep(0.3)
        if late == 6:
            other.execute("COMMIT")

    with opened(store_path, words_only=True, settings=Settings(background=False, busy_timeout=1.0)) as file:
        mem = file.user("me")
        with contextlib.closing(plain_connection(store_path)) as other:
            other.execute("BEGIN IMMEDIATE")
            monkeypatch.setattr(patience, "sleep", overslept)
            mem.add("I keep bees")
    assert late >= 6, "it waited for longer than a second"


@pytest.mark.parametrize("lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_new_file_that_another_process_is_making_is_waited_for(
    store_path: Path, monkeypatch: pytest.MonkeyPatch, lock: str
) -> None:
    """SQLite refuses the switch to a write-ahead log at once while another one holds the file, whatever the timeout."""
    sleep, asked = time.sleep, 0

    def waited(seconds: float) -> None:
        nonlocal asked
        asked += 1
        if asked == 3:
            other.execute("COMMIT")
        sleep(seconds)

    with contextlib.ExitStack() as ended:
        other = ended.enter_context(contextlib.closing(plain_connection(store_path)))
        engine = ended.enter_context(contextlib.closing(Engine(store_path, read_only=False, busy_timeout=60)))
        other.execute(lock)
        monkeypatch.setattr(patience, "sleep", waited)
        engine.use_wal()
        assert engine.raw().execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert asked >= 3


def test_an_older_fact_that_another_process_brings_later_does_not_overwrite(store_path: Path) -> None:
    with child(_LEARNER, store_path, "Zurich", 30) as newer:
        assert newer.communicate()[0] == "added\n"
    with child(_LEARNER, store_path, "Bern", 0) as older:
        assert older.communicate()[0] == "added\n"
    with child(_LEARNER, store_path, "Basel", 60) as newest:
        assert newest.communicate()[0] == "replaced\n"
    with opened(store_path) as file:
        mem = file.user("me")
        assert [m.content for m in mem.list()] == ["The user lives in Basel."]
        assert {m.content for m in mem.list(status="superseded")} == {
            "The user lives in Zurich.",
            "The user lives in Bern.",
        }


def test_a_comparison_that_another_process_outdated_is_made_again(store_path: Path) -> None:
    """The memory that was met changes between the reading and the writing: the verdict is not applied to it."""
    with opened(store_path) as other:

        class Meddling(RuleModel):
            """While it thinks about two memories for the first time, another connection changes the older one."""

            asked = 0

            def _odds(self, question, options):  # type: ignore[no-untyped-def]
                odds = super()._odds(question, options)
                if "brass" in question and "silver" in question:
                    self.asked += 1
                    if self.asked == 1:
                        other.user("me").pin(old)
                return odds

        model = Meddling(Fact("my badge is silver now", "The user's badge has a silver rim."), relation="conflict")
        with opened(store_path, model) as file:
            mem = file.user("me")
            old = mem.add("The user's badge has a brass rim.")
            mem.learn(said("my badge is silver now", at=NOW + timedelta(days=9000)))
            assert model.asked == 2
            assert [m.content for m in mem.list()] == ["The user's badge has a silver rim."]
            assert [(m.content, m.pinned) for m in mem.list(status="superseded")] == [
                ("The user's badge has a brass rim.", True)
            ]


def test_a_write_inside_a_read_is_refused_at_once(store_path: Path) -> None:
    """It could not wait for another process: SQLite would turn it away whatever the time limit."""
    with opened(store_path, words_only=True) as file:
        with pytest.raises(RuntimeError, match="inside a read"), file.engine.read(), file.engine.write():
            pass
        assert file.user("me").add("still works")
