"""Sensitive memories: a label for everybody, the value for whoever has the passphrase."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edgemem
from edgemem.errors import Conflict, InvalidInput, NotFound, PassphraseNeeded, StoreCorrupt, StoreError
from edgemem.store.key import Key, derive, salt_of
from edgemem.write.secret.sealed import DEFAULT_LABEL
from tests.helpers import opened
from tests.store.conftest import PASS


def test_only_the_label_is_seen_anywhere(locked: Path) -> None:
    with opened(locked, passphrase=PASS) as file:
        mem = file.user("me")
        hit = mem.recall("door code").hits[0]
        assert (hit.content, hit.memory and hit.memory.sensitivity) == ("door code: ••••", "sensitive")
        assert mem.reveal(hit.id) == "The door code is 4711-plum"
        everything = repr(
            (mem.list(status="any"), mem.history(), mem.recall("4711-plum").hits, mem.context("door code").text)
        )
        assert "4711-plum" not in everything
        assert "4711-plum" not in repr(
            [tuple(r) for r in file.engine.raw().execute("SELECT content, data FROM memory")]
        )
        with pytest.raises(Conflict, match="sealed"):
            mem.edit(hit.id, "The door has no code")
        with pytest.raises(Conflict, match="label"):
            mem.add_secret("The door code is 1234", label="door code")
        with pytest.raises(InvalidInput, match="label"):
            mem.add_secret("hunter2x", label="it is hunter2x")
        with pytest.raises(NotFound, match="sealed"):
            mem.reveal(mem.list(kind="fact")[-1].id)
        assert file.check() == []


@pytest.mark.parametrize(
    ("secret", "label"),
    [
        ("my password is hunter2-99x", "my password is ••••"), ("card 4111 1111 1111 1111 of the bank", "card •••• of the bank"),
        ("密码：abc12345", "密码：••••"), ("I was once very ill", DEFAULT_LABEL),
    ],
)  # fmt: skip
def test_the_label_of_its_own_tells_nothing(secret: str, label: str) -> None:
    from edgemem.write.secret.sealed import label_of

    assert label_of(secret, None) == label


def test_the_page_key_alone_reveals_nothing(locked: Path) -> None:
    """What the keyring holds opens the file, not what is sealed in it."""
    salt = salt_of(locked)
    assert salt is not None
    key = derive(PASS, salt)
    with opened(locked, key=Key(key.salt, key.pages)) as file:
        uid = file.user("me").recall("door code").hits[0].id
        with pytest.raises(PassphraseNeeded):
            file.user("me").reveal(uid)


def test_sealed_values_follow_the_passphrase_and_hinder_decryption(locked: Path) -> None:
    edgemem.change_passphrase(locked, PASS, "another")
    with opened(locked, passphrase="another") as file:
        uid = file.user("me").recall("door code").hits[0].id
        assert file.user("me").reveal(uid) == "The door code is 4711-plum"
    with pytest.raises(StoreError, match="sealed"):
        edgemem.decrypt(locked, "another")
    with opened(locked, passphrase="another") as file:
        file.user("me").erase(uid)
    edgemem.decrypt(locked, "another")
    with opened(locked) as file:
        assert len(file.user("me").list()) == 1


def test_a_sealed_value_opens_only_where_it_belongs(locked: Path) -> None:
    with opened(locked, passphrase=PASS) as file:
        mem = file.user("me")
        first = mem.recall("door code").hits[0].id
        second = mem.add_secret("The safe code is 1111", label="safe code")
        move: Callable[..., Any] = file.engine.raw().execute
        move("UPDATE memory SET data = (SELECT data FROM memory WHERE uid = ?) WHERE uid = ?", (first, second))
        with pytest.raises(StoreCorrupt, match="altered"):
            mem.reveal(second)


def test_without_a_passphrase_nothing_is_sealed_and_no_secret_taken(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        with pytest.raises(InvalidInput, match="passphrase"):
            mem.add_secret("The door code is 4711-plum", label="door code")
        with pytest.raises(InvalidInput, match="password"):
            mem.add("my password is hunter2-99x")
        assert mem.list() == []
        uid = mem.add("I like tea")
        with pytest.raises(InvalidInput, match="password"):
            mem.edit(uid, "my password is hunter2-99x")
        assert mem.get(uid).content == "I like tea"
