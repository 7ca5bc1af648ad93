"""Everything about one memory: its fields, the message it was taken from, and all it has been."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from edgemem.errors import NotFound
from edgemem.records import Change, LoggedTurn, Memory, Source
from edgemem_tui.desk import Desk
from edgemem_tui.messages import News
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.text import minute, one_line, plain


@dataclass(frozen=True, slots=True)
class Known:
    """What the file knows of a memory and of its source."""

    memory: Memory | None
    turn: LoggedTurn | None
    changes: Sequence[Change]


class DetailScreen(ModalScreen[None]):
    """One memory (or, without one, a passage of the log) in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", key_display="Esc", id="detail.close"),
        Binding("f,delete", "forget", "Forget", key_display="f", id="detail.forget"),
        Binding("u", "undo", "Undo its last change", id="detail.undo"),
        Binding("e", "edit", "Edit", id="detail.edit"),
        Binding("p", "pin", "Pin", id="detail.pin"),
        Binding("c", "copy", "Copy", id="detail.copy"),
    ]

    def __init__(self, desk: Desk, source: Source, memory: Memory | None = None) -> None:
        super().__init__()
        self._desk = desk
        self._source = source
        self._memory = memory
        self.changes: Sequence[Change] = ()
        """What was changed, oldest first; empty until it is read."""

    def compose(self) -> ComposeResult:
        """One scrolling page."""
        with VerticalScroll(id="page") as page:
            page.border_title = "Memory" if self._memory is not None else "Said earlier"
            yield Static("reading…", id="detail", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Read it."""
        self._read()

    def on_news(self, news: News) -> None:
        """Read it again when it changed."""
        if self._memory is not None and any(memory.id == self._memory.id for _, memory in news.changes):
            self._read()

    def _read(self) -> None:
        self._desk.run(self._known, self._show)

    def _known(self) -> Known:
        view, source = self._desk.memory, self._source
        memory = view.get(self._memory.id) if self._memory is not None else None
        try:
            turn = view.turn(source.session, source.turn) if source.session and source.turn else None
        except NotFound:
            turn = None
        return Known(memory, turn, view.history(memory.id) if memory is not None else ())

    def _show(self, known: Known) -> None:
        if not self.is_attached:
            return
        self._memory, self.changes = known.memory, known.changes
        blocks = [*_fields(known.memory), *_said(known.turn, self._source), *_history(known.changes)]
        self.query_one("#detail", Static).update(Content("\n").join(blocks))

    def action_forget(self) -> None:
        """Take it out of use."""
        if self._memory is not None and self._memory.status == "live":
            self._desk.forget(self._memory)

    def action_undo(self) -> None:
        """Take back the last change of this memory, whoever made it."""
        if self.changes:
            last = self.changes[-1]
            self._desk.undo_change(
                last.id, f"{last.action}: {one_line(str((last.after or {}).get('content', '')), 60)}"
            )

    def action_edit(self) -> None:
        """Change its words."""
        if self._memory is not None:
            memory = self._memory
            self.app.push_screen(EditScreen(memory), lambda words: self._desk.edit(memory, words) if words else None)

    def action_pin(self) -> None:
        """Pin or unpin it."""
        if self._memory is not None:
            self._desk.pin(self._memory)

    def action_copy(self) -> None:
        """Copy its words."""
        text = self._memory.content if self._memory is not None else self._source.quote or ""
        self.app.copy_to_clipboard(text)


def _heading(text: str) -> list[Content]:
    return [Content(""), Content.styled(text, "bold $primary")]


def _fields(memory: Memory | None) -> list[Content]:
    if memory is None:
        return []
    rows = {
        "kind": f"{memory.kind}{', pinned' if memory.pinned else ''}",
        "state": memory.status,
        "about": memory.about,
        "confidence": f"{memory.confidence:.0%}",
        "importance": f"{memory.importance:.0%}",
        "true from": minute(memory.valid_from) if memory.valid_from else "",
        "true until": minute(memory.valid_to) if memory.valid_to else "",
        "expires": minute(memory.expires_at) if memory.expires_at else "",
        "stored": minute(memory.created_at),
        "changed": minute(memory.updated_at) if memory.version > 1 else "",
        "used": f"{memory.use_count} times" if memory.use_count else "never yet",
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
        if before and before != after:
            lines.append(Content.styled(f"  − {plain(str(before))}", "$text-error"))
        if after and before != after:
            lines.append(Content.styled(f"  + {plain(str(after))}", "$text-success"))
    return lines
