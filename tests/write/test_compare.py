"""What is decided when a new memory meets stored ones, whoever tells the probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgemem
from edgemem.errors import ModelMissing
from edgemem.ports import LanguageModel
from edgemem.records import RELATIONS, Relation4
from edgemem.testing import WordsEmbedder
from edgemem.write.compare import LOSS, Verdict, cheapest, relate
from tests.helpers import QUIET, Fact, RuleModel, said

HARMFUL = [("distinct", "duplicate"), ("distinct", "refine"), ("distinct", "conflict"), ("conflict", "duplicate"), ("refine", "duplicate")]  # fmt: skip


class Told:
    """A relation head that says what it was told to say."""

    fingerprint = "told"

    def __init__(self, *odds: float) -> None:
        self._odds: dict[str, float] = dict(zip(map(str, RELATIONS), odds, strict=True))
        self.asked: list[tuple[str, str]] = []

    def relate(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
        self.asked += pairs
        return [dict(self._odds) for _ in pairs]


def no_model() -> NoReturn:
    raise AssertionError("the language model was asked")


def missing() -> NoReturn:
    raise ModelMissing("There is no chat model.", "Pull it.")


def one(judge: Told | None, old: str, new: str, model: LanguageModel | None = None) -> Verdict:
    return relate([(old, new)], judge, no_model if model is None else lambda: model)[0]


def odds(*shares: float) -> dict[Relation4, float]:
    return dict(zip(RELATIONS, shares, strict=True))


def test_the_head_decides_without_the_language_model() -> None:
    found = one(Told(0.05, 0.05, 0.85, 0.05), "The user keeps bees.", "The user gave up the bees.")
    assert (found.relation, found.by) == ("conflict", "head")


def test_the_same_words_need_neither_head_nor_model() -> None:
    head = Told(0, 0, 1, 0)
    found = relate([("The user keeps bees.", "the user  keeps bees"), ("a b", "c d")], head, no_model)
    assert [v.by for v in found] == ["same words", "head"]
    assert found[0].odds == odds(1, 0, 0, 0)
    assert head.asked == [("a b", "c d")]


def test_nothing_met_asks_nobody() -> None:
    assert relate([], Told(1, 0, 0, 0), no_model) == []


def test_losing_something_true_costs_more_than_keeping_it_twice() -> None:
    assert cheapest(odds(0.55, 0.0, 0.0, 0.45)) == "distinct"
    assert cheapest(odds(0.9, 0.0, 0.0, 0.1)) == "duplicate"
    assert cheapest(odds(0.55, 0.45, 0.0, 0.0)) == "refine"
    assert cheapest(odds(0.0, 0.6, 0.4, 0.0)) == "refine"


@given(st.lists(st.floats(0.001, 1), min_size=4, max_size=4), st.sampled_from(HARMFUL))
def test_a_harmful_decision_is_only_taken_when_it_is_clearly_likelier(
    shares: list[float], harmful: tuple[Relation4, Relation4]
) -> None:
    true, decision = harmful
    found = odds(*(share / sum(shares) for share in shares))
    if cheapest(found) == decision:
        assert found[decision] >= LOSS * found[true] - (1 - found[decision] - found[true]) * (LOSS - 1) - 1e-9


def test_a_head_in_doubt_is_joined_by_the_language_model() -> None:
    doubt = Told(0.1, 0.05, 0.45, 0.4)
    for relation in ("conflict", "distinct"):
        model = RuleModel(relation=relation)
        found = one(doubt, "The user keeps bees.", "The user keeps geese.", model)
        assert (found.relation, found.by) == (relation, "head and model")
        assert sum(found.odds.values()) == pytest.approx(1)


def test_the_model_alone_does_not_outvote_what_the_head_finds_unlikely() -> None:
    found = one(Told(0.01, 0.01, 0.2, 0.78), "The user keeps bees.", "A ferry runs.", RuleModel(relation="duplicate"))
    assert found.relation == "distinct"


def test_only_what_is_doubted_is_put_to_the_model() -> None:
    class Half(Told):
        def relate(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
            sure, unsure = odds(0.01, 0.01, 0.97, 0.01), odds(0.3, 0.3, 0.2, 0.2)
            return [{str(r): share for r, share in (sure if "sure" in old else unsure).items()} for old, _ in pairs]

    model = RuleModel(relation="distinct")
    asked: list[str] = []

    def choose(prefix: object, questions: Sequence[str], options: Sequence[str]) -> list[dict[str, float]]:
        asked.extend(questions)
        return RuleModel.choose(model, [], questions, options)

    model.choose = choose  # type: ignore[method-assign, assignment]
    pairs = [("sure 1", "a"), ("doubt 1", "b"), ("sure 2", "c"), ("doubt 2", "d")]
    found = relate(pairs, Half(0, 0, 0, 0), lambda: model)
    assert [v.by for v in found] == ["head", "head and model"] * 2
    assert ["doubt 1" in question or "doubt 2" in question for question in asked] == [True, True]


def test_a_head_in_doubt_decides_alone_where_there_is_no_model() -> None:
    found = relate([("The user keeps bees.", "The user keeps geese.")], Told(0.1, 0.05, 0.45, 0.4), missing)[0]
    assert (found.by, found.odds) == ("head", odds(0.1, 0.05, 0.45, 0.4))


@pytest.mark.parametrize("relation", RELATIONS)
def test_without_a_head_the_language_model_is_asked(relation: str) -> None:
    found = one(None, "The user likes plum jam.", "The user likes quince jam.", RuleModel(relation=relation))
    assert (found.relation, found.by) == (relation, "model")


class ByOld:
    """A relation head that knows its answer for each stored sentence; all others are distinct."""

    fingerprint = "by old"

    def __init__(self, **answers: Relation4) -> None:
        self.answers = answers

    def relate(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
        return [{r: 0.97 if r == self._of(old) else 0.01 for r in RELATIONS} for old, _ in pairs]

    def _of(self, old: str) -> Relation4:
        return next((relation for word, relation in self.answers.items() if word in old), "distinct")


@dataclass
class WithHead:
    """Models with a relation head."""

    language: RuleModel
    head: ByOld

    def language_model(self) -> RuleModel:
        return self.language

    def embedder(self) -> Alike:
        return Alike()

    def clause_judge(self) -> None:
        return None

    def relation_judge(self) -> ByOld:
        return self.head

    def close(self) -> None:
        """Nothing to free."""


class Alike(WordsEmbedder):
    """Calls every two texts near in meaning."""

    def calibrate(self, cosine: float) -> float:
        return 0.8


JAMS = ("plum", "quince", "fig", "grape")


def outcome_of_grape(path: Path, **answers: Relation4) -> tuple[str, list[str]]:
    """Three jams are known and distinct; what happens to the fourth?"""
    model = RuleModel(*(Fact(f"{jam} jam", f"The user likes {jam} jam.") for jam in JAMS))
    head = ByOld()
    with edgemem.open(path, provider=WithHead(model, head), settings=QUIET) as file:
        mem = file.user("me")
        for jam in JAMS[:3]:
            mem.learn(said(f"I like {jam} jam", session=jam))
        head.answers = answers
        receipt = mem.learn(said("I like grape jam", session="grape"))
        assert file.check() == []
        return receipt.memories[0].outcome, sorted(m.content for m in mem.list())


def test_all_near_memories_are_met_not_only_the_nearest(tmp_path: Path) -> None:
    for number, jam in enumerate(JAMS[:3]):
        answers: dict[str, Relation4] = {jam: "conflict"}
        outcome, live = outcome_of_grape(tmp_path / f"{number}.edgemem", **answers)
        assert outcome == "replaced"
        assert f"The user likes {jam} jam." not in live
        assert len(live) == 3


def test_what_is_known_already_is_not_written_whatever_else_it_meets(tmp_path: Path) -> None:
    outcome, live = outcome_of_grape(tmp_path / "d.edgemem", plum="conflict", quince="duplicate", fig="refine")
    assert outcome == "duplicate"
    assert live == [f"The user likes {jam} jam." for jam in ("fig", "plum", "quince")]


SAME = (
    (("My sister Ilse is a vegetarian", "The user's sister Ilse is a vegetarian."),
     ("My sister is a vegetarian since school", "The user's sister is a vegetarian since school.")),
    (("I really like rowing", "The user really likes rowing."), ("I like rowing", "The user likes rowing.")),
    (("我喜欢游泳", "用户喜欢游泳。"), ("我特别喜欢游泳", "用户特别喜欢游泳。")),
)  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SAME)
def test_who_tells_the_same_of_the_same_person_replaces_nothing(
    tmp_path: Path, first: tuple[str, str], second: tuple[str, str]
) -> None:
    head = ByOld()
    provider = WithHead(RuleModel(Fact(*first), Fact(*second)), head)
    with edgemem.open(tmp_path / "a.edgemem", provider=provider, settings=QUIET) as file:
        mem = file.user("me")
        mem.learn(said(first[0], session="one"))
        head.answers = {first[1]: "conflict"}
        receipt = mem.learn(said(second[0], session="two"))
        assert [m.outcome for m in receipt.memories] == ["added"]
        assert {m.content for m in mem.list()} == {first[1], second[1]}


@pytest.mark.parametrize(
    ("old", "new", "shares", "relation"),
    [
        ("The user lives in Ghent.", "The user lives in Lille.", (0.0, 0.0, 0.1, 0.9), "conflict"),
        ("用户住在南京。", "用户五月份搬到了苏州。", (0.0, 0.02, 0.58, 0.4), "conflict"),
        ("用户住在南京。", "用户五月份搬到了苏州。", (0.0, 0.02, 0.4, 0.58), "distinct"),
        ("用户住在苏州。", "用户五月份搬到了苏州。", (0.0, 0.02, 0.58, 0.4), "distinct"),
        (
            "The user's sister is a nurse.",
            "The user's sister is a nurse at the port.",
            (0.02, 0.6, 0.36, 0.02),
            "refine",
        ),
    ],
)
def test_what_both_tell_in_fields_is_weighed_in(
    old: str, new: str, shares: tuple[float, ...], relation: Relation4
) -> None:
    assert relate([(old, new)], Told(*shares), missing)[0].relation == relation


NOTHING_BACK = (
    ("The user takes the tram to work because parking is dear.", "The user takes the tram to work, not the car.", "distinct"),
    ("The user does yoga every morning.", "The user likes yoga in the evening.", "distinct"),
    ("The user works as a nurse and loves it.", "The user works as a nurse but wants out.", "distinct"),
    ("The user is a nurse since 2010.", "The user is a nurse since 2015.", "conflict"),
    ("The user is not allergic to nuts.", "The user is also allergic to nuts.", "conflict"),
    ("The user runs every morning.", "The user has stopped running.", "conflict"),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new", "relation"), NOTHING_BACK)
def test_what_takes_nothing_back_replaces_nothing_and_is_never_lost(old: str, new: str, relation: Relation4) -> None:
    assert relate([(old, new)], Told(0.08, 0.01, 0.9, 0.01), missing)[0].relation == relation
