"""Sees every attempt to reach a network, in the test run and in the processes that it starts.

Python reports them to an audit hook, whatever library makes them. Only a test's own server on this
machine may be reached, and only while it runs. Nothing but the standard library is imported here:
child processes load this before anything else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LOG, LOCAL = "TEST_SOCKET_LOG", "TEST_SOCKET_LOCAL"
_WATCHED = frozenset(
    f"socket.{call}"
    for call in ("connect", "bind", "sendto", "sendmsg", "getaddrinfo", "gethostbyname", "gethostbyaddr")
)
_HERE = frozenset({"127.0.0.1", "::1", "localhost"})
_PLACE = {"socket.connect": 1, "socket.bind": 1, "socket.sendto": 1, "socket.sendmsg": 1}

_servers = 0


class SocketOpened(BaseException):
    """A network was about to be reached. Not an ``Exception``: nobody shall catch it by accident."""


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event not in _WATCHED:
        return
    address = args[_PLACE.get(event, 0)]
    host = address[0] if isinstance(address, tuple) and address else address
    # A path is a Unix socket's: a program on this machine.
    here = str(host) in _HERE or (isinstance(host, str) and host.startswith("/"))
    if here and (_servers or os.environ.get(LOCAL)):
        return
    told = f"{event} {address!r}"
    if os.environ.get(LOG):
        with open(os.environ[LOG], "a", encoding="utf-8") as log:  # noqa: PTH123 - pathlib costs every child its start
            log.write(f"{told} in {sys.argv}\n")
    raise SocketOpened(told)


def watch() -> None:
    """Begin; there is no end, an audit hook stays."""
    sys.addaudithook(_hook)


@contextmanager
def local_server() -> Iterator[None]:
    """While this lasts, this machine's own addresses may be reached."""
    global _servers  # noqa: PLW0603 - one process, one hook
    _servers += 1
    try:
        yield
    finally:
        _servers -= 1


def child_environment() -> dict[str, str]:
    """What makes a child process watch too: the folder of ``sitecustomize``, the log, what it may reach."""
    kept = {name: os.environ[name] for name in (LOG,) if name in os.environ}
    return kept | ({LOCAL: "1"} if _servers else {})
