"""Full text: contentless FTS5 tables, written in the transaction that writes the rows.

A contentless row is deleted by giving back exactly the text that was indexed, so that text is
always computed from the rows, before they change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from edgemem.errors import StoreCorrupt
from edgemem.spellings import other_spellings
from edgemem.store import schema
from edgemem.store.driver import driver
from edgemem.store.engine import Row, Tx
from edgemem.text import SEGMENTER_VERSION, content_tokens, segment

MAX_TOKENS = 24
"""Most tokens of one query: the cost of an OR grows with every row it has to score."""


LONG = 8_000
"""Characters of a turn above which it has words enough of its own: it is indexed without its neighbours' words, and lends
them only those nearest to them. Else each short turn beside a huge one would cost as much as the huge one."""


def _scope(user: int) -> str:
    return f"u{user}u"


def _insert(tx: Tx, table: str, key: int, texts: tuple[str, ...]) -> None:
    columns = ("scope", "body", "context")[: len(texts)]
    marks = ",".join("?" * (len(texts) + 1))
    tx.execute(f"INSERT INTO {table}(rowid, {', '.join(columns)}) VALUES ({marks})", (key, *texts))


def _delete(tx: Tx, table: str, key: int, texts: tuple[str, ...]) -> None:
    columns = ("scope", "body", "context")[: len(texts)]
    marks = ",".join("?" * (len(texts) + 1))
    tx.execute(f"INSERT INTO {table}({table}, rowid, {', '.join(columns)}) VALUES ('delete', {marks})", (key, *texts))


def add_memory(tx: Tx, user: int, key: int, content: str) -> None:
    """Make a live memory findable by its words."""
    _insert(tx, "memory_fts", key, (_scope(user), segment(content)))


def remove_memory(tx: Tx, user: int, key: int, content: str) -> None:
    """Take a memory out; ``content`` is the text it was added with."""
    _delete(tx, "memory_fts", key, (_scope(user), segment(content)))


def add_turn(tx: Tx, user: int, session: int, position: int) -> None:
    """Index a turn just logged, and give the turn before it its new neighbour."""
    row = _turn(tx, session, position)
    before = _turn(tx, session, position - 1)
    if before is not None and len(before["content"]) <= LONG:
        earlier = _turn(tx, session, position - 2)
        _delete(tx, "turn_fts", before["id"], _turn_texts(user, before, earlier, None))
        _insert(tx, "turn_fts", before["id"], _turn_texts(user, before, earlier, row))
    if row is not None:
        _insert(tx, "turn_fts", row["id"], _turn_texts(user, row, before, None))


def remove_turn(tx: Tx, user: int, session: int, position: int) -> None:
    """Take a turn out, if there is one at this place. Its neighbours must be as they were when it was indexed."""
    row = _turn(tx, session, position)
    if row is not None:
        _delete(tx, "turn_fts", row["id"], turn_texts(tx, user, session, position))


def index_turn(tx: Tx, user: int, session: int, position: int) -> None:
    """Put a turn in that is not indexed, if there is one at this place."""
    row = _turn(tx, session, position)
    if row is not None:
        _insert(tx, "turn_fts", row["id"], turn_texts(tx, user, session, position))


def purge(tx: Tx) -> None:
    """Make sure that deleted words are gone from the index itself.

    FTS5 overwrites them at once where it knows how to (SQLite 3.42 on); before, they stay until all is merged.
    """
    version = tuple(int(n) for n in tx.execute("SELECT sqlite_version()").fetchone()[0].split("."))
    if version < (3, 42, 0):
        for table in ("memory_fts", "turn_fts"):
            tx.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")


def stems(tx: Tx, words: Iterable[str]) -> set[str]:
    """The forms in which the index holds these words: without their endings and accents."""
    tx.execute(f"CREATE VIRTUAL TABLE temp.stem USING fts5(body, tokenize='{schema.TOKENIZER}')")
    try:
        tx.execute("CREATE VIRTUAL TABLE temp.stem_row USING fts5vocab(temp, stem, row)")
        tx.execute("INSERT INTO temp.stem(body) VALUES (?)", (" ".join(words),))
        return {row[0] for row in tx.execute("SELECT term FROM temp.stem_row").fetchall()}
    finally:
        tx.execute("DROP TABLE IF EXISTS temp.stem_row")
        tx.execute("DROP TABLE temp.stem")


def turn_texts(tx: Tx, user: int, session: int, position: int) -> tuple[str, ...]:
    """What the index holds for a turn: scope, own words, the neighbours' words."""
    row = _turn(tx, session, position)
    if row is None:
        raise StoreCorrupt("An index of the log is damaged.", "Repair it: edgemem check --repair")
    return _turn_texts(user, row, _turn(tx, session, position - 1), _turn(tx, session, position + 1))


def _turn(tx: Tx, session: int, position: int) -> Row:
    return tx.execute(
        "SELECT id, content, speaker FROM turn WHERE session_id = ? AND position = ?", (session, position)
    ).fetchone()


def _turn_texts(user: int, row: Row, before: Row, after: Row) -> tuple[str, ...]:
    own = f"{row['speaker'] or ''} {row['content']}"
    if len(row["content"]) > LONG:
        return _scope(user), segment(own), ""
    lent = ("" if before is None else before["content"][-LONG:], "" if after is None else after["content"][:LONG])
    return _scope(user), segment(own), segment(" ".join(filter(None, lent)))


def match_expression(user: int, query: str) -> str | None:
    """The FTS5 query for any of the words, within one user; None when no word is left to search."""
    wanted = content_tokens(query)[:MAX_TOKENS]
    quoted = ['"' + token.replace('"', '""') + '"' + (" *" if prefix else "") for token, prefix in wanted]
    quoted += [f'"{words}"' for words in other_spellings(query)[: MAX_TOKENS - len(wanted)]]
    if not quoted:
        return None
    return f'scope : "{_scope(user)}" AND - scope : ({" OR ".join(quoted)})'


def search(tx: Tx, table: str, user: int, query: str, limit: int) -> list[tuple[int, float]]:
    """Row ids with their BM25 (higher is better), best first. ``table`` is ``memory_fts`` or ``turn_fts``."""
    expression = match_expression(user, query)
    if expression is None:
        return []
    rows = tx.execute(
        f"SELECT rowid, rank FROM {table} WHERE {table} MATCH ? ORDER BY +rank LIMIT ?", (expression, limit)
    )
    found = rows.fetchall()
    if any(row[1] is None for row in found):
        raise StoreCorrupt(f"The full-text index {table} is damaged.", "Repair it: edgemem check --repair")
    return [(row[0], -row[1]) for row in found]


def agrees(tx: Tx, table: str) -> bool:
    """Whether an index holds exactly the words of the rows: its words and their counts are those of one made anew in memory."""
    declared = tx.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
    fresh = driver().connect(":memory:", isolation_level=None)
    fresh.row_factory = driver().Row
    read_only = tx.execute("PRAGMA query_only").fetchone()[0]
    # Temporary tables count as writing; the file itself is only read.
    tx.execute("PRAGMA query_only=OFF")
    try:
        fresh.execute(declared)
        for key, texts in _all_texts(tx, table):
            _insert(fresh, table, key, texts)
        return _words(fresh, table) == _words(tx, table)
    finally:
        tx.execute("DROP TABLE IF EXISTS temp.words_of_index")
        tx.execute(f"PRAGMA query_only={read_only}")
        fresh.close()


def _words(connection: Tx, table: str) -> bytes:
    """A digest of the words of an index: of each, by column, in how many rows it stands and how often."""
    connection.execute(f"CREATE VIRTUAL TABLE temp.words_of_index USING fts5vocab(main, {table}, col)")
    digest = hashlib.sha256()
    for row in connection.execute("SELECT term, col, doc, cnt FROM temp.words_of_index"):
        digest.update(repr(tuple(row)).encode("utf-8"))
    return digest.digest()


def _all_texts(tx: Tx, table: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Each row that belongs into an index, with the texts it has there."""
    if table == "memory_fts":
        for row in tx.execute("SELECT id, user_id, content FROM memory WHERE status = 'live'").fetchall():
            yield row["id"], (_scope(row["user_id"]), segment(row["content"]))
        return
    for row in tx.execute("SELECT id, user_id, session_id, position FROM turn").fetchall():
        yield row["id"], turn_texts(tx, row["user_id"], row["session_id"], row["position"])


def rebuild(tx: Tx) -> None:
    """Make both indexes anew from the rows."""
    for table in ("memory_fts", "turn_fts"):
        tx.execute(f"INSERT INTO {table}({table}) VALUES ('delete-all')")
        for key, texts in _all_texts(tx, table):
            _insert(tx, table, key, texts)


def note_segmenter(tx: Tx) -> None:
    """Note that both indexes hold what this version's ``segment`` gives."""
    tx.execute(
        "INSERT INTO meta(key, value) VALUES ('segmenter', ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        (str(SEGMENTER_VERSION),),
    )
