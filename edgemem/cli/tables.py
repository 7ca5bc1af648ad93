"""Tables for people: columns aligned by what a terminal shows, the last but free to wrap by itself."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Sequence
from datetime import datetime


def width(text: str) -> int:
    """Terminal columns of a text; East Asian wide characters take two, combining marks none."""
    return sum(
        0
        if unicodedata.combining(c) or c in "\u200b\u200c\u200d\ufe0f"
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


def when(moment: datetime, *, seconds: bool = False) -> str:
    """A moment by this machine's clock, as every list prints it."""
    return f"{moment.astimezone():{'%Y-%m-%d %H:%M:%S' if seconds else '%Y-%m-%d %H:%M'}}"


def day(moment: datetime) -> str:
    """Its day, by the same clock."""
    return f"{moment.astimezone():%Y-%m-%d}"


def short(uid: str) -> str:
    """An id as every list prints it: its end, which every command takes. The beginning is the time, and common to many."""
    return uid[-12:]


def one_line(text: str) -> str:
    """Without line breaks and control characters, which would break (or drive) the terminal."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable() or c in "\u200c\u200d")


def visible(text: str) -> str:
    """Lines and all, without the control characters that would drive the terminal."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")


def cut(text: str, columns: int) -> str:
    """At most ``columns`` wide; what was cut is marked."""
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for c in text:
        used += width(c)
        if used > columns - 1:
            break
        kept.append(c)
    return "".join(kept) + "…"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, wide: str = "content") -> str:
    """Rows under heads. On a terminal the ``wide`` column is cut to fit; into a pipe nothing is cut."""
    cells = [list(heads), *([one_line(c) for c in row] for row in rows)]
    widths = [max(width(row[n]) for row in cells) for n in range(len(heads))]
    if sys.stdout.isatty():
        target = heads.index(wide) if wide in heads else len(heads) - 1
        room = shutil.get_terminal_size().columns - sum(w + 2 for n, w in enumerate(widths) if n != target)
        widths[target] = min(widths[target], max(20, room))
        for row in cells:
            row[target] = cut(row[target], widths[target])
    return "\n".join(
        "  ".join(c + " " * (w - width(c)) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells
    )
