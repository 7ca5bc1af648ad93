"""Erasure for one user: what would go, its execution, and the proof that the bytes are gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from edgemem.errors import InvalidInput, NotFound
from edgemem.receipts import Erased, Erasure, Proof
from edgemem.store import echoes, erase, erasure, memories, scan, users, words
from edgemem.store.engine import Engine, Tx
from edgemem.store.erasure import Plan
from edgemem.text import check_text, content_tokens

SMALL = 1 << 24
"""Bytes up to which a file is written anew after every erasure, which takes less time than looking through it."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to go: exactly one of these. ``memory`` is a full id."""

    memory: str | None = None
    search: str | None = None
    session: str | None = None
    everything: bool = False
    echoes: bool = False

    def checked(self) -> Aim:
        """Itself. Raises ``InvalidInput`` unless it names exactly one thing."""
        named = [x for x in (self.memory, self.search, self.session) if x is not None]
        if len(named) + self.everything != 1:
            raise InvalidInput(
                "An erasure is of one memory, a search, a session, or everything.",
                "For example: edgemem erase --search peanuts",
            )
        if self.search is not None and not content_tokens(check_text(self.search, "The search")):
            raise InvalidInput("There is no word in the search.", "Name the words that must go.")
        return self


@dataclass(frozen=True, slots=True)
class Eraser:
    """Erases for one user of one open file."""

    engine: Engine
    user: int

    def preview(self, aim: Aim) -> Erasure:
        """What ``erase`` would take. Raises ``NotFound`` when there is nothing of that name."""
        with self.engine.read() as tx:
            plan = self._plan(tx, aim)
            return Erasure(tuple(_items(tx, self.user, plan)), echoes=self._echoes(tx, plan))

    def erase(self, aim: Aim, now: str, *, verify: bool = False, wait: float | None = None) -> Erasure:
        """Erase for good, empty the write-ahead log, and on demand look through the bytes afterwards."""
        with self.engine.write() as tx:
            plan = self._plan(tx, aim)
            items = tuple(replace(item, text="") for item in _items(tx, self.user, plan))
            said_again = self._echoes(tx, plan)
            texts = self._texts(tx, aim, plan)
            if aim.everything:
                erase.whole_user(tx, self.user, now)
            else:
                erase.apply(tx, self.user, plan, now)
        anew = aim.everything or self._anew()
        scrubbed = self.engine.scrub(vacuum=anew, wait=wait)
        # Not written anew, the file is looked through even where nobody asks for the proof.
        proof = self._proof(texts) if verify or not anew else None
        return Erasure(items, done=True, scrubbed=scrubbed, proof=proof if verify else None, echoes=said_again)

    def look(self, text: str) -> Proof:
        """Erase nothing: empty the write-ahead log, and look for these words in the bytes of the file."""
        self.engine.scrub()
        return self._proof([text])

    def _plan(self, tx: Tx, aim: Aim) -> Plan:
        plan = self._aimed(tx, aim)
        if aim.echoes:
            plan.turns |= echoes.of_plan(tx, self.user, plan)
            plan = erasure.of_rows(tx, self.user, plan, undo=plan.undo)
        return plan

    def _echoes(self, tx: Tx, plan: Plan) -> tuple[Erased, ...]:
        """What stays and says it again; its words are given, so that a person can judge."""
        return tuple(_rows(tx, self.user, "turn", echoes.of_plan(tx, self.user, plan), "uid", "content", "stays"))

    def _aimed(self, tx: Tx, aim: Aim) -> Plan:
        if aim.everything:
            return erasure.of_user(tx, self.user)
        if aim.search is not None:
            return erasure.of_search(tx, self.user, aim.search)
        if aim.session is not None:
            row = tx.execute(
                "SELECT id FROM session WHERE user_id = ? AND uid = ?", (self.user, aim.session)
            ).fetchone()
            if row is None:
                raise NotFound(f"There is no session {aim.session!r}.", "List them with: edgemem sessions")
            return erasure.of_session(tx, self.user, row[0])
        row = memories.row(tx, self.user, aim.memory or "")
        if row is None:
            raise NotFound(f"There is no memory {aim.memory!r}.", "List them with: edgemem list --status any")
        return erasure.of_memory(tx, self.user, row["id"])

    def _texts(self, tx: Tx, aim: Aim, plan: Plan) -> list[str]:
        texts = words.going(tx, self.user, plan)
        if aim.search is not None:
            texts.append(aim.search)
        if aim.everything:
            texts += users.name_of(tx, self.user)
        return texts

    def _anew(self) -> bool:
        """Whether the file is written anew: a small one always, a larger one when much of it is free.

        SQLite overwrites a row where it deletes it (``secure_delete``), but not the copy that is left between the rows of a
        page when a page is split or joined: about one erasure in four hundred left a word there.
        """
        if self.engine.path.stat().st_size <= SMALL:
            return True
        with self.engine.read() as tx:
            free = tx.execute("PRAGMA freelist_count").fetchone()[0]
            return bool(free * 4 > tx.execute("PRAGMA page_count").fetchone()[0])

    def _proof(self, texts: list[str]) -> Proof:
        """Look; write the file anew and look again if something is left from before edgemem had it."""
        with self.engine.write() as tx:
            wanted = words.needles(tx, texts, self.engine.path.stat().st_size)
        found, size = scan.found(self.engine.path, wanted.words, self.engine.key)
        if found:
            self.engine.scrub(vacuum=True)
            found, size = scan.found(self.engine.path, wanted.words, self.engine.key)
        return Proof(len(wanted.words), size, found, wanted.kept, wanted.skipped)


_TEXTS = (
    ("memory", "memories", "uid", "content"),
    ("turn", "turns", "uid", "content"),
    ("session", "sessions", "uid", "title"),
    ("insight", "insights", "uid", "content"),
    ("entity", "entities", "uid", "name"),
    ("summary", "summaries", "uid", "''"),
    ("task", "tasks", "name", "''"),
)


def _items(tx: Tx, user: int, plan: Plan) -> Iterator[Erased]:
    for table, keys, uid, text in _TEXTS:
        yield from _rows(tx, user, table, getattr(plan, keys), uid, text, "erased")
    changed = (("detached", plan.detached), ("restored", set(plan.restored)), ("revived", plan.revived))
    for effect, memory_keys in changed:
        yield from _rows(tx, user, "memory", memory_keys, "uid", "content", effect)
    yield from _changes(tx, user, plan)
    for summary, n in sorted(plan.sentences):
        if summary not in plan.summaries:
            yield Erased("summary_sentence", f"{summary}/{n}", "erased")
    yield from (Erased("state", name, "erased") for _, name in sorted(plan.fields))
    yield from (Erased("profile", name, "erased") for name, _ in sorted(plan.profile))


def _changes(tx: Tx, user: int, plan: Plan) -> Iterator[Erased]:
    """Changes of memories that stay, whose old words go."""
    gone = {row[0] for key in plan.memories for row in tx.execute("SELECT uid FROM memory WHERE id = ?", (key,))}
    for seq in sorted(plan.changes):
        row = tx.execute("SELECT uid, memory_uid FROM history WHERE user_id = ? AND seq = ?", (user, seq)).fetchone()
        if row["memory_uid"] not in gone:
            yield Erased("history", row["uid"], "erased")


def _rows(tx: Tx, user: int, table: str, keys: set[int], uid: str, text: str, effect: str) -> Iterator[Erased]:
    for key in sorted(keys):
        row = tx.execute(f"SELECT {uid}, {text} FROM {table} WHERE user_id = ? AND id = ?", (user, key)).fetchone()
        if row is not None:
            yield Erased(table, row[0], effect, row[1])
