"""Who has ended and who has not: what may be taken up after a crash hangs on it."""

from __future__ import annotations

import os
import subprocess
import sys

import psutil
import pytest

from edgemem.processes import is_gone, started
from tests.helpers import wait_until


def test_this_program_runs_and_began_at_a_time() -> None:
    assert not is_gone(os.getpid())
    assert not is_gone(os.getpid(), started(os.getpid()))


@pytest.mark.skipif(os.name != "posix", reason="only there does a process wait to be collected")
def test_a_killed_one_that_nobody_collected_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert not is_gone(child.pid)
        child.kill()
        wait_until(lambda: psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE)
        os.kill(child.pid, 0)  # its number is still taken
        assert is_gone(child.pid)
    assert is_gone(child.pid)
    assert started(child.pid) == 0.0


def test_another_one_under_the_same_number_is_not_the_same() -> None:
    assert is_gone(os.getpid(), started(os.getpid()) - 60.0)


@pytest.mark.parametrize("number", [2**22 + 1, 2**31 - 1, 2**63, 2**80])
def test_a_number_that_none_can_have(number: int) -> None:
    assert is_gone(number)
