"""Loading usearch so that it does no harm to what is loaded after it.

On Linux its wheel brings a C++ library of its own and lends its symbols to everything loaded later.
llama.cpp then fails with "std::bad_cast" when it reads a model's vocabulary. With the system's own
library loaded first, and lent in the same way, both find what they were built for.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from types import ModuleType


@functools.cache
def usearch_index() -> ModuleType:
    """The module ``usearch.index``."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError):
            ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
    import usearch.index

    module: ModuleType = usearch.index
    return module


def version() -> str:
    """The version of usearch, which a stored graph is bound to."""
    usearch_index()
    import usearch

    return f"usearch {usearch.__version__}"
