"""An invented life to try the app with: a file of its own that is gone when one leaves it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from edgemem import memory
from edgemem.memory import MemoryFile
from edgemem.ports import FixedModels
from edgemem.records import Turn
from edgemem.settings import Settings
from edgemem.view import Memory

NAME: Final = "demonstration.edgemem"

USER: Final = "you"


@dataclass(frozen=True, slots=True)
class Learned:
    """A memory, and the part of a message it was taken from; ``instead`` are the words of an older one that it replaces."""

    words: str
    quote: str
    kind: str = "fact"
    instead: str = ""
    sure: float = 0.9
    uses: int = 0
    pinned: bool = False


Said = tuple[str, str, tuple[Learned, ...]]
"""Who said what, and what was learned from it."""

_CHATS: tuple[tuple[int, str, str, tuple[Said, ...]], ...] = (
    (58, "moving", "Moving to Graz", (
        ("user", "I am moving to Graz next week, into a flat near the river.", (
            Learned("You live in Graz.", "moving to Graz", uses=6),
            Learned("Your flat is near the river.", "a flat near the river", sure=0.82),)),
        ("assistant", "Good luck with the boxes! Do you know somebody there?", ()),
        ("user", "My sister Mia lives there. I work at a bakery, so I get up at three.", (
            Learned("Your sister Mia lives in Graz.", "My sister Mia lives there", uses=4),
            Learned("You work at a bakery.", "I work at a bakery"),
            Learned("You get up at three in the morning.", "I get up at three", sure=0.76),)),
        ("assistant", "Then I will not suggest late evenings.", ()),)),
    (52, "answers", "", (
        ("user", "Please answer briefly, and without emojis.", (
            Learned("Answer briefly and without emojis.", "answer briefly, and without emojis", "rule", pinned=True, uses=9),)),
        ("assistant", "I will.", ()),)),
    (41, "garden", "Plans for the garden", (
        ("user", "There is a small garden behind the house. I want to plant tomatoes, but no peppers: I don't like spicy food.", (
            Learned("You have a small garden behind the house.", "a small garden behind the house"),
            Learned("You don't like spicy food.", "I don't like spicy food", "preference", uses=3),)),
        ("assistant", "Tomatoes like a wall that faces south. No peppers, then.", ()),
        ("user", "Mia will help me on Saturdays.", (
            Learned("Mia helps you in the garden on Saturdays.", "Mia will help me on Saturdays", sure=0.8),)),
        ("assistant", "Four hands make short work of it.", ()),)),
    (29, "茶", "", (
        ("user", "我最近喜欢喝龙井茶，不喝咖啡了。", (
            Learned("用户喜欢喝龙井茶，不喝咖啡。", "喜欢喝龙井茶，不喝咖啡了", "preference", uses=2),)),
        ("assistant", "好的，龙井要用八十度左右的水。", ()),)),
    (19, "work", "A new job", (
        ("user", "Good news: I left the bakery and start at a bank on Monday!", (
            Learned("You work at a bank.", "start at a bank on Monday", instead="You work at a bakery.", uses=1),)),
        ("assistant", "Congratulations! Then you can sleep longer.", ()),
        ("user", "Yes, until seven.", (
            Learned("You get up at seven.", "until seven", instead="You get up at three in the morning.", sure=0.78),)),
        ("assistant", "Four hours won.", ()),)),
    (12, "trip", "A trip to Lisbon", (
        ("user", "Mia and I fly to Lisbon next month. I am allergic to peanuts, so I need cards to show in restaurants.", (
            Learned("You and Mia fly to Lisbon next month.", "Mia and I fly to Lisbon next month", "event", uses=2),
            Learned("You are allergic to peanuts.", "I am allergic to peanuts", sure=0.97, uses=5),)),
        ("assistant", "I can write them in Portuguese: *Sou alérgica a amendoins.*", ()),)),
    (3, "cello", "", (
        ("user", "Maybe I should learn the cello, like Mia's son Tom.", (
            Learned("Mia's son Tom plays the cello.", "learn the cello, like Mia's son Tom", sure=0.71),
            Learned("You want to learn the cello.", "Maybe I should learn the cello", "event", sure=0.55),)),
        ("assistant", "A good teacher for the beginning is worth more than a good cello.", ()),)),
)  # fmt: skip
"""Days ago, name and title of a chat, and what was said in it. What is less sure than ``DOUBTFUL`` waits for a yes."""

DOUBTFUL: Final = 0.6


@dataclass(frozen=True, slots=True)
class _Source:
    """The message something was learned from: its name in an export, and its words."""

    turn: list[str]
    said: str
    learned: Learned

    def ties(self) -> dict[str, Any]:
        """The columns of a memory that tell of it."""
        one = self.learned
        start = self.said.index(one.quote)
        return {"source_turn": self.turn, "source_quote": one.quote, "source_start": start, "confidence": one.sure}


class _Past:
    """The clock of a life as it is told."""

    def __init__(self, now: datetime) -> None:
        self.moment = now

    def now(self) -> datetime:
        """The moment that is told of."""
        return self.moment


def invent(file: MemoryFile) -> None:
    """Fill a new file. No model is needed: what one would have learned is written beside what was said.

    The life is lived day by day in a draft of a file, and carried over with each memory tied to its message.
    """
    draft = file.path.with_name("draft.edgemem")
    told = draft.with_suffix(".jsonl")
    past = _Past(file.clock.now())
    with memory.open(draft, provider=FixedModels(), settings=Settings(background=False), clock=past) as drafted:
        mem = drafted.user(USER)
        sources = dict(_lived(mem, past))
        mem.export_to(told)
    _tie(told, sources)
    file.user(USER).import_from(told)
    told.unlink()
    draft.unlink()


def _lived(mem: Memory, past: _Past) -> Iterator[tuple[str, _Source]]:
    """Say and learn everything at its time; yields each change with its message, its words and what was learned."""
    today, kept = past.now(), dict[str, str]()
    for days, session, title, said in _CHATS:
        past.moment = (today - timedelta(days=days)).replace(hour=8 + days % 12, minute=days % 60)
        for role, words, learned in said:
            past.moment += timedelta(minutes=1)
            (turn,) = mem.log([Turn(role, words, at=past.moment, session=session)])
            past.moment += timedelta(seconds=20)
            for one in learned:
                kept[one.words] = _learn(mem, kept, one)
                yield mem.history(kept[one.words])[-1].id, _Source([session, turn], words, one)
        if title:
            mem.rename(session, title)
    mem.graph.relate("Mia", "sister of", "you", memory=kept["Your sister Mia lives in Graz."])
    mem.graph.relate("Mia", "lives in", "Graz", memory=kept["Your sister Mia lives in Graz."])
    mem.graph.relate("you", "live in", "Graz", memory=kept["You live in Graz."])
    mem.graph.relate("Tom", "son of", "Mia", memory=kept["Mia's son Tom plays the cello."])
    mem.graph.relate("you", "fly to", "Lisbon", memory=kept["You and Mia fly to Lisbon next month."], confidence=0.55)
    past.moment = today - timedelta(days=2)
    mem.forget(kept["Your flat is near the river."])
    past.moment = today


def _learn(mem: Memory, kept: Mapping[str, str], one: Learned) -> str:
    if one.instead:
        mem.edit(kept[one.instead], one.words)
        return kept[one.instead]
    return mem.add(one.words, kind=one.kind, pinned=one.pinned)


def _tie(told: Path, sources: Mapping[str, _Source]) -> None:
    """Give each memory and each change of it the message it was taken from."""
    records = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
    ties: dict[str, dict[str, Any]] = {}
    uses: dict[str, int] = {}
    for change in (record for record in records if record["type"] == "history"):  # oldest first
        uid = change["memory_uid"]
        if change["before"] is not None:
            change["before"] |= ties[uid]
        source = sources.get(change["uid"])
        if source is not None:
            ties[uid], uses[uid] = source.ties(), source.learned.uses
            change |= {"author": "model", "reason": "learned from a message"}
        change["after"] |= ties[uid] | _state(change["after"]["status"], ties[uid])
    for record in (record for record in records if record["type"] == "memory"):
        uid = record["uid"]
        record |= ties[uid] | _state(record["status"], ties[uid]) | {"use_count": uses[uid]}
    told.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


def _state(status: str, ties: Mapping[str, Any]) -> dict[str, str]:
    return {"status": "review" if status == "live" and ties["confidence"] < DOUBTFUL else status}
