"""Text that full-text search stumbles over is found by itself, in memories and in the log; what holds no word is told so."""

from __future__ import annotations

import unicodedata

import pytest

from edgemem.memory import MemoryFile
from edgemem.recall.search import WORDLESS
from edgemem.view import Memory
from tests.helpers import said

CAFE, HANGUL = "We met at the café", "한국어를 배운다"

FOUND = [
    ("C++", "I write C++ every day"), ("C#", "I learn C# at night"), ("don't", "I don't eat pork"),
    ("don’t", "I don't eat pork"), ('a"b', 'the key is a"b here'), ("AND", "the AND gate broke"),
    ("OR NOT", "OR NOT was the name of the band"), ("NEAR(", "NEAR( is a keyword"), ("x*", "x* is the optimum"),
    ("a+b", "the rule a+b holds"), (".NET", "we use .NET at work"), ("node.js", "we run node.js"),
    ("@anna", "ask @anna first"), ("#42", "ticket #42 is mine"), ("100%", "I am 100% sure"), ("co-op", "the co-op is near"),
    ("🦜", "my parrot 🦜 is called Rio"), ("👩‍🚀", "she is an 👩‍🚀 now"), ("♥", "signed with a ♥"),
    ("猫", "我养了一只猫"), ("我", "我养了一只猫"), ("火锅", "昨天吃了火锅"), ("锅", "昨天吃了火锅"), ("鍋", "昨天吃了火锅"),
    ("东京", "明日は東京タワーに行く"), ("ハンバーグ", "ﾊﾝﾊﾞｰｸﾞが好き"), ("ภาษา", "ภาษาไทยยาก"),
    ("서울", "사용자는 서울에서 산다"), ("서울에서", "서울이 좋다"), ("집", "우리 집은 크다"),
    ("пароль", "Пароль от сейфа у Анны"), ("сейф", "Пароль от сейфа у Анны"), ("сейфе", "Пароль от сейфа у Анны"),
    ("العربية", "أتعلم العربية منذ سنة"), ("عربية", "أتعلم العربية منذ سنة"), ("اتعلم", "أتعلم العربية منذ سنة"),
    (unicodedata.normalize("NFD", "café"), CAFE), ("café", unicodedata.normalize("NFD", CAFE)), ("cafe", CAFE),
    (unicodedata.normalize("NFD", "한국어"), HANGUL), ("한국어", unicodedata.normalize("NFD", HANGUL)),
    ("ABC１２３", "Room abc123 is hers"), ("abc123", "Room ＡＢＣ１２３ is hers"), ("STRASSE", "Große Straße 5"),
    ("iPhone", "我買了iPhone手機"), ("手机", "我买了iPhone手机"), ("watchdog", "用watchdog看着它"), ("什么都不吃", "什麼都不吃"),
]  # fmt: skip
"""A question, and what is stored and must be found by it alone."""

OTHERS = ("The zither stands in Lübeck.", "小提琴在楼上", "I write prose at dawn")


@pytest.mark.parametrize(("question", "stored"), FOUND)
def test_is_found_in_memories_and_in_the_log(store: MemoryFile, question: str, stored: str) -> None:
    told, logged = store.user("told"), store.user("logged")
    for other in OTHERS:
        told.add(other)
    told.add(stored)
    logged.log(said(*OTHERS, session="others"))
    logged.log(said(stored))
    assert [h.content for h in told.recall(question)][:1] == [stored]
    assert [h.content for h in logged.recall(question)][:1] == [stored]
    assert [h.content for h in logged.search_log(question, limit=1)] == [stored]


@pytest.mark.parametrize("question", ["", " ", "*", "?", "。", "(", '"', "^", "—", "\u200d", "\n"])
def test_a_question_without_a_word_is_told_so(mem: Memory, question: str) -> None:
    mem.add("rated * by the critics?")
    mem.log(said("rated * by the critics?"))
    answer = mem.recall(question)
    assert answer.abstained
    assert answer.doubt == WORDLESS


def test_one_sign_tells_what_one_letter_does_not(mem: Memory) -> None:
    for language in ("C", "C++", "C#"):
        mem.add(f"The user writes {language} for a living.")
    for asked in ("C++", "C#"):
        assert mem.recall(asked, limit=1).hits[0].content == f"The user writes {asked} for a living."


def test_a_number_is_not_found_by_its_first_digits(mem: Memory) -> None:
    mem.add("The locker is abc12345.")
    assert mem.recall("abc12399").abstained


def test_an_emoji_does_not_find_another(mem: Memory) -> None:
    mem.add("my parrot 🦜 is called Rio")
    assert mem.recall("🦊").abstained
