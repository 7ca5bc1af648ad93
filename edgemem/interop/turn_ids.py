"""Ids for turns of files that give them none: the same file twice is the same turns."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from edgemem.records import Turn


def identified(turns: Iterable[Turn], stem: str) -> list[Turn]:
    """Turns with session (``stem`` where there is none) and id.

    The id comes from the words, not from the line: a line repaired later must not rename those after it.
    """
    seen: Counter[str] = Counter()
    found = []
    for turn in turns:
        said = (turn.session, turn.role, turn.speaker, turn.at, turn.content)
        name = hashlib.sha256(repr(said).encode("utf-8")).hexdigest()[:16]
        seen[name] += 1
        uid = name if seen[name] == 1 else f"{name}-{seen[name]}"
        found.append(replace(turn, session=turn.session or stem, id=turn.id or uid))
    return found
