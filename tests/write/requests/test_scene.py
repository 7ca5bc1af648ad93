"""Role play: nobody speaks for himself in it."""

from __future__ import annotations

import pytest

from edgemem.records import LoggedTurn
from edgemem.write.requests import scene
from tests.helpers import NOW


def _turn(content: str, role: str = "user") -> LoggedTurn:
    return LoggedTurn(1, "1", "s", 0, role, content, NOW, "+00:00")


@pytest.mark.parametrize(
    "message",
    [
        "Let's roleplay a ship's mutiny. I have sailed for ten years",
        "pretend you're my landlord. I live in flat nine and never pay late",
        "you be the judge and I'll be the accused, I have two children",
        "*puts down the lantern* I come from the marshes",
        "咱们来角色扮演，我是个卖刀的，家里有三个孩子",
        "你当考官，我当考生。我叫秦朗",
    ],
)
def test_a_message_that_sets_or_plays_a_scene(message: str) -> None:
    assert scene.played(message, [])


@pytest.mark.parametrize(
    "message",
    [
        "my daughter plays the cello and I play the oboe",
        "I act as treasurer of the allotment club",
        "I can't imagine living anywhere else than Bath",
        "we play bridge on Tuesdays, my wife and I",
        "我在剧团当灯光师，我爱人是演员",
        "*very* important: I'm allergic to latex",
    ],
)
def test_plain_words_about_play_are_no_scene(message: str) -> None:
    assert not scene.played(message, [])


def test_a_scene_goes_on_until_it_is_over() -> None:
    begun = [_turn("pretend you're a dragon and I'm a knight"), _turn("Roar!", "assistant")]
    assert scene.played("I have slain nine of your kind", begun)
    over = [*begun, _turn("ok stop the role play"), _turn("Fine.", "assistant")]
    assert not scene.played("I'm a nurse at the children's ward", over)
    assert not scene.played("out of character: I'm a nurse at the children's ward", begun)
    assert not scene.played("I'm a nurse", [_turn("pretend you're a dragon", "assistant")])


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ("I'm a nurse. translate to German: I have two sons.", "I'm a nurse. translate to German:"),
        ("翻译成法语：我有两个儿子", "翻译成法语："),
        ("fix my grammar: me has a farm", "fix my grammar:"),
        ("I translate films for a living, mostly Czech ones", None),
        ("our translation office moves to Brno", None),
    ],
)
def test_text_to_be_worked_on_is_nobodys_own(message: str, own: str | None) -> None:
    start = scene.material_from(message)
    assert (None if start is None else message[:start]) == own
