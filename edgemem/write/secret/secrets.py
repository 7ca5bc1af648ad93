"""Secrets that were said: masked, they wait in the review; a yes keeps one sealed, a no puts it away.

What waits holds no secret itself: it knows where in its message the words stand, and takes them from there when they are sealed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from edgemem.errors import Conflict
from edgemem.ids import new_id
from edgemem.records import LoggedTurn, Memory
from edgemem.store import changing, history, memories, seal, turns
from edgemem.store.engine import Row, Tx
from edgemem.store.key import Key
from edgemem.times import to_db
from edgemem.write import guards, manual
from edgemem.write.apply import blank
from edgemem.write.clauses import Clause
from edgemem.write.secret import masking, sealed

_ANSWERED = ("review", "live", "forgotten")
"""A secret of these is known; one that gave way to another may be told anew."""

_SEALED = "sealed after a yes"

SAID = "said"
"""Characters of the message that are the secret's, in the data of a memory that waits; ``source_start`` is where they begin."""

WAITS = "a secret; masked, it waits for your yes: edgemem review list"
"""What a receipt says of it."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Words of a message with a password, a key or a number in them that nobody else should see; ``label`` hides those."""

    text: str
    start: int

    @property
    def label(self) -> str:
        """The words with the secret masked."""
        return sealed.label_of(self.text, None)


def told(message: str, said: Sequence[Clause]) -> list[Secret]:
    """The secrets in what the user said, not in what is quoted, each with the clauses it stands in: a number may be cut off
    from its name."""
    found: list[Secret] = []
    for start, end in masking.secret_spans(message):
        touched = [c for c in said if c.start < end and start < c.start + len(c.text)]
        if not touched or guards.quoted(message, start) or (found and start < found[-1].start + len(found[-1].text)):
            continue
        begin = min(start, touched[0].start)
        found.append(Secret(message[begin : max(end, touched[-1].start + len(touched[-1].text))], begin))
    return found


def wait(tx: Tx, user: int, turn: LoggedTurn, secrets: Sequence[Secret], now: str, trace: str) -> None:
    """Put secrets into the review, but not what waits, is sealed or was refused with the same words."""
    guarded = memories.guarded(tx, user) if secrets else []
    known = {_bare(_words(tx, user, memories.row(tx, user, m.id))) for m in guarded if m.status in _ANSWERED}
    for secret in secrets:
        if _bare(secret.text) in known:
            continue
        known.add(_bare(secret.text))
        uid = new_id()
        fields = blank(
            secret.label, "fact", now, sensitivity=sealed.SENSITIVE, status="review", valid_from=to_db(turn.at),
            source_turn=turn.key, source_start=secret.start, trace=trace, data=json.dumps({SAID: len(secret.text)}),
        )  # fmt: skip
        memories.insert(tx, user, uid, fields)
        history.append(tx, user, memory=uid, action="add", author="rule", reason="a secret was said", decision=new_id(),
                       now=now, before=None, after=fields)  # fmt: skip


def confirm(tx: Tx, user: int, key: Key | None, uid: str, now: str) -> str:
    """Put a doubtful memory to use, a secret sealed; returns the change's id. Of two secrets with one label the one
    said later counts: the password was changed.

    Raises ``Conflict`` for one that does not wait, or whose message is gone, ``InvalidInput`` for a secret in a file without
    a passphrase, or ``PassphraseNeeded``.
    """
    row = memories.row(tx, user, uid)
    if row is None or row["status"] != "review" or SAID not in json.loads(row["data"]):
        return manual.confirm(tx, user, uid, now)
    words = _words(tx, user, row)
    if words is None:
        raise Conflict(
            f"The message of memory {uid} is no longer in the log.", "Keep it with: edgemem add - --sensitive"
        )
    data = json.dumps({SAID: len(words), sealed.SEALED: seal.seal(tx, key, words, uid)})
    same = memories.live_with_hash(tx, user, row["content"])
    if same is None or not {SAID, sealed.SEALED} <= json.loads(same["data"]).keys():
        manual.room_for(tx, user, uid, "live", row["content"])
        return changing.change(tx, user, row, "edit", _SEALED, now, status="live", data=data)
    if same["valid_from"] > row["valid_from"]:
        past = _past(same, same["valid_from"])
        return changing.change(tx, user, row, "edit", f"{_SEALED}; a newer one is kept", now, data=data, **past)
    decision, reason = new_id(), json.dumps({"by": uid})
    changing.change(tx, user, same, "supersede", reason, now, decision=decision, **_past(row, row["valid_from"]))
    return changing.change(tx, user, row, "edit", _SEALED, now, decision=decision, status="live", data=data)


def _past(newer: Row, until: str) -> dict[str, str]:
    """What makes a memory one that a newer one took the place of."""
    return {"status": "superseded", "superseded_by": newer["uid"], "valid_to": until}


def _bare(words: str | None) -> str | None:
    """A sentence without the marks around it: what is said again is seldom closed by the same ones."""
    return words and words.strip(" \t\n.,;!?。，；！？").casefold()


def said_of(tx: Tx, user: int, memory: Memory) -> list[str]:
    """The secrets in a message that a memory stands for, waiting, sealed or put away; none where it stands for no message."""
    row = memories.row(tx, user, memory.id) if SAID in memory.data else None
    words = None if row is None else _words(tx, user, row)
    return [] if words is None else masking.secret_words(words)


def _words(tx: Tx, user: int, row: Row) -> str | None:
    """What a waiting secret stands for, as the log has it; None when the message is gone."""
    length = json.loads(row["data"]).get(SAID)
    turn = None if row["source_turn"] is None else turns.by_keys(tx, user, [row["source_turn"]]).get(row["source_turn"])
    if turn is None or length is None:
        return None
    return turn.content[row["source_start"] : row["source_start"] + length]
