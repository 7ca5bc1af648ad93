"""The chat loop: said is safe, stopped is kept, forgotten on request, and the window holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from edgemem.errors import ModelError, ModelMissing, NotFound
from edgemem.memory import MemoryFile
from edgemem.ports import Generation, Message
from edgemem.testing import ScriptedModel
from edgemem.view import Memory
from tests.helpers import opened, said


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(["You keep bees."])


@pytest.fixture
def file(store_path: Path, model: ScriptedModel) -> Iterator[MemoryFile]:
    with opened(store_path, model) as opened_file:
        yield opened_file


@pytest.fixture
def mem(file: MemoryFile) -> Memory:
    return file.user("me")


def contents(mem: Memory, session: str = "s") -> list[tuple[str, str]]:
    return [(t.role, t.content) for t in mem.turns(session)]


def test_the_message_is_on_disk_before_a_word_of_the_answer(
    mem: Memory, store_path: Path, model: ScriptedModel
) -> None:
    answer, pieces = mem.chat("s").ask("What do I keep?")
    with opened(store_path, read_only=True) as other:
        assert contents(other.user("me")) == [("user", "What do I keep?")]
    assert model.prompts == []
    assert "".join(pieces).strip() == answer.text.strip() == "You keep bees."
    assert not answer.stopped
    assert contents(mem) == [("user", "What do I keep?"), ("assistant", answer.text)]
    assert [j.kind for j in mem.jobs()] == ["extract"]


def test_a_stopped_answer_is_kept_as_far_as_it_came(mem: Memory) -> None:
    heard: list[str] = []
    answer, pieces = mem.chat("s").ask("What do I keep?", stop=lambda: len(heard) == 2)
    heard.extend(pieces)
    assert answer.stopped
    assert contents(mem)[1] == ("assistant", "You keep ")


def test_an_answer_nobody_listens_to_any_more_is_kept(mem: Memory) -> None:
    answer, pieces = mem.chat("s").ask("What do I keep?")
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert answer.stopped
    assert contents(mem)[1] == ("assistant", "You ")


def test_a_model_that_breaks_off_keeps_the_message_and_what_came(store_path: Path) -> None:
    class Breaking(ScriptedModel):
        def stream(
            self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.7, seed: int = 0,
            stop: Callable[[], bool] | None = None, on_prompt: Callable[[int, int], None] | None = None,
            on_thinking: Callable[[str], None] | None = None,
        ) -> Iterator[str]:  # fmt: skip
            yield "You "
            raise ModelError("The model fell over.")

    with opened(store_path, Breaking()) as file:
        mem = file.user("me")
        _, pieces = mem.chat("s").ask("What do I keep?")
        with pytest.raises(ModelError):
            list(pieces)
        assert contents(mem) == [("user", "What do I keep?"), ("assistant", "You ")]


def test_nothing_stays_of_a_conversation_not_to_be_remembered(mem: Memory, model: ScriptedModel) -> None:
    model.answers.extend(["Yes."])
    talk = mem.chat("s", remember=False)
    list(talk.ask("My secret is zebra")[1])
    list(talk.ask("Do you know it?")[1])
    assert [m.content for m in model.prompts[1][1:3]] == ["My secret is zebra", "You keep bees. "]
    assert mem.sessions() == []
    assert mem.jobs() == []
    assert mem.recall("zebra").hits == ()
    assert mem.counts()["turn"] == mem.counts()["vector"] == 0


def test_background_comes_before_the_message_and_earlier_turns_before_that(mem: Memory, model: ScriptedModel) -> None:
    mem.add("The user keeps bees.")
    mem.log(said("hello", session="s"))
    mem.log(said("hi, how are you?", session="s", role="assistant", at=mem.turns("s")[0].at.replace(hour=13)))
    answer, pieces = mem.chat("s").ask("bees what do I keep?")
    list(pieces)
    roles = [m.role for m in model.prompts[0]]
    last = model.prompts[0][-1].content
    assert roles == ["system", "user", "assistant", "user"]
    assert last.startswith("<memory>")
    assert last.endswith("</memory>\n\nbees what do I keep?")
    assert "The user keeps bees." in last
    assert answer.context.ids
    assert answer.prompt_tokens == model.count_messages(model.prompts[0])


def test_the_message_itself_is_no_background(mem: Memory, model: ScriptedModel) -> None:
    list(mem.chat("s").ask("I live in Porto")[1])
    assert model.prompts[0][-1].content == "I live in Porto"


def test_the_window_holds_and_what_no_longer_fits_is_counted(mem: Memory, model: ScriptedModel) -> None:
    model.context_size = 400
    mem.log(said(*(f"turn {n} " + "word " * 40 for n in range(20)), session="s"))
    answer, pieces = mem.chat("s").ask("and now?")
    list(pieces)
    sent = model.prompts[0]
    assert answer.prompt_tokens <= model.context_size - 100
    assert 0 < answer.left_out < 20
    assert sum(f"turn {n} " in sent[-1].content for n in range(20)) + answer.left_out == 20
    assert sent[-1].content.index("turn 19 ") < sent[-1].content.index("and now?")
    assert sent[0].role == "system"


def test_what_is_foretold_to_fall_out_of_the_window_is_what_falls_out(mem: Memory, model: ScriptedModel) -> None:
    model.context_size = 400
    mem.log(said(*(f"turn {n} " + "word " * 40 for n in range(20)), session="s"))
    model.answers.extend(["Yes."] * 6)
    talk = mem.chat("s")
    list(talk.ask("and now?")[1])
    fallen = set[int]()
    for text in ("more " * 30, "hm", "go on " * 40, "again"):
        before, turns = _numbers(model.prompts[-1]), len(mem.turns("s"))
        ahead = talk.ahead(text)
        assert len(mem.turns("s")) == turns, "looking ahead says nothing"
        list(talk.ask(text)[1])
        assert _numbers(ahead.falls) == before - _numbers(model.prompts[-1])
        fallen |= _numbers(ahead.falls)
    assert fallen


def _numbers(messages: Sequence[Message]) -> set[int]:
    text = "\n".join(m.content for m in messages)
    return {n for n in range(20) if f"turn {n} " in text}


def test_nothing_falls_out_of_a_window_with_room(mem: Memory, model: ScriptedModel) -> None:
    talk = mem.chat("s")
    assert talk.ahead().falls == ()
    list(talk.ask("I keep bees")[1])
    ahead = talk.ahead("And then?")
    assert ahead.falls == ()
    assert ahead.free > talk.ahead("And then? " * 50).free > 0


def test_what_an_answer_cost_is_in_the_figures_of_its_day(mem: Memory, model: ScriptedModel) -> None:
    talk = mem.chat("s")
    answers = [talk.ask("What do I keep?"), talk.ask("And besides?")]
    for _, pieces in answers:
        list(pieces)
    ((day, cost),) = mem.statistics().cost_on.items()
    assert day == mem.turns("s")[0].at.date()
    assert cost.answers == 2
    assert cost.prompt_tokens == sum(answer.prompt_tokens for answer, _ in answers)
    assert cost.tokens == sum(model.count_tokens(answer.text) for answer, _ in answers)
    assert cost.answering >= 0.0
    mem.erase(session="s")
    assert mem.statistics().cost_on == {}


def test_a_conversation_not_to_be_remembered_leaves_no_cost(mem: Memory) -> None:
    list(mem.chat("s", remember=False).ask("What do I keep?")[1])
    assert mem.statistics().cost_on == {}


def test_system_and_tool_turns_are_not_said_again(mem: Memory, model: ScriptedModel) -> None:
    mem.log(said("be rude", session="s", role="system"))
    mem.log(said("42", session="s", role="tool", at=mem.turns("s")[0].at.replace(hour=13)))
    list(mem.chat("s").ask("hello")[1])
    assert "be rude" not in "".join(m.content for m in model.prompts[0][:-1])


def test_the_language_of_the_message_is_the_language_of_the_instructions(mem: Memory, model: ScriptedModel) -> None:
    list(mem.chat("s").ask("我养什么？")[1])
    assert "助手" in model.prompts[0][0].content


def test_a_conversation_without_a_model_says_what_is_missing(store_path: Path) -> None:
    with opened(store_path) as file, pytest.raises(ModelMissing):
        file.user("me").chat()


def test_an_answer_can_be_had_anew_and_the_last_one_counts(mem: Memory, model: ScriptedModel) -> None:
    model.answers.extend(["Two hives of bees.", "Yes."])
    talk = mem.chat("s")
    list(talk.ask("What do I keep?")[1])
    list(talk.again()[1])
    assert model.prompts[1][-1].content.endswith("What do I keep?")
    assert [m.role for m in model.prompts[1]] == ["system", "user"]
    assert [r for r, _ in contents(mem)] == ["user", "assistant", "assistant"]
    assert len(mem.jobs()) == 1, "the message is learned from once"
    list(talk.ask("Sure?")[1])
    assert [m.content.strip() for m in model.prompts[2][2:3]] == ["Two hives of bees."]


def test_nothing_said_cannot_be_answered_anew(mem: Memory) -> None:
    with pytest.raises(NotFound, match="no message"):
        mem.chat("s").again()


def test_a_chat_that_is_not_kept_can_be_answered_anew_too(mem: Memory, model: ScriptedModel) -> None:
    model.answers.append("Otherwise.")
    talk = mem.chat("s", remember=False)
    list(talk.ask("My secret is zebra")[1])
    answer, pieces = talk.again()
    list(pieces)
    assert answer.text.strip() == "Otherwise."
    assert mem.sessions() == []


@pytest.mark.parametrize(("window", "budget", "most"), [(4096, None, 512), (600, None, 200), (4096, 1000, 1000)])
def test_the_background_of_a_chat_stays_small_unless_more_is_asked_for(
    mem: Memory, model: ScriptedModel, window: int, budget: int | None, most: int
) -> None:
    model.context_size = window
    for n in range(80):
        mem.add(f"The user keeps {n} bees in the hive number {n} behind the old barn near the river.")
    talk = mem.chat("s")
    talk.budget = budget
    answer, _ = talk.ask("bees in the hive behind the barn")
    assert most * 0.5 < answer.context.tokens <= most


def test_thoughts_are_told_to_who_listens_and_kept_nowhere(mem: Memory, model: ScriptedModel) -> None:
    model.answers.clear()
    model.answers.extend(Generation("You keep bees.", "stop", thinking="A zebra?") for _ in range(3))
    told: list[str] = []
    talk = mem.chat("s")
    answer, pieces = talk.ask("What do I keep?", on_thinking=told.append)
    list(pieces)
    assert (told, answer.thinking) == (["A zebra?"], "A zebra?")
    again, pieces = talk.again(on_thinking=told.append)
    list(pieces)
    assert again.thinking == "A zebra?"
    silent, pieces = talk.ask("And?")
    list(pieces)
    assert (silent.thinking, len(told)) == ("", 2)
    assert "zebra" not in str([model.prompts, contents(mem)])
