"""The app: puts file, models and screens together."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.theme import Theme
from textual.timer import Timer

from edgemem import memory
from edgemem.errors import EdgememError, PassphraseNeeded
from edgemem.locking import decrypt, encrypt
from edgemem.memory import MemoryFile
from edgemem.ports import FixedModels, ModelProvider
from edgemem.settings import Settings
from edgemem.store.key import Key
from edgemem_tui.alt import teach_alt
from edgemem_tui.config import Config, read, write
from edgemem_tui.config import config_path as where_config_is
from edgemem_tui.demonstration import NAME, USER, invent
from edgemem_tui.desk import Desk, stands
from edgemem_tui.keys import collect
from edgemem_tui.messages import Broken, Done, Gone, LoadProgress, Picked
from edgemem_tui.places import BY_NAME, PLACES
from edgemem_tui.screens.chat import ChatScreen
from edgemem_tui.screens.confirm import ConfirmScreen
from edgemem_tui.screens.detail import DetailScreen
from edgemem_tui.screens.edit import EditScreen, Words
from edgemem_tui.screens.filters import FilterScreen
from edgemem_tui.screens.graph import Branches, GraphScreen
from edgemem_tui.screens.help import HelpScreen
from edgemem_tui.screens.jobs import JobsScreen
from edgemem_tui.screens.memories import MemoriesScreen
from edgemem_tui.screens.models import ModelsScreen
from edgemem_tui.screens.passphrase import PassphraseScreen
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.screens.review import ReviewScreen
from edgemem_tui.screens.sessions import SessionsScreen
from edgemem_tui.screens.settings import Configured, Lock, SettingsScreen
from edgemem_tui.screens.statistics import StatisticsScreen
from edgemem_tui.screens.timeline import TimelineScreen
from edgemem_tui.widgets.card import Card
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.rows import Rows

_SCREENS: dict[str, type[PlaceScreen]] = {
    "memories": MemoriesScreen, "review": ReviewScreen, "graph": GraphScreen, "timeline": TimelineScreen,
    "sessions": SessionsScreen, "models": ModelsScreen, "jobs": JobsScreen, "statistics": StatisticsScreen,
    "settings": SettingsScreen,
}  # fmt: skip


_OWNERS: list[type[DOMNode]] = []
"""Who has keys, in the order in which the settings list them; the app itself goes first."""


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
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (120, "-roomy")]  # noqa: RUF012 - Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1,question_mark", "help", "Help", key_display="F1", id="app.help"),
        # Before the text fields, which have F6 and F7 for themselves otherwise.
        *(Binding(p.keys, f"go('{p.name}')", p.title, show=False, id=f"go.{p.name}", priority=True) for p in PLACES),
        *(Binding(p.digit, f"go('{p.name}')", p.title, show=False, id=f"digit.{p.name}") for p in PLACES),
        Binding("ctrl+n,alt+n", "new_chat", "New", show=False, id="app.new", tooltip="Begin a new chat"),
        Binding("ctrl+b,alt+p", "panel", "Panel", show=False, id="app.panel"),
        Binding("alt+d", "demo", "Demonstration", show=False, id="app.demo", tooltip="An invented life to try it with"),
        Binding("ctrl+q,f12", "quit", "Quit", show=False, id="app.quit", priority=True),
    ]

    def __init__(
        self, file: MemoryFile, user: str, *, loading: Loading | None = None, poll_seconds: float | None = None,
        config: Config | None = None, config_path: Path | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        collect(_OWNERS)
        self._config = config or Config()
        self._poll_seconds = poll_seconds
        self._looking: Timer | None = None
        self.desk = Desk(self, file, user, config_path or where_config_is())
        self.chat = ChatScreen(self.desk)
        self.lock: Lock | None = None
        """What is to be done to the file once the app has ended; then it is run again."""
        self.switches = False
        """Whether the app ended to go to the demonstration, or from there back to the user's own file."""
        self._loading = loading or Loading()
        self._places: dict[str, PlaceScreen] = {}

    def on_mount(self) -> None:
        """Open the chat and begin to watch the file."""
        self.push_screen(self.chat)
        self._loading.listen(lambda model, share: self.post_message(LoadProgress(model, share)))
        self._configure(self._config)
        self.theme_changed_signal.subscribe(self, self._themed)
        self.desk.look()

    def on_configured(self, message: Configured) -> None:
        """The settings were changed: go by the new ones."""
        self._configure(message.config)

    def _configure(self, config: Config) -> None:
        self._config = config
        theme = config.get("look.theme")
        if theme in self.available_themes:
            self.theme = theme
        else:
            self.desk.say(f"There is no theme {theme}. Ctrl+P, then “theme”, shows those there are.")
        self.set_keymap(dict(config.keys))
        self.chat.set_class(not config.get("look.panel"), "panel-shut")
        self.desk.grace = config.get("look.grace_seconds")
        self.desk.go_by(config)
        if self._looking is not None:
            self._looking.stop()
        self._looking = self.set_interval(self._poll_seconds or config.get("look.poll_seconds"), self.desk.look)

    def _themed(self, theme: Theme) -> None:
        # Chosen in the palette: kept like every other setting.
        if theme.name != self._config.get("look.theme"):
            self.desk.run(partial(self._keep_theme, theme.name), lambda config: setattr(self, "_config", config))

    def _keep_theme(self, name: str) -> Config:
        write(self.desk.config_path, "look", "theme", name)
        return read(self.desk.config_path)

    async def on_lock(self, message: Lock) -> None:
        """Close, so that the file can be encrypted or decrypted; ``run`` opens the app again."""
        self.lock = message
        await self.action_quit()

    def on_unmount(self) -> None:
        """Tell nobody any more."""
        self._loading.listen(None)

    def on_key(self, event: events.Key) -> None:
        """A key that nobody took: search text, or one of the keys below."""
        if isinstance(self.screen, PlaceScreen) and self.screen.takes(event):
            event.prevent_default()

    def on_done(self, message: Done) -> None:
        """Finish a piece of background work."""
        self.desk.ended(message.alone)
        if self.is_running and stands(message.then):
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
        if isinstance(self.screen, HelpScreen):
            return
        place = self.place
        owners: list[type[DOMNode]] = (
            [ChatScreen, Composer, Card]
            if place == "chat"
            else [_SCREENS[place], Branches if place == "graph" else Rows]
        )
        self.push_screen(HelpScreen(place, owners, self._config.keys))

    def action_go(self, place: str) -> None:
        """Go to one of the places; each stays as it was left."""
        if place == self.place or isinstance(self.screen, ModalScreen):
            return  # a dialog is answered first
        self._to_chat()
        if place == "chat":
            return
        if place not in self._places:
            self._places[place] = _SCREENS[place](self.desk)
            self.install_screen(self._places[place], place)
        self.push_screen(place)

    def _to_chat(self) -> None:
        while self.screen is not self.chat and self.chat in self.screen_stack:
            self.pop_screen()

    @property
    def place(self) -> str:
        """Where one is: the place under any dialog."""
        places = [screen.place for screen in self.screen_stack if isinstance(screen, PlaceScreen)]
        return places[-1] if places else "chat"

    def on_gone(self, event: Gone) -> None:
        """What was erased must not stay on the screen either."""
        if self.chat.talk.session == event.session:
            self.chat.new_chat()

    def on_picked(self, event: Picked) -> None:
        """Show a chat, at a message of it."""
        self._to_chat()
        self.chat.open_session(event.session, event.turn)

    def action_new_chat(self) -> None:
        """Begin a new chat."""
        self._to_chat()
        self.chat.new_chat()

    def action_panel(self) -> None:
        """Show or hide the memories beside the chat."""
        self.chat.toggle_panel()

    def action_undo(self) -> None:
        """Take back the last change made here."""
        self.desk.undo()

    async def action_demo(self) -> None:
        """Close, and open the demonstration; or from there the user's own file. ``run`` does it."""
        self.switches = True
        await self.action_quit()

    def action_remember(self) -> None:
        """Switch whether the chat is kept."""
        self.chat.set_remember(not self.chat.remember)

    async def action_quit(self) -> None:
        """Stop an answer on its way, let it reach the log, do what was put off, close."""
        self.chat.stop()
        self.chat.save_draft(leaving=True)
        for place in self._places.values():
            place.closing()
        for session in list(self.desk.going):
            self.desk.erase_now(session)
        for _ in range(100):
            if self.chat.settled and not self.desk.busy:
                break
            await asyncio.sleep(0.03)
        self.exit()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every place and every action in the command palette, those of the screen one is on first."""
        yield from self._here(screen)
        for place in PLACES:
            yield SystemCommand(f"Go to {place.title}", place.does, partial(self.action_go, place.name))
        yield SystemCommand("New chat", "Begin a new chat", self.action_new_chat)
        yield SystemCommand("Stop", "Stop the answer; what is written stays", self.chat.stop)
        yield SystemCommand("Answer again", "Have the last message answered anew", self.chat.answer_again)
        yield SystemCommand("Edit message", "Change your last message and send it in its place", self.chat.edit_last)
        yield SystemCommand(
            "Thoughts", "Show or fold what the model thought before its answer", self.chat.action_thoughts
        )
        yield SystemCommand("Window", "What the last prompt was made of, in tokens", self.chat.show_window)
        yield SystemCommand("Panel", "Show or hide the memories beside the chat", self.action_panel)
        yield SystemCommand("Remember on/off", "Keep this chat, or keep it out", self.action_remember)
        yield SystemCommand("Undo", "Take back your last change", self.action_undo)
        yield SystemCommand("Copy answer", "Copy the last answer", self.chat.copy_answer)
        yield SystemCommand(
            "Demonstration", "An invented life to try it with; from there back to your own", self.action_demo
        )
        yield SystemCommand("Guide", "Keys and commands of this app", self.action_help)
        yield from super().get_system_commands(screen)

    def _here(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for binding in type(screen).BINDINGS:
            if isinstance(binding, Binding) and isinstance(screen, PlaceScreen) and binding.description:
                title = f"{BY_NAME[screen.place].title}: {binding.description}"
                yield SystemCommand(
                    title, f"Key {binding.key_display or binding.key}", partial(screen.run_action, binding.action)
                )


def make_app(
    file: MemoryFile, user: str, *, loading: Loading | None = None, poll_seconds: float | None = None,
    config_path: Path | None = None, demo: bool = False,
) -> EdgememApp:  # fmt: skip
    """The app around an open file. The caller closes the file after the app has ended.

    ``config_path`` is the file of the settings (default: the user's own). ``demo``: the file is the demonstration, and the
    app says so. Raises ``InvalidInput`` for mistakes in the settings.
    """
    path = config_path or where_config_is()
    app = EdgememApp(file, user, loading=loading, poll_seconds=poll_seconds, config=read(path), config_path=path)
    app.desk.demo = demo
    return app


def run(
    path: Path | None, user: str, *, provider: ModelProvider | None = None, passphrase: str | None = None,
    key: Key | None = None,
) -> None:  # fmt: skip
    """Open the file (the user's own when ``path`` is None) and run the app until it is closed.

    ``provider`` brings other models than those installed. Raises a ``StoreError`` if the file cannot be opened.
    """
    teach_alt()
    trouble: EdgememError | None = None
    while True:
        loading = Loading()
        with memory.open(path, provider=provider or _installed(loading), passphrase=passphrase, key=key) as file:
            app = make_app(file, user, loading=loading)
            if trouble is not None:
                app.call_later(app.desk.tell, trouble)
            app.run()
            place = file.path
        if app.switches:
            if not demonstrate(provider):
                return
            continue
        if app.lock is None:
            return
        try:
            passphrase, key = _locked(place, app.lock, passphrase), None
        except EdgememError as error:
            trouble = error


def demonstrate(provider: ModelProvider | None = None) -> bool:
    """Run the app on a demonstration that is gone afterwards; whether the user wants to go to the own file.

    ``provider`` brings other models than those installed.
    """
    teach_alt()
    with tempfile.TemporaryDirectory(prefix="edgemem-") as folder:
        loading, place = Loading(), Path(folder) / NAME
        # Without a model nobody waits before an empty screen until one is loaded; the vectors come in the background.
        with memory.open(place, provider=FixedModels(), settings=Settings(background=False)) as file:
            invent(file)
        with memory.open(place, provider=provider or _installed(loading)) as file:
            app = make_app(file, USER, loading=loading, demo=True)
            app.run()
    return app.switches


def _locked(place: Path, wanted: Lock, passphrase: str | None) -> str | None:
    """Encrypt or decrypt the closed file; returns the passphrase that opens it now."""
    if wanted.passphrase is not None:
        encrypt(place, wanted.passphrase)
    elif passphrase is None:
        raise PassphraseNeeded("The file was opened with a key from the keyring.", "Take it off with: edgemem decrypt")
    else:
        decrypt(place, passphrase)
    return wanted.passphrase


def _installed(loading: Loading) -> ModelProvider:
    from edgemem_models.provider import LocalModels

    return LocalModels(on_load=loading.report)


_OWNERS += [
    EdgememApp, ChatScreen, Composer, Card, PlaceScreen, *_SCREENS.values(), Branches, Rows, DetailScreen, EditScreen,
    ConfirmScreen, FilterScreen, HelpScreen, PassphraseScreen, Words,
]  # fmt: skip
