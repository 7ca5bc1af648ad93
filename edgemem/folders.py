"""Where edgemem keeps its files on this machine: each system's own folders, by platformdirs.

``EDGEMEM_HOME`` gathers models, cache and settings in one folder; the memory file has ``EDGEMEM_FILE`` for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from platformdirs.api import PlatformDirsABC


def _user() -> PlatformDirsABC:
    from platformdirs import PlatformDirs

    # Without an author Windows' folders are AppData\Local\edgemem, as they are called elsewhere.
    return PlatformDirs("edgemem", appauthor=False)


def _own(env: Mapping[str, str]) -> Path | None:
    own = env.get("EDGEMEM_HOME", "").strip()
    return Path(own).expanduser() if own else None


def default_path() -> Path:
    """Where the memory lives when nobody names a file: ``me.edgemem`` in the user's data folder."""
    return _user().user_data_path / "me.edgemem"


def models_home(env: Mapping[str, str]) -> Path:
    """The models folder: ``models`` inside ``EDGEMEM_HOME`` if that is set, else inside the user's data folder."""
    return (_own(env) or _user().user_data_path) / "models"


def cache_home(env: Mapping[str, str]) -> Path:
    """What can be made again: ``cache`` inside ``EDGEMEM_HOME`` if that is set, else the user's cache folder."""
    own = _own(env)
    return _user().user_cache_path if own is None else own / "cache"


def settings_home(env: Mapping[str, str]) -> Path:
    """The folder of the terminal app's settings: ``EDGEMEM_HOME`` if that is set, else the user's configuration folder."""
    return _own(env) or _user().user_config_path
