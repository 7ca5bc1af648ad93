"""What is published can be installed, carries what it should, and brings licences that its users can live with."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import edgemem
from tests import package
from tests.helpers import CHILD_SECONDS
from tests.test_docs import rows

DEPENDENCIES = {name: (version, licence, use) for name, version, licence, use in rows("dependencies.md", 4)[2:]}

UNWANTED = ("unknown", "agpl", "gpl-", "gnu general", "sspl", "busl", "non-commercial", "proprietary")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return package.build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def wheel(archives: list[Path]) -> Path:
    return next(path for path in archives if path.suffix == ".whl")


def test_wheel_and_sdist_carry_what_they_should_and_no_more(archives: list[Path]) -> None:
    assert [path.suffix for path in archives] == [".whl", ".gz"]
    assert [fault for archive in archives for fault in package.faults(archive)] == []


def test_what_should_not_be_in_a_wheel_is_noticed(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as good, zipfile.ZipFile(spoilt, "w") as bad:
        for item in good.infolist():
            if not item.filename.endswith(("py.typed", "LICENSE")):
                bad.writestr(item, good.read(item))
        bad.writestr("tests/data/set.json", "{}")
    monkeypatch.setitem(package.BUDGET, ".whl", 1000)
    told = "\n".join(package.faults(spoilt))
    for fault in (
        "bytes",
        "lacks edgemem/py.typed",
        "lacks licenses/LICENSE",
        "has tests/data/set.json",
        "carries tests",
    ):
        assert fault in told


def test_the_same_sources_give_the_same_wheel_by_either_way(wheel: Path, tmp_path: Path) -> None:
    # The fixture's was made from the sdist, this one from the working tree.
    [again] = package.build(tmp_path, "--wheel")
    assert package.digest(again) == package.digest(wheel)


def test_the_installed_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*pip, str(wheel)], check=True, timeout=3 * CHILD_SECONDS)
    # First on the path, so that this edgemem is found and not the sources.
    env = os.environ | {
        "PYTHONPATH": str(target),
        "EDGEMEM_FILE": str(tmp_path / "me.edgemem"),
        "EDGEMEM_HOME": str(tmp_path),
    }

    def call(*words: object) -> str:
        command = [str(word) for word in words]
        return subprocess.run(
            command, cwd=tmp_path, env=env, check=True, capture_output=True, text=True, timeout=3 * CHILD_SECONDS
        ).stdout

    where = call(sys.executable, "-c", "import edgemem, edgemem_models, edgemem_tui; print(edgemem.__file__)")
    assert Path(where.strip()).is_relative_to(target)
    script = target / "bin" / ("edgemem.exe" if os.name == "nt" else "edgemem")
    assert call(script, "--version") == f"edgemem, version {edgemem.__version__}\n"
    call(script, "state", "set", "trip", "seat", "by the window")
    assert "by the window" in call(sys.executable, "-m", "edgemem", "state", "get", "trip")


def test_every_package_that_is_needed_is_listed_with_its_version() -> None:
    pinned = package.pinned()
    assert {name for name, (version, _, _) in DEPENDENCIES.items() if version not in pinned.get(name, ())} == set()
    reached = package.needed(distributions())
    assert len(reached) > 40
    assert set(reached) - set(DEPENDENCIES) == set(), "run: make lock package"


def test_every_requirement_is_pinned_and_listed_for_its_use() -> None:
    pinned, told = package.pinned(), package.project()
    uses = {"everything": told["dependencies"], **told["optional-dependencies"]}
    for use, lines in uses.items():
        for line in lines:
            wanted = Requirement(line)
            name = canonicalize_name(wanted.name)
            assert all(wanted.specifier.contains(version) for version in pinned[name]), line
            # A package that something else needs too is listed for that.
            assert DEPENDENCIES[name][2] in ("everything", use), line


def test_no_dependency_has_a_licence_that_binds_the_user() -> None:
    assert len(DEPENDENCIES) > 100
    for name, (_, licence, _) in DEPENDENCIES.items():
        words = licence.lower().replace("lgpl-", "lesser-")
        assert not [mark for mark in UNWANTED if mark in words], (name, licence)


def test_a_package_is_needed_for_everything_or_for_an_extra() -> None:
    assert DEPENDENCIES["click"][2] == "everything"
    assert DEPENDENCIES["psycopg"][2] == "postgres"
    assert {use for _, _, use in DEPENDENCIES.values()} == {"everything", *package.extras()}
