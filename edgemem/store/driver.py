"""Which SQLite is at work, and what it can do."""

from __future__ import annotations

import sqlite3
from types import ModuleType


def driver() -> ModuleType:
    """The DB-API module in use: ``sqlcipher3`` where it is installed, else the standard library's."""
    try:
        from sqlcipher3 import dbapi2
    except ImportError:
        return sqlite3
    module: ModuleType = dbapi2
    return module


def has_cipher() -> bool:
    """Whether the driver can encrypt."""
    return driver() is not sqlite3
