"""Reading from and writing to files that are not in order, for repair only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from edgemem.store import row_seals
from edgemem.store.engine import Engine, Tx


@contextmanager
def loading(engine: Engine) -> Iterator[Tx]:
    """A write in which rows may come before those they point to, and text may hold bytes that are none.

    For a file in the making: whoever loads it has to look after both before it is used.
    """
    connection = tolerant(engine)
    connection.execute("PRAGMA foreign_keys=OFF")
    try:
        with engine.write() as tx:
            row_seals.let_pass(tx)
            yield tx
    finally:
        connection.execute("PRAGMA foreign_keys=ON")


def tolerant(engine: Engine) -> Any:
    """The bare connection, from now on reading bytes that are no UTF-8 as lone surrogates, not as an error."""
    connection = engine.raw()
    connection.lenient = True
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return connection
