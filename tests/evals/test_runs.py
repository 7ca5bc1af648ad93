from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edgemem.errors import Aborted, InvalidInput
from edgemem.evals.report import report
from edgemem.evals.retrieval import percentile
from edgemem.evals.run import EvalKind, Options, chosen, evaluate, score
from edgemem.evals.seams import Silent

from .fakes import FakeOpener, StopAfter
from .tiny import EXTRACTION, MEMORYBANK, PAIRS, item, write_lines, write_locomo


def run(kind: EvalKind, paths: list[Path], opener: FakeOpener, **options: Any) -> dict[str, Any]:
    return evaluate(kind, paths, opener, lambda: {"model": "m", "embedder": "e"}, Options(**options), Silent())


@pytest.fixture
def extraction_set(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "extract.jsonl", EXTRACTION)


def test_extraction_scores_what_is_live_in_a_fresh_store_for_each_item(extraction_set: Path, tmp_path: Path) -> None:
    opener = FakeOpener()
    figures = run("extraction", [extraction_set], opener, predictions=tmp_path / "p.jsonl")
    assert (figures["recall"], figures["precision"], figures["false_memories"]) == (0.667, 0.667, 1)
    assert figures["stored"] == 3, "the superseded memory does not count"
    assert len({file.path for file in opener.opened}) == 1 + len(EXTRACTION)
    assert {"seconds_per_turn", "model", "embedder", "machine", "seconds", "pipeline"} <= figures.keys()
    assert "junk/100" in report("extraction", figures)


def test_predictions_score_the_same_without_a_run(extraction_set: Path, tmp_path: Path) -> None:
    predictions = tmp_path / "p.jsonl"
    figures = run("extraction", [extraction_set], FakeOpener(), predictions=predictions)
    again = score("extraction", [extraction_set], predictions)
    assert again == {name: figures[name] for name in again}


def test_an_interrupted_run_goes_on_where_it_stopped(extraction_set: Path, tmp_path: Path) -> None:
    predictions = tmp_path / "deep" / "p.jsonl"
    with pytest.raises(Aborted) as stopped:
        run("extraction", [extraction_set], FakeOpener(StopAfter(2)), predictions=predictions)
    assert "2 of 4" in str(stopped.value)
    assert str(predictions) in stopped.value.hint
    figures = run("extraction", [extraction_set], FakeOpener(StopAfter(2)), predictions=predictions)
    assert figures["taken_up"] == 2
    assert figures["recall"] == 0.667
    assert len(predictions.read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_cut_last_line_is_done_again(extraction_set: Path, tmp_path: Path, cut: int) -> None:
    predictions = tmp_path / "p.jsonl"
    run("extraction", [extraction_set], FakeOpener(), predictions=predictions)
    predictions.write_bytes(predictions.read_bytes()[:-cut])
    figures = run("extraction", [extraction_set], FakeOpener(), predictions=predictions)
    assert figures["taken_up"] == (4 if cut == 1 else 3)
    assert figures["recall"] == 0.667
    assert len(predictions.read_text(encoding="utf-8").splitlines()) == 4


def test_predictions_of_another_pipeline_are_refused_and_fresh_keeps_them(extraction_set: Path, tmp_path: Path) -> None:
    predictions = tmp_path / "p.jsonl"
    run("extraction", [extraction_set], FakeOpener(), predictions=predictions)
    with pytest.raises(InvalidInput, match="another model or version"):
        run("extraction", [extraction_set], FakeOpener(version="2"), predictions=predictions)
    figures = run("extraction", [extraction_set], FakeOpener(version="2"), predictions=predictions, fresh=True)
    assert figures["taken_up"] == 0
    assert (tmp_path / "p.jsonl.previous").exists()


def test_without_a_file_predictions_go_to_the_cache(
    extraction_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgemem.evals.run.cache_home", lambda _env: tmp_path / "cache")
    run("extraction", [extraction_set], FakeOpener())
    assert run("extraction", [extraction_set], FakeOpener())["taken_up"] == 4
    assert run("extraction", [extraction_set], FakeOpener(version="2"))["taken_up"] == 0


def test_an_item_the_model_fails_on_is_reported_and_tried_again(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", [item("x", ["break"], []), *EXTRACTION])
    figures = run("extraction", [path], FakeOpener(), predictions=tmp_path / "p.jsonl")
    assert figures["failed"] == {"x": "The model wrote nonsense."}
    assert run("extraction", [path], FakeOpener(), predictions=tmp_path / "p.jsonl")["taken_up"] == 4


def test_pairs(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "pairs.jsonl", PAIRS)
    figures = run("pairs", [path], FakeOpener(), predictions=tmp_path / "p.jsonl")
    assert (figures["n"], figures["accuracy"], figures["harmful"]) == (4, 0.5, 0.25)
    assert figures["confusion"] == {
        "conflict->duplicate": 1,
        "distinct->distinct": 1,
        "duplicate->duplicate": 1,
        "refine->distinct": 1,
    }
    assert "accuracy 0.5" in report("pairs", figures)


def test_retrieval(tmp_path: Path) -> None:
    paths = [write_locomo(tmp_path / "loco.json"), write_lines(tmp_path / "bank.jsonl", MEMORYBANK)]
    opener = FakeOpener()
    figures = run("retrieval", paths, opener, predictions=tmp_path / "p.jsonl")
    assert figures["questions"] == 4
    assert figures["any_at"] == {"5": 1.0, "10": 1.0, "20": 1.0}
    assert figures["recall_at"]["5"] == 0.875, "one of the two turns of 'yellow ferry?' is found"
    assert figures["abstention"] == {
        "unanswerable": {"questions": 2, "abstained": 1.0},
        "answerable": {"questions": 4, "abstained": 0.0},
    }
    assert set(figures["by_type"]) == {"locomo-single", "locomo-multi", "memorybank-single"}
    assert figures["p50_ms"] <= figures["p95_ms"]
    assert [sorted(file.users) for file in opener.opened[1:]] == [["Ida"], ["Lev", "Uma"]]
    assert "any@5" in report("retrieval", figures)


def test_retrieval_takes_up_and_leaves_finished_files_alone(tmp_path: Path) -> None:
    paths = [write_locomo(tmp_path / "loco.json"), write_lines(tmp_path / "bank.jsonl", MEMORYBANK)]
    run("retrieval", paths, FakeOpener(), predictions=tmp_path / "p.jsonl", limit=4)
    opener = FakeOpener()
    assert run("retrieval", paths, opener, predictions=tmp_path / "p.jsonl")["taken_up"] == 4
    assert len(opener.opened) == 2, "one to ask the version, one for the second file"


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    items = list(range(50))
    first = chosen(items, Options(limit=10, seed=7))
    assert first == chosen(items, Options(limit=10, seed=7))
    assert first != chosen(items, Options(limit=10, seed=8))
    assert sorted(chosen(items, Options(seed=7))) == items
    assert chosen(items, Options(limit=3)) == [0, 1, 2]


def test_percentile_is_nearest_rank() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 50) == 2.0
    assert percentile([1.0, 2.0, 3.0, 4.0], 95) == 4.0
    assert percentile([], 50) is None


def test_foreign_predictions_without_a_key_can_be_scored(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "pairs.jsonl", PAIRS)
    predictions = write_lines(tmp_path / "p.jsonl", [{"id": "p1", "relation": "duplicate"}])
    assert score("pairs", [path], predictions)["accuracy"] == 0.25
    predictions.write_text(json.dumps({"id": "p1"}), encoding="utf-8")
    with pytest.raises(InvalidInput, match="no `relation`"):
        score("pairs", [path], predictions)
