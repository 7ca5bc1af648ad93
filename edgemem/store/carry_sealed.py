"""Sealed values on the way: opened for an export that was asked to hold them, sealed anew with the key of where they arrive."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from edgemem.errors import EdgememError
from edgemem.store import memories, seal
from edgemem.store.carry_in import Refused
from edgemem.store.carry_out import Record
from edgemem.store.engine import Tx
from edgemem.store.key import Key

SEALED, SECRET = "sealed", "secret"
"""What holds the value in a memory's data: sealed in the file, readable in an export."""

_Change = Callable[[dict[str, Any], str], dict[str, Any]]
"""Takes the data and the id of a memory, and gives the data back."""


def opened(tx: Tx, key: Key | None, record: Record) -> Record:
    """The record with its sealed value readable. Raises ``PassphraseNeeded``."""

    def change(data: dict[str, Any], uid: str) -> dict[str, Any]:
        kept = {name: value for name, value in data.items() if name != SEALED}
        return kept | {SECRET: seal.reveal(tx, key, data[SEALED], uid)} if SEALED in data else data

    return _with_data(record, change)


def hidden(record: Record) -> Record:
    """The record without its sealed value; its label says that there is one."""
    return _with_data(record, lambda data, _: {name: value for name, value in data.items() if name != SEALED})


def closed(tx: Tx, user: int, key: Key | None, record: Record) -> Record:
    """The record with its readable value sealed. One that is here already stays as it is sealed. Raises ``Refused``."""

    def change(data: dict[str, Any], uid: str) -> dict[str, Any]:
        if not isinstance(data, dict) or SECRET not in data:
            return data
        kept = {name: value for name, value in data.items() if name != SECRET}
        row = memories.row(tx, user, uid)
        here = None if row is None else json.loads(row["data"]).get(SEALED)
        if here is not None and seal.reveal(tx, key, here, uid) == data[SECRET]:
            return kept | {SEALED: here}
        return kept | {SEALED: seal.seal(tx, key, data[SECRET], uid)}

    try:
        return _with_data(record, change)
    except EdgememError as error:
        raise Refused(f"{error} {error.hint}".strip()) from None


def _with_data(record: Record, change: _Change) -> Record:
    if record.get("type") == "memory" and isinstance(record.get("data"), dict):
        return record | {"data": change(record["data"], str(record.get("uid")))}
    if record.get("type") != "history":
        return record
    uid = str(record.get("memory_uid"))
    states = {name: state for name in ("before", "after") if isinstance(state := record.get(name), dict)}
    return record | {name: state | {"data": _text(state.get("data"), uid, change)} for name, state in states.items()}


def _text(data: Any, uid: str, change: _Change) -> Any:
    """The same for data that is JSON text; what needs no change keeps its letters, over which it is hashed."""
    if not isinstance(data, str) or (SEALED not in data and SECRET not in data):
        return data
    held = json.loads(data)
    made = change(held, uid)
    return data if made == held else json.dumps(made, ensure_ascii=False)
