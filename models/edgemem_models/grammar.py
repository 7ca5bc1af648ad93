"""Grammars that hold a model's answer to a form.

A grammar that llama.cpp cannot parse would kill the process later, so each is checked by
``grammar_check`` and then parsed by llama.cpp itself before it is used.
"""

from __future__ import annotations

import ctypes
import threading
from collections import OrderedDict
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from edgemem.errors import GrammarRefused
from edgemem_models import log
from edgemem_models.grammar_check import check
from edgemem_models.vocabulary import Vocabulary

_KEPT: Final = 32
_CANDIDATE: Final = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class GrammarState:
    """Where an answer stands in a grammar. Used by one thread."""

    def __init__(self, vocabulary: Vocabulary, pointer: Any) -> None:
        self._vocabulary = vocabulary
        self._lib = vocabulary.lib
        self._pointer = pointer
        self._one = np.zeros(1, _CANDIDATE)

    def allows(self, token: int) -> bool:
        """Whether ``token`` may come next."""
        self._one[0] = (token, 1.0, 0.0)
        return bool(self._apply(self._one)[0])

    def allowed(self, tokens: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """For each of ``tokens`` whether it may come next."""
        candidates = np.zeros(len(tokens), _CANDIDATE)
        candidates["id"] = tokens
        return self._apply(candidates)

    def accept(self, token: int) -> None:
        """Go on with ``token``, which must be allowed: llama.cpp ends the process otherwise."""
        self._lib.llama_sampler_accept(self._pointer, token)

    def complete(self) -> bool:
        """Whether nothing but the end is allowed."""
        starts, ends = self._vocabulary.single_bytes, self._vocabulary.ends
        if not len(starts) or not len(ends) or not self.allows(int(ends[0])):
            return False
        return not self.allowed(starts).any()

    def close(self) -> None:
        """Free the state. Idempotent."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            self._lib.llama_sampler_free(pointer)

    def _apply(self, candidates: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        array = self._lib.llama_token_data_array(
            candidates.ctypes.data_as(ctypes.POINTER(self._lib.llama_token_data)), len(candidates), -1, False
        )
        self._lib.llama_sampler_apply(self._pointer, ctypes.byref(array))
        return np.asarray(candidates["logit"] != -np.inf)


class GrammarCache:
    """Parsed grammars by their text; safe to use from several threads."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._lock = threading.Lock()
        self._parsed: OrderedDict[str, Any] = OrderedDict()

    def start(self, text: str) -> GrammarState:
        """A fresh state at the beginning of grammar ``text``. Raises ``GrammarRefused``."""
        with self._lock:
            pointer = self._parsed.get(text)
            if pointer is None:
                pointer = self._parsed[text] = self._parse(text)
                if len(self._parsed) > _KEPT:
                    self._vocabulary.lib.llama_sampler_free(self._parsed.popitem(last=False)[1])
            self._parsed.move_to_end(text)
            return GrammarState(self._vocabulary, self._vocabulary.lib.llama_sampler_clone(pointer))

    def close(self) -> None:
        """Free all grammars. Idempotent."""
        with self._lock:
            while self._parsed:
                self._vocabulary.lib.llama_sampler_free(self._parsed.popitem()[1])

    def _parse(self, text: str) -> Any:
        check(text, self._vocabulary.is_token)
        with log.captured() as lines:
            pointer = self._vocabulary.lib.llama_sampler_init_grammar(self._vocabulary.pointer, text.encode(), b"root")
        if not pointer:  # ctypes gives a null pointer object here, not None
            reason = lines[0].rstrip(". ") if lines else "llama.cpp gave no reason"
            raise GrammarRefused(f"llama.cpp cannot use the grammar: {reason}.", "Simplify the rule it names.")
        return pointer
