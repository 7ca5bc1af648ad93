"""Keys at random, a hundred and twenty of them; ``python -m tests.tui.random_keys`` presses twenty thousand."""

from __future__ import annotations

from pathlib import Path

import pytest
from edgemem_tui.screens import models as models_screen

from .random_keys import opened, press


async def test_whatever_is_pressed_nothing_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDGEMEM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(models_screen, "_pull", models_screen._pull)  # put back afterwards
    with opened(tmp_path) as file:
        assert await press(file, 120, 20260501, tmp_path / "tui.toml") == []
        assert file.check() == []
