"""What is asked for, or told, as what is not so: "what don't I eat?" is not answered by what was eaten.

Rules over English and Chinese. A "not" in a question that asks for no such thing ("can't you tell me …?", 是不是) counts
for nothing.
"""

from __future__ import annotations

import re

from edgemem.text import comparable

_AVERSE = r"avoid\w*|dislike\w*|hat(?:e|es|ed|ing)|stay\w* away|keep\w* away|afraid|fear\w*|scare\w*|frighten\w*|giv(?:e|es|en) up|gave up"
_SENTENCE = re.compile(r"[.!?。！？;；\n]")
_ASKS = re.compile(r"\b(?:what|which|when|who|whom|where)\b")
_TAG = re.compile(r",\s*\w+n['’]t (?:it|i|you|he|she|we|they|that)\b")
"""The end of a question that only asks for a nod: ", isn't it?" """
_DENIED = re.compile(
    rf"\b(?:not(?! (?:forget|far|only|yet|to forget)\b)|never(?! forget\b)|cannot|{_AVERSE})\b|n['’]t\b(?! (?:forget|you (?:tell|remember|think))\b)"
)
_ASKS_HAN = re.compile("什么|啥|哪|谁|几")
_DENIED_HAN = re.compile("(?<![是能好会要有对行吃])[不没别](?![错过知同管如久忘])|讨厌|忌|避开|受不了|怕|戒")
_DENIES = re.compile(
    rf"\b(?:not|no|no longer|never|cannot|without|except|only|allerg\w+|intoleran\w+|vegan|vegetarian|{_AVERSE})\b|n['’]t\b"
    "|[不没别忌避怕戒只]|讨厌|受不了|过敏|素"
)


def asked_for(question: str) -> bool:
    """Whether a question asks what is not so, not done, or not borne."""
    return any(_denies(one) for one in _SENTENCE.split(comparable(question)))


def _denies(sentence: str) -> bool:
    asks = _ASKS.search(sentence)
    if asks is not None and _DENIED.search(_TAG.sub("", sentence[asks.end() :])) is not None:
        return True
    return _ASKS_HAN.search(sentence) is not None and _DENIED_HAN.search(sentence) is not None


def told(content: str) -> bool:
    """Whether a text tells that something is not so, not done, or not borne."""
    return _DENIES.search(comparable(content)) is not None
