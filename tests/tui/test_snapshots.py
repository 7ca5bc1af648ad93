"""Every screen looks as it did when somebody last looked at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .snapshots import FOLDER, MADE_WITH, SIZES, THEMES, draw, here, name_of, still_world


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES)
async def test_screens_look_as_they_did(size: tuple[int, int], theme: str, tmp_path: Path) -> None:
    if MADE_WITH.read_text(encoding="utf-8") != here():
        pytest.skip(f"the pictures were made with {MADE_WITH.read_text(encoding='utf-8').strip()}")
    with still_world(tmp_path):
        made = await draw(size, theme)
    for name, svg in made.items():
        (tmp_path / name).write_text(svg, encoding="utf-8")
    known = {path.name for path in FOLDER.glob(name_of("*", size, theme))}
    assert set(made) == known
    changed = [name for name, svg in made.items() if svg != (FOLDER / name).read_text(encoding="utf-8")]
    assert not changed, f"Look at them in {tmp_path}; if they are as you want them: python -m tests.tui.snapshots"
