"""Capture: what was said is checked and logged before anything else happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from edgemem.errors import InvalidInput
from edgemem.ids import new_id
from edgemem.records import ROLES, Turn
from edgemem.store.turns import NewTurn
from edgemem.text import check_text
from edgemem.times import offset_of, parse, to_db
from edgemem.write.requests import permitted, requests, unkept

MAX_ID = 500
_TURN = 'Give a list: [edgemem.Turn("user", "I moved to Porto")]'


def checked(turns: Sequence[Turn], *, now: datetime, max_bytes: int) -> list[NewTurn]:
    """Turns fit for the log, in the same order.

    A turn without time is said ``now``; without session it belongs to its day's; without id it
    gets a fresh one. Raises ``InvalidInput`` naming the first turn that cannot be taken, and why.
    """
    if isinstance(turns, str | bytes | Mapping | Turn):
        raise InvalidInput(f"A {type(turns).__name__} is not a list of turns.", _TURN)
    return [_checked(turn, n, now, max_bytes) for n, turn in enumerate(turns, start=1)]


def permitted_only(turn: NewTurn) -> NewTurn:
    """A turn that asks not to be kept and says what of it may be, with that part only: the rest never reaches the log."""
    if turn.role != "user" or requests.target(turn.content, None) != "this" or unkept.of_chat(turn.content):
        return turn
    part = permitted.span(turn.content)
    return turn if part is None else replace(turn, content=turn.content[slice(*part)].strip(" ,;:，；：\n"))


def _checked(turn: Turn, n: int, now: datetime, max_bytes: int) -> NewTurn:
    if not isinstance(turn, Turn):
        raise InvalidInput(f"Turn {n} is a {type(turn).__name__}.", _TURN)
    if turn.role not in ROLES:
        raise InvalidInput(f"Turn {n} has the role {turn.role!r}.", f"Roles are: {', '.join(ROLES)}.")
    if not isinstance(turn.content, str):
        raise InvalidInput(f"The content of turn {n} is no text.", "Give it as a string.")
    check_text(turn.content, f"The content of turn {n}")
    if not turn.content.strip():
        raise InvalidInput(f"Turn {n} is empty.", "Leave it out.")
    size = len(turn.content.encode("utf-8"))
    if size > max_bytes:
        raise InvalidInput(
            f"Turn {n} is {size:,} bytes long; the limit is {max_bytes:,}.", "Split it into several turns."
        )
    moment = now if turn.at is None else parse(turn.at)
    session, uid = turn.session or moment.date().isoformat(), turn.id or new_id()
    for name, text in (("session", session), ("id", uid), ("speaker", turn.speaker or "-")):
        if not isinstance(text, str):
            raise InvalidInput(f"The {name} of turn {n} is no text.", "Give it as a string.")
        check_text(text, f"The {name} of turn {n}")
        if len(text) > MAX_ID:
            raise InvalidInput(f"The {name} of turn {n} is longer than {MAX_ID} characters.", "Use a shorter one.")
    return NewTurn(session, uid, turn.role, turn.content, to_db(moment), offset_of(moment), turn.speaker)
