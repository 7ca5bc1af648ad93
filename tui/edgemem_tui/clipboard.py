"""Copying text: a tool of the system where there is one, else the terminal is asked; always says which."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

_SECONDS: Final = 2.0


def tools(env: Mapping[str, str], platform: str = sys.platform) -> list[list[str]]:
    """Commands that take the text on their standard input, the likeliest first."""
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return []  # a tool would fill the clipboard of the far machine
    if platform == "darwin":
        return [["pbcopy"]]
    wayland = [["wl-copy"]] if env.get("WAYLAND_DISPLAY") else []
    x11 = [["xclip", "-selection", "clipboard"], ["xsel", "-ib"]] if env.get("DISPLAY") else []
    return [*wayland, *x11, ["clip.exe"]]


def copy_with_tool(text: str) -> str | None:
    """Copy with the first tool that works; returns its name, or None when there is none. Blocks up to 2 s a tool."""
    for command in tools(os.environ):
        program = shutil.which(command[0])
        if program is not None and _fed([program, *command[1:]], text):
            return command[0]
    return None


def _fed(command: list[str], text: str) -> bool:
    # clip.exe wants UTF-16; the others take UTF-8.
    data = text.encode("utf-16-le" if command[0].endswith("clip.exe") else "utf-8", "replace")
    try:
        # xclip stays behind to serve the clipboard and would hold a pipe open.
        done = subprocess.run(
            command, input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
