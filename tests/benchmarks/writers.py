"""What takes memories out of a dialogue, behind one small face, for ``written``. All are given the same chat model.

The peers get what their own callers would have to arrange for so small a model: an answer that cannot but have the form they
ask for (a grammar), and a window that holds their instructions.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import edgemem
from edgemem.gbnf import any_of, array, grammar, literal, obj, string, string_of
from edgemem.ports import Embedder, Generation, LanguageModel, Message
from edgemem.records import Turn

LONGEST = 400
"""Characters of one memory that a peer's grammar lets through."""

MOST = 16
"""Memories that a peer's grammar lets through in one answer."""


class Writer(Protocol):
    """One way to take memories out of a dialogue, in a folder of its own."""

    name: str
    settings: str

    def memories(self, turns: Sequence[Turn]) -> list[str]:
        """Learn from a dialogue; all sentences that are kept then."""

    def close(self) -> None:
        """Let go of the folder."""


@dataclass
class Counted:
    """A chat model that counts what is asked of it. ``read`` are prompt tokens evaluated, ``wrote`` those produced."""

    inner: LanguageModel
    calls: int = 0
    read: int = 0
    wrote: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        """The inner model's answer, counted."""
        done = self.inner.generate(messages, **options)
        self.calls += 1
        self.read += done.prompt_tokens - done.cached_tokens
        self.wrote += len(done.tokens)
        return done


class Edgemem:
    """`learn` with its defaults."""

    name = "edgemem"

    def __init__(self, folder: Path, model: Counted, provider: Any) -> None:
        self.settings = f"{edgemem.__version__}, `learn` with the defaults"
        self._file = edgemem.open(
            folder / "me.edgemem",
            provider=_Counting(provider, model),
            settings=edgemem.Settings(background=False, backups=0),
        )

    def memories(self, turns: Sequence[Turn]) -> list[str]:
        memory = self._file.user("me")
        memory.learn(turns)
        return [one.content for one in memory.list(limit=0, status="live")]

    def close(self) -> None:
        self._file.close()


class _Counting:
    """The models of this machine, with the chat model counted. Closing it closes none of them: others use them too."""

    def __init__(self, provider: Any, model: Counted) -> None:
        self._provider = provider
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    def language_model(self) -> LanguageModel:
        return self._model

    def close(self) -> None:
        """Nothing is its own."""


class Mem0:
    """mem0's own extraction (``infer=True``): one call, whose instructions take some 8,000 tokens."""

    name = "mem0 (open source)"

    def __init__(self, folder: Path, model: Counted, provider: Any) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "unused"}
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase

        embedder: Embedder = provider.embedder()
        self.settings = f"mem0ai {version('mem0ai')}, infer=True, local Qdrant {version('qdrant-client')}"
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": embedder.dim, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )

        class Ours(EmbeddingBase):  # type: ignore[misc]
            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return list(embedder.embed([text], "query" if memory_action == "search" else "passage")[0])

            def embed_batch(self, texts: list[str], memory_action: str | None = "add") -> list[list[float]]:
                return [self.embed(text, memory_action) for text in texts]

        self._memory.embedding_model = Ours()
        self._memory.llm = _Mem0Model(model)

    def memories(self, turns: Sequence[Turn]) -> list[str]:
        messages = [{"role": turn.role, "content": turn.content} for turn in turns]
        self._memory.add(messages, user_id="me", infer=True)
        found = self._memory.get_all(filters={"user_id": "me"}, top_k=100_000)["results"]
        return [one["memory"] for one in found]

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.db.close()


class _Mem0Model:
    """A chat model as mem0 calls one; the answer has the form that its instructions describe."""

    FORM = grammar(
        literal('{"memory": ') + " " + array("item", high=MOST) + ' "}"',
        item=obj(
            [
                ("id", '"\\"" [0-9]{1,2} "\\""'),
                ("text", string(LONGEST, 1)),
                ("attributed_to", string_of(["user", "assistant"])),
            ]
        ),
    )

    def __init__(self, model: Counted) -> None:
        self._model = model

    def generate_response(self, messages: Sequence[dict[str, str]], **_: Any) -> str:
        asked = [Message(m["role"], m["content"], constant=m["role"] == "system") for m in messages]
        return self._model.generate(asked, grammar=self.FORM, max_tokens=1500).text


class LangMem:
    """LangMem's memory manager with its own schema and instructions; the model's tool calls are held to their form."""

    name = "LangMem"

    def __init__(self, folder: Path, model: Counted, provider: Any) -> None:
        from langmem import create_memory_manager

        self.settings = f"langmem {version('langmem')}, create_memory_manager, inserts, updates"
        self._manager = create_memory_manager(_tool_model(model))

    def memories(self, turns: Sequence[Turn]) -> list[str]:
        messages = [{"role": turn.role, "content": turn.content} for turn in turns]
        found = asyncio.run(self._manager.ainvoke({"messages": messages, "max_steps": 1}))
        return [one.content.content for one in found]

    def close(self) -> None:
        """It keeps nothing: what it returns is the caller's to store."""


def _tool_model(model: Counted) -> Any:
    """A LangChain chat model whose answers are calls of the tool ``Memory``, or none."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.utils.function_calling import convert_to_openai_tool

    form = grammar(
        any_of([literal("none"), array("item", 1, MOST)]),
        item=obj([("name", literal('"Memory"')), ("arguments", obj([("content", string(LONGEST, 1))]))]),
    )

    class Ours(BaseChatModel):
        tools: list[dict[str, Any]] = []  # noqa: RUF012 - a field of pydantic's

        @property
        def _llm_type(self) -> str:
            return "llama.cpp"

        def bind_tools(self, tools: Sequence[Any], *, tool_choice: str | None = None, **_: Any) -> Any:
            return Ours(tools=[convert_to_openai_tool(tool) for tool in tools])

        def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
            described = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in self.tools)
            asked = [Message(_ROLES.get(m.type, "user"), str(m.content)) for m in messages]
            asked[0] = Message(
                asked[0].role,
                f"{asked[0].content}\n\n# Tools\n\nYou may call one or more functions. These are their signatures:\n{described}\n\n"
                'Answer with a JSON array of calls, each {"name": <function>, "arguments": <object>}, or with none.',
            )
            text = model.generate(asked, grammar=form, max_tokens=1500).text
            calls = _calls(text)
            return ChatResult(generations=[ChatGeneration(message=AIMessage(content="", tool_calls=calls))])

    return Ours()


_ROLES = {"system": "system", "ai": "assistant", "human": "user"}


def _calls(text: str) -> list[dict[str, Any]]:
    """Tool calls as LangChain has them. An answer that was cut gives the calls that are whole."""
    if not text.startswith("["):
        return []
    while text:
        try:
            found = json.loads(text if text.endswith("]") else text + "]")
        except ValueError:
            text = text[: text.rfind(", {")] if ", {" in text else ""
        else:
            return [{"name": one["name"], "args": one["arguments"], "id": str(n)} for n, one in enumerate(found)]
    return []


WRITERS: dict[str, Callable[[Path, Counted, Any], Writer]] = {"edgemem": Edgemem, "mem0": Mem0, "langmem": LangMem}
"""By the short name that ``--only`` takes."""
