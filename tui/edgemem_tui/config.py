"""The app's settings as a TOML file: read with its mistakes named, written with its comments kept."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from edgemem.errors import InvalidInput
from edgemem.folders import settings_home
from edgemem.settings import Settings

FILE: Final = "tui.toml"

Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: its default, its bounds, what it means. ``section`` is its table in the file."""

    section: str
    name: str
    default: Value
    means: str
    least: float | None = None
    most: float | None = None

    @property
    def key(self) -> str:
        """As people name it."""
        return f"{self.section}.{self.name}"

    def checked(self, value: object) -> Value:
        """The value in the option's type. Raises ``InvalidInput``."""
        wanted = type(self.default)
        if wanted is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not wanted:
            kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
            raise InvalidInput(f"{self.key} is {kinds[wanted]}, not {value!r}.", self.means)
        if isinstance(value, int | float) and not isinstance(value, bool):
            low, high = self.least, self.most
            if (low is not None and value < low) or (high is not None and value > high):
                bounds = f"from {low:g}" + (f" to {high:g}" if high is not None else "") if low is not None else ""
                raise InvalidInput(f"{self.key} is {bounds}, not {value}.", self.means)
        return value

    def parsed(self, text: str) -> Value:
        """What a person typed, in the option's type. Raises ``InvalidInput``."""
        words = text.strip()
        if isinstance(self.default, str):
            return self.checked(words)
        try:
            return self.checked(tomllib.loads(f"v = {words}")["v"])
        except tomllib.TOMLDecodeError:
            return self.checked(words)


_BASE = Settings()


def _memory(name: str, means: str, least: float | None = None, most: float | None = None) -> Option:
    return Option("memory", name, getattr(_BASE, name), means, least, most)


OPTIONS: Final = (
    Option("look", "theme", "textual-dark", "Colours: any theme of the palette (Ctrl+P), ansi-dark and ansi-light too"),
    Option("look", "panel", True, "Whether the memories stand beside the chat when the terminal is wide"),
    Option("look", "poll_seconds", 0.8, "How often changes of other programs are looked for, in seconds", 0.1, 60),
    Option("look", "grace_seconds", 10.0, "Seconds in which an erased chat can still be kept", 0, 600),
    _memory("recall_limit", "Memories and passages a recall brings", 1, 100),
    _memory("context_budget", "Most tokens of background in a prompt", 100, 32_000),
    _memory("context_share", "Most of the window that background may take, 0..1", 0.01, 0.9),
    _memory("min_confidence", "Memories less sure than this (0..1) are not stored", 0, 1),
    _memory("memory_budget", "Memories in use above which tidying up lets the least valuable go", 10, 10_000_000),
    _memory("fold_turns", "Messages that are summed up at a time when a chat grows long", 4, 1_000),
    _memory("build_graph", "Whether relations are looked for in what was learned"),
    _memory("backups", "Automatic backups kept; 0 makes none", 0, 100),
    _memory("backup_days", "Days after which a backup is made anew", 0.01, 365),
    _memory("task_days", "Days after a task's end until its state is archived", 1, 3_650),
)  # fmt: skip

BY_KEY: Final = {option.key: option for option in OPTIONS}
_SECTIONS: Final = ("look", "memory", "keys")


@dataclass(frozen=True, slots=True)
class Config:
    """What the file says. ``keys`` maps the id of an action to its keys, with commas between."""

    values: Mapping[str, Value] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)

    def get(self, key: str) -> Any:
        """A setting, or its default."""
        return self.values.get(key, BY_KEY[key].default)

    def settings(self, base: Settings) -> Settings:
        """The library's settings, with what the file says of them."""
        said = {key.partition(".")[2]: value for key, value in self.values.items() if key.startswith("memory.")}
        return replace(base, **said)  # type: ignore[arg-type]


def config_path() -> Path:
    """Where the file is: in ``EDGEMEM_HOME`` if that is set, else in the user's configuration folder."""
    return settings_home(os.environ) / FILE


def read(path: Path) -> Config:
    """What the file says; nothing when there is none. Raises ``InvalidInput`` that names the file and the mistake."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Config()
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"{path} cannot be read: {error}.", "Put it right, or remove it to go back to the defaults."
        ) from error
    values: dict[str, Value] = {}
    for section, table in document.items():
        if section not in _SECTIONS or not isinstance(table, dict):
            raise InvalidInput(
                f"{path} has no section [{section}].{_nearest(section, _SECTIONS)}",
                f"Sections: {', '.join(_SECTIONS)}.",
            )
        for name, value in table.items() if section != "keys" else ():
            key = f"{section}.{name}"
            if key not in BY_KEY:
                raise InvalidInput(f"{path}: there is no setting {key}.{_nearest(key, BY_KEY)}", "Take the line out.")
            values[key] = BY_KEY[key].checked(value)
    keys = {str(action): str(wanted) for action, wanted in document.get("keys", {}).items()}
    return Config(values, keys)


def _nearest(word: str, known: Any) -> str:
    close = difflib.get_close_matches(word, list(known), 1)
    return f" Do you mean {close[0]}?" if close else ""


def write(path: Path, section: str, name: str, value: Value | None) -> None:
    """Set one value, or with None take it out; all other lines, and the comments, stay as they are."""
    import tomlkit

    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        document = tomlkit.document()
        document.add(tomlkit.comment("Settings of the edgemem terminal app; what is not here is as usual."))
    table = document.setdefault(section, tomlkit.table())
    if value is None:
        table.pop(name, None)
    elif name in table:
        table[name] = value  # its comment stays
    else:
        item, option = tomlkit.item(value), BY_KEY.get(f"{section}.{name}")
        table[name] = item if option is None else item.comment(option.means)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(tomlkit.dumps(document), encoding="utf-8")
    fresh.replace(path)
