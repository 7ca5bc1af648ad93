"""The LlamaIndex block gives background and takes what leaves the window."""

from __future__ import annotations

import pytest

pytest.importorskip("llama_index.core", reason="the extra llamaindex is not installed")

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory as LlamaMemory

from edgemem.adapters.llamaindex import EdgememBlock
from edgemem.view import Memory


async def test_what_is_remembered_comes_before_the_question(mem: Memory) -> None:
    mem.add("Sam is allergic to peanuts")
    block = EdgememBlock(mem, budget=300)
    memory = LlamaMemory.from_defaults(session_id="s", memory_blocks=[block])
    await memory.aput(ChatMessage(role="user", content="Are there peanuts in it?"))
    assert any("allergic to peanuts" in str(m.content) for m in await memory.aget())
    assert await block.aget([ChatMessage(role="user", content="submarines")]) == ""
    assert await block.aget([]) == ""


async def test_messages_go_into_the_log_and_the_queue(mem: Memory) -> None:
    block = EdgememBlock(mem, session="dinner")
    await block.aput([ChatMessage(role="user", content="I keep bees"), ChatMessage(role="assistant", content="Nice."),
                      ChatMessage(role="user", content=" ")])  # fmt: skip
    assert [(t.role, t.content) for t in mem.turns("dinner")] == [("user", "I keep bees"), ("assistant", "Nice.")]
    assert len(mem.jobs()) == 1
