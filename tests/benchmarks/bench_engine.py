"""How near the engine is to the speed of the machine, as ratios measured in one run.

python tests/benchmarks/bench_engine.py [--quick] [--turns N]     (--quick: the tiny model)

What is compared runs in turn in the same process (A B A B …). Each ratio comes twice: by the clock, and by the
processor time of this process, which other programs on the machine hardly change.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from edgemem_models.embedder import LlamaEmbedder
from edgemem_models.language import LlamaLanguageModel
from edgemem_models.log import library
from edgemem_models.machine import usable_cores
from edgemem_models.registry import path_of

from edgemem.ports import Message
from edgemem.records import KINDS
from edgemem.write import prompts
from edgemem.write.extract import grammar

Figures = Iterator[tuple[str, float]]
INSTRUCTIONS = prompts.EXTRACT[False]
GRAMMAR = grammar(chinese=False)
TOKENS = 40
SAID = [
    "I moved to Lisbon last year with my sister, and I never eat peanuts.",
    "Please answer in short sentences; my eyes are tired these days.",
    "My brother Tom plays the cello in an orchestra in Leeds.",
    "I started to learn Dutch in May because of my new job.",
    "The landlord raised my rent, so I may move to Porto in autumn.",
    "I always take the night train, flying makes me ill.",
]
CLAUSES = [f"I {verb}." for verb in "swim run read cook work sing draw rest".split()]
_ITEM = {
    "type": "object",
    "properties": {
        "quote": {"type": "string", "minLength": 1, "maxLength": 160},
        "memory": {"type": "string", "minLength": 2, "maxLength": 140},
        "kind": {"enum": list(KINDS)},
    },
    "required": ["quote", "memory", "kind"],
}
SCHEMA = {"type": "array", "items": _ITEM, "minItems": 1, "maxItems": 6}


@dataclass(slots=True)
class Spent:
    """Seconds by the clock and of the processor, of several runs of the same thing."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def time(self, work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Call ``work`` and add what it took."""
        wall, cpu = time.perf_counter(), time.process_time()
        result = work(*arguments, **options)
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu)
        return result


def ratio(name: str, slow: Spent, fast: Spent, scale: float = 1.0) -> Figures:
    """How many times faster ``fast`` is."""
    yield name, scale * statistics.median(slow.wall) / statistics.median(fast.wall)
    yield f"{name}, processor time", scale * statistics.median(slow.cpu) / statistics.median(fast.cpu)


def asked(text: str) -> list[Message]:
    return [*INSTRUCTIONS, Message("user", f"Message:\n{text}")]


def instructions(path: Path, cache: Path) -> Figures:
    """First use ever, second use, and first use after a restart, of the extraction instructions."""
    cold, restarted = Spent(), Spent()
    model = LlamaLanguageModel(path, context_size=4096, cache=cache)
    model.generate([Message("user", "Hi")], max_tokens=1)
    first = cold.time(model.generate, asked(SAID[0]), max_tokens=1)
    second = model.generate(asked(SAID[1]), max_tokens=1)
    model.close()
    model = LlamaLanguageModel(path, context_size=4096, cache=cache)
    model.generate([Message("user", "Hi")], max_tokens=1)
    again = restarted.time(model.generate, asked(SAID[2]), max_tokens=1)
    model.close()
    for name, answer in (("first use", first), ("second use", second), ("first use after a restart", again)):
        yield f"prompt tokens evaluated, {name}", answer.prompt_tokens - answer.cached_tokens
    yield from ratio("instructions from disk : evaluated", cold, restarted)


def constrained(model: LlamaLanguageModel, turns: int) -> Figures:
    """The same number of tokens after the same warm prompt, free and inside the extraction grammar."""
    free, held, counts = Spent(), Spent(), []
    prompt = asked(SAID[0])
    model.generate(prompt, max_tokens=1)
    for _ in range(turns):
        inside = held.time(model.generate, prompt, max_tokens=TOKENS, grammar=GRAMMAR)
        count = len(inside.tokens)
        outside = free.time(model.generate, prompt, max_tokens=count)
        counts.append((count, len(outside.tokens)))
    scale = statistics.median(held_count / free_count for held_count, free_count in counts)
    yield "constrained tokens/s", statistics.median(c / s for (c, _), s in zip(counts, held.wall, strict=True))
    yield from ratio("constrained : free tokens/s (>= 0.9)", free, held, scale)


def plain_turn(plain: Any, prefix: Sequence[Message], text: str, tokens: int, schema: Any) -> Any:
    """One call of llama-cpp-python's own structured output."""
    talk = [{"role": m.role, "content": m.content} for m in (*prefix, Message("user", text))]
    form = {"type": "json_object", "schema": schema}
    return plain.create_chat_completion(talk, max_tokens=tokens, temperature=0, response_format=form)


def against_plain(model: LlamaLanguageModel, path: Path, turns: int) -> Figures:
    """Successive turns, ours and through ``create_chat_completion(response_format=…)``, with as many threads.

    "extraction only": nothing but extraction is asked, so both keep the instructions evaluated. "as a memory
    asks": two clauses are judged by the gate, then the turn is extracted; the plain class has one prompt cache.
    """
    from llama_cpp import Llama

    cores = usable_cores()
    plain = Llama(str(path), n_ctx=4096, n_threads=cores, n_threads_batch=cores, verbose=True)
    library()
    plain_turn(plain, INSTRUCTIONS, "Message:\nHello.", 1, SCHEMA)
    model.generate(asked("Hello."), max_tokens=1)
    theirs, ours, rates = Spent(), Spent(), []
    for text in SAID[1 : turns + 1]:
        answer = ours.time(model.generate, asked(text), max_tokens=TOKENS, grammar=GRAMMAR)
        count = len(answer.tokens)
        theirs.time(plain_turn, plain, INSTRUCTIONS, f"Message:\n{text}", count, SCHEMA)
        rates.append(count / ours.wall[-1])
    yield (
        "extraction only, ours : response_format (>= 3)",
        statistics.median(theirs.wall) / statistics.median(ours.wall),
    )
    yield (
        "extraction only, ours : response_format (>= 3), processor time",
        statistics.median(theirs.cpu) / statistics.median(ours.cpu),
    )
    yield from raw_speed(plain, rates)
    theirs, ours = Spent(), Spent()
    gate, letters = prompts.GATE[False], list(prompts.GATE_OPTIONS)
    model.choose(gate, CLAUSES[:1], letters)

    def memory_turn(text: str) -> None:
        model.choose(gate, [text, CLAUSES[0]], letters)
        model.generate(asked(text), max_tokens=TOKENS, grammar=GRAMMAR)

    def plain_memory_turn(text: str) -> None:
        for clause in (text, CLAUSES[0]):
            plain_turn(plain, gate, clause, 4, {"enum": letters})
        plain_turn(plain, INSTRUCTIONS, f"Message:\n{text}", TOKENS, SCHEMA)

    for text in SAID[-max(1, turns // 2) :]:
        ours.time(memory_turn, text)
        theirs.time(plain_memory_turn, text)
    plain.close()
    yield from ratio("as a memory asks, ours : response_format (>= 3)", theirs, ours)


def raw_speed(plain: Any, rates: Sequence[float]) -> Figures:
    """Tokens/s of llama.cpp alone: the same prompt, evaluate and take the best, nothing else."""
    tokens = plain.tokenize(b" ".join(m.content.encode() for m in INSTRUCTIONS))[:300]
    plain.reset()
    plain.eval(tokens)
    start = time.perf_counter()
    for token in tokens[:16]:
        plain.eval([token])
    raw = 16 / (time.perf_counter() - start)
    yield "raw llama.cpp tokens/s", raw
    yield "our whole extraction turns : raw llama.cpp tokens/s", statistics.median(rates) / raw


def choosing(model: LlamaLanguageModel) -> Figures:
    """Eight questions after instructions that were never seen, in one call and one by one (two of them, times four)."""
    options, system = list(prompts.GATE_OPTIONS), prompts.GATE[False][0].content

    def fresh(questions: Sequence[str]) -> None:
        model.choose([Message("system", f"Run {time.monotonic_ns()}. {system}")], questions, options)

    together, apart, warm = Spent(), Spent(), Spent()
    apart.time(fresh, CLAUSES[:1])
    together.time(fresh, CLAUSES)
    apart.time(fresh, CLAUSES[1:2])
    yield from ratio("8 questions together : one by one (>= 5)", apart, together, len(CLAUSES))
    model.choose(prompts.GATE[False], CLAUSES[:1], options)
    warm.time(model.choose, prompts.GATE[False], CLAUSES, options)
    yield "ms for each of 8 questions, instructions evaluated", warm.wall[0] / len(CLAUSES) * 1000


def aborting(model: LlamaLanguageModel) -> Figures:
    waits = []
    for delay in (0.3, 0.7, 1.1):
        asked_at: list[float] = []
        flag = threading.Event()

        def ask(flag: threading.Event = flag, asked_at: list[float] = asked_at) -> None:
            asked_at.append(time.perf_counter())
            flag.set()

        threading.Timer(delay, ask).start()
        list(model.stream([Message("user", "The harbour was quiet today. " * 250)], stop=flag.is_set))
        waits.append(time.perf_counter() - asked_at[0])
    yield "abort in prompt evaluation, s (<= 0.3)", statistics.median(waits)


def memory(model: LlamaLanguageModel) -> Figures:
    status = Path("/proc/self/status")
    if status.exists():
        pages = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        yield "MB above the model file, n_ctx 4096 (<= 400)", int(pages.split()[1]) / 1024 - model.info.size / 2**20
        yield "MB estimated above the model file", (model.info.ram_bytes(4096) - model.info.size) / 2**20


def embedding(path: Path, count: int) -> Figures:
    from llama_cpp import Llama

    embedder = LlamaEmbedder(path, prefixes=("query: ", "passage: "))
    plain = Llama(str(path), embedding=True, n_threads_batch=usable_cores(), verbose=True)
    library()
    texts = [f"Person {number} likes the colour {number % 7}." for number in range(count)]
    together, apart, theirs = Spent(), Spent(), Spent()
    embedder.embed(texts[:8], "passage")
    for _ in range(3):
        together.time(embedder.embed, texts, "passage")
        apart.time(lambda: [embedder.embed([text], "passage") for text in texts])
        theirs.time(lambda: [plain.embed(f"passage: {text}", normalize=True) for text in texts])
    yield from ratio(f"{count} embeddings together : one call each (>= 2)", apart, together)
    yield from ratio(f"{count} embeddings together : Llama.embed each", theirs, together)
    yield "embeddings/s", count / statistics.median(together.wall)
    embedder.close()
    plain.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="use the tiny model and fewer texts")
    parser.add_argument("--turns", type=int, default=4, help="turns of each comparison (default 4, at most 5)")
    options = parser.parse_args()
    turns = max(1, min(options.turns, 5))
    path = path_of("smollm2-135m" if options.quick else "qwen2.5-coder-1.5b")
    figures: dict[str, float] = {}

    def take(found: Figures) -> None:
        for name, value in found:
            figures[name] = round(value, 3)
            sys.stderr.write(f"{value:10.3f}  {name}\n")
            sys.stderr.flush()

    with tempfile.TemporaryDirectory() as cache:
        take(instructions(path, Path(cache)))
        model = LlamaLanguageModel(path, context_size=4096, cache=Path(cache))
        take(constrained(model, turns))
        take(memory(model))
        take(against_plain(model, path, turns))
        take(choosing(model))
        take(aborting(model))
        model.close()
    take(embedding(path_of("multilingual-e5-small"), 200 if options.quick else 1000))
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
