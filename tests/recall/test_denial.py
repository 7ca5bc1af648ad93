"""What is asked for as what is not so, and what tells it; near misses are not shown beside what surely answers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from edgemem.ports import Embedder
from edgemem.recall import denial, need
from tests.helpers import QUIET, opened


@pytest.mark.parametrize(
    "question",
    [
        "What don't I drink?", "Which colours do I never wear?", "When can I not be called?", "What do I hate at the cinema?", "Who is afraid of dogs?",
        "我不喝什么？", "哪天不要打扰我？", "我讨厌什么颜色？", "我怕什么？", "什么菜不能放？",
    ],
)  # fmt: skip
def test_what_is_not_so_is_asked_for(question: str) -> None:
    assert denial.asked_for(question)


@pytest.mark.parametrize(
    "question",
    [
        "Can't you tell me where I live?", "Why not take the train?", "Where do I live?", "Isn't my size 38?", "是不是该睡了？", "有没有什么好看的书？",
        "附近什么店不错？", "你能不能告诉我几点开门？", "我住在哪里？", "What should I not forget for the trip?", "Which museum is not far from here?",
        "What is the weather, isn't it nice?", "Where did I say I quit my job?", "我几点起床别忘了提醒我", "What is it? I do not know.",
    ],
)  # fmt: skip
def test_a_not_that_asks_for_no_such_thing_counts_for_nothing(question: str) -> None:
    assert not denial.asked_for(question)


@pytest.mark.parametrize("text", ["what ", "什么", "吃", "what is in which one ", "which "])
def test_a_long_paste_takes_no_longer_by_its_square(text: str) -> None:
    def seconds(times: int) -> float:
        began = time.process_time()
        denial.asked_for(text * times)
        need.asks_how(text * times)
        return time.process_time() - began

    assert min(seconds(40_000) for _ in range(2)) < 40 * max(0.002, min(seconds(4_000) for _ in range(3)))


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        (("用户不喝咖啡。", "用户昨天喝了一杯奶茶，还不错。", "The user drank cider at the fair."), "我不喝什么？", "用户不喝咖啡。"),
        (("The user never wears wool.", "The user wore a linen suit to the wedding.", "用户上周买了一件棉大衣。"), "What don't I wear?", "The user never wears wool."),
    ],
)  # fmt: skip
def test_what_was_done_is_no_answer_to_what_is_not(
    store_path: Path, e5: Embedder, told: tuple[str, ...], question: str, answer: str
) -> None:
    with opened(store_path, embedder=e5, settings=QUIET) as file:
        mem = file.user("me")
        for content in told:
            mem.add(content)
        assert [hit.content for hit in mem.recall(question)] == [answer]
