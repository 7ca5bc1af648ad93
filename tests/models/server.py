"""A small file server for tests that can misbehave: cut connections, pages instead of files, changed files."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.guard import sockets


@dataclass
class Site:
    """What the server offers, how it misbehaves, and what it was asked for."""

    files: dict[str, bytes] = field(default_factory=dict)
    listings: dict[str, object] = field(default_factory=dict)
    page: bytes | None = None
    status: int = 200
    cuts: list[int] = field(default_factory=list)
    ranges: bool = True
    etag: bool = True
    said_sha256: str | None = None
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    url: str = ""


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def log_message(self, *args: object) -> None:
        """Stay quiet."""

    def do_HEAD(self) -> None:
        """Headers as the hub gives them."""
        body = self.site.files.get(self._path())
        self.send_response(200 if body is not None and self.site.status == 200 else 404)
        if body is not None:
            self._describe(body)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()

    def do_GET(self) -> None:
        """The file, from where it was asked."""
        site = self.site
        site.asked.append((self._path(), self.headers.get("Range", ""), self.headers.get("If-Range", "")))
        if self._path() in site.listings:
            return self._send(200, json.dumps(site.listings[self._path()]).encode(), "application/json")
        body = site.files.get(self._path())
        if site.status != 200 or body is None:
            return self._send(site.status if site.status != 200 else 404, b"no", "text/plain")
        if site.page is not None:
            return self._send(200, site.page, "text/html")
        return self._send_file(body)

    def _send_file(self, body: bytes) -> None:
        start = self._start(body)
        self.send_response(206 if start else 200)
        self._describe(body)
        self.send_header("Content-Length", str(len(body) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        end = start + self.site.cuts.pop(0) if self.site.cuts else len(body)
        self.wfile.write(body[start:end])
        self.close_connection = True

    def _start(self, body: bytes) -> int:
        asked, same = self.headers.get("Range", ""), self.headers.get("If-Range")
        if not self.site.ranges or not asked or (same and same != self._etag(body)):
            return 0
        return int(asked.removeprefix("bytes=").rstrip("-"))

    def _describe(self, body: bytes) -> None:
        if self.site.etag:
            self.send_header("ETag", self._etag(body))
        self.send_header("X-Linked-Etag", f'"{self.site.said_sha256 or hashlib.sha256(body).hexdigest()}"')
        self.send_header("X-Linked-Size", str(len(body)))
        self.send_header("X-Repo-Commit", "0" * 40)

    def _etag(self, body: bytes) -> str:
        return f'"{hashlib.md5(body).hexdigest()}"'

    def _path(self) -> str:
        return self.path.split("?")[0]

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of the tests."""


@contextmanager
def serving() -> Iterator[Site]:
    """A running server on a free port of this machine."""
    with sockets.local_server():
        yield from _serving()


def _serving() -> Iterator[Site]:
    site = Site()
    handler = type("Handler", (_Handler,), {"site": site})
    server = _Server(("127.0.0.1", 0), handler)
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
