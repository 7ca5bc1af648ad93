from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from edgemem_models.discover import Discovery, discover
from edgemem_models.discover_base import Log, Machine, is_unfinished
from edgemem_models.discover_ollama import label

from .tiny_gguf import gguf_bytes, write_gguf

PLATFORMS = ("linux", "darwin", "win32")
symlinks = pytest.mark.skipif(sys.platform == "win32", reason="needs the right to make symbolic links")


def look(
    home: Path, platform: str = "linux", env: Mapping[str, str] | None = None, own: Path | None = None
) -> Discovery:
    return discover(env or {}, home, platform, models_home=own)


def tools(found: Discovery) -> list[tuple[str, str]]:
    return [(entry.tool, entry.label) for entry in found.found]


def put_ollama(folder: Path, name: str, digest: str, payload: bytes = b"ollama") -> Path:
    manifest = folder / "manifests" / name
    manifest.parent.mkdir(parents=True, exist_ok=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": f"sha256:{'f' * 64}"},
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"},
    ]
    manifest.write_text(json.dumps({"layers": layers}))
    return write_gguf(folder / "blobs" / f"sha256-{digest}", payload=payload)


def app_data(home: Path, platform: str) -> Path:
    return {
        "linux": home / ".local" / "share",
        "darwin": home / "Library" / "Application Support",
        "win32": home / "AppData" / "Roaming",
    }[platform]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_an_empty_machine_gives_nothing_and_no_complaint(tmp_path: Path, platform: str) -> None:
    assert look(tmp_path, platform) == Discovery((), (), ())


@pytest.mark.parametrize("platform", PLATFORMS)
def test_ollama_names_models_as_one_types_them(tmp_path: Path, platform: str) -> None:
    folder = tmp_path / ".ollama" / "models"
    put_ollama(folder, "registry.ollama.ai/library/qwen3/4b", "a" * 64)
    put_ollama(folder, "hf.co/someone/repo-GGUF/Q4_K_M", "b" * 64, b"other")
    assert sorted(tools(look(tmp_path, platform))) == [
        ("Ollama", "hf.co/someone/repo-GGUF:Q4_K_M"),
        ("Ollama", "qwen3:4b"),
    ]


def test_ollama_labels() -> None:
    assert label(Path("registry.ollama.ai/me/mine/latest")) == "me/mine:latest"


def test_ollama_obeys_its_override_with_stray_quotes(tmp_path: Path) -> None:
    put_ollama(tmp_path / "else where", "registry.ollama.ai/library/tiny/latest", "c" * 64)
    put_ollama(tmp_path / ".ollama" / "models", "registry.ollama.ai/library/not/latest", "d" * 64)
    assert tools(look(tmp_path, env={"OLLAMA_MODELS": f' "{tmp_path / "else where"}" '})) == [("Ollama", "tiny:latest")]


def test_ollama_tells_unfinished_missing_and_broken(tmp_path: Path) -> None:
    folder = tmp_path / ".ollama" / "models"
    put_ollama(folder, "registry.ollama.ai/library/gone/latest", "e" * 64).unlink()
    (folder / "blobs" / f"sha256-{'1' * 64}-partial-0").write_bytes(b"x")
    (folder / "manifests" / "registry.ollama.ai" / "library" / "gone" / "odd").write_text("{not json")
    found = look(tmp_path)
    assert not found.found
    assert sorted(entry.reason for entry in found.left_out) == [
        "gone:latest is listed, but its file is missing",
        "unfinished download",
    ]
    assert len(found.notes) == 1


@pytest.mark.parametrize("platform", PLATFORMS)
def test_lm_studio_default_folder(tmp_path: Path, platform: str) -> None:
    write_gguf(tmp_path / ".lmstudio" / "models" / "pub" / "repo" / "m.gguf")
    assert tools(look(tmp_path, platform)) == [("LM Studio", "pub/repo/m.gguf")]


def test_lm_studio_pointer_and_setting(tmp_path: Path) -> None:
    (tmp_path / ".lmstudio-home-pointer").write_text(f"{tmp_path / 'lms'}\n")
    (tmp_path / "lms").mkdir()
    (tmp_path / "lms" / "settings.json").write_text(json.dumps({"downloadsFolder": str(tmp_path / "big")}))
    write_gguf(tmp_path / "big" / "pub" / "repo" / "m.gguf", payload=b"1")
    write_gguf(tmp_path / "lms" / "models" / "pub" / "repo" / "n.gguf", payload=b"2")
    assert [label for _, label in tools(look(tmp_path))] == ["pub/repo/m.gguf", "pub/repo/n.gguf"]


def test_lm_studio_setting_on_windows(tmp_path: Path) -> None:
    settings = tmp_path / "AppData" / "Roaming" / "LM Studio" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"downloadsFolder": str(tmp_path / "D")}))
    write_gguf(tmp_path / "D" / "pub" / "repo" / "m.gguf")
    assert tools(look(tmp_path, "win32")) == [("LM Studio", "pub/repo/m.gguf")]


def put_hub(folder: Path, *, linked: bool) -> None:
    snapshot = folder / "models--org--repo-GGUF" / "snapshots" / "abc" / "m.gguf"
    if not linked:
        write_gguf(snapshot)
        return
    write_gguf(folder / "models--org--repo-GGUF" / "blobs" / ("9" * 64))
    snapshot.parent.mkdir(parents=True)
    snapshot.symlink_to(Path("../../blobs") / ("9" * 64))


@symlinks
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_hub_cache_with_links(tmp_path: Path, platform: str) -> None:
    put_hub(tmp_path / ".cache" / "huggingface" / "hub", linked=True)
    assert tools(look(tmp_path, platform)) == [("Hugging Face", "org/repo-GGUF/m.gguf")]


def test_the_hub_cache_without_links_and_with_unfinished_blobs(tmp_path: Path) -> None:
    folder = tmp_path / ".cache" / "huggingface" / "hub"
    put_hub(folder, linked=False)
    blob = folder / "models--org--repo-GGUF" / "blobs" / "77.incomplete"
    blob.parent.mkdir()
    blob.write_bytes(b"x")
    found = look(tmp_path, "win32")
    assert tools(found) == [("Hugging Face", "org/repo-GGUF/m.gguf")]
    assert [entry.reason for entry in found.left_out] == ["unfinished download from org/repo-GGUF"]


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"HF_HUB_CACHE": "{}/a", "HUGGINGFACE_HUB_CACHE": "{}/b", "HF_HOME": "{}/c"}, "a"),
        ({"HUGGINGFACE_HUB_CACHE": "{}/b", "HF_HOME": "{}/c"}, "b"),
        ({"HF_HOME": "{}/c", "XDG_CACHE_HOME": "{}/d"}, "c/hub"),
        ({"XDG_CACHE_HOME": "{}/d"}, "d/huggingface/hub"),
    ],
)
def test_the_hub_overrides_in_their_order(tmp_path: Path, env: dict[str, str], folder: str) -> None:
    put_hub(tmp_path / folder, linked=False)
    filled = {key: value.format(tmp_path) for key, value in env.items()}
    assert len(look(tmp_path, env=filled).found) == 1


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("linux", ".cache/llama.cpp"), ("darwin", "Library/Caches/llama.cpp"), ("win32", "AppData/Local/llama.cpp")],
)
def test_llama_cpp_old_cache(tmp_path: Path, platform: str, folder: str) -> None:
    write_gguf(tmp_path / folder / "org_repo_m.gguf")
    (tmp_path / folder / "org_repo_m.gguf.json").write_text("{}")
    (tmp_path / folder / "org_repo_n.gguf.downloadInProgress").write_bytes(b"x")
    found = look(tmp_path, platform)
    assert tools(found) == [("llama.cpp", "org_repo_m.gguf")]
    assert [entry.reason for entry in found.left_out] == ["unfinished download"]


def test_llama_cpp_override(tmp_path: Path) -> None:
    write_gguf(tmp_path / "lc" / "m.gguf")
    write_gguf(tmp_path / ".cache" / "llama.cpp" / "n.gguf", payload=b"n")
    assert tools(look(tmp_path, env={"LLAMA_CACHE": "~/lc"})) == [("llama.cpp", "m.gguf")]


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", ".local/share/nomic.ai/GPT4All"),
        ("darwin", "Library/Application Support/nomic.ai/GPT4All"),
        ("win32", "AppData/Local/nomic.ai/GPT4All"),
        ("linux", ".cache/gpt4all"),
    ],
)
def test_gpt4all(tmp_path: Path, platform: str, folder: str) -> None:
    write_gguf(tmp_path / folder / "m.gguf")
    write_gguf(tmp_path / folder / "incomplete-n.gguf")
    found = look(tmp_path, platform)
    assert tools(found) == [("GPT4All", "m.gguf")]
    assert [entry.reason for entry in found.left_out] == ["unfinished download"]


@pytest.mark.parametrize(("platform", "settings"), [("linux", ".config"), ("win32", "AppData/Roaming")])
def test_gpt4all_moved(tmp_path: Path, platform: str, settings: str) -> None:
    ini = tmp_path / settings / "nomic.ai" / "GPT4All.ini"
    ini.parent.mkdir(parents=True)
    ini.write_text(f"[General]\nmodelPath={tmp_path / 'g4'}\n")
    write_gguf(tmp_path / "g4" / "m.gguf")
    assert tools(look(tmp_path, platform)) == [("GPT4All", "m.gguf")]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_jan_names_its_models_and_points_elsewhere(tmp_path: Path, platform: str) -> None:
    data = app_data(tmp_path, platform) / "Jan" / "data"
    write_gguf(data / "llamacpp" / "models" / "inside" / "model.gguf", payload=b"in")
    (data / "llamacpp" / "models" / "inside" / "model.yml").write_text(
        "model_path: llamacpp/models/inside/model.gguf\n"
    )
    outside = write_gguf(tmp_path / "outside.gguf", payload=b"out")
    (data / "llamacpp" / "models" / "far").mkdir()
    (data / "llamacpp" / "models" / "far" / "model.yml").write_text(f'name: far\nmodel_path: "{outside}"\n')
    assert sorted(tools(look(tmp_path, platform))) == [("Jan", "far"), ("Jan", "inside")]


def test_jan_moved_and_very_old(tmp_path: Path) -> None:
    settings = app_data(tmp_path, "linux") / "Jan" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"data_folder": str(tmp_path / "J")}))
    write_gguf(tmp_path / "J" / "llamacpp" / "models" / "a" / "model.gguf", payload=b"1")
    write_gguf(tmp_path / "jan" / "models" / "b" / "b.gguf", payload=b"2")
    assert len(look(tmp_path).found) == 2


def test_edgemem_itself_without_its_unfinished_files(tmp_path: Path) -> None:
    own = tmp_path / "own"
    write_gguf(own / "m.gguf")
    write_gguf(own / ".partial" / "n" / "n.gguf")
    assert tools(look(tmp_path, own=own)) == [("edgemem", "m.gguf")]


def test_a_file_in_two_places_is_listed_once(tmp_path: Path) -> None:
    own = tmp_path / "own"
    mine = write_gguf(own / "m.gguf", payload=b"same")
    other = put_ollama(tmp_path / ".ollama" / "models", "registry.ollama.ai/library/m/latest", "a" * 64, b"same")
    write_gguf(tmp_path / ".cache" / "gpt4all" / "same-size.gguf", payload=b"diff")
    found = look(tmp_path, own=own)
    assert [entry.path for entry in found.found] == [mine, tmp_path / ".cache" / "gpt4all" / "same-size.gguf"]
    assert found.found[0].also == (other,)


def test_what_is_not_a_text_model_is_left_out_with_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / ".cache" / "gpt4all"
    write_gguf(folder / "good.gguf")
    write_gguf(folder / "mmproj-good.gguf")
    write_gguf(folder / "eyes.gguf", "clip")
    write_gguf(folder / "big-00002-of-00003.gguf", payload=b"2")
    (folder / "page.gguf").write_text("<!DOCTYPE html><html></html>")
    (folder / "cut.gguf").write_bytes(gguf_bytes()[:60])
    (folder / "empty.gguf").write_bytes(b"")
    found = look(tmp_path)
    reasons = {entry.path.name: entry.reason for entry in found.left_out}
    assert [entry.path.name for entry in found.found] == ["good.gguf"]
    assert reasons["mmproj-good.gguf"] == "an image or speech part, not a text model"
    assert reasons["eyes.gguf"] == "not a text model (clip)"
    assert reasons["big-00002-of-00003.gguf"] == "part 2 of 3; the first part stands for all"
    assert "web page" in reasons["page.gguf"]
    assert "cut" in reasons["cut.gguf"]
    assert "empty" in reasons["empty.gguf"]


def test_the_first_part_of_a_split_model_is_listed(tmp_path: Path) -> None:
    write_gguf(tmp_path / ".cache" / "gpt4all" / "big-00001-of-00003.gguf")
    assert len(look(tmp_path).found) == 1


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a user whom rights bind")
def test_an_unreadable_folder_is_a_note_not_an_error(tmp_path: Path) -> None:
    folder = tmp_path / ".lmstudio" / "models"
    folder.mkdir(parents=True)
    folder.chmod(0)
    try:
        assert [note.split(":")[0] for note in look(tmp_path).notes] == ["LM Studio"]
    finally:
        folder.chmod(0o700)


def test_a_folder_that_fails_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_gguf(tmp_path / ".cache" / "gpt4all" / "m.gguf")
    locked = tmp_path / ".lmstudio" / "models"
    locked.mkdir(parents=True)
    real = os.scandir

    def scandir(path: str | Path) -> object:
        if Path(path) == locked:
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = look(tmp_path)
    assert tools(found) == [("GPT4All", "m.gguf")]
    assert found.notes == (f"LM Studio: {locked} cannot be read (Permission denied).",)


@pytest.mark.parametrize(
    ("name", "unfinished"),
    [
        ("m.gguf", False),
        ("sha256-ab-partial", True),
        ("incomplete-m.gguf", True),
        ("m.gguf.incomplete", True),
        ("m.gguf.part", True),
        ("part-two.gguf", False),
    ],
)
def test_names_of_unfinished_downloads(name: str, unfinished: bool) -> None:
    assert is_unfinished(name) is unfinished


def test_the_machine_falls_back_to_known_folders(tmp_path: Path) -> None:
    assert Machine({}, tmp_path, "win32").local() == tmp_path / "AppData" / "Local"
    assert Machine({"XDG_DATA_HOME": "~/d"}, tmp_path, "linux").data() == tmp_path / "d"
    assert Log().notes == []
