"""Commands to talk: the terminal app, and a plain chat for dumb terminals and screen readers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from edgemem.cli.common import App, common_options, emit_json, full_screen, say
from edgemem.errors import InvalidInput

if TYPE_CHECKING:
    from edgemem.session.chat import Conversation


@click.command()
@click.option("--demo", is_flag=True, help="Begin with an invented life; it is gone when you leave it.")
@common_options
def tui(app: App, demo: bool) -> None:
    """Open the terminal app: chat, memories, search, forget and undo.

    \b
    edgemem tui --file me.edgemem
    edgemem tui --demo
    """
    if not full_screen():
        raise InvalidInput(
            "The terminal app needs a terminal that can be drawn on.", "Without one, use: edgemem chat --plain"
        )
    if demo:
        from edgemem_tui.app import demonstrate

        if not demonstrate():
            return
    _open_app(app)


def _open_app(app: App) -> None:
    from edgemem_tui.app import run

    if app.is_new(make=True):
        say(f"A new memory file: {app.place()}")
    run(app.path, app.user_name, **app.passphrases.options(app.place()))


@click.command()
@click.option("--plain", is_flag=True, help="Line by line, without the terminal app.")
@click.option("--session", help="Continue this conversation.")
@click.option("--no-remember", is_flag=True, help="Keep this conversation out of the memory and the log.")
@click.option("--thinking", is_flag=True, help="Show what the model thinks before its answer; nothing of that is kept.")
@common_options
def chat(app: App, plain: bool, session: str | None, no_remember: bool, thinking: bool) -> None:
    """Chat with the local model, with your memory behind it.

    \b
    edgemem chat
    edgemem chat --plain
    echo "What can't I eat?" | edgemem chat --plain
    echo "What can't I eat?" | edgemem chat --json
    """
    if full_screen() and not plain and not app.as_json and session is None and not no_remember and not thinking:
        _open_app(app)
        return
    conversation = app.memory(make=True).chat(session, remember=not no_remember)
    _converse(conversation, as_json=app.as_json, thinking=thinking)


def _converse(conversation: Conversation, *, as_json: bool, thinking: bool) -> None:
    interactive = sys.stdin.isatty()
    if interactive:
        say("Enter sends. Ctrl+C stops an answer, Ctrl+D ends the chat.")
    while (text := _read(interactive)) is not None:
        if text.strip():
            _answer(conversation, text, as_json=as_json, thinking=thinking)


def _read(interactive: bool) -> str | None:
    if interactive:
        click.echo("> ", nl=False, err=True)
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


def _think(text: str) -> None:
    click.echo(click.style(text, dim=True), nl=False, err=True)


def _answer(conversation: Conversation, text: str, *, as_json: bool, thinking: bool) -> None:
    listener = (lambda _: None) if as_json else _think
    answer, pieces = conversation.ask(text, on_thinking=listener if thinking else None)
    if as_json:
        for _ in pieces:
            pass
        told = {"text": answer.text, "session": conversation.session, "used": list(answer.context.ids)}
        emit_json(told | ({"thinking": answer.thinking} if thinking else {}))
        return
    try:
        for n, piece in enumerate(pieces):
            if n == 0 and answer.thinking:
                say("\n")
            click.echo(piece, nl=False)
    except KeyboardInterrupt:
        pieces.close()  # type: ignore[attr-defined]
        say("\n(stopped; what was said is kept)")
    click.echo()
    for hit in answer.context.recall.hits[:3]:
        if hit.id in answer.context.ids:
            say(f"  remembered: {' '.join(hit.content.split())[:100]}")
