"""Models that LM Studio, the Hugging Face cache, llama.cpp, GPT4All, Jan and edgemem itself keep as ``*.gguf`` files.

Where a program's folder is not certain, several are tried; a folder that is not there costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from edgemem_models.discover_base import (
    Candidate,
    Log,
    Machine,
    gguf_files,
    is_folder,
    read_json,
    read_lines,
    walk,
)

_YAML_MODEL_PATH: Final = re.compile(r"^\s*model_path\s*:\s*[\"']?(.+?)[\"']?\s*$")


def scan_own(home: Path, log: Log) -> Iterator[Candidate]:
    """The models folder of edgemem."""
    for candidate in gguf_files(home, "edgemem", log):
        if ".partial" not in candidate.path.relative_to(home).parts:
            yield candidate


def scan_lm_studio(machine: Machine, log: Log) -> Iterator[Candidate]:
    """LM Studio: ``<publisher>/<repo>/<file>.gguf`` under its models folder, moved by a pointer file or a setting."""
    for folder in lm_studio_folders(machine, log):
        for candidate in gguf_files(folder, "LM Studio", log):
            yield Candidate(candidate.path, "LM Studio", candidate.path.relative_to(folder).as_posix())


def lm_studio_folders(machine: Machine, log: Log) -> list[Path]:
    """The folders LM Studio may keep models in."""
    pointer = read_lines(machine.home / ".lmstudio-home-pointer", "LM Studio", log)
    home = Path(pointer[0].strip()) if pointer and pointer[0].strip() else machine.home / ".lmstudio"
    settings = [home / "settings.json"]
    if machine.is_windows:
        settings.append(machine.roaming() / "LM Studio" / "settings.json")
    moved = [_setting(path, "downloadsFolder", "LM Studio", log) for path in settings]
    old = machine.home / ".cache" / "lm-studio" / "models"
    return _unique([*(path for path in moved if path), home / "models", old])


def scan_hugging_face(machine: Machine, log: Log) -> Iterator[Candidate]:
    """The Hugging Face cache, ``models--org--repo/snapshots/<commit>/…``; llama.cpp's ``-hf`` shares it since 2026."""
    for folder in hugging_face_folders(machine):
        for repo in _folders_in(folder, "models--", log):
            name = repo.name.removeprefix("models--").replace("--", "/")
            for candidate in gguf_files(repo / "snapshots", "Hugging Face", log):
                yield Candidate(candidate.path, "Hugging Face", f"{name}/{candidate.path.name}")
            for path in walk(repo / "blobs", "Hugging Face", log, depth=0):
                if path.name.endswith(".incomplete"):
                    log.leave(path, "Hugging Face", f"unfinished download from {name}")


def hugging_face_folders(machine: Machine) -> list[Path]:
    """The hub cache: the first override that is set, else the default."""
    home = machine.folder("HF_HOME")
    overrides = (
        machine.folder("HF_HUB_CACHE"),
        machine.folder("HUGGINGFACE_HUB_CACHE"),
        home / "hub" if home else None,
    )
    return [next((path for path in overrides if path), machine.cache() / "huggingface" / "hub")]


def scan_llama_cpp(machine: Machine, log: Log) -> Iterator[Candidate]:
    """llama.cpp's own cache: flat ``<owner>_<repo>_<file>.gguf`` (old), or like the hub's (under ``LLAMA_CACHE``)."""
    for folder in llama_cpp_folders(machine):
        yield from gguf_files(folder, "llama.cpp", log)


def llama_cpp_folders(machine: Machine) -> list[Path]:
    """The override, else the platform's cache folder."""
    override = machine.folder("LLAMA_CACHE")
    if override:
        return [override]
    if machine.is_windows:
        return [machine.local() / "llama.cpp"]
    if machine.is_mac:
        return [machine.home / "Library" / "Caches" / "llama.cpp"]
    return [machine.cache() / "llama.cpp"]


def scan_gpt4all(machine: Machine, log: Log) -> Iterator[Candidate]:
    """GPT4All's desktop program and its Python package: flat folders."""
    for folder in gpt4all_folders(machine, log):
        yield from gguf_files(folder, "GPT4All", log, depth=1)


def gpt4all_folders(machine: Machine, log: Log) -> list[Path]:
    """The folder of the program's settings, its default, and the Python package's."""
    if machine.is_windows:
        settings, default = machine.roaming() / "nomic.ai" / "GPT4All.ini", machine.local() / "nomic.ai" / "GPT4All"
    else:
        config = machine.folder("XDG_CONFIG_HOME") or machine.home / ".config"
        settings, default = config / "nomic.ai" / "GPT4All.ini", machine.data() / "nomic.ai" / "GPT4All"
    moved = [
        Path(line.split("=", 1)[1].strip().strip('"'))
        for line in read_lines(settings, "GPT4All", log)
        if line.strip().startswith("modelPath=")
    ]
    return _unique([*moved, default, machine.home / ".cache" / "gpt4all"])


def scan_jan(machine: Machine, log: Log) -> Iterator[Candidate]:
    """Jan: ``llamacpp/models/<name>/`` with a ``model.yml`` that may point elsewhere; older layouts too."""
    for data in jan_folders(machine, log):
        for folder in (data / "llamacpp" / "models", data / "models"):
            for path in walk(folder, "Jan", log):
                if path.name == "model.yml":
                    yield from _jan_pointed(path, data, log)
            yield from gguf_files(folder, "Jan", log)


def jan_folders(machine: Machine, log: Log) -> list[Path]:
    """Jan's data folders: the one set in the program, the default, and the very old one in the home folder."""
    base = machine.data()
    moved = [_setting(base / app / "settings.json", "data_folder", "Jan", log) for app in ("Jan", "jan.ai.app")]
    return _unique([*(path for path in moved if path), base / "Jan" / "data", machine.home / "jan"])


def _jan_pointed(manifest: Path, data: Path, log: Log) -> Iterator[Candidate]:
    for line in read_lines(manifest, "Jan", log):
        match = _YAML_MODEL_PATH.match(line)
        if not match:
            continue
        path = data / match.group(1)  # an absolute path replaces the folder
        if path.suffix.lower() == ".gguf" and path.is_file():
            yield Candidate(path, "Jan", manifest.parent.name)


def _setting(path: Path, key: str, tool: str, log: Log) -> Path | None:
    settings = read_json(path, tool, log)
    value = settings.get(key) if isinstance(settings, dict) else None
    return Path(value) if isinstance(value, str) and value else None


def _folders_in(folder: Path, prefix: str, log: Log) -> list[Path]:
    if not is_folder(folder, "Hugging Face", log):
        return []
    return sorted(path for path in folder.iterdir() if path.name.startswith(prefix) and path.is_dir())


def _unique(paths: list[Path]) -> list[Path]:
    return list(dict.fromkeys(paths))
