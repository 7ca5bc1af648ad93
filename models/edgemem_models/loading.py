"""Loading a model file: checked before, with progress and cancel, errors in plain words."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from edgemem.errors import Aborted, ModelError, ModelFileInvalid, ModelTooNew, NotEnoughMemory, WrongModelRole
from edgemem_models import log, machine
from edgemem_models.gguf_file import ModelInfo, Role, read_header
from edgemem_models.vocabulary import Vocabulary

Progress = Callable[[float], None]
"""Gets the share loaded so far, 0..1."""

SMALLEST_WINDOW: Final = 2048
_MODELS_HINT: Final = "Choose another model with: edgemem models use"

_CAUSES: Final[tuple[tuple[tuple[str, ...], type[ModelError], str, str], ...]] = (
    (
        ("unknown model architecture", "unknown pre-tokenizer", "unsupported version", "invalid ggml type"),
        ModelTooNew,
        "{name} needs a newer llama.cpp than the one installed",
        "Upgrade llama-cpp-python, or choose another model with: edgemem models use",
    ),
    (
        ("not within the file bounds", "corrupted", "failed to read", "invalid magic", "missing tensor", "tensor '"),
        ModelFileInvalid,
        "{name} is cut off or damaged",
        "Fetch it again where it came from; for a model of the catalogue: edgemem models pull",
    ),
    (
        ("failed to allocate", "unable to allocate", "out of memory", "cannot allocate", "bad_alloc", "failed to mmap"),
        NotEnoughMemory,
        "{name} does not fit into the free memory",
        "Close other programs, or choose a smaller model with: edgemem models use",
    ),
)


class LoadedModel:
    """A model in memory: its weights, shared by all contexts, and its vocabulary."""

    def __init__(self, info: ModelInfo, pointer: Any) -> None:
        self.info = info
        self.lib = log.library()
        self.pointer = pointer
        self.pid = os.getpid()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The model's tokens."""
        return Vocabulary(self.lib.llama_model_get_vocab(self.pointer))

    @property
    def rewinds(self) -> bool:
        """Whether the tail of a sequence can be taken back; recurrent and hybrid models cannot."""
        return not (self.lib.llama_model_is_recurrent(self.pointer) or self.lib.llama_model_is_hybrid(self.pointer))

    def check_usable(self) -> None:
        """Raise ``ModelError`` after ``close``, and in a forked child, where the model's threads do not exist."""
        if self.pointer is None:
            raise ModelError("The model is closed.", "Open it again before using it.")
        if os.getpid() != self.pid:
            raise ModelError(
                "The model was loaded before this process was forked and cannot be used here.",
                "Load models after the fork, or start the child with the spawn method.",
            )

    def close(self) -> None:
        """Free the weights. Contexts must be gone before."""
        pointer, self.pointer = self.pointer, None
        if pointer is not None and os.getpid() == self.pid:
            self.lib.llama_model_free(pointer)


def load(
    path: Path, role: Role, *, n_ctx: int, on_progress: Progress | None = None, stop: Callable[[], bool] | None = None
) -> LoadedModel:
    """Load ``path`` for ``role``; ``n_ctx`` is the window the memory check reckons with.

    Raises ``ModelFileInvalid``, ``ModelTooNew``, ``WrongModelRole``, ``NotEnoughMemory``, ``Aborted`` once ``stop``
    returns true, or what ``on_progress`` and ``stop`` raise.
    """
    info = read_header(path)
    _check_role(info, role)
    _check_memory(info, min(n_ctx, SMALLEST_WINDOW))
    return LoadedModel(info, _load_pointer(info, on_progress, stop))


def check_known(path: Path) -> None:
    """Raise ``ModelTooNew`` for a model that this llama.cpp does not know; only the vocabulary is read."""
    info, lib = read_header(path), log.library()
    params = lib.llama_model_default_params()
    params.vocab_only = True
    with log.captured() as lines:
        pointer = lib.llama_model_load_from_file(os.fsencode(info.path), params)
    if pointer is not None:
        lib.llama_model_free(pointer)
        return
    error = explain(info, lines)
    if isinstance(error, ModelTooNew):
        raise error


def _check_role(info: ModelInfo, role: Role) -> None:
    if info.role == role:
        return
    kinds = {"chat": "a chat model", "embedding": "an embedding model", "other": f"a {info.architecture} helper file"}
    wanted = {"chat": "chat", "embedding": "embed", "other": "that"}[role]
    message = f"{info.path.name} is {kinds[info.role]} and cannot {'do ' if wanted == 'that' else ''}{wanted}."
    raise WrongModelRole(message, _MODELS_HINT)


def _check_memory(info: ModelInfo, n_ctx: int) -> None:
    free, needed = machine.available_memory(), info.ram_bytes(n_ctx)
    if needed > free:
        raise NotEnoughMemory(
            f"{info.path.name} needs about {needed / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free.",
            "Close other programs, or choose a smaller model with: edgemem models use",
        )


def _load_pointer(info: ModelInfo, on_progress: Progress | None, stop: Callable[[], bool] | None) -> Any:
    lib = log.library()
    stopped = False

    def report(share: float) -> bool:
        nonlocal stopped
        if on_progress is not None:
            on_progress(share)
        stopped = stop is not None and stop()
        return not stopped

    params = lib.llama_model_default_params()
    # Read, not mapped: llama.cpp repacks the weights for the processor and a mapped file would stay beside them,
    # doubling the memory; and a mapped file that somebody replaces while it is in use kills the process.
    params.load_mode = lib.LLAMA_LOAD_MODE_NONE
    callback = params.progress_callback = log.progress_callback(report)
    with log.captured() as lines:
        pointer = lib.llama_model_load_from_file(os.fsencode(info.path), params)
        raised = log.held()
    del callback
    if raised is not None:
        if pointer is not None:
            lib.llama_model_free(pointer)
        raise raised
    if pointer is None and stopped:
        raise Aborted(f"Loading {info.path.name} was stopped.")
    if pointer is None:
        raise explain(info, lines)
    return pointer


def explain(info: ModelInfo, lines: list[str]) -> ModelError:
    """The error that the captured log lines describe, as one plain sentence with a hint."""
    joined = "\n".join(lines).lower()
    for signs, kind, message, hint in _CAUSES:
        if any(sign in joined for sign in signs):
            detail = next((line for line in lines if any(sign in line.lower() for sign in signs)), "")
            return kind(f"{message.format(name=info.path.name)} ({_short(detail)}).", hint)
    detail = f" ({_short(lines[-1])})" if lines else ""
    return ModelError(f"llama.cpp could not load {info.path.name}{detail}.", _MODELS_HINT)


def no_context(info: ModelInfo, lines: list[str]) -> ModelError:
    """The error for a context that could not be made: for want of memory unless llama.cpp says something else."""
    detail = f" ({_short(lines[-1])})" if lines else ""
    if not lines or explains_memory(lines):
        return NotEnoughMemory(
            f"There is no memory for a context of {info.path.name}{detail}.",
            "Close other programs, or choose a smaller model with: edgemem models use",
        )
    return ModelError(f"llama.cpp could not make a context for {info.path.name}{detail}.", _MODELS_HINT)


def explains_memory(lines: list[str]) -> bool:
    """Whether log lines say that memory was missing."""
    signs = next(signs for signs, kind, _, _ in _CAUSES if kind is NotEnoughMemory)
    return any(sign in line.lower() for line in lines for sign in signs)


def _short(line: str) -> str:
    """A log line without the function name in front."""
    head, found, rest = line.partition(": ")
    text = rest if found and " " not in head else line
    return text.removeprefix("error loading model: ").rstrip(". ")[:160]
