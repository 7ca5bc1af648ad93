"""What a memory is worth keeping for: importance, use, age and kind in one number.

    value = weight x (0.5 + 0.5 x confidence) x 2^(-idle / halflife)
    weight = 1 - (1 - importance) x 2^(-uses / 8)
    halflife = days of the kind x (1 + log2(1 + uses))

``idle`` counts days since the memory was last used or changed, not since it was made: what is used
every week never fades. The exponential is the forgetting curve of Ebbinghaus (1885), and each use
makes it flatter, as repetition does. Eight uses halve what a memory lacks in importance: what people come
back to matters, whatever it seemed to be worth at first. A pinned memory is worth 1, always.
"""

from __future__ import annotations

import math
from datetime import datetime

from edgemem.records import Memory

HALFLIFE = {"rule": 720.0, "preference": 360.0, "fact": 360.0, "skill": 360.0, "event": 120.0, "state": 21.0}
"""Days after which an unused memory of a kind is worth half."""

USES = 8
"""Uses that halve what a memory lacks in importance."""


def idle_days(memory: Memory, now: datetime) -> float:
    """Days since the memory was last used or changed; never below 0, whatever the clock did."""
    seen = max(memory.updated_at, memory.last_used_at or memory.updated_at)
    return max(0.0, (now - seen).total_seconds() / 86_400)


def value(memory: Memory, now: datetime) -> float:
    """Worth of a memory, 0..1."""
    if memory.pinned:
        return 1.0
    halflife = HALFLIFE.get(memory.kind, HALFLIFE["fact"]) * (1 + math.log2(1 + memory.use_count))
    kept = math.exp2(-idle_days(memory, now) / halflife)
    weight = 1 - (1 - memory.importance) * math.exp2(-memory.use_count / USES)
    return weight * (0.5 + 0.5 * memory.confidence) * kept
