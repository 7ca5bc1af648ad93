"""What every screen shares: the user's memory, work in the background, and the hand that corrects a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from textual.app import App
from textual.screen import Screen
from textual.timer import Timer

from edgemem.errors import EdgememError
from edgemem.memory import MemoryFile
from edgemem.receipts import Erasure
from edgemem.records import Memory, Session, Source
from edgemem.settings import Settings
from edgemem.text import counted
from edgemem.view import Memory as View
from edgemem_tui.clipboard import copy_with_tool
from edgemem_tui.config import Config
from edgemem_tui.messages import Broken, Done, Gone, ModelState, News, Picked
from edgemem_tui.text import one_line, plain
from edgemem_tui.watch import Watch

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """Something ``u`` takes back: in the background, unless ``at_once``. ``about`` is the chat that it keeps."""

    label: str
    back: Callable[[], object]
    at_once: bool = False
    about: str = ""


def stands(then: Callable[..., object]) -> bool:
    """Whether the screen that waits for a result is whole: one that closes loses its parts before it goes itself."""
    while isinstance(then, partial):
        then = then.func
    owner = getattr(then, "__self__", None)
    return not isinstance(owner, Screen) or bool(owner.display)


class Desk:
    """One user's file with an app around it. No call of it blocks; results arrive as messages."""

    def __init__(self, app: App[None], file: MemoryFile, user: str, config_path: Path) -> None:
        self.app = app
        self.config_path = config_path
        self.file = file
        self.memory = file.user(user)
        self._base = file.settings
        self._watch = Watch(self.memory)
        self.demo = False
        """Whether the file is the demonstration."""
        self.news = News((), 0, 0)
        """What the last look at the file gave."""
        self._steps: list[Step] = []
        self.grace = 10.0
        """Seconds between a yes to an erasure and the erasure."""
        self.going: dict[str, Timer] = {}
        """Chats that are erased when their time is up."""
        self._running: set[str] = set()
        self.busy = 0
        """Pieces of work in the background that have not ended."""
        self._next: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {}

    @property
    def read_only(self) -> bool:
        """Whether the file cannot be written."""
        return self.file.engine.read_only

    def go_by(self, config: Config) -> None:
        """Go by other settings from now on; the open chat takes the new view with its next message."""
        wanted = config.settings(self._base)
        if wanted != self.file.settings:
            self.run(partial(self._other_settings, wanted), self._taken)

    def _other_settings(self, wanted: Settings) -> View:
        self.file.use_settings(wanted)
        return self.file.user(self.memory.name)

    def _taken(self, memory: View) -> None:
        self.memory = memory

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
        self.busy += 1
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
        self.busy -= 1
        self._running.discard(alone)
        following = self._next.pop(alone, None)
        if following is not None:
            self.run(*following, alone=alone)

    def tell(self, error: Exception) -> None:
        """Show what went wrong and what to do about it."""
        if isinstance(error, EdgememError):
            self.app.notify(plain(f"{error}\n{error.hint}".strip()), severity="error", markup=False, timeout=8)
        else:
            self.app.notify(
                f"{type(error).__name__}: {one_line(str(error))}", title="This should not happen", severity="error",
                markup=False, timeout=10,
            )  # fmt: skip

    def say(self, text: str, title: str = "") -> None:
        """A short notice. Its words are never read as markup."""
        self.app.notify(plain(text), title=plain(title), markup=False)

    def look(self) -> None:
        """See whether the file has changed; tells every open screen."""
        self.run(self._watch.look, self._spread, alone="look")

    def _spread(self, news: News | None) -> None:
        if news is None:
            return
        self.news = news
        for screen in self.app.screen_stack:
            screen.post_message(replace(news))

    # The model

    def load_model(self, then: Callable[[ModelState], None]) -> None:
        """Load the chat model, so that the first message need not wait for it."""
        self.run(self.loaded, then)

    def loaded(self) -> ModelState:
        """The chat model, loaded. Blocks: for workers."""
        try:
            model = self.file.models.language_model()
        except Exception as error:
            return ModelState("", 0, error)
        self.file.prepare()  # and does what was left to learn when the app was closed
        return ModelState(model.name, model.context_size)

    def warm(self) -> None:
        """Read the vectors of the file ahead, so that the first search by meaning does not wait for them."""
        self.run(partial(self.memory.recall, "?", limit=1, arms=("vector",), counted=False), lambda _: None)

    def to_source(self, source: Source) -> None:
        """Go to the message that something was taken from, in its chat."""
        if source.session and source.turn:
            self.app.post_message(Picked(source.session, source.turn))
        else:
            self.say("It was noted by hand: there is no message behind it.")

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

    def forget_all(self, memories: Sequence[Memory]) -> None:
        """Take several memories out of use; one ``u`` brings all of them back."""
        self._change_all([partial(self.memory.forget, m.id) for m in memories], "forget", "Forgotten")

    def pin_all(self, memories: Sequence[Memory], *, pinned: bool) -> None:
        """Pin several memories, or unpin them."""
        work = [partial(self.memory.pin, m.id, pinned=pinned) for m in memories if m.pinned != pinned]
        self._change_all(work, "pin" if pinned else "unpin", "Pinned" if pinned else "Unpinned")

    def join(self, memories: Sequence[Memory], words: str) -> None:
        """Make one memory of several; one ``u`` parts them again."""
        first, *others = (m.id for m in memories)
        self._change(partial(self.memory.join, first, *others, content=words), f"join {len(memories)}", "Joined", words)

    def split(self, memory: Memory, parts: Sequence[str]) -> None:
        """Make several memories of one; one ``u`` joins them again."""
        self._change(
            lambda: self.memory.split(memory.id, parts).change, f"split in {len(parts)}", "Split", " / ".join(parts)
        )

    def _change_all(self, work: Sequence[Callable[[], str]], label: str, said: str) -> None:
        def changed(changes: tuple[str, ...]) -> None:
            many = counted(len(changes), "memory")
            self.changed(changes, f"{label} {many}", f"{said} — u takes it back", many)

        self.run(lambda: tuple(one() for one in work), changed)

    def _change(self, work: Callable[[], str], label: str, said: str, content: str) -> None:
        def changed(change: str) -> None:
            words = one_line(content, 120)
            self.changed((change,), f"{label}: {one_line(content, 60)}", f"{said} — u takes it back", words)

        self.run(work, changed)

    def changed(self, changes: tuple[str, ...], label: str, said: str, words: str) -> None:
        """Note changes that ``u`` is to take back together, and say that they were made."""
        self._steps.append(Step(label, partial(self._undone, changes)))
        self.say(words, title=said)
        self.look()

    def undo(self) -> None:
        """Take back the last change made here."""
        if not self._steps:
            self.say("Nothing was changed here yet. Older changes: open a memory with Enter, then u.")
            return
        # It leaves the list when it has been undone, not before: a busy file must not cost the step.
        self._take_back(self._steps[-1])

    def undo_change(self, change: str, label: str) -> None:
        """Take back one change by its id."""
        self._take_back(Step(label, partial(self._undone, (change,))))

    def _take_back(self, step: Step) -> None:
        def undone(_: object) -> None:
            self._steps = [one for one in self._steps if one is not step]
            self.say(step.label, title="Taken back")
            self.look()

        if step.at_once:
            undone(step.back())
        else:
            self.run(step.back, undone, alone="undo")

    def _undone(self, changes: tuple[str, ...]) -> None:
        for change in reversed(changes):
            self.memory.undo(change)

    # Chats

    def rename(self, session: str, title: str) -> None:
        """Give a chat another title; ``u`` gives it the old one back."""

        def renamed(before: str) -> None:
            self._steps.append(Step(f"title: {one_line(title, 60)}", partial(self.memory.rename, session, before)))
            self.say(one_line(title, 120), title="Renamed — u takes it back")
            self.look()

        self.run(partial(self.memory.rename, session, title), renamed)

    def erase_session(self, session: Session) -> None:
        """Erase a chat for good, once its grace is over; until then ``u`` keeps it."""
        name = one_line(session.title or session.id, 60)
        self.going[session.id] = self.app.set_timer(self.grace, partial(self.erase_now, session.id))
        self._steps.append(Step(f"the chat stays: {name}", partial(self._keep, session.id), True, session.id))
        self.say(f"{name} goes in {self.grace:g} seconds, for good.", title="Erasing — u keeps it")

    def _keep(self, session: str) -> None:
        timer = self.going.pop(session, None)
        if timer is not None:
            timer.stop()

    def erase_now(self, session: str) -> None:
        """Its time is up."""
        timer = self.going.pop(session, None)
        if timer is not None:
            timer.stop()
            self._steps = [step for step in self._steps if step.about != session]
            self.run(lambda: self.memory.erase(session=session), partial(self._erased, session))

    def _erased(self, session: str, done: Erasure) -> None:
        self.app.post_message(Gone(session))
        self.say(
            f"{counted(done.count('turn'), 'message')} and {counted(done.count('memory'), 'memory')}, for good.",
            title="Erased",
        )
        self.look()

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
