"""Where files lie by default, on each system: those systems' own folders, asked of platformdirs for each."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest
from edgemem_tui.config import config_path
from platformdirs.api import PlatformDirsABC
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows, get_win_folder_from_env_vars

import edgemem
import edgemem.memory
from edgemem.folders import cache_home, models_home
from edgemem.interop.pages import file_name
from tests.test_docs import rows

SYSTEMS: dict[str, type[PlatformDirsABC]] = {"Linux": Unix, "macOS": MacOS, "Windows": Windows}
HEADS = ("what", *SYSTEMS, "with `EDGEMEM_HOME`")
TABLE = {row[0]: dict(zip(HEADS[1:], row[1:], strict=True)) for row in rows("file.md", len(HEADS))[2:]}


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Every question to platformdirs is answered as on this system, for a user whose home is ``tmp_path``."""
    for name in ("EDGEMEM_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "AppData" / "Local"))
    monkeypatch.setattr(platformdirs, "PlatformDirs", SYSTEMS[request.param])
    # Elsewhere than on Windows it cannot be asked by its own calls.
    monkeypatch.setattr("platformdirs.windows.get_win_folder", get_win_folder_from_env_vars)
    return str(request.param)


def told(what: str, system: str, home: Path) -> Path:
    """The place that the documentation names."""
    cell = TABLE[what][system].strip("`").replace("%LOCALAPPDATA%", "~\\AppData\\Local")
    return home.joinpath(*cell.replace("\\", "/").removeprefix("~/").split("/"))


def places(env: dict[str, str]) -> dict[str, Path]:
    """Where the code looks, by what the documentation calls it."""
    return {
        "the memory": edgemem.memory.default_path(),
        "models": models_home(env),
        "what can be made again": cache_home(env),
        "settings of the terminal app": config_path(),
    }


def test_files_lie_where_the_documentation_says(system: str, tmp_path: Path) -> None:
    found = places({})
    assert set(found) == set(TABLE)
    assert found == {what: told(what, system, tmp_path) for what in found}


def test_a_home_of_its_own_gathers_all_but_the_memory(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDGEMEM_HOME", " ~/em ")
    before = edgemem.memory.default_path()
    found = places({"EDGEMEM_HOME": " ~/em "})
    assert found.pop("the memory") == before
    for what, place in found.items():
        assert place == tmp_path / "em" / Path(TABLE[what]["with `EDGEMEM_HOME`"].strip("`")).relative_to(
            "$EDGEMEM_HOME"
        )


def test_the_default_file_is_made_with_its_folder(system: str, tmp_path: Path) -> None:
    with edgemem.open() as file:
        file.user("me").add("I keep bees")
    assert told("the memory", system, tmp_path).is_file()


@pytest.mark.parametrize("subject", ["CON", "aux", "lpt1", 'a:b*c?"<d>|', "..", "trailing. ", "a/b\\c", "", "x" * 400])
def test_notes_have_names_that_every_system_takes(subject: str) -> None:
    name = file_name(subject, set()).removesuffix(".md")
    assert name
    assert not set(name) & set('<>:"/\\|?*')
    assert name.casefold() not in {"con", "prn", "aux", "nul", "com1", "lpt1", "..", "."}
    assert not name.endswith((" ", "."))
    assert len(name.encode()) < 250


def test_names_that_differ_in_case_alone_are_two_files() -> None:
    taken: set[str] = set()
    assert len({file_name(subject, taken).casefold() for subject in ("Anna", "anna", "ANNA")}) == 3
