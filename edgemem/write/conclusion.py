"""Whether a sentence drawn from several memories says no more than they do: the checks of a memory, and one of reach."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edgemem.text import content_tokens, fold, is_han, segment
from edgemem.write import verify

_SUBJECT = re.compile(r"the user(?:'s)?\s+\w+\s+\w|用户.{2,}")

_REACH = re.compile(
    r"\b(?:always|never|every(?:one|body|thing|where)?|all|none|only|constantly|forever|whenever|must|hates?|loves?)\b"
    r"|总是|从不|从来|一直|永远|每次|每天|所有|任何|只|必须|最"
)
"""Words that reach further than a few remarks can carry, unless the remarks have them."""


def refusal(sentence: str, notes: Sequence[str], turns: Sequence[str]) -> str | None:
    """Why a sentence says more than the notes and the turns that told them, or None.

    Its numbers and names stand in every note: what one note adds is no pattern.
    """
    if not _SUBJECT.match(fold(sentence)):
        return "not a sentence about the user"
    said = "\n".join((*notes, *turns))
    malformed = verify.malformed(sentence, "\n".join(notes))
    if malformed:
        return malformed
    strange = next(filter(None, (verify.strange(sentence, note, chinese=is_han(note)) for note in notes)), None)
    if strange:
        return strange
    reach = next((m[0] for m in _REACH.finditer(fold(sentence)) if m[0] not in fold(said)), None)
    if reach:
        return f"{reach!r} was not said"
    if verify.negated(sentence) != verify.negated(notes[0]):
        return "a negation was gained or lost"
    alone = _of_one_note(sentence, notes)
    if alone:
        return f"{alone!r} stands in one note only"
    return None if verify.grounded(sentence, said) else "says more than the words it rests on"


def _of_one_note(sentence: str, notes: Sequence[str]) -> str | None:
    """A word of the sentence that one of several notes has and no other: it tells of that note, not of the pattern."""
    if len(notes) < 2:
        return None
    known = [segment(note) for note in notes]
    for token, _ in content_tokens(sentence):
        stem = token[: max(4, len(token) - 3)] if token.isascii() else token
        if sum(stem in note for note in known) == 1:
            return token
    return None
