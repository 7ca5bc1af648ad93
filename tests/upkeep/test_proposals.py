"""What reflection proposes and leaves to the user: duplicates, contradictions, preferences that no longer fit, stale notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import edgemem
from edgemem.errors import Conflict, NotFound
from edgemem.memory import MemoryFile
from edgemem.ports import RelationJudge
from edgemem.testing import WordsEmbedder
from edgemem.view import Memory
from tests.helpers import QUIET, Fact, NoModels, RuleModel, SetClock, opened, said

TEA, SAME_TEA = "The user drinks green tea in the morning.", "The user drinks green tea in the early morning."
NO_TEA = "The user does not drink green tea in the morning."


def live(mem: Memory) -> set[str]:
    return {m.content for m in mem.list(limit=0)}


def topics(mem: Memory) -> list[str]:
    return [p.topic for p in mem.proposals()]


@dataclass
class Judged(NoModels):
    """A machine whose relation head has an opinion on some pairs of words; the rest is distinct."""

    opinions: dict[tuple[str, str], str] = field(default_factory=dict)
    fingerprint = "opinions"

    def embedder(self) -> WordsEmbedder:
        return WordsEmbedder(2048)

    def relation_judge(self) -> RelationJudge:  # type: ignore[override]
        return self

    def relate(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
        return [self._odds(old, new) for old, new in pairs]

    def _odds(self, old: str, new: str) -> dict[str, float]:
        said_so = next((r for (a, b), r in self.opinions.items() if a in old and b in new), "distinct")
        return {r: 0.97 if r == said_so else 0.01 for r in ("duplicate", "refine", "conflict", "distinct")}


def test_two_that_say_the_same_are_proposed_to_be_merged_and_are_when_accepted(mem: Memory) -> None:
    first, second = mem.add(TEA), mem.add(SAME_TEA)
    (found,) = mem.reflect().proposals
    assert (found.topic, set(found.memories), found.status) == ("merge", {first, second}, "open")
    assert live(mem) == {TEA, SAME_TEA}, "nothing is done by itself"
    done = mem.accept(found.id[-12:])
    assert (done.status, live(mem)) == ("accepted", {SAME_TEA})
    assert done.change is not None
    mem.undo(done.change)
    assert live(mem) == {TEA, SAME_TEA}
    with pytest.raises(Conflict, match="accepted already"):
        mem.accept(found.id)


def test_what_was_rejected_is_not_proposed_again_until_it_changes(mem: Memory) -> None:
    mem.add(TEA)
    second = mem.add(SAME_TEA)
    (found,) = mem.reflect().proposals
    assert mem.reject(found.id).status == "rejected"
    assert mem.reflect().proposals == ()
    assert live(mem) == {TEA, SAME_TEA}
    mem.edit(second, "The user drinks green tea in the very early morning.")
    assert [p.topic for p in mem.reflect().proposals] in ([], ["merge"])


def test_an_open_proposal_is_taken_back_when_its_memories_change(mem: Memory) -> None:
    mem.add(TEA)
    second = mem.add(SAME_TEA)
    (found,) = mem.reflect().proposals
    mem.forget(second)
    with pytest.raises(Conflict, match="changed since"):
        mem.accept(found.id)
    mem.reflect()
    assert mem.proposals(status="any") == []


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The user ran 5 km on Tuesday by the river.", "The user ran 3 km on Tuesday by the river.", "fact"),
        (TEA, NO_TEA, "fact"),
        (TEA, SAME_TEA, "event"),
    ],
)
def test_numbers_denials_and_dated_events_are_never_merged(mem: Memory, one: str, other: str, kind: str) -> None:
    mem.add(one, kind=kind)
    mem.add(other, kind=kind)
    mem.reflect()
    assert "merge" not in topics(mem)


def test_two_that_disagree_are_a_contradiction_and_the_older_goes(mem: Memory, clock: SetClock) -> None:
    old = mem.add(TEA)
    clock.forward(days=5)
    new = mem.add(NO_TEA)
    (found,) = mem.reflect().proposals
    assert (found.topic, found.memories) == ("contradiction", (new, old))
    mem.accept(found.id)
    assert live(mem) == {NO_TEA}
    assert mem.get(old).superseded_by == new
    assert mem.get(old).valid_to == mem.get(new).valid_from


def test_a_preference_is_reassessed_when_what_was_told_on_several_days_speaks_against_it(
    store_path: Path, clock: SetClock
) -> None:
    facts = tuple(
        Fact(f"I had a pork bun for {meal}", f"The user had a pork bun for {meal}.", "event")
        for meal in ("lunch", "dinner")
    )
    judged = Judged()
    with edgemem.open(
        store_path, language_model=RuleModel(*facts), provider=judged, settings=QUIET, clock=clock
    ) as file:
        mem = file.user("me")
        rule = mem.add("The user had a vegetarian bun for lunch and dinner by preference.", kind="preference")
        clock.forward(days=1)
        mem.learn(said(facts[0].quote, session="a", at=clock.moment))
        judged.opinions = {("vegetarian", "pork bun"): "conflict"}
        mem.reflect()
        assert "reassess" not in topics(mem), "one remark changes no preference"
        clock.forward(days=1)
        judged.opinions = {}
        mem.learn(said(facts[1].quote, session="b", at=clock.moment))
        judged.opinions = {("vegetarian", "pork bun"): "conflict"}
        found = next(p for p in mem.reflect().proposals if p.topic == "reassess")
        assert found.memories[0] == rule
        assert [t.content for t in found.turns] == [f.quote for f in facts]
        assert rule in [m.id for m in mem.list(limit=0)]
        mem.accept(found.id)
        assert mem.get(rule).status == "superseded"


def test_the_head_decides_where_it_is_sure(store_path: Path) -> None:
    judged = Judged(opinions={("sister", "sibling"): "duplicate"})
    with edgemem.open(store_path, provider=judged, settings=QUIET) as file:
        mem = file.user("me")
        mem.add("The user has a sister in the town of Porto.")
        mem.add("The user has a sibling in the town of Porto.")
        mem.add("The user has a cousin in the town of Porto.")
        (found,) = mem.reflect().proposals
        assert (found.topic, len(found.memories)) == ("merge", 2)


def test_a_state_that_nobody_asked_for_in_months_is_stale(mem: Memory, clock: SetClock) -> None:
    uid = mem.add("The user is waiting for the plumber.", kind="state")
    mem.add("The user is waiting for the carpenter.", kind="state", pinned=True)
    mem.add("The user likes oak.", kind="preference")
    clock.forward(days=60)
    assert mem.reflect().proposals == ()
    clock.forward(days=10)
    (found,) = mem.reflect().proposals
    assert (found.topic, found.memories) == ("stale", (uid,))
    change = mem.accept(found.id).change
    assert mem.get(uid).status == "forgotten"
    assert change is not None
    mem.undo(change)
    assert mem.get(uid).status == "live"


def test_two_values_of_one_attribute_disagree(store_path: Path, clock: SetClock) -> None:
    with opened(store_path, clock=clock) as file:
        mem = file.user("me")
        keys = [mem.add("The user lives in Porto."), mem.add("Home is now Lisbon.")]
        with file.engine.write() as tx:
            from edgemem.store import changing, memories

            for uid, value in zip(keys, ("Porto", "Lisbon"), strict=True):
                row = memories.row(tx, mem.get(uid).key and 1, uid)
                changing.change(tx, 1, row, "edit", "test", file.now(), subject="user", attribute="home", value=value)
        (found,) = mem.reflect().proposals
        assert (found.topic, found.memories) == ("contradiction", (keys[1], keys[0]))


def test_proposals_of_another_user_are_out_of_reach(store: MemoryFile) -> None:
    a, b = store.user("a"), store.user("b")
    a.add(TEA)
    a.add(SAME_TEA)
    (found,) = a.reflect().proposals
    assert b.proposals() == []
    for call in (b.accept, b.reject):
        with pytest.raises(NotFound):
            call(found.id)
    assert live(a) == {TEA, SAME_TEA}


def test_an_erased_memory_takes_its_proposals_along(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        mem.add(TEA)
        gone = mem.add(SAME_TEA)
        mem.reflect()
        mem.erase(gone)
        assert mem.proposals(status="any") == []
        assert file.check() == []


def test_hundreds_of_near_memories_are_reflected_on_in_bounded_pairs(mem: Memory) -> None:
    for n in range(300):
        mem.add(f"The user saw heron number {n} at the mill pond today.")
    done = mem.reflect()
    assert "merge" not in {p.topic for p in done.proposals}, "numbers differ"
