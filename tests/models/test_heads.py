"""The learned gate: its shipped weights, and the corpora they learned from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from edgemem_models import heads
from edgemem_models.features import NAMES, clause_features

from edgemem.testing import WordsEmbedder

if TYPE_CHECKING:
    from edgemem_models.embedder import LlamaEmbedder

TRAINING = Path(__file__).parents[2] / "models" / "training"

KEEP = (
    ("My stepdad keeps bees up near Whitby.", None),
    ("i can't have soy, it gives me hives", None),
    ("Answer in one paragraph from now on.", None),
    ("the claim for the fence got paid out on friday", None),
    ("nine years, at the harbour office", "How long have you worked there?"),
    ("we're flying to Lima on 3 November for my brother's graduation", None),
    ("我外婆住在绍兴，今年八十七了", None),
    ("我不吃动物内脏", None),
    ("以后回答都用表格", None),
    ("社保转移的申请昨天审核通过了", None),
    ("在医院做护士", "你做什么工作的？"),
)
DROP = (
    ("thanks a bunch, have a good one", None),
    ("how tall is the Eiffel tower?", None),
    ("translate this into German please", None),
    ("ugh so sleepy this morning", None),
    ("*draws sword* I am the last heir of Vael", None),
    ("If I were a billionaire I'd buy an island", None),
    ("yes please", "Shall I carry on?"),
    ("谢谢啦，辛苦了", None),
    ("长城有多长？", None),
    ("帮我把这段话改得正式一点", None),
    ("好困啊，不想上班", None),
    ("继续吧", "需要我接着写吗？"),
)


def _items(sentences: Sequence[tuple[str, str | None]]) -> list[heads.Item]:
    return [(text, text, asked) for text, asked in sentences]


def _corpus() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(TRAINING.glob("corpus_*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield path.name, json.loads(line)


@pytest.mark.model
def test_the_shipped_weights_fit_the_default_embedder(e5: LlamaEmbedder) -> None:
    gate = heads.for_embedder(e5)
    assert gate is not None
    assert gate.fingerprint == heads.load_gate().fingerprint


@pytest.mark.model
def test_fresh_sentences_are_told_apart(e5: LlamaEmbedder) -> None:
    gate = heads.LearnedGate(e5)
    kept = [1 - p["N"] > 0.5 for p in gate.judge(_items(KEEP))]
    dropped = [1 - p["N"] < 0.5 for p in gate.judge(_items(DROP))]
    assert sum(kept + dropped) >= 0.8 * len(kept + dropped), (kept, dropped)


@pytest.mark.model
def test_probabilities_sum_to_one_whatever_the_text(e5: LlamaEmbedder) -> None:
    odd = ["", " ", "\0", "?" * 400, "🙂", "a b\n" * 200, "ﷺ", "我" * 700]
    for found in heads.LearnedGate(e5).judge([(text, text, None) for text in odd]):
        assert list(found) == list(heads.LETTERS)
        assert sum(found.values()) == pytest.approx(1.0)
        assert all(0.0 <= p <= 1.0 for p in found.values())


def test_no_clauses_no_verdicts() -> None:
    assert heads.LearnedGate(WordsEmbedder()).judge([]) == []


def test_another_embedder_has_no_gate() -> None:
    assert heads.for_embedder(WordsEmbedder()) is None


def test_weights_survive_the_file(tmp_path: Path) -> None:
    matrix = np.arange(20, dtype=np.float64).reshape(5, 4) / 8
    weights = heads.GateWeights("an embedder", matrix, np.zeros(4), 1.5, -0.25)
    weights.save(tmp_path / "gate.npz")
    assert heads.load_gate(tmp_path / "gate.npz").fingerprint == weights.fingerprint


def test_the_weights_are_small_and_plain_numbers() -> None:
    assert heads.GATE_FILE.stat().st_size <= 60_000
    assert np.isfinite(heads.load_gate().matrix).all()


def test_calibration_moves_only_keep_against_nothing() -> None:
    logits = np.array([[1.0, 0.0, -1.0, 2.0], [800.0, 0.0, -800.0, 0.0]])
    plain, moved = heads.calibrated(logits, 1.0, 0.0), heads.calibrated(logits, 1.0, 2.0)
    softmax = np.exp(logits[0]) / np.exp(logits[0]).sum()
    assert plain[0] == pytest.approx(softmax)
    assert moved[0, -1] < plain[0, -1]
    assert moved[0, 0] / moved[0, 1] == pytest.approx(plain[0, 0] / plain[0, 1])
    assert np.isfinite(plain).all()


def _signs(clause: str, message: str | None = None, asked: str | None = None) -> set[str]:
    values = clause_features(clause, message or clause, asked)
    return {name for name, value in zip(NAMES, values, strict=True) if value}


def test_features_see_person_form_and_frame() -> None:
    assert {"my", "kin", "negation"} <= _signs("My sister can't eat nuts")
    assert {"i", "health", "han"} <= _signs("我对青霉素过敏")
    assert {"question", "ask_first"} <= _signs("Where is Laos?")
    assert {"question", "ask_word"} <= _signs("老挝在哪里？")
    assert {"role", "whole_roleplay"} <= _signs("*bows* I am the king")
    assert "hypothetical" in _signs("要是我有条狗")
    assert "whole_forget" in _signs("I owe 400", "don't save this. I owe 400")
    assert "asked" in _signs("never did", asked="Do you ski?")
    assert "asked" not in _signs("never did")


def test_the_corpora_are_well_formed() -> None:
    found = list(_corpus())
    letters = [letter for _, entry in found for _, letter in entry["clauses"]]
    assert {"corpus_en.jsonl", "corpus_zh.jsonl"} <= {name for name, _ in found}
    assert set(letters) == set(heads.LETTERS)
    assert 0.35 < letters.count("N") / len(letters) < 0.65
    for _, entry in found:
        assert set(entry) == {"asked", "clauses"}
        assert entry["asked"] is None or entry["asked"].strip()
        assert entry["clauses"]
        assert all(text.strip() for text, _ in entry["clauses"])


def test_no_message_is_written_twice() -> None:
    messages = [(entry["asked"], " ".join(text for text, _ in entry["clauses"])) for _, entry in _corpus()]
    assert len(messages) == len(set(messages))


def test_the_sentences_above_are_not_in_the_corpora() -> None:
    known = {text for _, entry in _corpus() for text, _ in entry["clauses"]}
    assert [text for text, _ in KEEP + DROP if text in known] == []
