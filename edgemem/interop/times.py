"""When something was said, as files write it."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from edgemem.interop.lines import LineRefused, json_type


def parse_time(value: object, zone: tzinfo | None) -> datetime:
    """The moment ``value`` (ISO 8601) names; ``zone`` is used where it has none. Raises ``LineRefused``."""
    if not isinstance(value, str):
        raise LineRefused(f"`at` must be a string such as 2026-03-14T21:05:00+08:00, this is {json_type(value)}")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise LineRefused(f"`at` is not an ISO 8601 time: {value[:40]!r}") from None
    if moment.tzinfo is None:
        if zone is None:
            raise LineRefused(f"`at` has no zone: {value!r}; add an offset such as +08:00, or pass --zone")
        moment = moment.replace(tzinfo=zone)
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise LineRefused(f"`at` is out of range: {value!r}") from None
    return moment
