"""The words for relatives, friends and people at work, in English and Chinese: the one list all rooms read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Relation:
    """``groups``: words of one group may stand for each other, those of two (姐 and 妹) not. ``sex`` "" says nothing of it."""

    groups: tuple[tuple[str, ...], ...]
    sex: Literal["m", "f", ""]

    @property
    def words(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(word for group in self.groups for word in group)

    @property
    def latin(self) -> tuple[str, ...]:
        """The English words."""
        return tuple(w for w in self.words if w.isascii())

    @property
    def han(self) -> tuple[str, ...]:
        """The Chinese words."""
        return tuple(w for w in self.words if not w.isascii())


_MALE: Final = (
    "father dad daddy papa / 爸爸 父亲 老爸 爸 爹", "brother bro / 哥哥 哥 兄长 / 弟弟 弟", "husband hubby / 丈夫 老公 先生 爱人", "boyfriend / 男朋友 男友",
    "son / 儿子", "grandfather grandpa granddad grandad / 爷爷 祖父 / 外公 姥爷 外祖父", "uncle / 叔叔 叔 / 舅舅 舅 / 伯伯 / 姑父 / 姨父", "nephew / 侄子 / 外甥",
    "grandson / 孙子 / 外孙", "father-in-law / 公公 / 岳父 老丈人", "brother-in-law / 姐夫 / 妹夫 / 小舅子",
)  # fmt: skip
_FEMALE: Final = (
    "mother mum mom mam mama mommy mummy / 妈妈 母亲 老妈 妈 娘", "sister sis / 姐姐 姐 姊 / 妹妹 妹", "wife / 妻子 老婆 太太 媳妇 爱人", "girlfriend / 女朋友 女友",
    "daughter / 女儿 闺女", "grandmother grandma granny gran nan nana / 奶奶 祖母 / 外婆 姥姥 外祖母", "aunt auntie aunty / 阿姨 / 姑姑 姑 / 姨妈 姨 / 舅妈 / 婶婶 婶",
    "niece / 侄女 / 外甥女", "granddaughter / 孙女 / 外孙女", "mother-in-law / 婆婆 / 岳母 丈母娘", "sister-in-law / 嫂子 / 弟媳 / 小姨子",
)  # fmt: skip
_EITHER: Final = (
    "partner spouse fiance fiancee / 爱人 对象", "cousin / 表妹 / 表弟 / 表姐 / 表哥 / 堂妹 / 堂弟 / 堂姐 / 堂哥", "kid child / 孩子 小孩",
    "friend mate buddy / 朋友 闺蜜 哥们 发小", "colleague coworker co-worker workmate / 同事", "roommate flatmate housemate / 室友 舍友", "boss / 老板 领导",
    "manager / 经理 主管", "neighbour neighbor / 邻居", "landlord / 房东", "teacher / 老师 导师 / 师傅",
)  # fmt: skip


def _relation(line: str, sex: Literal["m", "f", ""]) -> Relation:
    return Relation(tuple(tuple(group.split()) for group in line.split("/")), sex)


RELATIONS: Final[Mapping[str, Relation]] = {
    relation.words[0]: relation
    for relation in (
        *(_relation(line, "m") for line in _MALE),
        *(_relation(line, "f") for line in _FEMALE),
        *(_relation(line, "") for line in _EITHER),
    )
}
"""Each relation by its first English word."""


def _alternatives(words: set[str]) -> str:
    return "|".join(sorted(words, key=lambda w: (-len(w), w)))


LATIN: Final = _alternatives({w for r in RELATIONS.values() for w in r.latin})
"""The English words as alternatives of a pattern, the longest first."""

HAN: Final = _alternatives({w for r in RELATIONS.values() for w in r.han})
"""The Chinese words likewise."""

MALE: Final = frozenset(w for r in RELATIONS.values() if r.sex == "m" for w in r.words) - {"爱人"}
"""Words for men and boys only."""

FEMALE: Final = frozenset(w for r in RELATIONS.values() if r.sex == "f" for w in r.words) - {"爱人"}
"""Words for women and girls only."""
