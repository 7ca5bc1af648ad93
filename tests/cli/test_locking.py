"""Passphrases on the command line: from the environment, a descriptor, the keyring; never as an argument."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from edgemem.store.key import salt_of
from tests.cli.conftest import Run
from tests.helpers import CHILD_SECONDS, ROOT, environment, opened, wait_until


@pytest.fixture
def passphrase(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    def use(text: str | None) -> None:
        monkeypatch.delenv("EDGEMEM_PASSPHRASE", raising=False)
        if text is not None:
            monkeypatch.setenv("EDGEMEM_PASSPHRASE", text)

    use(None)
    return use


Use = Callable[[str | None], None]


def test_encrypt_use_change_decrypt(
    run: Run, passphrase: Use, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("add", "about otters")
    assert run("encrypt").code == 1, "nobody to ask"
    passphrase("first words")
    assert run("encrypt", "--json").json == {"path": str(store_path), "encrypted": True}
    assert run("recall", "otters", "--json").json["hits"][0]["content"] == "about otters"
    assert run("check").code == 0
    monkeypatch.setenv("EDGEMEM_NEW_PASSPHRASE", "second words")
    assert run("passphrase").code == 0
    refused = run("list")
    assert (refused.code, "wrong" in refused.err) == (1, True)
    passphrase("second words")
    assert "about otters" in run("list").out
    assert run("decrypt").code == 0
    passphrase(None)
    assert "about otters" in run("list").out
    assert run("decrypt").code == 1


class Typing:
    """``edgemem list`` in a pseudo terminal of its own, where somebody types the passphrase."""

    def __init__(self, store_path: Path) -> None:
        self.ours, theirs = os.openpty()
        env = environment({"EDGEMEM_FILE": str(store_path)})
        self.process = subprocess.Popen(
            [sys.executable, "-m", "edgemem", "list"], cwd=ROOT, env=env, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.shown = ""

    def type(self, words: str, times: int) -> None:
        """Type words when it asks for the given time, the first being 1: what is typed sooner is thrown away."""
        while self.shown.count("Passphrase of") < times:
            assert self.read(), self.shown
        import termios

        wait_until(lambda: not termios.tcgetattr(self.ours)[3] & termios.ECHO)
        os.write(self.ours, words.encode() + b"\n")

    def read(self) -> bool:
        try:
            chunk = os.read(self.ours, 65536)
        except OSError:  # it has ended
            chunk = b""
        self.shown += chunk.decode()
        return bool(chunk)

    def ended(self) -> int:
        while self.read():
            pass
        os.close(self.ours)
        return self.process.wait(CHILD_SECONDS)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
@pytest.mark.parametrize(
    ("last", "code", "told"), [("words", 0, "about otters"), ("worse", 1, "The passphrase is wrong")]
)
def test_a_passphrase_may_be_mistyped_twice(
    run: Run, passphrase: Use, store_path: Path, last: str, code: int, told: str
) -> None:
    passphrase("words")
    run("add", "about otters")
    typing = Typing(store_path)
    for n, words in enumerate(("wrods", "", "swords", last), start=1):
        typing.type(words, n)
    assert (typing.ended(), told in typing.shown) == (code, True), typing.shown
    assert typing.shown.count("Try again; Ctrl+C gives up.") == 2


def test_without_a_passphrase_it_says_how_to_give_one(run: Run, passphrase: Use) -> None:
    passphrase("words")
    run("add", "about otters")
    passphrase(None)
    refused = run("list")
    assert refused.code == 1
    assert "EDGEMEM_PASSPHRASE" in refused.err
    assert "otters" not in refused.out + refused.err


def test_a_new_file_is_encrypted_when_a_passphrase_is_there(run: Run, passphrase: Use, store_path: Path) -> None:
    passphrase("words")
    run("add", "about otters")
    assert salt_of(store_path) is not None
    assert b"otters" not in store_path.read_bytes()


def test_a_plain_file_with_a_passphrase_around_says_so(run: Run, passphrase: Use) -> None:
    run("add", "about otters")
    passphrase("words")
    listed = run("list")
    assert "about otters" in listed.out
    assert "not encrypted" in listed.err


def test_from_a_descriptor(run: Run, passphrase: Use, tmp_path: Path) -> None:
    note = tmp_path / "note"
    note.write_text("words of a note\n", encoding="utf-8")

    def call(*args: str) -> int:
        fd = os.open(note, os.O_RDONLY)
        try:
            return run(*args, "--passphrase-fd", fd).code
        finally:
            os.close(fd)

    assert call("add", "about otters") == 0
    assert call("list") == 0
    passphrase("words of a note")
    assert "about otters" in run("list").out
    assert run("list", "--passphrase-fd", 987).code == 2


def test_backups_that_are_not_encrypted_are_named_and_removed(run: Run, passphrase: Use, store_path: Path) -> None:
    run("add", "about otters")
    run("backup")
    run("restore", "latest")
    aside = next(store_path.parent.glob("me.edgemem.before-*"))
    passphrase("words")
    told = run("encrypt").err
    assert aside.name in told
    assert "me.edgemem-backups" in told
    assert told.count("edgemem encrypt --backups") == 1
    removed = run("encrypt", "--backups")
    assert removed.code == 0
    assert aside.name in removed.err
    assert not aside.exists()
    assert not list((store_path.parent / "me.edgemem-backups").glob("*.edgemem"))
    assert "nothing" in run("encrypt", "--backups").err
    assert not any(b"otters" in p.read_bytes() for p in store_path.parent.rglob("*") if p.is_file())
    assert "about otters" in run("list").out


def test_a_sensitive_value_is_masked_until_revealed(run: Run, passphrase: Use, tmp_path: Path) -> None:
    passphrase("words")
    uid = run("add", "-", "--sensitive", "--label", "door code", stdin="The code is 4711-plum\n").out.strip()
    run("add", "about otters")
    seen = [run(*c).out for c in (("list",), ("list", "--json"), ("show", uid), ("show", uid, "--json"), ("recall", "door code"),
            ("recall", "door code", "--json"), ("context", "door code"), ("history",), ("history", "--json"), ("export", "-"))]  # fmt: skip
    assert all("door code" in out for out in seen[:7])
    assert not any("4711-plum" in out for out in seen)
    assert "The code is 4711-plum" in run("show", uid, "--reveal").out
    listed = run("list", "--reveal", "--json").json["memories"]
    assert {m["content"] for m in listed} == {"The code is 4711-plum", "about otters"}
    assert run("show", "no such memory", "--reveal").code == 1


def test_a_secret_needs_a_passphrase(run: Run, passphrase: Use) -> None:
    refused = run("add", "my password is hunter2-99x")
    assert (refused.code, "--sensitive" in refused.err) == (2, True)
    refused = run("add", "my password is hunter2-99x", "--sensitive")
    assert (refused.code, "edgemem encrypt" in refused.err) == (2, True)
    assert run("list", "--json").json["memories"] == []


class _Ring:
    """A keyring in memory, with the manners of the real one."""

    priority = 5.0

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, password: str) -> None:
        self.kept[service, name] = password

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[service, name]


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> _Ring:
    ring, module = _Ring(), ModuleType("keyring")
    module.get_keyring = lambda: ring  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", module)
    return ring


def test_the_keyring_opens_the_file_but_reveals_nothing(
    run: Run, passphrase: Use, ring: _Ring, monkeypatch: pytest.MonkeyPatch
) -> None:
    passphrase("words")
    run("add", "about otters")
    uid = run("add", "The code is 4711-plum", "--sensitive", "--label", "door code").out.strip()
    assert run("passphrase", "--keyring").code == 0
    assert "words" not in str(ring.kept)
    passphrase(None)
    assert "about otters" in run("list").out
    assert run("show", uid, "--reveal").code == 1
    passphrase("words")
    monkeypatch.setenv("EDGEMEM_NEW_PASSPHRASE", "others")
    assert run("passphrase").code == 0
    passphrase(None)
    assert "about otters" in run("list").out, "the new key has taken the place of the old one"
    assert len(ring.kept) == 1
    assert run("passphrase", "--forget").code == 0
    assert run("list").code == 1
    assert ring.kept == {}


def test_a_keyring_that_keeps_no_secret_is_refused(run: Run, passphrase: Use, ring: _Ring) -> None:
    passphrase("words")
    run("add", "about otters")
    type(ring).priority = 0.0
    try:
        refused = run("passphrase", "--keyring")
    finally:
        type(ring).priority = 5.0
    assert (refused.code, ring.kept) == (2, {})


def test_a_changed_passphrase_is_said_and_what_keeps_the_old_one(
    run: Run, passphrase: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    passphrase("first words")
    run("add", "about otters")
    old = run("backup").out.strip()
    monkeypatch.setenv("EDGEMEM_NEW_PASSPHRASE", "second words")
    changed = run("passphrase")
    assert "is changed" in changed.err
    assert old in changed.err
    passphrase("second words")
    refused = run("restore", old)
    assert refused.code == 1
    assert old in refused.err
    assert "another passphrase" in refused.err
    monkeypatch.setenv("EDGEMEM_BACKUP_PASSPHRASE", "first words")
    assert run("restore", old).code == 0
    passphrase("first words")
    assert "about otters" in run("list").out


def test_no_command_shows_a_sealed_value_in_its_raw_form(run: Run, passphrase: Use, store_path: Path) -> None:
    passphrase("words")
    uid = run("add", "-", "--sensitive", "--label", "door code", stdin="The code is 4711-plum\n").out.strip()
    with opened(store_path, words_only=True, passphrase="words") as file:
        raw = str(file.user("me").get(uid).data["sealed"])
        with file.engine.read() as tx:
            wrapped = tx.execute("SELECT value FROM meta WHERE key = 'seal'").fetchone()[0]
    for command in (("info",), ("info", "--json"), ("show", uid), ("show", uid, "--json"), ("list", "--json"),
                    ("history", "--json"), ("show", uid, "--reveal", "--json")):  # fmt: skip
        ran = run(*command)
        assert ran.code == 0
        assert raw not in ran.out, command
        assert wrapped not in ran.out, command
    assert run("info", "--json").json["sealed_values"] is True
