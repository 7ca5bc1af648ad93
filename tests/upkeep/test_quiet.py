"""Background work that rests: paused by hand, on battery, on a busy machine. Messages are safe meanwhile."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from edgemem.settings import Settings
from edgemem.upkeep import quiet
from tests.helpers import Fact, RuleModel, opened, said, wait_until

BEES = Fact("I keep bees", "The user keeps bees.")


def test_a_paused_queue_rests_over_a_restart_and_goes_on(store_path: Path) -> None:
    with opened(store_path, RuleModel(BEES), settings=Settings(background=True)) as file:
        file.pause_jobs()
        file.user("me").observe(said("I keep bees"))
        assert not file.work_once()
    with opened(store_path, RuleModel(BEES), settings=Settings(background=True)) as file:
        mem = file.user("me")
        assert (file.is_paused(), file.waiting_because()) == (True, "paused: edgemem jobs resume")
        assert not file.work_once()
        assert [j.status for j in mem.jobs()] == ["queued"]
        file.resume_jobs()
        wait_until(lambda: not mem.jobs())
        assert [m.content for m in mem.list()] == [BEES.memory]
        assert file.waiting_because() == ""


@pytest.fixture
def battery(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A battery that a test may plug in."""
    state = SimpleNamespace(power_plugged=False)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: state, raising=False)
    return state


def test_on_battery_memories_are_taken_and_the_rest_waits(store_path: Path, battery: SimpleNamespace) -> None:
    settings = Settings(background=True, reflect_after=1)
    with opened(store_path, RuleModel(BEES), settings=settings) as file:
        mem = file.user("me")
        mem.observe(said("I keep bees"))
        wait_until(lambda: {j.kind for j in mem.jobs()} == {"graph", "reflect"})
        assert [m.content for m in mem.list()] == [BEES.memory]
        assert file.waiting_because() == "the computer runs on battery"
        battery.power_plugged = True
        file.start_worker()
        wait_until(lambda: not mem.jobs())


def test_whoever_wants_it_works_on_battery_all_the_same(battery: SimpleNamespace) -> None:
    assert quiet.reason(Settings(wait_on_battery=False)) == ""
    assert quiet.reason(Settings()) != ""


def test_a_busy_machine_is_left_alone_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", lambda: None, raising=False)
    monkeypatch.setattr(psutil, "getloadavg", lambda: (9.0, 0.0, 0.0))
    monkeypatch.setattr(psutil, "cpu_count", lambda: 4)
    assert quiet.reason(Settings()) == ""
    assert quiet.reason(Settings(wait_above_load=2.0)) == "the processor is busy (2.2 tasks for each core)"
    assert quiet.reason(Settings(wait_above_load=3.0)) == ""


def test_a_broken_sensor_keeps_nothing_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise OSError("no such device")

    monkeypatch.setattr(psutil, "sensors_battery", broken, raising=False)
    assert quiet.reason(Settings()) == ""
