"""A text embedding model on llama.cpp."""

from __future__ import annotations

import hashlib
import os
import threading
import unicodedata
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from edgemem.errors import InvalidInput, ModelError, OutputInvalid
from edgemem.ports import Priority
from edgemem_models import log, machine
from edgemem_models.calibration import Points, calibration_points, interpolate
from edgemem_models.centres import Centres
from edgemem_models.context import Batch
from edgemem_models.gguf_file import ModelInfo
from edgemem_models.lane import AbortFlag, Gate, Job, Lane, check_priority, close_all
from edgemem_models.loading import LoadedModel, Progress, load, no_context
from edgemem_models.vocabulary import Tokens
from edgemem_models.windows import cut_at_sentences

Vector = npt.NDArray[np.float32]
Kind = Literal["query", "passage"]

WINDOW: Final = 512
"""Tokens evaluated together; longer texts are cut into windows and their vectors averaged."""

PACK: Final = 128
"""Tokens of short texts evaluated together; in larger packs attention between strangers costs more than it saves."""

_SEQUENCES: Final = 64
_NONE: Final = 0
_MEAN: Final = 1
_ABORTED: Final = 2
_MIB: Final = 1 << 20
_RECIPE: Final = b"nfkc, windows of 512 averaged by tokens, 1"


@dataclass(frozen=True, slots=True)
class _Window:
    """A piece of one text: the number of the text, and the tokens of the piece."""

    text: int
    tokens: Tokens


class LlamaEmbedder:
    """A local embedding model. Safe to call from several threads.

    ``prefixes`` go before a query and before a passage, as the model was trained. ``calibration``
    are points (cosine, similarity); without them they are measured on first use.

    Raises on creation what ``loading.load`` raises.
    """

    def __init__(
        self,
        path: Path,
        *,
        prefixes: tuple[str, str] = ("", ""),
        calibration: Points | None = None,
        centres: Centres | None = None,
        gate: Gate | None = None,
        on_load: Progress | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self._model = load(Path(path), "embedding", n_ctx=WINDOW, on_progress=on_load, stop=stop)
        self._prefixes = {"query": prefixes[0], "passage": prefixes[1]}
        self._window = min(WINDOW, self._model.info.context_length or WINDOW)
        self._centres = centres
        self._fingerprint = fingerprint(self._model.info, prefixes) + ("" if centres is None else centres.fingerprint)
        self._points = tuple(calibration) if calibration else None
        self._measuring = threading.Lock()
        self._holder = _Holder(self._model, self._window)
        self._words = _Holder(self._model, self._window, by_token=True)
        self._lane = Lane(gate or Gate(), "embedding", partial(_free_all, self._holder, self._words))
        self._finalizer = weakref.finalize(self, _shut, self._lane, self._model)

    @property
    def fingerprint(self) -> str:
        """Stable id of weights, pooling and prefixes; vectors of different fingerprints never mix."""
        return self._fingerprint

    @property
    def dim(self) -> int:
        """Number of components of a vector."""
        return self._model.info.embedding_length

    @property
    def info(self) -> ModelInfo:
        """What the model's file says about itself."""
        return self._model.info

    def embed(self, texts: Sequence[str], kind: Kind, *, priority: Priority = "background") -> list[list[float]]:
        """Unit-length vectors, one of ``dim`` floats for each text, whatever its length.

        Raises ``OutputInvalid`` if the model returns NaN or a zero vector.
        """
        self._model.check_usable()
        if kind not in self._prefixes:
            raise InvalidInput(f"kind must be query or passage, not {kind!r}.")
        check_priority(priority)
        windows = [window for number, text in enumerate(texts) for window in self._windows(number, text, kind)]
        jobs = [(pack, self._submit(pack, priority)) for pack in self._packs(windows)]
        sums = np.zeros((len(texts), self.dim), np.float64)
        try:
            for pack, job in jobs:
                for window, vector in zip(pack, job.result(), strict=True):
                    sums[window.text] += np.asarray(vector, np.float64) * len(window.tokens)
        except BaseException:
            for _, job in jobs:
                job.cancel()
            raise
        units = _unit(sums)
        if self._centres is not None and len(units):
            units = self._centres.apply(units, texts, kind)
        vectors: list[list[float]] = units.astype(np.float32).tolist()
        return vectors

    def embed_tokens(self, texts: Sequence[str], *, priority: Priority = "background") -> list[npt.NDArray[np.float32]]:
        """For each text one row for each of its tokens, as the model sees them in the sentence; not centred, any length.

        The prefix of a query and the marks of begin and end are left out. What does not fit the window is left out too.
        """
        self._model.check_usable()
        head = len(self._model.vocabulary.tokenize(self._prefixes["query"].rstrip(), add_special=True)) - 1
        cut = [next(self._windows(number, text, "query")) for number, text in enumerate(texts)]
        jobs = [(pack, self._submit(pack, priority, self._words)) for pack in self._packs(cut)]
        found: dict[int, npt.NDArray[np.float32]] = {}
        for pack, job in jobs:
            for window, rows in zip(pack, job.result(), strict=True):
                found[window.text] = rows[head:-1] if len(rows) > head + 1 else rows
        return [found[number] for number in range(len(texts))]

    def calibrate(self, cosine: float) -> float:
        """Map a cosine of this model to a similarity 0..1 that means the same for every model:

        0 unrelated, 0.5 same topic, 0.75 closely related, 0.92 and above the same statement.
        """
        if self._points is None:
            with self._measuring:
                self._points = self._points or calibration_points(self)
        return interpolate(self._points, cosine)

    def close(self) -> None:
        """Free the model. Idempotent."""
        self._finalizer()

    def _submit(self, pack: list[_Window], priority: Priority, holder: _Holder | None = None) -> Job[list[Vector]]:
        tokens = [window.tokens for window in pack]
        holder, lane = holder or self._holder, self._lane
        return lane.submit(lambda job: holder.evaluate(tokens, lane.flag, job.checkpoint), priority)

    def _windows(self, number: int, text: str, kind: Kind) -> Iterator[_Window]:
        """The text as token windows, each with the prefix."""
        prefix, vocabulary = self._prefixes[kind], self._model.vocabulary
        clean = unicodedata.normalize("NFKC", text)

        def tokenize(piece: str) -> Tokens:
            return vocabulary.tokenize(prefix + piece, add_special=True)

        for piece in cut_at_sentences(clean, lambda piece: len(tokenize(piece)) <= self._window):
            yield _Window(number, tokenize(piece) or vocabulary.tokenize("."))

    def _packs(self, windows: Sequence[_Window]) -> Iterator[list[_Window]]:
        """Windows that are evaluated together, similar lengths side by side."""
        pack: list[_Window] = []
        size, most = 0, min(PACK, self._window)
        for window in sorted(windows, key=lambda window: len(window.tokens)):
            if pack and (size + len(window.tokens) > most or len(pack) == _SEQUENCES):
                yield pack
                pack, size = [], 0
            pack.append(window)
            size += len(window.tokens)
        if pack:
            yield pack


class _Holder:
    """A llama.cpp context of an embedder, for whole texts or token by token; used by the lane's thread only."""

    def __init__(self, model: LoadedModel, window: int, *, by_token: bool = False) -> None:
        self._model = model
        self._by_token = by_token
        self._lib = model.lib
        self._window = window
        self._pointer: Any = None
        self._batch = Batch(self._lib, window)

    def evaluate(self, texts: Sequence[Tokens], flag: AbortFlag, checkpoint: Callable[[], None]) -> list[Vector]:
        """One vector (or one row a token) for each of ``texts``, which fit one batch together."""
        if self._pointer is None:
            self._pointer = self._create(flag)
        entries = [(token, at, seq, True) for seq, tokens in enumerate(texts) for at, token in enumerate(tokens)]
        while True:
            checkpoint()
            memory = self._lib.llama_get_memory(self._pointer)
            if memory:
                self._lib.llama_memory_clear(memory, False)
            code = int(self._lib.llama_decode(self._pointer, self._batch.fill(entries)))
            if code == 0:
                return self._by_tokens(texts) if self._by_token else [self._vector(n) for n in range(len(texts))]
            if code != _ABORTED:
                raise ModelError(f"llama.cpp failed to embed (code {code}).", "Try another embedding model.")

    def free(self) -> None:
        """Free the context. Idempotent."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            self._lib.llama_free(pointer)

    def _create(self, flag: AbortFlag) -> Any:
        params = self._lib.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = self._window
        params.n_seq_max = min(_SEQUENCES, self._window)  # llama.cpp ends the process if a batch holds fewer tokens
        params.n_threads = params.n_threads_batch = machine.usable_cores()
        params.embeddings = True
        params.kv_unified = True
        params.no_perf = True
        if self._by_token or self._model.info.pooling is None:
            params.pooling_type = _NONE if self._by_token else _MEAN
        params.abort_callback = self._lib.ggml_abort_callback(flag.function)
        params.abort_callback_data = flag.data
        with log.captured() as lines:
            pointer = self._lib.llama_init_from_model(self._model.pointer, params)
        if pointer is None:
            raise no_context(self._model.info, lines)
        return pointer

    def _by_tokens(self, texts: Sequence[Tokens]) -> list[Vector]:
        found = [self._lib.llama_get_embeddings_ith(self._pointer, at) for at in range(sum(map(len, texts)))]
        width = (self._model.info.embedding_length,)
        rows = np.array([np.ctypeslib.as_array(pointer, shape=width) for pointer in found], np.float32)
        return np.split(rows, np.cumsum([len(tokens) for tokens in texts])[:-1])

    def _vector(self, seq: int) -> Vector:
        found = self._lib.llama_get_embeddings_seq(self._pointer, seq)
        if not found:
            raise OutputInvalid(
                f"{self._model.info.path.name} returned no vector.", "Choose another: edgemem models use embedding"
            )
        vector = np.ctypeslib.as_array(found, shape=(self._model.info.embedding_length,)).copy()
        return np.asarray(_unit(vector[None])[0], np.float32)


def _unit(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rows at length 1. Raises ``OutputInvalid`` for a row that has no direction."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths < 1e-9).any():
        raise OutputInvalid("The embedding model returned a vector without direction (NaN or zero).", "Check its file.")
    return np.asarray(rows / lengths)


def fingerprint(info: ModelInfo, prefixes: tuple[str, str]) -> str:
    """Stable id of an embedding model: size, first and last MiB of the file, pooling, prefixes and our own steps."""
    digest = hashlib.sha256(_RECIPE)
    with info.path.open("rb") as file:
        digest.update(file.read(_MIB))
        file.seek(max(0, info.size - _MIB))
        digest.update(file.read(_MIB))
    digest.update(repr((info.size, info.pooling, info.embedding_length, prefixes)).encode("utf-8", "replace"))
    return digest.hexdigest()[:32]


def _free_all(*holders: _Holder) -> None:
    for holder in holders:
        holder.free()


def _shut(lane: Lane, model: LoadedModel) -> None:
    """End the thread, then free the weights; in a forked child they belong to the parent."""
    if os.getpid() == model.pid:
        close_all([lane], model.close)
