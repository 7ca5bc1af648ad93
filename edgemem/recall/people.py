"""Who is known by name: only such people can be somebody else than the one a question is about.

A capital, or 小 before a character, makes no person: Audi and 小区 have them too. Somebody is known of whom a memory
tells what he is to the user, and who is a person in the graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from edgemem.kin import HAN, LATIN
from edgemem.recall import person
from edgemem.recall.question import Look
from edgemem.recall.slots import grams
from edgemem.store import fulltext, graph, memories
from edgemem.times import to_db

MOST = 50
"""Memories that are read for what they tell of a name."""

_RELATIONS = (
    "family of", "partner of", "friend of", "colleague of", "manager of", "teacher of", "pupil of", "neighbour of",
    *(f"{word} of" for word in LATIN.split("|")),
    "家人", "伴侣", "朋友", "同事", "上级", "老师", "邻居", *HAN.split("|"),
)  # fmt: skip
"""Relations in the graph that only people have."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a question is about, and what the people it may be about are to the user, by folded name."""

    about: frozenset[str]
    names: dict[str, str]

    def other(self, sentence: str) -> bool:
        """Whether a sentence speaks only of people the question is not about."""
        return person.speaks_of_another(sentence, self.about, self.names)


def asked(look: Look, sentences: Iterable[str]) -> Asked:
    """Whom the question is about, as far as it matters to ``sentences``."""
    text, told = look.question.text, list(sentences)
    about = person.asked_about(text)
    if not about or not told:
        return Asked(about, {})
    names = _known(look, told)
    return Asked(about | person.known_names(text, names), names)


def _known(look: Look, sentences: list[str]) -> dict[str, str]:
    names = person.aliases(sentences)
    perhaps = person.perhaps_names(look.question.text, sentences) - names.keys()
    names |= _of_graph(look, perhaps)
    if unknown := perhaps - names.keys():
        keys = [key for key, _ in fulltext.search(look.tx, "memory_fts", look.user, " ".join(sorted(unknown)), MOST)]
        live = memories.live_words(look.tx, look.user, keys, to_db(look.now), kinds=frozenset(), namespace=None)
        names |= {name: who for name, who in person.aliases(live.values()).items() if name in unknown}
    return names


def _of_graph(look: Look, perhaps: Iterable[str]) -> dict[str, str]:
    """The people of the graph among the names, and those whom the question names; what is no relative stands for himself."""
    found = {}
    text = look.question.text
    for name, one in graph.people(look.tx, look.user, {*perhaps, *grams(text)}, _RELATIONS).items():
        if not person.relation_of(name):
            found[name] = next(filter(None, map(person.relation_of, one.aliases)), name)
    return found
