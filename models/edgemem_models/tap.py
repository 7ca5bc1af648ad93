"""What a model holds of each token in one of its layers, read while llama.cpp computes.

llama.cpp shows every tensor it is about to compute to one callback of the context. Once the wanted layer is there its
numbers are copied and the computation ends: nothing above it is needed, so such a context can do nothing else. A callback
takes Python's lock hundreds of times a computation, which is why contexts that write have none.
Nothing may raise through C: what cannot be read is not there.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from edgemem.errors import ModelError
from edgemem_models import log

States = npt.NDArray[np.float32]
"""One number for each component of a token's state."""


class Tap:
    """The callback of one context, for ``layer``, counted from 0. It must be referenced for as long as the context lives."""

    def __init__(self, lib: Any, layer: int, width: int) -> None:
        self.layer = layer
        self._name = f"l_out-{layer}".encode()
        self._width = width
        self._ggml = log.tensors()
        self._rows: States | None = None
        self.function = lib.ggml_backend_sched_eval_callback(self._seen)

    def state(self, index: int) -> States:
        """That of the token at ``index`` of the last computation. Raises ``ModelError`` where the layer is not seen."""
        if self._rows is None:
            raise ModelError(
                "The model shows no states in its middle.", "Choose another model with: edgemem models use"
            )
        return np.asarray(self._rows[index])

    def _seen(self, tensor: int, asked: bool, _data: object) -> bool:
        """Asked: whether this tensor is wanted. Else it has been computed; false: that is enough."""
        try:
            if self._ggml.ggml_get_name(tensor) != self._name:
                return not asked
            if not asked:
                self._rows = self._copied(tensor)
            return asked
        except BaseException:
            self._rows = None
            return False

    def _copied(self, tensor: int) -> States:
        count = int(self._ggml.ggml_nelements(tensor))
        values = ctypes.cast(self._ggml.ggml_get_data(tensor), ctypes.POINTER(ctypes.c_float))
        return np.ctypeslib.as_array(values, shape=(count // self._width, self._width)).copy()
