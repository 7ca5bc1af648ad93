"""Nothing but `models pull` opens a socket. The guard that watches all tests is tested here, and a whole session on the command line."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.cli.conftest import process
from tests.guard import sockets
from tests.helpers import environment, python


def test_the_guard_sees_this_process(socket_log: Path) -> None:
    with socket.socket() as one, pytest.raises(sockets.SocketOpened):
        one.connect(("127.0.0.1", 9))
    with pytest.raises(sockets.SocketOpened):
        socket.getaddrinfo("example.org", 80)
    told = socket_log.read_text(encoding="utf-8").splitlines()
    assert [line.split(" in ")[0] for line in told] == [
        "socket.connect ('127.0.0.1', 9)",
        "socket.getaddrinfo 'example.org'",
    ]
    socket_log.unlink()


@pytest.mark.parametrize(
    "code",
    ["import socket; socket.create_connection(('127.0.0.1', 9))", "import httpx; httpx.get('http://example.org')"],
)
def test_the_guard_sees_child_processes(socket_log: Path, code: str) -> None:
    python(code, expect=1)
    assert "socket." in socket_log.read_text(encoding="utf-8")
    socket_log.unlink()


def test_a_server_of_the_test_may_be_reached_while_it_runs(socket_log: Path) -> None:
    with sockets.local_server(), socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())
    with socket.socket() as one, pytest.raises(sockets.SocketOpened):
        one.bind(("127.0.0.1", 0))
    socket_log.unlink()


def test_a_session_on_the_command_line_opens_none(tmp_path: Path, socket_log: Path) -> None:
    env = environment(
        {"HOME": str(tmp_path), "EDGEMEM_HOME": str(tmp_path), "EDGEMEM_FILE": str(tmp_path / "me.edgemem")}
    )
    uid = process(env, "add", "about otters").out.strip()
    commands: tuple[tuple[str, ...], ...] = (
        ("observe", "I keep bees"), ("list",), ("show", uid), ("history",), ("recall", "otters"), ("context", "otters"),
        ("sessions",), ("jobs", "list"), ("jobs", "run"), ("state", "set", "t", "f", "1"), ("info",), ("check",), ("backup",),
        ("export", "-"), ("maintain",), ("models", "list"), ("erase", "--search", "otters", "--yes", "--verify"),
    )  # fmt: skip
    codes = {command[0]: process(env, *command).code for command in commands}
    assert {code for name, code in codes.items() if name != "jobs"} == {0}
    assert codes["jobs"] == 4, "there is no model to run it"
    locked = env | {"EDGEMEM_PASSPHRASE": "words"}
    assert [process(locked, *c).code for c in (("encrypt", "--backups"), ("list",), ("decrypt",))] == [0, 0, 0]
    assert not socket_log.exists()
