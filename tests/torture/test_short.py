"""The torture programs in a short form, and that they can see what they look for."""

from __future__ import annotations

from tests.torture import flips, kill, power


def test_kills_lose_nothing() -> None:
    found = kill.main(25, seed=1)
    assert (found["lost"], found["problems"], found["left_over"]) == ([], [], [])
    assert found["acknowledged"] > 25
    assert found["files left with a log"] > 0


def test_power_cuts_lose_nothing() -> None:
    found = power.main(50, seed=2)
    assert (found["lost"], found["broken"]) == ([], [])
    assert found["acknowledged calls"] > 200


def test_without_syncing_power_cuts_are_seen_to_lose() -> None:
    found = power.main(12, seed=2, synchronous="OFF")
    assert found["lost"] + found["broken"]


def test_damage_neither_crashes_nor_returns_wrong_words() -> None:
    found = flips.main(24, seed=2)
    assert (found["crashes"], found["wrong"]) == ([], [])
    assert found["repaired"] > 12
