"""Messages as they stand in the chat."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Markdown, Static
from textual.widgets.markdown import MarkdownStream

from edgemem_tui.text import clipped, many, plain

MOST_DRAWN = 8_000
"""Characters of one message that are drawn: wrapping a pasted book anew with every change of the layout would hold up the
keys for seconds. The log and the model have all of it."""


def drawn(text: str) -> str:
    """The part of a message that is drawn; says how much more there is."""
    return clipped(text, MOST_DRAWN) if len(text) > MOST_DRAWN else plain(text)


class UserBubble(Vertical):
    """What the person said, to the letter."""

    def __init__(self, text: str, *, kept: bool = True, when: str = "") -> None:
        super().__init__(classes="bubble user")
        self.text = text
        self._label = " · ".join(p for p in ("You", when, "" if kept else "not kept") if p)

    def compose(self) -> ComposeResult:
        """Label and words."""
        yield Static(self._label, classes="label", markup=False)
        yield Static(Content(drawn(self.text).replace("\t", "    ")), classes="words")


class Thoughts(Vertical):
    """What a model thought aloud before it answered: one line that opens on a click. It is kept nowhere."""

    def __init__(self) -> None:
        super().__init__(classes="thoughts")
        self.text = ""
        self.over = False

    def compose(self) -> ComposeResult:
        """The line, and the thoughts under it while it is open."""
        yield Static("", classes="fold", markup=False)
        yield Static("", classes="thought", markup=False)

    def on_mount(self) -> None:
        """Folded at first."""
        self.query_one(".thought").display = False
        self._draw()

    @property
    def is_open(self) -> bool:
        """Whether the thoughts are shown."""
        return bool(self.query_one(".thought").display)

    def add(self, text: str) -> None:
        """The model thinks on."""
        self.text += text
        self._draw()

    def end(self) -> None:
        """It has come to its answer."""
        self.over = True
        self._draw()

    def toggle(self) -> None:
        """Show the thoughts, or fold them away."""
        self.query_one(".thought").display = not self.is_open
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """As the key does."""
        event.stop()
        self.toggle()

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        arrow, verb = "▾" if self.is_open else "▸", "thought" if self.over else "is thinking"
        how = "Ctrl+T folds it" if self.is_open else "Ctrl+T shows it"
        line = f"{arrow} {verb}: {many(len(self.text.split()), 'word')} · not kept · {how}"
        # Of one height, however many words: nothing else has to move.
        self.query_one(".fold", Static).update(line, layout=False)
        if self.is_open:
            self.query_one(".thought", Static).update(Content(plain(self.text.strip())))


class AnswerBubble(Vertical):
    """What the model said: Markdown that grows while it is written, and what it thought before."""

    def __init__(self, text: str = "", *, label: str = "Assistant") -> None:
        super().__init__(classes="bubble answer")
        self.text = text
        self._label = label
        self._stream: MarkdownStream | None = None

    def compose(self) -> ComposeResult:
        """Label, words, and a line on how it goes."""
        yield Static(self._label, classes="label", markup=False)
        yield Markdown(drawn(self.text), open_links=False)
        note = Static("", classes="note", markup=False)
        note.display = False
        yield note

    def note(self, text: str) -> None:
        """Say how it goes, under the words; an empty text says nothing."""
        line = self.query_one(".note", Static)
        line.update(text)
        line.display = bool(text)

    @property
    def thoughts(self) -> Thoughts | None:
        """What it thought aloud, if it did."""
        found = self.query(Thoughts)
        return found.first() if found else None

    async def think(self, text: str) -> None:
        """It thinks, or thinks on."""
        thoughts = self.thoughts
        if thoughts is None:
            thoughts = Thoughts()
            await self.mount(thoughts, before=self.query_one(Markdown))
        thoughts.add(text)

    def _thought(self) -> None:
        thoughts = self.thoughts
        if thoughts is not None and not thoughts.over:
            thoughts.end()

    async def add(self, piece: str) -> None:
        """Write on."""
        self._thought()
        self.text += piece
        if self._stream is None:
            self._stream = Markdown.get_stream(self.query_one(Markdown))
        await self._stream.write(plain(piece))

    async def finish(self, text: str) -> None:
        """Write no more; ``text`` is the whole answer."""
        self._thought()
        self.text = text
        await self.let_go()
        # Drawn once more as a whole: code fences can stay blank after streaming.
        await self.query_one(Markdown).update(drawn(text))

    async def let_go(self) -> None:
        """End the stream, drawing what it still holds; before the bubble is taken away, too."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.stop()
