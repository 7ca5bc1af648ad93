"""How near the engine is to the speed of the machine, as ratios measured in one run.

python tests/benchmarks/bench_engine.py [--quick]     (--quick: the tiny model)
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from edgemem_models.embedder import LlamaEmbedder
from edgemem_models.language import LlamaLanguageModel
from edgemem_models.log import library
from edgemem_models.registry import path_of

from edgemem import gbnf
from edgemem.ports import Message

KINDS = ["fact", "preference", "task", "event"]
RULES = Message(
    "system",
    "You read one message of a user and write down what is worth remembering about the user as JSON. "
    "Copy the words you rely on as quote. Then write one sentence as memory, and the kind. "
    + "Facts are lasting things: names, places, work, family, health. Preferences are likes, dislikes and rules. "
    * 4,
)
TURN = Message("user", "I moved to Lisbon last year with my sister, and I never eat peanuts.")
GRAMMAR = gbnf.grammar(
    gbnf.obj([("quote", gbnf.string(80, 10)), ("memory", gbnf.string(80, 10)), ("kind", gbnf.string_of(KINDS))])
)
SCHEMA = {
    "type": "object",
    "properties": {
        "quote": {"type": "string", "minLength": 10, "maxLength": 80},
        "memory": {"type": "string", "minLength": 10, "maxLength": 80},
        "kind": {"enum": KINDS},
    },
    "required": ["quote", "memory", "kind"],
}
QUESTIONS = [
    f"Clause {number}: I {verb}." for number, verb in enumerate("swim run read cook work sing draw rest".split())
]


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Median wall time: the machine may be busy with other things."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def per_token(model: LlamaLanguageModel, grammar: str | None) -> float:
    """Seconds for each token written after a warm prompt."""

    def once() -> float:
        start = time.perf_counter()
        answer = model.generate([RULES, TURN], max_tokens=40, grammar=grammar)
        return (time.perf_counter() - start) / max(1, len(answer.tokens))

    once()
    return statistics.median(once() for _ in range(3))


def constrained(model: LlamaLanguageModel) -> Iterator[tuple[str, float]]:
    free, held = per_token(model, None), per_token(model, GRAMMAR)
    yield "free tokens/s", 1 / free
    yield "constrained tokens/s", 1 / held
    yield "constrained : free (>= 0.9)", free / held


def prompts(model: LlamaLanguageModel) -> Iterator[tuple[str, float]]:
    cold_rules = Message("system", "Fresh. " + RULES.content)
    cold = model.generate([cold_rules, TURN], max_tokens=1)
    warm = model.generate([cold_rules, Message("user", "I like tea.")], max_tokens=1)
    yield "prompt tokens evaluated first", cold.prompt_tokens - cold.cached_tokens
    yield "prompt tokens evaluated again, other turn", warm.prompt_tokens - warm.cached_tokens


def choosing(model: LlamaLanguageModel) -> Iterator[tuple[str, float]]:
    prefix = [RULES]
    options = ["F", "P", "S", "N"]

    def fresh(questions: list[str], number: int) -> None:
        # another beginning each time, so that no evaluation is left over from before
        model.choose(
            [Message("system", f"Run {number} {time.monotonic_ns()}. " + prefix[0].content)], questions, options
        )

    together = seconds(lambda: fresh(QUESTIONS, 0), 1)
    apart = sum(seconds(partial(fresh, [question], 1), 1) for question in QUESTIONS)
    yield "8 questions together : one by one (>= 5)", apart / together
    warm = seconds(lambda: model.choose(prefix, QUESTIONS, options))
    yield "ms for each of 8 questions, instructions cached", warm / len(QUESTIONS) * 1000


def aborting(model: LlamaLanguageModel) -> Iterator[tuple[str, float]]:
    asked: list[float] = []
    flag = threading.Event()

    def ask() -> None:
        asked.append(time.perf_counter())
        flag.set()

    threading.Timer(0.5, ask).start()
    list(model.stream([Message("user", "The harbour was quiet today. " * 250)], stop=flag.is_set))
    yield "abort in prompt evaluation, s (<= 0.3)", time.perf_counter() - asked[0]


def memory(model: LlamaLanguageModel) -> Iterator[tuple[str, float]]:
    status = Path("/proc/self/status")
    if status.exists():
        pages = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        yield "MB above the model file (<= 400)", int(pages.split()[1]) / 1024 - model.info.size / 2**20


def raw(path: Path, ours: float) -> Iterator[tuple[str, float]]:
    """llama.cpp through its plain Python class, and its own structured output."""
    from llama_cpp import Llama

    plain = Llama(str(path), n_ctx=2048, verbose=True)
    library()
    talk: Any = [{"role": message.role, "content": message.content} for message in (RULES, TURN)]

    def write(form: Any) -> float:
        start = time.perf_counter()
        answer: Any = plain.create_chat_completion(talk, max_tokens=40, temperature=0, response_format=form)
        return (time.perf_counter() - start) / max(1, int(answer["usage"]["completion_tokens"]))

    write(None)
    free = statistics.median(write(None) for _ in range(3))
    form = {"type": "json_object", "schema": SCHEMA}
    held = statistics.median(write(form) for _ in range(2))
    plain.close()
    yield "create_chat_completion, free tokens/s", 1 / free
    yield "our constrained : response_format schema (>= 3)", held * ours
    yield "our constrained : free create_chat_completion", free * ours


def embedding(embedder: LlamaEmbedder, count: int) -> Iterator[tuple[str, float]]:
    texts = [f"Person {number} likes the colour {number % 7}." for number in range(count)]
    embedder.embed(texts[:8], "passage")
    together = seconds(lambda: embedder.embed(texts, "passage"), 1)
    apart = seconds(lambda: [embedder.embed([text], "passage") for text in texts], 1)
    yield f"{count} embeddings together : one call each (>= 2)", apart / together
    yield "embeddings/s", count / together


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="use the tiny model and fewer texts")
    quick = parser.parse_args().quick
    path = path_of("smollm2-135m" if quick else "qwen2.5-coder-1.5b")
    figures: dict[str, float] = {}

    def take(found: Iterator[tuple[str, float]]) -> None:
        for name, value in found:
            figures[name] = round(value, 3)
            sys.stderr.write(f"{value:10.3f}  {name}\n")

    model = LlamaLanguageModel(path, context_size=4096)
    for measure in (constrained, prompts, choosing, aborting, memory):
        take(measure(model))
    model.close()
    take(raw(path, figures["constrained tokens/s"]))
    embedder = LlamaEmbedder(path_of("multilingual-e5-small"), prefixes=("query: ", "passage: "))
    take(embedding(embedder, 200 if quick else 1000))
    embedder.close()
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
