"""Which messages need the memory: by their words, by what the memory holds, by learned weights, and in doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgemem
from edgemem.errors import InvalidInput, ModelError
from edgemem.memory import MemoryFile
from edgemem.ports import Embedder, NeedJudge, Priority
from edgemem.recall import need
from edgemem.testing import ScriptedModel, WordsEmbedder
from tests.helpers import QUIET, NoModels, opened, said

WORLD = "Name the noble gases"
"""No rule decides it, and no memory here knows of it."""


@pytest.mark.parametrize(
    "message",
    [
        "Hi!",
        "ok thanks, bye",
        "Good morning :)",
        "haha nice",
        "",
        " … ",
        "谢谢啦！",
        "好的，再见",
        "早上好",
        "哈哈哈哈",
    ],
)
def test_small_talk_needs_none(message: str) -> None:
    found = need.by_rule(message, ())
    assert found is not None
    assert not found.needed


@pytest.mark.parametrize(
    "message", ["Why?", "go on", "Are you sure?", "Can you give an example?", "为什么？", "继续", "详细点"]
)
def test_more_about_the_last_answer_needs_none_but_only_after_one(message: str) -> None:
    after = need.by_rule(message, ["How do whales sleep?"])
    assert after is not None
    assert not after.needed
    assert need.by_rule(message, ()) is None


@pytest.mark.parametrize(
    "message",
    [
        "Which of my friends sails?", "What did I tell you about the roof?", "My usual, please", "Did we agree on a price?", "Where is our tent?",
        "我的鞋码是多少", "上次那家店叫什么", "牙医姓什么来着", "我妈喜欢什么花？", "Hi, when does my course begin?", "谢谢！我的预约是几点？",
    ],
)  # fmt: skip
def test_the_past_and_what_is_ones_own_need_it(message: str) -> None:
    found = need.by_rule(message, ())
    assert found is not None
    assert found.needed


@pytest.mark.parametrize(
    "message",
    [
        "Translate: Where is my umbrella?", "How do you say “where is my umbrella” in Danish?", "翻译成英文：我的伞在哪里，你看到了吗？",
        "```\nmy_list = [1]\n``` what does it print?",
    ],
)  # fmt: skip
def test_words_that_are_only_to_be_worked_on_do_not_count(message: str) -> None:
    assert need.by_rule(message, ()) is None


def test_a_short_message_that_points_back_is_judged_with_those_before_it() -> None:
    asked = "Where does my sister live?"
    assert need.judged_text("And her husband?", ["x", "y", asked]) == f"y\n{asked}\nAnd her husband?"
    found = need.by_rule("And her husband?", [asked])
    assert found is not None
    assert found.needed
    whole = "Which gases are noble, and how were they found?"
    assert need.judged_text(whole, [asked]) == whole
    assert need.judged_text("And her husband?", [" "]) == "And her husband?"


@given(st.text(max_size=60), st.lists(st.text(max_size=30), max_size=3))
def test_any_text_is_seen_in_numbers_from_0_to_1(message: str, after: list[str]) -> None:
    seen = need.seen(message, after)
    assert list(seen) == list(need.seen("", ()))
    assert all(0.0 <= value <= 1.0 for value in seen.values())
    found = need.by_rule(message, after)
    assert found is None or found.why


@dataclass
class Judge:
    """Gives one chance to everything, and remembers what it saw."""

    value: float
    vectors: list[Sequence[float]] = field(default_factory=list)
    fingerprint = "one-chance"

    def chance(self, seen: Mapping[str, float], vector: Sequence[float]) -> float:
        self.vectors.append(vector)
        return self.value


class Counting(WordsEmbedder):
    """Notes what it embeds; with ``broken`` it fails."""

    def __init__(self) -> None:
        super().__init__(2048)
        self.asked: list[str] = []
        self.broken = False

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        if self.broken:
            raise ModelError("It broke.", "Mend it.")
        self.asked += texts if kind == "query" else []
        return super().embed(texts, kind, priority=priority)


class Models(NoModels):
    """A chat model, an embedder, and a judge."""

    def __init__(self, judge: NeedJudge | None) -> None:
        self.language, self.judge = ScriptedModel(["Fine."] * 9), judge
        self.embedding: Any = Counting()

    def language_model(self) -> ScriptedModel:
        return self.language

    def embedder(self) -> Any:
        return self.embedding

    def need_judge(self) -> NeedJudge | None:
        return self.judge


Opened = Callable[..., tuple[MemoryFile, Models]]


@pytest.fixture
def with_judge(store_path: Path) -> Iterator[Opened]:
    files = []

    def open_(chance: float | None, settings: edgemem.Settings = QUIET) -> tuple[MemoryFile, Models]:
        models = Models(None if chance is None else Judge(chance))
        files.append(edgemem.open(store_path, provider=models, settings=settings))
        return files[-1], models

    yield open_
    for file in files:
        file.close()


def test_the_weights_decide_what_no_rule_does_and_the_message_is_embedded_once(with_judge: Opened) -> None:
    file, models = with_judge(0.01)
    mem = file.user("me")
    mem.add("The user keeps bees.")
    assert mem.needs(WORLD) == edgemem.Need(
        False, 0.01, "It asks for nothing that earlier conversations could help with."
    )
    models.judge = Judge(0.5)
    models.embedding.asked.clear()
    block = mem.context("bees honey", routed=True)
    assert [h.content for h in block.recall.hits] == ["The user keeps bees."]
    assert models.embedding.asked.count("bees honey") == 1
    assert list(models.judge.vectors[0]) == models.embedding.embed(["bees honey"], "query")[0]


def test_what_needs_none_is_not_searched_for_but_what_stands_is_told(with_judge: Opened) -> None:
    file, _ = with_judge(0.01)
    mem = file.user("me")
    mem.add("The user keeps bees.")
    mem.add("Answer in Portuguese.", kind="rule")
    mem.add("The user has one kidney.", pinned=True)
    block = mem.context("bees honey", routed=True)
    assert block.recall.skipped
    assert not block.recall.hits
    assert not block.recall.abstained
    assert "Portuguese" in block.text
    assert "kidney" in block.text
    assert "bees" not in block.text
    assert "bees" in mem.context("bees honey").text
    assert mem.get(mem.list()[0].id).use_count == 0


def test_the_settings_switch_it_off_and_set_its_bar(with_judge: Opened) -> None:
    file, _ = with_judge(0.2, edgemem.Settings(background=False, route=False))
    file.user("me").add("The user keeps bees.")
    assert "bees" in file.user("me").context("bees honey", routed=True).text
    file.use_settings(edgemem.Settings(background=False, needless_below=0.25))
    assert file.user("me").context("bees honey", routed=True).recall.skipped


def test_in_doubt_it_is_needed(with_judge: Opened, tmp_path: Path) -> None:
    file, models = with_judge(None)
    assert file.user("me").needs(WORLD).needed
    models.judge = Judge(0.0)
    models.embedding.broken = True
    found = file.user("me").needs(WORLD)
    assert found.needed
    assert "It broke" in found.why
    with opened(tmp_path / "words.edgemem", words_only=True) as words:
        assert words.user("me").needs(WORLD).needed
        assert not words.user("me").needs("thanks!").needed
    with pytest.raises(InvalidInput):
        file.user("me").needs("\ud800")


def test_whom_the_memory_knows_and_what_is_dangerous_needs_it(with_judge: Opened) -> None:
    file, _ = with_judge(0.0)
    mem, other = file.user("me"), file.user("other")
    mem.log(said("Nuala came by today"))
    mem.add("The user is allergic to nuts.")
    for message in ("What does Nuala do on Sundays?", "Which snacks suit a party?"):
        assert mem.needs(message).needed
        assert not other.needs(message).needed
    mem.graph.add("Zoltan")
    assert mem.needs("Zoltan again").needed


def test_a_way_of_doing_it_that_was_told_earlier_needs_memory(with_judge: Opened) -> None:
    file, _ = with_judge(0.0)
    mem = file.user("me")
    mem.add("When subtitles drift, fix them by setting the frame rate first.", kind="skill")
    mem.add("The user watches films about glaciers and volcanoes.")
    need = mem.needs("How do I fix subtitles that drift?")
    assert need.needed
    assert "How to do it" in need.why
    for other in ("How do I fix a leaking tap?", "Which volcanoes have glaciers?", "How do I make subtitles?", "drift"):
        assert not mem.needs(other).needed, other
    assert not file.user("other").needs("How do I fix subtitles that drift?").needed


@pytest.mark.parametrize(
    ("told", "asked", "other"),
    [
        ("Scratches vanish when I rub the walnut over the oak table.", "How do I remove scratches from an oak table?", "How do I remove a stain from wool?"),
        ("The user descales the kettle with citric acid.", "How should one descale a kettle?", "How should one sharpen scissors?"),
        ("我用小苏打擦掉水龙头上的水垢", "水龙头上的水垢怎么擦掉？", "怎么折纸飞机？"),
    ],
)  # fmt: skip
def test_how_to_do_what_the_user_told_needs_memory(with_judge: Opened, told: str, asked: str, other: str) -> None:
    file, _ = with_judge(0.0)
    file.user("logs").log(said(told))
    file.user("knows").add(told)
    file.user("asks").log(said(asked))
    for name in ("logs", "knows"):
        assert file.user(name).needs(asked).needed, name
        assert not file.user(name).needs(other).needed, name
    assert not file.user("asks").needs(asked).needed  # only asked, never told


def test_a_question_how_is_no_answer_to_itself_in_a_chat(with_judge: Opened) -> None:
    file, models = with_judge(0.0)
    mem = file.user("me")
    conversation = mem.chat("s")
    for text in ("I polish copper pans with lemon.", "Polish copper pans: how do I polish copper pans?"):
        answer, pieces = conversation.ask(text)
        "".join(pieces)
    assert answer.context.recall.skipped
    assert models.embedding.asked.count("Polish copper pans: how do I polish copper pans?") <= 1


def test_what_is_close_to_how_it_is_done_needs_memory(with_judge: Opened, e5: Embedder) -> None:
    real, models = with_judge(0.0)
    models.embedding = e5
    mem = real.user("me")
    mem.log(said("The trick with squeaky floorboards for me is talcum powder, swept into the gaps."))
    assert mem.needs("How can creaking wooden floors be silenced?").needed
    assert not real.user("other").needs("How can creaking wooden floors be silenced?").needed


def test_a_chat_searches_only_for_what_needs_it_and_knows_what_was_said_before(with_judge: Opened) -> None:
    file, _ = with_judge(0.0)
    mem = file.user("me")
    mem.add("The user's sister lives in Oslo.")
    conversation = mem.chat("s")

    def ask(text: str) -> edgemem.Recall:
        answer, pieces = conversation.ask(text)
        "".join(pieces)
        return answer.context.recall

    assert ask("hello there").skipped
    assert [h.content for h in ask("Where does my sister live?").hits] == ["The user's sister lives in Oslo."]
    assert not ask("And with whom does she live?").skipped
    assert ask("thank you").skipped


@pytest.mark.parametrize(
    ("message", "needed"),
    [
        ("Write a thank-you card to the midwife", True), ("Draft a short reply to the landlord about the boiler", True),
        ("Prepare a speech for Ludo's retirement", True), ("帮我给物业写封邮件，问问电梯的事", True), ("替我跟楼上写个留言", True),
        ("Write a generic thank-you letter to the host of a party", False), ("Write a letter from a pirate to the queen", False),
        ("Write an email to a customer whose parcel is late", False), ("给客户写一封道歉信的模板", False), ("写一首关于秋天的诗", False),
    ],
)  # fmt: skip
def test_what_is_written_to_somebody_certain_needs_memory(message: str, needed: bool) -> None:
    found = need.by_rule(message, ())
    assert (found is not None and found.needed) == needed
