"""Models that Ollama keeps: manifests that name layers, and blobs named by their SHA-256."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from edgemem_models.discover_base import Candidate, Log, Machine, is_folder, is_unfinished, read_json, walk

TOOL: Final = "Ollama"
_MODEL_LAYER: Final = "application/vnd.ollama.image.model"
_DIGEST: Final = re.compile(r"sha256[:-]([0-9a-f]{64})")
_SERVICE_USER: Final = Path("/usr/share/ollama/.ollama/models")
_DEFAULT_REGISTRY: Final = "registry.ollama.ai"
_DEFAULT_NAMESPACE: Final = "library"


def folders(machine: Machine) -> list[Path]:
    """The folders Ollama may use: the override alone, else the user's and (Linux) the service's."""
    override = machine.folder("OLLAMA_MODELS")
    if override is not None:
        return [override]
    own = [machine.home / ".ollama" / "models"]
    return own if machine.is_windows or machine.is_mac else [*own, _SERVICE_USER]


def scan(machine: Machine, log: Log) -> Iterator[Candidate]:
    """The models named by manifests; unfinished blobs are noted as left out."""
    for folder in folders(machine):
        if not is_folder(folder, TOOL, log):
            continue
        manifests = folder / "manifests"
        for path in walk(manifests, TOOL, log):
            yield from _models_of(path, path.relative_to(manifests), folder / "blobs", log)
        for path in walk(folder / "blobs", TOOL, log, depth=0):
            if is_unfinished(path.name):
                log.leave(path, TOOL, "unfinished download")


def _models_of(path: Path, relative: Path, blobs: Path, log: Log) -> Iterator[Candidate]:
    for digest in _model_digests(read_json(path, TOOL, log)):
        blob = blobs / f"sha256-{digest}"
        if blob.exists():
            yield Candidate(blob, TOOL, label(relative))
        else:
            log.leave(blob, TOOL, f"{label(relative)} is listed, but its file is missing")


def _model_digests(manifest: Any) -> Iterator[str]:
    layers = manifest.get("layers") if isinstance(manifest, dict) else None
    for layer in layers if isinstance(layers, list) else ():
        if isinstance(layer, dict) and layer.get("mediaType") == _MODEL_LAYER:
            match = _DIGEST.fullmatch(str(layer.get("digest", "")))
            if match:
                yield match.group(1)


def label(relative: Path) -> str:
    """What one would type after ``ollama run``: ``qwen3:4b``, ``someone/model:tag``, ``hf.co/who/repo:Q4_K_M``."""
    *place, tag = relative.parts
    if place and place[0] == _DEFAULT_REGISTRY:
        place = place[1:]
        if place and place[0] == _DEFAULT_NAMESPACE:
            place = place[1:]
    return f"{'/'.join(place)}:{tag}" if place else tag
