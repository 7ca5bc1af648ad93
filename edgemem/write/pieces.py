"""The pieces of a message that the gate judges: its clauses, each with the one before it, corrections put in place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from edgemem.records import LoggedTurn
from edgemem.text import is_han
from edgemem.write import clauses
from edgemem.write.clauses import Clause, Corrected
from edgemem.write.requests import discreet
from edgemem.write.statements import mend
from edgemem.write.statements.mend import Mended

_CORRECTION = {False: "correction: ", True: "更正："}
"""What a correction begins with that had it in a clause of its own, by "is Chinese"."""

_ITEM = re.compile(r"(?:^|[\s:：;,，])(?:\d{1,2}[).、]|[-*•·])\s*$")


@dataclass(frozen=True, slots=True)
class Piece:
    """``clause`` are exact words of the message, ``words`` what they say: the same, unless they correct something.

    ``previous`` is the clause just before in the same message, or None; of an ``item`` of a list the line above the list.
    ``corrects`` is what it puts right, where that stands in another message.
    """

    clause: Clause
    words: str
    previous: Clause | None
    item: bool = False
    corrects: Corrected | None = None

    @property
    def judged(self) -> str:
        """What the gate reads: an item of a list with the line above the list."""
        above = self.previous.text if self.previous is not None and self.item else ""
        return f"{above} {self.words}".strip()

    @property
    def mended(self) -> bool:
        """Whether it is a correction put into the words it corrects."""
        return self.words != self.clause.text


def of(found: Sequence[Clause], message: str, earlier: Sequence[LoggedTurn]) -> list[Piece]:
    """The pieces of ``message``, cut into ``found``; a correction takes the place of the clause it corrects."""
    pieces: list[Piece] = []
    wrong = False  # the clause just before only said that something was wrong
    for number, clause in enumerate(found):
        if mend.only_says_so(clause.text) and number + 1 < len(found):
            wrong = True
            continue
        previous = found[number - 1] if number and not wrong else None
        corrects = f"{_CORRECTION[is_han(clause.text)]}{clause.text}" if wrong else clause.text
        wrong = False
        mended, start, corrects_before = None, clause.start, None
        if pieces:
            mended = mend.mended(pieces[-1].words, corrects)
            start = pieces.pop().clause.start if mended is not None else start
        elif previous is None:
            mended, corrects_before = _said_before(corrects, earlier)
        if mended is None and (whole := mend.anew(clause.text)) is not None:
            mended = Mended(whole, "")
        above = _above(found[:number], message, clause)
        if above is not None:
            pieces.append(Piece(clause, clause.text, above, item=True))
        elif mended is None:
            start, end = discreet.spoken(clause.text)
            said = Clause(clause.text[start:end], clause.start + start)
            pieces.append(Piece(said, said.text, previous))
        else:
            pieces += _put_right(mended, message, start, clause, corrects_before)
    return pieces


def _above(before: Sequence[Clause], message: str, clause: Clause) -> Clause | None:
    """The line that a list stands under, when ``clause`` is an item of one: "How I do it: 1) … 2) …"."""
    if not _ITEM.search(message[: clause.start]):
        return None
    return next(
        (c for c in reversed(before) if c.text.endswith((":", "：")) and not _ITEM.search(message[: c.start])), None
    )


def _put_right(mended: Mended, message: str, start: int, clause: Clause, corrects: Corrected | None) -> list[Piece]:
    """The corrected statement, which rests on the words from ``start`` on, and what the correction says besides."""
    end = clause.start + len(clause.text)
    rest = Clause(mended.rest, end - len(mended.rest)) if mended.rest else None
    stop = end if rest is None else rest.start
    whole = Clause(message[start:stop].rstrip(), start)
    return [
        Piece(whole, mended.words, None, corrects=corrects),
        *([Piece(rest, rest.text, None)] if rest is not None else []),
    ]


def _said_before(words: str, earlier: Sequence[LoggedTurn]) -> tuple[Mended | None, Corrected | None]:
    """What the user's last message said, with the value that a correction in these words replaces, and where it stands."""
    said = next((t for t in reversed(earlier) if t.role == "user"), None)
    for clause in reversed(clauses.split(said.content)) if said is not None else ():
        if said is not None and (mended := mend.mended(clause.text, words)) is not None:
            return mended, Corrected(said.key, clause, said.content, mended.words)
    return None, None
