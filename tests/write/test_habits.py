"""Plain habits are told from moments by their form, and kept whatever learned weights say of their subject."""

from __future__ import annotations

import pytest

from edgemem.text import fold
from edgemem.write.clauses import split
from edgemem.write.gate import judge
from edgemem.write.habits import habit

DONE = (
    "I play the cello.", "I take the tram to work", "We usually eat dinner at seven.", "and I run before breakfast, also in the rain",
    "I read crime novels in bed.", "I only drink oat milk", "I never eat breakfast.", "I sleep with the window open.", "btw I speak Danish",
    "I work from home on Fridays.", "I go to bed at eleven", "I teach maths at a grammar school.", "I practise the drums every evening",
    "我坐地铁上班。", "我会弹钢琴", "我下班以后去游泳。", "我周末看科幻小说。", "我每天骑车上班", "我平时睡前看书。", "我上班坐公交车。",
)  # fmt: skip
LIKED = (
    "我喜欢看科幻小说。",
    "我睡前喜欢看科幻小说",
    "我特别喜欢爵士乐。",
    "我不喜欢开会",
    "我也爱听相声。",
    "我讨厌香菜。",
)
NEITHER = (
    "I play the cello today.", "I read an article about bees.", "I read your message", "I work on it now", "I work with this file",
    "if I play the cello", "I eat what I want", "I listen to you", "I take it", "I drink to that", "I drive you there", "I work it out",
    "I live with it", "I'm playing chess", "I played chess", "I just run it again", "I take the train tomorrow", "I run the script, then it fails",
    "I would play the cello", "I wear it", "do I play the cello?", "I grow up", "I walk in and suddenly everyone stops",
    "我喜欢这首歌。", "我喜欢你", "我喜欢第二个方案", "我今天坐地铁上班", "我会去的", "我会努力的", "我想学弹钢琴", "我坐地铁上班吗？", "我刚看完书",
    "我现在去游泳", "我喜欢的歌手", "我喜欢过他", "如果我会弹钢琴", "我晚上看了电影", "我喜欢什么",
)  # fmt: skip


@pytest.mark.parametrize("clause", DONE)
def test_what_one_does_as_a_rule_is_a_fact(clause: str) -> None:
    assert habit(fold(clause)) == "F"


@pytest.mark.parametrize("clause", LIKED)
def test_what_one_likes_is_a_preference(clause: str) -> None:
    assert habit(fold(clause)) == "P"


@pytest.mark.parametrize("clause", NEITHER)
def test_a_moment_a_tale_or_a_condition_is_no_habit(clause: str) -> None:
    assert habit(fold(clause)) is None


class SmallTalk:
    """A gate that takes everything for small talk."""

    fingerprint = "small talk"
    second = None

    def judge(self, clauses: object) -> list[dict[str, float]]:
        assert isinstance(clauses, list)
        return [{"F": 0.03, "P": 0.03, "S": 0.01, "N": 0.93} for _ in clauses]


@pytest.mark.parametrize(
    ("clause", "kept"), [("I play the cello.", True), ("我喜欢看科幻小说。", True), ("I bought a kettle.", False)]
)
def test_a_plain_habit_is_kept_against_the_learned_weights(clause: str, kept: bool) -> None:
    clauses = split(clause)
    verdict = judge(None, SmallTalk(), clauses, clause, None)[0]  # type: ignore[arg-type]
    assert (verdict.keep > 0.7) is kept
