"""edgemem: an offline memory for assistants that lives in one file.

::

    import edgemem

    with edgemem.open("me.edgemem") as file:
        memory = file.user("me")
        memory.learn([edgemem.Turn("user", "I'm allergic to peanuts")])
        for hit in memory.recall("what can't I eat?"):
            print(hit.score, hit.content, hit.source)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgemem.aio import AsyncMemory, AsyncMemoryFile, open_async
    from edgemem.browse import MemoryFilter
    from edgemem.errors import (
        Aborted,
        Conflict,
        ContextTooSmall,
        EdgememError,
        GrammarRefused,
        InvalidInput,
        ModelError,
        ModelFileInvalid,
        ModelMissing,
        ModelTooNew,
        NewerStore,
        NotAStore,
        NotEnoughMemory,
        NotFound,
        OutputInvalid,
        PassphraseNeeded,
        PullFailed,
        StoreBusy,
        StoreClosed,
        StoreCorrupt,
        StoreError,
        StoreFull,
        StoreReadOnly,
        WrongModelRole,
        WrongPassphrase,
    )
    from edgemem.hooks import Event
    from edgemem.locking import change_passphrase, decrypt, encrypt
    from edgemem.memory import MemoryFile, open, repair, restore  # noqa: A004 - the name users know from the standard library
    from edgemem.receipts import Erasure
    from edgemem.records import Change, Context, Hit, Learned, Recall, Receipt, Source, Turn
    from edgemem.reports import Need
    from edgemem.settings import Settings
    from edgemem.view import Memory

__version__ = "0.1.0"

_HOMES = {
    "edgemem.aio": ("AsyncMemory", "AsyncMemoryFile", "open_async"),
    "edgemem.browse": ("MemoryFilter",),
    "edgemem.errors": (
        "Aborted",
        "Conflict",
        "ContextTooSmall",
        "EdgememError",
        "GrammarRefused",
        "InvalidInput",
        "ModelError",
        "ModelFileInvalid",
        "ModelMissing",
        "ModelTooNew",
        "NewerStore",
        "NotAStore",
        "NotEnoughMemory",
        "NotFound",
        "OutputInvalid",
        "PassphraseNeeded",
        "PullFailed",
        "StoreBusy",
        "StoreClosed",
        "StoreCorrupt",
        "StoreError",
        "StoreFull",
        "StoreReadOnly",
        "WrongModelRole",
        "WrongPassphrase",
    ),
    "edgemem.hooks": ("Event",),
    "edgemem.memory": ("MemoryFile", "open", "repair", "restore"),
    "edgemem.locking": ("change_passphrase", "decrypt", "encrypt"),
    "edgemem.receipts": ("Erasure",),
    "edgemem.records": ("Change", "Context", "Hit", "Learned", "Recall", "Receipt", "Source", "Turn"),
    "edgemem.reports": ("Need",),
    "edgemem.settings": ("Settings",),
    "edgemem.view": ("Memory",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: an app that only wants ``Turn`` pays for no more."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Aborted",
    "AsyncMemory",
    "AsyncMemoryFile",
    "Change",
    "Conflict",
    "Context",
    "ContextTooSmall",
    "EdgememError",
    "Erasure",
    "Event",
    "GrammarRefused",
    "Hit",
    "InvalidInput",
    "Learned",
    "Memory",
    "MemoryFile",
    "MemoryFilter",
    "ModelError",
    "ModelFileInvalid",
    "ModelMissing",
    "ModelTooNew",
    "Need",
    "NewerStore",
    "NotAStore",
    "NotEnoughMemory",
    "NotFound",
    "OutputInvalid",
    "PassphraseNeeded",
    "PullFailed",
    "Recall",
    "Receipt",
    "Settings",
    "Source",
    "StoreBusy",
    "StoreClosed",
    "StoreCorrupt",
    "StoreError",
    "StoreFull",
    "StoreReadOnly",
    "Turn",
    "WrongModelRole",
    "WrongPassphrase",
    "change_passphrase",
    "decrypt",
    "encrypt",
    "open",
    "open_async",
    "repair",
    "restore",
]
