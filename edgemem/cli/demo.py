"""``edgemem demo``: remember a conversation, show what was learned from it, answer questions from memory."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgemem.cli.common import App, common_options, emit_json, full_screen, say
from edgemem.cli.tables import cut, day, one_line, visible
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem.records import Hit
    from edgemem.view import Memory

CONTEXT_TOKENS = 300
"""Budget of one answer's background: a small model answers best from little."""

SHOWN = 4
"""Things the model had before it that are printed with an answer."""


@click.command()
@click.argument("conversation", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--questions", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Questions, one a line."
)
@click.option(
    "--ask", "asked", type=click.IntRange(min=0), default=6, show_default=True, help="How many to ask; 0 for all."
)
@click.option("--no-tui", is_flag=True, help="Do not open the terminal app afterwards.")
@common_options
def demo(app: App, conversation: Path, questions: Path | None, asked: int, no_tui: bool) -> None:
    """Learn a CONVERSATION (JSON lines), then answer QUESTIONS about it from the file alone.

    With each answer it prints the one expected, and what the model had before it. Run it again and nothing is learned twice. On a terminal it opens the app on that file afterwards.

    \b
    edgemem demo chat.jsonl --questions questions.jsonl --file demo.edgemem
    """
    start = time.perf_counter()
    file = app.file(make=True)
    memory = file.user(app.user_name)
    learned = _learn(app, memory, conversation)
    answers = _answer(memory, _questions(questions), asked, app) if questions else []
    if app.as_json:
        emit_json({"learned": learned, "answers": answers, "seconds": round(time.perf_counter() - start, 1)})
        return
    click.echo(f"\nEverything is in one file: {file.path.resolve()}.")
    if not no_tui and full_screen():
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
    say(
        f"Remembering {counted(len(turns), 'turn')} of {conversation.name}: a few seconds for each message of the user."
    )
    with TurnProgress(conversation.stem) as progress:
        receipt = memory.learn(
            turns,
            progress=progress.update,
            on_learned=lambda item: None if app.as_json else progress.line(describe(item)),
        )
    say(f"Read in {receipt.seconds:.0f} s. {counted(len(memory.list(limit=0)), 'memory')}, each with its source.")
    return len(receipt.memories)


def _questions(path: Path) -> list[dict[str, Any]]:
    """Lines with ``question``, and if known ``answer`` (null: nothing was said about it) and ``evidence``, ids of turns."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _answer(memory: Memory, questions: list[dict[str, Any]], most: int, app: App) -> list[dict[str, Any]]:
    asked = questions[:most] if most else questions
    left = len(questions) - len(asked)
    say(
        f"\nAsking {len(asked)} of {counted(len(questions), 'question')}{'; all of them with --ask 0' if left else ''}."
    )
    replaced = {m.superseded_by: m.content for m in memory.list(status="superseded", limit=0)}
    answers = []
    for n, question in enumerate(asked, 1):
        if not app.as_json:
            click.echo(f"\n{n}. {question['question']}")
        answers.append(_answer_one(memory, question, replaced, app))
    known = [a for a in answers if a["evidence_read"] is not None]
    if known:
        read = sum(a["evidence_read"] for a in known)
        say(
            f"\nIn {read} of {counted(len(known), 'question')} with a known source the model had that message, or a memory of it,"
            " before it. Whether it answered well is yours to judge."
        )
    return answers


def _answer_one(memory: Memory, question: dict[str, Any], replaced: dict[str | None, str], app: App) -> dict[str, Any]:
    from edgemem.session.chat import Conversation

    model = memory.file.models.language_model()
    talk = Conversation(memory, model, "demo", remember=False, budget=CONTEXT_TOKENS)
    answer, pieces = talk.ask(str(question["question"]), temperature=0.0)
    text = "".join(pieces).strip()
    used, evidence = answer.context.entries, set(question.get("evidence") or ())
    read = any(h.source.turn in evidence for h in used) if evidence else None
    if not app.as_json:
        click.echo(f"   Answer:   {' '.join(text.split())}")
        if "answer" in question:
            click.echo(f"   Expected: {question['answer'] or 'nothing was said about it'}")
        for hit in used[:SHOWN]:
            click.echo(_read(hit, replaced))
        if len(used) > SHOWN:
            click.echo(f"   and {len(used) - SHOWN} more")
        if not used:
            click.echo("   nothing relevant was remembered")
    return {"question": question["question"], "answer": text, "expected": question.get("answer"), "evidence_read": read,
            "ids": list(answer.context.ids)}  # fmt: skip


def _read(hit: Hit, replaced: dict[str | None, str]) -> str:
    """A line on one thing the model had before it: what it is, its day, its words, and what it replaced."""
    said = day(hit.source.at) if hit.source.at else "by hand"
    what = "message" if hit.memory is None else hit.kind
    before = replaced.get(hit.id)
    return visible(
        f"   read: {what} of {said}: {_short(hit.content)}" + (f" (before: {_short(before)})" if before else "")
    )


def _short(text: str) -> str:
    return cut(one_line(text), 100)
