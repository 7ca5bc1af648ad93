"""People: the first key of every other row."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from edgemem.errors import InvalidInput
from edgemem.store import row_seals
from edgemem.store.engine import Tx
from edgemem.text import flaw

MAX_NAME = 500


def check_name(name: str) -> str:
    """A name may be any text that can be stored, except none at all."""
    if not name or len(name) > MAX_NAME or flaw(name) is not None:
        raise InvalidInput(f"A user's name is 1 to {MAX_NAME} characters of valid text.", "Choose another name.")
    return name


_JOINERS: Final = "\u200c\u200d"
"""What parts or joins two letters or emoji without a blank (ZWNJ, ZWJ): part of how Persian, Hindi and a family emoji are written."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})


def check_new(name: str) -> str:
    """The name of somebody new, its letters composed (NFC). Raises ``InvalidInput`` for one that looks like another's.

    Nobody sees a blank at its end, two in a row or of another width, a control character, or one without width, but for
    what joins or parts two letters or emoji that are not ASCII.
    """
    unseen = next((c for at, c in enumerate(name) if _nobody_sees(c) and not _joins(name, at)), None)
    if unseen is not None or name != " ".join(name.split()):
        what = f"the character {unseen!a}" if unseen else "a blank at its beginning or end, or two in a row"
        raise InvalidInput(f"The name {name!r} has {what}: it may look like another one.", "Leave that out.")
    return unicodedata.normalize("NFC", name)


def _nobody_sees(c: str) -> bool:
    return c != " " and unicodedata.category(c) in _UNSEEN


def _joins(name: str, at: int) -> bool:
    beside = (name[at - 1 : at], name[at + 1 : at + 2])
    return name[at] in _JOINERS and all(c and not c.isascii() and _written(c) for c in beside)


def _written(c: str) -> bool:
    """Whether it is a letter or an emoji, or a mark or a colour on one."""
    category = unicodedata.category(c)
    return category[0] in "LM" or category in ("So", "Sk")


def _compared(name: str) -> str:
    """What two spellings of one name have in common: letters composed, nothing that joins or parts them."""
    return unicodedata.normalize("NFC", "".join(c for at, c in enumerate(name) if not _joins(name, at)))


def same(tx: Tx, name: str) -> str:
    """The name of the user whose letters are these, however they are composed or joined; ``name`` when there is none."""
    if name.isascii() or find(tx, name) is not None:
        return name
    compared = _compared(name)
    return next((known for known in names(tx) if _compared(known) == compared), name)


def find(tx: Tx, name: str) -> int | None:
    """The user's key, or None."""
    row = tx.execute(f"SELECT id, {row_seals.whole('user', 'u')} FROM user u WHERE name = ?", (name,)).fetchone()
    if row is None:
        return None
    row_seals.check(row[1], "people")
    return int(row[0])


def name_of(tx: Tx, user: int) -> list[str]:
    """The name behind a key; nothing when there is no such user."""
    return [row[0] for row in tx.execute("SELECT name FROM user WHERE id = ?", (user,))]


@dataclass(slots=True)
class Seen:
    """The people up to which key were found whole in one open file: each is looked at once, not with every new one."""

    upto: int = 0


def find_or_add(tx: Tx, name: str, now: str, seen: Seen) -> int:
    """The user's key, made if the name is new. A key that an erased user had is not given again.

    Raises ``StoreCorrupt`` when a row of the people was altered: this may be the one it was.
    """
    if find(tx, name) is None:
        _look(tx, seen)
    tx.execute(
        "INSERT INTO user(id, name, created_at) SELECT 1 + max(coalesce((SELECT max(id) FROM user), 0),"
        " coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_erased_user'), 0)), ?, ?"
        " WHERE true ON CONFLICT(name) DO NOTHING",
        (name, now),
    )
    return int(tx.execute("SELECT id FROM user WHERE name = ?", (name,)).fetchone()[0])


def _look(tx: Tx, seen: Seen) -> None:
    query = f"SELECT id, {row_seals.whole('user', 'u')} FROM user u WHERE id > ? ORDER BY id"
    for key, whole in tx.execute(query, (seen.upto,)).fetchall():
        row_seals.check(whole, "people")
        seen.upto = key


def names(tx: Tx) -> list[str]:
    """All users, by name."""
    rows = tx.execute(f"SELECT name, {row_seals.whole('user', 'u')} FROM user u ORDER BY name").fetchall()
    for row in rows:
        row_seals.check(row[1], "people")
    return [row[0] for row in rows]
