"""Obey "don't remember this": what was said is in the log for a moment, then it and all drawn from it is erased."""

from __future__ import annotations

from edgemem.records import LoggedTurn
from edgemem.store import erase, erasure, turns
from edgemem.store.engine import Tx
from edgemem.write import requests


def obey(tx: Tx, user: int, turn: LoggedTurn, now: str) -> list[str]:
    """Erase what a user's turn asks not to keep; returns the ids of the turns that went, none when it asks nothing.

    The answers to an erased message go with it: they may repeat it.
    """
    if turn.role != "user":
        return []
    target = requests.target(turn.content, _question_before(tx, user, turn))
    if target is None:
        return []
    before = turns.previous_by_user(tx, user, turn) if target == "before" else None
    session = turns.of_session(tx, user, turn.session)
    start = turn.position if before is None else before.position
    following = [t.position for t in session if t.position > turn.position and t.role == "user"]
    end = min(following, default=len(session) + turn.position + 1)
    going = [t for t in session if start <= t.position < end]
    erase.apply(tx, user, erasure.of_turns(tx, user, [t.key for t in going]), now)
    return [t.id for t in going]


def _question_before(tx: Tx, user: int, turn: LoggedTurn) -> str | None:
    before = turns.around(tx, user, turn, 1)
    asked = before and before[-1].role == "assistant" and before[-1].content.rstrip().endswith(("?", "？"))
    return before[-1].content if asked else None
