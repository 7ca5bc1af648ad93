"""What a key on a memory does, the same on every screen."""

from __future__ import annotations

from edgemem.records import Hit, Memory
from edgemem_tui.desk import Desk
from edgemem_tui.screens.detail import DetailScreen
from edgemem_tui.screens.edit import EditScreen


def act(desk: Desk, action: str, memory: Memory | None, hit: Hit | None = None) -> None:
    """Do ``details``, ``source``, ``forget``, ``undo``, ``edit``, ``pin`` or ``copy`` with a memory or a passage of the log."""
    content = memory.content if memory is not None else hit.content if hit is not None else ""
    source = memory.source if memory is not None else hit.source if hit is not None else None
    if action == "undo":
        desk.undo()
    elif action == "copy":
        desk.app.copy_to_clipboard(content)
    elif action == "source" and source is not None:
        desk.to_source(source)
    elif memory is None:
        _act_on_passage(desk, action, hit)
    elif action == "details":
        desk.app.push_screen(DetailScreen(desk, memory.source, memory))
    elif action == "edit":
        desk.app.push_screen(EditScreen(memory.content), lambda words: desk.edit(memory, words) if words else None)
    elif action == "pin":
        desk.pin(memory)
    elif memory.status == "live":
        desk.forget(memory)
    else:
        desk.say("It is out of use already; u takes back your last change.")


def _act_on_passage(desk: Desk, action: str, hit: Hit | None) -> None:
    if action == "details" and hit is not None and hit.source.turn is not None:
        desk.app.push_screen(DetailScreen(desk, hit.source))
    else:
        desk.say("This is something said earlier, word for word, not a memory. Enter shows where it was said.")
