"""The tokens of a model: text to tokens and back, exactly."""

from __future__ import annotations

import codecs
import ctypes
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from edgemem_models import log

Tokens = list[int]

_CONTROL: Final = 1 << 3
_USER_DEFINED: Final = 1 << 4
_UNUSABLE: Final = (1 << 0) | (1 << 1)
_JOINER: Final = "\u2060"


class Vocabulary:
    """Tokenises, detokenises and knows which tokens end an answer or must never be written."""

    def __init__(self, pointer: Any) -> None:
        self.lib = log.library()
        self.pointer = pointer
        self.size = int(self.lib.llama_vocab_n_tokens(pointer))
        self.bos = self._special(self.lib.llama_vocab_bos)
        self.eos = self._special(self.lib.llama_vocab_eos)
        self.adds_bos = bool(self.lib.llama_vocab_get_add_bos(pointer))
        self._pieces: dict[int, bytes] = {}

    def _special(self, function: Any) -> str:
        token = int(function(self.pointer))
        return self.piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    def tokenize(self, text: str, *, special: bool = False, add_special: bool = False) -> Tokens:
        """Tokens of ``text``. ``special``: names of control tokens become these tokens."""
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 8
        buffer = (ctypes.c_int32 * room)()
        found = self.lib.llama_tokenize(self.pointer, raw, len(raw), buffer, room, add_special, special)
        if found < 0:
            buffer = (ctypes.c_int32 * -found)()
            found = self.lib.llama_tokenize(self.pointer, raw, len(raw), buffer, -found, add_special, special)
        return list(buffer[:found])

    def tokenize_prompt(self, rendered: str) -> Tokens:
        """Tokens of a rendered chat template, with exactly one beginning-of-text token where the model wants one."""
        doubled = bool(self.bos) and rendered.startswith(self.bos)
        return self.tokenize(rendered, special=True, add_special=self.adds_bos and not doubled)

    def is_token(self, name: str) -> bool:
        """Whether a grammar's ``<name>``, or ``<[number]>``, is exactly one token."""
        if name.startswith("<["):
            number = name[2:-2]
            return name.endswith("]>") and number.isdecimal() and number.isascii() and int(number) < self.size
        return len(self.tokenize(name, special=True)) == 1

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """The exact bytes of one token, however long; control tokens are empty unless ``special``."""
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = self.lib.llama_token_to_piece(self.pointer, token, buffer, size, 0, special)
            if length >= 0:
                return buffer.raw[:length]
            size = -length

    def text_piece(self, token: int) -> bytes:
        """As ``piece``, remembered: the same few thousand tokens come again and again."""
        found = self._pieces.get(token)
        if found is None:
            found = self._pieces[token] = self.piece(token)
        return found

    def detokenize(self, tokens: Iterable[int]) -> str:
        """Text of ``tokens``; bytes that are no UTF-8 become U+FFFD."""
        return b"".join(map(self.text_piece, tokens)).decode("utf-8", "replace")

    @cached_property
    def attributes(self) -> npt.NDArray[np.int32]:
        """llama.cpp's attribute bits of every token."""
        get = self.lib.llama_vocab_get_attr
        return np.fromiter((get(self.pointer, i) for i in range(self.size)), dtype=np.int32, count=self.size)

    @cached_property
    def ends(self) -> npt.NDArray[np.int64]:
        """Tokens that end an answer."""
        special = np.flatnonzero(self.attributes & (_CONTROL | _USER_DEFINED))
        check = self.lib.llama_vocab_is_eog
        found = {int(token) for token in special if check(self.pointer, int(token))}
        found |= {token for token in (self.lib.llama_vocab_eos(self.pointer),) if token >= 0}
        return np.array(sorted(found), dtype=np.int64)

    @cached_property
    def end_set(self) -> frozenset[int]:
        """``ends`` as a set."""
        return frozenset(self.ends.tolist())

    @cached_property
    def forbidden(self) -> npt.NDArray[np.int64]:
        """Control and unusable tokens that a model must not write into an answer."""
        control = np.flatnonzero(self.attributes & (_CONTROL | _UNUSABLE))
        return np.setdiff1d(control, self.ends)

    @cached_property
    def single_bytes(self) -> npt.NDArray[np.int32]:
        """One token for each byte value that can begin a character; empty if the vocabulary lacks some."""
        wanted = set(range(1, 128)) | set(range(0xC2, 0xF5))
        found: dict[int, int] = {}
        for token in range(min(self.size, 1024)):
            piece = self.piece(token)
            if len(piece) == 1 and piece[0] in wanted:
                found.setdefault(piece[0], token)
        return np.array(list(found.values()) if len(found) == len(wanted) else [], dtype=np.int32)

    @cached_property
    def _marks(self) -> tuple[str, ...]:
        """Texts that the tokeniser would turn into control tokens."""
        special = np.flatnonzero(self.attributes & (_CONTROL | _USER_DEFINED))
        texts = {self.piece(int(token), special=True).decode("utf-8", "replace") for token in special}
        return tuple(sorted((text for text in texts if len(text) > 2 and not text.isspace()), key=len, reverse=True))

    def defuse(self, content: str) -> str:
        """``content`` with the names of control tokens broken up, so that quoted text cannot open a new message."""
        if "<" not in content and "[" not in content:
            return content
        for mark in self._marks:
            if mark in content:
                content = content.replace(mark, mark[0] + _JOINER + mark[1:])
        return content


class TextStream:
    """Turns tokens into whole characters as they come; a character may span several tokens."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, token: int) -> str:
        """The characters that ``token`` completes, perhaps none."""
        return self._decoder.decode(self._vocabulary.text_piece(token))
