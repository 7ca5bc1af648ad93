from __future__ import annotations

from tests.models.conftest import e5, e5_path

__all__ = ["e5", "e5_path"]
