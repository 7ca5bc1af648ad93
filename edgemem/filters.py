"""Checking what a caller narrows a search or a list down with: a misspelt filter would find nothing, and seem an answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from edgemem.errors import InvalidInput
from edgemem.records import KINDS, STATUSES
from edgemem.text import check_text


def checked(values: Iterable[str], known: Collection[str], what: str) -> frozenset[str]:
    """The values, all of them known. Raises ``InvalidInput``, also for a text in the place of a list."""
    if isinstance(values, str):
        raise InvalidInput(f"{values!r} is not a list of {what}s.", f"Write [{values!r}].")
    found = list(values)
    for value in found:
        if value not in known:
            raise InvalidInput(f"There is no {what} {value!r}.", f"{what.capitalize()}s are: {', '.join(known)}.")
    return frozenset(found)


def checked_kinds(kinds: Iterable[str]) -> frozenset[str]:
    """Kinds of memories. Raises ``InvalidInput``."""
    return checked(kinds, KINDS, "kind")


def check_status(status: str) -> None:
    """Raise ``InvalidInput`` for what is neither a status nor ``any``."""
    if status not in (*STATUSES, "any"):
        raise InvalidInput(f"There is no status {status!r}.", f"Statuses are: {', '.join(STATUSES)}, any.")


def check_count(count: int, least: int, what: str) -> None:
    """Raise ``InvalidInput`` for a number that is too small."""
    if count < least:
        raise InvalidInput(f"The {what} cannot be {count}.", f"Use {least} or more.")


def check_name(name: str | None, what: str) -> None:
    """Raise ``InvalidInput`` for a name that no file can hold."""
    if name is not None:
        check_text(name, f"The {what}")


def check_list(kind: str | None, namespace: str | None, status: str, limit: int, offset: int) -> None:
    """All that narrows a list down. Raises ``InvalidInput``."""
    checked_kinds(() if kind is None else (kind,))
    check_name(namespace, "namespace")
    check_status(status)
    check_count(limit, 0, "limit")
    check_count(offset, 0, "offset")
