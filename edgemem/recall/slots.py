"""Memories by subject and attribute: "my shoe size" leads to (user, shoe size), whatever its sentence says."""

from __future__ import annotations

import re

from edgemem.recall import person
from edgemem.recall.question import Look
from edgemem.store import memories
from edgemem.text import comparable, fold, simplified

WORDS = 4
"""Most words, or Han characters, of a subject or attribute that are looked for."""

_ASKED = tuple(
    (attribute, re.compile(pattern))
    for attribute, pattern in (
        ("home", r"\bwhere (?:do|does|did) .{1,30}\blive\b|\bwhere .{1,30} living\b|住(?:在)?哪|住址|住什么地方"),
        ("name", r"\bwhat(?:['’]s| is| was) .{1,20}\bname\b|\bwho am i\b|叫什么|名字"),
        ("called", r"\bcall (?:me|the user)\b|称呼"),
        ("birthday", r"\bbirthday\b|\bborn\b|生日|哪天出生"),
        ("age", r"\bhow old\b|\bage\b|多大|几岁|年龄"),
        ("hometown", r"\bwhere .{1,20}\bfrom\b|\bgr[eo]w up\b|老家|哪里人|哪儿人"),
        ("job", r"\bfor a living\b|\bwhat .{1,20}\bwork as\b|\b(?:job|profession|occupation)\b|职业|做什么工作|干什么的"),
        ("employer", r"\bwhere .{1,20}\bwork\b|\b(?:employer|work for|company)\b|哪.{0,3}(?:上班|工作)|公司|单位"),
        ("allergy", r"\ballerg|过敏"), ("diet", r"\bdiet\b|\bvegan|\bvegetarian|\bwhat .{1,20}(?:not|can['’]?t|cannot) eat\b|忌口|吃素|不能吃|不吃"),
        ("language", r"\blanguages?\b|\bspeak\b|哪些语言|会说什么|什么语言"), ("pet", r"\bpets?\b|宠物"),
    )
)  # fmt: skip
"""How people ask for the attributes that are read off what was said (``edgemem/write/attributes.py``), in both languages."""

_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_OF_USER = re.compile(r"\b(?:i|my|me|mine|am i|user)\b|[我俺咱]|用户")


def by_slot(look: Look) -> list[int]:
    """Keys of the memories that tell what the question asks of whom, newest first.

    Of the user only where the question names nobody else: my sister's shoe size is not mine.
    """
    runs, question = grams(look.question.text), comparable(look.question.text)
    named = memories.subjects(look.tx, look.user, runs)
    others = [name for name in named if name not in ("user", "用户")]
    about = person.asked_about(look.question.text)
    if not others and _OF_USER.search(question) and (not about or person.USER in about):
        others = ["user", "用户"]
    asked = [attribute for attribute, pattern in _ASKED if pattern.search(question)]
    return memories.slots(look.tx, look.user, others, [*asked, *map(fold, runs)]) if others else []


def grams(text: str) -> list[str]:
    """All runs of up to ``WORDS`` words or Han characters, as they stand, folded, and in simplified characters."""
    words = [w.removesuffix("'s").removesuffix("’s") for w in _WORD.findall(_RUN.sub(" ", text))]
    spaced = [" ".join(words[n : n + size]) for size in range(1, WORDS + 1) for n in range(len(words) - size + 1)]
    runs = [
        run[n : n + size]
        for run in dict.fromkeys([*_RUN.findall(text), *_RUN.findall(simplified(text))])
        for size in range(1, WORDS + 1)
        for n in range(len(run) - size + 1)
    ]
    return list(dict.fromkeys([*spaced, *map(fold, spaced), *runs]))
