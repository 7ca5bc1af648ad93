"""Turn the carrier's multilingual-e5-small into a GGUF file llama.cpp can load, without touching a weight.

The carrier keeps the model in one file (``E5S1``): sizes, a unigram vocabulary with scores, a table of
tensors, then the tensors. Matrices are GGML Q4_0 blocks already and vectors are 32-bit floats, so every
tensor is copied byte for byte; only the header is new. The same input always gives the same output.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edgemem.errors import ModelFileInvalid
from edgemem_models.gguf_write import F32, Q4_0, GgufWriter, Tensor

MAGIC: Final = b"E5S1"
_VERSION_BYTES: Final = 4
_MOSTLY_Q4_0: Final = 2
_POOL_MEAN: Final = 1
_NORMAL, _UNKNOWN, _CONTROL, _UNUSED = 1, 2, 3, 5
_UNUSED_SCORE: Final = -10000.0

# llama.cpp's name of a layer's matrix -> (the carrier's name, rows, columns), with h hidden and f inner width
_MATRICES: Final = {
    "attn_q": ("q", "h", "h"),
    "attn_k": ("k", "h", "h"),
    "attn_v": ("v", "h", "h"),
    "attn_output": ("ao", "h", "h"),
    "ffn_up": ("fi", "f", "h"),
    "ffn_down": ("fo", "h", "f"),
}
_NORMS: Final = {"attn_output_norm": "aln", "layer_output_norm": "oln"}


@dataclass(frozen=True, slots=True)
class _Shape:
    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    kinds: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class _Words:
    tokens: list[bytes]
    scores: tuple[float, ...]
    begin: int
    end: int
    pad: int
    unknown: int


class _Carrier:
    """The parsed input: shape, vocabulary and where each tensor lies."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = len(MAGIC) + _VERSION_BYTES
        self.shape = _Shape(*self._take("<7i"), *self._take("<f"))
        self._take("<i")  # length of a quantisation block, 32 in Q4_0
        self.words = self._read_words()
        _, skipped = self._take("<iI")
        self.at += skipped
        self.tensors = dict(self._read_tensors())

    def _take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return values

    def _read_words(self) -> _Words:
        count, begin, end, pad, unknown = self._take("<5i")
        (length,) = self._take("<Q")
        offsets = self._take(f"<{count + 1}I")
        scores: tuple[float, ...] = self._take(f"<{count}f")
        blob = self.data[self.at : self.at + length]
        self.at += length
        tokens = [blob[offsets[i] : offsets[i + 1]] for i in range(count)]
        return _Words(tokens, scores, begin, end, pad, unknown)

    def _read_tensors(self) -> Iterator[tuple[str, tuple[int, int]]]:
        (count,) = self._take("<i")
        for _ in range(count):
            (length,) = self._take("<H")
            name = self.data[self.at : self.at + length].decode()
            self.at += length
            _kind, _values, offset, size = self._take("<BIQQ")
            yield name, (offset, size)

    def bytes_of(self, name: str) -> bytes:
        """The raw bytes of a tensor."""
        offset, size = self.tensors[name]
        return self.data[offset : offset + size]


def repack(source: Path, target: Path) -> None:
    """Write ``target`` (GGUF) from ``source`` (the carrier's file).

    Raises ``ModelFileInvalid`` when the source is not what it should be.
    """
    with source.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise ModelFileInvalid(f"{source.name} is not the expected carrier of multilingual-e5-small.")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            writer = _checked(source.name, data)
            with target.open("wb") as out:
                writer.write(out)


def _checked(name: str, data: mmap.mmap) -> GgufWriter:
    try:
        return _writer(_Carrier(data))
    except (struct.error, KeyError, IndexError, ValueError) as error:
        raise ModelFileInvalid(f"{name} is cut or damaged: {error}.") from error


def _writer(carrier: _Carrier) -> GgufWriter:
    writer = GgufWriter("bert")
    _describe(writer, carrier.shape)
    _vocabulary(writer, carrier.words, max(carrier.shape.vocabulary, len(carrier.words.tokens)))
    for tensor in _tensors(carrier):
        writer.tensor(tensor)
    return writer


def _describe(writer: GgufWriter, shape: _Shape) -> None:
    writer.text("general.name", "multilingual-e5-small")
    writer.text("general.license", "mit")
    writer.uint("bert.context_length", shape.positions)
    writer.uint("bert.embedding_length", shape.hidden)
    writer.uint("bert.block_count", shape.layers)
    writer.uint("bert.feed_forward_length", shape.inner)
    writer.uint("bert.attention.head_count", shape.heads)
    writer.real("bert.attention.layer_norm_epsilon", shape.epsilon)
    writer.flag("bert.attention.causal", False)
    writer.uint("bert.pooling_type", _POOL_MEAN)
    writer.uint("tokenizer.ggml.token_type_count", shape.kinds)
    writer.uint("general.file_type", _MOSTLY_Q4_0)


def _vocabulary(writer: GgufWriter, words: _Words, rows: int) -> None:
    """The vocabulary, filled up with unused tokens to the number of rows of the embedding matrix."""
    known, spare = len(words.tokens), range(len(words.tokens), rows)
    writer.text("tokenizer.ggml.model", "t5")
    writer.text("tokenizer.ggml.pre", "default")
    writer.texts("tokenizer.ggml.tokens", words.tokens + [f"[PAD{i}]".encode() for i in spare])
    writer.reals("tokenizer.ggml.scores", [*words.scores, *(_UNUSED_SCORE for _ in spare)])
    kinds = [_NORMAL] * known + [_UNUSED] * len(spare)
    for token in (words.begin, words.end, words.pad):
        kinds[token] = _CONTROL
    kinds[words.unknown] = _UNKNOWN
    if words.tokens[-1] == b"<mask>":
        kinds[known - 1] = _CONTROL
    writer.ints("tokenizer.ggml.token_type", kinds)
    _special_tokens(writer, words)


def _special_tokens(writer: GgufWriter, words: _Words) -> None:
    writer.flag("tokenizer.ggml.add_space_prefix", True)
    writer.flag("tokenizer.ggml.remove_extra_whitespaces", True)
    writer.uint("tokenizer.ggml.bos_token_id", words.begin)
    writer.uint("tokenizer.ggml.eos_token_id", words.end)
    writer.uint("tokenizer.ggml.unknown_token_id", words.unknown)
    writer.uint("tokenizer.ggml.seperator_token_id", words.end)  # spelt so in the GGUF specification
    writer.uint("tokenizer.ggml.padding_token_id", words.pad)
    writer.flag("tokenizer.ggml.add_bos_token", True)
    writer.flag("tokenizer.ggml.add_eos_token", True)


def _tensors(carrier: _Carrier) -> Iterator[Tensor]:
    shape = carrier.shape
    h = shape.hidden
    yield _matrix(carrier, "token_embd.weight", "emb.word", (h, shape.vocabulary))
    yield _floats(carrier, "position_embd.weight", "emb.pos", (h, shape.positions))
    yield _floats(carrier, "token_types.weight", "emb.type", (h, shape.kinds))
    yield _floats(carrier, "token_embd_norm.weight", "emb.ln.w", (h,))
    yield _floats(carrier, "token_embd_norm.bias", "emb.ln.b", (h,))
    for layer in range(shape.layers):
        yield from _layer(carrier, layer)


def _layer(carrier: _Carrier, layer: int) -> Iterator[Tensor]:
    width = {"h": carrier.shape.hidden, "f": carrier.shape.inner}
    for name, (short, rows, columns) in _MATRICES.items():
        target, source = f"blk.{layer}.{name}", f"l{layer}.{short}"
        yield _matrix(carrier, f"{target}.weight", f"{source}.w", (width[columns], width[rows]))
        yield _floats(carrier, f"{target}.bias", f"{source}.b", (width[rows],))
    for name, short in _NORMS.items():
        yield _floats(carrier, f"blk.{layer}.{name}.weight", f"l{layer}.{short}.w", (width["h"],))
        yield _floats(carrier, f"blk.{layer}.{name}.bias", f"l{layer}.{short}.b", (width["h"],))


def _matrix(carrier: _Carrier, name: str, source: str, shape: tuple[int, int]) -> Tensor:
    columns, rows = shape
    return _tensor(carrier, name, source, shape, Q4_0, columns // 32 * 18 * rows)


def _floats(carrier: _Carrier, name: str, source: str, shape: tuple[int, ...]) -> Tensor:
    size = 4
    for length in shape:
        size *= length
    return _tensor(carrier, name, source, shape, F32, size)


def _tensor(carrier: _Carrier, name: str, source: str, shape: tuple[int, ...], kind: int, size: int) -> Tensor:
    offset, held = carrier.tensors[source]
    if held != size or offset + held > len(carrier.data):
        raise ValueError(f"tensor {source} has not its {size} bytes")
    return Tensor(name, shape, kind, size, lambda: carrier.bytes_of(source))
