"""The background worker: it learns what was observed, lets go at once, and comes back."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

import edgemem
from edgemem.memory import MemoryFile
from edgemem.ports import Generation, Message, Priority
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel, WordsEmbedder
from edgemem.upkeep.worker import Worker
from edgemem.view import Memory
from edgemem.write import prompts
from tests.helpers import Fact, RuleModel, assert_sourced, opened, said, wait_until

BEES = Fact("I keep bees", "The user keeps bees.")
CATS = Fact("I have two cats", "The user has two cats.")
BACKGROUND = Settings(background=True, rules_first=False)
QUIET = Settings(background=False, rules_first=False)


def test_what_is_observed_is_learned_in_the_background(store_path: Path) -> None:
    with opened(store_path, RuleModel(BEES, CATS), settings=BACKGROUND) as file:
        mem = file.user("me")
        ids = mem.observe(said("I keep bees", "I have two cats"))
        assert [t.id for t in mem.turns("s")] == list(ids)
        wait_until(lambda: not mem.jobs())
        assert sorted(m.content for m in mem.list()) == [CATS.memory, BEES.memory]
        assert_sourced(mem)


def test_what_waited_from_last_time_is_learned_too(store_path: Path) -> None:
    with opened(store_path, RuleModel(BEES, CATS)) as file:
        file.user("me").observe(said("I keep bees"))
    with opened(store_path, RuleModel(BEES, CATS), settings=BACKGROUND) as file:
        file.start_worker()
        wait_until(lambda: not file.user("me").jobs())
        assert [m.content for m in file.user("me").list()] == [BEES.memory]


class Held(RuleModel):
    """Stands still inside ``generate`` until it is let go."""

    def __init__(self, *facts: Fact) -> None:
        super().__init__(*facts)
        self.inside = threading.Event()
        self.release = threading.Event()

    def generate(self, messages: Sequence[Message], **options: object) -> Generation:
        self.inside.set()
        assert self.release.wait(30)
        return super().generate(messages)


def test_observing_and_reading_do_not_wait_for_the_model(store_path: Path) -> None:
    model = Held(BEES)
    with opened(store_path, model, settings=BACKGROUND) as file:
        mem = file.user("me")
        mem.observe(said("I keep bees"))
        assert model.inside.wait(30)
        mem.observe(said("thanks", session="t"))
        mem.add("The user sails.")
        assert [h.content for h in mem.recall("sails")] == ["The user sails."]
        assert [j.status for j in mem.jobs()] == ["queued", "running"]
        model.release.set()
        wait_until(lambda: not mem.jobs())


def test_closing_while_the_model_works_leaves_no_job_hanging(store_path: Path) -> None:
    model = Held(BEES, CATS)
    file = opened(store_path, model, settings=BACKGROUND)
    file.user("me").observe(said("I keep bees", "I have two cats"))
    assert model.inside.wait(30)
    closing = threading.Thread(target=file.close)
    closing.start()
    wait_until(lambda: file._worker.stopping)
    model.release.set()
    closing.join(30)
    assert not closing.is_alive()
    with opened(store_path, RuleModel(BEES, CATS)) as again:
        mem = again.user("me")
        assert [(j.status, j.attempts) for j in mem.jobs() if j.kind == "extract"] == [("queued", 0)]
        assert [m.content for m in mem.list()] == [BEES.memory]
        assert again.work_once()
        assert len(mem.list()) == 2
        assert_sourced(mem)
        assert again.check() == []


class HeldEmbedder(WordsEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.inside = threading.Event()
        self.release = threading.Event()

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        self.inside.set()
        assert self.release.wait(30)
        return super().embed(texts, kind, priority=priority)


def test_a_job_that_has_not_begun_is_given_back(store_path: Path) -> None:
    model, embedder = RuleModel(BEES), HeldEmbedder()
    file = opened(store_path, model, embedder, settings=BACKGROUND)
    file.user("me").observe(said("I keep bees"))
    assert embedder.inside.wait(30)
    closing = threading.Thread(target=file.close)
    closing.start()
    wait_until(lambda: file._worker.stopping)
    embedder.release.set()
    closing.join(30)
    assert model.prompts == []
    with opened(store_path, model) as again:
        assert [(j.status, j.attempts, j.error) for j in again.user("me").jobs()] == [("queued", 0, None)]


def test_jobs_are_done_in_order_for_all_users(store: MemoryFile) -> None:
    from edgemem.store import jobs

    keys = {name: store.user(name) for name in ("a", "b")}
    for name, session in (("a", "1"), ("b", "2"), ("a", "3")):
        keys[name].observe(said("hello", session=session))
    taken = []
    with store.engine.write() as tx:
        while (job := jobs.take(tx, store.now(), store.lease_until(), 2)) is not None:
            taken.append(job[1].payload["turn"])
    assert taken == sorted(taken)
    assert len(taken) == 3


def test_a_queue_that_fails_is_tried_again_and_the_thread_lives() -> None:
    calls: list[int] = []

    def step() -> bool:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("the queue failed")
        return False

    worker = Worker(step)
    worker.wake()
    wait_until(lambda: len(calls) >= 1)
    worker.wake()
    wait_until(lambda: len(calls) >= 2)
    assert worker.stop()
    worker.wake()
    assert worker.stop()


def test_stop_before_start_is_fine(mem: Memory) -> None:
    worker = Worker(lambda: False)
    assert worker.stop()


def test_the_job_of_a_worker_that_was_killed_is_taken_up_at_once(tmp_path: Path) -> None:
    """Without waiting for the lease: the process that held it is gone."""
    script = (
        "import os, sys, signal; from edgemem.testing import ScriptedModel, WordsEmbedder; import edgemem\n"
        "class Dies(ScriptedModel):\n"
        "    def choose(self, *a, **k): os.kill(os.getpid(), signal.SIGKILL)\n"
        "edgemem.open(sys.argv[1], language_model=Dies(), embedder=WordsEmbedder(), settings=edgemem.Settings(background=False, rules_first=False))"
        ".user('me').learn([edgemem.Turn('user', 'I keep bees in the garden.')])\n"
    )
    path = tmp_path / "a.edgemem"
    died = subprocess.run([sys.executable, "-c", script, str(path)], check=False, capture_output=True)
    assert died.returncode == -signal.SIGKILL
    with edgemem.open(path, language_model=ScriptedModel(), embedder=WordsEmbedder(), settings=QUIET) as file:
        assert [j.status for j in file.user("me").jobs()] == ["running"]
        assert file.work_once()
        assert file.user("me").jobs() == []


def test_uses_are_written_in_the_background_and_not_by_the_read(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgemem.upkeep.uses.USE_SECONDS", 0.05)
    with opened(store_path, RuleModel(), settings=BACKGROUND) as file:
        mem = file.user("me")
        mem.add("The user keeps bees.")
        assert mem.recall("bees").hits
        assert mem.list()[0].use_count == 0
        file.start_worker()
        wait_until(lambda: mem.list()[0].use_count == 1)


def test_a_chat_that_begins_has_the_instructions_of_reading_evaluated(store_path: Path) -> None:
    """Else the first memory waits for them, long after the first answer; they are evaluated once, with nothing said yet."""
    model = RuleModel(Fact("I keep bees", "The user keeps bees."))
    with opened(store_path, model, settings=Settings()) as file:
        mem = file.user("me")
        mem.chat()
        wait_until(lambda: len(model.prompts) == 2)
        assert [prompt[:-1] for prompt in model.prompts] == [prompts.EXTRACT[False], prompts.EXTRACT[True]]
        mem.observe(said("I keep bees"))
        wait_until(lambda: [m.content for m in mem.list()] == ["The user keeps bees."])
        assert not any(prompt[-1].content == "Message:\n" for prompt in model.prompts[2:])
