"""Making the cosines of different embedding models mean the same.

Pairs of sentences written for the purpose, in English and Chinese, stand for four degrees of
relatedness. Their typical cosines on a model become the points of a piecewise-linear map.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from edgemem.ports import Embedder

Points = Sequence[tuple[float, float]]
"""(cosine, similarity), both rising."""

Pairs = tuple[tuple[str, str], ...]

UNRELATED: Final[Pairs] = (
    ("I am allergic to peanuts.", "The printer on the third floor is out of toner."),
    ("My sister lives in Lisbon.", "Use four spaces for indentation in this project."),
    ("The deadline for the tax form is in May.", "He plays the cello in an orchestra."),
    ("I prefer window seats.", "The database migration failed at step two."),
    ("Our dog is called Bruno.", "The invoice must be sent in PDF format."),
    ("She is learning to swim.", "The meeting moved to the blue room."),
    ("我对花生过敏。", "三楼的打印机没有墨粉了。"),
    ("我妹妹住在成都。", "代码里请用四个空格缩进。"),
    ("报税的截止日期是五月。", "他在乐团里拉大提琴。"),
    ("我坐飞机喜欢靠窗。", "数据库迁移在第二步失败了。"),
    ("我们家的狗叫豆豆。", "发票必须用PDF格式发送。"),
    ("她正在学游泳。", "会议改到蓝色会议室了。"),
)

SAME_TOPIC: Final[Pairs] = (
    ("I am allergic to peanuts.", "My brother eats no dairy."),
    ("My sister lives in Lisbon.", "My parents moved to Porto last year."),
    ("The deadline for the tax form is in May.", "I pay my taxes with an online program."),
    ("I prefer window seats.", "The flight to Rome takes two hours."),
    ("Our dog is called Bruno.", "The neighbours have two cats."),
    ("Use four spaces for indentation.", "Write a test for every new function."),
    ("我对花生过敏。", "我弟弟不喝牛奶。"),
    ("我妹妹住在成都。", "我父母去年搬到了重庆。"),
    ("报税的截止日期是五月。", "我用软件在网上报税。"),
    ("我坐飞机喜欢靠窗。", "飞到上海要两个小时。"),
    ("我们家的狗叫豆豆。", "邻居养了两只猫。"),
    ("代码里请用四个空格缩进。", "每个新函数都要写测试。"),
)

CLOSE: Final[Pairs] = (
    ("I am allergic to peanuts.", "Nuts make me sick, so I check the labels of snacks."),
    ("My sister lives in Lisbon.", "My sister found a flat near the river in Lisbon."),
    ("The deadline for the tax form is in May.", "I still have to hand in my tax form before the deadline."),
    ("I prefer window seats.", "On long flights I always try to book a seat by the window."),
    ("Our dog is called Bruno.", "Bruno, our dog, is four years old."),
    ("Use four spaces for indentation.", "Do not use tabs for indentation in Python files."),
    ("我对花生过敏。", "我吃坚果会不舒服，买零食要看成分。"),
    ("我妹妹住在成都。", "我妹妹在成都租了一套河边的房子。"),
    ("报税的截止日期是五月。", "我得在截止日期前交报税表。"),
    ("我坐飞机喜欢靠窗。", "长途飞行我总是订靠窗的座位。"),
    ("我们家的狗叫豆豆。", "豆豆是我们的狗，今年四岁。"),
    ("代码里请用四个空格缩进。", "Python文件里不要用制表符缩进。"),
)

SAME: Final[Pairs] = (
    ("I am allergic to peanuts.", "I have a peanut allergy."),
    ("My sister lives in Lisbon.", "Lisbon is where my sister lives."),
    ("The deadline for the tax form is in May.", "The tax form is due in May."),
    ("I prefer window seats.", "I like window seats best."),
    ("Our dog is called Bruno.", "The name of our dog is Bruno."),
    ("Use four spaces for indentation.", "Indent with four spaces."),
    ("我对花生过敏。", "我有花生过敏症。"),
    ("我妹妹住在成都。", "我的妹妹在成都居住。"),
    ("报税的截止日期是五月。", "报税最晚在五月完成。"),
    ("我坐飞机喜欢靠窗。", "坐飞机时我更喜欢靠窗的座位。"),
    ("我们家的狗叫豆豆。", "我家狗狗的名字是豆豆。"),
    ("代码里请用四个空格缩进。", "请用四个空格缩进代码。"),
)

# Degree, similarity, and which of its sorted cosines stands for it: the same statement must mostly lie above 0.92.
_LEVELS: Final = ((UNRELATED, 0.0, 0.5), (SAME_TOPIC, 0.5, 0.5), (CLOSE, 0.75, 0.5), (SAME, 0.92, 0.2))
_STEP: Final = 0.005

E5_POINTS: Final = ((0.0174, 0.0), (0.292, 0.5), (0.5335, 0.75), (0.8563, 0.92), (1.0, 1.0))
"""What ``calibration_points`` measured on multilingual-e5-small Q4_0."""


def known_points(name: str) -> Points | None:
    """Points measured before for a model called ``name``, None for others."""
    return E5_POINTS if "multilingual-e5-small" in name.lower() else None


def calibration_points(embedder: Embedder) -> tuple[tuple[float, float], ...]:
    """Measure where on the cosine scale of ``embedder`` the four degrees lie; takes a second or two."""
    points: list[tuple[float, float]] = []
    for pairs, similarity, quantile in _LEVELS:
        cosine = _at(_cosines(embedder, pairs), quantile)
        if points:
            cosine = max(cosine, points[-1][0] + _STEP)  # a weak model may not tell two degrees apart
        points.append((round(cosine, 4), similarity))
    return (*points, (max(1.0, points[-1][0] + _STEP), 1.0))


def interpolate(points: Points, cosine: float) -> float:
    """The similarity for ``cosine`` on the line through ``points``, within 0..1."""
    if not cosine > points[0][0]:
        return points[0][1]
    for (low, start), (high, end) in pairwise(points):
        if cosine <= high:
            return start + (end - start) * (cosine - low) / (high - low)
    return points[-1][1]


def _cosines(embedder: Embedder, pairs: Pairs) -> list[float]:
    texts = [text for pair in pairs for text in pair]
    vectors = embedder.embed(texts, "passage")
    return [sum(a * b for a, b in zip(*pair, strict=True)) for pair in zip(vectors[::2], vectors[1::2], strict=True)]


def _at(values: list[float], quantile: float) -> float:
    """The value below which a share ``quantile`` of ``values`` lies, between neighbours in proportion."""
    ordered, place = sorted(values), quantile * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
