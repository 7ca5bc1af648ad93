"""Is what is published sound? ``python -m tests.package`` builds it twice and installs it with every extra, afresh.

Writes wheel, sdist and ``sbom.json`` (CycloneDX) to ``build/package``, and ``docs/dependencies.md``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.helpers import ROOT

TARGET = ROOT / "build" / "package"
PAGE = ROOT / "docs" / "dependencies.md"
CONSTRAINTS = ROOT / "constraints.txt"
PACKAGES = {"edgemem": ".", "edgemem_models": "models", "edgemem_tui": "tui"}
"""The packages in the wheel, and the folder of the sources that each lies in."""

BUDGET = {".whl": 2_000_000, ".gz": 3_000_000}
"""Largest size of wheel and sdist in bytes, half of it learned heads: models are fetched, never shipped."""

DATA = {".py", ".typed", ".jsonl", ".txt", ".toml", ".npz", ".tcss"}
"""Endings of the files that a wheel may carry."""

EPOCH = "1767225600"
"""The time of every file in both archives, so that the same sources give the same bytes (2026-01-01)."""

SILENT = {"sqlcipher3": "Zlib"}
"""Licences of packages whose metadata names none, read from the licence file that they bring."""


def build(folder: Path, *forms: str) -> list[Path]:
    """Build the present sources into ``folder``. Without ``--wheel`` the wheel is made from the sdist."""
    command = [sys.executable, "-m", "build", "--no-isolation", *forms, "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(
        command, env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(path for path in folder.iterdir() if path.is_file())


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sources() -> set[str]:
    """The names that the files of the packages have in a wheel."""
    return {
        path.relative_to(ROOT / folder).as_posix()
        for package, folder in PACKAGES.items()
        for path in (ROOT / folder / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def faults(archive: Path) -> list[str]:
    """What is wrong with a wheel or sdist: its size, and what is in it."""
    size = archive.stat().st_size
    found = [] if size <= BUDGET[archive.suffix] else [f"{archive.name} has {size:,} bytes"]
    if archive.suffix == ".gz":
        with tarfile.open(archive) as packed:
            inside = {name.partition("/")[2] for name in packed.getnames()}
        wanted = {f"{PACKAGES[name.partition('/')[0]]}/{name}".removeprefix("./") for name in sources()}
        wanted |= {
            "LICENSE",
            "README.md",
            "CHANGELOG.md",
            "pyproject.toml",
            "constraints.txt",
            "Makefile",
            "mkdocs.yml",
        }
        return found + [f"{archive.name} lacks {name}" for name in sorted(wanted - inside)]
    names = set(zipfile.ZipFile(archive).namelist())
    about = {name for name in names if ".dist-info/" in name}
    wanted = sources()
    found += [f"{archive.name} lacks {name}" for name in sorted(wanted - names)]
    found += [f"{archive.name} has {name}, which it should not" for name in sorted(names - about - wanted)]
    found += [f"{archive.name} carries {name}" for name in sorted(names - about) if Path(name).suffix not in DATA]
    endings = {name.partition("/")[2] for name in about}
    return found + [f"{archive.name} lacks {name}" for name in sorted({"licenses/LICENSE", "METADATA"} - endings)]


def extras() -> list[str]:
    """All extras of the package."""
    return sorted(project()["optional-dependencies"])


def project() -> dict[str, Any]:
    """The table ``project`` of ``pyproject.toml``."""
    told: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return told


def pinned() -> dict[str, set[str]]:
    """The versions that ``constraints.txt`` names, by package; several where systems differ."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", CONSTRAINTS.read_text(encoding="utf-8"), re.M):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


def needed(installed: Iterable[Distribution]) -> dict[str, str]:
    """What ``pyproject.toml`` asks for, with all that this needs in turn: for everything (""), or for which extra first.

    What is not installed is named, but what it would need is not known.
    """
    here: dict[str, Distribution] = {canonicalize_name(d.name): d for d in installed}
    told = project()
    found: dict[str, str] = {}
    for extra, lines in [("", told["dependencies"]), *sorted(told["optional-dependencies"].items())]:
        _follow(here, lines, frozenset(), extra, found)
    return found


def _follow(
    here: dict[str, Distribution], lines: Iterable[str], chosen: frozenset[str], use: str, found: dict[str, str]
) -> None:  # fmt: skip
    for wants in map(Requirement, lines):
        name = canonicalize_name(wants.name)
        if wants.marker and not any(wants.marker.evaluate({"extra": extra}) for extra in ("", *chosen)):
            continue
        if name in found and not wants.extras:
            continue
        found.setdefault(name, use)
        if name in here:
            _follow(here, here[name].requires or (), frozenset(wants.extras), use, found)


def install(wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel, every extra and nothing else; returns its Python."""
    venv.create(folder, with_pip=False, clear=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    wanted = f"{wheel}[{','.join(extras())}]"
    subprocess.run([*pip, "install", "--quiet", "--constraint", str(CONSTRAINTS), wanted], check=True)
    subprocess.run([*pip, "check"], check=True)
    return python


def tried(python: Path, folder: Path) -> None:
    """Run what was installed, away from the sources: the command, the adapters, the models' and the app's packages."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    env |= {"EDGEMEM_FILE": str(folder / "me.edgemem"), "EDGEMEM_HOME": str(folder / "home")}

    def call(*words: str) -> str:
        done = subprocess.run([str(python), *words], cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    call("-m", "edgemem", "add", "I keep bees")
    assert "I keep bees" in call("-m", "edgemem", "list")
    for name in ("langgraph", "llamaindex", "mcp_server", "postgres"):
        call("-c", f"import edgemem.adapters.{name}")
    call("-c", "import llama_cpp, edgemem_models.provider, edgemem_tui.app, keyring")


def describe(python: Path) -> None:
    """Write the table of licences and the SBOM of what was installed."""
    said = subprocess.run(
        [sys.executable, "-m", "piplicenses", "--python", str(python), "--from=mixed", "--with-system", "--format=json"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    # Some packages put the whole text where the name of the licence belongs; its first line is the name.
    packages: dict[str, tuple[str, str]] = {
        canonicalize_name(p["Name"]): (p["Version"], p["License"].strip().splitlines()[0])
        for p in json.loads(said.stdout)
    }
    site = next(python.parent.parent.rglob("site-packages"))
    PAGE.write_text(page(needed(distributions(path=[str(site)])), packages), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "cyclonedx_py", "environment", "--pyproject", str(ROOT / "pyproject.toml"),
         "--mc-type", "library", "--output-reproducible", "--output-file", str(TARGET / "sbom.json"), str(python)],
        check=True,
    )  # fmt: skip


_HEAD = """# Dependencies and their licences

Written by `make package` from the metadata of what an installation with every extra brings, on Linux with Python {python}; other systems need
a few fewer or more. `constraints.txt` names the versions for all of them, `build/package/sbom.json` lists the same in CycloneDX.

| package | version | licence | needed for |
|---|---|---|---|
"""


def page(wanted: dict[str, str], packages: dict[str, tuple[str, str]]) -> str:
    """The page of the documentation: a row for each package, those that are always needed first."""
    rows = []
    for name, extra in sorted(wanted.items(), key=lambda item: (item[1], item[0])):
        version, licence = packages[name]
        rows.append(f"| {name} | {version} | {SILENT.get(name, licence)} | {extra or 'everything'} |\n")
    return _HEAD.format(python=f"{sys.version_info.major}.{sys.version_info.minor}") + "".join(rows)


def main() -> None:
    """The command; exit code 1 with what is wrong."""
    shutil.rmtree(TARGET, ignore_errors=True)
    first, again = build(TARGET), build(TARGET / "again")
    found = [
        f"{a.name} is another when it is built again"
        for a, b in zip(first, again, strict=True)
        if digest(a) != digest(b)
    ]
    found += [fault for archive in first for fault in faults(archive)]
    shutil.rmtree(TARGET / "again")
    if found:
        sys.exit("\n".join(found))
    python = install(next(p for p in first if p.suffix == ".whl"), TARGET / "environment")
    tried(python, TARGET / "environment")
    describe(python)
    print("Sound:", *(f"{path.name} ({path.stat().st_size:,} bytes)" for path in first), "sbom.json", PAGE.name)


if __name__ == "__main__":
    main()
