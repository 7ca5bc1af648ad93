"""The prompt that draws relations from a stored memory. Its examples name nobody whom a user is likely to know."""

from __future__ import annotations

from edgemem.write.prompts import chat

PREDICATES = {
    False: (
        "family of", "partner of", "friend of", "colleague of", "manager of", "teacher of", "neighbour of", "works at",
        "studies at", "member of", "lives in", "comes from", "located in", "part of", "owns", "pet of", "supplies",
        "works on", "other",
    ),
    True: (
        "家人", "伴侣", "朋友", "同事", "上级", "老师", "邻居", "任职于", "就读于", "成员", "住在", "来自", "位于", "属于", "拥有", "宠物",
        "供应", "负责", "其他",
    ),
}  # fmt: skip
"""Relations by "is Chinese"; the last one is for what fits none of them, and is not kept."""

SELF = {False: "the user", True: "用户"}
"""What a memory calls the user."""

_SYSTEM_EN = """A note from a long-term memory is given. List how the people, organisations, places and things named in it hang together.
Copy names exactly as the note writes them. "the user" is the person the note belongs to. If nothing in the note is in a lasting relation to something named, answer [].
Take "other" when no relation of the list fits."""

_SYSTEM_ZH = """给出一条长期记忆。列出其中提到的人、单位、地点、物品之间的关系。
名称照抄原文。“用户”指记忆的主人。没有长期关系就回答 []。列表里没有合适的关系时用“其他”。"""

_SHOTS_EN = (
    (
        "The user's cousin Odalys repairs organs at Bellows & Sons in Trieste.",
        (
            '[{"from": "Odalys", "relation": "family of", "to": "the user"},'
            ' {"from": "Odalys", "relation": "works at", "to": "Bellows & Sons"},'
            ' {"from": "Bellows & Sons", "relation": "located in", "to": "Trieste"}]'
        ),
    ),
    ("The user is allergic to feathers.", "[]"),
    ("Tuck is the user's grey parrot.", '[{"from": "Tuck", "relation": "pet of", "to": "the user"}]'),
    ("The user prefers short answers.", "[]"),
    (
        "The user's manager Ilmar went to school with Odalys.",
        '[{"from": "Ilmar", "relation": "manager of", "to": "the user"}, {"from": "Ilmar", "relation": "other", "to": "Odalys"}]',
    ),
)
_SHOTS_ZH = (
    (
        "用户的表姐欧阳霏在的里雅斯特的贝洛琴行修管风琴。",
        (
            '[{"from": "欧阳霏", "relation": "家人", "to": "用户"}, {"from": "欧阳霏", "relation": "任职于", "to": "贝洛琴行"},'
            ' {"from": "贝洛琴行", "relation": "位于", "to": "的里雅斯特"}]'
        ),
    ),
    ("用户对羽毛过敏。", "[]"),
    ("塔克是用户养的灰鹦鹉。", '[{"from": "塔克", "relation": "宠物", "to": "用户"}]'),
    ("用户希望回答简短。", "[]"),
    (
        "用户的主管伊尔马和欧阳霏是校友。",
        '[{"from": "伊尔马", "relation": "上级", "to": "用户"}, {"from": "伊尔马", "relation": "其他", "to": "欧阳霏"}]',
    ),
)


LINK = {False: chat(_SYSTEM_EN, _SHOTS_EN), True: chat(_SYSTEM_ZH, _SHOTS_ZH)}
"""Prompts by "is Chinese"."""
