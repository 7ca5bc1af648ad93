"""A llama.cpp context with several remembered prompts. Used by the one thread that owns it.

The cells of the context are one pool shared by all sequences. The first ``slots`` sequences
each remember a prompt, so that constant instructions of different steps stay evaluated side
by side; the others are short-lived branches that share the tokens of a slot.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from edgemem.errors import ContextTooSmall, ModelError
from edgemem_models import log, machine
from edgemem_models.gguf_file import KvType
from edgemem_models.lane import AbortFlag
from edgemem_models.loading import LoadedModel, no_context
from edgemem_models.prefix_store import PrefixStore
from edgemem_models.tap import States, Tap
from edgemem_models.vocabulary import Tokens

Logits = npt.NDArray[np.float32]
Entry = tuple[int, int, int, bool]
"""Token, position, sequence, and whether its logits are wanted."""

BATCH: Final = 256
BRANCHES: Final = 32
SMALLEST_CONTEXT: Final = 256
_WORTH_KEEPING: Final = 64
"""Tokens below which evaluating again is cheaper than a file."""

_ABORTED: Final = 2
_NO_ROOM: Final = 1


@dataclass(slots=True)
class Slot:
    """One remembered prompt: the tokens whose keys and values lie in sequence ``seq``."""

    seq: int
    tokens: Tokens = field(default_factory=list)
    used: int = 0


class Context:
    """Evaluates tokens. ``checkpoint`` is called before each computation and may wait or raise ``Aborted``.

    With a ``layer`` it is good for ``branch_states`` alone: nothing above that layer is computed.
    """

    def __init__(
        self,
        model: LoadedModel,
        flag: AbortFlag,
        n_ctx: int,
        slots: int,
        *,
        kv_type: KvType = "f16",
        store: PrefixStore | None = None,
        layer: int | None = None,
    ) -> None:
        self.model = model
        self.lib = model.lib
        self.flag = flag
        self._kv_type = kv_type
        self._store = store if model.rewinds else None
        self.branches = BRANCHES if model.rewinds else 0
        self.n_vocab = model.vocabulary.size
        self.tap = None if layer is None else Tap(self.lib, layer, model.info.embedding_length)
        self.pointer = self._create(n_ctx, slots if model.rewinds else 1)
        self.n_ctx = int(self.lib.llama_n_ctx(self.pointer))
        self.memory = self.lib.llama_get_memory(self.pointer)
        self.slots = [Slot(seq) for seq in range(slots if model.rewinds else 1)]
        self.batch = Batch(self.lib, BATCH)
        self._clock = 0

    def _create(self, n_ctx: int, slots: int) -> Any:
        """Create the context, with a smaller window if the wanted one cannot be had."""
        params = self.lib.llama_context_default_params()
        params.n_batch = params.n_ubatch = BATCH
        params.n_seq_max = slots + self.branches
        params.n_outputs_max = params.n_seq_max  # llama.cpp insists on one for each sequence
        params.n_threads = params.n_threads_batch = machine.usable_cores()
        params.kv_unified = True
        params.no_perf = True
        params.type_k = params.type_v = getattr(self.lib, f"GGML_TYPE_{self._kv_type.upper()}")
        if self._kv_type != "f16":
            params.flash_attn_type = self.lib.LLAMA_FLASH_ATTN_TYPE_ENABLED  # nothing else reads packed values
        params.abort_callback = self.lib.ggml_abort_callback(self.flag.function)
        params.abort_callback_data = self.flag.data
        if self.tap is not None:
            params.cb_eval = self.tap.function
        with log.captured() as lines:
            while n_ctx >= SMALLEST_CONTEXT:
                params.n_ctx = n_ctx
                pointer = self.lib.llama_init_from_model(self.model.pointer, params)
                if pointer is not None:
                    return pointer
                n_ctx //= 2
        raise no_context(self.model.info, lines)

    def close(self) -> None:
        """Free the context. Idempotent."""
        pointer, self.pointer = self.pointer, None
        if pointer is not None:
            self.lib.llama_free(pointer)

    def prefill(
        self,
        tokens: Tokens,
        checkpoint: Callable[[], None],
        on_progress: Callable[[int, int], None] | None = None,
        *,
        constant: int = 0,
    ) -> tuple[Slot, int]:
        """Evaluate ``tokens`` into a slot, reusing the longest prefix that any slot, or the store on disk, remembers.

        The first ``constant`` tokens, which are no user's words, may be kept on disk.
        Returns the slot, whose last token's logits can be read, and the number of reused tokens.
        """
        slot, reused = self._claim(tokens)
        if reused < constant:
            reused = self._restore(slot, tokens[:constant], reused)
        self._make_room(len(tokens) - reused + 1, keep=slot)
        total = len(tokens)
        for start in range(reused, total, BATCH):
            part = tokens[start : start + BATCH]
            last = start + len(part) == total
            entries = [(token, start + i, slot.seq, last and start + i == total - 1) for i, token in enumerate(part)]
            if on_progress is not None:
                on_progress(start, total)
            self.decode(entries, checkpoint)
            slot.tokens += part
        self._keep(slot, constant)
        if on_progress is not None:
            on_progress(total, total)
        return slot, reused

    def _restore(self, slot: Slot, tokens: Tokens, reused: int) -> int:
        """Read ``tokens`` from the store into ``slot``, which holds ``reused`` of them; returns how many it then holds."""
        state = self._store.load(tokens) if self._store is not None and len(tokens) >= _WORTH_KEEPING else None
        if self._store is None or state is None:
            return reused
        self._forget(slot)
        self._make_room(len(tokens) + 1, keep=slot)
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        taken = int(self.lib.llama_state_seq_set_data(self.pointer, buffer, len(state), slot.seq))
        if taken == len(state) and self.lib.llama_memory_seq_pos_max(self.memory, slot.seq) == len(tokens) - 1:
            slot.tokens = list(tokens)
        else:
            self._store.drop(tokens)
            self._forget(slot)
        return len(slot.tokens)

    def _keep(self, slot: Slot, constant: int) -> None:
        """Put the first ``constant`` tokens of ``slot`` into the store, unless they are there."""
        tokens = slot.tokens[:constant]
        if self._store is None or constant < _WORTH_KEEPING or self._store.holds(tokens):
            return
        branch = len(self.slots)  # the sequence that ends with the constant tokens, for a moment
        self.lib.llama_memory_seq_cp(self.memory, slot.seq, branch, 0, constant)
        size = int(self.lib.llama_state_seq_get_size(self.pointer, branch))
        buffer = (ctypes.c_uint8 * size)()
        written = int(self.lib.llama_state_seq_get_data(self.pointer, buffer, size, branch))
        self._remove(branch, -1)
        if written == size > 0:
            self._store.save(tokens, bytes(buffer))

    def append(self, slot: Slot, token: int, checkpoint: Callable[[], None]) -> None:
        """Evaluate one more token of ``slot``."""
        self._make_room(1, keep=slot)
        self.decode([(token, len(slot.tokens), slot.seq, True)], checkpoint)
        slot.tokens.append(token)

    def logits(self, index: int = -1) -> Logits:
        """Logits of the token at ``index`` of the last computation; valid until the next one."""
        pointer = self.lib.llama_get_logits_ith(self.pointer, index)
        return np.ctypeslib.as_array(pointer, shape=(self.n_vocab,))

    def branch_logits(
        self, tokens: Tokens, suffixes: Sequence[Tokens], checkpoint: Callable[[], None], *, constant: int = 0
    ) -> Iterator[Logits]:
        """Logits after ``tokens`` + each of ``suffixes`` (none empty), in order; the shared tokens are evaluated once.

        Each array is valid only until the next is asked for. ``constant`` as for ``prefill``.
        """
        yield from self._branch(tokens, suffixes, checkpoint, constant, self.logits)

    def branch_states(
        self, tokens: Tokens, suffixes: Sequence[Tokens], checkpoint: Callable[[], None], *, constant: int = 0
    ) -> Iterator[States]:
        """As ``branch_logits``, but what the model holds of each last token in the layer of this context."""
        assert self.tap is not None
        yield from self._branch(tokens, suffixes, checkpoint, constant, self.tap.state)

    def _branch(
        self,
        tokens: Tokens,
        suffixes: Sequence[Tokens],
        checkpoint: Callable[[], None],
        constant: int,
        read: Callable[[int], Logits],
    ) -> Iterator[Logits]:
        """``read`` gives the numbers of a token by its place in the last computation."""
        if not self.branches:
            for suffix in suffixes:
                self.prefill(tokens + suffix, checkpoint)
                yield read(-1)
            return
        slot, _ = self._claim(tokens, whole=True)
        if len(slot.tokens) < len(tokens):
            slot, _ = self.prefill(tokens, checkpoint, constant=constant)
        for group in self._groups(slot, suffixes):
            yield from self._evaluate_group(slot, group, checkpoint, read)

    def _groups(self, slot: Slot, suffixes: Sequence[Tokens]) -> Iterator[list[Tokens]]:
        """Cut ``suffixes`` into groups whose tokens fit beside the slot, making room for the largest."""
        longest = max(map(len, suffixes))
        handy = min(sum(map(len, suffixes)), BATCH, self.n_ctx - len(slot.tokens))
        self._make_room(max(longest, handy), keep=slot)
        room = self.n_ctx - self._used()
        group: list[Tokens] = []
        for suffix in suffixes:
            if group and (len(group) == self.branches or sum(map(len, group)) + len(suffix) > room):
                yield group
                group = []
            group.append(suffix)
        yield group

    def _evaluate_group(
        self, slot: Slot, group: list[Tokens], checkpoint: Callable[[], None], read: Callable[[int], Logits]
    ) -> Iterator[Logits]:
        first, start = len(self.slots), len(slot.tokens)
        try:
            entries: list[Entry] = []
            for number, suffix in enumerate(group):
                self.lib.llama_memory_seq_cp(self.memory, slot.seq, first + number, -1, -1)
                last = len(suffix) - 1
                entries += [(token, start + i, first + number, i == last) for i, token in enumerate(suffix)]
            for cut in range(0, len(entries), BATCH):
                part = entries[cut : cut + BATCH]
                self.decode(part, checkpoint)
                for index, entry in enumerate(part):
                    if entry[3]:
                        yield read(index)
        finally:
            if self.pointer is not None:
                for number in range(len(group)):
                    self._remove(first + number, -1)

    def decode(self, entries: Sequence[Entry], checkpoint: Callable[[], None]) -> None:
        """Evaluate ``entries``; repeated from the start when interrupted by work that goes first."""
        while True:
            checkpoint()
            code = int(self.lib.llama_decode(self.pointer, self.batch.fill(entries)))
            if code == 0:
                return
            self._undo(entries)
            if code == _NO_ROOM:
                raise self._too_small(len(entries))
            if code != _ABORTED:
                lines = log.recent()
                raise ModelError(f"llama.cpp failed to evaluate the prompt (code {code}): {lines[-1] if lines else ''}")

    def _undo(self, entries: Sequence[Entry]) -> None:
        """Take back what a failed computation may have left behind."""
        starts: dict[int, int] = {}
        for _, position, seq, _ in entries:
            starts[seq] = min(position, starts.get(seq, position))
        for seq, position in starts.items():
            self._remove(seq, position)

    def _claim(self, tokens: Tokens, *, whole: bool = False) -> tuple[Slot, int]:
        """The slot for a prompt and how many of its first tokens are there already.

        At least the last token is left to evaluate, for its logits, unless ``whole``.
        """
        self._clock += 1
        limit = len(tokens) if whole else len(tokens) - 1
        best = max(self.slots, key=lambda slot: common_prefix(slot.tokens, tokens))
        shared = min(common_prefix(best.tokens, tokens), limit)
        slot = best
        if shared < max(16, len(best.tokens) // 2):
            slot = min(self.slots, key=lambda slot: (bool(slot.tokens), slot.used))
            if slot is not best:
                self._forget(slot)
                self._share(best, slot, shared)
        slot.used = self._clock
        return slot, self._rewind(slot, shared)

    def _share(self, source: Slot, target: Slot, count: int) -> None:
        """Let ``target`` begin with the first ``count`` tokens of ``source``, at no cost."""
        if count > 0:
            self.lib.llama_memory_seq_cp(self.memory, source.seq, target.seq, 0, count)
            target.tokens = source.tokens[:count]

    def _rewind(self, slot: Slot, count: int) -> int:
        """Drop all tokens of ``slot`` after the first ``count``; returns how many are left."""
        if len(slot.tokens) > count:
            if self._remove(slot.seq, count):
                slot.tokens = slot.tokens[:count]
            else:
                self._forget(slot)
        return len(slot.tokens)

    def _forget(self, slot: Slot) -> None:
        self._remove(slot.seq, -1)
        slot.tokens = []

    def _remove(self, seq: int, start: int) -> bool:
        return bool(self.lib.llama_memory_seq_rm(self.memory, seq, start, -1))

    def _used(self) -> int:
        """Cells in use, counted from above: shared ones count for each slot."""
        return sum(len(slot.tokens) for slot in self.slots)

    def _make_room(self, count: int, keep: Slot) -> None:
        """Forget the slots used longest ago until ``count`` more tokens fit. Raises ``ContextTooSmall``."""
        while self._used() + count > self.n_ctx:
            others = [slot for slot in self.slots if slot is not keep and slot.tokens]
            if not others:
                raise self._too_small(len(keep.tokens) + count)
            self._forget(min(others, key=lambda slot: slot.used))

    def _too_small(self, needed: int) -> ContextTooSmall:
        return ContextTooSmall(
            f"The prompt needs {needed} tokens, the window of {self.model.info.name} holds {self.n_ctx}.",
            "Shorten the text, or open the model with a larger context.",
        )


class Batch:
    """The arrays that llama.cpp reads tokens from, made once and filled again and again."""

    def __init__(self, lib: Any, size: int) -> None:
        self.tokens = np.zeros(size, np.int32)
        self.positions = np.zeros(size, np.int32)
        self.sequences = np.zeros(size, np.int32)
        self.counts = np.ones(size, np.int32)
        self.wanted = np.zeros(size, np.int8)
        ints = ctypes.POINTER(ctypes.c_int32)
        start, step = self.sequences.ctypes.data, self.sequences.itemsize
        self._each = (ints * size)(*(ctypes.cast(start + i * step, ints) for i in range(size)))
        self.struct = lib.llama_batch(
            0,
            self.tokens.ctypes.data_as(ints),
            None,
            self.positions.ctypes.data_as(ints),
            self.counts.ctypes.data_as(ints),
            self._each,
            self.wanted.ctypes.data_as(ctypes.POINTER(ctypes.c_int8)),
        )

    def fill(self, entries: Sequence[Entry]) -> Any:
        """Put ``entries`` in and return the struct that ``llama_decode`` takes."""
        count = len(entries)
        tokens, positions, sequences, wanted = zip(*entries, strict=True)
        self.tokens[:count] = tokens
        self.positions[:count] = positions
        self.sequences[:count] = sequences
        self.wanted[:count] = wanted
        self.struct.n_tokens = count
        return self.struct


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """Number of equal tokens at the start of both."""
    for index, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return index
    return min(len(first), len(second))
