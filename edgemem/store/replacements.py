"""Which turn told something else of what an earlier one told, read off the memories that were drawn of both."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from edgemem.store.engine import Tx


@dataclass(frozen=True, slots=True)
class Replaced:
    """A turn of which a memory was replaced by one drawn of the turn ``by``; its words, and the quote it rested on."""

    turn: int
    by: int
    content: str
    quote: str


def replaced(tx: Tx, user: int, turns: Iterable[int]) -> list[Replaced]:
    """What of these turns was replaced by what another turn told; what was only joined still stands."""
    rows = tx.execute(
        "SELECT o.source_turn, n.source_turn, o.content, o.source_quote FROM memory o"
        " JOIN memory n ON n.uid = o.superseded_by AND n.user_id = o.user_id"
        " WHERE +o.user_id = ? AND o.source_turn IN (SELECT value FROM json_each(?)) AND o.status = 'superseded'"
        " AND n.source_turn <> o.source_turn AND json_extract(o.data, '$.joined') IS NULL",
        (user, json.dumps(list(turns))),
    )
    return [Replaced(turn, by, content, quote or "") for turn, by, content, quote in rows]
