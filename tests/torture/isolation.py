"""Random operations of many users in one file, with each other's ids, names and wildcards as arguments.

``python -m tests.torture.isolation --operations 100000``. Each user's words hold a secret that is never
asked for; it may appear in nobody else's results, prompts or rows. One user only looks on: nothing
of theirs may change.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from edgemem import Turn
from edgemem.errors import EdgememError
from edgemem.memory import MemoryFile
from edgemem.store.schema import VERSION
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, SetClock, opened
from tests.store.everywhere import tables

NAMES = (
    "a", "ab", "a%", "A", "a b", "_", "用户/1", "用户", "O'Brien", 'x" OR "1"="1', "u1u", "1", "../me", "é", "e", "🦜", "x" * 500,
    "*", "a/b", "%", "'; DROP TABLE memory; --", "me",
)  # fmt: skip
ONLOOKER = "onlooker"
WILD = ("%", "_", "*", "", "a%", "?", "' OR '1'='1", "\\", "0", "x" * 600, "用户/%", '"', "scope", "u1u")
NOT_ASKED = {
    "look": "starts a process; `erase` of the tests does it", "relate": "reads nothing of the file",
    "run": "for the worker; asked through `work_once`", "masker": "a part of export", "pipeline_version": "a constant",
    "import_from": "reads a file of the caller's own",
    "contradictions": "for a merge; asked through `proposals`",
    "layout": "the columns of tables", "stamp": "two numbers of the whole file",
}  # fmt: skip
"""Public names of ``Memory`` that are no operation here, and why."""


_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""What was handed out as an id. A title may be as long."""


class World:
    """The file, its users' words, and every id that was ever handed out."""

    def __init__(self, file: MemoryFile, model: RuleModel, seed: int) -> None:
        self.file = file
        self.model = model
        self.random = random.Random(seed)
        self.secret = {name: f"secret{n}word" for n, name in enumerate((*NAMES, ONLOOKER))}
        self.ids: list[str] = list(WILD)
        self.jobs: list[Any] = []
        self.found = 0

    def some_id(self) -> str:
        """Any id of anybody, a part of one, or a wildcard."""
        uid = self.random.choice(self.ids)
        return uid[: self.random.randint(6, 36)] + "%" if self.random.random() < 0.1 else uid

    def words(self, name: str) -> str:
        """Something to say: common words, and the user's secret."""
        common = self.random.sample(("bees", "goats", "tea", "boats", "水獭", "花生", "Porto", "chess"), 2)
        return f"I like {' and '.join(common)} {self.secret[name]} {self.random.randint(0, 999)}"

    def query(self) -> str:
        """Something to ask, with nobody's secret in it."""
        return self.random.choice(("bees", "what do I like?", "水獭", "boats Porto", "I like", *WILD, *NAMES))

    def turn(self, name: str) -> list[Turn]:
        """A message in a session that others use too."""
        role = self.random.choice(("user", "user", "assistant"))
        return [Turn(role, self.words(name), session=self.random.choice(("shared", "one", "%")))]


Operation = Callable[[World, Memory, str], Any]

OPERATIONS: dict[str, Operation] = {
    "add": lambda w, m, n: m.add(w.words(n), namespace=w.random.choice((None, "%", "x"))),
    "add_secret": lambda w, m, n: m.add_secret(w.words(n), label=w.some_id()),
    "log": lambda w, m, n: m.log(w.turn(n)),
    "observe": lambda w, m, n: m.observe(w.turn(n)),
    "learn": lambda w, m, n: m.learn(w.turn(n)),
    "edit": lambda w, m, n: m.edit(w.some_id(), w.words(n)),
    "pin": lambda w, m, n: m.pin(w.some_id()),
    "forget": lambda w, m, n: m.forget(w.some_id()),
    "undo": lambda w, m, n: m.undo(w.some_id()),
    "erase": lambda w, m, n: m.erase(**w.random.choice((
        {"memory": w.some_id()}, {"session": w.some_id()}, {"search": w.query()}, {"search": "bees goats"}, {"session": "one"},
        {"everything": w.random.random() < 0.2, "preview": w.random.random() < 0.5},
    ))),
    "resolve": lambda w, m, n: m.resolve(w.some_id()),
    "reveal": lambda w, m, n: m.reveal(w.some_id()),
    "get": lambda w, m, n: m.get(w.some_id()),
    "list": lambda w, m, n: m.list(limit=0, status="any", namespace=w.random.choice((None, "%"))),
    "history": lambda w, m, n: m.history(w.random.choice((None, w.some_id())), limit=0),
    "recall": lambda w, m, n: m.recall(w.query(), limit=100).hits,
    "search_log": lambda w, m, n: m.search_log(w.query(), 100),
    "context": lambda w, m, n: m.context(w.query()).text,
    "needs": lambda w, m, n: m.needs(w.query()).why,
    "saying": lambda w, m, n: m.saying(w.query()),
    "sessions": lambda w, m, n: m.sessions(limit=0),
    "turns": lambda w, m, n: m.turns(w.random.choice(("shared", "one", "%", w.some_id()))),
    "turn": lambda w, m, n: m.turn("shared", w.some_id()),
    "earlier": lambda w, m, n: m.earlier("shared", 99),
    "trace": lambda w, m, n: m.trace(w.some_id()),
    "jobs": lambda w, m, n: m.jobs(limit=0),
    "retry": lambda w, m, n: m.retry(w.some_id()),
    "counts": lambda w, m, n: m.counts(),
    "rules": lambda w, m, n: m.rules(),
    "tasks": lambda w, m, n: m.tasks(archived=True),
    "end_task": lambda w, m, n: m.end_task(w.random.choice(("task", w.some_id()))),
    "set_state": lambda w, m, n: m.set_state("task", w.random.choice(("f", "%")), w.words(n)),
    "state_fields": lambda w, m, n: m.state_fields(w.random.choice((None, "task", "%"))),
    "state": lambda w, m, n: list(m.state),
    "maintain": lambda w, m, n: m.maintain(preview=w.random.random() < 0.5),
    "summarize": lambda w, m, n: m.summarize("shared", whole=True),
    "summaries": lambda w, m, n: m.summaries("shared"),
    "graph": lambda w, m, n: (m.graph.entities(), m.graph.find(w.query())),
    "build_graph": lambda w, m, n: m.build_graph(),
    "chat": lambda w, m, n: "".join(m.chat("shared").ask(w.words(n))[1]),
    "export_to": lambda w, m, n: _exported(m),
    "records": lambda w, m, n: list(m.records()),
    "vectors": lambda w, m, n: [v.name for v in m.vectors()],
    "take_records": lambda w, m, n: m.take_records(list(m.records()), schema=VERSION),
    "take_vectors": lambda w, m, n: m.take_vectors(list(w.file.user(w.random.choice(NAMES)).vectors())),
    "work_once": lambda w, m, n: w.file.work_once() and None,
    "join": lambda w, m, n: m.join(w.some_id(), w.some_id(), w.some_id(), content=w.random.choice((None, w.words(n)))),
    "split": lambda w, m, n: m.split(w.some_id(), [w.words(n), w.words(n)]),
    "confirm": lambda w, m, n: m.confirm(w.some_id()),
    "why": lambda w, m, n: m.why(w.some_id()),
    "runs": lambda w, m, n: m.runs(w.some_id(), session=w.random.choice((None, "shared"))),
    "browse": lambda w, m, n: m.browse(limit=0),
    "believed": lambda w, m, n: m.believed(datetime.now(UTC), limit=0),
    "statistics": lambda w, m, n: m.statistics(),
    "rename": lambda w, m, n: m.rename(w.random.choice(("shared", "%", w.some_id())), w.words(n)),
    "cancel": lambda w, m, n: m.cancel(w.some_id()),
    "reflect": lambda w, m, n: m.reflect(),
    "insights": lambda w, m, n: m.insights(status=w.random.choice(("live", "withdrawn"))),
    "insight": lambda w, m, n: m.insight(w.some_id()),
    "drop_insight": lambda w, m, n: m.drop_insight(w.some_id()),
    "proposals": lambda w, m, n: m.proposals(status="any"),
    "accept": lambda w, m, n: m.accept(w.some_id()),
    "reject": lambda w, m, n: m.reject(w.some_id()),
    "check_summaries": lambda w, m, n: m.check_summaries(),
    "repair_summaries": lambda w, m, n: m.repair_summaries(),
    "embed_missing": lambda w, m, n: m.embed_missing(),
    "profile": lambda w, m, n: m.profile(w.random.choice((None, "f", "%"))),
    "set_profile": lambda w, m, n: m.set_profile(w.random.choice(("f", "%")), w.words(n), avoid=w.random.random() < 0.5),
    "unset_profile": lambda w, m, n: m.unset_profile(w.random.choice(("f", "%"))),
}  # fmt: skip


def _exported(mem: Memory) -> str:
    text = io.StringIO()
    mem.export_to(text, form="jsonl")
    return text.getvalue()


def step(world: World) -> None:
    """One random operation of one random user, and a look at what it gave."""
    name = world.random.choice(NAMES)
    operation = world.random.choice(sorted(OPERATIONS))
    world.model.prompts.clear()
    mem = world.file.user(name)
    try:
        result = OPERATIONS[operation](world, mem, name)
    except EdgememError as error:
        result = str(error)
    seen = [repr(result)]
    if operation != "work_once":  # the worker works for whoever waits
        seen.append(repr(world.model.prompts))
    for other, secret in world.secret.items():
        assert other == name or not any(secret in text for text in seen), (
            f"{operation} of {name!r} gave words of {other!r}"
        )
    if isinstance(result, str) and _ID.fullmatch(result):
        world.ids.append(result)
    elif operation in ("list", "jobs", "history", "turns", "proposals", "insights"):
        world.ids += [x.id for x in result[:3]] if not isinstance(result, str) else []
    del world.ids[: max(0, len(world.ids) - 400)]


def rows_of(file: MemoryFile, name: str) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of one user, table by table."""
    with file.engine.read() as tx:
        key = tx.execute("SELECT id FROM user WHERE name = ?", (name,)).fetchone()[0]
        found = {}
        for table in tables(tx):
            if any(row[1] == "user_id" for row in tx.execute(f"PRAGMA table_info({table})")):
                rows = tx.execute(f"SELECT * FROM {table} WHERE user_id = ? ORDER BY 1, 2, 3", (key,))
                found[table] = [tuple(row) for row in rows]
    return found


def run(path: Path, operations: int, seed: int) -> int:
    """Do that many operations; raises ``AssertionError`` at the first that reached another's words."""
    facts = [Fact(f"secret{n}word", f"The user said secret{n}word.") for n in range(len(NAMES) + 1)]
    model = RuleModel(*facts)
    with opened(path, model, clock=SetClock()) as file:
        world = World(file, model, seed)
        onlooker = file.user(ONLOOKER)
        onlooker.learn([Turn("user", world.words(ONLOOKER), session="shared", id=str(n)) for n in range(3)])
        world.ids += [onlooker.add(world.words(ONLOOKER)), onlooker.history()[0].id, onlooker.list()[0].trace or ""]
        onlooker.set_state("task", "f", world.words(ONLOOKER))
        before = rows_of(file, ONLOOKER)
        for _ in range(operations):
            step(world)
        assert rows_of(file, ONLOOKER) == before, "the rows of somebody who did nothing have changed"
        for name in {*NAMES} & {*file.users()}:
            own = repr(rows_of(file, name))
            assert not any(s in own for other, s in world.secret.items() if other != name), (
                f"{name!r} holds others' words"
            )
        assert file.check() == []
    return operations


def main() -> None:
    """The long form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        done = run(Path(folder) / "all.edgemem", asked.operations, asked.seed)
    print(f"{done:,} operations of {len(NAMES)} users (seed {asked.seed}): 0 reached another's words")


if __name__ == "__main__":
    main()
