"""Records a session on the command line: ``python -m tests.recording`` writes docs/images/session.svg.

The commands run for real, with the models of this machine, on a file of their own. The picture shows each
line when it came, with long waits cut to ``LONGEST`` seconds, and begins anew at the end.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from tests.helpers import ROOT

TARGET = ROOT / "docs" / "images" / "session.svg"
WIDTH, LONGEST, REST = 96, 2.5, 4.0

CHAT = '{"role": "user", "content": "I moved to Porto in May. How do I get a tax number here?", "session": "mon"}\n'
COMMANDS = (
    'edgemem add "The user is allergic to peanuts" --pin',
    "edgemem learn chat.jsonl",
    'edgemem recall "where did he move?"',
    'edgemem recall "which nuts are dangerous for him?"',
    "edgemem list",
    "edgemem check",
)


class Line(NamedTuple):
    """A line and the second at which it stands there."""

    text: str
    at: float


def recorded(folder: Path) -> list[Line]:
    """Run the commands one after the other; what was typed and what they printed."""
    (folder / "chat.jsonl").write_text(CHAT, encoding="utf-8")
    env = os.environ | {"EDGEMEM_FILE": str(folder / "me.edgemem"), "NO_COLOR": "1", "COLUMNS": str(WIDTH)}
    lines, now = [], 0.5
    for command in COMMANDS:
        lines.append(Line(f"$ {command}", now))
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command)], cwd=folder, env=env, text=True, check=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        now += 0.8 + min(LONGEST, time.perf_counter() - start)
        lines += [Line(text[:WIDTH], now) for text in done.stdout.splitlines()]
        now += 1.2
    return lines


def picture(lines: list[Line]) -> str:
    """An SVG in which each line appears at its second. It loads nothing: fonts are those of the reader."""
    console = Console(record=True, width=WIDTH, file=Path(os.devnull).open("w", encoding="utf-8"), color_system=None)  # noqa: SIM115
    for line in lines:
        console.print(line.text, markup=False, highlight=False, style="bold" if line.text.startswith("$ ") else "")
    form = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.S)
    svg = console.export_svg(title="edgemem", code_format=form, unique_id="session")
    whole = lines[-1].at + REST
    rules = [_rule(number, line.at / whole, whole) for number, line in enumerate(lines)]
    return svg.replace("</style>", "\n".join(rules) + "\n</style>", 1)


def _rule(number: int, share: float, seconds: float) -> str:
    frames = f"0%{{opacity:0}} {100 * share:.2f}%{{opacity:0}} {100 * share + 0.01:.2f}%{{opacity:1}} 100%{{opacity:1}}"
    return (
        f"@keyframes line{number}{{{frames}}}"
        f'text[clip-path="url(#session-line-{number})"]{{animation:line{number} {seconds:.1f}s linear infinite}}'
    )


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        TARGET.write_text(picture(recorded(Path(folder))), encoding="utf-8")
