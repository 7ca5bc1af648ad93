"""The part of a user's view that takes words away for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgemem.receipts import Erasure, Proof
from edgemem.upkeep.eraser import Aim, Eraser

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile


class Privacy:
    """Calls of ``Memory`` that erase."""

    file: MemoryFile
    _key: int

    def resolve(self, memory: str) -> str:
        """The full id of a memory."""
        raise NotImplementedError

    def erase(
        self, memory: str | None = None, *, search: str | None = None, session: str | None = None,
        everything: bool = False, preview: bool = False, verify: bool = False, wait: float | None = None,
    ) -> Erasure:  # fmt: skip
        """Erase for good one memory, what a search finds, a session, or all of this user, with what was drawn from it.

        ``search``: everything that has all of its words. ``preview`` only tells what would go. ``verify`` looks through
        the bytes of the file afterwards, in another process. ``wait``: seconds to wait for programs that still read an
        older state (None: the busy timeout). There is no undo; the view of a user who was erased
        whole finds nothing any more. Raises ``InvalidInput`` or ``NotFound``.
        """
        aim = Aim(memory, search, session, everything).checked()
        if memory is not None:
            aim = Aim(self.resolve(memory))
        eraser = Eraser(self.file.engine, self._key)
        if preview:
            return eraser.preview(aim)
        self.file.drop_uses(self._key)
        return eraser.erase(aim, self.file.now(), verify=verify, wait=wait)

    def look(self, text: str) -> Proof:
        """Erase nothing; say which words of ``text`` no row holds, but the bytes of the file do.

        To be called when an erasure could not be scrubbed at once because another program was reading.
        """
        return Eraser(self.file.engine, self._key).look(text)
