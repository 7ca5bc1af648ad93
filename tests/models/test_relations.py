"""The relation head: its shipped weights, what code sees of a pair, and the scenes it learned from."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from edgemem_models import pair_signs, relations
from edgemem_models.pair_signs import NAMES, bare, look
from edgemem_models.pair_signs import pair_signs as signs_of
from edgemem_models.relations import MEASURES, Frame, RelationWeights, Rows

from edgemem.ports import Priority
from edgemem.records import RELATIONS
from edgemem.write.compare import cheapest

if TYPE_CHECKING:
    from edgemem_models.embedder import LlamaEmbedder

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "models" / "training"
HELD_OUT = [json.loads(line) for line in (ROOT / "tests/data/pairs_held_out.jsonl").read_text("utf-8").splitlines()]
HARMFUL = {
    ("distinct", "duplicate"), ("distinct", "refine"), ("distinct", "conflict"), ("conflict", "duplicate"), ("refine", "duplicate"),
}  # fmt: skip


class Stub:
    """An embedder of other weights."""

    fingerprint = "other"

    def embed_tokens(self, texts: Sequence[str], *, priority: Priority = "background") -> list[Rows]:
        return [np.ones((2, 6), np.float32) * (n + 1) for n, _ in enumerate(texts)]


def _lines(language: str) -> list[str]:
    return (TRAINING / f"pairs_{language}.txt").read_text("utf-8").splitlines()


@pytest.mark.model
def test_pairs_never_learned_from_are_decided_rightly(e5: LlamaEmbedder) -> None:
    head = relations.for_embedder(e5)
    assert head is not None
    found = head.relate([(item["old"], item["new"]) for item in HELD_OUT])
    said = [cheapest({r: odds[r] for r in RELATIONS}) for odds in found]
    wrong = [(i["relation"], s, i["old"], i["new"]) for i, s in zip(HELD_OUT, said, strict=True) if i["relation"] != s]
    assert len(wrong) <= 0.2 * len(HELD_OUT), wrong
    assert sum((w[0], w[1]) in HARMFUL for w in wrong) <= 1, wrong


BESIDE = {
    "en": (
        "The user watches birds in the marsh before work.", "The user was overjoyed to hear a bittern.",
        "The user lent the spare binoculars to a nephew.", "The user thinks that patience is half of birding.",
        "The user is worried about the new road through the reeds.", "The user keeps lists in a school notebook.",
        "The user wrote to the mayor about the nesting season.", "The user's knees complain about the cold hide.",
        "The user is grateful to the warden for opening the gate early.", "The user hopes to see cranes next autumn.",
        "The user bakes flapjacks for the walking group.", "The user prefers listening to looking.",
    ),
    "zh": (
        "用户上班前去湿地看鸟。", "用户听到大麻鳽叫时高兴坏了。", "用户把备用望远镜借给了侄子。", "用户认为观鸟一半靠耐心。",
        "用户担心新修的路会穿过芦苇荡。", "用户用小学生的本子记录鸟种。", "用户给街道写信反映繁殖季的事。", "用户的膝盖受不了观鸟棚里的冷。",
        "用户很感谢管理员提早开门。", "用户盼着明年秋天能看到鹤。", "用户给同行的人烤燕麦饼。", "用户更喜欢听而不是看。",
    ),
}  # fmt: skip
"""Statements of one person about one theme; each holds beside every other."""


@pytest.mark.model
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_only_near_in_theme_is_left_alone(e5: LlamaEmbedder, language: str) -> None:
    """A life has many true sentences about one theme: telling the next one may not end the last one."""
    pairs = list(itertools.permutations(BESIDE[language], 2))
    found = relations.LearnedRelations(e5).relate(pairs)
    acted = [
        (old, new, odds)
        for (old, new), odds in zip(pairs, found, strict=True)
        if cheapest({r: odds[r] for r in RELATIONS}) != "distinct"
    ]
    assert len(acted) <= 0.02 * len(pairs), acted


@pytest.mark.model
def test_probabilities_sum_to_one_whatever_the_text(e5: LlamaEmbedder) -> None:
    odd = ["", " ", "\0", "?" * 900, "🙂", "a b\n" * 200, "ﷺ", "我" * 700, "7" * 50, "the user", "用户"]
    for found in relations.LearnedRelations(e5).relate([(a, b) for a in odd for b in odd]):
        assert tuple(found) == RELATIONS
        assert sum(found.values()) == pytest.approx(1.0)
        assert all(0.0 <= p <= 1.0 for p in found.values())


@pytest.mark.model
def test_company_changes_little(e5: LlamaEmbedder) -> None:
    """A pair is judged nearly the same alone and among others."""
    pairs = [(item["old"], item["new"]) for item in HELD_OUT[:12]]
    head = relations.LearnedRelations(e5)
    for pair, together in zip(pairs, head.relate(pairs), strict=True):
        assert head.relate([pair])[0] == pytest.approx(together, abs=0.05)


def test_no_pairs_no_verdicts() -> None:
    assert relations.LearnedRelations(Stub()).relate([]) == []


def test_another_embedder_has_no_head() -> None:
    assert relations.for_embedder(Stub()) is None


def test_the_weights_are_plain_numbers_of_a_few_hundred_kilobytes() -> None:
    assert relations.FILE.stat().st_size <= 600_000
    weights = relations.load_relations()
    assert all(np.isfinite(part.astype(np.float64)).all() for part in weights.arrays().values())
    assert weights.hidden.shape[1] == MEASURES + len(NAMES) + weights.frame.axes.shape[0] * weights.frame.axes.shape[2]


def test_weights_survive_the_file(tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    frame = Frame(chance.normal(size=(2, 6)), chance.normal(size=(6, 6, 3)))
    width = MEASURES + len(NAMES) + 18
    weights = RelationWeights(
        "other", frame, np.zeros(width), np.ones(width), chance.normal(size=(2, width, 5)), np.zeros((2, 5)),
        chance.normal(size=(2, 5, 4)), np.zeros((2, 4)), 1.25,
    )  # fmt: skip
    weights.save(tmp_path / "relations.npz")
    again = relations.load_relations(tmp_path / "relations.npz")
    assert again.fingerprint == weights.fingerprint
    (odds,) = relations.LearnedRelations(Stub(), again).relate([("The user skates.", "用户滑冰。")])
    assert sum(odds.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The user skates.", "skates."), ("User's sledge is red.", "sledge is red."), ("用戶在學滑冰。", "在学滑冰。"),
        ("用户的雪橇是红的。", "雪橇是红的。"), ("Skates.", "Skates."), ("the user", "the user"), ("Users vote.", "Users vote."),
    ],
)  # fmt: skip
def test_the_subject_user_is_taken_off(text: str, said: str) -> None:
    assert bare(text) == said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The race is on 2026-08-03.", "The race is on August 3, 2026."), ("The race starts at 3 pm.", "The race starts at 15:00."),
        ("比赛在8月3日。", "比赛在八月三号。"), ("比赛下午三点半开始。", "比赛15:30开始。"), ("Paid 1,250.50", "Paid 1250.5"),
        ("奖金一万两千元", "奖金12000元"), ("It starts at half past nine.", "It starts at 9:30."), ("Up at a quarter to six", "Up at 5:45"), ("The user has five sledges.", "The user has 5 sledges."),
    ],
)  # fmt: skip
def test_one_number_written_in_two_ways_is_the_same_number(one: str, other: str) -> None:
    assert look(one).numbers == look(other).numbers


def _named(old: str, new: str) -> dict[str, float]:
    return {name: value for name, value in zip(NAMES, signs_of(look(old), look(new)), strict=True) if value}


def test_signs_tell_ids_years_people_and_polarity_apart() -> None:
    assert "ids_differ" in _named("Order 8812 is late.", "Order 8821 is late.")
    assert "years_differ" in _named("The user raced in 2024.", "The user raced in 2025.")
    assert "people_differ" in _named("The user's aunt skates.", "The user's brother skates.")
    assert "negation_differs" in _named("用户吃羊肉。", "用户不吃羊肉。")
    assert "only_new_ended" in _named("The user skates.", "The user has given up skating.")
    assert _named("The user skates.", "User skates.")["same"] == 1.0


def test_simplifying_maps_one_character_to_one() -> None:
    assert len(pair_signs.SIMPLER[0]) == len(pair_signs.SIMPLER[1])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_scene_is_well_formed_and_written_once(language: str) -> None:
    blocks = "\n".join(_lines(language)).split("\n\n")
    firsts = []
    for block in blocks:
        lines = block.strip().splitlines()
        letters = {line[:2] for line in lines}
        beside = letters == {"t "}
        assert beside or [line[:2] for line in lines if line[:2] not in ("d ", "g ", "r ", "c ", "x ")] == ["= "], block
        assert len(lines) == len(set(lines)) > 1, block
        firsts.append(lines[0])
    assert len(firsts) == len(set(firsts)) >= 300


def test_the_held_out_pairs_are_in_no_scene() -> None:
    written = {line[2:].strip() for language in ("en", "zh") for line in _lines(language)}
    assert not written & {text for item in HELD_OUT for text in (item["old"], item["new"])}
    assert not written & {text for told in BESIDE.values() for text in told}
