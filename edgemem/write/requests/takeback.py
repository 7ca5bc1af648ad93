"""Obey "don't remember this": what was said is in the log for a moment, then it and all drawn from it is erased."""

from __future__ import annotations

from collections.abc import Sequence

from edgemem.records import LoggedTurn
from edgemem.store import erase, erasure, history, memories, turns
from edgemem.store.engine import Tx
from edgemem.write import manual
from edgemem.write.requests import requests, unkept

SHORT_REQUEST = 80
"""Longest message, in characters, that asks about the one before rather than about itself."""


def obey(tx: Tx, user: int, turn: LoggedTurn, now: str) -> list[str]:
    """Erase what a user's turn asks not to keep; returns the ids of the turns that went, none when it asks nothing.

    The answers to an erased message go with it: they may repeat it.
    """
    if turn.role != "user" or unkept.of_chat(turn.content):
        return []  # a request about a whole conversation has to stay: what is said later is read with it
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


def unlearn(tx: Tx, user: int, turn: LoggedTurn, now: str) -> None:
    """Drop what was learned from the message before: "don't remember that" speaks of it when it is short.

    Or of all the conversation so far, when the request is of that.
    """
    if unkept.of_chat(turn.content):
        for said in turns.by_user_before(tx, user, turn, ()):
            _drop(tx, user, said, now)
        return
    before = turns.previous_by_user(tx, user, turn)
    if before is None or len(turn.content) > SHORT_REQUEST or requests.never_mind(turn.content):
        return
    if not unkept.reaches(turn.content, before.content):
        return
    _drop(tx, user, before, now)


def _drop(tx: Tx, user: int, said: LoggedTurn, now: str) -> None:
    turns.never_extract(tx, user, said.key)
    for uid in memories.standing_of_turn(tx, user, said.key):
        last = history.of_memory(tx, user, uid)[-1]
        if last.author == "model":
            # What the turn refined or replaced comes back as it was.
            manual.undo(tx, user, last.id, now, author="rule")
        else:
            manual.forget(tx, user, uid, now, "the user asked not to keep it", author="rule")


def of_whole_chat(tx: Tx, user: int, turn: LoggedTurn, near: Sequence[LoggedTurn]) -> list[LoggedTurn]:
    """The requests of a conversation to keep nothing of it, however long ago: what is said later is read with them."""
    asked = turns.by_user_before(tx, user, turn, unkept.CHAT_WORDS)
    first = near[0].position if near else turn.position
    return [t for t in asked if t.position < first and unkept.of_chat(t.content)]
