"""An encrypted file: nothing plain anywhere, the wrong key told from damage, a change of key that cannot lose the file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import psutil
import pytest

import edgemem
from edgemem.errors import (
    InvalidInput,
    NotAStore,
    PassphraseNeeded,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    WrongPassphrase,
)
from edgemem.store import recrypt
from edgemem.store.key import Key, derive, fresh, salt_of
from edgemem.testing import WordsEmbedder
from tests.helpers import child, files, opened, plain_connection, python, said
from tests.store.conftest import PASS, WORD


def test_the_way_from_passphrase_to_key_is_part_of_the_format() -> None:
    """A file made by any version must open with every later one."""
    key = derive("edgemem", bytes.fromhex("65646d3100112233445566778899") + bytes.fromhex("f51e"))
    assert key.pages.hex() == "aed755ff196fd09cf32df74e015c0021adef3db4cad998b3dfe3058e38f01ff5"
    assert key.seal is not None
    assert key.seal.hex() == "b178a8a5879a19a88ee9ca79958f1af42fda24e3aa4d93749f6cf695ff6f620c"


def test_the_same_letters_are_the_same_passphrase() -> None:
    key = fresh("caf\u00e9")
    assert derive("cafe\u0301", key.salt) == key
    assert key.pages.hex() not in repr(key)


def test_nothing_plain_lies_anywhere(store_path: Path) -> None:
    vector = _vector(f"The user is allergic to {WORD}.")
    with opened(store_path, passphrase=PASS) as file:
        mem = file.user("me")
        mem.add(f"The user is allergic to {WORD}.")
        mem.log(said(f"talking of {WORD}", "水獭很可爱"))
        assert f"The user is allergic to {WORD}." in [hit.content for hit in mem.recall(WORD).hits]
        file.backup()
        while_open = _all_bytes(store_path.parent)
    for data in (while_open, _all_bytes(store_path.parent)):
        for plain in (WORD.encode(), b"allerg", "水獭".encode(), vector, b"SQLite format", b"CREATE TABLE"):
            assert plain not in data
    with opened(store_path, passphrase=PASS) as file:
        assert file.check() == []
        assert file.backups()[0].path.read_bytes()[:4] == b"edm1"


def _vector(text: str) -> bytes:
    from edgemem.store.vectors import pack

    return pack(WordsEmbedder(2048).embed([text], "passage")[0])


def _all_bytes(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file())


def test_without_the_right_passphrase_nothing_opens(locked: Path) -> None:
    with pytest.raises(PassphraseNeeded):
        opened(locked)
    with pytest.raises(WrongPassphrase):
        opened(locked, passphrase="wrong")
    with pytest.raises(InvalidInput, match="empty"):
        opened(locked, passphrase="")
    with pytest.raises(WrongPassphrase):
        opened(locked, key=Key(fresh(PASS).salt, bytes(32)))
    with opened(locked, passphrase=PASS, read_only=True) as file:
        assert file.user("me").recall("水獭").hits
    assert files(locked.parent) == [locked.name]


def test_a_plain_file_is_not_opened_with_a_passphrase_as_if_it_were_safe(store_path: Path) -> None:
    opened(store_path).close()
    with pytest.raises(NotAStore, match="not encrypted"):
        opened(store_path, passphrase=PASS)


@pytest.mark.parametrize(("place", "error"), [(200, StoreCorrupt), (4, WrongPassphrase), (0, NotAStore)])
def test_damage_is_told_from_a_wrong_passphrase(locked: Path, place: int, error: type[StoreError]) -> None:
    data = bytearray(locked.read_bytes())
    data[place] ^= 0x10
    locked.write_bytes(data)
    with pytest.raises(error):
        opened(locked, passphrase=PASS)


def test_damage_in_the_middle_is_seen_by_its_page(locked: Path) -> None:
    data = bytearray(locked.read_bytes())
    for place in range(8192 + 100, len(data), 4096):
        data[place] ^= 0x10
    locked.write_bytes(data)
    with pytest.raises(StoreCorrupt), opened(locked, passphrase=PASS) as file:
        file.user("me").list()


def test_sqlcipher_writes_nothing_to_the_terminal(locked: Path) -> None:
    code = f"""if 1:
        import sys
        from pathlib import Path
        from edgemem.errors import StoreError
        from tests.helpers import opened
        for passphrase in (None, "wrong", {PASS!r}):
            try:
                opened(Path(sys.argv[1]), passphrase=passphrase).close()
            except StoreError as error:
                print(type(error).__name__)
    """
    done = python(code, locked)
    assert done.stdout.split() == ["PassphraseNeeded", "WrongPassphrase"]
    assert done.stderr == ""


# Changing the key


def _is_open(path: Path) -> bool:
    return str(path) in {file.path for file in psutil.Process().open_files()}


def _content(path: Path, passphrase: str | None) -> Any:
    with opened(path, passphrase=passphrase) as file:
        assert file.check() == []
        mem = file.user("me")
        assert mem.recall("水獭").hits
        found = [(m.id, m.content, m.data.keys()) for m in mem.list(status="any")]
        return found, [c.id for c in mem.history(limit=0)], [t.content for t in mem.turns("s")]


@pytest.mark.parametrize("open_files_stay", [False, True], ids=["here", "as on Windows"])
def test_encrypt_change_decrypt_lose_nothing(
    store_path: Path, open_files_stay: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows a file that is open cannot be replaced: it has to be closed first."""
    replace = recrypt._replace

    def put(fresh: Path, path: Path) -> None:
        assert not open_files_stay or not _is_open(path)
        replace(fresh, path)

    monkeypatch.setattr(recrypt, "_OPEN_FILES_STAY", open_files_stay)
    monkeypatch.setattr(recrypt, "_replace", put)
    with opened(store_path) as file:
        file.user("me").add(f"about {WORD}")
        file.user("me").log(said("二十只水獭"))
    store_path.chmod(0o600)
    before = _content(store_path, None)
    edgemem.encrypt(store_path, PASS)
    first = salt_of(store_path)
    assert WORD.encode() not in _all_bytes(store_path.parent)
    assert _content(store_path, PASS) == before
    edgemem.change_passphrase(store_path, PASS, "another")
    assert salt_of(store_path) not in (first, None)
    with pytest.raises(WrongPassphrase):
        opened(store_path, passphrase=PASS)
    assert _content(store_path, "another") == before
    edgemem.decrypt(store_path, "another")
    assert _content(store_path, None) == before
    assert files(store_path.parent) == [store_path.name]
    assert store_path.stat().st_mode & 0o777 == 0o600


def test_wrong_use_changes_nothing(locked: Path) -> None:
    before = locked.read_bytes()
    for call, error in (
        (lambda: edgemem.encrypt(locked, PASS), StoreError),
        (lambda: edgemem.decrypt(locked, "wrong"), WrongPassphrase),
        (lambda: edgemem.change_passphrase(locked, "wrong", "new"), WrongPassphrase),
        (lambda: edgemem.change_passphrase(locked, PASS, ""), InvalidInput),
        (lambda: edgemem.decrypt(locked.with_name("none"), PASS), StoreError),
    ):
        with pytest.raises(error):
            call()  # type: ignore[no-untyped-call]
    assert locked.read_bytes() == before


_HOLDER = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    with opened(Path(sys.argv[1])) as file:
        file.user("me").add("held")
        print("open", flush=True)
        sys.stdin.readline()
"""


def test_it_is_refused_while_somebody_has_the_file_open(store_path: Path) -> None:
    with child(_HOLDER, store_path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(StoreBusy, match="open"):
            edgemem.encrypt(store_path, PASS)
    with opened(store_path) as file:
        with pytest.raises(StoreBusy, match="open"):
            edgemem.encrypt(store_path, PASS)
        assert [m.content for m in file.user("me").list()] == ["held"]
    assert files(store_path.parent) == [store_path.name]


def test_who_waits_for_the_file_meanwhile_does_not_write_into_the_old_one(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that opened the old file while it was locked must find an error there, not an empty store."""
    opened(store_path).close()
    waiting: list[Any] = []
    replace = recrypt._replace

    def meanwhile(fresh: Path, path: Path) -> None:
        waiting.append(plain_connection(path))
        waiting[0].execute("PRAGMA busy_timeout=100")
        replace(fresh, path)

    monkeypatch.setattr(recrypt, "_replace", meanwhile)
    edgemem.encrypt(store_path, PASS)
    with pytest.raises(Exception, match=r"not a database|disk I/O|malformed"):
        waiting[0].execute("SELECT count(*) FROM sqlite_master")
    waiting[0].close()
    with opened(store_path, passphrase=PASS) as file:
        assert file.check() == []


_STAGES = ("export_to", "sync", "link", "replace", "wipe")

_DYING = """if 1:
    import os, sys
    from pathlib import Path
    import edgemem
    from edgemem.store import recrypt, swap
    from edgemem.store.engine import Engine
    stage = sys.argv[2]
    def dies(after):
        def call(*args, **kwargs):
            after(*args, **kwargs)
            os._exit(9)
        return call
    if stage == "export_to":
        Engine.export_to = dies(Engine.export_to)
    elif stage == "sync":
        swap.sync = dies(swap.sync)
    elif stage == "link":
        os.link = dies(os.link)
    elif stage == "replace":
        Path.replace = dies(Path.replace)
    else:
        recrypt.wipe = lambda path: os._exit(9)
    edgemem.encrypt(sys.argv[1], "pass")
"""


@pytest.mark.parametrize("stage", _STAGES)
def test_dying_in_the_middle_leaves_the_old_file_or_the_new_one(store_path: Path, stage: str) -> None:
    with opened(store_path) as file:
        file.user("me").add(f"about {WORD}")
    python(_DYING, store_path, stage, expect=9)
    passphrase = "pass" if salt_of(store_path) is not None else None
    assert (passphrase is not None) == (stage in ("replace", "wipe"))
    with opened(store_path, passphrase=passphrase) as file:
        assert [m.content for m in file.user("me").list()] == [f"about {WORD}"]
        assert file.check() == []
    assert files(store_path.parent) == [store_path.name], "opening it has cleared what was left"
    assert (WORD.encode() in store_path.read_bytes()) == (passphrase is None)


def test_an_erasure_in_an_encrypted_file_is_proved_in_its_decrypted_pages(locked: Path) -> None:
    with opened(locked, passphrase=PASS) as file:
        mem = file.user("me")
        assert mem.look(WORD).kept
        done = mem.erase(search=WORD, verify=True)
        assert done.proof is not None
        assert done.proof.found == {}
        assert done.proof.bytes > locked.stat().st_size
        assert file.check() == []


def test_the_look_sees_into_an_encrypted_file(locked: Path) -> None:
    from edgemem.store import scan

    salt = salt_of(locked)
    assert salt is not None
    assert scan.found(locked, [WORD, "水獭", "absent"], derive(PASS, salt))[0].keys() == {WORD, "水獭"}
    assert scan.found(locked, [WORD])[0] == {}


def test_restore_needs_the_passphrase(locked: Path) -> None:
    with opened(locked, passphrase=PASS) as file:
        backup = file.backup().path
    with pytest.raises(PassphraseNeeded):
        edgemem.restore(backup, locked)
    edgemem.restore(backup, locked, passphrase=PASS)
    with opened(locked, passphrase=PASS) as file:
        assert file.check() == []


def test_two_processes_share_an_encrypted_file(locked: Path) -> None:
    code = f"""if 1:
        import sys
        from pathlib import Path
        from tests.helpers import opened
        with opened(Path(sys.argv[1]), passphrase={PASS!r}) as file:
            file.user("me").add("from the other")
    """
    with opened(locked, passphrase=PASS) as file:
        python(code, locked)
        assert file.user("me").recall("from the other").hits
    assert os.listdir(locked.parent) == [locked.name]  # noqa: PTH208
