"""What the file knows of one memory, and how it is laid out: its words, where they come from, all it has been."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from edgemem.errors import NotFound
from edgemem.records import Change, LoggedTurn, Memory, Source
from edgemem.view import Memory as View
from edgemem_tui.text import many, minute, one_line, plain


@dataclass(frozen=True, slots=True)
class Known:
    """What the file knows of a memory and of its source. ``gone``: neither is there any more."""

    memory: Memory | None
    turn: LoggedTurn | None
    changes: Sequence[Change]
    gone: bool = False


def known(view: View, source: Source, memory: Memory | None) -> Known:
    """Read a memory anew, with the message it came from (a secret in it masked) and its changes. Reads the file."""
    try:
        found = view.get(memory.id) if memory is not None else None
    except NotFound:
        return Known(None, None, (), gone=True)
    if found is not None and found.sensitivity != "normal":
        return Known(found, view.why(found.id).turn, view.history(found.id))
    try:
        turn = view.turn(source.session, source.turn) if source.session and source.turn else None
    except NotFound:
        turn = None
    if found is None:
        return Known(None, turn, (), gone=turn is None)
    return Known(found, turn, view.history(found.id))


def erased(view: View, ids: Sequence[str]) -> set[str]:
    """Those of these memories that are in the file no more. Reads the file."""
    gone = set()
    for uid in ids:
        try:
            view.get(uid)
        except NotFound:
            gone.add(uid)
    return gone


def is_sealed(memory: Memory) -> bool:
    """Whether its words are a label only, and what it stands for is sealed."""
    return "sealed" in memory.data


def page_of(known: Known, source: Source, *, said_first: bool = False) -> list[Content]:
    """All of it, as lines; ``said_first`` puts the message right under the words, for whoever has to judge them."""
    fields, said = _fields(known.memory), _said(known.turn, source)
    middle = [*fields[:1], *said, *fields[1:]] if said_first else [*fields, *said]
    return [*middle, *_history(known.changes)]


def _heading(text: str) -> list[Content]:
    return [Content(""), Content.styled(text, "bold $primary")]


def _fields(memory: Memory | None) -> list[Content]:
    if memory is None:
        return []
    rows = {
        "kind": f"{memory.kind}{', pinned' if memory.pinned else ''}",
        "state": memory.status,
        "sealed": "what it stands for needs the passphrase; s shows it for a moment" if is_sealed(memory) else "",
        "about": memory.about,
        "confidence": f"{memory.confidence:.0%}",
        "importance": f"{memory.importance:.0%}",
        "true from": minute(memory.valid_from) if memory.valid_from else "",
        "true until": minute(memory.valid_to) if memory.valid_to else "",
        "expires": minute(memory.expires_at) if memory.expires_at else "",
        "stored": minute(memory.created_at),
        "changed": minute(memory.updated_at) if memory.version > 1 else "",
        "used": many(memory.use_count, "time") if memory.use_count else "never yet",
        "id": memory.id,
    }
    lines = [Content.styled(plain(memory.content), "bold"), Content("")]
    return lines + [_row(name, value) for name, value in rows.items() if value]


def _row(name: str, value: str) -> Content:
    return Content.assemble((f"{name:<12}", "dim"), plain(value))


def _said(turn: LoggedTurn | None, source: Source) -> list[Content]:
    if turn is None:
        return [*_heading("Source"), Content("Noted by hand; no message behind it.")]
    who = turn.speaker or {"user": "you"}.get(turn.role, turn.role)
    head = _heading(f"Said by {plain(who)} on {minute(turn.at)}, chat {one_line(turn.session, 40)}")
    start, end = _quoted(turn, source)
    text = plain(turn.content)
    return [*head, Content.assemble(text[:start], (text[start:end], "reverse"), text[end:])]


def _quoted(turn: LoggedTurn, source: Source) -> tuple[int, int]:
    """Where the quote stands in the turn; an empty range when the turn itself is the passage."""
    quote = source.quote or ""
    if not quote or quote == turn.content:
        return 0, 0
    start = source.start if source.start is not None else -1
    if turn.content[max(start, 0) : max(start, 0) + len(quote)] != quote:
        start = turn.content.find(quote)
    return (start, start + len(quote)) if start >= 0 else (0, 0)


def _history(changes: Sequence[Change]) -> list[Content]:
    lines = _heading("History") if changes else []
    for change in changes:
        lines.append(
            Content(f"{minute(change.at)}  {change.action} by {change.author}: {one_line(change.reason, 200)}")
        )
        before, after = ((side or {}).get("content") for side in (change.before, change.after))
        if before is None and len(changes) == 1:
            continue  # the words stand at the top already
        lines += _difference(before and str(before), after and str(after))
    return lines


def _difference(before: str | None, after: str | None) -> list[Content]:
    """What was and what became of it, the words that differ standing out."""
    if before == after:
        return []
    if not before or not after:
        return [
            Content.styled(
                f"  {'+' if after else '−'} {plain(after or before or '')}", "$text-success" if after else "$text-error"
            )
        ]
    old, new = _pieces(plain(before)), _pieces(plain(after))
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = [("".join(old[a:b]), "bold underline" if tag != "equal" else "") for tag, a, b, _, _ in steps]
    come = [("".join(new[c:d]), "bold underline" if tag != "equal" else "") for tag, _, _, c, d in steps]
    return [
        Content.assemble("  − ", *gone).stylize("$text-error"),
        Content.assemble("  + ", *come).stylize("$text-success"),
    ]


def _pieces(text: str) -> list[str]:
    """Words with the space after them; signs of scripts without spaces one by one."""
    return re.findall(r"[⺀-鿿가-힯豈-﫿]|[^\s⺀-鿿가-힯豈-﫿]+\s*|\s+", text)
