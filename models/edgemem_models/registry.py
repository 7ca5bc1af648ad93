"""Which model file plays which role: the user's choice, else the default of the catalogue.

The models folder holds the files, ``models.toml`` (what ``edgemem models use`` chose) and ``verified.json``
(which files were hashed). Answering costs a few file look-ups; a file is hashed once, not at each start.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from edgemem.errors import InvalidInput, ModelFileInvalid, ModelMissing, NotFound, WrongModelRole
from edgemem.folders import models_home
from edgemem_models import catalog
from edgemem_models.catalog import Build, CatalogModel
from edgemem_models.discover import discover
from edgemem_models.discover_base import Log, Machine
from edgemem_models.gguf_file import KV_TYPES, KvType, read_header
from edgemem_models.locate import find_elsewhere
from edgemem_models.verified import Verified, write_whole

ROLES: Final = ("chat", "embedding")
CHOICES: Final = "models.toml"
PULL: Final = "Fetch it with: edgemem models pull"

# Prefixes of embedding models outside the catalogue, by a part of their file name (from their model cards).
_FAMILIES: Final = {
    "e5-": ("query: ", "passage: "),
    "nomic-embed": ("search_query: ", "search_document: "),
}


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """A model file and what must be known to use it.

    ``prefixes`` go before a query and before a passage (embedding models); ``calibration`` are
    (cosine, similarity) points, or None where nothing was measured. ``window`` in tokens (None: as
    the machine allows) and ``kv_type`` are what ``use`` set for a chat model.
    """

    path: Path
    name: str
    prefixes: tuple[str, str] = ("", "")
    calibration: tuple[tuple[float, float], ...] | None = None
    window: int | None = None
    kv_type: KvType = "f16"


def chosen(role: str, home: Path | None = None, *, machine: Machine | None = None) -> ChosenModel:
    """The model for ``chat`` or ``embedding``.

    Order: what ``use`` chose; the default of the catalogue in the models folder; the same file kept by another
    program. ``home`` is the models folder (default: this user's). Raises ``ModelMissing`` if there is none,
    ``ModelFileInvalid`` if the file in the models folder is not what the catalogue says.
    """
    home = _home(home)
    choice = choices(home).get(_role(role))
    if choice is None:
        return _tuned(_of_catalog(catalog.default_model(role), home, machine), role, home)
    try:
        return _tuned(_resolve(choice, home, machine), role, home)
    except NotFound as error:
        raise ModelMissing(
            f"The {role} model chosen with 'edgemem models use' is not there any more: {choice}",
            f"Choose another: edgemem models use {role} NAME, or go back: edgemem models use {role} default",
        ) from error


def use(
    role: str,
    name_or_path: str,
    home: Path | None = None,
    *,
    machine: Machine | None = None,
    window: int | None = None,
    kv_type: KvType = "f16",
) -> ChosenModel:
    """Choose the model for a role from now on: a catalogue name, a path, or a name that another program gives it.

    ``default`` goes back to the catalogue's. ``window`` (tokens) and ``kv_type`` belong to the choice of a chat
    model, and are as usual where they are not given. Raises ``InvalidInput``, ``NotFound``, ``ModelMissing``, ``ModelFileInvalid``,
    ``ModelTooNew`` or ``WrongModelRole``; the earlier choice then stays.
    """
    home = _home(home)
    picked, tuned = choices(home), _tuning(home) if _role(role) == "embedding" else (window, kv_type)
    if role == "embedding" and (window, kv_type) != (None, "f16"):
        raise InvalidInput("An embedding model keeps nothing evaluated.", "Leave window and kv out.")
    if name_or_path == "default":
        picked.pop(role, None)
        _write(home, picked, *tuned)
        return chosen(role, home, machine=machine)
    model = pick(role, name_or_path, home, machine=machine)
    known = _in_catalog(name_or_path)
    if known is None:
        from edgemem_models.loading import check_known  # llama.cpp is only needed here

        check_known(model.path)
    picked[role] = known.name if known else str(model.path)
    _write(home, picked, *tuned)
    return _tuned(model, role, home)


def pick(role: str, name_or_path: str, home: Path | None = None, *, machine: Machine | None = None) -> ChosenModel:
    """The model that a catalogue name, a path or another program's name stands for, for one use; see ``use``.

    Raises ``NotFound``, ``ModelMissing``, ``ModelFileInvalid`` or ``WrongModelRole``.
    """
    model = _resolve(name_or_path, _home(home), machine)
    _check_role(model.path, _role(role))
    return model


def path_of(name: str, home: Path | None = None, *, machine: Machine | None = None) -> Path:
    """The file of a catalogue model. Raises ``NotFound`` (no such name) or ``ModelMissing`` (not on this machine)."""
    return _of_catalog(catalog.find(name), _home(home), machine).path


def choices(home: Path) -> dict[str, str]:
    """What ``use`` chose, by role; empty if nothing. Raises ``InvalidInput`` if the file is damaged."""
    return {role: value for role, value in _document(home).items() if role in ROLES and isinstance(value, str)}


def _document(home: Path) -> dict[str, object]:
    path = home / CHOICES
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.", "Repair or remove that file.") from error


def _tuned(model: ChosenModel, role: str, home: Path) -> ChosenModel:
    window, kv_type = _tuning(home)
    return replace(model, window=window, kv_type=kv_type) if role == "chat" else model


def _tuning(home: Path) -> tuple[int | None, KvType]:
    """Window and cache type that ``use`` wrote beside the chat model."""
    document = _document(home)
    window, wanted = document.get("window"), document.get("kv_type", "f16")
    kv_type = next((kind for kind in KV_TYPES if kind == wanted), None)
    if kv_type is None or not (window is None or isinstance(window, int)):
        raise InvalidInput(f"{home / CHOICES} names no window or cache type.", "Choose again: edgemem models use chat")
    return window, kv_type


def prefixes_of(file: str) -> tuple[str, str]:
    """The prefixes a file name stands for: those of the catalogue, else of its family, else none."""
    model = catalog.by_file(file)
    if model is not None:
        return model.prefixes
    low = file.lower()
    return next((prefixes for part, prefixes in _FAMILIES.items() if part in low), ("", ""))


def _home(home: Path | None) -> Path:
    return models_home(os.environ) if home is None else home


def _role(role: str) -> str:
    if role not in ROLES:
        raise InvalidInput(f"There is no role {role!r}.", "Roles: chat, embedding")
    return role


def _in_catalog(name: str) -> CatalogModel | None:
    return next((model for model in catalog.catalog() if model.name == name.casefold()), None)


def _resolve(name_or_path: str, home: Path, machine: Machine | None) -> ChosenModel:
    """A catalogue name, a path, or another program's name for a file."""
    known = _in_catalog(name_or_path)
    if known is not None:
        return _of_catalog(known, home, machine)
    path = Path(name_or_path).expanduser()
    if path.is_file():
        return _of_path(path.absolute(), path.stem)
    whose = machine or Machine.here()
    for found in discover(whose.env, whose.home, whose.platform, models_home=home).found:
        if name_or_path in (found.label, found.path.name):
            return _of_path(found.path, found.label)
    raise NotFound(f"There is no model called {name_or_path!r} here.", "See what there is: edgemem models list")


def _of_path(path: Path, name: str) -> ChosenModel:
    model = catalog.by_file(path.name)
    if model is not None:
        return ChosenModel(path, model.name, model.prefixes, model.calibration)
    return ChosenModel(path, name, prefixes_of(path.name))


def _of_catalog(model: CatalogModel, home: Path, machine: Machine | None) -> ChosenModel:
    for build in model.builds:
        path = home / build.file
        if path.is_file():
            _check(path, build, home)
            return ChosenModel(path, model.name, model.prefixes, model.calibration)
    found = find_elsewhere(model.build, home, machine or Machine.here(), Log())
    if found is None:
        hint = PULL if model.default else f"{PULL} {model.name}"
        raise ModelMissing(f"The {model.role} model {model.name} is not on this machine yet.", hint)
    return ChosenModel(found, model.name, model.prefixes, model.calibration)


def _check(path: Path, build: Build, home: Path) -> None:
    """Size always; the hash once, after which ``verified.json`` vouches for it."""
    size = path.stat().st_size
    if build.size is not None and size != build.size:
        raise ModelFileInvalid(f"{path.name} has {size} bytes instead of {build.size}.", PULL)
    if build.sha256 is not None and Verified(home).sha256(path) != build.sha256:
        raise ModelFileInvalid(f"{path.name} is not the file of the catalogue (other SHA-256).", PULL)


def _check_role(path: Path, role: str) -> None:
    info = read_header(path)
    if info.role == role:
        return
    kinds = {"chat": "a chat model", "embedding": "an embedding model"}
    raise WrongModelRole(
        f"{path.name} is {kinds.get(info.role, 'not a text model')} ({info.architecture}), not {kinds[role]}.",
        f"See which models fit: edgemem models list --role {role}",
    )


def _write(home: Path, picked: Mapping[str, str], window: int | None, kv_type: KvType) -> None:
    values: dict[str, object] = {**picked}
    if window is not None:
        values["window"] = window
    if kv_type != "f16":
        values["kv_type"] = kv_type
    # A TOML basic string takes JSON's escapes.
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
    write_whole(home / CHOICES, "# Written by: edgemem models use\n" + "".join(lines))
