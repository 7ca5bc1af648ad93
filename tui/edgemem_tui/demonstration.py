"""An invented life to try the app with: a file of its own that is gone when one leaves it."""

from __future__ import annotations

from datetime import timedelta

from edgemem.memory import MemoryFile
from edgemem.records import Turn
from edgemem.view import Memory

NAME = "demonstration.edgemem"

USER = "you"

_CHATS = (
    (40, "garden", "Plans for the garden", (
        ("user", "I moved to Graz in spring and have a small garden now. My sister Mia helps me with it."),
        ("assistant", "How nice. What shall grow in it?"),
        ("user", "Tomatoes, but no peppers: I don't like spicy food."),
        ("assistant", "Tomatoes like a wall that faces south. No peppers, then."),
    )),
    (12, "trip", "A trip to Lisbon", (
        ("user", "Mia and I fly to Lisbon in October. I am allergic to peanuts, so I need cards to show in restaurants."),
        ("assistant", "I can write them in Portuguese: *Sou alérgica a amendoins.*"),
    )),
    (3, "茶", "", (("user", "我最近喜欢喝龙井茶。"), ("assistant", "好的，龙井要用八十度左右的水。"))),
)  # fmt: skip
"""Days ago, name and title of a chat, and what was said in it."""

_MEMORIES = (
    ("You live in Graz.", "fact"), ("You have a small garden.", "fact"), ("You are allergic to peanuts.", "fact"),
    ("You don't like spicy food.", "preference"), ("用户喜欢喝龙井茶。", "preference"),
    ("You and Mia fly to Lisbon in October.", "event"),
)  # fmt: skip


def invent(file: MemoryFile) -> None:
    """Fill a new file. No model is needed: what one would have learned is put there by hand."""
    memory = file.user(USER)
    _talk(file, memory)
    kept = [memory.add(words, kind=kind) for words, kind in _MEMORIES]
    memory.add("Answer briefly.", kind="rule", pinned=True)
    job = memory.add("You work at a bakery.")
    memory.edit(job, "You work at a bank since May.")
    memory.graph.relate("Mia", "sister of", "you", memory=kept[-1])
    memory.graph.relate("Mia", "lives in", "Graz", confidence=0.55)


def _talk(file: MemoryFile, memory: Memory) -> None:
    for days, name, title, said in _CHATS:
        at = file.clock.now() - timedelta(days=days)
        memory.log(
            [Turn(role, words, at=at + timedelta(minutes=n), session=name) for n, (role, words) in enumerate(said)]
        )
        if title:
            memory.rename(name, title)
