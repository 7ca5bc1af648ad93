"""A model's two lanes, chat and background work, each with a context of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from edgemem.ports import Priority
from edgemem_models import machine
from edgemem_models.context import Context
from edgemem_models.gguf_file import KvType, ModelInfo
from edgemem_models.lane import Gate, Lane
from edgemem_models.loading import LoadedModel
from edgemem_models.prefix_store import PrefixStore

DEFAULT_WINDOW: Final = 8192
BACKGROUND_WINDOW: Final = 4096
LOW_WINDOW: Final = 2048
_LOW_SLOTS: Final = 2
_SLOTS: Final = {"chat": 2, "background": 6}


@dataclass(frozen=True, slots=True)
class Memory:
    """How much a model may remember: the largest window in tokens, the type of its cache, and a store on disk."""

    window: int
    kv_type: KvType = "f16"
    store: PrefixStore | None = None
    low_store: Callable[[int], PrefixStore | None] = lambda _layer: None
    """The same for contexts that end at a layer: what they evaluate fits no other."""


class Role:
    """One lane and the context its thread owns: chat, or background work."""

    def __init__(self, model: LoadedModel, gate: Gate, name: Priority, memory: Memory) -> None:
        self.lane = Lane(gate, name, self._free)
        self._model = model
        self._memory = memory
        self._slots = _SLOTS[name]
        self._limit = memory.window
        self._window = self._limit if name == "chat" else min(BACKGROUND_WINDOW, self._limit)
        self._context: Context | None = None
        self._low: Context | None = None

    def context(self, needed: int) -> Context:
        """The context, made or grown when first needed; on the lane's thread only."""
        if self._context is not None and needed > self._context.n_ctx < self._limit:
            self._free()
        if self._context is None:
            window = self._window if needed <= self._window else self._limit
            self._context = Context(
                self._model, self.lane.flag, window, self._slots, kv_type=self._memory.kv_type, store=self._memory.store
            )
            if self._context.n_ctx < min(window, self._limit):
                self._limit = self._context.n_ctx
            self._window = self._context.n_ctx
        return self._context

    def low_context(self, layer: int, needed: int) -> Context:
        """The context that ends at ``layer``, made or grown when first needed; on the lane's thread only."""
        fits = self._low is not None and self._low.tap is not None and self._low.tap.layer == layer
        if self._low is not None and not (fits and needed <= self._low.n_ctx):
            self._low.close()
            self._low = None
        if self._low is None:
            self._low = Context(
                self._model, self.lane.flag, max(LOW_WINDOW, needed), _LOW_SLOTS, kv_type=self._memory.kv_type,
                store=self._memory.low_store(layer), layer=layer,
            )  # fmt: skip
        return self._low

    def _free(self) -> None:
        for context in (self._context, self._low):
            if context is not None:
                context.close()
        self._context = self._low = None


def fitting_window(info: ModelInfo, wanted: int | None, kv_type: KvType) -> int:
    """The window to offer: as wanted, else what the model was trained for and half the free memory allows."""
    trained = info.context_length or DEFAULT_WINDOW
    if wanted is not None:
        return min(wanted, trained)
    window = min(DEFAULT_WINDOW, trained)
    free = machine.available_memory()
    while window > 1024 and 2 * info.kv_bytes(window, kv_type) > free:
        window //= 2
    return window
