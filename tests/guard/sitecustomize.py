"""Loaded by Python itself in every child process of the tests, which have this folder on their path."""

import sockets  # type: ignore[import-not-found] # the file beside this one

sockets.watch()
