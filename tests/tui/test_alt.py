"""Alt and a key as terminals send it that know no Kitty protocol: Escape, and the key right after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from edgemem_tui.alt import teach_alt
from edgemem_tui.app import EdgememApp
from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser


@pytest.fixture(autouse=True)
def taught() -> Iterator[None]:
    before = dict(ANSI_SEQUENCES_KEYS)
    teach_alt()
    yield
    ANSI_SEQUENCES_KEYS.clear()  # type: ignore[attr-defined]
    ANSI_SEQUENCES_KEYS.update(before)  # type: ignore[attr-defined]


def read(sent: str) -> list[events.Key]:
    return [event for event in XTermParser().feed(sent) if isinstance(event, events.Key)]


def alt_keys() -> list[str]:
    """The keys with Alt of every action, whatever screen has it."""
    from edgemem_tui.keys import ACTIONS, collect
    from edgemem_tui.screens.chat import ChatScreen
    from edgemem_tui.widgets.composer import Composer

    collect([EdgememApp, ChatScreen, Composer])
    return [key for action in ACTIONS for key in action.keys.split(",") if key.startswith("alt+")]


def test_every_alt_key_of_an_action_arrives_and_writes_no_letter() -> None:
    assert {"alt+1", "alt+0", "alt+d", "alt+n", "alt+p", "alt+enter"} <= set(alt_keys())
    for name in alt_keys():
        letter = name.removeprefix("alt+").replace("enter", "\r")
        (key,) = read(f"\x1b{letter}")
        assert (key.key, key.is_printable) == (name, False)


def test_option_and_an_arrow_still_go_a_word_to_the_side() -> None:
    assert [key.key for key in read("\x1bb") + read("\x1bf")] == ["ctrl+left", "ctrl+right"]


def test_keys_that_begin_with_escape_and_signs_of_a_keyboard_stay_what_they_are() -> None:
    sent = {
        "\x1b[A": "up",
        "\x1bOQ": "f2",
        "\x1b[15~": "f5",
        "\r": "enter",
        "\n": "ctrl+j",
        "d": "d",
        "™": "trade_mark_sign",
    }
    for sequence, name in sent.items():
        assert [key.key for key in read(sequence)] == [name]
