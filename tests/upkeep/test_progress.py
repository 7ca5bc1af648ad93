"""How far a job is, read by whoever opens the file; and a job that is cancelled while it works."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.memory import MemoryFile
from edgemem.ports import Generation, Message
from edgemem.records import Job
from edgemem.settings import Settings
from edgemem.store.jobs import _far
from edgemem.upkeep import progress
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, opened, said, wait_until

BEES = Fact("I keep bees", "The user keeps bees.")
GRAPH = Settings(background=True, rules_first=False, build_graph=True, reflect_after=0)
PLAIN = Settings(background=True, rules_first=False, build_graph=False, reflect_after=0)


@pytest.fixture(autouse=True)
def _told_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.0)


class Gated(RuleModel):
    """Answers one question for each ``release``; ``asked`` counts those that came in."""

    def __init__(self, *facts: Fact) -> None:
        super().__init__(*facts)
        self.asked = 0
        self.release = threading.Semaphore(0)
        self.open = threading.Event()

    def generate(self, messages: Sequence[Message], **options: object) -> Generation:
        self.asked += 1
        while not self.open.is_set() and not self.release.acquire(timeout=0.02):
            pass
        return super().generate(messages)


@pytest.fixture
def model() -> Iterator[Gated]:
    found = Gated(BEES)
    yield found
    found.open.set()


def _job(mem: Memory, kind: str) -> Job:
    return next(j for j in mem.jobs() if j.kind == kind)


def _five(mem: Memory) -> None:
    for n in range(5):
        mem.add(f"The user keeps a boat number {n} at pier {n}.")


def _graph_job(file: MemoryFile) -> Memory:
    """A user with five memories that nobody looked through, and the job that will."""
    from edgemem.store import jobs
    from edgemem.write.learner import GRAPH_JOB, GRAPH_PRIORITY

    mem = file.user("me")
    _five(mem)
    with file.engine.write() as tx:
        jobs.add(tx, mem._key, GRAPH_JOB, {}, file.now(), GRAPH_PRIORITY)
    return mem


def test_a_job_tells_how_far_it_is_and_at_what(store_path: Path, model: Gated) -> None:
    with opened(store_path, model, settings=GRAPH) as file:
        mem = _graph_job(file)
        waiting = _job(mem, "graph")
        assert (waiting.done, waiting.total, waiting.progress, waiting.step) == (0, 0, 0.0, "")
        file.start_worker()
        for done in range(5):
            wait_until(lambda done=done: model.asked == done + 1)  # type: ignore[misc]
            job = _job(mem, "graph")
            assert (job.status, job.done, job.total, job.progress) == ("running", done, 5, done / 5)
            assert job.step == "looking through memories for relations"
            assert "at" not in job.payload
            model.release.release()
        wait_until(lambda: not mem.jobs())


def test_a_job_that_was_stopped_goes_on_and_counts_on(store_path: Path, model: Gated) -> None:
    file = opened(store_path, model, settings=GRAPH)
    mem = _graph_job(file)
    file.start_worker()
    model.release.release()
    model.release.release()
    wait_until(lambda: model.asked == 3)
    closing = threading.Thread(target=file.close)
    closing.start()
    wait_until(lambda: file._worker.stopping)
    model.open.set()
    closing.join(90)
    again = Gated(BEES)
    with opened(store_path, again, settings=GRAPH) as file:
        mem = file.user("me")
        left = _job(mem, "graph")
        assert (left.status, left.attempts, left.total) == ("queued", 0, 5)
        assert left.done >= 2
        file.start_worker()
        wait_until(lambda: again.asked == 1)
        assert _job(mem, "graph").total == 5
        assert _job(mem, "graph").done >= left.done
        again.open.set()
        wait_until(lambda: not mem.jobs())
        assert again.asked <= 3, "what was looked through is not looked through again"


def test_a_job_cancelled_at_work_ends_before_its_next_step(store_path: Path, model: Gated) -> None:
    with opened(store_path, model, settings=GRAPH) as file:
        mem = _graph_job(file)
        file.start_worker()
        wait_until(lambda: model.asked == 1)
        with opened(store_path, model) as other:
            other.user("me").cancel(_job(mem, "graph").id)
        model.open.set()
        mem.observe(said("I keep bees"))
        wait_until(lambda: "The user keeps bees." in [m.content for m in mem.list()])
        wait_until(lambda: all(j.kind != "extract" for j in mem.jobs()))
        assert file.check() == []


def test_a_message_whose_reading_is_cancelled_leaves_no_memory(store_path: Path, model: Gated) -> None:
    with opened(store_path, model, settings=PLAIN) as file:
        mem = file.user("me")
        mem.observe(said("I keep bees"))
        wait_until(lambda: model.asked == 1)
        job = _job(mem, "extract")
        assert (job.status, job.step, job.done, job.total) == ("running", "reading a message", 0, 2)
        mem.cancel(job.id)
        assert mem.jobs() == []
        model.open.set()
        mem.observe(said("thanks, that is all", session="t"))
        wait_until(lambda: not mem.jobs())
        assert list(mem.list()) == []
        assert [t.content for t in mem.turns("s")] == ["I keep bees"]


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_whatever_a_foreign_file_says_of_a_job_it_is_listed(told: object) -> None:
    done, total, step = _far(told)
    assert 0 <= done <= total
    assert isinstance(step, str)
    assert Job("id", "graph", "queued", 0, None, None, {}, done, total, step).progress <= 1  # type: ignore[arg-type]
