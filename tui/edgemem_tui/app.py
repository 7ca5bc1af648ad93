"""The app: puts file, models and screens together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from edgemem import memory
from edgemem.memory import MemoryFile
from edgemem.ports import ModelProvider
from edgemem.store.key import Key
from edgemem_tui.desk import Desk
from edgemem_tui.messages import Broken, Done, LoadProgress
from edgemem_tui.screens.chat import ChatScreen
from edgemem_tui.screens.help import HelpScreen

POLL_SECONDS = 0.8
"""How often the file is looked at for changes of other programs."""


class Loading:
    """Passes the progress of a loading model on to whoever listens. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listener: Callable[[str, float], object] | None = None

    def listen(self, listener: Callable[[str, float], object] | None) -> None:
        """Set who is told; None for nobody."""
        with self._lock:
            self._listener = listener

    def report(self, model: str, share: float) -> None:
        """Tell the listener, if there is one."""
        with self._lock:
            listener = self._listener
        if listener is not None:
            listener(model, share)


class EdgememApp(App[None]):
    """Chat with a memory one can see. The file belongs to the caller, who closes it."""

    CSS_PATH = "styles.tcss"
    TITLE = "edgemem"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1,question_mark", "help", "Help", key_display="F1", id="app.help"),
        Binding("f2,ctrl+b", "panel", "Panel", key_display="F2", id="app.panel"),
        Binding("f3,ctrl+o", "memories", "Memories", key_display="F3", id="app.memories"),
        Binding("f4,ctrl+r", "sessions", "Chats", key_display="F4", id="app.sessions"),
        Binding("f5,ctrl+n", "new_chat", "New", key_display="F5", id="app.new", tooltip="Begin a new chat"),
        Binding("f8,ctrl+g", "graph", "Graph", key_display="F8", id="app.graph", tooltip="Who and what you told about"),
        Binding("f10,ctrl+q", "quit", "Quit", key_display="F10", id="app.quit", priority=True),
    ]

    def __init__(
        self, file: MemoryFile, user: str, *, loading: Loading | None = None, poll_seconds: float = POLL_SECONDS
    ) -> None:
        super().__init__()
        self.desk = Desk(self, file, user)
        self.chat = ChatScreen(self.desk)
        self._loading = loading or Loading()
        self._poll_seconds = poll_seconds

    def on_mount(self) -> None:
        """Open the chat and begin to watch the file."""
        self.push_screen(self.chat)
        self._loading.listen(lambda model, share: self.post_message(LoadProgress(model, share)))
        self.set_interval(self._poll_seconds, self.desk.look)
        self.desk.look()

    def on_unmount(self) -> None:
        """Tell nobody any more."""
        self._loading.listen(None)

    def on_done(self, message: Done) -> None:
        """Finish a piece of background work."""
        self.desk.ended(message.alone)
        message.then(message.value)

    def on_broken(self, message: Broken) -> None:
        """Background work failed: say so, go on."""
        self.desk.ended(message.alone)
        self.desk.tell(message.error)

    def on_load_progress(self, message: LoadProgress) -> None:
        """Hand the progress to the chat's status line."""
        self.chat.show_loading(message.model, message.share)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by a tool of the system or by the terminal, and say which."""
        self.desk.copy(text, super().copy_to_clipboard)

    # Actions

    def action_help(self) -> None:
        """Keys and commands."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    def action_panel(self) -> None:
        """Show or hide the memories beside the chat."""
        self.chat.toggle_panel()

    def action_memories(self) -> None:
        """Everything remembered."""
        self.chat.open_memories()

    def action_sessions(self) -> None:
        """Earlier chats."""
        self.chat.open_sessions()

    def action_graph(self) -> None:
        """Who and what the user told about."""
        self.chat.open_graph()

    def action_new_chat(self) -> None:
        """Begin a new chat."""
        self.chat.new_chat()

    def action_undo(self) -> None:
        """Take back the last change made here."""
        self.desk.undo()

    def action_remember(self) -> None:
        """Switch whether the chat is kept."""
        self.chat.set_remember(not self.chat.remember)

    async def action_quit(self) -> None:
        """Stop an answer on its way, let it reach the log, close."""
        self.chat.stop()
        for _ in range(100):
            if self.chat.settled:
                break
            await asyncio.sleep(0.03)
        self.exit()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action in the command palette."""
        yield SystemCommand("New chat", "Begin a new chat", self.action_new_chat)
        yield SystemCommand("Stop", "Stop the answer; what is written stays", self.chat.stop)
        yield SystemCommand("Chats", "Pick an earlier chat and go on with it", self.action_sessions)
        yield SystemCommand("Memories", "Look through everything remembered", self.action_memories)
        yield SystemCommand("Answer again", "Have the last message answered anew", self.chat.answer_again)
        yield SystemCommand("Window", "What the last prompt was made of, in tokens", self.chat.show_window)
        yield SystemCommand("Graph", "Who and what you told about, and how it hangs together", self.action_graph)
        yield SystemCommand("Panel", "Show or hide the memories beside the chat", self.action_panel)
        yield SystemCommand("Remember on/off", "Keep this chat, or keep it out", self.action_remember)
        yield SystemCommand("Undo", "Take back your last change of a memory", self.action_undo)
        yield SystemCommand("Copy answer", "Copy the last answer", self.chat.copy_answer)
        yield SystemCommand("Guide", "Keys and commands of this app", self.action_help)
        yield from super().get_system_commands(screen)


def make_app(
    file: MemoryFile, user: str, *, loading: Loading | None = None, poll_seconds: float = POLL_SECONDS
) -> EdgememApp:
    """The app around an open file. The caller closes the file after the app has ended."""
    return EdgememApp(file, user, loading=loading, poll_seconds=poll_seconds)


def run(
    path: Path | None, user: str, *, provider: ModelProvider | None = None, passphrase: str | None = None,
    key: Key | None = None,
) -> None:  # fmt: skip
    """Open the file (the user's own when ``path`` is None) and run the app until it is closed.

    ``provider`` brings other models than those installed. Raises a ``StoreError`` if the file cannot be opened.
    """
    loading = Loading()
    with memory.open(path, provider=provider or _installed(loading), passphrase=passphrase, key=key) as file:
        make_app(file, user, loading=loading).run()


def _installed(loading: Loading) -> ModelProvider:
    from edgemem_models.provider import LocalModels

    return LocalModels(on_load=loading.report)
