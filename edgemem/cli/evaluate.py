"""``edgemem eval``: measure extraction, truth maintenance and retrieval on labelled sets."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgemem.cli.common import App, Group, common_options, emit_json, options_before, say
from edgemem.cli.progress import PLAIN_SECONDS
from edgemem.folders import cache_home

if TYPE_CHECKING:
    from edgemem.evals.run import EvalKind
    from edgemem.evals.seams import Narrator, Opener
    from edgemem.evals.sessions import StoryOpener
    from edgemem.ports import ModelProvider

_FILES = click.argument(
    "files", nargs=-1, required=True, metavar="FILE…", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
_SET = click.Path(exists=True, dir_okay=False, path_type=Path)


def provider_for(model: str | None) -> ModelProvider:
    """The models to evaluate: the installed defaults, or ``model`` (a name or a file) for chat."""
    from edgemem_models.provider import LocalModels

    return LocalModels(chat=model)


def opener_for(provider: ModelProvider) -> Opener:
    """Opens fresh memory files that share the models of ``provider``."""
    from edgemem.evals.seams import KeepLoaded
    from edgemem.memory import open as open_file

    shared = KeepLoaded(provider)
    return lambda path: open_file(path, provider=shared)


def story_opener_for(provider: ModelProvider, *, rules: bool = False) -> StoryOpener:
    """Opens memory files under a clock of their own, with the models of ``provider``; ``rules``: all but the language model."""
    from edgemem.evals.seams import KeepLoaded, WithoutLanguage
    from edgemem.memory import open as open_file
    from edgemem.settings import Settings

    shared = WithoutLanguage(provider) if rules else KeepLoaded(provider)
    return lambda path, clock: open_file(path, provider=shared, clock=clock, settings=Settings(background=False))


@click.group("eval", cls=Group)
@options_before
def evaluate() -> None:
    """Measure edgemem on labelled sets, without a judge.

    A run can be stopped at any time; the same command takes it up again.
    """


def _run_options(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments of every command that runs a model."""

    @_FILES
    @click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Run at most N items.")
    @click.option("--sample", "seed", type=int, metavar="SEED", help="Draw the items at random with this seed.")
    @click.option("--model", metavar="NAME|PATH", help="The chat model. Default: the one in use.")
    @click.option(
        "--predictions",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Append what is found to this file and take up what is in it. Default: a file in your cache folder.",
    )
    @click.option("--fresh", is_flag=True, help="Start over; an old predictions file is kept as FILE.previous.")
    @common_options
    @functools.wraps(command)
    def wrapper(app: App, **kwargs: Any) -> None:
        command(app, **kwargs)

    return wrapper


@evaluate.command()
@_run_options
def extraction(app: App, **kwargs: Any) -> None:
    """Is what matters in a dialogue kept, and nothing else? FILE: extraction sets (JSON lines).

    \b
    edgemem eval extraction items.jsonl --json
    """
    _evaluate(app, "extraction", **kwargs)


@evaluate.command()
@_run_options
def pairs(app: App, **kwargs: Any) -> None:
    """Is a new memory seen as duplicate, refinement, conflict or distinct? FILE: sets of pairs (JSON lines).

    \b
    edgemem eval pairs pairs.jsonl
    """
    _evaluate(app, "pairs", **kwargs)


@evaluate.command()
@click.option("--ablate", is_flag=True, help="Show instead what each signal of the log search adds.")
@_run_options
def retrieval(app: App, *, ablate: bool, **kwargs: Any) -> None:
    """Is the turn that answers a question found? FILE: LoCoMo or MemoryBank files.

    \b
    edgemem eval retrieval haystack.jsonl
    """
    if not ablate:
        _evaluate(app, "retrieval", **kwargs)
        return
    from edgemem.evals.ablation import ablate as measured

    with _loaded(kwargs["model"]) as provider, _narrator() as narrator:
        figures = measured(kwargs["files"], opener_for(provider), narrator, kwargs["limit"])
    _print(app, "ablation", figures)


@evaluate.command()
@click.argument("files", nargs=-1, metavar="[FILE…]", type=_SET)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Run at most N cases.")
@click.option("--model", metavar="NAME|PATH", help="The chat model. Default: the one in use.")
@click.option("--tended", is_flag=True, help="Summarise all sessions and reflect before each question.")
@common_options
def sessions(app: App, files: Sequence[Path], limit: int | None, model: str | None, tended: bool) -> None:
    """Told in one session, known in another? Without FILE: the cases that ship with edgemem.

    \b
    edgemem eval sessions --limit 10
    """
    from edgemem.evals.sessions import load_cases, run_sessions, shipped_cases

    with _loaded(model) as provider, _narrator() as narrator:
        cases = (load_cases(files) if files else shipped_cases())[:limit]
        figures = run_sessions(cases, story_opener_for(provider), narrator, tended=tended) | _names(provider)
    _print(app, "sessions", figures)


@evaluate.command()
@click.argument("files", nargs=-1, metavar="[FILE…]", type=_SET)
@common_options
def router(app: App, files: Sequence[Path]) -> None:
    """Is the memory searched for the messages that need it, and only for them? Without FILE: turns that ship with edgemem.

    \b
    edgemem eval router
    edgemem eval router turns.jsonl --json
    """
    from edgemem.evals.router import load_turns, run_router, shipped_turns

    with _loaded(None) as provider, _narrator() as narrator:
        figures = run_router(load_turns(files) if files else shipped_turns(), story_opener_for(provider), narrator)
    _print(app, "router", figures)


@evaluate.command()
@click.argument("files", nargs=-1, metavar="[FILE…]", type=_SET)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask at most N questions; all talks are told.")
@click.option("--model", metavar="NAME|PATH", help="The chat model. Default: the one in use.")
@click.option("--rules", is_flag=True, help="Leave the language model out: what rules draw alone.")
@common_options
def graph(app: App, files: Sequence[Path], limit: int | None, model: str | None, rules: bool) -> None:
    """Is found what takes two or three steps, told in different conversations? Without FILE: the set that ships.

    Memories and relations are taken from the talks as ever; then each question is asked with and without the graph.

    \b
    edgemem eval graph --rules
    """
    from edgemem.evals.multihop import limited, load_worlds, run_multihop, shipped_worlds

    with _loaded(model) as provider, _narrator() as narrator:
        worlds = limited(load_worlds(files) if files else shipped_worlds(), limit)
        figures = run_multihop(worlds, story_opener_for(provider, rules=rules), narrator)
    _print(app, "graph", figures | ({} if rules else _names(provider)))


@evaluate.command()
@click.argument("files", nargs=-1, metavar="[FILE…]", type=_SET)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Run at most N stores.")
@click.option("--model", metavar="NAME|PATH", help="The chat model. Default: the one in use.")
@click.option("--rules", is_flag=True, help="Leave the language model out: insights in plain words.")
@common_options
def insights(app: App, files: Sequence[Path], limit: int | None, model: str | None, rules: bool) -> None:
    """Does reflection draw what recurs, with valid evidence, and nothing else? Without FILE: the stores that ship.

    \b
    edgemem eval insights --limit 5
    """
    from edgemem.evals.reflecting import load_stores, run_reflecting, shipped_stores

    with _loaded(model) as provider, _narrator() as narrator:
        stores = (load_stores(files) if files else shipped_stores())[:limit]
        figures = run_reflecting(stores, story_opener_for(provider, rules=rules), narrator)
    _print(app, "insights", figures | ({} if rules else _names(provider)))


@evaluate.command()
@click.argument("files", nargs=-1, metavar="[FILE…]", type=_SET)
@click.option(
    "--part",
    type=click.Choice(["open", "held"]),
    help="Only what the folding was written with in view, or only the rest.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Run at most N conversations.")
@click.option("--model", metavar="NAME|PATH", help="Count tokens as this chat model does. Default: an estimate.")
@common_options
def summaries(app: App, files: Sequence[Path], part: str | None, limit: int | None, model: str | None) -> None:
    """Does a summary keep what matters, in few words, and nothing that was not said? Without FILE: the conversations that ship.

    \b
    edgemem eval summaries --part open
    """
    from edgemem.evals.summaries import load_conversations, run_summaries, shipped_conversations
    from edgemem.recall.render import estimate

    with _loaded(model) as provider, _narrator() as narrator:
        talks = load_conversations(files) if files else shipped_conversations()
        talks = [talk for talk in talks if part in (None, talk.part)][:limit]
        counter = provider.language_model() if model else None
        count = counter.count_tokens if counter else estimate
        figures = run_summaries(talks, story_opener_for(provider, rules=True), count, narrator)
    _print(app, "summaries", figures | {"counted_by": counter.name if counter else "estimate"})


@evaluate.command("score")
@click.argument("kind", type=click.Choice(["extraction", "pairs", "retrieval"]))
@click.argument("set_file", metavar="SET", type=_SET)
@click.argument("predictions", metavar="PRED", type=_SET)
@common_options
def score_command(app: App, kind: EvalKind, set_file: Path, predictions: Path) -> None:
    """Score predictions that exist already; needs no model.

    \b
    edgemem eval score extraction items.jsonl predictions.jsonl
    """
    from edgemem.evals.run import score

    _print(app, kind, score(kind, [set_file], predictions))


def _evaluate(
    app: App,
    kind: EvalKind,
    *,
    files: Sequence[Path],
    limit: int | None,
    seed: int | None,
    model: str | None,
    predictions: Path | None,
    fresh: bool,
) -> None:
    from edgemem.evals.run import Options
    from edgemem.evals.run import evaluate as run

    options = Options(limit, seed, predictions, fresh, cache_home(os.environ))
    with _loaded(model) as provider, _narrator() as narrator:
        figures = run(kind, files, opener_for(provider), lambda: _names(provider), options, narrator)
    _print(app, kind, figures)


def _names(provider: ModelProvider) -> dict[str, str]:
    return {"model": provider.language_model().name, "embedder": provider.embedder().fingerprint}


@contextmanager
def _loaded(model: str | None) -> Iterator[ModelProvider]:
    provider = provider_for(model)
    try:
        yield provider
    finally:
        provider.close()


def _print(app: App, kind: str, figures: dict[str, Any]) -> None:
    from edgemem.evals.report import report

    if app.as_json:
        emit_json(figures)
    else:
        click.echo(report(kind, figures))


@contextmanager
def _narrator() -> Iterator[Narrator]:
    """A bar on a terminal, else a plain line now and then; on stderr either way."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield _Bar(progress)


class _Lines:
    """A line on stderr now and then, and for the last item, with the time left."""

    def __init__(self) -> None:
        self._started = self._last = time.monotonic()

    def note(self, text: str) -> None:
        say(text)

    def item(self, done: int, total: int, name: str) -> None:
        if done < total and time.monotonic() - self._last < PLAIN_SECONDS:
            return
        self._last = time.monotonic()
        left = (time.monotonic() - self._started) / done * (total - done)
        say(f"{done}/{total}  {name}  about {left / 60:.0f} min left")


class _Bar:
    """A progress bar that names the item just finished."""

    def __init__(self, progress: Any) -> None:
        self._progress = progress
        self._task = progress.add_task("starting", total=None)

    def note(self, text: str) -> None:
        self._progress.console.print(text, markup=False, highlight=False)

    def item(self, done: int, total: int, name: str) -> None:
        self._progress.update(self._task, completed=done, total=total, description=name)
