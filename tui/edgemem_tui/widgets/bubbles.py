"""Messages as they stand in the chat."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Markdown, Static
from textual.widgets.markdown import MarkdownStream

from edgemem_tui.text import plain


class UserBubble(Vertical):
    """What the person said, to the letter."""

    def __init__(self, text: str, *, kept: bool = True, when: str = "") -> None:
        super().__init__(classes="bubble user")
        self.text = text
        self._label = " · ".join(p for p in ("You", when, "" if kept else "not kept") if p)

    def compose(self) -> ComposeResult:
        """Label and words."""
        yield Static(self._label, classes="label", markup=False)
        yield Static(Content(plain(self.text).replace("\t", "    ")), classes="words")


class AnswerBubble(Vertical):
    """What the model said: Markdown that grows while it is written."""

    def __init__(self, text: str = "", *, label: str = "Assistant") -> None:
        super().__init__(classes="bubble answer")
        self.text = text
        self._label = label
        self._stream: MarkdownStream | None = None

    def compose(self) -> ComposeResult:
        """Label, words, and a line on how it goes."""
        yield Static(self._label, classes="label", markup=False)
        yield Markdown(plain(self.text), open_links=False)
        note = Static("", classes="note", markup=False)
        note.display = False
        yield note

    def note(self, text: str) -> None:
        """Say how it goes, under the words; an empty text says nothing."""
        line = self.query_one(".note", Static)
        line.update(text)
        line.display = bool(text)

    async def add(self, piece: str) -> None:
        """Write on."""
        self.text += piece
        if self._stream is None:
            self._stream = Markdown.get_stream(self.query_one(Markdown))
        await self._stream.write(plain(piece))

    async def finish(self, text: str) -> None:
        """Write no more; ``text`` is the whole answer."""
        self.text = text
        await self.let_go()
        # Drawn once more as a whole: code fences can stay blank after streaming.
        await self.query_one(Markdown).update(plain(text))

    async def let_go(self) -> None:
        """End the stream, drawing what it still holds; before the bubble is taken away, too."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.stop()
