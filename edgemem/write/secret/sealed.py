"""Sensitive memories: the sentence anybody may see is a label, what it stands for is sealed."""

from __future__ import annotations

import json
from collections.abc import Mapping

from edgemem.errors import Conflict, InvalidInput, NotFound
from edgemem.ids import new_id
from edgemem.store import history, memories, seal
from edgemem.store.engine import Tx
from edgemem.store.key import Key
from edgemem.write.apply import blank
from edgemem.write.secret import masking
from edgemem.write.secret.masking import MASK

DEFAULT_LABEL = f"A sensitive note: {MASK}"
SENSITIVE = "sensitive"
SEALED = "sealed"
"""What holds the closed value in a memory's data."""


def refuse_secret(text: str) -> None:
    """Raise ``InvalidInput`` for a text with a password, a key or a card number: those are only kept sealed."""
    if masking.secret_in(text):
        raise _in_clear()


def refuse_secret_value(name: str, value: object) -> None:
    """Raise ``InvalidInput`` for a value, or one in a list or mapping, that is a secret in itself or by its name: "wifi_password"."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            refuse_secret_value(name if masking.names_many(name) else str(key), item)
    elif isinstance(value, list | tuple):
        for item in value:
            refuse_secret_value(name, item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and masking.secret_in_field(name, value):
        raise _in_clear()


def _in_clear() -> InvalidInput:
    return InvalidInput(
        "That holds a password, a key or the number of a card or document.",
        "Keep it sealed: edgemem add --sensitive (the file needs a passphrase)",
    )


def label_of(secret: str, label: str | None) -> str:
    """What is shown in place of a secret: the label given, or the sentence with its secrets masked.

    Raises ``InvalidInput`` for a label that gives the secret away.
    """
    if label is None:
        masked = masking.masked(secret)
        return DEFAULT_LABEL if masked == secret or masking.secret_in(masked.replace(MASK, "")) else masked
    if secret in label or masking.secret_in(label):
        raise InvalidInput("The label tells the secret.", "Name what it is, not what it says.")
    return label if MASK in label else f"{label}: {MASK}"


def add(tx: Tx, user: int, key: Key | None, secret: str, label: str, kind: str, now: str, **fields: object) -> str:
    """Keep a secret under a label; returns the memory's id. Raises ``Conflict`` when the label is taken."""
    same = memories.live_with_hash(tx, user, label)
    if same is not None:
        raise Conflict(
            f"Memory {same['uid']} has the label {label!r} already.",
            "Give another with --label, or erase that one first.",
        )
    uid = new_id()
    data = json.dumps({SEALED: seal.seal(tx, key, secret, uid)})
    snapshot = blank(label, kind, now, valid_from=now, sensitivity=SENSITIVE, data=data, **fields)
    memories.insert(tx, user, uid, snapshot)
    history.append(tx, user, memory=uid, action="add", author="user", reason="sealed by hand", decision=new_id(), now=now,
                   before=None, after=snapshot)  # fmt: skip
    return uid


def reveal(tx: Tx, user: int, key: Key | None, uid: str) -> str:
    """What a sensitive memory stands for. Raises ``NotFound`` for one that has nothing sealed, ``PassphraseNeeded``."""
    row = memories.row(tx, user, uid)
    sealed = None if row is None else json.loads(row["data"]).get(SEALED)
    if sealed is None:
        raise NotFound(f"Memory {uid} has nothing sealed.", "Its words are all there: edgemem show ID")
    return seal.reveal(tx, key, sealed, uid)
