"""Alt and a key in terminals that send it as Escape and the key: tmux, ssh, most of those without Kitty's protocol.

Textual (8.2) reads Escape and a digit as a sign that some Macs write with Option, Escape and Enter as Enter, and gives
Alt and a letter a character, which a text field then writes. So none of the keys would do what the screens say.
"""

from __future__ import annotations

from enum import Enum
from string import ascii_lowercase, digits
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS

_OPTION_ARROWS = "bf"
"""What terminals on a Mac send for Option and an arrow: a word to the left or right in a text field."""

_LETTERS = sorted(set(ascii_lowercase) - set(_OPTION_ARROWS))
_Alt = Enum("_Alt", {f"KEY_{name}": f"alt+{name}" for name in (*_LETTERS, *digits, "enter")})  # type: ignore[misc]


def teach_alt() -> None:
    """Have this process read Escape and a key that come together as Alt and the key."""
    table = cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)
    table |= {f"\x1b{key}": (_Alt(f"alt+{key}"),) for key in (*_LETTERS, *digits)}
    table["\x1b\r"] = (_Alt("alt+enter"),)
