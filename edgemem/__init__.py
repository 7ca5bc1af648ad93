"""edgemem: an offline memory for assistants that lives in one file."""

__version__ = "0.1.0"
