"""Reflection: insights that cite what was said on several days, fall with it, and never come from one remark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from edgemem.errors import NotFound
from edgemem.ports import Generation, Message, Priority
from edgemem.records import LoggedTurn
from edgemem.settings import Settings
from edgemem.upkeep.patterns import told_often
from edgemem.view import Memory
from edgemem.write import conclusion
from tests.helpers import NOW, Fact, RuleModel, SetClock, opened, said, wait_until, written

RUNS = (
    Fact("I went running by the river before work", "The user went running by the river before work."),
    Fact("I was running by the river before work again", "The user was running by the river before work again."),
    Fact("I keep running by the river before work in rain", "The user keeps running by the river before work in rain."),
)
TEA = Fact("I drink green tea", "The user drinks green tea.")


class Wording(RuleModel):
    """Extracts as ``RuleModel`` does, and words patterns with the sentence given."""

    def __init__(self, *facts: Fact, sentence: str = "") -> None:
        super().__init__(*facts)
        self.sentence = sentence

    def generate(
        self, messages: object, *, max_tokens: int = 512, grammar: str | None = None, temperature: float = 0.0,
        seed: int = 0, priority: Priority = "background",
    ) -> Generation:  # fmt: skip
        assert isinstance(messages, list | tuple)
        if grammar is None:
            return written(self.sentence)
        asked: tuple[Message, ...] = tuple(messages)
        return super().generate(asked, max_tokens=max_tokens, grammar=grammar)


def learn_on_days(mem: Memory, clock: SetClock, facts: tuple[Fact, ...], days: int = 1) -> None:
    for n, fact in enumerate(facts):
        clock.forward(days=days)
        mem.learn(said(fact.quote, session=f"day-{clock.moment:%j}-{n}", at=clock.moment))


@pytest.fixture
def running(store_path: Path, clock: SetClock) -> Iterator[Memory]:
    with opened(store_path, RuleModel(*RUNS, TEA), clock=clock) as file:
        yield file.user("me")
        assert file.check() == []


def test_what_was_told_on_three_days_becomes_an_insight_that_cites_them(running: Memory, clock: SetClock) -> None:
    learn_on_days(running, clock, RUNS)
    learn_on_days(running, clock, (TEA,))
    (insight,) = running.reflect().insights
    assert [t.content for t in insight.turns] == [f.quote for f in RUNS]
    assert len({t.at.date() for t in insight.turns}) == 3
    assert {running.get(uid).content for uid in insight.memories} == {f.memory for f in RUNS}
    assert "told on 3 days from 2026-05-07 to 2026-05-09" in insight.content
    assert running.insight(insight.id[-12:]) == insight
    again = running.reflect()
    assert (again.insights, again.withdrawn) == ((), ())
    assert [i.id for i in running.insights()] == [insight.id]


def test_one_remark_never_becomes_a_rule_however_often_it_is_said_that_day(running: Memory, clock: SetClock) -> None:
    for n in range(6):
        running.learn(said(*(f.quote for f in RUNS), session=f"s{n}", at=NOW + timedelta(hours=n)))
    assert running.reflect().insights == ()


def test_two_clocks_that_show_two_days_at_one_moment_are_one_day(running: Memory) -> None:
    """At noon UTC it is the 6th in Lima and, half a day ahead, the 7th in Kiritimati."""
    for n, hours in enumerate((14, -5, 14)):
        moment = (NOW + timedelta(minutes=n)).astimezone(timezone(timedelta(hours=hours)))
        running.learn(said(RUNS[n].quote, session=f"zone {n}", at=moment))
    assert {t.at.date() for s in running.sessions() for t in running.turns(s.id)} == {NOW.date()}
    assert running.reflect().insights == ()


def test_the_same_words_on_three_days_are_a_pattern_too(running: Memory, clock: SetClock) -> None:
    learn_on_days(running, clock, (TEA, TEA), days=7)
    assert running.reflect().insights == ()
    learn_on_days(running, clock, (TEA,), days=7)
    (insight,) = running.reflect().insights
    assert (len(insight.memories), len(insight.turns)) == (1, 3)


def test_an_insight_grows_with_its_evidence_and_keeps_its_id(running: Memory, clock: SetClock) -> None:
    learn_on_days(running, clock, RUNS)
    (first,) = running.reflect().insights
    learn_on_days(running, clock, RUNS[:1], days=10)
    (grown,) = running.reflect().insights
    assert grown.id == first.id
    assert len(grown.turns) == 4
    assert grown.confidence > first.confidence


@pytest.mark.parametrize("how", ["forget", "edit", "erase"])
def test_an_insight_falls_with_its_evidence_at_once(running: Memory, clock: SetClock, how: str) -> None:
    learn_on_days(running, clock, RUNS)
    (insight,) = running.reflect().insights
    assert insight.id in [h.id for h in running.recall("running by the river").hits]
    changed = insight.memories[0]
    if how == "forget":
        running.forget(changed)
    elif how == "edit":
        running.edit(changed, "The user went swimming in the lake.")
    else:
        running.erase(changed)
    assert insight.id not in [h.id for h in running.recall("running by the river").hits]
    done = running.reflect()
    if how == "erase":
        with pytest.raises(NotFound):
            running.insight(insight.id)
    elif how == "forget":
        assert done.withdrawn == (insight.id,)
        assert running.insight(insight.id).status == "withdrawn"
    assert all(changed not in i.memories or how == "edit" for i in running.insights())


def test_the_words_of_an_erased_insight_are_gone_from_the_bytes(store_path: Path, clock: SetClock) -> None:
    facts = tuple(Fact(f.quote + " with Xylocarp", f.memory[:-1] + " with Xylocarp.") for f in RUNS)
    with opened(store_path, RuleModel(*facts), clock=clock) as file:
        mem = file.user("me")
        learn_on_days(mem, clock, facts)
        assert mem.reflect().insights
        assert mem.erase(search="xylocarp", verify=True).proof is not None
        assert mem.insights() == []
    assert b"xylocarp" not in store_path.read_bytes().lower()


def test_a_dropped_insight_is_not_drawn_again(running: Memory, clock: SetClock) -> None:
    learn_on_days(running, clock, RUNS)
    (insight,) = running.reflect().insights
    assert running.drop_insight(insight.id).status == "rejected"
    assert running.insights() == []
    learn_on_days(running, clock, RUNS[:1])
    assert running.reflect().insights == ()
    assert insight.id not in [h.id for h in running.recall("running by the river").hits]


def test_the_models_wording_stands_when_it_says_no_more_than_the_notes(store_path: Path, clock: SetClock) -> None:
    with opened(
        store_path, Wording(*RUNS, sentence="The user goes running by the river before work."), clock=clock
    ) as file:
        mem = file.user("me")
        learn_on_days(mem, clock, RUNS)
        done = mem.reflect()
        assert [i.content for i in done.insights] == ["The user goes running by the river before work."]
        assert done.refused == 0


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("The user always goes running by the river before work.", "reaches further"),
        ("The user never goes running by the river before work.", "a negation"),
        ("The user runs 10 km by the river before work.", "a number of its own"),
        ("The user goes running by the river with Odalys before work.", "a name of its own"),
        ("用户上班前在河边跑步。", "another language"),
        ("The user has a strong character and loves nature.", "says more"),
        ("I go running by the river before work.", "another person"),
        ("", "nothing"),
    ],
)
def test_a_wording_that_says_more_is_replaced_by_plain_words(
    store_path: Path, clock: SetClock, sentence: str, why: str
) -> None:
    with opened(store_path, Wording(*RUNS, sentence=sentence), clock=clock) as file:
        mem = file.user("me")
        learn_on_days(mem, clock, RUNS)
        done = mem.reflect()
        assert done.refused == 1, why
        assert "told on 3 days" in done.insights[0].content


def test_a_denial_in_an_addition_denies_nothing_of_what_recurs(store_path: Path, clock: SetClock) -> None:
    facts = (
        Fact("I drink green tea at the office", "The user drinks green tea at the office."),
        Fact("I drink green tea at the office, without sugar", "The user drinks green tea at the office, without sugar."),
        Fact("I drink green tea at the office again", "The user drinks green tea at the office again."),
    )  # fmt: skip
    with opened(store_path, RuleModel(*facts), clock=clock) as file:
        mem = file.user("me")
        learn_on_days(mem, clock, facts)
        (insight,) = mem.reflect().insights
        assert len(insight.turns) == 3
        assert "sugar" not in insight.content


def test_what_only_one_note_says_is_no_pattern() -> None:
    notes = ["The user ran 5 km with Lea.", "The user ran 3 km with Lea.", "The user ran with Lea."]
    assert conclusion.refusal("The user ran with Lea.", notes, []) is None
    assert conclusion.refusal("The user ran 5 km with Lea.", notes, []) == "'5' was not said"
    assert (
        conclusion.refusal("用户总是和同事跑步。", ["用户和同事跑步。", "用户和同事去跑步。"], [])
        == "'总是' was not said"
    )


def test_what_one_note_adds_in_words_is_no_pattern_either() -> None:
    late = ["The user ran by the canal.", "The user was late after a run by the canal.", "The user runs by the canal."]
    assert conclusion.refusal("The user was late by the canal.", late, []) == "'late' stands in one note only"
    swim = ["用户周三晚上去游泳了。", "用户说周三下班后要去游泳。", "用户周三游泳后肩膀酸。"]
    assert conclusion.refusal("用户周三去游泳。", swim, []) is None
    assert "one note only" in (conclusion.refusal("用户游泳后肩膀酸。", swim, []) or "")


def test_an_insight_stands_above_its_sources_and_takes_one_place(running: Memory, clock: SetClock) -> None:
    learn_on_days(running, clock, RUNS)
    before = [h.id for h in running.recall("running by the river before work", limit=5).hits]
    (insight,) = running.reflect().insights
    found = running.recall("running by the river before work", limit=5)
    assert found.hits[0].id == insight.id
    assert found.hits[0].kind == "insight"
    assert found.hits[0].source.turn == insight.turns[-1].id
    assert [h.id for h in found.hits[1:]] == before[:4]
    assert "drawn from several conversations" in running.context("running by the river before work").text
    assert insight.id not in [h.id for h in running.recall("green tea").hits]
    assert insight.id not in [h.id for h in running.recall("running by the river", kinds=["fact"]).hits]
    assert [h.id for h in running.recall("running by the river", arms=["insight"]).hits] == [insight.id]


def test_insights_are_each_users_own(store_path: Path, clock: SetClock) -> None:
    with opened(store_path, RuleModel(*RUNS), clock=clock) as file:
        learn_on_days(file.user("a"), clock, RUNS)
        (insight,) = file.user("a").reflect().insights
        other = file.user("a%")
        assert other.reflect().insights == ()
        assert other.recall("running by the river").hits == ()
        for call in (other.insight, other.drop_insight):
            with pytest.raises(NotFound):
                call(insight.id)
        assert file.user("a").insights() == [insight]


def test_chinese_is_reflected_on_in_chinese(store_path: Path, clock: SetClock) -> None:
    facts = tuple(Fact(f"我{w}在河边跑步锻炼身体", f"用户{w}在河边跑步锻炼身体。") for w in ("今早", "周日", "雨天也"))
    with opened(store_path, RuleModel(*facts), clock=clock) as file:
        mem = file.user("me")
        learn_on_days(mem, clock, facts)
        (insight,) = mem.reflect().insights
        assert "间有 3 天说起" in insight.content
        assert len(insight.turns) == 3


def test_without_models_what_is_told_again_is_still_found_and_the_rest_is_named(
    store_path: Path, clock: SetClock
) -> None:
    with opened(store_path, RuleModel(TEA), clock=clock) as file:
        learn_on_days(file.user("me"), clock, (TEA, TEA, TEA))
    with opened(store_path, clock=clock, words_only=True) as file:
        done = file.user("me").reflect()
        assert len(done.insights) == 1
        assert len(done.degraded) == 2


def test_the_worker_reflects_when_enough_is_new(store_path: Path) -> None:
    settings = Settings(background=True, reflect_after=3)
    clock = SetClock()
    with opened(store_path, RuleModel(*RUNS), settings=settings, clock=clock) as file:
        mem = file.user("me")
        for n, fact in enumerate(RUNS):
            clock.forward(days=1)
            mem.observe(said(fact.quote, session=f"s{n}", at=clock.moment))
        wait_until(mem.insights)
        wait_until(lambda: not mem.jobs())


def test_a_round_that_is_stopped_goes_on_with_the_next(running: Memory, clock: SetClock) -> None:
    learn_on_days(running, clock, RUNS)
    assert running.reflect(stop=lambda: True).insights == ()
    assert len(running.reflect().insights) == 1


def test_insights_come_along_when_files_are_merged(store_path: Path, tmp_path: Path, clock: SetClock) -> None:
    with opened(store_path, RuleModel(*RUNS), clock=clock) as file:
        learn_on_days(file.user("me"), clock, RUNS)
        file.user("me").reflect()
    with opened(tmp_path / "other.edgemem", clock=clock) as other:
        other.merge(store_path)
        assert len(other.user("me").insights()[0].turns) == 3
        assert other.check() == []


def test_what_one_message_alone_adds_is_left_out_of_plain_words() -> None:
    told = [
        LoggedTurn(n, str(n), f"s{n}", 0, "user", text, NOW, "+00:00")
        for n, text in enumerate(
            (
                "I work late on Thursdays",
                "I work late on Thursdays because of the market",
                "On Thursdays I work until nine",
            )
        )
    ]
    assert (
        told_often("The user works late on Thursdays because of the market", told) == "The user works late on Thursdays"
    )
    again = [*told, replace(told[0], content="Thursdays I work late, because of the market")]
    assert told_often("The user works late on Thursdays because of the market", again).endswith("because of the market")
    metro = [replace(told[0], content=text) for text in ("我坐地铁上班", "我坐地铁上班，开车太堵")]
    assert told_often("用户坐地铁上班，开车太堵", metro) == "用户坐地铁上班"
