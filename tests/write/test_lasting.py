"""Everyday statements that last are told from what is over by tomorrow, by their form."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.records import Turn
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel
from edgemem.write import gate, lasting
from edgemem.write.clauses import Clause
from edgemem.write.passing import passing
from tests.helpers import opened


@pytest.mark.parametrize("clause", [
    "I prefer calls in the afternoon now", "I take the ferry to the office", "I catch the tram to work", "I cycle to work now", "I walk to school",
    "I usually bike to campus", "I get up at six", "I get up around five these days", "I go to bed around eleven", "I go swimming on Saturdays",
    "I swim twice a week", "I read before bed", "I sleep with earplugs", "I eat lunch at my desk", "I never eat breakfast", "I drink my coffee black",
    "I like my eggs soft", "I hate mornings", "we avoid motorways", "I wear hearing aids", "I speak Hindi", "I teach maths", "I work nights",
    "I don't smoke", "I don't drink alcohol", "I don't own a television", "I can't swim", "I can't ride a bike", "I can't eat shellfish",
    "I do the shopping on Fridays", "I pay rent on the first", "I take a nap after lunch", "I pick the kids up at three",
    "I'm learning Welsh", "I'm saving up for a boat", "I'm on maternity leave", "I'm training for a triathlon", "I'm looking for a new job",
    "I've switched to night shifts", "I gave up sugar", "I stopped eating meat", "I've gone back to cycling",
    "我骑电动车上班", "我每天挤地铁去公司", "我会弹古筝", "我不太会做饭", "我不会开车", "我有慢性鼻炎", "我从小有哮喘", "我们家信佛", "我在自学日语",
    "我最近在减肥", "我在考驾照", "我们春节打算回老家", "明年准备换房", "手机换成安卓了", "我们公司搬到高新区了", "出差我都先列清单再装箱", "我们家口味偏辣",
])  # fmt: skip
def test_what_lasts_is_told_by_its_form(clause: str) -> None:
    assert lasting.told(clause) in ("F", "P")
    assert not passing(clause)


@pytest.mark.parametrize("clause", [
    "I don't like it", "I like your second version", "I hate this font", "I prefer the first one", "I take the tram tomorrow", "I can't eat right now",
    "I can't drive today", "I'm trying to fix the script", "I'm looking for a synonym", "I'm writing an email", "I stopped at the shop",
    "I gave up on the crossword", "I eat too much of it", "I go to the page and click save", "I read the file and it fails", "I wear this to the wedding",
    "I take it back", "I hate when that happens", "I like the ending", "I do the dishes now", "do you take the tram to work?", "I'd drive to work if I had a car",
    "我会看看的", "我会告诉他", "我会说清楚的", "我会骑过去", "我会开车去接他", "我在做饭", "我在等快递", "我今天坐地铁上班", "我刚骑车去公司", "我有个问题",
    "我先吃饭再聊", "晚上我先洗澡再看", "文档格式换成表格了", "你把标题改成蓝色了", "我有鼻炎吗",
])  # fmt: skip
def test_what_does_not_is_not(clause: str) -> None:
    assert lasting.told(clause) is None


@pytest.mark.parametrize("clause", [
    "I ran into my neighbour at the shop", "can't read my own writing", "I can't focus", "我在路上", "我还在等公交", "我正在收拾",
    "我把吐司烤糊了", "我今天早上打扫了厨房", "今早遛了狗", "我刚走路回来",
])  # fmt: skip
def test_what_is_over_by_tomorrow_is_seen(clause: str) -> None:
    assert passing(clause)


@pytest.mark.parametrize(
    "clause", ["我在吃降压药", "我在看房", "I can't read without glasses", "我每天早上遛狗", "我把烟戒了"]
)
def test_what_only_looks_like_it_is_not(clause: str) -> None:
    assert not passing(clause)


@given(st.text(max_size=150))
def test_any_text_can_be_looked_at(text: str) -> None:
    assert lasting.told(text) in (None, "F", "P")


class _Doubts:
    """A first look that finds everything unlikely."""

    fingerprint = "doubts"
    second = None

    def judge(self, clauses: list[tuple[str, str, str | None]]) -> list[dict[str, float]]:
        return [{"F": 0.1, "P": 0.1, "S": 0.0, "N": 0.8} for _ in clauses]


def test_the_gate_is_lifted_by_the_form_alone() -> None:
    said = [Clause("I can't swim", 0), Clause("I take it back", 30)]
    lifted, doubted = gate.judge(ScriptedModel(), _Doubts(), said, "", None)  # type: ignore[arg-type]
    assert lifted.letter == "F"
    assert lifted.keep >= gate.PLAIN
    assert doubted.keep < gate.PLAIN


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I'm trying to quit smoking", "The user is trying to quit smoking."),
        ("I'm looking for a new job", "The user is looking for a new job."),
        ("I cycle to work now", "The user cycles to work now."),
        ("我会弹古筝", "用户会弹古筝。"),
    ],
)
def test_it_is_kept_as_a_sentence(store_path: Path, message: str, content: str) -> None:
    with opened(store_path, ScriptedModel(choices={message: "F"}), settings=Settings(background=False)) as file:
        mem = file.user("me")
        mem.learn([Turn("user", message)])
        assert [m.content for m in mem.list()] == [content]


@pytest.mark.parametrize("clause", [
    "Milk gives me a stomach ache.", "red wine always gives me migraines", "Cheese makes me ill.", "I get a headache from red wine",
    "btw strawberries give me hives", "I break out in hives when I eat strawberries",
    "我喝牛奶会拉肚子。", "我坐船会晕。", "我吃辣就胃疼", "一吃海鲜我就过敏。", "我熬夜就头疼", "晚上一喝咖啡我就睡不着", "我晚上喝了咖啡就睡不着。",
])  # fmt: skip
def test_what_one_does_not_stand_is_told_by_its_form(clause: str) -> None:
    # Coffee that was drunk "and then" is told with 了: that clause only must not be taken for a mood.
    assert "喝了" in clause or lasting.told(clause) == "F"
    assert not passing(clause)


@pytest.mark.parametrize("clause", [
    "this song gives me a headache", "my boss makes me sick", "it makes me sick", "I feel sick", "I get a headache from this", "people make me ill",
    "我头疼", "我昨晚吃坏了肚子", "我今天吃辣就胃疼", "他喝牛奶会拉肚子吗",
])  # fmt: skip
def test_a_mood_or_one_bad_day_is_nothing_one_does_not_stand(clause: str) -> None:
    assert lasting.told(clause) is None
