"""Downloading one file over HTTP: resumable, checked as it comes in, never taken for done before its hash is right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from edgemem_models.gguf_file import MAGIC
from edgemem_models.progress import Meter
from edgemem_models.verified import sha256_of, write_whole

if TYPE_CHECKING:
    import httpx

_ATTEMPTS: Final = 4
_RANGE: Final = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_RESTART: Final = 416


class SourceFailed(Exception):
    """One source could not deliver; the text is the reason in one line. Another source may still."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A file on a server, with what is known about it beforehand (None: not known)."""

    url: str
    size: int | None = None
    sha256: str | None = None
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds to wait for a connection and for the next bytes."""

    connect: float = 5.0
    read: float = 30.0


def download(remote: Remote, partial: Path, meter: Meter, timeouts: Timeouts) -> str:
    """Fetch ``remote`` into ``partial``, going on where an earlier try stopped, and return its SHA-256.

    A wrong or broken file is removed. Raises ``SourceFailed`` with the reason; after a cut connection what
    came so far stays for the next time.
    """
    resumed = partial.exists() and partial.stat().st_size > 0
    _receive_all(remote, partial, meter, timeouts)
    sha256 = _check(remote, partial, meter)
    if sha256 is None and resumed:
        # The beginning may have come from another build of the file: once more, from the start.
        _receive_all(remote, partial, meter, timeouts)
        sha256 = _check(remote, partial, meter)
    if sha256 is None:
        raise SourceFailed("it delivered a file with another SHA-256 than expected; it was removed")
    _note_path(partial).unlink(missing_ok=True)
    return sha256


def _check(remote: Remote, partial: Path, meter: Meter) -> str | None:
    """The SHA-256 if it is the expected one; else the file is removed."""
    meter.begin("checking", partial.stat().st_size)
    sha256 = sha256_of(partial, meter.at)
    if remote.sha256 in (None, sha256):
        return sha256
    _discard(partial)
    return None


def _receive_all(remote: Remote, partial: Path, meter: Meter, timeouts: Timeouts) -> None:
    """Receive until the file is whole; a connection that breaks is taken up again a few times."""
    import httpx

    limits = httpx.Timeout(timeouts.read, connect=timeouts.connect)
    with httpx.Client(timeout=limits, follow_redirects=True) as client:
        for attempt in range(1, _ATTEMPTS + 1):
            before = _size(partial)
            try:
                _receive(client, remote, partial, meter)
            except httpx.HTTPError as error:
                got = _size(partial)
                if attempt == _ATTEMPTS or got <= before:
                    raise SourceFailed(_reason(error, got)) from error
            else:
                return


def _receive(client: httpx.Client, remote: Remote, partial: Path, meter: Meter) -> None:
    """One request: from where the partial file ends, if the server's file is still the same one."""
    start = _size(partial)
    if remote.size is not None and start > remote.size:
        _discard(partial)
        start = 0
    if start and start == remote.size:
        return
    headers = {"Accept-Encoding": "identity", **(remote.headers or {}), **_range_headers(remote, partial, start)}
    with client.stream("GET", remote.url, headers=headers) as response:
        if response.status_code == _RESTART and start:
            _discard(partial)
            raise SourceFailed("what was there before does not fit its file; it was removed, try again")
        if response.status_code not in (200, 206):
            raise SourceFailed(f"HTTP {response.status_code} {response.reason_phrase}".strip())
        start, total = _where(response, start)
        _refuse_wrong_size(remote, total)
        _remember(remote, partial, response, total)
        _append(response, partial, start, remote.size or total, meter)


def _append(response: httpx.Response, partial: Path, start: int, total: int | None, meter: Meter) -> None:
    meter.begin("downloading", total, start)
    done = start
    with partial.open("r+b" if start else "wb") as file:
        file.seek(start)
        file.truncate()
        for chunk in _pieces(response):
            if done == 0 and not chunk.startswith(MAGIC):
                break
            file.write(chunk)
            done += len(chunk)
            meter.at(done)
    if done == 0:
        _discard(partial)
        raise SourceFailed(_what_came(response))
    if total is not None and done != total:
        raise SourceFailed(f"the connection ended after {done} of {total} bytes; they are kept")


def _pieces(response: httpx.Response) -> Iterator[bytes]:
    """The body as it comes in, not gathered to blocks, so that a cut loses nothing; the first piece holds the magic."""
    first = b""
    for piece in response.iter_bytes():
        first += piece
        if len(first) >= len(MAGIC):
            yield first
            first = b""
    if first:
        yield first


def _range_headers(remote: Remote, partial: Path, start: int) -> dict[str, str]:
    """Ask for the rest. Without a pinned hash only if the server vouches that it is the same file (``If-Range``)."""
    if not start:
        return {}
    note = _read_note(partial)
    validator = note.get("validator") if note.get("url") == remote.url else None
    if validator:
        return {"Range": f"bytes={start}-", "If-Range": str(validator)}
    return {"Range": f"bytes={start}-"} if remote.sha256 else {}


def _where(response: httpx.Response, start: int) -> tuple[int, int | None]:
    """Where the body begins in the file, and the size of the whole."""
    if response.status_code == 200:
        length = response.headers.get("content-length")
        return 0, int(length) if length else None
    match = _RANGE.fullmatch(response.headers.get("content-range", ""))
    if match is None or int(match.group(1)) != start:
        raise SourceFailed("the server answered with another part than was asked for")
    return start, None if match.group(2) == "*" else int(match.group(2))


def _refuse_wrong_size(remote: Remote, total: int | None) -> None:
    if remote.size is not None and total is not None and total != remote.size:
        raise SourceFailed(f"it offers a file of {total} bytes instead of {remote.size}")


def _what_came(response: httpx.Response) -> str:
    kind = response.headers.get("content-type", "").split(";")[0]
    if kind == "text/html":
        return "it sent a web page instead of the model"
    return f"it sent something that is not a GGUF model ({kind or 'unknown type'})"


def one_line(error: BaseException) -> str:
    """The first line of an error, or its name; a connection that never came about is said as such."""
    text = str(error).strip()
    line = text.splitlines()[0] if text else type(error).__name__
    # By name, because the hub's library has an HTTP client of its own with classes of the same names.
    unreachable = {"ConnectError", "ConnectTimeout"} & {kind.__name__ for kind in type(error).__mro__}
    return f"it cannot be reached ({line})" if unreachable else line


def _reason(error: Exception, kept: int) -> str:
    return f"{one_line(error)}; {kept} bytes are kept" if kept else one_line(error)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _note_path(partial: Path) -> Path:
    return partial.with_name(partial.name + ".json")


def _remember(remote: Remote, partial: Path, response: httpx.Response, total: int | None) -> None:
    """Keep what lets the next try ask whether the file is still the same; weak validators do not count."""
    etag = response.headers.get("etag", "")
    validator = etag if etag.startswith('"') else response.headers.get("last-modified", "")
    write_whole(_note_path(partial), json.dumps({"url": remote.url, "validator": validator, "size": total}))


def _read_note(partial: Path) -> dict[str, Any]:
    try:
        note = json.loads(_note_path(partial).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def _discard(partial: Path) -> None:
    partial.unlink(missing_ok=True)
    _note_path(partial).unlink(missing_ok=True)
