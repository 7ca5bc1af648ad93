from __future__ import annotations

import math
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from edgemem_models import embedder
from edgemem_models.calibration import E5_POINTS, calibration_points, interpolate
from edgemem_models.centres import Centres
from edgemem_models.embedder import LlamaEmbedder, fingerprint
from edgemem_models.gguf_file import read_header
from edgemem_models.windows import cut_at_sentences

from edgemem.errors import InvalidInput, ModelError
from edgemem.ports import Embedder

pytestmark = pytest.mark.model


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_meaning_crosses_languages(e5: LlamaEmbedder) -> None:
    embedder: Embedder = e5
    [question] = embedder.embed(["我妹妹住在哪里？"], "query")
    right, wrong = embedder.embed(["My sister lives in Lisbon.", "The printer is out of toner."], "passage")
    assert cosine(question, right) > cosine(question, wrong) + 0.05


def test_vectors_have_unit_length_whatever_the_text(e5: LlamaEmbedder) -> None:
    texts = [
        "",
        " ",
        "a",
        "\ud800 lone",
        "nul \x00 inside",
        "👨‍👩‍👧‍👦",
        "z" * 3000,
        "Hello there. " * 300,
        "是的。" * 600,
    ]
    vectors = e5.embed(texts, "passage")
    assert len(vectors) == len(texts)
    for vector in vectors:
        assert len(vector) == e5.dim == 384
        assert math.isclose(cosine(vector, vector), 1.0, abs_tol=1e-4)
    assert e5.embed([], "query") == []


def test_the_end_of_a_long_text_counts(e5: LlamaEmbedder) -> None:
    filler = "The weather report spoke of light rain in the valley. " * 60
    with_end, other_end = e5.embed(
        [filler + "My passport number is new." * 20, filler + "我喜欢吃辣。" * 20], "passage"
    )
    assert cosine(with_end, other_end) < 0.999


def test_a_batch_equals_one_by_one(e5: LlamaEmbedder) -> None:
    texts = [f"Person {number} likes {'tea' if number % 3 else 'very strong black coffee'}." for number in range(40)]
    together = e5.embed(texts, "passage")
    for text, vector in zip(texts, together, strict=True):
        assert cosine(e5.embed([text], "passage")[0], vector) > 0.999


def test_unicode_forms_are_the_same_text(e5: LlamaEmbedder) -> None:
    composed, decomposed, wide = e5.embed(["café 5", "cafe\u0301 5", "ｃａｆé ５"], "query")
    assert cosine(composed, decomposed) > 0.9999
    assert cosine(composed, wide) > 0.9999


def test_chat_priority_goes_between_background_batches(e5: LlamaEmbedder) -> None:
    order: list[str] = []

    def background() -> None:
        e5.embed([f"background text number {number} " * 8 for number in range(60)], "passage")
        order.append("background")

    thread = threading.Thread(target=background)
    thread.start()
    time.sleep(0.1)
    e5.embed(["now"], "query", priority="chat")
    order.append("chat")
    thread.join(60)
    assert order == ["chat", "background"]


def test_fingerprint_depends_on_file_and_prefixes(e5_path: Path) -> None:
    info = read_header(e5_path)
    prints = {fingerprint(info, ("", "")), fingerprint(info, ("query: ", "passage: ")), fingerprint(info, ("", ""))}
    assert len(prints) == 2


def test_calibration_means_the_same(e5: LlamaEmbedder) -> None:
    points = calibration_points(e5)
    for (measured, similarity), (stored, same) in zip(points, E5_POINTS, strict=True):
        assert similarity == same
        assert math.isclose(measured, stored, abs_tol=0.01)
    vectors = e5.embed(["I have a peanut allergy.", "I am allergic to peanuts.", "The tram was late."], "passage")
    assert e5.calibrate(cosine(vectors[0], vectors[1])) > 0.85
    assert e5.calibrate(cosine(vectors[0], vectors[2])) < 0.5


def test_calibrate_is_monotonic_and_bounded() -> None:
    values = [interpolate(E5_POINTS, number / 100) for number in range(-100, 102)]
    assert values == sorted(values)
    assert values[0] == 0.0
    assert values[-1] == 1.0
    assert interpolate(E5_POINTS, float("nan")) == 0.0


def test_bad_kind_and_closed_model_are_refused(e5: LlamaEmbedder, e5_path: Path) -> None:
    with pytest.raises(InvalidInput):
        e5.embed(["x"], "document")  # type: ignore[arg-type]
    other = LlamaEmbedder(e5_path)
    other.close()
    other.close()
    with pytest.raises(ModelError, match="closed"):
        other.embed(["x"], "query")


def test_windows_keep_every_character_and_fit() -> None:
    text = "One sentence. Another one! 第三句。" * 50 + "x" * 700 + "\n\nlast"
    pieces = list(cut_at_sentences(text, lambda piece: len(piece) <= 100))
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= 100
    assert sum(piece.rstrip().endswith((".", "!", "。")) for piece in pieces) > len(pieces) // 2


def test_what_a_language_has_in_common_is_taken_out(e5: LlamaEmbedder) -> None:
    """Relevant memories stand above irrelevant ones, also of the language of the question."""
    questions = e5.embed(["does my sister work in a hospital?", "我住在哪个城市"], "query")
    notes = e5.embed(["The user's sister is a nurse.", "用户不喜欢下雨天。", "The user lives in Porto."], "passage")
    assert cosine(questions[0], notes[0]) > cosine(questions[0], notes[1]) + 0.1
    assert cosine(questions[1], notes[2]) > cosine(questions[1], notes[1])


def test_centring_leaves_the_average_text_alone() -> None:
    mean = np.array([0.6, 0.8])
    centres = Centres(
        {("query", False): mean, ("passage", False): mean, ("query", True): mean, ("passage", True): mean}
    )
    vectors = np.array([[0.6, 0.8], [1.0, 0.0]])
    result = centres.apply(vectors, ["a", "b"], "passage")
    assert np.allclose(result[0], vectors[0])
    assert np.allclose(result[1], np.array([0.4, -0.8]) / np.hypot(0.4, 0.8))


def test_a_window_smaller_than_a_pack_of_short_texts(e5_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder, "WINDOW", 48)
    small = LlamaEmbedder(e5_path, prefixes=("query: ", "passage: "))
    try:
        texts = [f"The boat number {n} lies in the harbour." for n in range(12)]
        together = small.embed(texts, "passage")
        assert np.allclose(together[5], small.embed([texts[5]], "passage")[0], atol=1e-2)
    finally:
        small.close()
