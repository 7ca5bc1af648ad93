"""Vectors to measure with: clustered synthetic ones of any number, and sentences for a real embedding model."""

from __future__ import annotations

import itertools
import random

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

DIM = 384


def clustered(count: int, seed: int) -> Vectors:
    """Unit vectors (count, 384): count/100 clusters of Zipf sizes, variances falling as 1/i, noise of 0.8 within.

    Nearest neighbours have a cosine of about 0.75, random pairs of 0: easier than independent directions, and
    in how they crowd closer to embeddings.
    """
    dice = np.random.default_rng(seed)
    spread = 1 / np.sqrt(np.arange(1, DIM + 1))
    centres = dice.standard_normal((max(1, count // 100), DIM)) * spread
    which = np.minimum(dice.zipf(1.3, count) - 1, len(centres) - 1)
    made = np.empty((count, DIM), np.float32)
    for start in range(0, count, 10_000):
        some = which[start : start + 10_000]
        made[start : start + len(some)] = centres[some] + 0.8 * dice.standard_normal((len(some), DIM)) * spread
    return unit(made)


def near(vectors: Vectors, count: int, seed: int) -> Vectors:
    """Queries: some of the vectors, each moved a little."""
    dice = np.random.default_rng(seed)
    picked = vectors[dice.integers(0, len(vectors), count)]
    spread = 1 / np.sqrt(np.arange(1, DIM + 1))
    return unit((picked + 0.06 * dice.standard_normal(picked.shape) * spread).astype(np.float32))


def unit(vectors: Vectors) -> Vectors:
    """Of length 1, and as they come back from float16."""
    scaled: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled.astype(np.float16).astype(np.float32)


WHO = (
    "Ada",
    "my sister",
    "our neighbour",
    "Dr. Weber",
    "the new colleague",
    "Tom's mother",
    "我妈",
    "小李",
    "邻居王阿姨",
    "老师",
)
PLACES = (
    "Zurich",
    "the harbour",
    "a village near Oslo",
    "the office",
    "Kyoto",
    "杭州",
    "城南",
    "图书馆",
    "the allotment",
    "Lisbon",
)
THINGS = (
    "a cello", "hiking boots", "sourdough bread", "an old bicycle", "jasmine tea", "peanuts", "the tax form", "a grey cat",
    "three goats", "a telescope", "辣火锅", "绿茶", "钢琴", "旧相机", "the blue car", "a wooden boat",
)  # fmt: skip
TIMES = (
    "every Tuesday",
    "since 2019",
    "last spring",
    "in May",
    "tomorrow at nine",
    "on the 3rd",
    "每个周末",
    "去年冬天",
    "早上七点",
    "明天",
)
ENGLISH = (
    "The user bought {0} in {1} {2}.", "{3} cannot stand {0} and says so {2}.", "The user is allergic to {0}.",
    "The user moved to {1} {2} because of {3}.", "{3} teaches the user about {0} {2}.", "Remind the user about {0} {2}.",
    "The user prefers {0} over anything else in {1}.", "{3} and the user meet at {1} {2}.", "The user lost {0} near {1}.",
    "Never mention {0} when {3} is around.", "The user paid 240 for {0} {2}.", "{3} wants to sell {0} in {1}.",
)  # fmt: skip
CHINESE = (
    "用户{2}在{1}买了{0}。", "{3}不喜欢{0}。", "用户对{0}过敏。", "用户{2}要和{3}一起去{1}。", "{3}在{1}教用户用{0}。",
    "不要在{3}面前提{0}。", "用户在{1}把{0}弄丢了。", "用户觉得{0}比什么都好。",
)  # fmt: skip


def sentences(count: int, seed: int) -> list[str]:
    """Distinct sentences like memories, three English to two Chinese: a template with a thing, a place, a time, a person.

    There are about 300,000 of them, many alike but for one word, which is harder for an index than real diaries.
    """
    every = [
        template.format(*slots)
        for template in (*ENGLISH, *CHINESE)
        for slots in itertools.product(THINGS, PLACES, TIMES, WHO)
    ]
    made = sorted(set(every))
    random.Random(seed).shuffle(made)
    return made[:count]
