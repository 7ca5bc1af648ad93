"""Settings with live effect, all keys to remap, and what can be done to the file: backup, check, encryption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from edgemem.errors import InvalidInput
from edgemem.records import Backup, Problem
from edgemem_tui.config import OPTIONS, Config, Option, Value, read, write
from edgemem_tui.desk import Desk
from edgemem_tui.keys import ACTIONS, Action, checked_keys, told
from edgemem_tui.screens.confirm import ConfirmScreen
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.passphrase import PassphraseScreen
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import minute, one_line
from edgemem_tui.widgets.rows import Column, Row, Rows


@dataclass
class Configured(Message):
    """The settings are others now."""

    config: Config


@dataclass
class Lock(Message):
    """The file is to be encrypted with this passphrase (None: decrypted); the app closes it for that and opens it again."""

    passphrase: str | None


@dataclass(frozen=True, slots=True)
class Standing:
    """What is shown: the settings, and how the file stands."""

    config: Config
    backups: Sequence[Backup]
    encrypted: bool


class SettingsScreen(PlaceScreen):
    """One list; Enter changes what is under the cursor, or does it."""

    place = "settings"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d,delete", "default", "As usual", key_display="d", id="settings.default"),
        Binding("b", "backup", "Backup now", id="settings.backup"),
        Binding("c", "check", "Check the file", id="settings.check"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._options = {option.key: option for option in OPTIONS}
        self._standing: Standing | None = None

    def body(self) -> ComposeResult:
        """The list, and under it what a check found."""
        yield Rows(Column("setting", 28), Column("is"), Column("means", 72, roomy=True))
        yield Static("", id="report", markup=False)
        yield Static("", id="empty", markup=False)

    def on_mount(self) -> None:
        """The list comes first."""
        self.query_one("#empty").display = False
        self.query_one("#report").display = False

    def reload(self) -> None:
        """Read the settings and how the file stands."""
        self.desk.run(partial(_standing, self.desk), self._show, alone="settings")

    def _show(self, standing: Standing) -> None:
        if not self.is_attached:
            return
        self._standing = standing
        rows = [*_file_rows(standing), *(_option_row(o, standing.config) for o in OPTIONS)]
        rows += [_key_row(action, standing.config) for action in ACTIONS]
        self.query_one(Rows).put(0, rows, len(rows), fresh=True)
        self.teach("")
        self._explain()

    @on(Rows.Moved)
    def _explain(self) -> None:
        """What the setting under the cursor means, in full; the list may have no room for it."""
        row = self.query_one(Rows).current
        means = row.cells[2] if row is not None else ""
        self.tell(f"{means}\nkept in {self.desk.config_path}")

    # Changing

    @on(Rows.Chosen)
    def change(self, event: Rows.Chosen) -> None:
        """Enter: another value, another key, or something done to the file."""
        section, _, name = event.key.partition(".")
        if self._standing is None:
            return
        if section == "file":
            {"backup": self.action_backup, "check": self.action_check, "encryption": self._encryption}[name]()
        elif section == "keys":
            self._ask_keys(next(a for a in ACTIONS if a.id == name))
        else:
            self._ask(self._options[event.key])

    def _ask(self, option: Option) -> None:
        now = self._standing.config.get(option.key) if self._standing is not None else option.default
        if isinstance(option.default, bool):
            self._set(option.section, option.name, not now)
            return

        def answered(words: str | None) -> None:
            if words is None:
                return
            try:
                self._set(option.section, option.name, option.parsed(words))
            except InvalidInput as error:
                self.desk.tell(error)

        self.app.push_screen(EditScreen(str(now), option.key, option.means), answered)

    def _ask_keys(self, action: Action) -> None:
        now = self._standing.config.keys.get(action.id, action.keys) if self._standing is not None else action.keys

        def answered(words: str | None) -> None:
            if words is None:
                return
            try:
                self._set("keys", action.id, checked_keys(words))
            except InvalidInput as error:
                self.desk.tell(error)

        note = "names as Textual has them, such as f5, ctrl+g, alt+x, slash; several with commas between"
        self.app.push_screen(EditScreen(now, f"Keys for: {action.does}", note), answered)

    def action_default(self) -> None:
        """Back to what it is without the file."""
        key = self.query_one(Rows).current_key or ""
        section, _, name = key.partition(".")
        if section in ("look", "memory", "keys"):
            self._set(section, name, None)

    def _set(self, section: str, name: str, value: Value | None) -> None:
        path = self.desk.config_path

        def work() -> Config:
            write(path, section, name, value)
            return read(path)

        self.desk.run(work, self._changed)

    def _changed(self, config: Config) -> None:
        self.app.post_message(Configured(config))
        self.reload()

    # The file

    def action_backup(self) -> None:
        """Make a checked copy beside the file."""
        self.desk.run(self.desk.file.backup, self._backed_up, alone="backup")

    def _backed_up(self, made: Backup) -> None:
        self.desk.say(f"{made.path} ({made.bytes:,} bytes)", title="Backup made and checked")
        self.reload()

    def action_check(self) -> None:
        """Read all of the file and say what is wrong with it."""
        self._report("The file is read from end to end…")
        self.desk.run(self.desk.file.check, self._checked, alone="check")

    def _checked(self, problems: Sequence[Problem]) -> None:
        lines = [f"{p.area}: {one_line(p.message, 200)} {p.hint}".strip() for p in problems]
        self._report("\n".join(lines) or "The file is in order.")

    def _report(self, text: str) -> None:
        report = self.query_one("#report", Static)
        report.update(text)
        report.display = True

    def _encryption(self) -> None:
        if self._standing is not None and self._standing.encrypted:
            note = "Whoever has the file can then read it."
            self.app.push_screen(
                ConfirmScreen("Take the encryption off?", [str(self.desk.file.path)], "Take it off", note),
                self._decrypted,
            )
        else:
            self.app.push_screen(PassphraseScreen(self.desk.file.path.name), self._encrypted)

    def _encrypted(self, passphrase: str | None) -> None:
        if passphrase:
            self.app.post_message(Lock(passphrase))

    def _decrypted(self, yes: bool | None) -> None:
        if yes:
            self.app.post_message(Lock(None))


def _standing(desk: Desk) -> Standing:
    return Standing(read(desk.config_path), desk.file.backups(), _is_encrypted(desk.file.path))


def _is_encrypted(path: Path) -> bool:
    from edgemem.store.key import salt_of

    return salt_of(path) is not None


def _file_rows(standing: Standing) -> list[Row]:
    last = f"last {minute(standing.backups[0].at)}" if standing.backups else "none yet"
    locked = "on" if standing.encrypted else "off"
    return [
        Row("file.backup", ("file: backup", last, "Enter makes a checked copy in the folder beside the file")),
        Row("file.check", ("file: check", "", "Enter reads all of the file and says what is wrong")),
        Row(
            "file.encryption",
            ("file: encryption", locked, "Enter encrypts the file with a passphrase, or takes that off again"),
        ),
    ]


def _option_row(option: Option, config: Config) -> Row:
    value = config.get(option.key)
    shown = (
        ("yes" if value else "no")
        if isinstance(value, bool)
        else f"{value:.3g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else value
    )
    changed = "*" if option.key in config.values else " "
    return Row(option.key, (f"{option.section}: {option.name.replace('_', ' ')}", f"{changed}{shown}", option.means))


def _key_row(action: Action, config: Config) -> Row:
    keys = config.keys.get(action.id, action.keys)
    changed = "*" if action.id in config.keys else " "
    return Row(f"keys.{action.id}", (f"keys: {action.id}", f"{changed}{told(keys)}", action.does))
