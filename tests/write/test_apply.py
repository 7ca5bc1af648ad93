"""Duplicate, refine, replace: what happens to the old, and that all of it can be undone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from edgemem.errors import Conflict
from edgemem.records import Learned, Relation4
from edgemem.store import turns
from edgemem.testing import WordsEmbedder
from edgemem.view import Memory
from edgemem.write import apply
from edgemem.write.apply import Candidate, Meeting
from tests.helpers import NOW, Fact, RuleModel, assert_sourced, opened, said

Learn = Callable[..., Learned]


def store_one(mem: Memory, text: str, memory: str, meeting: Meeting | None = None, *, days: int = 0) -> Learned:
    """One candidate through ``apply``, as if a turn had said it ``days`` from now."""
    (uid,) = mem.log(said(text, session=f"{text} {days}", at=NOW + timedelta(days=days)))
    with mem.file.engine.write() as tx:
        (key,) = tx.execute("SELECT id FROM user WHERE name = ?", (mem.name,)).fetchone()
        turn = turns.find(tx, key, f"{text} {days}", uid)
        assert turn is not None
        candidate = Candidate(memory, "fact", "user", 0.9, text, 0)
        return apply.store(tx, key, turn, candidate, meeting, now=mem.file.now(), trace="t")


def met(mem: Memory, uid: str, relation: Relation4) -> Meeting:
    return Meeting(uid, mem.get(uid).version, relation)


def test_a_first_memory_is_added_with_source_and_history(mem: Memory) -> None:
    learned = store_one(mem, "I live in Bern", "The user lives in Bern.")
    found = mem.get(learned.id)
    assert (learned.outcome, found.content, found.confidence) == ("added", "The user lives in Bern.", 0.9)
    assert found.valid_from == NOW
    assert [(c.action, c.author) for c in mem.history(learned.id)] == [("add", "model")]
    assert_sourced(mem)


def test_the_same_words_again_are_a_duplicate_whatever_was_compared(mem: Memory) -> None:
    first = store_one(mem, "I live in Bern", "The user lives in Bern.")
    for relation in ("distinct", "conflict", "refine"):
        again = store_one(mem, "yes, Bern", "the user lives in Bern", met(mem, first.id, relation), days=1)
        assert (again.outcome, again.id, again.change) == ("duplicate", first.id, None)
    assert len(mem.list(status="any")) == 1
    assert mem.get(first.id).use_count == 3
    assert [c.action for c in mem.history(first.id)] == ["add"]


def test_refining_keeps_id_and_start_and_can_be_undone(mem: Memory) -> None:
    first = store_one(mem, "I have a parrot", "The user has a parrot.")
    mem.pin(first.id)
    refined = store_one(
        mem, "a grey one, Tuck", "The user has a grey parrot named Tuck.", met(mem, first.id, "refine"), days=2
    )
    found = mem.get(first.id)
    assert (refined.outcome, refined.id) == ("refined", first.id)
    assert (found.content, found.pinned, found.valid_from) == ("The user has a grey parrot named Tuck.", True, NOW)
    assert found.source.quote == "a grey one, Tuck"
    assert len(mem.list(status="any")) == 1
    assert refined.change is not None
    mem.undo(refined.change)
    assert mem.get(first.id).content == "The user has a parrot."
    assert mem.get(first.id).source.quote == "I have a parrot"
    assert_sourced(mem)


def test_replacing_closes_the_old_and_undo_brings_it_back(mem: Memory) -> None:
    bern = store_one(mem, "I live in Bern", "The user lives in Bern.")
    zurich = store_one(mem, "I moved to Zurich", "The user lives in Zurich.", met(mem, bern.id, "conflict"), days=30)
    old = mem.get(bern.id)
    assert (zurich.outcome, zurich.replaced) == ("replaced", bern.id)
    assert (old.status, old.superseded_by, old.valid_to) == ("superseded", zurich.id, NOW + timedelta(days=30))
    assert [h.content for h in mem.recall("lives", arms=("text",))] == ["The user lives in Zurich."]
    assert zurich.change is not None
    undone = mem.undo(zurich.change)
    assert [m.content for m in mem.list()] == ["The user lives in Bern."]
    assert mem.get(bern.id).valid_to is None
    mem.undo(undone[0])
    assert [m.content for m in mem.list()] == ["The user lives in Zurich."]
    assert mem.file.check() == []


def test_an_older_statement_that_arrives_late_does_not_overwrite(mem: Memory) -> None:
    zurich = store_one(mem, "I live in Zurich", "The user lives in Zurich.", days=30)
    bern = store_one(mem, "I live in Bern", "The user lives in Bern.", met(mem, zurich.id, "conflict"), days=-100)
    late = mem.get(bern.id)
    assert (bern.outcome, late.status, late.superseded_by) == ("added", "superseded", zurich.id)
    assert late.valid_to == NOW + timedelta(days=30)
    assert [m.content for m in mem.list()] == ["The user lives in Zurich."]
    assert mem.file.check() == []


def test_a_detail_that_arrives_late_does_not_overwrite(mem: Memory) -> None:
    parrot = store_one(mem, "I have a parrot", "The user has a parrot.", days=30)
    late = store_one(
        mem, "Tuck, my parrot", "The user has a parrot named Tuck.", met(mem, parrot.id, "refine"), days=-9
    )
    assert (late.outcome, late.id == parrot.id) == ("added", False)
    assert mem.get(parrot.id).content == "The user has a parrot."
    assert [c.action for c in mem.history(parrot.id)] == ["add"]
    assert len(mem.list()) == 2


def test_a_correction_never_strengthens_what_it_corrects(mem: Memory) -> None:
    bern = store_one(mem, "I live in Bern", "The user lives in Bern.")
    before = mem.get(bern.id)
    store_one(mem, "no, Basel", "The user lives in Basel.", met(mem, bern.id, "conflict"), days=1)
    after = mem.get(bern.id)
    assert (after.use_count, after.confidence, after.importance) == (
        before.use_count, before.confidence, before.importance,
    )  # fmt: skip
    assert after.status == "superseded"


@pytest.mark.parametrize("change", ["edit", "forget"])
def test_a_memory_that_changed_while_it_was_compared_is_a_conflict(mem: Memory, change: str) -> None:
    bern = store_one(mem, "I live in Bern", "The user lives in Bern.")
    meeting = met(mem, bern.id, "conflict")
    if change == "edit":
        mem.edit(bern.id, "The user lives in Basel.")
    else:
        mem.forget(bern.id)
    before = mem.get(bern.id)
    with pytest.raises(Conflict):
        store_one(mem, "I moved to Zurich", "The user lives in Zurich.", meeting, days=1)
    assert mem.get(bern.id) == before


class Same(WordsEmbedder):
    """Calls every two texts the same in meaning."""

    def calibrate(self, cosine: float) -> float:
        return 0.95


@pytest.mark.parametrize(
    ("relation", "outcome", "live"),
    [
        ("distinct", "added", ["The user likes plum jam.", "The user likes quince jam."]),
        ("duplicate", "duplicate", ["The user likes plum jam."]),
        ("refine", "refined", ["The user likes quince jam."]),
        ("conflict", "replaced", ["The user likes quince jam."]),
    ],
)
def test_the_models_clear_verdict_decides(tmp_path: Path, relation: str, outcome: str, live: list[str]) -> None:
    facts = (Fact("plum jam", "The user likes plum jam."), Fact("quince jam", "The user likes quince jam."))
    model = RuleModel(*facts, relation=relation)
    with opened(tmp_path / "r.edgemem", model, Same()) as file:
        mem = file.user("me")
        mem.learn(said("I like plum jam"))
        receipt = mem.learn(said("I like quince jam", session="t"))
        assert [m.outcome for m in receipt.memories] == [outcome]
        assert sorted(m.content for m in mem.list()) == live
        assert_sourced(mem)
        assert file.check() == []
        trace = mem.trace(mem.list(status="any")[0].trace or "")
        assert {"split", "gate", "extract", "apply"} <= {step["step"] for step in trace}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user ran 5 km on 2026-05-05.", "The user ran 3 km on 2026-05-06."),
        ("用户每天喝两杯茶，2026年开始。", "用户每天喝两杯茶，2025年开始。"),
    ],
)
def test_different_numbers_are_never_the_same_statement(tmp_path: Path, old: str, new: str) -> None:
    with opened(tmp_path / "n.edgemem", RuleModel(relation="duplicate")) as file:
        assert file.user("me").relate(old, new)[0] == "distinct"


def test_relate_knows_the_same_words_without_the_model(mem: Memory, tmp_path: Path) -> None:
    with opened(tmp_path / "n.edgemem", RuleModel(relation="conflict")) as file:
        relation, odds = file.user("me").relate("The user keeps bees.", "the user  keeps bees")
    assert relation == "duplicate"
    assert odds == {"duplicate": 1.0, "refine": 0.0, "conflict": 0.0, "distinct": 0.0}
