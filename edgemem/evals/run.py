"""One evaluation from files to figures: choose the items, take up what was done before, run, score, describe."""

from __future__ import annotations

import os
import platform
import random
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import edgemem
from edgemem.errors import Aborted, InvalidInput
from edgemem.evals.extraction import run_extraction, score_extraction
from edgemem.evals.haystacks import load_haystacks
from edgemem.evals.pairs import run_pairs, score_pairs
from edgemem.evals.predictions import Predictions, default_path, read_predictions
from edgemem.evals.retrieval import run_retrieval, score_retrieval
from edgemem.evals.seams import Narrator, Opener
from edgemem.evals.sets import fingerprint, load_extraction, load_pairs
from edgemem.folders import cache_home

T = TypeVar("T")

EvalKind = Literal["extraction", "pairs", "retrieval"]
KINDS: tuple[EvalKind, ...] = ("extraction", "pairs", "retrieval")

Predicted = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Options:
    """How much to run and where to keep what was found.

    ``limit`` items at most; with ``seed`` they are drawn at random, else the first ones are taken.
    ``predictions`` is the file to take up and append to, None for one in ``cache`` (default: the user's).
    """

    limit: int | None = None
    seed: int | None = None
    predictions: Path | None = None
    fresh: bool = False
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class _Job:
    """The items of one kind of set, with how to run and how to score them."""

    ids: tuple[str, ...]
    run: Callable[[Opener, Predictions, Narrator], dict[str, str]]
    score: Callable[[Predicted], dict[str, Any]]


def evaluate(
    kind: EvalKind,
    paths: Sequence[Path],
    opener: Opener,
    models: Callable[[], Mapping[str, str]],
    options: Options,
    narrator: Narrator,
) -> dict[str, Any]:
    """Run one evaluation and return its figures, ready for JSON.

    ``models`` tells the names of what is evaluated (``model``, ``embedder``), once the sets are found
    good; with the versions they decide which earlier predictions may be taken up. Raises
    ``InvalidInput`` for sets and predictions that cannot be used, ``Aborted`` when interrupted;
    finished items are kept.
    """
    job = _job(kind, paths, options)
    names = models()
    pipeline = _pipeline_version(opener)
    key = fingerprint([edgemem.__version__, pipeline, *(f"{name}={value}" for name, value in sorted(names.items()))])
    path = options.predictions or default_path(options.cache or cache_home({}), kind, paths, key)
    started = time.perf_counter()
    with Predictions(path, key, fresh=options.fresh) as predictions:
        taken_up = sum(id_ in predictions.done for id_ in job.ids)
        if taken_up:
            narrator.note(f"{taken_up} of {len(job.ids)} items were done before and are taken from {path}")
        failed = _interruptible(job, opener, predictions, narrator)
        figures = job.score(predictions.done)
    return figures | {
        **names,
        "edgemem": edgemem.__version__,
        "pipeline": pipeline,
        "machine": machine(),
        "sets": [path.name for path in paths],
        "n": len(job.ids),
        "seed": options.seed,
        "seconds": round(time.perf_counter() - started, 1),
        "taken_up": taken_up,
        "failed": failed,
        "predictions": str(path),
    }


def score(kind: EvalKind, paths: Sequence[Path], predictions: Path) -> dict[str, Any]:
    """Score predictions made earlier, or by another program. Raises ``InvalidInput``."""
    predicted = read_predictions(predictions)
    needed = {"extraction": "memories", "pairs": "relation", "retrieval": "turns"}[kind]
    for id_, record in predicted.items():
        if needed not in record:
            raise InvalidInput(f"{predictions}: the prediction for {id_} has no `{needed}`.")
    return _job(kind, paths, Options()).score(predicted)


def machine() -> dict[str, Any]:
    """What the figures of speed were measured on."""
    return {
        "cpus": os.cpu_count(),
        "platform": platform.platform(aliased=True, terse=True),
        "processor": platform.machine(),
        "python": platform.python_version(),
    }


def _job(kind: EvalKind, paths: Sequence[Path], options: Options) -> _Job:
    if kind == "extraction":
        items = chosen(load_extraction(paths), options)
        return _Job(
            tuple(item.id for item in items),
            lambda opener, predictions, narrator: run_extraction(items, opener, predictions, narrator),
            lambda predicted: score_extraction(items, predicted),
        )
    if kind == "pairs":
        pairs = chosen(load_pairs(paths), options)
        return _Job(
            tuple(pair.id for pair in pairs),
            lambda opener, predictions, narrator: run_pairs(pairs, opener, predictions, narrator),
            lambda predicted: score_pairs(pairs, predicted),
        )
    haystacks = load_haystacks(paths)
    questions = chosen([question for haystack in haystacks for question in haystack.questions], options)
    return _Job(
        tuple(question.id for question in questions),
        lambda opener, predictions, narrator: run_retrieval(haystacks, questions, opener, predictions, narrator),
        lambda predicted: score_retrieval(questions, predicted),
    )


def chosen(items: Sequence[T], options: Options) -> list[T]:
    """The items to run: all, the first ``limit``, or ``limit`` drawn with ``seed``."""
    count = len(items) if options.limit is None else min(options.limit, len(items))
    if options.seed is None:
        return list(items[:count])
    drawn = random.Random(options.seed).sample(range(len(items)), count)  # noqa: S311 - a sample, not a secret
    return [items[index] for index in drawn]


def _interruptible(job: _Job, opener: Opener, predictions: Predictions, narrator: Narrator) -> dict[str, str]:
    try:
        return job.run(opener, predictions, narrator)
    except (KeyboardInterrupt, Aborted) as error:
        done = sum(id_ in predictions.done for id_ in job.ids)
        raise Aborted(
            f"Stopped after {done} of {len(job.ids)} items.",
            f"Run the same command again (without --fresh) to go on; what was found is in {predictions.path}",
        ) from error


def _pipeline_version(opener: Opener) -> str:
    with tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder, opener(Path(folder) / "any.edgemem") as file:
        return file.user("eval").pipeline_version
