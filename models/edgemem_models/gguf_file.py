"""Reading the header of a GGUF file: what is in it, and whether it is whole.

Needs neither llama.cpp nor numpy and touches only the header, so that a folder of
models can be listed in milliseconds. Layout after the GGUF specification, versions 2 and 3.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from edgemem.errors import ModelFileInvalid, ModelTooNew

Role = Literal["chat", "embedding", "other"]
"""What a file can be used for; ``other`` covers projectors, adapters, rerankers, speech and later shards."""

KvType = Literal["f16", "q8_0", "q4_0"]
"""How keys and values are kept: 16 bits, or packed into about 8.5 or 4.5 bits a value at some loss."""

KV_TYPES: Final[tuple[KvType, ...]] = ("f16", "q8_0", "q4_0")

MAGIC: Final = b"GGUF"
NEWEST: Final = 3
"""Version of GGUF."""
PULL_HINT: Final = "Fetch it again where it came from; for a model of the catalogue: edgemem models pull"

_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_SIZES: Final = {kind: struct.calcsize("<" + code) for kind, code in _SCALARS.items()}
_STRING: Final = 8
_ARRAY: Final = 9
_MAX_ENTRIES: Final = 1_000_000
_KEPT_ARRAY: Final = 1024

# ggml tensor type -> (values in a block, bytes of a block)
_BLOCKS: Final = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip

_KV_KINDS: Final[dict[KvType, int]] = {"f16": 1, "q8_0": 8, "q4_0": 2}

# general.file_type -> the name people know it by
_QUANTS: Final = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
    12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K",
    19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL",
    26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16",
    36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}  # fmt: skip

_POOLINGS: Final = {0: "none", 1: "mean", 2: "cls", 3: "last", 4: "rank"}
_EMBEDDING_ARCHITECTURES: Final = frozenset({
    "bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "modern-bert", "neo-bert", "eurobert",
    "t5encoder", "gemma-embedding", "llama-embed",
})  # fmt: skip
_OTHER_ARCHITECTURES: Final = frozenset({
    "clip", "mmproj", "whisper", "wavtokenizer-dec", "flux", "sd1", "sdxl", "sd3", "qwen_image",
})  # fmt: skip
_OTHER_TYPES: Final = frozenset({"mmproj", "adapter", "vocab", "imatrix", "controlvector"})


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What the header of a model file says.

    ``size`` is in bytes; ``quant`` as in ``Q4_K_M``, ``unknown`` if the file does not say;
    ``pooling`` is None, ``mean``, ``cls``, ``last`` or ``rank``; ``kv_width`` is the number of
    key and value components that each token adds over all layers; ``vocabulary`` counts tokens,
    ``parameters`` the weights.
    """

    path: Path
    size: int
    architecture: str
    name: str
    quant: str
    role: Role
    context_length: int
    embedding_length: int
    pooling: str | None
    chat_template: str | None
    layers: int = 0
    heads: int = 0
    kv_heads: int = 0
    kv_width: int = 0
    vocabulary: int = 0
    parameters: int = 0

    def kv_bytes(self, n_ctx: int, kv_type: KvType = "f16") -> int:
        """Bytes of the key/value cache for ``n_ctx`` tokens."""
        values, width = _BLOCKS[_KV_KINDS[kv_type]]
        return 0 if self.role == "embedding" else self.kv_width * n_ctx * width // values

    def compute_bytes(self, n_ubatch: int = 256) -> int:
        """Bytes of the working buffers for batches of ``n_ubatch`` tokens (logits, attention, activations)."""
        outputs = 0 if self.role == "embedding" else self.vocabulary
        return n_ubatch * 4 * (outputs + 16 * self.embedding_length) + (32 << 20)

    def ram_bytes(self, n_ctx: int, kv_type: KvType = "f16") -> int:
        """Memory the model needs with one window of ``n_ctx`` tokens, an estimate from above."""
        return self.size + self.kv_bytes(n_ctx, kv_type) + self.compute_bytes()


def weights_fingerprint(info: ModelInfo) -> str:
    """Stable id of a model file, without reading all of it: its size, first and last MiB."""
    digest = hashlib.sha256(str(info.size).encode())
    with info.path.open("rb") as file:
        digest.update(file.read(1 << 20))
        file.seek(max(0, info.size - (1 << 20)))
        digest.update(file.read(1 << 20))
    return digest.hexdigest()[:32]


def read_header(path: Path) -> ModelInfo:
    """Read what a GGUF file says about itself.

    Raises ``ModelFileInvalid`` with a plain reason when it is missing, empty, cut or something else, ``ModelTooNew``
    for a version of GGUF that came later.
    """
    path = Path(path)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            _check_start(path, file.read(512), size)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _read(path, data, size)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFileInvalid(f"{path.name} cannot be read: {reason}.", "Check the path and its rights.") from error


def _check_start(path: Path, start: bytes, size: int) -> None:
    """Refuse what is no GGUF, naming what it is instead."""
    if size == 0:
        raise ModelFileInvalid(f"{path.name} is empty.", PULL_HINT)
    if start[:4] != MAGIC:
        raise ModelFileInvalid(f"{path.name} is not a GGUF model: {_looks_like(start)}.", PULL_HINT)
    if size < 24:
        raise ModelFileInvalid(f"{path.name} is cut off inside its header.", PULL_HINT)
    version = struct.unpack_from("<I", start, 4)[0]
    if version & 0xFFFF == 0:
        raise ModelFileInvalid(f"{path.name} is a big-endian GGUF.", "Use the ordinary (little-endian) file.")
    if version < 2:
        raise ModelFileInvalid(f"{path.name} is a GGUF of version {version}, too old.", "Use a newer conversion.")
    if version > NEWEST:
        raise ModelTooNew(
            f"{path.name} is a GGUF of version {version}, this edgemem knows up to {NEWEST}.",
            "Upgrade edgemem and llama-cpp-python, or use an older conversion.",
        )


def _looks_like(start: bytes) -> str:
    """Say in words what the first bytes of a file are."""
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        return "it is a web page saved under that name"
    if text.startswith(b"version https://git-lfs"):
        return "it is a git-lfs pointer, not the file it points to"
    if text.startswith((b"{", b"[")):
        return "it is a JSON text"
    if start.startswith(b"PK\x03\x04"):
        return "it is a zip archive"
    if not start.strip(b"\x00"):
        return "it holds only zeros, an unfinished download"
    return "it does not begin with the letters GGUF"


class _Cursor:
    """Walks over the header; every overrun becomes a ``struct.error`` or a ``ValueError``."""

    def __init__(self, data: mmap.mmap, size: int) -> None:
        self.data = data
        self.size = size
        self.at = 4

    def scalar(self, kind: int) -> int | float | bool:
        """One number of a GGUF value type."""
        value: int | float | bool = struct.unpack_from("<" + _SCALARS[kind], self.data, self.at)[0]
        self.at += _SIZES[kind]
        return value

    def count(self, kind: int = 10) -> int:
        """One number that says how much follows; absurd ones are refused."""
        value = int(self.scalar(kind))
        if value > self.size:
            raise ValueError("a length in the header is longer than the file")
        return value

    def text(self) -> str:
        """One string."""
        length = self.count()
        raw = self.data[self.at : self.at + length]
        if len(raw) != length:
            raise ValueError("a string is cut")
        self.at += length
        return raw.decode("utf-8", "replace")

    def value(self) -> object:
        """One metadata value; long arrays give only their length, as a ``range``."""
        kind = int(self.scalar(4))
        if kind == _STRING:
            return self.text()
        return self._array() if kind == _ARRAY else self.scalar(kind)

    def _array(self) -> object:
        kind, length = int(self.scalar(4)), self.count()
        if kind == _STRING:
            self._skip_texts(length)
        elif length <= _KEPT_ARRAY:
            return [self.scalar(kind) for _ in range(length)]
        else:
            self.at += _SIZES[kind] * length
        return range(length)

    def _skip_texts(self, length: int) -> None:
        """Step over many strings fast: a vocabulary has up to 262,000 of them."""
        at, data, unpack = self.at, self.data, struct.Struct("<Q").unpack_from
        for _ in range(length):
            at += 8 + unpack(data, at)[0]
            if at > self.size:
                raise ValueError("the vocabulary is cut")
        self.at = at


def _read(path: Path, data: mmap.mmap, size: int) -> ModelInfo:
    cursor = _Cursor(data, size)
    try:
        cursor.scalar(4)
        tensors, entries = cursor.count(), cursor.count()
        if max(tensors, entries) > _MAX_ENTRIES:
            raise ValueError("the header is damaged")
        meta = {cursor.text(): cursor.value() for _ in range(entries)}
        end, parameters = _tensors(cursor, tensors, _number(meta, "general.alignment", 32))
    except (struct.error, ValueError, KeyError, IndexError, OverflowError, MemoryError) as error:
        raise ModelFileInvalid(f"{path.name} is cut off or damaged inside its header.", PULL_HINT) from error
    if end > size:
        message = f"{path.name} is cut off: {_size(size)} of {_size(end)} are there."
        raise ModelFileInvalid(message, PULL_HINT)
    return _describe(path, size, meta, parameters)


def _tensors(cursor: _Cursor, tensors: int, alignment: int) -> tuple[int, int]:
    """Offset in the file where the last tensor ends, and the number of values in all of them."""
    last = total = 0
    for _ in range(tensors):
        cursor.text()
        values = 1
        for _ in range(cursor.count(4)):
            values *= int(cursor.scalar(10))
        kind, offset = int(cursor.scalar(4)), int(cursor.scalar(10))
        block, width = _BLOCKS.get(kind, (1, 0))
        last = max(last, offset + values // block * width)
        total += values
    if not tensors:
        return cursor.at, 0
    start = -(-cursor.at // max(alignment, 1)) * max(alignment, 1)
    return start + last, total


def _number(meta: dict[str, object], key: str, default: int = 0) -> int:
    """A whole number of the metadata; of a per-layer list the largest."""
    value = meta.get(key, default)
    if isinstance(value, list):
        return max((int(item) for item in value), default=default)
    return int(value) if isinstance(value, int | float) else default


def _text(meta: dict[str, object], key: str) -> str:
    value = meta.get(key, "")
    return value if isinstance(value, str) else ""


def _describe(path: Path, size: int, meta: dict[str, object], parameters: int) -> ModelInfo:
    architecture = _text(meta, "general.architecture")

    def own(key: str, default: int = 0) -> int:
        return _number(meta, f"{architecture}.{key}", default)

    heads, embedding = own("attention.head_count"), own("embedding_length")
    tokens = meta.get("tokenizer.ggml.tokens")
    return ModelInfo(
        path=path,
        size=size,
        architecture=architecture or "unknown",
        name=_text(meta, "general.name") or path.stem,
        quant=_quant(meta),
        role=_role(architecture, meta),
        context_length=own("context_length"),
        embedding_length=embedding,
        pooling=_pooling(architecture, meta),
        chat_template=_text(meta, "tokenizer.chat_template") or _text(meta, "tokenizer.chat_template.default") or None,
        layers=own("block_count"),
        heads=heads,
        kv_heads=own("attention.head_count_kv", heads),
        kv_width=_kv_width(meta, own, embedding // heads if heads else 0),
        vocabulary=len(tokens) if isinstance(tokens, range | list) else own("vocab_size"),
        parameters=parameters,
    )


def _kv_width(meta: dict[str, object], own: Callable[..., int], head: int) -> int:
    """Key and value components of one token over all layers."""
    per_layer = meta.get(f"{_text(meta, 'general.architecture')}.attention.head_count_kv")
    if isinstance(per_layer, list):
        heads = sum(int(item) for item in per_layer)
    else:
        heads = own("block_count") * own("attention.head_count_kv", own("attention.head_count"))
    return heads * (own("attention.key_length", head) + own("attention.value_length", head))


def _quant(meta: dict[str, object]) -> str:
    return _QUANTS.get(_number(meta, "general.file_type", -1), "unknown")


def _pooling(architecture: str, meta: dict[str, object]) -> str | None:
    name = _POOLINGS.get(_number(meta, f"{architecture}.pooling_type", -1))
    return None if name == "none" else name


def _role(architecture: str, meta: dict[str, object]) -> Role:
    if not architecture or architecture in _OTHER_ARCHITECTURES or _text(meta, "general.type") in _OTHER_TYPES:
        return "other"
    if _number(meta, "split.no") > 0:
        return "other"
    pooling = _pooling(architecture, meta)
    if pooling == "rank":
        return "other"
    return "embedding" if architecture in _EMBEDDING_ARCHITECTURES or pooling else "chat"


def _size(count: int) -> str:
    """A number of bytes as people read it."""
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
