"""What the machine offers: free memory and processor cores."""

from __future__ import annotations

import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Bytes that can be used without pushing others out, of the machine or of the container if that has fewer."""
    import psutil

    whole, contained = psutil.virtual_memory().available, _cgroup_memory()
    return int(whole if contained is None else min(whole, contained))


def usable_cores() -> int:
    """Physical cores this process may run on, respecting affinity and container quotas; at least 1."""
    if hasattr(os, "sched_getaffinity"):
        logical = os.sched_getaffinity(0)
        cores = len({_siblings(cpu) for cpu in logical})
    else:
        cores = os.cpu_count() or 1
    return max(1, min(cores, _cgroup_cores() or cores))


def _siblings(cpu: int) -> str:
    """An id shared by the hardware threads of one core."""
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    return _read(path) or str(cpu)


def _cgroup_cores() -> int | None:
    quota, _, period = (_read(_CGROUP / "cpu.max") or "").partition(" ")
    return max(1, round(int(quota) / int(period))) if quota.isdigit() and period.isdigit() else None


def _cgroup_memory() -> int | None:
    limit, used = _read(_CGROUP / "memory.max") or "", _read(_CGROUP / "memory.current") or ""
    return max(0, int(limit) - int(used)) if limit.isdigit() and used.isdigit() else None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
