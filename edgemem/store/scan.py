"""Look through the bytes of a file, in a process of its own: ``python -m edgemem.store.scan``.

A process that has the file open must not open it a second time by other means: closing that second
handle drops SQLite's locks. What to look for comes through standard input, where no list of
processes shows it. Of an encrypted file the decrypted contents are looked through as well.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from edgemem.errors import StoreError
from edgemem.store.key import Key

_PART = 1 << 26


def found(path: Path, words: Sequence[str], key: Key | None = None) -> tuple[dict[str, int], int]:
    """How often each of the words stands in the file and in those SQLite keeps beside it, and the bytes looked at.

    Words that are nowhere are left out. ``key`` is that of an encrypted file. Raises ``StoreError``.
    """
    asked = json.dumps({"path": str(path.resolve()), "words": list(words), "key": key and key.literal})
    done = subprocess.run(
        [sys.executable, "-m", "edgemem.store.scan"], input=asked.encode(), capture_output=True, check=False
    )
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().splitlines()
        raise StoreError(
            f"The bytes of {path} could not be looked through: {why[-1] if why else 'no answer'}.", "Try it again."
        )
    answer = json.loads(done.stdout)
    return answer["found"], answer["bytes"]


def main() -> None:
    """Read the task, look, write the answer."""
    asked = json.load(sys.stdin)
    wanted = {word: word.encode() for word in asked["words"]}
    longest = max(map(len, wanted.values()), default=1)
    counts = dict.fromkeys(wanted, 0)
    size = 0
    parts = list(beside(Path(asked["path"])))
    for part in (*_parts(parts, longest - 1), *(_decrypted(asked) if asked["key"] else ())):
        size += len(part)
        for word, needle in wanted.items():
            counts[word] += part.count(needle)
    json.dump({"found": {word: n for word, n in counts.items() if n}, "bytes": size}, sys.stdout)


def beside(path: Path) -> Iterator[Path]:
    """The file and those that SQLite keeps beside it."""
    for end in ("", "-wal", "-shm", "-journal"):
        side = path.with_name(path.name + end)
        if side.exists():
            yield side


def _parts(paths: Sequence[Path], overlap: int) -> Iterator[bytes]:
    for path in paths:
        with path.open("rb") as stream:
            before = b""
            while part := stream.read(_PART):
                yield before + part
                before = part[-overlap:] if overlap else b""


def _decrypted(asked: dict[str, Any]) -> Iterator[bytes]:
    """Every value of every table, the shadow tables of full text too."""
    from edgemem.store.driver import driver

    connection = driver().connect(f"{Path(asked['path']).as_uri()}?mode=ro", uri=True, isolation_level=None)
    connection.execute(f'PRAGMA key = "{asked["key"]}"')
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in tables:
        if not name.endswith("_fts"):
            for row in connection.execute(f'SELECT * FROM "{name}"'):
                yield b"\n".join(v if isinstance(v, bytes) else str(v).encode() for v in row)


if __name__ == "__main__":
    main()
