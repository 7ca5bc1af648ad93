"""What `make` says to a newcomer whose machine lacks something, and while a long step is silent."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers import CHILD_SECONDS, ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where nothing is installed yet."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def _make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *words], cwd=folder, capture_output=True, text=True, timeout=CHILD_SECONDS, check=False
    )


def test_a_machine_without_a_compiler_is_told_what_to_install(folder: Path) -> None:
    done = _make(folder, "run", "CXX=no-such-compiler")
    assert done.returncode == 2
    assert "needs a C++ compiler" in done.stdout
    assert not (folder / ".venv").exists()


def test_an_old_python_is_refused_before_anything_is_made(folder: Path) -> None:
    done = _make(folder, "run", "PYTHON=false")
    assert done.returncode == 2
    assert "Python 3.11 or newer" in done.stdout
    assert not (folder / ".venv").exists()


def test_a_silent_step_tells_that_it_goes_on_and_fails_as_its_command_does(folder: Path) -> None:
    (folder / "long.mk").write_text("include Makefile\nlong:\n\t@$(PATIENT) sh -c 'sleep 2; exit 7'\n")
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text("utf-8").replace("seconds % 30", "seconds % 1"), "utf-8")
    done = _make(folder, "-f", "long.mk", "long")
    assert "still at it" in done.stdout
    assert "Error 7" in done.stderr
