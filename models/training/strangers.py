"""Statements of people who have nothing to do with each other, as the product would write them down: pairs that must stay apart.

The clauses worth a memory of the gate's corpus become sentences by the rules of ``edgemem.write.statements``. Two of different messages
that are near in meaning and share few words are *distinct*, however alike their form is: what a head that only saw pairs about
one thing takes for a refinement.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from edgemem_models.pair_signs import look

from edgemem.ports import Priority
from edgemem.text import is_han
from edgemem.write import attributes
from edgemem.write.clauses import Clause
from edgemem.write.gate import Verdict
from edgemem.write.statements import rules, sentence
from edgemem.write.statements.rules import Said

NEAREST: Final = 4
"""Strangers a statement is put beside."""

LIKE: Final = 0.5
"""Calibrated similarity (0..1) from which two statements could meet in a memory file."""

SHARED: Final = 0.34
"""Share of the words of the shorter statement from which two may well speak of one thing."""

_WORTH: Final = ("F", "P", "S")


class SentenceEmbedder(Protocol):
    """An embedding model with calibrated similarities."""

    def embed(self, texts: Sequence[str], kind: str, *, priority: Priority = "background") -> list[list[float]]:
        """One unit vector for each text."""

    def calibrate(self, cosine: float) -> float:
        """Similarity 0..1 of a cosine."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and the message it was drawn from."""

    content: str
    message: int


def statements(folder: Path, language: str) -> list[Statement]:
    """The sentences of one language, each with the number of its message."""
    found: dict[str, Statement] = {}
    for path in sorted(folder.glob(f"corpus_{language}*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            for content in _stated(json.loads(line)):
                found.setdefault(content, Statement(content, len(found)))
    return list(found.values())


def pairs(embedder: SentenceEmbedder, folder: Path, language: str) -> Iterator[tuple[str, str]]:
    """Strangers that a memory file would compare: near in meaning, without a word or a field in common that matters."""
    said = statements(folder, language)
    vectors = np.array(embedder.embed([s.content for s in said], "passage"))
    for number, one in enumerate(said):
        cosines = vectors @ vectors[number]
        taken = 0
        for other in np.argsort(-cosines):
            if taken == NEAREST or embedder.calibrate(float(cosines[other])) < LIKE:
                break
            if int(other) != number and not _akin(one.content, said[int(other)].content):
                taken += 1
                yield said[int(other)].content, one.content


def _akin(a: str, b: str) -> bool:
    """Whether two statements may speak of one thing."""
    told, before = attributes.of(a), attributes.of(b)
    if told is not None and before is not None and told.attribute == before.attribute:
        return True
    words_a, words_b = set(look(a).words), set(look(b).words)
    return len(words_a & words_b) > SHARED * max(1, min(len(words_a), len(words_b)))


def _stated(record: dict[str, object]) -> Iterator[str]:
    """The sentences of the clauses of one message that are worth a memory."""
    clauses = record["clauses"]
    assert isinstance(clauses, list)
    asked = record.get("asked")
    question = asked if isinstance(asked, str) else None
    chinese = is_han(str(clauses[0][0]))
    message = ("" if chinese else " ").join(text for text, _ in clauses)
    before: Clause | None = None
    for text, letter in clauses:
        clause = Clause(text, message.find(text))
        if letter in _WORTH:
            odds = {one: 0.97 if one == letter else 0.01 for one in "FPSN"}
            said = Said(Verdict(clause, odds, 0.97, "written"), message, question, previous=before)
            content = rules.said(said) or rules.carried(said) or rules.beside(said)
            if content is not None and (whole := sentence.tidied(content)):
                yield whole
        before = clause
