"""Everyday statements that last are told from what is over by tomorrow, by their form."""

from __future__ import annotations

from collections.abc import Sequence
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

DONE = (
    "I play the cello.", "I take the tram to work", "We usually eat dinner at seven.", "and I run before breakfast, also in the rain",
    "I read crime novels in bed.", "I only drink oat milk", "I never eat breakfast.", "I sleep with the window open.", "btw I speak Danish",
    "I work from home on Fridays.", "I go to bed at eleven", "I teach maths at a grammar school.", "I practise the drums every evening",
    "我坐地铁上班。", "我会弹钢琴", "我下班以后去游泳。", "我周末看科幻小说。", "我每天骑车上班", "我平时睡前看书。", "我会说粤语", "我会打羽毛球。", "我会下围棋",
    "I take insulin before breakfast", "I use insulin", "I pay rent monthly", "I take a nap after lunch", "我上班坐公交车。",
)  # fmt: skip
LIKED = (
    "我喜欢看科幻小说。", "我睡前喜欢看科幻小说", "我特别喜欢爵士乐。", "我不喜欢开会", "我也爱听相声。", "我讨厌香菜。",
    "I prefer calls in the afternoon now", "I like my eggs soft", "I hate mornings", "we avoid motorways",
)  # fmt: skip
NEITHER = (
    "I play the cello today.", "I read an article about bees.", "I read your message", "I work on it now", "I work with this file",
    "if I play the cello", "I eat what I want", "I listen to you", "I take it", "I drink to that", "I drive you there", "I work it out",
    "I live with it", "I'm playing chess", "I played chess", "I just run it again", "I take the train tomorrow", "I run the script, then it fails",
    "I would play the cello", "I wear it", "do I play the cello?", "I grow up", "I walk in and suddenly everyone stops",
    "我喜欢这首歌。", "我喜欢你", "我喜欢第二个方案", "我今天坐地铁上班", "我会去的", "我会努力的", "我想学弹钢琴", "我坐地铁上班吗？", "我刚看完书",
    "我现在去游泳", "我喜欢的歌手", "我喜欢过他", "如果我会弹钢琴", "我晚上看了电影", "我喜欢什么",
    # a step of work, a move in a game, a line of a tale
    "I run out of memory", "I run the tests", "I drink the potion", "I eat an apple", "I run away from the goblin", "I climb the tower", "I walk into the cave",
    "I wake up in a dark cell", "I play a card", "I quit the game", "I switched to main", "I changed to another branch", "I went back to the cave",
    "I gave up the search", "I took up arms", "I stopped using the debugger", "I'm expecting a parcel", "I'm saving to a csv", "I'm raising my hand",
    "I'm learning the ropes", "I like option two", "I like version 2", "I keep the change, thanks", "I hate my life", "I sleep on it",
    "我也听不懂", "我都看完", "我都喝完", "我晚上写报告", "我中午吃面", "我会打电话给老板", "我会讲清楚", "我会说实话", "我会修好的", "我会画出来", "我会拉肚子",
    "背景换成蓝色了", "按钮搬到右边了", "标题改成红色了", "我在找房子的钥匙", "我在创业板买了股票", "我在读博客", "我喜欢A方案", "我喜欢前者", "我喜欢第二版",
)  # fmt: skip


@pytest.mark.parametrize("clause", DONE)
def test_what_one_does_as_a_rule_is_a_fact(clause: str) -> None:
    assert _letter(clause) == "F"


@pytest.mark.parametrize("clause", LIKED)
def test_what_one_likes_is_a_preference(clause: str) -> None:
    assert _letter(clause) == "P"


@pytest.mark.parametrize("clause", NEITHER)
def test_a_moment_a_tale_or_a_condition_is_neither(clause: str) -> None:
    assert _letter(clause) is None


def _letter(clause: str) -> str | None:
    form = lasting.told(clause)
    return None if form is None else form.letter


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
    assert lasting.told(clause) is not None
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
    form = lasting.told(text)
    assert form is None or form.letter in ("F", "P")


class _Doubts:
    """A first look that finds everything as unlikely as told."""

    fingerprint = "doubts"
    second = None

    def __init__(self, keep: float) -> None:
        self.keep = keep

    def judge(self, clauses: Sequence[tuple[str, str, str | None]]) -> list[dict[str, float]]:
        return [{"F": self.keep / 2, "P": self.keep / 2, "S": 0.0, "N": 1 - self.keep} for _ in clauses]


@pytest.mark.parametrize(
    ("clause", "letter"),
    [("I can't swim", "F"), ("I play the cello.", "F"), ("I speak Danish", "F"), ("I read before bed", "F"), ("我喜欢看科幻小说。", "P"), ("我会弹钢琴", "F"), ("我有慢性鼻炎", "F")],
)  # fmt: skip
def test_a_form_that_only_lasting_things_have_is_believed_against_any_doubt(clause: str, letter: str) -> None:
    verdict = _verdict(clause, keep=0.02)
    assert verdict.letter == letter
    assert verdict.keep >= gate.PLAIN


@pytest.mark.parametrize("clause", ["I eat berries", "I gave up sugar", "I wear armour", "I read crime novels", "我最近在减肥", "我不会开车"])  # fmt: skip
def test_a_form_that_a_tale_may_have_too_only_nudges(clause: str) -> None:
    assert _verdict(clause, keep=gate.NUDGED_FROM + 0.01).keep >= gate.PLAIN
    assert _verdict(clause, keep=gate.NUDGED_FROM - 0.01).keep < gate.PLAIN


@pytest.mark.parametrize("clause", ["I take it back", "I bought a kettle.", "I drink the potion", "我会打电话给老板"])
def test_what_has_no_such_form_stays_as_it_was_judged(clause: str) -> None:
    assert _verdict(clause, keep=0.3).keep == pytest.approx(0.3)


def _verdict(clause: str, keep: float) -> gate.Verdict:
    return gate.judge(ScriptedModel(), _Doubts(keep), [Clause(clause, 0)], clause, None)[0]


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
    assert "喝了" in clause or _letter(clause) == "F"
    assert not passing(clause)


@pytest.mark.parametrize("clause", [
    "this song gives me a headache", "my boss makes me sick", "it makes me sick", "I feel sick", "I get a headache from this", "people make me ill",
    "我头疼", "我昨晚吃坏了肚子", "我今天吃辣就胃疼", "他喝牛奶会拉肚子吗",
])  # fmt: skip
def test_a_mood_or_one_bad_day_is_nothing_one_does_not_stand(clause: str) -> None:
    assert lasting.told(clause) is None
