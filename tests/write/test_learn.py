"""Capture first, then learn: whatever the model does, nothing that was said is lost and nothing is learned twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from edgemem.errors import Aborted, ModelMissing, NotFound, OutputInvalid
from edgemem.ports import Generation, Message
from edgemem.records import Turn
from edgemem.testing import ScriptedModel
from edgemem.view import Memory
from edgemem.write import prompts
from tests.helpers import (
    Fact,
    RuleModel,
    SetClock,
    assert_sourced,
    child,
    opened,
    said,
)

BEES = Fact("I keep bees", "The user keeps bees.")
CATS = Fact("养了两只猫", "用户养了两只猫。")
MILD = Fact("I don't eat spicy food", "The user does not eat spicy food.", "preference")


def status(mem: Memory) -> list[tuple[str, int]]:
    return [(j.status, j.attempts) for j in mem.jobs()]


def test_memories_come_with_their_turn_and_exact_words(store_path: Path) -> None:
    with opened(store_path, RuleModel(BEES, CATS, MILD)) as file:
        mem = file.user("me")
        receipt = mem.learn(
            said("hey there", "By the way, I keep  bees. 我在里斯本养了两只猫", "ok I don't eat spicy food!")
        )
        assert [m.content for m in receipt.memories] == [BEES.memory, CATS.memory, MILD.memory]
        assert [m.source.quote for m in receipt.memories] == ["I keep  bees", "养了两只猫", "I don't eat spicy food"]
        assert receipt.failed == ()
        assert len(receipt.turns) == 3
        assert mem.jobs() == []
        assert all(0.7 <= m.confidence <= 1 for m in receipt.memories)
        assert_sourced(mem)
        assert file.check() == []


def test_languages_are_kept(store_path: Path) -> None:
    with opened(store_path, RuleModel(CATS)) as file:
        mem = file.user("me")
        mem.learn(said("我家养了两只猫"))
        assert [h.content for h in mem.recall("猫", arms=("text", "vector"))] == ["用户养了两只猫。"]


def test_only_the_user_is_learned_from(store_path: Path) -> None:
    model = RuleModel(BEES)
    with opened(store_path, model) as file:
        mem = file.user("me")
        turns = [Turn(r, "I keep bees and sing", session="s", id=r) for r in ("assistant", "system", "tool")]
        assert mem.learn(turns).memories == ()
        assert mem.list() == []
        assert mem.jobs() == []
        assert len(mem.turns("s")) == 3


def test_the_same_turns_twice_are_learned_once(store_path: Path) -> None:
    with opened(store_path, RuleModel(BEES)) as file:
        mem = file.user("me")
        mem.learn(said("I keep bees"))
        again = mem.learn(said("I keep bees"))
        assert (again.memories, again.failed) == ((), ())
        assert len(mem.list()) == len(mem.turns("s")) == 1
        assert mem.list()[0].use_count == 0


def test_without_a_model_the_turns_are_safe_and_their_learning_waits(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        with pytest.raises(ModelMissing) as raised:
            mem.learn(said("I keep bees", "thanks"))
        assert raised.value.exit_code == 4
        assert [t.content for t in mem.turns("s")] == ["I keep bees", "thanks"]
        assert status(mem) == [("queued", 0), ("queued", 0)]
        assert not file.work_once() or status(mem) == [("queued", 0), ("queued", 0)]
        assert "models pull" in (mem.jobs()[-1].error or "")
    with opened(store_path, RuleModel(BEES)) as file:
        mem = file.user("me")
        # The same file given again goes on where it stopped.
        assert [m.content for m in mem.learn(said("I keep bees", "thanks")).memories] == [BEES.memory]
        assert mem.jobs() == []


class Raising(RuleModel):
    def __init__(self, *facts: Fact, error: BaseException) -> None:
        super().__init__(*facts)
        self.error: BaseException | None = error

    def generate(self, messages: Sequence[Message], **options: object) -> Generation:
        if self.error is not None:
            raise self.error
        return super().generate(messages)


@pytest.mark.parametrize("error", [OutputInvalid("nonsense"), ValueError("a fault of ours"), RecursionError("deep")])
def test_a_job_that_fails_is_parked_with_its_error_and_can_be_retried(store_path: Path, error: Exception) -> None:
    model = Raising(BEES, error=error)
    with opened(store_path, model) as file:
        mem = file.user("me")
        receipt = mem.learn(said("I keep bees", "and thanks"))
        assert [(f.turn, f.job) for f in receipt.failed] == [(receipt.turns[0], mem.jobs()[0].id)]
        assert status(mem) == [("queued", 1)]
        while file.work_once():
            pass
        (job,) = mem.jobs()
        assert (job.status, job.attempts) == ("failed", 2)
        assert str(error) in (job.error or "")
        asked = len(model.prompts)
        assert not file.work_once()
        assert mem.learn(said("I keep bees")).memories == ()
        assert len(model.prompts) == asked
        model.error = None
        mem.retry(job.id)
        assert file.work_once()
        assert [m.content for m in mem.list()] == [BEES.memory]
        assert mem.jobs() == []
        with pytest.raises(NotFound):
            mem.retry(job.id)


@pytest.mark.parametrize("error", [Aborted("stop"), KeyboardInterrupt()])
def test_stopping_is_no_failure(store_path: Path, error: BaseException) -> None:
    with opened(store_path, Raising(BEES, error=error)) as file:
        mem = file.user("me")
        with pytest.raises(type(error)):
            mem.learn(said("I keep bees", "thanks"))
        assert status(mem) == [("queued", 0), ("queued", 0)]
        assert len(mem.turns("s")) == 2


_DIES = """if 1:
    import os, sys
    from pathlib import Path
    from tests.helpers import Fact, RuleModel, opened, said
    class Dying(RuleModel):
        def generate(self, messages, **_):
            os._exit(9)
    mem = opened(Path(sys.argv[1]), Dying(Fact("I keep bees", "The user keeps bees."))).user("me")
    mem.learn(said("I keep bees", "thanks"))
"""


def test_a_process_that_dies_while_asking_leaves_turns_and_job(store_path: Path, clock: SetClock) -> None:
    with child(_DIES, store_path) as process:
        assert process.wait(60) == 9
    clock.forward(days=400)  # the dead worker's lease has long run out
    with opened(store_path, RuleModel(BEES), clock=clock) as file:
        mem = file.user("me")
        assert [t.content for t in mem.turns("s")] == ["I keep bees", "thanks"]
        assert mem.list() == []
        assert sorted(s for s, _ in status(mem)) == ["queued", "running"]
        while file.work_once():
            pass
        assert [m.content for m in mem.list()] == [BEES.memory]
        assert mem.jobs() == []
        assert_sourced(mem)
        assert file.check() == []


def test_a_job_whose_workers_always_die_is_parked(store_path: Path, clock: SetClock) -> None:
    with opened(store_path, RuleModel(BEES), clock=clock) as file:
        mem = file.user("me")
        mem.observe(said("I keep bees"))
        from edgemem.store import jobs

        for _ in range(2):
            with file.engine.write() as tx:
                assert jobs.take(tx, file.now(), file.lease_until(), 2) is not None
            clock.forward(hours=1)
        assert not file.work_once()
        assert [(j.status, bool(j.error)) for j in mem.jobs()] == [("failed", True)]


def test_two_workers_do_a_job_once(store_path: Path) -> None:
    with opened(store_path, RuleModel(BEES)) as one, opened(store_path, RuleModel(BEES)) as two:
        mem = one.user("me")
        mem.observe(said("I keep bees"))
        assert one.work_once()
        assert not two.work_once()
        assert len(mem.list()) == 1


def test_what_was_recalled_and_said_back_does_not_grow(store_path: Path) -> None:
    with opened(store_path, RuleModel(BEES, MILD)) as file:
        mem = file.user("me")
        mem.learn(said("I keep bees. I don't eat spicy food"))
        known = {m.id for m in mem.list(status="any")}
        for n in range(20):
            told = mem.context("bees food").text
            assert told
            mem.learn([
                Turn("user", "what do you know about me?", session="loop", id=f"u{n}"),
                Turn("assistant", f"You told me:\n{told}", session="loop", id=f"a{n}"),
                Turn("user", "ok thanks", session="loop", id=f"k{n}"),
            ])  # fmt: skip
        assert {m.id for m in mem.list(limit=0, status="any")} == known
        assert_sourced(mem)


EMPTY = ["ok", "thanks", "hmm", "lol", "好的", "谢谢", "嗯嗯", "👍", "...", "really?", "yes", "no"]


@pytest.mark.parametrize("chinese", [False, True])
def test_the_prompts_own_examples_never_reach_the_store(store_path: Path, chinese: bool) -> None:
    """The worst model: whatever it is asked, it keeps every clause and answers with an example of the prompt."""
    answers = [m.content for m in prompts.EXTRACT[chinese] if m.role == "assistant"]

    class Parrot(ScriptedModel):
        def _odds(self, question: str, options: Sequence[str]) -> dict[str, float]:
            return {o: 0.97 if o == options[0] else 0.03 / (len(options) - 1) for o in options}

    with opened(store_path, Parrot(answers * len(EMPTY))) as file:
        mem = file.user("me")
        receipt = mem.learn(said(*EMPTY))
        assert receipt.memories == ()
        assert mem.list(status="any") == []


@pytest.mark.parametrize(
    "answer",
    [
        "", "I could not find anything.", "[]", '{"memory": null}', "<think>the user keeps bees", '[{"quote": "I keep bees"',
        '{"type": "object", "properties": {"quote": {"type": "string"}}}',
        '[{"quote": "nobody said this", "memory": "The user sails.", "kind": "fact"}]',
        '[{"quote": "I keep bees", "memory": "The user keeps bees with John Doe.", "kind": "fact"}]',
    ],
)  # fmt: skip
def test_a_bad_answer_stores_nothing_and_ends_the_job(store_path: Path, answer: str) -> None:
    with opened(store_path, ScriptedModel([answer], {"bees": "F"})) as file:
        mem = file.user("me")
        receipt = mem.learn(said("I keep bees"))
        assert receipt.memories == ()
        assert mem.jobs() == []
        assert len(mem.turns("s")) == 1


def test_the_good_part_of_a_bad_answer_is_used(store_path: Path) -> None:
    good = json.dumps({"quote": "I keep bees", "memory": "The user keeps bees.", "kind": "no such kind"})
    answer = f'<think>so</think>Sure: [{{"quote": "made up", "memory": "The user sails."}}, {good}, {{"quote": "I ke'
    with opened(store_path, ScriptedModel([answer], {"bees": "F"})) as file:
        receipt = file.user("me").learn(said("I keep bees"))
        assert [(m.content, m.kind) for m in receipt.memories] == [("The user keeps bees.", "fact")]
        assert [r.content for r in receipt.rejected] == ["The user sails."]


def test_a_sure_gate_with_an_unsure_model_is_not_enough(store_path: Path) -> None:
    text = json.dumps([{"quote": "I keep bees", "memory": "The user keeps bees.", "kind": "fact"}])
    unsure = Generation(text, "stop", tuple(text), tuple(-3.0 for _ in text))
    with opened(store_path, ScriptedModel([unsure], {"bees": "F"})) as file:
        receipt = file.user("me").learn(said("I keep bees"))
        assert receipt.memories == ()
        assert "confidence" in receipt.rejected[0].reason


def test_a_long_message_is_read_in_parts_and_what_is_left_out_is_said(store_path: Path) -> None:
    facts = [Fact(f"I own boat number {n} ", f"The user owns boat number {n}.") for n in range(100, 140)]
    message = " ".join(f"{f.quote}and it is painted in a very fine shade of blue." for f in facts) + " x" * 8_000
    model = RuleModel(*facts)
    with opened(store_path, model) as file:
        mem = file.user("me")
        receipt = mem.learn(said(message))
        assert {m.content for m in receipt.memories} == {f.memory for f in facts}
        assert any("too long to read whole" in r.reason for r in receipt.rejected)
        assert max(model.count_messages(p) for p in model.prompts) < model.context_size
        assert mem.turns("s")[0].content == message
        assert_sourced(mem)


@pytest.mark.parametrize("request_", ["please don't remember that", "别记这个", "off the record please"])
def test_a_request_not_to_remember_takes_the_message_before_out_of_use(store_path: Path, request_: str) -> None:
    with opened(store_path, RuleModel(BEES)) as file:
        mem = file.user("me")
        mem.observe(said("I keep bees", request_))
        while file.work_once():
            pass
        assert mem.list() == []
        assert mem.recall("bees", arms=("text", "vector")).hits == ()


def test_progress_and_each_memory_are_reported_as_they_come(store_path: Path) -> None:
    with opened(store_path, RuleModel(BEES)) as file:
        seen: list[object] = []
        file.user("me").learn(
            said("I keep bees", "thanks"),
            progress=lambda done, of: seen.append((done, of)),
            on_learned=lambda m: seen.append(m.content),
        )
        assert seen == [(0, 2), BEES.memory, (1, 2), (2, 2)]
