"""Whether another program of this machine still runs: who left work behind, and whose it still is."""

from __future__ import annotations


def started(pid: int) -> float:
    """When a process began, in seconds since 1970; 0 if there is none or it may not be told."""
    import psutil

    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return 0.0


def is_gone(pid: int, since: float = 0.0) -> bool:
    """Whether a process is certainly over.

    One that has ended but was not yet collected by its parent is over too. With ``since``, a process of the same
    number that began at another time is a different one: systems give numbers anew, containers all the time.
    """
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return True
        return bool(since) and abs(process.create_time() - since) > _CLOCK
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False


_CLOCK = 2.0
"""Seconds by which the system's own reckoning of a start may shift when its clock is set."""
