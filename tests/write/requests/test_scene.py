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
        "I'll be the detective and you are the butler. I have a limp",
        "I play the pirate, you play the captain",
        "you play the witness, I'm the lawyer",
        "let's play doctor, you are the patient",
        "let's play a game where I'm a wizard of two hundred years",
        "please act as my dentist. I have a sore tooth",
        "role-play with me: I am a baker",
        "我们来玩个游戏，我是国王",
        "来当我的面试官，我有十年经验",
        "我演侦探，你演管家",
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
        "I play tennis on Fridays and I have a dog named Rex.",
        "I play the cello, and I sing in a choir",
        "I'll be in Rome in May and I need a flat",
        "I'll be honest, I hate olives",
        "you play it too loud and I have neighbours",
        "I like role-playing games and I paint the figures",
        "I act as a translator for my mum",
        "we act as an advice centre for tenants",
        "let's play tennis on Friday, I'm free after six",
        "我爱玩游戏，我是学生",
        "我当护士十年了，我是本地人",
        "她当我的医生三年了",
        "我喜欢cosplay，每年去两次漫展",
        "我爱玩角色扮演游戏",
        "我喜欢角色扮演",
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
