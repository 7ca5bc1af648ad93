"""What the machine offers: free memory and processor cores."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Bytes that can be used without pushing others out, None where the system does not tell."""
    if sys.platform == "win32":
        return _windows_memory()
    found = [size for size in (_meminfo(), _cgroup_memory()) if size is not None]
    if found:
        return min(found)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    except (ValueError, OSError):
        return None


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


def _meminfo() -> int | None:
    for line in (_read(Path("/proc/meminfo")) or "").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _cgroup_memory() -> int | None:
    limit, used = _read(_CGROUP / "memory.max") or "", _read(_CGROUP / "memory.current") or ""
    return max(0, int(limit) - int(used)) if limit.isdigit() and used.isdigit() else None


def _windows_memory() -> int | None:
    if sys.platform != "win32":
        return None
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            ("total", ctypes.c_ulonglong),
            ("free", ctypes.c_ulonglong),
            ("others", ctypes.c_ulonglong * 5),
        )

    status = Status(length=ctypes.sizeof(Status))
    found = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.free) if found else None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
