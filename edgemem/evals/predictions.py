"""What a run has found so far, one JSON line an item, so that a run can be stopped and taken up again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from edgemem.errors import InvalidInput
from edgemem.evals.sets import fingerprint, read_objects


class Predictions:
    """A file of predictions, open for appending. Each line is on the disk before the next item starts.

    ``key`` names what made the predictions (model, version, prompts); a file that was made by
    something else is refused, since mixed predictions measure nothing. ``fresh`` starts over and
    keeps the old file beside it as ``NAME.previous``.
    """

    def __init__(self, path: Path, key: str, *, fresh: bool = False) -> None:
        self.path = path
        self._key = key
        if fresh and path.exists():
            path.replace(path.with_name(f"{path.name}.previous"))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _mend(path)
            self.done = read_predictions(path) if path.exists() else {}
            self._refuse_others()
            self._stream: IO[str] = path.open("a", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(
                f"Cannot write {path}: {error.strerror or error}.", "Name another file with --predictions."
            ) from error

    def add(self, record: dict[str, Any]) -> None:
        """Append one item's prediction; ``record["id"]`` names the item."""
        self._stream.write(json.dumps(record | {"key": self._key}, ensure_ascii=False) + "\n")
        self._stream.flush()
        self.done[record["id"]] = record

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def _refuse_others(self) -> None:
        others = sum(record.get("key", self._key) != self._key for record in self.done.values())
        if others:
            raise InvalidInput(
                f"{self.path} holds {others} predictions of another model or version.",
                "Pass --fresh to start over (the old file is kept as .previous), or name another file.",
            )


def read_predictions(path: Path) -> dict[str, dict[str, Any]]:
    """Predictions by item id; of several for one item the last counts. Raises ``InvalidInput``."""
    found = {}
    for number, record in read_objects(path):
        if not isinstance(record.get("id"), str):
            raise InvalidInput(f"{path}, line {number}: a prediction needs the `id` of its item.")
        found[record["id"]] = record
    return found


def default_path(cache: Path, kind: str, sets: Iterable[Path], key: str) -> Path:
    """Where predictions go when no file is named: a cache folder, by content of the sets and by key."""
    import hashlib

    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sets]
    return cache / "evals" / f"{kind}-{fingerprint([*hashes, key])}.jsonl"


def _mend(path: Path) -> None:
    """Make the file end with a whole line: a run that was killed may have left half of one."""
    if not path.exists():
        return
    data = path.read_bytes()
    if not data or data.endswith(b"\n"):
        return
    start = data.rfind(b"\n") + 1
    try:
        json.loads(data[start:])
    except ValueError:
        with path.open("r+b") as stream:
            stream.truncate(start)
    else:
        with path.open("ab") as stream:
            stream.write(b"\n")
