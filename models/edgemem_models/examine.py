"""Is a model any good? Its file first, then a load and a few questions whose answers are known."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from edgemem import gbnf
from edgemem.errors import ModelFileInvalid, OutputInvalid
from edgemem_models.catalog import Build, CatalogModel, by_file
from edgemem_models.gguf_file import ModelInfo, read_header
from edgemem_models.registry import ChosenModel
from edgemem_models.space import human
from edgemem_models.verified import Verified, sha256_of

if TYPE_CHECKING:
    from edgemem.ports import Embedder, LanguageModel

_WINDOW: Final = 2048
_SMALL: Final = 1_200_000_000
"""Parameters; models of 0.5 B and less failed at extraction when measured, 1.5 B did it."""

_CITY: Final = gbnf.grammar(gbnf.obj([("city", gbnf.string(20, 1))]))
_TEMPLATES: Final = {"own": "its own", "chatml": "none that can be read; ChatML is used, which it may not know"}
_SAID: Final = "I moved to Lyon last spring and started to learn the cello."


@dataclass(slots=True)
class Report:
    """What a check found out. ``problem`` is empty if all is well; ``facts`` are lines for people, in order."""

    name: str
    path: Path
    role: str = ""
    quant: str = ""
    size: int = 0
    sha256: str = ""
    origin: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    good_for: str = ""
    problem: str = ""
    hint: str = ""


def examine(
    report: Report, model: ChosenModel, home: Path, *, load: bool, at: Callable[[int], None] | None = None
) -> None:
    """Look at a model's file and, with ``load``, try it out; fills the report as it goes.

    ``at`` gets the bytes that were hashed. Raises ``ModelFileInvalid`` or another ``ModelError``.
    """
    info = read_header(model.path)
    report.role, report.quant, report.size = info.role, info.quant, info.size
    report.facts["window"] = f"trained for {info.context_length:,} tokens"
    known = by_file(model.path.name)
    _check_bytes(report, model.path, known, home, at)
    report.good_for = _good_for(info, known)
    if load and info.role == "other":
        raise ModelFileInvalid(f"{model.path.name} is not a text model ({info.architecture}).")
    if load:
        _try_out(report, model, info)


def _check_bytes(
    report: Report, path: Path, known: CatalogModel | None, home: Path, at: Callable[[int], None] | None
) -> None:
    """Size and SHA-256 against the catalogue; where it pins nothing, against what was recorded at the pull."""
    build = next((build for build in known.builds if build.file == path.name), None) if known else None
    size = report.size
    if build and build.size not in (None, size):
        raise ModelFileInvalid(f"{path.name} has {size} bytes instead of {build.size}.", _repair(known))
    before = Verified(home).known(path)
    # The record is not asked here: a check reads every byte.
    report.sha256 = sha256_of(path, at)
    if build and build.sha256 not in (None, report.sha256):
        Verified(home).forget(path)
        raise ModelFileInvalid(f"{path.name} is not the file of the catalogue (other SHA-256).", _repair(known))
    if before not in (None, report.sha256):
        raise ModelFileInvalid(f"{path.name} changed since it was fetched (other SHA-256).", _repair(known))
    report.origin = _origin(build, before)
    Verified(home).remember(path, report.sha256)


def _origin(build: Build | None, before: str | None) -> str:
    if build and build.sha256:
        return "the file of the catalogue"
    return "the same as when it was fetched" if before else "not in the catalogue, nothing to compare with"


def _repair(known: CatalogModel | None) -> str:
    return f"Fetch it again with: edgemem models pull {known.name}" if known else ""


def _good_for(info: ModelInfo, known: CatalogModel | None) -> str:
    """From the catalogue, else by the number of parameters."""
    if known:
        return known.good_for
    if info.role == "embedding":
        return "recall"
    if info.parameters < _SMALL:
        return "chat at most; extraction: too small, expect junk"
    return "chat and extraction"


def _try_out(report: Report, model: ChosenModel, info: ModelInfo) -> None:
    before, started = _resident(), time.perf_counter()
    if info.role == "chat":
        from edgemem_models.language import LlamaLanguageModel

        language = LlamaLanguageModel(model.path, name=model.name, context_size=_WINDOW, kv_type=model.kv_type)
        try:
            report.facts["load"] = f"{time.perf_counter() - started:.1f} s"
            report.facts["template"] = _TEMPLATES[language.template_name]
            _ask(report, language)
        finally:
            report.facts["memory"] = _memory(before, info)
            language.close()
    else:
        from edgemem_models.embedder import LlamaEmbedder

        embedder = LlamaEmbedder(model.path, prefixes=model.prefixes, calibration=model.calibration)
        try:
            report.facts["load"] = f"{time.perf_counter() - started:.1f} s"
            _embed(report, embedder)
        finally:
            report.facts["memory"] = _memory(before, info)
            embedder.close()


def _ask(report: Report, model: LanguageModel) -> None:
    """Free writing for the speed, a grammar, a choice. Wrong answers are told, only broken ones fail the check."""
    from edgemem.ports import Message

    prompt = [Message("user", "Tell me in a few sentences what a cello is.")]
    model.generate(prompt, max_tokens=1)  # makes the context, which is not what is timed
    started = time.perf_counter()
    read = model.generate([Message("user", f"{_SAID} " * 8)], max_tokens=1)
    report.facts["reads"] = f"{read.prompt_tokens / (time.perf_counter() - started):.1f} tokens/s"
    model.generate(prompt, max_tokens=1)
    started = time.perf_counter()
    told = model.generate(prompt, max_tokens=48)
    seconds = time.perf_counter() - started
    if not (told.text + told.thinking).strip():
        raise OutputInvalid(f"{report.name} loads but writes nothing.", "It may not be made for this llama.cpp.")
    report.facts["writes"] = f"{model.count_tokens(told.text + told.thinking) / seconds:.1f} tokens/s"
    if told.thinking:
        report.facts["thinks"] = "aloud, though it was asked not to: slow, and left out of answers"
    question = f'Which city does the speaker live in now? "{_SAID}" Answer as JSON: {{"city": "..."}}'
    city = model.generate([Message("user", question)], max_tokens=32, grammar=_CITY).text
    if not city.startswith('{"city": "'):
        raise OutputInvalid(f"{report.name} does not keep to a grammar: {city!r}")
    report.facts["grammar"] = f"{city} ({'right' if 'Lyon' in city else 'should be Lyon'})"
    chances = model.choose(
        [Message("system", "Answer with one letter. A: the text names a city. B: it does not.")], [_SAID], ["A", "B"]
    )[0]
    if abs(sum(chances.values()) - 1) > 1e-3:
        raise OutputInvalid(f"{report.name} gives probabilities that do not sum to 1: {chances}")
    report.facts["choice"] = f"A {chances['A']:.2f} ({'right' if chances['A'] > chances['B'] else 'should be A'})"


def _embed(report: Report, embedder: Embedder) -> None:
    """A question must lie nearer to its answer, in English and in Chinese, than to something else."""
    passages = ["My sister lives in Lisbon.", "我妹妹住在里斯本。", "The printer on the third floor is out of toner."]
    started = time.perf_counter()
    question = embedder.embed(["Where does my sister live?"], "query")[0]
    vectors = embedder.embed(passages, "passage")
    seconds = time.perf_counter() - started
    english, chinese, other = (sum(a * b for a, b in zip(question, vector, strict=True)) for vector in vectors)
    report.facts["vectors"] = f"{embedder.dim} dimensions, {1000 * seconds / 4:.0f} ms a sentence"
    verdict = "right" if other < min(english, chinese) else "the unrelated one should be lowest"
    report.facts["nearness"] = f"English {english:.2f}, Chinese {chinese:.2f}, unrelated {other:.2f} ({verdict})"


def _memory(before: int | None, info: ModelInfo) -> str:
    after = _resident()
    if before is None or after is None:
        return f"about {human(info.ram_bytes(_WINDOW))} (estimate)"
    window = f" with a window of {_WINDOW:,} tokens" if info.role == "chat" else ""
    return f"{human(max(0, after - before))}{window}, estimated {human(info.ram_bytes(_WINDOW))}"


def _resident() -> int | None:
    """Bytes of this process in memory; None where the system does not say so in a file."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
