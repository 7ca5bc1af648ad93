"""Every action that has a key, with the id under which the settings remap it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.keys import Keys

from edgemem.errors import InvalidInput

if TYPE_CHECKING:
    from textual.dom import DOMNode

_NAMED = {key.value for key in Keys} | {
    "slash", "question_mark", "asterisk", "comma", "full_stop", "plus", "minus", "space", "colon", "semicolon", "at",
}  # fmt: skip
_SIGNS = {
    "slash": "/", "question_mark": "?", "asterisk": "*", "comma": ",", "full_stop": ".", "plus": "+", "minus": "-",
    "space": "Space", "left": "←", "right": "→", "up": "↑", "down": "↓", "pageup": "Page Up", "pagedown": "Page Down",
}  # fmt: skip
_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")


@dataclass(frozen=True, slots=True)
class Action:
    """An action: its id, what it does, its keys without remapping."""

    id: str
    does: str
    keys: str


ACTIONS: list[Action] = []
"""All of them; ``collect`` fills it when the app is put together."""


def collect(owners: Iterable[type[DOMNode]]) -> None:
    """Take the actions of these classes, each once."""
    for owner in owners:
        for binding in owner.BINDINGS:
            if isinstance(binding, Binding) and binding.id and all(a.id != binding.id for a in ACTIONS):
                ACTIONS.append(Action(binding.id, binding.description, binding.key))


def checked_keys(words: str) -> str:
    """Keys as Textual names them, with commas between. Raises ``InvalidInput`` for one that there is not."""
    keys = [part.strip() for part in words.split(",") if part.strip()]
    if not keys:
        raise InvalidInput("An action needs a key.", "Write for example: f5,ctrl+g")
    for key in keys:
        *modifiers, last = key.split("+")
        known = last in _NAMED or (len(last) == 1 and last.isprintable())
        if not known or any(m not in _MODIFIERS for m in modifiers):
            raise InvalidInput(f"There is no key {key!r}.", "Write for example: f5, ctrl+g, alt+x, slash, comma.")
    return ",".join(keys)


def told(keys: str) -> str:
    """Keys as people write them: ``ctrl+n,f5`` is "Ctrl+N, F5"."""
    return ", ".join(_told(key) for key in keys.split(",") if key)


def _told(key: str) -> str:
    *modifiers, last = key.split("+")
    name = _SIGNS.get(last, last.upper() if modifiers or (last[:1] == "f" and last[1:].isdigit()) else last)
    if len(name) > 1 and name.isalpha():
        name = name.capitalize()
    return "+".join([*(m.capitalize() for m in modifiers), name])
