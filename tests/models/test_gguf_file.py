from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest
from edgemem_models import loading, machine
from edgemem_models.embedder import LlamaEmbedder
from edgemem_models.gguf_file import read_header
from edgemem_models.language import LlamaLanguageModel

from edgemem.errors import Aborted, ModelError, ModelFileInvalid, ModelTooNew, NotEnoughMemory, WrongModelRole


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def small_gguf(architecture: str = "llama", **numbers: int) -> bytes:
    values = [text("general.architecture") + struct.pack("<I", 8) + text(architecture)]
    values += [
        text(key.replace("__", ".").replace("ARCH", architecture)) + struct.pack("<II", 4, number)
        for key, number in numbers.items()
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(values)) + b"".join(values)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "git-lfs"),
        (b"PK\x03\x04 zip", "zip"),
        (b'{"error": "not found"}', "JSON"),
        (b"\x00" * 4096, "zeros"),
        (b"hello world", "does not begin"),
        (b"GGUF", "cut off"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "too old"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60), "damaged"),
        (small_gguf()[:-3], "damaged"),
    ],
)
def test_what_is_no_model_is_named(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    for use in (read_header, LlamaLanguageModel, LlamaEmbedder):
        with pytest.raises(ModelFileInvalid, match=reason) as caught:
            use(path)
        assert caught.value.hint


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileInvalid, match=r"nowhere\.gguf"):
        read_header(tmp_path / "nowhere.gguf")


@pytest.mark.parametrize(
    ("architecture", "numbers", "role"),
    [
        ("llama", {}, "chat"),
        ("bert", {"ARCH__pooling_type": 1}, "embedding"),
        ("qwen3", {"ARCH__pooling_type": 3}, "embedding"),
        ("bert", {"ARCH__pooling_type": 4}, "other"),
        ("clip", {}, "other"),
        ("llama", {"split__no": 1}, "other"),
    ],
)
def test_roles(tmp_path: Path, architecture: str, numbers: dict[str, int], role: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(small_gguf(architecture, **numbers))
    assert read_header(path).role == role


def test_ram_estimate_counts_weights_and_cache(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    numbers = {"ARCH__block_count": 10, "ARCH__embedding_length": 640, "ARCH__attention__head_count": 10}
    path.write_bytes(small_gguf("llama", **numbers, ARCH__attention__head_count_kv=2))
    info = read_header(path)
    assert info.kv_bytes(1000) == 10 * 2 * (64 + 64) * 2 * 1000
    assert info.ram_bytes(2000) - info.ram_bytes(1000) == info.kv_bytes(1000)


def test_reading_needs_nothing_heavy() -> None:
    code = (
        "import sys, edgemem_models, edgemem_models.provider, edgemem_models.gguf_file as g; edgemem_models.read_header;"
        "print([m for m in ('numpy', 'llama_cpp', 'gguf', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.model
def test_a_real_header(tiny_model_path: Path, e5_path: Path) -> None:
    tiny, e5 = read_header(tiny_model_path), read_header(e5_path)
    assert (tiny.role, tiny.quant, tiny.context_length) == ("chat", "Q4_1", 8192)
    assert tiny.chat_template
    assert (e5.role, e5.pooling, e5.embedding_length) == ("embedding", "mean", 384)


@pytest.mark.model
@pytest.mark.parametrize("share", [0.001, 0.02, 0.5, 0.999])
def test_half_downloads_are_recognised(tiny_model_path: Path, tmp_path: Path, share: float) -> None:
    path = tmp_path / "half.gguf"
    raw = tiny_model_path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * share)])
    with pytest.raises(ModelFileInvalid, match="cut off") as caught:
        LlamaLanguageModel(path)
    assert "pull" in caught.value.hint


@pytest.mark.model
def test_an_unknown_architecture_is_too_new(tiny_model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "future.gguf"
    raw = tiny_model_path.read_bytes()
    path.write_bytes(raw.replace(text("llama"), text("llxma"), 1))
    with pytest.raises(ModelTooNew, match="llxma") as caught:
        LlamaLanguageModel(path)
    assert "llama-cpp-python" in caught.value.hint


@pytest.mark.model
def test_a_damaged_header_never_kills_the_process(tiny_model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "odd.gguf"
    raw = tiny_model_path.read_bytes()
    path.write_bytes(raw.replace(b"blk.3.attn_q.weight", b"blk.3.attn_x.weight", 1))
    with pytest.raises(ModelError, match=r"damaged|could not load"):
        LlamaLanguageModel(path)


@pytest.mark.model
def test_wrong_roles_are_refused(tiny_model_path: Path, e5_path: Path) -> None:
    with pytest.raises(WrongModelRole, match="cannot chat"):
        LlamaLanguageModel(e5_path)
    with pytest.raises(WrongModelRole, match="cannot embed"):
        LlamaEmbedder(tiny_model_path)


@pytest.mark.model
def test_too_little_memory_is_told_before_loading(tiny_model_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "available_memory", lambda: 50_000_000)
    with pytest.raises(NotEnoughMemory, match=r"needs about 0\.\d GB"):
        LlamaLanguageModel(tiny_model_path)


@pytest.mark.model
def test_progress_and_cancel_of_a_load(tiny_model_path: Path) -> None:
    shares: list[float] = []
    loading.load(tiny_model_path, "chat", n_ctx=512, on_progress=shares.append).close()
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with pytest.raises(Aborted):
        loading.load(tiny_model_path, "chat", n_ctx=512, stop=lambda: True)
