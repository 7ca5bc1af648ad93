"""Times in and out: every instant is stored in UTC with the zone it was said in."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from edgemem.errors import InvalidInput, StoreCorrupt

_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")


def parse(value: datetime | str, zone: tzinfo | None = None) -> datetime:
    """Read a datetime or an ISO 8601 string; ``zone`` is used only where none is given.

    Raises ``InvalidInput`` for text that is no time, or a time without any zone.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise InvalidInput(
                f"{value!r} is not an ISO 8601 time.", "Write it like 2026-05-01T18:30:00+02:00."
            ) from error
    if not isinstance(value, datetime):
        raise InvalidInput(f"{value!r} is no time.", "Give a datetime, or text like 2026-05-01T18:30:00+02:00.")
    if value.tzinfo is None:
        if zone is None:
            raise InvalidInput(
                f"The time {value.isoformat()} has no zone.",
                f"Add the offset of your clock, as in {value.isoformat()}+02:00.",
            )
        value = value.replace(tzinfo=zone)
    try:
        value.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"The time {value.isoformat()} is out of range.", "Years are 1 to 9999 in UTC.") from error
    return value


def zone_named(name: str) -> tzinfo:
    """A zone from ``+08:00``, ``UTC`` or ``Asia/Shanghai``. Raises ``InvalidInput``."""
    try:
        if _OFFSET.fullmatch(name):
            zone = datetime.fromisoformat(f"2000-01-01T00:00:00{name}").tzinfo
            if zone is not None:
                return zone
        return UTC if name.upper() in {"UTC", "Z"} else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(f"There is no time zone {name!r}.", "Write +08:00 or a name like Asia/Shanghai.") from error


def to_db(moment: datetime) -> str:
    """UTC text that sorts by time: ``2026-05-01T16:30:00.000000Z``."""
    # Not strftime, which writes years before 1000 without their zeros on some systems.
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_db(text: str) -> datetime:
    """The inverse of ``to_db``. Raises ``StoreCorrupt`` for what it has not written."""
    try:
        return datetime.fromisoformat(text)
    except (ValueError, TypeError) as error:
        raise StoreCorrupt(f"The file is damaged: {text!r} is no time.", "Look at it with: edgemem check") from error


def offset_of(moment: datetime) -> str:
    """The offset a time was said in, as ``+08:00``."""
    text = moment.strftime("%z") or "+0000"
    return f"{text[:3]}:{text[3:5]}"


def local(moment: datetime, offset: str) -> datetime:
    """The same instant on the clock of the zone it was said in."""
    return moment.astimezone(zone_named(offset))
