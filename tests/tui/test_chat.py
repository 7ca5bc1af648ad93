"""Chat: sending, streaming, stopping, failing."""

from __future__ import annotations

from edgemem_tui.widgets.bubbles import AnswerBubble, UserBubble
from edgemem_tui.widgets.card import Card
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.panel import Panel
from edgemem_tui.widgets.status import StatusLine
from textual.widgets import Markdown, Static

import edgemem.memory
import edgemem.records
from edgemem.errors import ModelError
from edgemem.memory import Memory, MemoryFile

from .conftest import ScriptedModel, app_of, say, shown, wait_until


def log_of(mem: Memory) -> list[tuple[str, str]]:
    return [(t.role, t.content) for s in mem.sessions() for t in mem.turns(s.id)]


async def test_a_message_is_sent_answered_and_logged(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "Good morning")
        await wait_until(pilot, lambda: not app.chat.busy and app.chat.query(AnswerBubble))
        assert app.chat.query_one(AnswerBubble).text == "Hello there, **friend**."
        await pilot.pause(0.1)
        assert "Hello there, friend." in shown(app)
        assert "Good morning" in shown(app)
        assert app.chat.query_one(Composer).text == ""
        assert app.chat.query_one(StatusLine).standing.used > 0
    assert log_of(mem) == [("user", "Good morning"), ("assistant", "Hello there, **friend**.")]


async def test_the_message_is_on_disk_before_it_is_on_the_screen(
    file: MemoryFile, mem: Memory, model: ScriptedModel
) -> None:
    model.hold_prompt = True
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "Keep this")
        await wait_until(pilot, lambda: app.chat.query(UserBubble))
        assert log_of(mem) == [("user", "Keep this")]
        await wait_until(pilot, lambda: "reading the prompt 340/900 tokens" in shown(app))
        model.release.set()
        await wait_until(pilot, lambda: not app.chat.busy)


async def test_stop_keeps_what_is_written(file: MemoryFile, mem: Memory, model: ScriptedModel) -> None:
    model.hold_at = 2
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "Tell me a story")
        await wait_until(pilot, lambda: app.chat.query(AnswerBubble) and app.chat.query_one(AnswerBubble).text)
        await pilot.press("escape")
        assert not app.chat.busy
        await wait_until(pilot, lambda: app.chat.settled)
        await wait_until(pilot, lambda: "stopped" in shown(app))
        assert app.chat.query_one(AnswerBubble).text == "Hello there, "
    assert log_of(mem)[-1] == ("assistant", "Hello there, ")


async def test_stop_returns_at_once_while_the_prompt_is_read(file: MemoryFile, model: ScriptedModel) -> None:
    model.hold_prompt = model.deaf = True
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "A long question")
        await wait_until(pilot, lambda: "reading the prompt" in shown(app))
        await pilot.press("escape")
        assert not app.chat.busy
        assert not app.chat.settled
        await say(pilot, "Another one")
        model.deaf = False
        model.hold_prompt = False
        await wait_until(pilot, lambda: not app.chat.busy and len(app.chat.query(UserBubble)) == 2)
        assert [b.text for b in app.chat.query(AnswerBubble)] == ["", "Hello there, **friend**."]


async def test_a_fault_of_the_model_keeps_the_message_and_the_part_written(
    file: MemoryFile, mem: Memory, model: ScriptedModel
) -> None:
    model.fails = ModelError("The model broke down.", "Try again.")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "Hello?")
        await wait_until(pilot, lambda: "broke off: The model broke down." in shown(app))
        assert not app.chat.busy
        assert app.chat.query_one(AnswerBubble).text == "Hello "
    assert log_of(mem) == [("user", "Hello?"), ("assistant", "Hello ")]


async def test_an_unexpected_fault_is_told_and_does_not_close_the_app(file: MemoryFile, model: ScriptedModel) -> None:
    model.fails = ZeroDivisionError("[/] odd [bold]")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "Hello?")
        await wait_until(pilot, lambda: "ZeroDivisionError: [/] odd [bold]" in shown(app))
        model.fails = None
        await say(pilot, "Again")
        await wait_until(pilot, lambda: len(app.chat.query(UserBubble)) == 2 and not app.chat.busy)


async def test_memories_used_stand_beside_the_answer_with_reasons(file: MemoryFile, mem: Memory) -> None:
    mem.add("I am allergic to peanuts")
    mem.add("The car is blue")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "am I allergic to peanuts")
        await wait_until(pilot, lambda: app.chat.query("#used Card") and not app.chat.busy)
        card = app.chat.query("#used Card").first(Card)
        assert card.memory is not None
        assert card.memory.content == "I am allergic to peanuts"
        await pilot.pause(0.1)
        assert "Memories used (" in shown(app)
        assert "meaning" in shown(app)
        assert "no. 1" in shown(app)


async def test_one_key_leads_from_what_was_used_to_the_message_it_was_said_in(file: MemoryFile, mem: Memory) -> None:
    mem.log([edgemem.records.Turn("user", "The harbour in Porto is closed on Sundays", session="porto")])
    mem.add("I keep bees")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "when is the harbour in Porto closed, and do I keep bees")
        await wait_until(pilot, lambda: app.chat.query("#used Card") and not app.chat.busy)
        cards = {card.memory is None: card for card in app.chat.query("#used Card").results(Card)}
        cards[False].focus()
        await pilot.press("g")
        await wait_until(pilot, lambda: any("no message behind it" in told.message for told in app._notifications))
        cards[True].focus()
        await pilot.press("g")
        await wait_until(pilot, lambda: app.chat.talk.session == "porto" and app.chat.query(".-found"))


async def test_a_memory_is_forgotten_and_brought_back_with_one_key_each(file: MemoryFile, mem: Memory) -> None:
    memory = mem.add("I am allergic to peanuts")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "am I allergic to peanuts")
        await wait_until(pilot, lambda: app.chat.query("#used Card") and not app.chat.busy)
        app.chat.query("#used Card").first(Card).focus()
        await pilot.press("f")
        await wait_until(pilot, lambda: mem.get(memory).status == "forgotten")
        await wait_until(pilot, lambda: app.chat.query("#used Card").first(Card).has_class("-gone"))
        await pilot.press("u")
        await wait_until(pilot, lambda: mem.get(memory).status == "live")
        await wait_until(pilot, lambda: not app.chat.query("#used Card").first(Card).has_class("-gone"))


async def test_another_programs_write_appears(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await wait_until(pilot, lambda: "Just learned" in shown(app))
        await pilot.pause(0.2)
        with edgemem.memory.open(file.path, provider=file.models) as other:
            other.user("me").add("I moved to Leipzig")
        await wait_until(pilot, lambda: "I moved to Leipzig" in shown(app), seconds=2)
        assert "Just learned (1)" in shown(app)


async def test_a_chat_that_is_not_remembered_leaves_no_trace(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "/remember off")
        assert not app.chat.remember
        await say(pilot, "A secret")
        await wait_until(pilot, lambda: app.chat.query(UserBubble) and not app.chat.busy)
        await wait_until(pilot, lambda: "You · not kept" in shown(app))
        assert "NOT KEPT" in shown(app)
    assert log_of(mem) == []


async def test_quit_while_writing_closes_and_keeps_the_part(
    file: MemoryFile, mem: Memory, model: ScriptedModel
) -> None:
    model.hold_at = 1
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "Go on")
        await wait_until(pilot, lambda: app.chat.query(AnswerBubble) and app.chat.query_one(AnswerBubble).text)
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: not app.is_running or app._exit)
    assert app.return_code in (0, None)
    assert log_of(mem) == [("user", "Go on"), ("assistant", "Hello ")]


async def test_enter_sends_and_ctrl_j_begins_a_line(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("h", "i", "ctrl+j", "y", "o", "u", "alt+enter", "question_mark", "enter")
        await wait_until(pilot, lambda: app.chat.query(AnswerBubble) and not app.chat.busy)
    assert log_of(mem)[0] == ("user", "hi\nyou\n?")


async def test_slash_commands_are_hinted_completed_and_a_wrong_one_is_not_sent(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("slash", *"rem")
        await wait_until(pilot, lambda: "/remember on|off" in shown(app))
        await pilot.press("tab")
        assert app.chat.query_one(Composer).text == "/remember "
        await say(pilot, "/nonsense")
        await wait_until(pilot, lambda: "There is no command /nonsense" in shown(app))
        assert app.chat.query_one(Composer).text == "/nonsense"
    assert log_of(mem) == []


async def test_thoughts_are_folded_shown_by_a_key_and_kept_nowhere(
    file: MemoryFile, mem: Memory, model: ScriptedModel
) -> None:
    model.thoughts = ["Hm, a zebra", "crossing", " perhaps, [bold]not[/] 斑马 markup."]
    model.hold_at = 0
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "What is striped?")
        await wait_until(pilot, lambda: "is thinking: 7 words" in shown(app))
        assert "zebra" not in shown(app)
        await pilot.press("ctrl+t")
        await wait_until(pilot, lambda: "a zebracrossing perhaps, [bold]not[/] 斑马" in shown(app))
        model.release.set()
        await wait_until(pilot, lambda: not app.chat.busy and "thought: 7 words" in shown(app))
        assert "Hello there, friend." in shown(app)
        await wait_until(pilot, lambda: app.chat.settled and not app.desk.busy)
        assert await pilot.click(".fold")
        await wait_until(pilot, lambda: "zebra" not in shown(app))
    assert log_of(mem) == [("user", "What is striped?"), ("assistant", "Hello there, **friend**.")]
    assert b"zebra" not in file.path.read_bytes() + file.path.with_name(f"{file.path.name}-wal").read_bytes()


async def test_thoughts_without_an_answer_say_so(file: MemoryFile, model: ScriptedModel) -> None:
    model.thoughts, model.script = ["On and on"], []
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "And?")
        await wait_until(pilot, lambda: not app.chat.busy and "no room left for an answer" in shown(app))


async def test_a_new_chat_and_back_to_the_old_one(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "First chat")
        await wait_until(pilot, lambda: app.chat.query(AnswerBubble) and not app.chat.busy)
        first = app.chat.talk.session
        await say(pilot, "/new")
        await wait_until(pilot, lambda: not app.chat.query(UserBubble))
        assert app.chat.talk.session != first
        await pilot.press("f6")
        await wait_until(pilot, lambda: "First chat" in shown(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.screen is app.chat and app.chat.query(UserBubble))
        assert app.chat.talk.session == first
        await say(pilot, "More")
        await wait_until(pilot, lambda: len(app.chat.query(AnswerBubble)) == 2 and not app.chat.busy)
    assert [s.turns for s in mem.sessions()] == [4]


async def test_a_new_chat_while_an_answer_is_written(file: MemoryFile, mem: Memory, model: ScriptedModel) -> None:
    model.script = ["```python\n", "x = 1\n", "y = 2\n", "```"]
    model.hold_at = 2
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "First")
        await wait_until(pilot, lambda: app.chat.query(AnswerBubble) and app.chat.query_one(AnswerBubble).text)
        await pilot.press("alt+n")
        await wait_until(pilot, lambda: app.chat.settled and not app.chat.query(AnswerBubble))
        assert not app.chat.busy
        model.hold_at = None
        await say(pilot, "Second")
        await wait_until(pilot, lambda: app.chat.query(AnswerBubble) and not app.chat.busy)
        assert app.chat.query_one(AnswerBubble).text == "```python\nx = 1\ny = 2\n```"
    assert [[t.content for t in mem.turns(s.id)] for s in mem.sessions()][1] == ["First", "```python\nx = 1\n"]


async def test_a_long_chat_shows_its_end_first(file: MemoryFile, mem: Memory) -> None:
    mem.log([_turn(n) for n in range(120)])
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.chat.open_session("long")
        await wait_until(pilot, lambda: "message 119" in shown(app))
        assert len(app.chat.query(UserBubble)) == 50
        app.chat.query_one("#earlier").press()  # type: ignore[attr-defined]
        await wait_until(pilot, lambda: len(app.chat.query(UserBubble)) == 100)


def _turn(n: int) -> edgemem.records.Turn:
    return edgemem.records.Turn("user", f"message {n}", session="long")


async def test_a_narrow_terminal_hides_the_panel_and_a_key_shows_it(file: MemoryFile, mem: Memory) -> None:
    mem.add("I am allergic to peanuts")
    app = app_of(file)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await say(pilot, "am I allergic to peanuts")
        await wait_until(pilot, lambda: app.chat.query("#used Card") and not app.chat.busy)
        panel = app.chat.query_one(Panel)
        assert panel.region.width == 0
        assert "Memories used" not in shown(app)
        await pilot.press("alt+p")
        await wait_until(pilot, lambda: "Memories used (" in shown(app))
        await pilot.press("alt+p")
        await wait_until(pilot, lambda: "Memories used" not in shown(app))
        assert "Enter sends" in shown(app)
        await pilot.resize_terminal(120, 30)
        await wait_until(pilot, lambda: app.chat.query_one(StatusLine).region.width == 120)


async def test_an_answer_is_had_anew_without_saying_it_again(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, "/again")
        await wait_until(pilot, lambda: "no message to answer" in shown(app))
        await say(pilot, "Good morning")
        await wait_until(pilot, lambda: not app.chat.busy and app.chat.query(AnswerBubble))
        await say(pilot, "/again")
        await wait_until(pilot, lambda: not app.chat.busy and len(app.chat.query(AnswerBubble)) == 2)
        await wait_until(pilot, lambda: app.chat.settled)
        assert len(app.chat.query(UserBubble)) == 1
        await say(pilot, "/window")
        await wait_until(pilot, lambda: "The last prompt, in tokens" in shown(app))
    assert [role for role, _ in log_of(mem)] == ["user", "assistant", "assistant"]


async def test_what_will_fall_out_of_the_window_stands_above_the_message_before_it_is_sent(
    file: MemoryFile, model: ScriptedModel
) -> None:
    model.context_size = 420
    app = app_of(file)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await say(pilot, "First of all " + "word " * 90)
        await wait_until(pilot, lambda: not app.chat.busy and app.chat.query(AnswerBubble))
        await wait_until(pilot, lambda: not app.desk.busy)
        assert "fall out" not in shown(app)
        composer = app.chat.query_one(Composer)
        composer.take("and " * 200)
        await wait_until(pilot, lambda: "will fall out of the window: “First of all word" in shown(app))
        await say(pilot, "/window")
        await wait_until(pilot, lambda: "The last prompt, in tokens" in shown(app))
        assert "Falls out with your next message:" in shown(app) or "Nothing falls out" in shown(app)
        composer.take("short")
        await wait_until(pilot, lambda: "will fall out" not in shown(app))


async def test_a_pasted_book_is_kept_whole_and_drawn_in_part(file: MemoryFile, mem: Memory) -> None:
    """Of what is said, of what was said before, and of an answer; whatever its script."""
    book = "".join(f"line {n} 中文 👩‍👩‍👧‍👦 שלום é\n" for n in range(2_000)).rstrip()
    mem.log([edgemem.records.Turn("assistant", book, session="old"), edgemem.records.Turn("user", book, session="old")])
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.chat.open_session("old")
        await wait_until(pilot, lambda: app.chat.query(UserBubble))
        await say(pilot, book)
        await wait_until(pilot, lambda: len(app.chat.query(UserBubble)) == 2 and not app.chat.busy)
        for bubble in app.chat.query(UserBubble):
            assert bubble.text == book
            words = str(bubble.query_one(".words", Static).content)
            assert len(words) < 10_000
            assert f"{len(book) - 8_000:,} more characters" in words
        assert len(app.chat.query(AnswerBubble).first().query_one(Markdown).source) < 10_000
    assert [t.content for t in mem.turns("old") if t.role == "user"] == [book, book]
