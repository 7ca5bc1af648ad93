"""What llama.cpp says: the one log callback, and the last lines it called errors or warnings.

llama.cpp reports the cause of every failure only through its log. The callback keeps the
lines for error messages and sends nothing to the terminal; file descriptors are never touched.

Python may raise inside a callback (Ctrl+C lands there too), but nothing may pass through C frames:
what is raised is held, and raised again once the call into llama.cpp is over.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from edgemem.errors import ModelMissing

_KEPT_LEVELS: Final = (3, 4)
"""Warnings and errors. ggml counts 1 debug, 2 info, 3 warning, 4 error, 5 the line before goes on."""

_recent: deque[str] = deque(maxlen=50)
_here = threading.local()
_callback: Any = None
_first = threading.Lock()


def library() -> Any:
    """The llama.cpp bindings, with our log callback in place.

    Raises ``ModelMissing`` where they are not installed, or cannot be loaded: without them no model is of use.
    """
    global _callback  # noqa: PLW0603 - llama.cpp has one log callback for the process, and it must stay referenced
    _wait_passively()
    llama_cpp = _package().llama_cpp
    with _first:
        if _callback is None:
            _callback = llama_cpp.llama_log_callback(_receive)
            llama_cpp.llama_log_set(_callback, ctypes.c_void_p(0))
            llama_cpp.llama_backend_init()
    return llama_cpp


def tensors() -> Any:
    """The library of the tensors that llama.cpp computes with: their names, sizes and numbers."""
    library()
    from llama_cpp._ggml import libggml

    libggml.ggml_get_name.restype, libggml.ggml_get_name.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    libggml.ggml_get_data.restype, libggml.ggml_get_data.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    libggml.ggml_nelements.restype, libggml.ggml_nelements.argtypes = ctypes.c_int64, [ctypes.c_void_p]
    return libggml


def version() -> str:
    """The version of the bindings, which pin that of llama.cpp."""
    return str(_package().__version__)


def _package() -> Any:
    try:
        import llama_cpp
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelMissing(
            f"llama.cpp, which runs the models, cannot be loaded: {error}.", "Install it: pip install llama-cpp-python"
        ) from error
    return llama_cpp


def _wait_passively() -> None:
    """Let threads that wait for each other sleep, unless the user has said otherwise.

    llama.cpp's threads meet hundreds of times a token. While they spin, another busy program that
    takes a core from one of them stalls all: measured 0.3 tokens/s spinning against 2 to 4 sleeping
    on two cores with two other busy processes. OpenMP reads this once, when it is loaded.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _receive(level: int, text: bytes, _data: object) -> None:
    """Take one piece of log; runs on whatever thread is inside llama.cpp."""
    try:
        if level in _KEPT_LEVELS:
            _note(text.decode("utf-8", "replace").strip())
    except BaseException as error:
        _hold(error)


def _note(line: str) -> None:
    if line:
        _recent.append(line)
        lines = getattr(_here, "lines", None)
        if lines is not None:
            lines.append(line)


def _hold(error: BaseException) -> None:
    """Keep what was raised in a callback of this thread; the first is the one that counts."""
    held = getattr(_here, "held", None)
    if held is not None:
        held.append(error)


def recent() -> tuple[str, ...]:
    """The last warnings and errors of the process, oldest first."""
    return tuple(_recent)


@contextmanager
def captured() -> Iterator[list[str]]:
    """Collect the warnings and errors that calls inside the block cause on this thread.

    What a callback raised meanwhile is raised at the end of the block, unless ``held`` took it before.
    """
    before = getattr(_here, "lines", None), getattr(_here, "held", None)
    lines: list[str] = []
    _here.lines, _here.held = lines, []
    try:
        yield lines
        error = held()
        if error is not None:
            raise error
    finally:
        _here.lines, _here.held = before


def held() -> BaseException | None:
    """What a callback raised first inside the ``captured`` block, taken out of it."""
    errors: list[BaseException] = getattr(_here, "held", None) or []
    error = errors[0] if errors else None
    errors.clear()
    return error


def progress_callback(report: Callable[[float], bool]) -> Any:
    """Wrap ``report(share) -> go on?`` for llama.cpp; the result must stay referenced during the load.

    For use inside ``captured``: what ``report`` raises ends the load, and is held.
    """

    def call(share: float, _data: object) -> bool:
        try:
            return not getattr(_here, "held", None) and bool(report(share))
        except BaseException as error:
            _hold(error)
            return False

    return library().llama_progress_callback(call)
