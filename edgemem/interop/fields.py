"""Values in other tools' records: texts, lists and times, checked as they are taken."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from edgemem.interop.lines import LineRefused, checked_text, json_type
from edgemem.interop.times import parse_time


def mapping(value: Any, name: str) -> Mapping[str, Any]:
    """``value`` if it is a JSON object. Raises ``LineRefused``."""
    if not isinstance(value, dict):
        raise LineRefused(f"{name} must be an object, this is {json_type(value)}")
    return value


def items(record: Mapping[str, Any], key: str) -> list[Any]:
    """The list under a key; a missing one is empty. Raises ``LineRefused``."""
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise LineRefused(f"`{key}` must be an array, this is {json_type(value)}")
    return value


def text(record: Mapping[str, Any], *keys: str) -> str:
    """The first text with words in it under one of the keys. Raises ``LineRefused`` when there is none."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return checked_text(value, f"`{key}`")
        if value is not None and not isinstance(value, str):
            raise LineRefused(f"`{key}` must be a string, this is {json_type(value)}")
    raise LineRefused(f"{' or '.join(f'`{key}`' for key in keys)} is missing or empty")


def optional(record: Mapping[str, Any], *keys: str) -> str | None:
    """The first text under one of the keys, or None."""
    return text(record, *keys) if any(record.get(key) not in (None, "") for key in keys) else None


def moment(record: Mapping[str, Any], *keys: str, zone: tzinfo | None = None) -> datetime | None:
    """The time under the first key that has one: ISO 8601, or seconds since 1970. Raises ``LineRefused``.

    A time without a zone is in ``zone``, or UTC.
    """
    for key in keys:
        value = record.get(key)
        if value is None or value == "":
            continue
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _since_1970(key, value)
        try:
            return parse_time(value, zone or UTC)
        except LineRefused as refused:
            raise LineRefused(str(refused).replace("`at`", f"`{key}`")) from None
    return None


def _since_1970(key: str, seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        raise LineRefused(f"`{key}` is out of range: {seconds}") from None
