"""``edgemem models check``: the file, then a load and a few questions whose answers are known."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from edgemem_models.catalog import by_file, catalog
from edgemem_models.examine import Report, examine
from edgemem_models.registry import ROLES, ChosenModel, chosen, path_of, prefixes_of
from edgemem_models.space import human

from edgemem.cli.common import emit_json, say
from edgemem.errors import ModelError, ModelFileInvalid, ModelMissing


def check_all(what: Sequence[str], home: Path, *, load: bool, as_json: bool) -> None:
    """Check each model and print a report; raises ``ModelFileInvalid`` or the model's own error if one fails."""
    reports: list[Report] = []
    failed: list[ModelError] = []
    for name, find in _targets(what, home):
        report = Report(name, Path())
        try:
            model = find()
            report.name, report.path = model.name, model.path
            _examine(report, model, home, load=load)
        except ModelError as error:
            report.problem, report.hint = str(error), error.hint
            failed.append(error)
        reports.append(report)
        if not as_json:
            _print(report)
    if as_json:
        emit_json({"ok": not failed, "models": [_as_json(report) for report in reports]})
    if failed and (len(reports) == 1 or all(isinstance(error, ModelMissing) for error in failed)):
        raise failed[0]
    if failed:
        raise ModelFileInvalid("Not every model passed.", "See the reports above.")


def _as_json(report: Report) -> dict[str, Any]:
    return asdict(report) | ({} if report.path.name else {"path": None})


def _targets(what: Sequence[str], home: Path) -> list[tuple[str, Callable[[], ChosenModel]]]:
    """What to check, by name or role, and how it is found: one that is missing leaves the others to be checked."""
    if not what:
        return [(role, partial(chosen, role, home)) for role in ROLES]
    return [(name, partial(_target, name, home)) for name in what]


def _target(name: str, home: Path) -> ChosenModel:
    """A catalogue name (its file, even if it is broken: that is what a check is for) or a path."""
    model = next((model for model in catalog() if model.name == name.casefold()), None)
    if model is None:
        path = Path(name).expanduser().absolute()
        known = by_file(path.name)
        return ChosenModel(path, path.stem, prefixes_of(path.name), known.calibration if known else None)
    own = next((home / build.file for build in model.builds if (home / build.file).exists()), None)
    return ChosenModel(own or path_of(name, home), model.name, model.prefixes, model.calibration)


def _examine(report: Report, model: ChosenModel, home: Path, *, load: bool) -> None:
    if not sys.stderr.isatty() or not model.path.is_file():
        examine(report, model, home, load=load)
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(f"SHA-256 of {model.path.name}", total=model.path.stat().st_size)
        examine(report, model, home, load=load, at=lambda done: bars.update(task, completed=done))


def _print(report: Report) -> None:
    from click import echo

    what = ", ".join(part for part in (report.role, report.quant, human(report.size) if report.size else "") if part)
    echo(f"{report.name}: {what or 'not usable'}")
    if report.path.name:
        echo(f"  file       {report.path}")
    if report.sha256:
        echo(f"  sha256     {report.sha256} ({report.origin})" if report.origin else f"  sha256     {report.sha256}")
    for name, value in report.facts.items():
        echo(f"  {name:<10} {value}")
    if report.good_for:
        echo(f"  good for   {report.good_for}")
    if report.problem:
        say(f"  problem    {report.problem}")
