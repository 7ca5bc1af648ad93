"""An export under a passphrase: nothing plain lies anywhere, nothing can be changed, the right passphrase gives all back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem.errors import EdgememError, InvalidInput, PassphraseNeeded, WrongPassphrase
from edgemem.interop import sealed_file
from edgemem.store import key
from edgemem.view import Memory
from tests.helpers import files, said
from tests.interop.moving import lines, other

WORDS = "battery horse staple"
SAID = "xylocarpine bees"


@pytest.fixture
def sealed(tmp_path: Path, mem: Memory) -> Path:
    mem.add(f"I keep {SAID}")
    mem.log(said(f"hello {SAID}"))
    (tmp_path / "out").mkdir()
    mem.export_to(tmp_path / "out/me.jsonl", passphrase=WORDS)
    return tmp_path / "out/me.jsonl"


def test_it_comes_back_whole_and_nothing_plain_is_left(tmp_path: Path, mem: Memory, sealed: Path) -> None:
    assert files(sealed.parent) == ["me.jsonl"]
    assert b"xylocarpine" not in sealed.read_bytes()
    assert sealed.stat().st_mode & 0o077 == 0
    with other(tmp_path) as second:
        copy = second.user("me")
        assert not copy.import_from(sealed, passphrase=WORDS).left
        assert lines(copy) == lines(mem)


@pytest.mark.parametrize(("words", "error"), [(None, PassphraseNeeded), ("other", WrongPassphrase)])
def test_without_the_passphrase_it_says_so(
    mem: Memory, sealed: Path, words: str | None, error: type[EdgememError]
) -> None:
    with pytest.raises(error):
        mem.import_from(sealed, passphrase=words)


def test_two_exports_of_the_same_have_nothing_in_common(mem: Memory, sealed: Path) -> None:
    before = sealed.read_bytes()
    mem.export_to(sealed, passphrase=WORDS, overwrite=True)
    after = sealed.read_bytes()
    assert before[:20] == after[:20]
    assert before[20:] != after[20:]


def test_notes_and_streams_are_not_encrypted_by_halves(tmp_path: Path, mem: Memory) -> None:
    import io

    mem.add("I keep bees")
    with pytest.raises(InvalidInput, match="Notes are for reading"):
        mem.export_to(tmp_path / "notes", passphrase=WORDS)
    stream = io.StringIO()
    with pytest.raises(InvalidInput, match="no text for a stream"):
        mem.export_to(stream, passphrase=WORDS)
    assert stream.getvalue() == ""
    assert not (tmp_path / "notes").exists()


PIECE = sealed_file._PIECE


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 7])
def test_any_length_comes_back(size: int) -> None:
    text = "a" * size
    data = b"".join(sealed_file.closed([text[:5], text[5:]], WORDS))
    assert sealed_file.opened(data, WORDS) == text.encode()


@pytest.fixture(scope="module")
def three_pieces() -> bytes:
    return b"".join(sealed_file.closed(["b" * (2 * PIECE + 100)], WORDS))


@pytest.fixture(scope="module")
def cipher(three_pieces: bytes) -> Any:
    return sealed_file._cipher(key.derive(WORDS, three_pieces[len(sealed_file.MAGIC) : sealed_file._HEAD]))


@settings(max_examples=30)
@given(st.data())
def test_no_byte_can_be_changed_and_nothing_cut(three_pieces: bytes, cipher: Any, data: st.DataObject) -> None:
    start = sealed_file._HEAD
    place = data.draw(st.integers(start, len(three_pieces) - 1))
    flipped = bytearray(three_pieces)
    flipped[place] ^= 1 << data.draw(st.integers(0, 7))
    whole = PIECE + 16
    cut = data.draw(st.sampled_from([start, start + whole, start + 2 * whole, len(three_pieces) - 1]))
    swapped = (
        three_pieces[:start] + three_pieces[start + whole : start + 2 * whole] + three_pieces[start : start + whole]
    )
    for wrong in (bytes(flipped), three_pieces[:cut], swapped + three_pieces[start + 2 * whole :], three_pieces + b"x"):
        with pytest.raises(InvalidInput, match="cut or changed"):
            sealed_file._opened(wrong, cipher)
