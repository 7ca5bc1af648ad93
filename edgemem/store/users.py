"""People: the first key of every other row."""

from __future__ import annotations

from edgemem.errors import InvalidInput
from edgemem.store.engine import Tx
from edgemem.text import first_surrogate

MAX_NAME = 500


def check_name(name: str) -> str:
    """A name may be any text that can be stored, except none at all."""
    if not name or len(name) > MAX_NAME or "\0" in name or first_surrogate(name) is not None:
        raise InvalidInput(f"A user's name is 1 to {MAX_NAME} characters of valid text.", "Choose another name.")
    return name


def find(tx: Tx, name: str) -> int | None:
    """The user's key, or None."""
    row = tx.execute("SELECT id FROM user WHERE name = ?", (name,)).fetchone()
    return None if row is None else int(row[0])


def find_or_add(tx: Tx, name: str, now: str) -> int:
    """The user's key, made if the name is new."""
    tx.execute("INSERT INTO user(name, created_at) VALUES (?, ?) ON CONFLICT(name) DO NOTHING", (name, now))
    return int(tx.execute("SELECT id FROM user WHERE name = ?", (name,)).fetchone()[0])


def names(tx: Tx) -> list[str]:
    """All users, by name."""
    return [row[0] for row in tx.execute("SELECT name FROM user ORDER BY name")]
