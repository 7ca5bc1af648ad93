"""Traces: what each step of one write saw and decided."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date

from edgemem.browse import Cost
from edgemem.ids import new_id
from edgemem.records import JsonValue
from edgemem.reports import Spent
from edgemem.store import row_seals
from edgemem.store.engine import Row, Tx
from edgemem.store.stored import from_json


def add(tx: Tx, user: int, uid: str, kind: str, turn: int | None, steps: Sequence[JsonValue], now: str) -> None:
    """Keep a trace under its id."""
    tx.execute(
        "INSERT INTO trace(user_id, uid, kind, turn_id, steps, at) VALUES (?,?,?,?,?,?)",
        (user, uid, kind, turn, json.dumps(steps, ensure_ascii=False), now),
    )


def get(tx: Tx, user: int, uid: str) -> list[JsonValue] | None:
    """The steps of one trace."""
    row = tx.execute("SELECT * FROM trace WHERE user_id = ? AND uid = ?", (user, uid)).fetchone()
    return None if row is None else _steps(row)


def of_turn(tx: Tx, user: int, turn: int) -> list[tuple[str, str, list[JsonValue]]]:
    """The traces of one turn, oldest first: id, when, steps."""
    rows = tx.execute("SELECT * FROM trace WHERE user_id = ? AND turn_id = ? ORDER BY id", (user, turn))
    return [(row["uid"], row["at"], _steps(row)) for row in rows]


def add_answer(tx: Tx, user: int, turn: int, spent: Spent, now: str) -> None:
    """Keep what an answer cost, as the trace of its turn."""
    step: dict[str, JsonValue] = {
        "step": "answer", "model": spent.model, "prompt_tokens": spent.prompt_tokens, "tokens": spent.tokens,
        "ms": round(spent.seconds * 1000, 1),
    }  # fmt: skip
    add(tx, user, new_id(), "answer", turn, [step], now)


LATEST = 5_000
"""Traces that are counted: a trace is a few KB, and a look at the figures must not read all of a large file."""

_COST = """SELECT substr(t.at, 1, 10), sum(t.kind = 'answer'), sum(coalesce(json_extract(s.value, '$.prompt_tokens'), 0)),
sum(coalesce(json_extract(s.value, '$.tokens'), 0)),
total(CASE t.kind WHEN 'answer' THEN json_extract(s.value, '$.ms') END),
total(CASE t.kind WHEN 'write' THEN json_extract(s.value, '$.ms') END)
FROM (SELECT kind, at, steps FROM trace WHERE user_id = ? ORDER BY id DESC LIMIT ?) t, json_each(t.steps) s
WHERE s.type = 'object' GROUP BY 1 ORDER BY 1"""


def cost(tx: Tx, user: int) -> dict[date, Cost]:
    """What the models did by day of UTC, of the latest traces."""
    return {
        date.fromisoformat(at): Cost(answers, prompt, tokens, answering / 1000, learning / 1000)
        for at, answers, prompt, tokens, answering, learning in tx.execute(_COST, (user, LATEST)).fetchall()
    }


def _steps(row: Row) -> list[JsonValue]:
    row_seals.check(row_seals.is_whole("trace", row), "traces")
    return list(from_json(row["steps"]))
