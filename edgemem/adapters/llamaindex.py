"""A memory block for LlamaIndex (``Memory.from_defaults(memory_blocks=[...])``). Needs the extra ``llamaindex``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from pydantic import Field, PrivateAttr

from edgemem.records import Turn
from edgemem.view import Memory

_ROLES = {
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.SYSTEM: "system",
    MessageRole.TOOL: "tool",
}


class EdgememBlock(BaseMemoryBlock[str]):  # type: ignore[misc]
    """What the user said in earlier conversations, as background for the present one.

    Messages that leave LlamaIndex's own window go into the log, and their memories are taken in the
    background; what matters for the last message comes back as a block of at most ``budget`` tokens.
    """

    name: str = "edgemem"
    description: str | None = "What the user said in earlier conversations."
    budget: int = Field(default=500, ge=1, description="Largest block, in tokens.")
    session: str | None = Field(default=None, description="The conversation the messages belong to; None: today's.")
    _memory: Memory = PrivateAttr()

    def __init__(self, memory: Memory, **options: Any) -> None:
        super().__init__(**options)
        self._memory = memory

    async def _aget(self, messages: Sequence[ChatMessage] | None = None, **block_kwargs: Any) -> str:  # noqa: ARG002 - the base's own
        asked = next((m.content for m in reversed(messages or ()) if m.role == MessageRole.USER and m.content), None)
        if asked is None:
            return ""
        block = await asyncio.to_thread(self._memory.context, asked, budget=self.budget)
        return block.text

    async def _aput(self, messages: Sequence[ChatMessage]) -> None:
        said = [
            Turn(_ROLES.get(m.role, "tool"), m.content, session=self.session)
            for m in messages if m.content and m.content.strip()
        ]  # fmt: skip
        if said:
            await asyncio.to_thread(self._memory.observe, said)
