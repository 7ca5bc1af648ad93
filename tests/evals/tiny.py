"""Hand-made sets whose figures are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

AT = "2026-02-03T10:00:00+01:00"


def expected(*alternatives: list[str], none: tuple[str, ...] = (), quote: str = "q") -> dict[str, Any]:
    return {"all": list(alternatives), "none": list(none), "kind": ["fact"], "about": "user", "turn": 0, "quote": quote}


def item(id_: str, said: list[str], expect: list[Any], **more: Any) -> dict[str, Any]:
    turns = [{"role": "user", "content": text} for text in said]
    return {"id": id_, "tags": ["t"], "at": AT, "turns": turns, "expect": expect, "optional": [], "forbid": []} | more


EXTRACTION = [
    item("a", ["I keep bees", "hello"], [expected(["bees"], quote="I keep bees")]),
    item("b", ["I sail before dawn", "I own two kayaks"], [expected(["kayak"], ["two", "2"])], tags=["t", "numbers"]),
    item("c", ["I dreamt of trams"], [], forbid=[["tram"]]),
    item("d", ["nothing of note"], [expected(["never said"], quote="nothing of note")]),
]
"""The fake memory keeps "The user keep bees", "The user own two kayaks" and "The user dreamt of trams"."""

PAIRS = [
    {"id": "p1", "old": "Ada rows.", "new": "ada rows", "relation": "duplicate", "keep": "old"},
    {"id": "p2", "old": "Ada rows.", "new": "Ada swims.", "relation": "distinct", "keep": "both"},
    {"id": "p3", "old": "Ada rows.", "new": "Ada rows at six.", "relation": "refine", "keep": "new"},
    {"id": "p4", "old": "Rows Ada.", "new": "Ada rows.", "relation": "conflict", "keep": "new"},
]

LOCOMO = {
    "sample_id": "x",
    "speakers": ["Ida", "Bo"],
    "sessions": [
        {
            "index": 1,
            "at": "2024-05-01T09:00:00",
            "turns": [
                {"id": "D1:1", "speaker": "Bo", "text": "How was the ferry?", "image": None},
                {"id": "D1:2", "speaker": "Ida", "text": "Late, and I lost my umbrella.", "image": "a grey harbour"},
                {"id": "D1:3", "speaker": "Bo", "text": "Buy a yellow one.", "image": None},
            ],
        }
    ],
    "qa": [
        {"question": "What did Ida lose, an umbrella?", "answer": "umbrella", "evidence": ["D1:2"], "category": 4},
        {"question": "yellow ferry?", "answer": "-", "evidence": ["D1:1", "D1:2"], "category": 1},
        {"question": "Which parrot?", "answer": None, "evidence": ["D1:2"], "category": 5},
        {"question": "zebra", "answer": "?", "evidence": [], "category": 3},
    ],
}

MEMORYBANK = [
    {
        "person": person,
        "turns": [
            {"id": "2024-05-01#0", "at": "2024-05-01", "user": f"{person} likes {fruit}", "assistant": "Noted."},
            {"id": "2024-05-01#1", "at": "2024-05-01", "user": "Any advice?", "assistant": f"Try a {fruit} cake."},
        ],
        "questions": [
            {
                "q": f"Which {fruit} cake?",
                "type": "single",
                "evidence": ["2024-05-01#1"],
                "need": [["2024-05-01#1"]],
                "answer": fruit,
            }
        ],
    }
    for person, fruit in (("Uma", "plum"), ("Lev", "quince"))
]


def write_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def write_locomo(path: Path) -> Path:
    path.write_text(json.dumps(LOCOMO, indent=1), encoding="utf-8")
    return path
