"""Earlier chats for the list: a page of all, or those in which something was said. Runs in worker threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edgemem.records import Hit, LoggedTurn, Session
from edgemem.text import counted
from edgemem.view import Memory
from edgemem_tui.text import minute, one_line

_PEEK = 300
"""Chats with more messages than this are not read for their first words."""

NAMED = 200
"""Chats whose first words are read; of older ones only the title is shown."""


LEAST = 0.005
"""Score of a passage below which it is not shown, unless it holds the very letters that were typed."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A chat in the list. ``turn`` is the message a search found in it, ``words`` what it begins with or what was found."""

    session: Session
    words: str
    turn: str | None = None
    hit: Hit | None = None


def listed(memory: Memory) -> list[Listed]:
    """The chats, latest first, with their title or first words."""
    return [Listed(s, _words(memory, s, peek=n < NAMED)) for n, s in enumerate(memory.sessions(limit=0))]


def searched(memory: Memory, query: str, *, meaning: bool = True) -> list[Listed]:
    """The chats whose title has the words, then those in which something like it was said, best first.

    ``meaning`` false goes by words alone, and waits for no model.
    """
    known = {s.id: s for s in memory.sessions(limit=0)}
    typed = query.casefold()
    found = {s.id: Listed(s, one_line(s.title, 200)) for s in known.values() if typed in s.title.casefold()}
    for hit in memory.search_log(query, limit=100, meaning=meaning):
        session = hit.source.session or ""
        fits = hit.score >= LEAST or typed in hit.content.casefold()
        if fits and session in known and session not in found:
            found[session] = Listed(known[session], one_line(hit.content, 200), hit.source.turn, hit)
    return list(found.values())


def _words(memory: Memory, session: Session, *, peek: bool) -> str:
    if session.title:
        return one_line(session.title, 120)
    if not peek or session.turns > _PEEK:
        return one_line(session.id, 120)
    said = [turn.content for turn in memory.turns(session.id) if turn.role == "user"]
    return one_line(said[0] if said else session.id, 120)


def export(memory: Memory, session: Session, folder: Path) -> Path:
    """Write a chat as Markdown into a folder, under a name that is free; returns where."""
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in session.title or session.id)[:80] or "chat"
    path, n = folder / f"{name}.md", 1
    while path.exists():
        n += 1
        path = folder / f"{name}-{n}.md"
    path.write_text(as_markdown(session, memory.turns(session.id)), encoding="utf-8")
    return path


def as_markdown(session: Session, turns: Sequence[LoggedTurn]) -> str:
    """A chat as a page: a heading, then each message under who said it and when."""
    head = f"# {session.title or session.id}\n\n{counted(len(turns), 'message')}, {minute(session.started_at)} to {minute(session.last_at)}\n"
    parts = [f"## {t.speaker or t.role} · {minute(t.at)}\n\n{t.content}\n" for t in turns]
    return "\n".join([head, *parts])
