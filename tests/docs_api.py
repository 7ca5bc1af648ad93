"""Writes docs/api.md from the signatures and docstrings: ``python -m tests.docs_api``. A test compares the two."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import edgemem
from edgemem.graph import Graph

TARGET = Path(__file__).parent.parent / "docs" / "api.md"
_HEAD = """# The library, call by call

Written from the code by `make docs`; a test keeps it true. What belongs together is told in [library.md](library.md). Every call
of `Memory` and `MemoryFile` has a twin of the same name in `AsyncMemory` and `AsyncMemoryFile`.
"""
_CLASSES = (edgemem.MemoryFile, edgemem.Memory, Graph)
INNER = frozenset(
    {
        "run",
        "now",
        "embedder_or_reason",
        "lease_until",
        "start_worker",
        "prepare",
        "layout",
        "records",
        "vectors",
        "take_records",
        "take_vectors",
        "contradictions",
    }
)
"""Calls between the parts of a file, not for apps."""


def render() -> str:
    """The whole page."""
    parts = [_HEAD, _call("edgemem.open", edgemem.open)]
    for kind in _CLASSES:
        parts.append(f"## {kind.__name__}\n\n{_words(kind)}\n")
        parts += [_call(f"{kind.__name__}.{name}", value) for name, value in _methods(kind)]
    records = [getattr(edgemem, name) for name in edgemem.__all__ if dataclasses.is_dataclass(getattr(edgemem, name))]
    parts.append("## Records\n\nFrozen data; times are in UTC.\n")
    parts += [_record(kind) for kind in records]
    return "\n".join(parts)


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    for name, value in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_") and name not in INNER | {"work_once"}:
            yield name, value


def _call(name: str, value: Any) -> str:
    signature = str(inspect.signature(value)).replace("(self, ", "(").replace("(self)", "()").replace("'", "")
    signature = re.sub(r"<function .*? at 0x[0-9a-f]+>", "…", signature)
    return f"### {name}\n\n```\n{name}{signature}\n```\n\n{_words(value)}\n"


def _words(value: Any) -> str:
    return re.sub(r"``([^`]+)``", r"`\1`", inspect.getdoc(value) or "")


def _record(kind: type) -> str:
    fields = "\n".join(f"- `{f.name}: {f.type}`" for f in dataclasses.fields(kind))
    return f"### {kind.__name__}\n\n{_words(kind)}\n\n{fields}\n"


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
