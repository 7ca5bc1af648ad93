"""A LlamaIndex memory whose long-term part is an edgemem file."""

import asyncio

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory

import edgemem
from edgemem.adapters.llamaindex import EdgememBlock

PATH = "llamaindex.edgemem"


async def main(path: str = PATH) -> None:
    """Remember a sentence, then ask for the messages an agent would see."""
    with edgemem.open(path) as file:
        person = file.user("sam")
        person.add("Sam is allergic to peanuts")
        memory = Memory.from_defaults(session_id="dinner", memory_blocks=[EdgememBlock(person, budget=300)])
        await memory.aput(ChatMessage(role="user", content="What should I cook? No peanuts, please."))
        for message in await memory.aget():
            print(message.role.value, "|", message.content)


if __name__ == "__main__":
    asyncio.run(main())
