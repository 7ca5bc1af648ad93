"""What the tests of export and import share."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from edgemem.memory import MemoryFile
from edgemem.view import Memory
from tests.helpers import opened


def lines(memory: Memory, **options: Any) -> list[dict[str, Any]]:
    """The records of an export, without head and end."""
    out = io.StringIO()
    memory.export_to(out, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()][1:-1]


def as_csv(memory: Memory, **options: Any) -> str:
    out = io.StringIO()
    memory.export_to(out, form="csv", **options)
    return out.getvalue()


def other(folder: Path) -> MemoryFile:
    return opened(folder / "other.edgemem")
