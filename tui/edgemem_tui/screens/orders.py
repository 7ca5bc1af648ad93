"""What a slash command does to the chat."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from edgemem_tui.commands import COMMANDS
from edgemem_tui.places import BY_NAME
from edgemem_tui.widgets.composer import Composer

if TYPE_CHECKING:
    from edgemem_tui.screens.chat import ChatScreen


def obey(chat: ChatScreen, name: str, argument: str) -> None:
    """Do a command; one that is not known stays where it was typed."""
    if name not in {c.name for c in COMMANDS}:
        chat.desk.say(f"There is no command /{name}. A message may begin with a slash after a space.", title="?")
        return
    chat.query_one(Composer).take("")
    if name == "remember":
        chat.set_remember({"on": True, "off": False}.get(argument, not chat.remember))
        return
    todo: dict[str, Callable[[], None]] = {
        "new": chat.new_chat, "undo": chat.desk.undo, "copy": chat.copy_answer, "panel": chat.toggle_panel,
        "again": chat.answer_again, "edit": chat.edit_last, "window": chat.show_window,
        "thoughts": chat.action_thoughts,
    }  # fmt: skip
    if name in todo:
        todo[name]()
    elif name in BY_NAME:
        chat.app.call_later(chat.app.run_action, f"go('{name}')")
    else:
        chat.app.call_later(chat.app.run_action, name)  # help, demo and quit are the app's
