"""When the log is silent: nothing of the kind was said, or somebody else said it."""

from __future__ import annotations

import math

import pytest

from edgemem.recall import passages
from edgemem.recall.passages import SIGNALS, Passage
from edgemem.recall.silence import BY_ANOTHER, ENOUGH, SAID, by_another, doubt, known
from edgemem.records import LoggedTurn
from tests.helpers import NOW


def passage(speaker: str, *, named: bool = False, meaning: float = 0.0, words: float = 0.0) -> Passage:
    seen = dict.fromkeys(SIGNALS, 0.0) | {
        "meaning": meaning,
        "words": words,
        "speaker": float(named),
        "session_meaning": meaning,
    }
    logit = passages.SCALE * sum(SIGNALS[name] * value for name, value in seen.items()) + passages.SHIFT
    return Passage(LoggedTurn(1, "t", "s", 0, "user", "…", NOW, "+00:00", speaker), logit, seen)


def ordered(*found: Passage) -> list[Passage]:
    return sorted(found, key=lambda p: -p.logit)


def test_every_signal_but_who_said_it_tells_whose_answer_it_is() -> None:
    assert set(SAID) == set(SIGNALS) - {"speaker"}


def test_nobody_named_is_nobody_mistaken() -> None:
    assert by_another([passage("Ada", meaning=0.9, words=1), passage("Ben")]) == 0


def test_what_another_said_must_not_outweigh_what_the_person_named_said() -> None:
    ada, ben = passage("Ada", named=True, words=0.2), passage("Ben", words=1.0)
    assert by_another(ordered(ada, ben)) == pytest.approx(0.8 * SAID["words"])
    assert "somebody else" in doubt(ordered(ada, ben))
    assert not doubt(ordered(passage("Ada", named=True, words=1.0), passage("Ben", words=0.2)))


def test_many_others_who_said_little_do_not_add_up_to_one_who_said_it() -> None:
    crowd = [passage(f"guest {n}", words=0.5) for n in range(20)]
    assert by_another(ordered(passage("Ada", named=True, words=0.5), *crowd)) == pytest.approx(0)
    one = [passage("Ben", words=0.5) for _ in range(20)]
    assert by_another(ordered(passage("Ada", named=True, words=0.5), *one)) > max(BY_ANOTHER, math.log(19))


def test_a_long_log_knows_what_one_turn_tells_and_a_short_one_is_never_sure() -> None:
    chatter = [passage("", meaning=0.05) for _ in range(ENOUGH)]
    assert "close" in doubt(ordered(*chatter))
    assert not doubt(ordered(passage("", meaning=0.7, words=1.0), *chatter))
    assert known(chatter[: ENOUGH - 1]) == math.inf


def test_without_an_embedding_model_the_words_decide() -> None:
    assert known([passage("", words=0.1) for _ in range(ENOUGH)]) == math.inf


def test_what_a_memory_answers_was_spoken_of_and_yet_by_the_right_person() -> None:
    chatter = ordered(*(passage("", meaning=0.05) for _ in range(ENOUGH)))
    assert doubt(chatter)
    assert not doubt(chatter, known_of=True)
    mistaken = ordered(passage("Ada", named=True, words=0.2), passage("Ben", words=1.0))
    assert "somebody else" in doubt(mistaken, known_of=True)
