"""Memories as Markdown notes, one a subject: for reading, and for folders such as Obsidian's vaults."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from edgemem.records import KINDS, Memory

USER_PAGE = "me"
"""Name of the note about the user."""

_HEADINGS = {"fact": "Facts", "preference": "Preferences", "rule": "Rules", "state": "Tasks", "event": "Events",
             "skill": "Skills"}  # fmt: skip
_UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*#^\[\]]+')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")
MAX_NAME = 80


def pages(memories: Iterable[Memory], *, at: datetime) -> Mapping[str, str]:
    """File name to text. Each memory is one list item that ends in its id, with its dates and source below."""
    by_subject: dict[str, list[Memory]] = {}
    for memory in memories:
        by_subject.setdefault(memory.subject or memory.about, []).append(memory)
    found: dict[str, str] = {}
    taken: set[str] = set()
    for subject in sorted(by_subject, key=lambda s: (s != "user", s)):
        name = file_name(USER_PAGE if subject == "user" else subject, taken)
        found[name] = _page(subject, by_subject[subject], at)
    return found


def file_name(subject: str, taken: set[str]) -> str:
    """A name that every system takes, and no two of which differ only in case."""
    plain = _UNSAFE.sub(" ", subject).strip(" .")[:MAX_NAME].strip(" .") or "note"
    plain = f"{plain} -" if _RESERVED.fullmatch(plain) else plain
    name, n = plain, 1
    while name.casefold() in taken:
        n += 1
        name = f"{plain} {n}"
    taken.add(name.casefold())
    return f"{name}.md"


def _page(subject: str, memories: list[Memory], at: datetime) -> str:
    title = "About me" if subject == "user" else _one_line(subject)
    parts = [f"---\nedgemem: {at.date().isoformat()}\nsubject: {_quoted(subject)}\n---\n\n# {title}\n"]
    for kind in KINDS:
        of_kind = [m for m in memories if m.kind == kind]
        if of_kind:
            parts.append(f"## {_HEADINGS[kind]}\n\n" + "\n".join(_item(m) for m in of_kind) + "\n")
    return "\n".join(parts)


def _item(m: Memory) -> str:
    lines = [f"- {_one_line(m.content)} ^{m.id}"]
    facts = [f"since {m.valid_from.date().isoformat()}" if m.valid_from else ""]
    facts += [f"until {m.valid_to.date().isoformat()}" if m.valid_to else ""]
    facts += [m.status if m.status != "live" else "", "pinned" if m.pinned else "", f"sure {m.confidence:.2f}"]
    lines.append(f"    - {', '.join(fact for fact in facts if fact)}")
    if m.source.turn is not None and m.source.at is not None:
        said = f"said {m.source.at.date().isoformat()} in {m.source.session}/{m.source.turn}"
        lines.append(f"    - {_one_line(said)}" + (f": “{_one_line(m.source.quote)}”" if m.source.quote else ""))
    return "\n".join(lines)


def _one_line(text: str) -> str:
    """Line breaks would end the list item, and everything after them would be read as something else."""
    return " ".join(text.split())


def _quoted(text: str) -> str:
    return '"' + _one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
