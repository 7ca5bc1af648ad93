"""Clauses on the fence are judged by the model's states where learned weights know them, by its letter where not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from edgemem.ports import Message, Priority
from edgemem.testing import ScriptedModel
from edgemem.write import gate
from edgemem.write.clauses import split

MESSAGE = "We keep bees behind the shed. My knee is bad again. Nice weather. 我家后院养蜂。"
FENCE = {"My knee is bad again.": 0.5, "Nice weather.": 0.001, "我家后院养蜂。": 0.6}


class Seen(ScriptedModel):
    """A model whose state of a question is its length."""

    fingerprint = "seen"

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, int]] = []

    def states(
        self, prefix: Sequence[Message], questions: Sequence[str], layer: int, *, priority: Priority = "background"
    ) -> list[list[float]]:
        self.asked += [(question, layer) for question in questions]
        return [[float(len(question))] for question in questions]


class Look:
    """Keeps whatever has a state of more than ten characters."""

    model = "seen"
    layer = 7

    def judge(
        self, clauses: Sequence[tuple[str, str, str | None]], states: Sequence[Sequence[float]]
    ) -> list[dict[str, float]]:
        assert len(clauses) == len(states)
        return [_odds(0.95 if state[0] > 10 else 0.05) for state in states]


class First:
    """A first look with the given probabilities of "keep", 0.99 for what has none."""

    fingerprint = "first"

    def __init__(self, second: Look | None) -> None:
        self.second = second

    def judge(self, clauses: Sequence[tuple[str, str, str | None]]) -> list[dict[str, float]]:
        return [_odds(FENCE.get(clause, 0.99)) for clause, _, _ in clauses]


def _odds(keep: float) -> dict[str, float]:
    return {"F": keep, "P": 0.0, "S": 0.0, "N": 1 - keep}


def test_only_what_is_on_the_fence_is_looked_at_again() -> None:
    model = Seen()
    verdicts = gate.judge(model, First(Look()), split(MESSAGE), MESSAGE, None)
    assert [v.by for v in verdicts] == ["learned", "both", "learned", "both"]
    assert [round(v.keep, 2) for v in verdicts] == [0.99, 0.81, 0.0, 0.84]
    assert [layer for _, layer in model.asked] == [7, 7]
    assert model.asked[0][0] == "(before: We keep bees behind the shed.)\nMy knee is bad again."
    assert model.prompts == []


@pytest.mark.parametrize(("model", "second"), [(ScriptedModel(), Look()), (Seen(), None)])
def test_without_states_or_weights_the_letter_is_asked(model: ScriptedModel, second: Look | None) -> None:
    verdicts = gate.judge(model, First(second), split(MESSAGE), MESSAGE, None)
    assert [v.by for v in verdicts] == ["learned", "both", "learned", "both"]
    assert not getattr(model, "asked", [])
    assert verdicts[1].keep < 0.5


def test_weights_for_another_model_are_left_out() -> None:
    model = Seen()
    model.fingerprint = "another"
    gate.judge(model, First(Look()), split(MESSAGE), MESSAGE, None)
    assert model.asked == []


def test_the_question_is_part_of_what_the_model_sees() -> None:
    assert gate.second_question("two", "two", "How many goats?") == "(asked: How many goats?)\ntwo"
