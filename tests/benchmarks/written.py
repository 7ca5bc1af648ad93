"""What edgemem and others write from the same dialogues with the same chat model: ``python -m tests.benchmarks.written FILE…``.

FILEs are sets as for ``edgemem eval extraction``; each dialogue goes into a store of its own, and what is kept is scored in the
same way, without a judge. ``--limit`` dialogues are drawn from all by ``--seed``. Then each dialogue is written once more: what is kept twice?
Seconds are of the processor, models included, a user's turn.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edgemem.evals.scoring import extraction_figures
from edgemem.evals.sets import ExtractionItem, load_extraction
from edgemem.records import Turn
from tests.benchmarks.writers import WRITERS, Counted

WINDOW = 12_288
"""Tokens: mem0's instructions, a dialogue and an answer."""

WARMING = Turn("user", "I keep bees.")


def run(name: str, items: Sequence[ExtractionItem], model: Counted, provider: Any) -> dict[str, Any]:
    """All figures of one writer."""
    kept: dict[str, list[dict[str, Any]]] = {}
    failed: list[str] = []
    seconds, again, settings = 0.0, 0, ""
    with tempfile.TemporaryDirectory() as folder:  # models loaded, instructions read: once, and counted for nobody
        writer = WRITERS[name](Path(folder), model, provider)
        writer.memories([WARMING])
        writer.close()
    model.calls = model.read = model.wrote = 0
    for number, item in enumerate(items, 1):
        with tempfile.TemporaryDirectory() as folder:
            writer = WRITERS[name](Path(folder), model, provider)
            settings = f"{writer.name}: {writer.settings}"
            start, calls, read, wrote = time.process_time(), model.calls, model.read, model.wrote
            try:
                first = writer.memories(item.turns)
            except Exception as error:  # a peer's own; it is counted and shown
                failed.append(f"{item.id}: {type(error).__name__}: {error}"[:200])
                first = []
            seconds += time.process_time() - start
            kept[item.id] = [{"content": text} for text in first]
            counted = model.calls, model.read, model.wrote
            if first and name != "langmem":
                again += max(0, len(writer.memories(item.turns)) - len(first))
            model.calls, model.read, model.wrote = counted
            writer.close()
        print(f"{name} {number}/{len(items)} {item.id}: {len(first)} kept, {model.calls - calls} calls,"
              f" {model.read - read} read, {model.wrote - wrote} written", file=sys.stderr, flush=True)  # fmt: skip
    turns = sum(item.user_turns for item in items)
    figures = extraction_figures(items, kept)
    return {
        "writer": name, "settings": settings, "items": len(items), "user_turns": turns,
        **{what: figures[what] for what in ("recall", "precision", "junk_per_100_turns", "false_memories", "slices", "stored")},
        "seconds_a_turn": round(seconds / turns, 2), "calls_a_turn": round(model.calls / turns, 2),
        "read_a_turn": round(model.read / turns), "written_a_turn": round(model.wrote / turns),
        "kept_again": None if name == "langmem" else round(again / max(1, figures["stored"]), 3),
        "failed": failed, "kept": kept,
    }  # fmt: skip


def table(results: Sequence[dict[str, Any]]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| | recall | precision | junk a 100 turns | false | slices of chat | kept | kept again | seconds a turn | calls | tokens read | tokens written |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        again = "–" if r["kept_again"] is None else f"{r['kept_again']:.0%}"
        cells = [
            r["writer"], r["recall"], r["precision"], r["junk_per_100_turns"], r["false_memories"], r["slices"], r["stored"], again,
            r["seconds_a_turn"], r["calls_a_turn"], r["read_a_turn"], r["written_a_turn"],
        ]  # fmt: skip
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join([*lines, "", *(f"- {r['settings']}; {len(r['failed'])} dialogues failed" for r in results)])


def _drawn(path: Path, limit: int, seed: int) -> list[ExtractionItem]:
    found = load_extraction([path])
    return random.Random(seed).sample(found, min(limit, len(found)))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--only", nargs="+", choices=WRITERS, default=list(WRITERS), help="Which writers.")
    parser.add_argument("--limit", type=int, default=20, help="Dialogues of each file.")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path, metavar="OUT", help="Write all figures there too.")
    options = parser.parse_args()
    from edgemem_models.language import LlamaLanguageModel
    from edgemem_models.provider import LocalModels
    from edgemem_models.registry import chosen

    items = [item for path in options.files for item in _drawn(path, options.limit, options.seed)]
    provider, chat = LocalModels(), chosen("chat", None)
    model = Counted(LlamaLanguageModel(chat.path, name=chat.name, context_size=WINDOW))
    results = []
    for name in options.only:
        results.append(run(name, items, model, provider))
        if options.json:
            options.json.write_text(json.dumps(results, indent=2, ensure_ascii=False), encoding="utf-8")
    model.close()
    provider.close()
    print(f"{len(items)} dialogues, seed {options.seed}, {chat.name}\n\n{table(results)}")


if __name__ == "__main__":
    main()
