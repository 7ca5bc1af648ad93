"""Conversations with questions whose answers lie in known turns: LoCoMo and MemoryBank files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from edgemem.errors import InvalidInput
from edgemem.evals.sets import read_objects
from edgemem.interop.lines import LineProblem, LineRefused
from edgemem.interop.locomo import read_locomo, samples
from edgemem.interop.memorybank import REPLY, exchange_turns, is_memorybank
from edgemem.records import Turn

_LOCOMO_CATEGORIES = {1: "multi", 2: "temporal", 3: "inference", 4: "single", 5: "adversarial"}


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one user's log. ``need`` is an AND of OR-lists of turns; empty when nothing answers it."""

    id: str
    user: str
    text: str
    type: str
    need: tuple[tuple[str, ...], ...]

    @property
    def answerable(self) -> bool:
        """Whether a turn holds the answer."""
        return bool(self.need)

    @property
    def evidence(self) -> frozenset[str]:
        """All turns that hold the answer or a part of it."""
        return frozenset(turn for alternatives in self.need for turn in alternatives)


@dataclass(frozen=True, slots=True)
class Haystack:
    """One file: the turns of each user, and the questions."""

    name: str
    people: Mapping[str, tuple[Turn, ...]]
    questions: tuple[Question, ...]


def unit(turn: str) -> str:
    """The evidence unit a turn belongs to: in MemoryBank a message and its reply are labelled as one."""
    return turn.removesuffix(REPLY)


def load_haystacks(paths: Iterable[Path]) -> list[Haystack]:
    """Read LoCoMo and MemoryBank files, told apart by content. Raises ``InvalidInput``."""
    found = [_load(path) for path in paths]
    names = [haystack.name for haystack in found]
    if len(set(names)) != len(names):
        raise InvalidInput("Two of the files have the same name.", "Predictions are kept by file name; rename one.")
    return found


def _load(path: Path) -> Haystack:
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {error.strerror or error}.") from error
    except (ValueError, RecursionError):
        document = None  # several lines of JSON
    try:
        talks = samples(document)
        return _memorybank(path) if talks is None else _locomo(path.stem, talks)
    except LineRefused as refused:
        raise InvalidInput(f"{path}: {refused}.", "Known are LoCoMo and MemoryBank files with questions.") from None


def _locomo(name: str, talks: list[tuple[str, dict[str, Any]]]) -> Haystack:
    people: dict[str, tuple[Turn, ...]] = {}
    questions: list[Question] = []
    for sample, document in talks:
        several = len(talks) > 1
        user = sample if several or not document["speakers"] else str(document["speakers"][0])
        people[user] = tuple(_turns(document))
        where = f"{name}/{sample}" if several else name
        asked = _records(document, "qa")
        questions += [_locomo_question(f"{where}/{n}", user, record) for n, record in enumerate(asked)]
    return Haystack(name, people, tuple(questions))


def _turns(document: dict[str, Any]) -> Iterator[Turn]:
    for found in read_locomo(document, UTC):
        if isinstance(found, LineProblem):
            raise LineRefused(found.message)
        yield found


def _locomo_question(id_: str, user: str, record: Any) -> Question:
    text, category, evidence = _fields(record, id_, "question", "category", "evidence")
    known = _LOCOMO_CATEGORIES.get(category, str(category))
    need = () if known == "adversarial" else tuple((turn,) for turn in _ids(evidence, id_))
    return Question(id_, user, text, f"locomo-{known}", need)


def _memorybank(path: Path) -> Haystack:
    people: dict[str, tuple[Turn, ...]] = {}
    questions: list[Question] = []
    for number, record in read_objects(path):
        if not is_memorybank(record):
            raise LineRefused(f"line {number}: `person` and a list `turns` are needed")
        person = record["person"]
        if person in people:
            raise LineRefused(f"line {number}: {person} has a line already")
        people[person] = tuple(turn for exchange in record["turns"] for turn in exchange_turns(exchange, UTC))
        for n, asked in enumerate(_records(record, "questions")):
            questions.append(_memorybank_question(f"{path.stem}/{person}/{n}", person, asked))
    return Haystack(path.stem, people, tuple(questions))


def _memorybank_question(id_: str, person: str, record: Any) -> Question:
    text, kind, need = _fields(record, id_, "q", "type", "need")
    if not isinstance(need, list):
        raise LineRefused(f"question {id_}: `need` must be a list of lists of turn ids")
    return Question(id_, person, text, f"memorybank-{kind}", tuple(_ids(alternatives, id_) for alternatives in need))


def _fields(record: Any, where: str, question: str, kind: str, evidence: str) -> tuple[str, Any, Any]:
    if not isinstance(record, dict) or not isinstance(record.get(question), str):
        raise LineRefused(f"question {where}: `{question}` must be a string")
    return record[question], record.get(kind), record.get(evidence, [])


def _records(document: dict[str, Any], name: str) -> list[Any]:
    listed = document.get(name)
    if not isinstance(listed, list):
        raise LineRefused(f"`{name}` must be a list of questions")
    return listed


def _ids(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise LineRefused(f"question {where}: turn ids must be a list of strings")
    return tuple(dict.fromkeys(value))
