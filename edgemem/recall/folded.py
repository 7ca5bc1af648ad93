"""Summaries of the last sessions: what was talked about lately, sentence by sentence with its turns."""

from __future__ import annotations

import re

from edgemem.recall import person
from edgemem.recall.question import Look
from edgemem.recall.words import COVERED, coverage
from edgemem.records import Hit, Part, Source
from edgemem.store import memories, summaries
from edgemem.text import comparable

SESSIONS = 3
"""How many of the last summarised sessions are looked at."""

_LAST_TALK = re.compile(
    r"\b(?:last time|last (?:conversation|chat|session|talk)|previous(?:ly)? (?:conversation|chat|session|talk|discuss\w*)|where (?:did|were) we"
    r"|we (?:talk|discuss|chat|speak|spoke)\w*|our (?:last|previous|recent) (?:conversation|chat|session|talk)s?|recently (?:talk|discuss)\w*)\b"
    r"|上次|上回|之前(?:聊|谈|说|讨论)|(?:聊|谈|说|讨论)(?:到|过)(?:哪|什么)|最近(?:聊|谈|讨论)|我们(?:聊|谈|讨论)"
)
TALKED = 0.6
"""Score (0..1) of a sentence when the question asks what the last talks were about; else it counts by its words."""


def by_summary(look: Look) -> list[Hit]:
    """Sentences of the last sessions' summaries that the question asks for, the latest session first."""
    text = comparable(look.question.text)
    general = _LAST_TALK.search(text) is not None
    own = look.question.without[0] if look.question.without else None
    found = []
    sentences = summaries.latest(look.tx, look.user, SESSIONS, without=own)
    # What a later memory corrected is no longer so, whatever the summary of that day says.
    stale = memories.turns_out_of_use(look.tx, look.user, {s.key for s in sentences}) if sentences else set()
    about = person.asked_about(look.question.text)
    told = (s for s in sentences if s.key not in stale and not person.only_others(s.content, about))
    for rank, sentence in enumerate(told, start=1):
        shared = coverage(look.question.text, sentence.content)
        score = max(TALKED if general else 0.0, shared * TALKED if shared >= COVERED else 0.0)
        if score:
            source = Source(sentence.session, sentence.turn, sentence.content, None, sentence.at, sentence.zone)
            parts = {"summary": Part(rank, shared, score)}
            found.append(Hit(sentence.id, sentence.content, "summary", score, parts, source))
    return sorted(found, key=lambda hit: -hit.score)
