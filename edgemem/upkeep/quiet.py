"""Why work that nobody waits for had better wait: the computer runs on battery, or others need the processor."""

from __future__ import annotations

from edgemem.settings import Settings


def reason(settings: Settings) -> str:
    """A sentence on why, or an empty text. A computer that tells nothing of its battery has none."""
    import psutil

    if settings.wait_on_battery:
        # Only some systems have it, and a broken sensor must not keep the queue from working.
        try:
            battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
        except (OSError, ValueError, RuntimeError):
            battery = None
        if battery is not None and battery.power_plugged is False:
            return "the computer runs on battery"
    if settings.wait_above_load:
        load = psutil.getloadavg()[0] / (psutil.cpu_count() or 1)
        if load > settings.wait_above_load:
            return f"the processor is busy ({load:.1f} tasks for each core)"
    return ""
