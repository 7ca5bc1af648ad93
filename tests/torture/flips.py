"""Damage a file at random, read it, repair it, read it again: ``python -m tests.torture.flips 1000``.

Each round runs in a process of its own, so that a crash is seen. Whatever comes back must be what was
written, for the person it was written for; an error with a name is fine. What was forgotten must not live.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import edgemem
from edgemem.errors import EdgememError
from edgemem.testing import WordsEmbedder
from tests.helpers import opened
from tests.torture import common

PAGE = 4096
Original = dict[str, dict[str, Any]]


def _flip(data: bytearray, dice: random.Random) -> None:
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def _flips(data: bytearray, dice: random.Random) -> None:
    for _ in range(dice.randint(2, 60)):
        _flip(data, dice)


def _page(data: bytearray, dice: random.Random) -> None:
    start = dice.randrange(len(data) // PAGE) * PAGE
    data[start : start + PAGE] = dice.choice((bytes(PAGE), dice.randbytes(PAGE)))


def _sector(data: bytearray, dice: random.Random) -> None:
    start = dice.randrange(len(data) // 512) * 512
    data[start : start + 512] = dice.choice((bytes(512), dice.randbytes(512)))


def _swap(data: bytearray, dice: random.Random) -> None:
    a, b = (dice.randrange(len(data) // PAGE) * PAGE for _ in range(2))
    data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]


def _cut(data: bytearray, dice: random.Random) -> None:
    del data[dice.randrange(1, len(data)) :]


DAMAGE: tuple[Callable[[bytearray, random.Random], None], ...] = (
    _flip,
    _flip,
    _flip,
    _flips,
    _page,
    _sector,
    _swap,
    _cut,
)


def main(count: int, seed: int) -> common.Report:
    """The figures of ``count`` damaged files."""
    totals: Counter[str] = Counter()
    wrong: list[str] = []
    crashes: list[str] = []
    pace = common.Pace(count)
    with common.folder() as place:
        source = place / "original.edgemem"
        common.life(source)
        with opened(source) as file:
            original = {name: common.readable(file, name) for name in file.users()}
        data = source.read_bytes()
        for n in range(count):
            code, found = common.in_child(lambda n=n: _round(place / f"{n}.edgemem", data, original, seed, n))  # type: ignore[misc]
            if code:
                crashes.append(f"round {n}: exit {code} {found or ''}")
                common.say(crashes[-1])
            else:
                totals.update(found["counts"])
                for what in found["wrong"]:
                    wrong.append(f"round {n}: {what}")
                    common.say(wrong[-1])
            for left in place.glob(f"*{n}.edgemem*"):
                left.unlink()
            pace.tick(n, len(crashes) + len(wrong))
    return {"files": count, **totals, "crashes": crashes, "wrong": wrong}


def _round(path: Path, data: bytes, original: Original, seed: int, n: int) -> dict[str, Any]:
    dice = common.dice(seed, n)
    damaged = bytearray(data)
    dice.choice(DAMAGE)(damaged, dice)
    path.write_bytes(damaged)
    counts: Counter[str] = Counter()
    wrong = [f"before repair: {w}" for w in _read(path, original, counts, "reads refused before repair")]
    try:
        done = edgemem.repair(path)
    except EdgememError as error:
        common.say(f"round {n}: repair refused: {error}")
        return {"counts": {**counts, f"repair refused ({type(error).__name__})": 1}, "wrong": wrong}
    counts["repaired"] += done.kept is not None
    counts["in order already"] += done.kept is None
    counts["rows lost"] += len(done.lost)
    wrong += [f"left after repair: {p}" for p in done.left]
    wrong += [f"after repair: {w}" for w in _read(path, original, counts, "reads refused after repair", repaired=True)]
    return {"counts": dict(counts), "wrong": wrong}


def _read(path: Path, original: Original, counts: Counter[str], refused: str, *, repaired: bool = False) -> list[str]:
    """Read all there is, in every way there is; what came back and never was so."""
    wrong: list[str] = []
    try:
        with opened(path, embedder=WordsEmbedder()) as file:
            for name in file.users():
                # A name that was damaged or lost is another name: what it owns must be one person's all the same.
                owners = [original[name]] if name in original else list(original.values())
                for look in (_listed, _recalled, _turns, _others):
                    try:
                        wrong += look(file.user(name), owners, repaired)
                    except EdgememError as error:
                        counts[refused] += 1
                        wrong += [f"refused: {error}"] if repaired else []
    except EdgememError as error:
        counts[refused] += 1
        wrong += [f"refused: {error}"] if repaired else []
    return wrong


def _listed(mem: edgemem.Memory, owners: list[dict[str, Any]], repaired: bool) -> list[str]:
    allowed = {uid: told for owner in owners for uid, told in owner["memories"].items()}
    # What waits for review may be an earlier state: a person is asked because a later one may be lost.
    past = {(uid, words) for owner in owners for uid, words in owner["past"]}
    return [
        f"{m.id} {m.status}: {m.content}"
        for m in mem.list(limit=0, status="any")
        if m.id not in allowed
        or not (
            [m.content, m.status] == allowed[m.id] or (repaired and m.status == "review" and (m.id, m.content) in past)
        )
    ]


def _recalled(mem: edgemem.Memory, owners: list[dict[str, Any]], repaired: bool) -> list[str]:
    live = {told[0] for owner in owners for told in owner["memories"].values() if told[1] == "live"}
    said = {turn[2] for owner in owners for turn in owner["turns"]}
    hits = [h for query in ("fact 5 蜜蜂", "said long 7", "in other words") for h in mem.recall(query).hits]
    return [f"recalled {h.kind}: {h.content}" for h in hits if h.content not in (said if h.kind == "turn" else live)]


def _turns(mem: edgemem.Memory, owners: list[dict[str, Any]], repaired: bool) -> list[str]:
    said = {(turn[1], turn[2]) for owner in owners for turn in owner["turns"]}
    found = [t for s in mem.sessions(limit=0) for t in mem.turns(s.id)]
    return [f"turn {t.id}: {t.content[:80]}" for t in found if (t.id, t.content) not in said]


def _others(mem: edgemem.Memory, owners: list[dict[str, Any]], repaired: bool) -> list[str]:
    mem.jobs()
    allowed = {told for owner in owners for told in owner["others"]}
    # A task that lost its entry has another name, and its own fields.
    fields = {told.partition(".")[2] for told in allowed if " task " in told}
    wrong = [
        f"told: {told}"
        for told in common.others(mem)
        if told not in allowed and not (repaired and told.startswith("recovered-") and told.partition(".")[2] in fields)
    ]
    known = {told[0] for owner in owners for told in owner["memories"].values()}
    past = [c.after["content"] for c in mem.history(limit=0) if c.after is not None]
    return wrong + [f"history: {content}" for content in past if content not in known and " fact 0 " not in content]


if __name__ == "__main__":
    given = common.arguments(1000, __doc__ or "")
    common.finish(main(given.count, given.seed), "crashes wrong")
