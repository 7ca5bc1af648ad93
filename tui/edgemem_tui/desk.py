"""What every screen shares: the user's memory, work in the background, and the hand that corrects a memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from textual.app import App

from edgemem.errors import EdgememError
from edgemem.memory import MemoryFile
from edgemem.records import Memory
from edgemem_tui.clipboard import copy_with_tool
from edgemem_tui.messages import Broken, Done, ModelState, News
from edgemem_tui.text import one_line
from edgemem_tui.watch import Watch

T = TypeVar("T")


class Desk:
    """One user's file with an app around it. No call of it blocks; results arrive as messages."""

    def __init__(self, app: App[None], file: MemoryFile, user: str) -> None:
        self.app = app
        self.file = file
        self.memory = file.user(user)
        self._watch = Watch(self.memory)
        self._undo: list[tuple[str, str]] = []
        self._running: set[str] = set()
        self._next: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {}

    # Work in the background

    def run(self, work: Callable[[], T], then: Callable[[T], None], *, alone: str = "") -> None:
        """Do ``work`` in a thread, then ``then`` with its result on the app's thread. Errors become notices.

        Of work with the same name in ``alone`` one piece runs at a time; of what is asked for meanwhile only
        the last is done. So slow work never uses up the threads.
        """
        if alone and alone in self._running:
            self._next[alone] = (work, then)
            return
        if alone:
            self._running.add(alone)
        self.app.run_worker(partial(self._worked, work, then, alone), thread=True, exit_on_error=False)

    def _worked(self, work: Callable[[], T], then: Callable[[T], None], alone: str) -> None:
        try:
            result = work()
        except Exception as error:
            self.app.post_message(Broken(error, alone))
        else:
            self.app.post_message(Done(then, result, alone))

    def ended(self, alone: str) -> None:
        """Called when work has ended: start what was asked for meanwhile."""
        self._running.discard(alone)
        following = self._next.pop(alone, None)
        if following is not None:
            self.run(*following, alone=alone)

    def tell(self, error: Exception) -> None:
        """Show what went wrong and what to do about it."""
        if isinstance(error, EdgememError):
            self.app.notify(f"{error}\n{error.hint}".strip(), severity="error", markup=False, timeout=8)
        else:
            self.app.notify(
                f"{type(error).__name__}: {one_line(str(error))}", title="This should not happen", severity="error",
                markup=False, timeout=10,
            )  # fmt: skip

    def say(self, text: str, title: str = "") -> None:
        """A short notice. Its words are never read as markup."""
        self.app.notify(text, title=title, markup=False)

    def look(self) -> None:
        """See whether the file has changed; tells every open screen."""
        self.run(self._watch.look, self._spread, alone="look")

    def _spread(self, news: News | None) -> None:
        if news is None:
            return
        for screen in self.app.screen_stack:
            screen.post_message(News(news.changes, news.waiting, news.failed, news.left_out))

    # The model

    def load_model(self, then: Callable[[ModelState], None]) -> None:
        """Load the chat model, so that the first message need not wait for it."""
        self.run(self._loaded, then)

    def _loaded(self) -> ModelState:
        try:
            model = self.file.models.language_model()
        except Exception as error:
            return ModelState("", 0, error)
        if self.file.settings.background:
            self.file.start_worker()  # what was left to learn when the app was closed
        return ModelState(model.name, model.context_size)

    # Correcting memories

    def forget(self, memory: Memory) -> None:
        """Take a memory out of use; ``u`` brings it back."""
        self._change(partial(self.memory.forget, memory.id), "forget", "Forgotten", memory.content)

    def pin(self, memory: Memory) -> None:
        """Pin a memory, or unpin a pinned one."""
        said, label = ("Unpinned", "unpin") if memory.pinned else ("Pinned", "pin")
        self._change(partial(self.memory.pin, memory.id, pinned=not memory.pinned), label, said, memory.content)

    def edit(self, memory: Memory, words: str) -> None:
        """Give a memory other words, unless it changed since it was read."""
        self._change(partial(self.memory.edit, memory.id, words, expect=memory.version), "edit", "Changed", words)

    def _change(self, work: Callable[[], str], label: str, said: str, content: str) -> None:
        def changed(change: str) -> None:
            self._undo.append((change, f"{label}: {one_line(content, 60)}"))
            self.say(one_line(content, 120), title=f"{said} — u takes it back")
            self.look()

        self.run(work, changed)

    def undo(self) -> None:
        """Take back the last change made here."""
        if not self._undo:
            self.say("Nothing was changed here yet. Older changes: open a memory with Enter, then u.")
            return
        # It leaves the list when it has been undone, not before: a busy file must not cost the step.
        self.undo_change(*self._undo[-1])

    def undo_change(self, change: str, label: str) -> None:
        """Take back one change by its id."""

        def undone(_: list[str]) -> None:
            self._undo = [step for step in self._undo if step[0] != change]
            self.say(label, title="Taken back")
            self.look()

        self.run(partial(self.memory.undo, change), undone)

    def copy(self, text: str, terminal: Callable[[str], None]) -> None:
        """Copy, and say which way it went. ``terminal`` asks the terminal itself to do it."""

        def copied(tool: str | None) -> None:
            if tool is not None:
                self.say(f"Copied with {tool}.")
                return
            terminal(text)
            self.say(
                "Handed to the terminal to copy (OSC 52). Some terminals ignore that: then select with Shift+mouse."
            )

        self.run(partial(copy_with_tool, text), copied)
