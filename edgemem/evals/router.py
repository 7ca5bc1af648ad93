"""Does a message need long-term memory? Labelled turns of chats, and how often the router is right about them.

A turn is an object a line: ``turn``, ``needs`` (true or false), and ``after``, what the user said before it. They are
judged in an empty file: what the memory itself knows (a name, an allergy) can only add searches.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgemem.evals.seams import Narrator
from edgemem.evals.sessions import StoryClock, StoryOpener
from edgemem.evals.sets import made_of, shipped
from edgemem.text import is_han


@dataclass(frozen=True, slots=True)
class Case:
    """A message, whether it needs memory, and what the user said before it, oldest first."""

    turn: str
    needs: bool
    after: tuple[str, ...] = ()


def shipped_turns() -> list[Case]:
    """The turns that come with edgemem, in English and Chinese. Nothing was fitted on them."""
    return shipped("turns.jsonl", load_turns)


def load_turns(paths: Sequence[Path]) -> list[Case]:
    """Read labelled turns. Raises ``InvalidInput`` for a line that is none."""
    return made_of(paths, _turn, 'A line is like {"turn": "Where do I live?", "needs": true, "after": ["Hello"]}.')


def _turn(record: Mapping[str, Any]) -> Case:
    turn, needs, after = record["turn"], record["needs"], record.get("after", [])
    if not isinstance(turn, str) or not isinstance(needs, bool) or not _texts(after):
        raise TypeError("turn and after are texts, needs is true or false")
    return Case(turn, needs, tuple(after))


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def run_router(cases: Sequence[Case], opener: StoryOpener, narrator: Narrator) -> dict[str, Any]:
    """Judge every turn; returns the figures, with the turns that were judged wrongly."""
    needs = []
    with (
        tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder,
        opener(Path(folder) / "empty.edgemem", StoryClock()) as file,
    ):
        for number, case in enumerate(cases, 1):
            needs.append(file.user("me").needs(case.turn, after=case.after))
            narrator.item(number, len(cases), case.turn)
    found: dict[str, Any] = {"groups": figures(cases, [need.needed for need in needs])}
    wrong = [(c, n) for c, n in zip(cases, needs, strict=True) if c.needs != n.needed]
    return found | {"wrong": [{"turn": c.turn, "needs": c.needs, "chance": n.chance, "why": n.why} for c, n in wrong]}


def figures(cases: Sequence[Case], searched: Sequence[bool]) -> dict[str, dict[str, Any]]:
    """Of all turns, and by language: ``saved`` is the share of the needless that is not searched for, ``missed`` that of
    the needed; ``spared`` the share of all turns without a search."""
    groups = {
        "all": cases,
        "English": [c for c in cases if not is_han(c.turn)],
        "Chinese": [c for c in cases if is_han(c.turn)],
    }
    told = dict(zip(map(id, cases), searched, strict=True))
    return {name: _shares(group, [told[id(c)] for c in group]) for name, group in groups.items()}


def _shares(cases: Sequence[Case], searched: Sequence[bool]) -> dict[str, Any]:
    needless = [not s for c, s in zip(cases, searched, strict=True) if not c.needs]
    needed = [not s for c, s in zip(cases, searched, strict=True) if c.needs]
    return {
        "turns": len(cases), "needed": len(needed), "saved": _mean(needless), "missed": _mean(needed),
        "spared": _mean([*needless, *needed]),
    }  # fmt: skip


def _mean(values: Sequence[bool]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
