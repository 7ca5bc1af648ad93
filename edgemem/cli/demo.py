"""``edgemem demo``: remember a conversation, show what was learned from it, answer questions from memory."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgemem.cli.common import App, common_options, emit_json, say

if TYPE_CHECKING:
    from edgemem.view import Memory

CONTEXT_TOKENS = 300
"""Budget of one answer's background: a small model answers best from little."""


@click.command()
@click.argument("conversation", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--questions", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Questions, one a line."
)
@click.option("--ask", "asked", type=click.IntRange(min=0), default=6, show_default=True, help="How many to ask.")
@click.option("--no-tui", is_flag=True, help="Do not open the terminal app afterwards.")
@common_options
def demo(app: App, conversation: Path, questions: Path | None, asked: int, no_tui: bool) -> None:
    """Learn a CONVERSATION (JSON lines), then answer QUESTIONS about it from the file alone.

    Run it again and nothing is learned twice. On a terminal it opens the app on that file afterwards.

    \b
    edgemem demo chat.jsonl --questions questions.jsonl --file demo.edgemem
    """
    start = time.perf_counter()
    file = app.file(make=True)
    memory = file.user(app.user_name)
    learned = _learn(app, memory, conversation)
    answers = _answer(memory, _questions(questions)[:asked], app) if questions else []
    if app.as_json:
        emit_json({"learned": learned, "answers": answers, "seconds": round(time.perf_counter() - start, 1)})
        return
    click.echo(f"\nEverything is in one file: {file.path.resolve()} ({file.path.stat().st_size / 1024:,.0f} KiB).")
    if not no_tui and sys.stdin.isatty() and sys.stdout.isatty():
        app.close()
        from edgemem_tui.app import run

        run(file.path, app.user_name)


def _learn(app: App, memory: Memory, conversation: Path) -> int:
    from edgemem.cli.progress import TurnProgress
    from edgemem.cli.writing import describe
    from edgemem.interop.readers import read

    reading = read(conversation)
    for problem in reading.problems:
        say(f"{conversation}: {problem}")
    turns = reading.conversations[0].turns if reading.conversations else []
    say(f"Remembering {len(turns)} turns of {conversation.name}: a few seconds for each message of the user.")
    with TurnProgress(conversation.stem) as progress:
        receipt = memory.learn(
            turns,
            progress=progress.update,
            on_learned=lambda item: None if app.as_json else progress.line(describe(item)),
        )
    say(f"Read in {receipt.seconds:.0f} s. {len(memory.list(limit=0))} memories, each with its source.")
    return len(receipt.memories)


def _questions(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _answer(memory: Memory, questions: list[dict[str, Any]], app: App) -> list[dict[str, Any]]:
    return [_answer_one(memory, str(q["question"]), app) for q in questions]


def _answer_one(memory: Memory, question: str, app: App) -> dict[str, Any]:
    from edgemem.session.chat import Conversation

    model = memory.file.models.language_model()
    talk = Conversation(memory, model, "demo", remember=False, budget=CONTEXT_TOKENS)
    answer, pieces = talk.ask(question, temperature=0.0)
    text = "".join(pieces).strip()
    used = answer.context.entries
    if not app.as_json:
        click.echo(f"\nQ: {question}\nA: {text}")
        for hit in used[:3]:
            day = hit.source.at.date().isoformat() if hit.source.at else "by hand"
            click.echo(f"   from memory ({day}, score {hit.score:.2f}): {' '.join(hit.content.split())[:110]}")
        if not used:
            click.echo("   nothing relevant was remembered")
    return {"question": question, "answer": text, "ids": list(answer.context.ids)}
