"""What no row may hold is stopped where all values pass: on their way into a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from edgemem.store.driver import driver


class NulInText(ValueError):
    """A text with a NUL: SQLite would keep it and its own functions would cut it off there."""


@cache
def connection_class() -> type[Any]:
    """The driver's connection, which refuses such a text; half a character the driver refuses itself.

    A connection that repairs takes it (``lenient``): damaged rows may hold anything.
    """
    bare: type[Any] = driver().Connection

    # Which driver it is, is known when it runs.
    class Gated(bare):  # type: ignore[misc]
        lenient = False

        def execute(self, sql: str, values: Any = (), /) -> Any:
            if values and not self.lenient:
                _check(values)
            return super().execute(sql, values)

        def executemany(self, sql: str, many: Iterable[Any], /) -> Any:
            return super().executemany(sql, many if self.lenient else _checked(many))

    return Gated


def _checked(many: Iterable[Any]) -> Iterator[Any]:
    for values in many:
        _check(values)
        yield values


def _check(values: Any) -> None:
    for value in values.values() if type(values) is dict else values:
        if isinstance(value, str) and "\0" in value:
            raise NulInText(f"a NUL character at position {value.index(chr(0)) + 1}")
