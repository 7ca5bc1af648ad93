"""What models are on this machine, what the catalogue has, what is in use: one list for the CLI and the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from edgemem.errors import EdgememError
from edgemem_models.catalog import CatalogModel, by_file, catalog
from edgemem_models.discover import Found, LeftOut, discover
from edgemem_models.discover_base import Machine
from edgemem_models.gguf_file import read_header
from edgemem_models.registry import ROLES, chosen

_WINDOW: Final = 4096


@dataclass(frozen=True, slots=True)
class Row:
    """One model of the list; ``ram_4k`` is bytes with a window of 4,096 tokens, ``path`` None if it is not here."""

    name: str
    role: str
    quant: str
    size: int
    context: int
    ram_4k: int | None
    where: str
    path: Path | None
    in_use: bool
    licence: str | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything the list shows."""

    home: Path
    rows: tuple[Row, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The list for programs."""
        return {
            "home": self.home,
            "models": [asdict(row) for row in self.rows],
            "left_out": [asdict(entry) for entry in self.left_out],
            "notes": self.notes,
        }


def survey(home: Path, role: str | None = None) -> Survey:
    """Look through the machine and the catalogue; ``role`` keeps only models for it."""
    machine = Machine.here()
    discovery = discover(machine.env, machine.home, machine.platform, models_home=home)
    notes = list(discovery.notes)
    in_use = _in_use(home, machine, notes)
    rows = [_found_row(found, in_use) for found in discovery.found]
    rows += [_found_row(found, in_use) for found in _elsewhere(discovery.found, in_use)]
    here = {row.name for row in rows}
    rows += [_catalog_row(model) for model in catalog() if model.name not in here]
    rows.sort(key=lambda row: (row.path is None, row.role, row.size))
    kept = tuple(row for row in rows if role in (None, row.role))
    return Survey(home, kept, discovery.left_out, tuple(notes))


def _in_use(home: Path, machine: Machine, notes: list[str]) -> set[Path]:
    paths = set()
    for role in ROLES:
        try:
            paths.add(chosen(role, home, machine=machine).path.resolve())
        except EdgememError as error:
            notes.append(f"{role}: {error} {error.hint}".strip())
    return paths


def _elsewhere(found: Sequence[Found], in_use: set[Path]) -> list[Found]:
    """Models in use that lie in no folder that was looked through: chosen by their path."""
    known = {path.resolve() for one in found for path in (one.path, *one.also)}
    return [Found(path, "by path", path.stem, read_header(path)) for path in sorted(in_use - known)]


def _found_row(found: Found, in_use: set[Path]) -> Row:
    model = _catalog_model(found)
    info = found.info
    everywhere = {path.resolve() for path in (found.path, *found.also)}
    return Row(
        name=model.name if model else found.label,
        role=info.role,
        quant=info.quant,
        size=info.size,
        context=info.context_length,
        ram_4k=info.ram_bytes(min(_WINDOW, info.context_length or _WINDOW)),
        where=f"{found.tool}: {found.path}",
        path=found.path,
        in_use=bool(everywhere & in_use),
        licence=model.licence if model else None,
    )


def _catalog_model(found: Found) -> CatalogModel | None:
    """The catalogue's model if name and (where pinned) size agree; only then is it called by that name."""
    for path in (found.path, *found.also):
        model = by_file(path.name)
        if model and any(build.file == path.name and build.size in (None, found.info.size) for build in model.builds):
            return model
    return None


def _catalog_row(model: CatalogModel) -> Row:
    quant = model.title.rsplit(", ", 1)[-1]
    return Row(
        name=model.name,
        role=model.role,
        quant=quant,
        size=model.size,
        context=model.context,
        ram_4k=None,
        where=f"not here; edgemem models pull {model.name}",
        path=None,
        in_use=False,
        licence=model.licence,
    )
