from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import gguf
import pytest
from edgemem_models.gguf_file import read_header
from edgemem_models.gguf_write import F32, GgufWriter, Tensor
from edgemem_models.repack_e5 import repack

from edgemem.errors import ModelFileInvalid

HIDDEN, INNER, POSITIONS = 32, 64, 4
TOKENS = [b"<s>", b"<pad>", b"</s>", b"<unk>", "é".encode(), b"<mask>"]


def carrier_bytes(rows: int = 8) -> bytes:
    """A model in the carrier's format, one layer, with recognisable weights."""
    names: list[tuple[str, int, int]] = [
        ("emb.word", 1, rows * HIDDEN // 32 * 18),
        ("emb.pos", 0, POSITIONS * HIDDEN * 4),
    ]
    names += [("emb.type", 0, HIDDEN * 4), ("emb.ln.w", 0, HIDDEN * 4), ("emb.ln.b", 0, HIDDEN * 4)]
    for short, out, into in (
        ("q", HIDDEN, HIDDEN),
        ("k", HIDDEN, HIDDEN),
        ("v", HIDDEN, HIDDEN),
        ("ao", HIDDEN, HIDDEN),
        ("fi", INNER, HIDDEN),
        ("fo", HIDDEN, INNER),
    ):
        names += [(f"l0.{short}.w", 1, out * into // 32 * 18), (f"l0.{short}.b", 0, out * 4)]
    for short in ("aln", "oln"):
        names += [(f"l0.{short}.w", 0, HIDDEN * 4), (f"l0.{short}.b", 0, HIDDEN * 4)]
    head = b"E5S1" + struct.pack("<i7ifi", 1, HIDDEN, 1, 2, INNER, rows, POSITIONS, 1, 1e-12, 32)
    blob, offsets = b"".join(TOKENS), [0]
    for token in TOKENS:
        offsets.append(offsets[-1] + len(token))
    head += struct.pack("<5iQ", len(TOKENS), 0, 2, 1, 3, len(blob)) + struct.pack(f"<{len(offsets)}I", *offsets)
    head += struct.pack(f"<{len(TOKENS)}f", *(-float(i) for i in range(len(TOKENS)))) + blob
    head += struct.pack("<iI", 0, 3) + b"xyz" + struct.pack("<i", len(names))
    at = len(head) + sum(2 + len(name) + 1 + 4 + 16 for name, _, _ in names)
    body = b""
    for number, (name, kind, size) in enumerate(names):
        head += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", kind, 0, at + len(body), size)
        body += bytes([number + 1]) * size
    return head + body


@pytest.fixture
def carrier(tmp_path: Path) -> Path:
    path = tmp_path / "e5.bin"
    path.write_bytes(carrier_bytes())
    return path


def test_the_same_input_gives_the_same_bytes(carrier: Path, tmp_path: Path) -> None:
    repack(carrier, tmp_path / "a.gguf")
    repack(carrier, tmp_path / "b.gguf")
    assert (tmp_path / "a.gguf").read_bytes() == (tmp_path / "b.gguf").read_bytes()


def test_the_result_is_an_embedding_model(carrier: Path, tmp_path: Path) -> None:
    repack(carrier, tmp_path / "a.gguf")
    info = read_header(tmp_path / "a.gguf")
    assert (info.role, info.architecture, info.quant, info.pooling) == ("embedding", "bert", "Q4_0", "mean")
    assert (info.embedding_length, info.context_length, info.vocabulary) == (HIDDEN, POSITIONS, 8)


def test_another_reader_sees_every_weight_unchanged(carrier: Path, tmp_path: Path) -> None:
    repack(carrier, tmp_path / "a.gguf")
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(tmp_path / "a.gguf").tensors}
    assert len(tensors) == 5 + 16
    assert set(tensors["token_embd.weight"].data.tobytes()) == {1}
    assert set(tensors["blk.0.ffn_down.weight"].data.tobytes()) == {16}
    assert tensors["blk.0.ffn_down.weight"].shape.tolist() == [INNER, HIDDEN]
    assert tensors["blk.0.ffn_up.weight"].shape.tolist() == [HIDDEN, INNER]


def test_the_vocabulary_is_filled_up_to_the_rows_of_the_matrix(carrier: Path, tmp_path: Path) -> None:
    repack(carrier, tmp_path / "a.gguf")
    fields = gguf.GGUFReader(tmp_path / "a.gguf").fields
    assert fields["tokenizer.ggml.tokens"].contents() == [
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        "é",
        "<mask>",
        "[PAD6]",
        "[PAD7]",
    ]
    assert fields["tokenizer.ggml.token_type"].contents() == [3, 3, 3, 2, 1, 3, 5, 5]
    assert fields["tokenizer.ggml.bos_token_id"].contents() == 0


@pytest.mark.parametrize("damage", [lambda raw: b"PK\x03\x04" + raw[4:], lambda raw: raw[:60], lambda raw: b""])
def test_a_wrong_or_cut_carrier_is_refused(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    (tmp_path / "e5.bin").write_bytes(damage(carrier_bytes()))
    with pytest.raises(ModelFileInvalid):
        repack(tmp_path / "e5.bin", tmp_path / "a.gguf")
    assert not (tmp_path / "a.gguf").exists()


def test_tensors_are_padded_to_32_bytes(tmp_path: Path) -> None:
    writer = GgufWriter("llama")
    for name in ("one", "two"):
        writer.tensor(Tensor(name, (3,), F32, 12, lambda: b"abcdefghijkl"))
    with (tmp_path / "t.gguf").open("wb") as file:
        writer.write(file)
    raw = (tmp_path / "t.gguf").read_bytes()
    assert len(raw) % 32 == 0
    assert raw.count(b"abcdefghijkl") == 2
    assert hashlib.sha256(raw).digest()
    assert [t.data.tobytes() for t in gguf.GGUFReader(tmp_path / "t.gguf").tensors] == [b"abcdefghijkl"] * 2
