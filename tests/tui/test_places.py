"""The numbered places: going there, coming back, and what each shows."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from edgemem_tui.app import EdgememApp
from edgemem_tui.desk import stands
from edgemem_tui.keys import ACTIONS, checked_keys, told
from edgemem_tui.messages import Done, News
from edgemem_tui.places import PLACES
from edgemem_tui.screens.detail import DetailScreen
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.filters import FilterScreen
from edgemem_tui.screens.help import HelpScreen, help_page
from edgemem_tui.screens.memories import MemoriesScreen
from edgemem_tui.screens.passphrase import PassphraseScreen
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.screens.settings import Lock
from edgemem_tui.screens.timeline import slider
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.plots import whole
from edgemem_tui.widgets.rows import Rows, fit
from edgemem_tui.widgets.topbar import TopBar
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.css.query import NoMatches
from textual.pilot import Pilot
from textual.widgets import Input, Select, TextArea

from edgemem.errors import InvalidInput
from edgemem.memory import Memory, MemoryFile
from edgemem.records import Turn
from edgemem.reports import Spent
from edgemem.settings import Settings
from edgemem.store import jobs as stored_jobs

from .conftest import app_of, shown, wait_until


async def go(app: EdgememApp, pilot: Pilot[None], place: str) -> None:
    app.action_go(place)
    await wait_until(pilot, lambda: app.place == place and "reading…" not in shown(app))


async def test_every_place_has_a_key_a_click_and_help(file: MemoryFile, mem: Memory) -> None:
    mem.add("The car is blue")
    app = app_of(file)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        for place in PLACES[1:]:
            await pilot.press(place.keys.split(",")[0])
            await wait_until(pilot, lambda place=place: app.place == place.name and "reading…" not in shown(app))  # type: ignore[misc]
            await pilot.press("f1")
            await wait_until(pilot, lambda: isinstance(app.screen, HelpScreen))
            assert place.title in shown(app)
            await pilot.press("escape")
            await wait_until(pilot, lambda: not isinstance(app.screen, HelpScreen))
        await pilot.click(TopBar, offset=(1, 0))
        await wait_until(pilot, lambda: app.place == "chat")


async def test_digits_go_from_place_to_place_and_a_place_stays_as_it_was_left(file: MemoryFile, mem: Memory) -> None:
    for n in range(40):
        mem.add(f"Fact number {n}")
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(
            pilot, lambda: isinstance(app.screen, MemoriesScreen) and app.screen.query_one(Rows).total == 40
        )
        await pilot.press("down", "down", "down", "6")
        await wait_until(pilot, lambda: app.place == "sessions")
        await pilot.press("2")
        await wait_until(pilot, lambda: app.place == "memories")
        assert app.screen.query_one(Rows).cursor == 3
        await pilot.press("slash", "2")
        await wait_until(pilot, lambda: app.screen.query_one(Input).value == "2")


async def test_memories_are_narrowed_down_and_changed_many_at_once(file: MemoryFile, mem: Memory) -> None:
    for n in range(6):
        mem.add(f"Fact number {n}", kind="event" if n < 3 else "fact")
    app = app_of(file)
    async with app.run_test(size=(140, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(
            pilot, lambda: isinstance(app.screen, MemoriesScreen) and app.screen.query_one(Rows).total == 6
        )
        rows = app.screen.query_one(Rows)
        await pilot.press("v")
        await wait_until(pilot, lambda: isinstance(app.screen, FilterScreen))
        app.screen.query_one("#kind", Select).value = "event"
        await pilot.click("#show")
        await wait_until(pilot, lambda: rows.total == 3 and "event" in shown(app))
        await pilot.press("space", "space")
        assert len(rows.marked) == 2
        await pilot.press("f")
        await wait_until(pilot, lambda: "Forget these 2 memories?" in shown(app))
        await pilot.press("y")
        await wait_until(pilot, lambda: len(mem.list(kind="event")) == 1 and rows.total == 1)
        await pilot.press("u")
        await wait_until(pilot, lambda: len(mem.list(kind="event")) == 3 and rows.total == 3)
        await pilot.press("asterisk", "p", "y")
        await wait_until(pilot, lambda: all(m.pinned for m in mem.list(kind="event")))


async def test_two_memories_become_one_and_one_becomes_two(file: MemoryFile, mem: Memory) -> None:
    for words in ("I like tea", "I drink tea"):
        mem.add(words)
    app = app_of(file)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(
            pilot, lambda: isinstance(app.screen, MemoriesScreen) and app.screen.query_one(Rows).total == 2
        )
        await pilot.press("m")
        await wait_until(pilot, lambda: "Mark two or more" in shown(app))
        await pilot.press("asterisk", "m")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "I like tea and the harbour"
        await pilot.press("enter")
        await wait_until(pilot, lambda: [m.content for m in mem.list()] == ["I like tea and the harbour"])
        await wait_until(
            pilot, lambda: isinstance(app.screen, MemoriesScreen) and app.screen.query_one(Rows).total == 1
        )
        await pilot.press("s")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "I like tea\nI like the harbour"
        await pilot.press("enter")
        await wait_until(pilot, lambda: {m.content for m in mem.list()} == {"I like tea", "I like the harbour"})
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen))
        await pilot.press("u")
        await wait_until(pilot, lambda: [m.content for m in mem.list()] == ["I like tea and the harbour"])
        await wait_until(pilot, lambda: "split in 2" in shown(app))
        await pilot.press("u")
        await wait_until(pilot, lambda: {m.content for m in mem.list()} == {"I like tea", "I drink tea"})


async def test_the_page_beside_the_list_shows_the_memory_under_the_cursor(file: MemoryFile, mem: Memory) -> None:
    uid = mem.add("The car is blue")
    mem.edit(uid, "The car is red")
    app = app_of(file)
    async with app.run_test(size=(140, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: "− The car is blue" in shown(app) and "+ The car is red" in shown(app))


async def test_the_timeline_shows_what_was_believed(file: MemoryFile, mem: Memory) -> None:
    uid = mem.add("The car is blue")
    mem.edit(uid, "The car is red")
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await go(app, pilot, "timeline")
        await wait_until(pilot, lambda: "The car is red" in shown(app))
        await pilot.press("left")
        await wait_until(pilot, lambda: "Nothing was believed yet" in shown(app))
        await pilot.press("right")
        await wait_until(pilot, lambda: "The car is red" in shown(app))
        await pilot.press("g")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "no day"
        await pilot.press("enter")
        await wait_until(pilot, lambda: "no day is no date" in shown(app))
        app.screen.at = mem.history(uid)[0].at + timedelta(microseconds=1)  # type: ignore[attr-defined]
        await pilot.press("r")
        await wait_until(pilot, lambda: "now: The car is red" in shown(app))


async def test_jobs_are_tried_again_and_let_be(file: MemoryFile, mem: Memory) -> None:
    mem.observe([Turn("user", "I keep bees", session="s")])
    with file.engine.write() as tx:
        tx.execute("UPDATE job SET status = 'failed', error = 'it was too much'")
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await go(app, pilot, "jobs")
        await wait_until(pilot, lambda: "it was too much" in shown(app))
        await pilot.press("t")
        await wait_until(pilot, lambda: [j.status for j in mem.jobs()] == ["queued"])
        await pilot.press("p")
        await wait_until(pilot, lambda: file.is_paused() and "paused" in shown(app))
        await pilot.press("p")
        await wait_until(pilot, lambda: not file.is_paused())
        await pilot.press("x")
        await wait_until(pilot, lambda: "Take this job out of the queue?" in shown(app))
        await pilot.press("y")
        await wait_until(pilot, lambda: mem.jobs() == [] and "Nothing waits" in shown(app))


async def test_a_job_at_work_shows_how_far_it_is_and_is_stopped(file: MemoryFile, mem: Memory) -> None:
    mem.observe([Turn("user", "I keep bees", session="s")])
    job = mem.jobs()[0]
    with file.engine.write() as tx:
        key = tx.execute("SELECT user_id FROM job").fetchone()[0]
        assert stored_jobs.take(tx, file.now(), file.lease_until(), 3) is not None
        stored_jobs.at(tx, key, job.id, 3, 8, "looking for relations")
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await go(app, pilot, "jobs")
        await wait_until(pilot, lambda: "███░░░░░░░ 3/8 looking for relations" in shown(app))
        with file.engine.write() as tx:
            stored_jobs.at(tx, key, job.id, 8, 8, "looking for relations")
        await wait_until(pilot, lambda: "██████████ 8/8" in shown(app))
        await pilot.press("x")
        await wait_until(pilot, lambda: "Stop this job?" in shown(app) and "Stop it (y)" in shown(app))
        await pilot.press("y")
        await wait_until(pilot, lambda: mem.jobs() == [] and "Nothing waits" in shown(app))


def test_long_keys_stand_apart_from_what_they_do() -> None:
    page = help_page("chat", [Composer], {}).plain
    assert "Ctrl+J, Alt+Enter, Shift+Enter  New line" in page


def test_help_goes_on_under_its_own_words_in_a_narrow_terminal() -> None:
    lines = help_page("memories", [Composer], {}, 50).plain.splitlines()
    long = next(n for n, line in enumerate(lines) if "Graph: who and what" in line)
    assert lines[long + 1].startswith(" " * lines[long].index("Graph:"))
    assert max(map(len, lines[1:])) <= max(50, len(lines[1]))


@given(most=st.integers(0, 10**7))
def test_an_axis_of_counts_has_whole_numbers_and_few_of_them(most: int) -> None:
    marks = whole(most)
    assert marks[0] == 0
    assert marks[-1] <= most
    assert len(marks) <= 6
    assert len({b - a for a, b in itertools.pairwise(marks)}) <= 1


@pytest.mark.parametrize("width", [20, 76, 136])
@given(days=st.dictionaries(st.integers(0, 400), st.integers(1, 9), max_size=8), back=st.integers(0, 500))
def test_the_slider_is_as_wide_as_the_terminal_and_names_the_day_looked_at(
    width: int, days: dict[int, int], back: int
) -> None:
    today = datetime(2026, 11, 30, 12, tzinfo=UTC)
    at = today - timedelta(days=back)
    stored = {(today - timedelta(days=n)).astimezone().date(): count for n, count in days.items()}
    bar, axis = slider(stored, at, today, width).plain.splitlines()
    assert len(bar) == len(axis) == width
    assert f"{at.astimezone():%Y-%m-%d}" in axis


async def test_statistics_are_drawn(file: MemoryFile, mem: Memory) -> None:
    mem.add("The car is blue", kind="event")
    app = app_of(file)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await go(app, pilot, "statistics")
        await wait_until(pilot, lambda: "1 memory, 1 never" in shown(app) and "In use, by kind" in shown(app))
        assert "event" in shown(app)
        assert "Tokens: no answer yet" in shown(app)
        mem.log([Turn("assistant", "Blue.", session="s")], spent=Spent("scripted", 1_240, 58, 12.4))
        await wait_until(pilot, lambda: "1,240 read, 58 written" in shown(app))
        mem.log([Turn("assistant", "Red.", session="s")], spent=Spent("scripted", 12_345_678, 456_789, 98_765.4))
        await wait_until(pilot, lambda: "12.3M read, 457k written" in shown(app))
        await pilot.press("pagedown")
        await wait_until(pilot, lambda: "answers 99k, learning 0" in shown(app) and "Used most" in shown(app))


async def test_a_setting_is_live_at_once_and_kept_with_the_comments_of_the_file(file: MemoryFile, mem: Memory) -> None:
    path = file.path.with_name("tui.toml")
    path.write_text("# mine\n[look]\npanel = true  # so I see them\n", encoding="utf-8")
    app = app_of(file)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await go(app, pilot, "settings")
        rows = app.screen.query_one(Rows)
        await wait_until(pilot, lambda: rows.total > len(ACTIONS))

        async def chosen(key: str) -> None:
            rows.move_to(next(n for n, row in enumerate(rows.loaded()) if row.key == key))
            await pilot.press("enter")

        await chosen("memory.memory_budget")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "7"
        await pilot.press("enter")
        await wait_until(pilot, lambda: "The memory.memory_budget" in shown(app) or "from 10" in shown(app))
        assert file.settings.memory_budget == Settings().memory_budget
        await chosen("memory.memory_budget")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "70"
        await pilot.press("enter")
        await wait_until(pilot, lambda: file.settings.memory_budget == 70)
        await chosen("look.panel")
        await wait_until(pilot, lambda: "panel = false" in path.read_text(encoding="utf-8"))
        await chosen("keys.app.new")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "ctrl+t"
        await pilot.press("enter")
        await wait_until(pilot, lambda: "app.new" in path.read_text(encoding="utf-8"))
        await wait_until(pilot, lambda: not isinstance(app.screen, EditScreen))
        before = app.chat.talk.session
        await pilot.press("ctrl+t")
        await wait_until(pilot, lambda: app.place == "chat" and app.chat.talk.session != before)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# mine\n")
    assert "# so I see them" in text


async def test_backup_and_check_of_the_file(file: MemoryFile, mem: Memory) -> None:
    mem.add("The car is blue")
    app = app_of(file)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await go(app, pilot, "settings")
        await pilot.press("b")
        await wait_until(pilot, lambda: len(file.backups()) == 1 and "Backup made and checked" in shown(app))
        await pilot.press("c")
        await wait_until(pilot, lambda: "The file is in order." in shown(app))


async def test_a_passphrase_is_asked_for_twice_and_the_app_closes_to_encrypt(file: MemoryFile) -> None:
    app = app_of(file)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await go(app, pilot, "settings")
        rows = app.screen.query_one(Rows)
        await wait_until(pilot, lambda: rows.total)
        rows.move_to(next(n for n, row in enumerate(rows.loaded()) if row.key == "file.encryption"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, PassphraseScreen))
        app.screen.query_one("#first", Input).value = "one"
        app.screen.query_one("#second", Input).value = "two"
        await pilot.click("#encrypt")
        await wait_until(pilot, lambda: "They are not the same" in shown(app))
        app.screen.query_one("#second", Input).value = "one"
        app.screen.query_one("#second", Input).focus()
        await pilot.press("enter")
        await wait_until(pilot, lambda: app._exit)
    assert app.lock == Lock("one")


def test_a_mistake_in_the_settings_is_named_with_what_is_near(tmp_path: Path) -> None:
    from edgemem_tui.config import read

    path = tmp_path / "tui.toml"
    for text, words in (
        ("[look]\nthem = 'x'\n", "Do you mean look.theme"), ("[lok]\n", "Do you mean look"),
        ("[memory]\nbackups = 'many'\n", "a whole number"), ("[memory]\nbackups = -1\n", "from 0"), ("[look", "cannot be read"),
    ):  # fmt: skip
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InvalidInput, match=words):
            read(path)


def test_keys_are_checked_and_written_as_people_write_them() -> None:
    assert checked_keys(" f5 , ctrl+g,slash") == "f5,ctrl+g,slash"
    assert told("f5,ctrl+n,slash") == "F5, Ctrl+N, /"
    for wrong in ("", "f99", "ctlr+x", "ctrl+"):
        with pytest.raises(InvalidInput):
            checked_keys(wrong)


def test_cells_take_exactly_their_width_whatever_the_script() -> None:
    for text in ("plain", "苏州园林很美", "カタカナ", "a" * 50, "混合 mixed 文字", "é́", ""):
        for width in (1, 2, 3, 7, 20):
            assert cell_len(fit(text, width)) == width


@pytest.mark.parametrize("place", [place.name for place in PLACES[1:]])
async def test_what_comes_back_when_the_app_has_closed_is_let_go(file: MemoryFile, mem: Memory, place: str) -> None:
    mem.add("The car is blue")
    app = app_of(file)
    async with app.run_test(size=(140, 40), notifications=True) as pilot:
        await go(app, pilot, place)
        screen = app.screen
    assert isinstance(screen, PlaceScreen)
    with pytest.raises(NoMatches):
        screen.tell("its parts are gone")
    app.on_done(Done(screen.tell, "late"))
    app.on_done(Done(partial(screen.tell), "late"))


async def test_what_comes_back_to_a_dialog_that_has_closed_is_let_go(file: MemoryFile, mem: Memory) -> None:
    memory = mem.get(mem.add("The car is blue"))
    app, news = app_of(file), News((), 0, 0)
    async with app.run_test(size=(140, 40), notifications=True) as pilot:
        screen = DetailScreen(app.desk, memory.source, memory)
        await app.push_screen(screen)
        await wait_until(pilot, lambda: "blue" in shown(app))
        assert stands(screen.on_news)
        await screen.dismiss()
        assert not stands(screen.on_news)
        assert not stands(partial(screen.on_news, news))
        assert stands(app.desk.look)
