"""The part of a user's view that takes words away for good, and that seals those nobody should see."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from edgemem import filters
from edgemem.receipts import Erasure, Proof
from edgemem.text import check_text
from edgemem.upkeep.eraser import Aim, Eraser
from edgemem.write import manual
from edgemem.write.secret import sealed

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile


class Privacy:
    """Calls of ``Memory`` that erase and seal."""

    file: MemoryFile
    _key: int

    @abstractmethod
    def resolve(self, memory: str) -> str:
        """The full id of a memory: the view's own call."""

    @abstractmethod
    def _embed(self, *owners: str) -> None:
        """Give new texts their vectors: the view's own call."""

    def erase(
        self, memory: str | None = None, *, search: str | None = None, session: str | None = None,
        everything: bool = False, echoes: bool = False, preview: bool = False, verify: bool = False,
        wait: float | None = None,
    ) -> Erasure:  # fmt: skip
        """Erase for good one memory, what a search finds, a session, or all of this user, with what was drawn from it.

        ``search``: everything that has all of its words. ``echoes``: also the turns that say again what the memories
        that go say; without it the receipt names them. ``preview`` only tells what would go. ``verify`` looks through
        the bytes of the file afterwards, in another process. ``wait``: seconds to wait for programs that still read an
        older state (None: the busy timeout). There is no undo; the view of a user who was erased
        whole finds nothing any more. Raises ``InvalidInput`` or ``NotFound``.
        """
        aim = Aim(memory, search, session, everything, echoes).checked()
        if memory is not None:
            aim = Aim(self.resolve(memory), echoes=echoes)
        eraser = Eraser(self.file.engine, self._key)
        if preview:
            return eraser.preview(aim)
        self.file.uses.drop(self._key)
        return eraser.erase(aim, self.file.now(), verify=verify, wait=wait)

    def add_secret(
        self,
        secret: str,
        *,
        label: str | None = None,
        kind: str = "fact",
        namespace: str | None = None,
        pinned: bool = False,
    ) -> str:
        """Keep a sensitive value sealed under a label, which is all that lists, searches, exports and models see; returns the id.

        ``label`` None: the sentence with its secrets masked. The file needs a passphrase. Raises ``InvalidInput``,
        ``PassphraseNeeded``, or ``Conflict`` when the label is taken.
        """
        text = manual.checked_content(secret)
        shown = manual.checked_content(sealed.label_of(text, label))
        filters.check_name(namespace, "namespace")
        named = {} if namespace is None else {"namespace": namespace}
        with self.file.engine.write() as tx:
            uid = sealed.add(
                tx, self._key, self.file.engine.key, text, shown, manual.checked_kind(kind), self.file.now(),
                pinned=int(pinned), **named,
            )  # fmt: skip
        self._embed("memory")
        return uid

    def reveal(self, memory: str) -> str:
        """What a sensitive memory stands for. Raises ``NotFound`` when nothing is sealed in it, or ``PassphraseNeeded``."""
        uid = self.resolve(memory)
        with self.file.engine.read() as tx:
            return sealed.reveal(tx, self._key, self.file.engine.key, uid)

    def look(self, text: str) -> Proof:
        """Erase nothing; say which words of ``text`` no row holds, but the bytes of the file do.

        To be called when an erasure could not be scrubbed at once because another program was reading.
        """
        check_text(text, "The text")
        return Eraser(self.file.engine, self._key).look(text)
