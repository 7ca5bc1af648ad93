"""Every error edgemem raises on purpose, as one tree.

::

    EdgememError                  what went wrong, and ``hint``: what to do next
    ├── InvalidInput              an argument, a line or a turn cannot be taken
    ├── NotFound                  no such memory, change, session or turn for this user
    ├── Conflict                  it changed in the meantime, or cannot be undone any more
    ├── Aborted                   the caller asked to stop
    ├── StoreError
    │   ├── NotAStore             the file is not an edgemem store
    │   ├── NewerStore            written by a newer edgemem
    │   ├── StoreReadOnly         the file or its folder cannot be written
    │   ├── StoreFull             no space left on the device
    │   ├── StoreBusy             another process holds the file longer than the timeout
    │   ├── StoreCorrupt          the file is damaged
    │   ├── PassphraseNeeded      the file, or a sealed value, opens only with a passphrase
    │   ├── WrongPassphrase       the passphrase is not the file's
    │   └── StoreClosed           used after close(), or in a forked child
    └── ModelError
        ├── ModelMissing          no model file is there yet
        ├── ModelFileInvalid      cut, empty, not GGUF, wrong checksum
        ├── ModelTooNew           an architecture this llama.cpp does not know
        ├── WrongModelRole        an embedding model asked to chat, or the reverse
        ├── NotEnoughMemory       the model or its context does not fit
        ├── ContextTooSmall       the prompt does not fit the context window
        ├── GrammarRefused        llama.cpp cannot parse the grammar
        ├── OutputInvalid         the model's answer cannot be used
        └── PullFailed            no source delivered the model

``exit_code`` is what the command line returns for it: 1 failed, 2 usage,
3 locked (try again), 4 model missing, 130 interrupted.
"""

from __future__ import annotations

from typing import ClassVar


class EdgememError(Exception):
    """Base of all errors raised on purpose; ``str()`` gives one plain sentence, ``hint`` the next step."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InvalidInput(EdgememError):
    """An argument, a line or a turn cannot be taken as it is."""

    exit_code = 2


class NotFound(EdgememError):
    """There is no such memory, change, session or turn for this user."""


class Conflict(EdgememError):
    """The record changed in the meantime, or the change can no longer be undone."""


class Aborted(EdgememError):
    """The caller asked to stop; what was finished so far is kept."""

    exit_code = 130


class StoreError(EdgememError):
    """The memory file could not be opened, read or written."""


class NotAStore(StoreError):
    """The file is not an edgemem store."""


class NewerStore(StoreError):
    """The file was written by a newer edgemem than this one."""


class StoreReadOnly(StoreError):
    """The file, its folder or its medium cannot be written."""


class StoreFull(StoreError):
    """No space is left where the file lives; nothing of the last write was kept."""


class StoreBusy(StoreError):
    """Another process holds the file for longer than the timeout."""

    exit_code = 3


class StoreCorrupt(StoreError):
    """The file is damaged."""


class PassphraseNeeded(StoreError):
    """The file is encrypted, or a value in it is sealed, and no passphrase was given."""


class WrongPassphrase(StoreError):
    """The passphrase is not the one of this file."""


class StoreClosed(StoreError):
    """The file was used after ``close()``, or carried into a forked process."""


class ModelError(EdgememError):
    """A local model could not be found, loaded or used."""


class ModelMissing(ModelError):
    """No model for this role is on the machine yet."""

    exit_code = 4


class ModelFileInvalid(ModelError):
    """The model file is cut, empty, not GGUF, or fails its checksum."""


class ModelTooNew(ModelError):
    """The file needs a newer llama.cpp than the one installed."""


class WrongModelRole(ModelError):
    """An embedding model was asked to chat, or a chat model to embed."""


class NotEnoughMemory(ModelError):
    """The model or its context does not fit into the machine's memory."""


class ContextTooSmall(ModelError):
    """The prompt does not fit the model's context window."""


class GrammarRefused(ModelError):
    """llama.cpp cannot parse the grammar."""


class OutputInvalid(ModelError):
    """The model's answer cannot be used."""


class PullFailed(ModelError):
    """No source delivered the model file."""
