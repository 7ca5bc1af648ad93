"""Ways to remember, behind one small face, for ``side_by_side``. Each is given its best settings that work with no network."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from edgemem.evals.haystacks import unit
from edgemem.ports import Embedder
from edgemem.records import Turn
from edgemem.text import segment

DEPTH = 40
"""Hits that are asked for: two turns may belong to one unit of evidence."""


class System(Protocol):
    """One way to keep what was said, in a folder of its own."""

    name: str
    settings: str

    def write(self, user: str, turn: Turn) -> None:
        """Keep one turn."""

    def search(self, user: str, question: str) -> list[str]:
        """Ids of turns, best first."""

    def count(self, user: str) -> int:
        """How many items are kept for a user."""

    def delete(self, user: str, turn: Turn) -> None:
        """Delete what was kept of a turn, by the means that are offered for that."""

    def close(self) -> None:
        """Let go of the folder."""


class Edgemem:
    """The log, searched by both searches; nothing is extracted. Deleting is `erase`."""

    name = "edgemem"

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        import edgemem

        self.settings = f"{edgemem.__version__}, the raw log"
        self._file = edgemem.open(
            folder / "me.edgemem", embedder=embedder, settings=edgemem.Settings(background=False, backups=0)
        )

    def write(self, user: str, turn: Turn) -> None:
        self._file.user(user).log([turn])

    def search(self, user: str, question: str) -> list[str]:
        hits = self._file.user(user).search_log(question, limit=DEPTH)
        return [hit.turn.id for hit in hits if hit.turn is not None]

    def count(self, user: str) -> int:
        memory = self._file.user(user)
        return sum(session.turns for session in memory.sessions(limit=0))

    def delete(self, user: str, turn: Turn) -> None:
        self._file.user(user).erase(search=turn.content.split()[-1])

    def close(self) -> None:
        self._file.close()


class ByHand:
    """What an afternoon gives: sqlite-vec and FTS5 in one file, fused by reciprocal rank."""

    name = "sqlite-vec + FTS5 by hand"

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        import pysqlite3
        import sqlite_vec

        self.settings = (
            f"sqlite-vec {version('sqlite-vec')}, cosine; FTS5 porter; fused with k = 60; no `secure_delete`"
        )
        self._embedder = embedder
        self._db = pysqlite3.connect(folder / "hand.db", isolation_level=None)
        self._db.enable_load_extension(True)
        sqlite_vec.load(self._db)
        dim = len(embedder.embed(["a"], "passage")[0])
        self._db.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
            "CREATE TABLE turn(id INTEGER PRIMARY KEY, user TEXT, uid TEXT, content TEXT);"
            "CREATE VIRTUAL TABLE words USING fts5(body, content='', contentless_delete=1, tokenize='porter unicode61');"
            f"CREATE VIRTUAL TABLE vec USING vec0(user TEXT PARTITION KEY, v FLOAT[{dim}] DISTANCE_METRIC=cosine)"
        )

    def write(self, user: str, turn: Turn) -> None:
        text = said(turn)
        vector = _bytes(self._embedder.embed([text], "passage")[0])
        self._db.execute("BEGIN IMMEDIATE")
        done = self._db.execute("INSERT INTO turn(user, uid, content) VALUES (?,?,?)", (user, turn.id, text))
        key = done.lastrowid
        self._db.execute("INSERT INTO words(rowid, body) VALUES (?,?)", (key, segment(text)))
        self._db.execute("INSERT INTO vec(rowid, user, v) VALUES (?,?,?)", (key, user, vector))
        self._db.execute("COMMIT")

    def search(self, user: str, question: str) -> list[str]:
        near = self._db.execute(
            "SELECT rowid FROM vec WHERE user = ? AND v MATCH ? AND k = 100 ORDER BY distance",
            (user, _bytes(self._embedder.embed([question], "query")[0])),
        )
        words = " OR ".join(f'"{word}"' for word in segment(question).replace('"', " ").split())
        same = self._db.execute(
            "SELECT w.rowid FROM words w JOIN turn t ON t.id = w.rowid WHERE words MATCH ? AND t.user = ?"
            " ORDER BY bm25(words) LIMIT 100",
            (words, user),
        )
        score: dict[int, float] = {}
        for ranking in (near, same):
            for rank, (key,) in enumerate(ranking, 1):
                score[key] = score.get(key, 0.0) + 1 / (60 + rank)
        best = sorted(score, key=lambda key: -score[key])[:DEPTH]
        uids = dict(self._db.execute(f"SELECT id, uid FROM turn WHERE id IN ({','.join('?' * len(best))})", best))
        return [uids[key] for key in best]

    def count(self, user: str) -> int:
        return int(self._db.execute("SELECT count(*) FROM turn WHERE user = ?", (user,)).fetchone()[0])

    def delete(self, user: str, turn: Turn) -> None:
        keys = [k for (k,) in self._db.execute("SELECT id FROM turn WHERE user = ? AND uid = ?", (user, turn.id))]
        for key in keys:
            for table, column in (("words", "rowid"), ("vec", "rowid"), ("turn", "id")):
                self._db.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,))

    def close(self) -> None:
        self._db.close()


class LastTurns:
    """The latest turns, whatever is asked."""

    name = "last 20 turns"
    settings = "no search; a file of lines"

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._path = folder / "log.txt"
        self._kept: dict[str, list[tuple[str, str]]] = {}

    def write(self, user: str, turn: Turn) -> None:
        self._kept.setdefault(user, []).append((str(turn.id), said(turn)))
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(f"{user}\t{turn.id}\t{said(turn)}\n")
            stream.flush()
            os.fsync(stream.fileno())

    def search(self, user: str, question: str) -> list[str]:
        return [uid for uid, _ in self._kept[user][::-1][:DEPTH]]

    def count(self, user: str) -> int:
        return len(self._kept.get(user, ()))

    def delete(self, user: str, turn: Turn) -> None:
        self._kept[user] = [kept for kept in self._kept[user] if kept[0] != turn.id]
        lines = [f"{who}\t{uid}\t{text}\n" for who, all_ in self._kept.items() for uid, text in all_]
        self._path.write_text("".join(lines), encoding="utf-8")

    def close(self) -> None:
        """Nothing is open."""


class Mem0:
    """mem0 as a store of what was said (``infer=False``): its own extraction needs a model for each message."""

    name = "mem0 (open source)"

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "unused"}
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase

        self.settings = (
            f"mem0ai {version('mem0ai')}, infer=False, local Qdrant {version('qdrant-client')}, threshold 0, no telemetry;"
            " without spaCy's model, which is a download"
        )
        dim = len(embedder.embed(["a"], "passage")[0])
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": dim, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )

        class Ours(EmbeddingBase):  # type: ignore[misc]
            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return list(embedder.embed([text], "query" if memory_action == "search" else "passage")[0])

            def embed_batch(self, texts: list[str], memory_action: str | None = "add") -> list[list[float]]:
                return [self.embed(text, memory_action) for text in texts]

        self._memory.embedding_model = Ours()

    def write(self, user: str, turn: Turn) -> None:
        message = {"role": turn.role, "content": said(turn)}
        self._memory.add([message], user_id=_name(user), infer=False, metadata={"turn": turn.id})

    def search(self, user: str, question: str) -> list[str]:
        found = self._memory.search(question, top_k=DEPTH, filters={"user_id": _name(user)}, threshold=0.0)
        return [hit["metadata"]["turn"] for hit in found["results"]]

    def count(self, user: str) -> int:
        return len(self._all(user))

    def delete(self, user: str, turn: Turn) -> None:
        for item in self._all(user):
            if item["metadata"]["turn"] == turn.id:
                self._memory.delete(item["id"])

    def _all(self, user: str) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = self._memory.get_all(filters={"user_id": _name(user)}, top_k=100_000)[
            "results"
        ]
        return found

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.db.close()


class LangMem:
    """LangMem's tools for managing and searching memories, over LangGraph's SQLite store with an index by meaning."""

    name = "LangMem"

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        import pysqlite3
        import sqlite_vec
        from langgraph.store.sqlite import SqliteStore

        self.settings = (
            f"langmem {version('langmem')}, its tools called directly; langgraph-checkpoint-sqlite"
            f" {version('langgraph-checkpoint-sqlite')}"
        )
        self._db = pysqlite3.connect(folder / "store.db", isolation_level=None, check_same_thread=False)
        self._db.enable_load_extension(True)
        sqlite_vec.load(self._db)
        self._embedder = embedder
        self._queries: set[str] = set()
        dim = len(embedder.embed(["a"], "passage")[0])
        self._store = SqliteStore(self._db, index={"dims": dim, "embed": self._embed, "fields": ["content"]})
        self._store.setup()
        self._ids: dict[str, str] = {}

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [list(self._embedder.embed([t], "query" if t in self._queries else "passage")[0]) for t in texts]

    def write(self, user: str, turn: Turn) -> None:
        from langmem import create_manage_memory_tool

        tool = create_manage_memory_tool(namespace=("memories", _name(user)), store=self._store)
        told = tool.invoke({"action": "create", "content": said(turn)})
        self._ids[str(told).split()[-1]] = str(turn.id)

    def search(self, user: str, question: str) -> list[str]:
        from langmem import create_search_memory_tool

        self._queries.add(question)
        tool = create_search_memory_tool(
            namespace=("memories", _name(user)), store=self._store, response_format="content_and_artifact"
        )
        _, found = tool.func(question, limit=DEPTH)
        return [self._ids[item.key] for item in found]

    def count(self, user: str) -> int:
        return len(self._store.search(("memories", _name(user)), limit=1_000_000))

    def delete(self, user: str, turn: Turn) -> None:
        from langmem import create_manage_memory_tool

        tool = create_manage_memory_tool(namespace=("memories", _name(user)), store=self._store)
        for key in [key for key, uid in self._ids.items() if uid == turn.id]:
            tool.invoke({"action": "delete", "id": key})

    def close(self) -> None:
        self._db.close()


def said(turn: Turn) -> str:
    """A turn as systems get it that know no speakers and no times: with both in front."""
    day = f"[{turn.at:%Y-%m-%d}] " if turn.at else ""
    return f"{day}{turn.speaker or turn.role}: {turn.content}"


def units(uids: Sequence[str]) -> list[str]:
    """Units of evidence, best first, each once."""
    return list(dict.fromkeys(map(unit, uids)))


def _name(user: str) -> str:
    # LangGraph refuses dots in a name, mem0 spaces.
    return user.replace(".", "_").replace(" ", "_")


def _bytes(vector: Sequence[float]) -> bytes:
    import numpy as np

    return np.asarray(vector, np.float32).tobytes()


SYSTEMS = {"edgemem": Edgemem, "hand": ByHand, "last": LastTurns, "mem0": Mem0, "langmem": LangMem}
"""By the short name that ``--only`` takes."""
