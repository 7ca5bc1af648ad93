"""The MCP server as hosts use it: started as a process, talked to by the package's own client."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from edgemem.interop.mask import MASK
from edgemem.view import Memory
from tests.helpers import ROOT, environment, opened

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

WITH_MODEL = """
import sys
from pathlib import Path
from edgemem.adapters.mcp_server import build
from tests.helpers import Fact, RuleModel, opened
model = RuleModel(Fact("I keep bees", "The user keeps bees."))
with opened(Path(sys.argv[1]), model=model) as file:
    build(file.user("me")).run("stdio")
"""


def host(home: Path, path: Path, *more: str) -> Client:
    """A host that starts `edgemem mcp` on a machine without models."""
    env = environment({"HOME": str(home), "EDGEMEM_HOME": str(home), "XDG_DATA_HOME": str(home), "HF_HOME": str(home)})
    args = ["-m", "edgemem", "mcp", "--file", str(path), *more]
    return Client(StdioServerParameters(command=sys.executable, args=args, env=env, cwd=ROOT))


def host_with_model(path: Path) -> Client:
    env = environment()
    return Client(StdioServerParameters(command=sys.executable, args=["-c", WITH_MODEL, str(path)], env=env, cwd=ROOT))


async def call(client: Client, name: str, arguments: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
    """What a tool gives back; a tool that refuses fails the test."""
    result = await client.call_tool(name, {**(arguments or {}), **more})
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, name: str, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return " ".join(getattr(part, "text", "") for part in result.content)


async def test_every_tool_does_its_work(tmp_path: Path, store_path: Path) -> None:
    async with host(tmp_path, store_path) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {
            "add", "learn", "recall", "context", "list", "forget", "undo", "history", "state", "set_state",
        }  # fmt: skip
        assert all(tool.description for tool in tools.values())
        assert not any("user" in tool.input_schema["properties"] for tool in tools.values())
        uid = (await call(client, "add", content="I am allergic to peanuts"))["id"]
        found = await call(client, "recall", query="peanuts")
        assert [hit["id"] for hit in found["hits"]] == [uid]
        assert "peanuts" in (await call(client, "context", query="peanuts at dinner"))["text"]
        assert [m["content"] for m in (await call(client, "list"))["memories"]] == ["I am allergic to peanuts"]
        change = (await call(client, "forget", memory=uid))["change"]
        assert (await call(client, "list"))["memories"] == []
        await call(client, "undo", change=change)
        actions = [c["action"] for c in (await call(client, "history", memory=uid))["changes"]]
        assert actions == ["add", "forget", "undo"]
        assert (await call(client, "set_state", task="t", field="step", value={"n": 1}))["version"] == 1
        assert (await call(client, "state", task="t"))["fields"][0]["value"] == {"n": 1}


async def test_a_refusal_says_what_to_do(tmp_path: Path, store_path: Path) -> None:
    async with host(tmp_path, store_path) as client:
        assert "edgemem list" in await refused(client, "forget", memory="no-such-memory")
        assert await refused(client, "recall", query="")
        assert await refused(client, "recall", query="x", limit=100_000)
        assert await refused(client, "add", content="x", kind="gossip")
        assert "models pull" in await refused(
            client, "learn", messages=[{"role": "user", "content": "I keep bees"}], wait=True
        )
        # The words were safe before the model was asked for.
        await call(client, "learn", messages=[{"role": "user", "content": "I keep goats"}])
    with opened(store_path) as file:
        (session,) = file.user("me").sessions()
        assert [t.content for t in file.user("me").turns(session.id)] == ["I keep bees", "I keep goats"]


async def test_text_that_no_file_can_hold_is_refused_by_every_tool(tmp_path: Path, store_path: Path) -> None:
    given: dict[str, Any] = {"messages": [{"role": "user", "content": "bees"}], "value": 1}
    async with host(tmp_path, store_path) as client:
        for tool in (await client.list_tools()).tools:
            texts = [name for name, form in tool.input_schema["properties"].items() if '"string"' in json.dumps(form)]
            for name in texts:
                words = dict.fromkeys(tool.input_schema.get("required", ()), "bees") | given
                bad: Any = "bees\0goats"
                if name == "messages":
                    bad = [{"role": "user", "content": bad}]
                words = {k: v for k, v in words.items() if k in tool.input_schema["properties"]}
                assert await refused(client, tool.name, **words | {name: bad}), (tool.name, name)
        assert (await call(client, "list"))["memories"] == []


async def test_messages_become_memories(store_path: Path) -> None:
    async with host_with_model(store_path) as client:
        done = await call(
            client, "learn", messages=[{"role": "user", "content": "I keep bees"}], session="s", wait=True
        )
        assert [(m["content"], m["outcome"]) for m in done["memories"]] == [("The user keeps bees.", "added")]


async def test_the_user_is_the_launchers_choice(tmp_path: Path, store_path: Path) -> None:
    with opened(store_path) as file:
        secret = file.user("you").add("the wolves are fed")
    async with host(tmp_path, store_path, "--user", "me") as client:
        assert (await call(client, "recall", query="wolves", user="you"))["hits"] == []
        assert (await call(client, "list", namespace="%"))["memories"] == []
        await refused(client, "forget", memory=secret)
        await refused(client, "history", memory=secret)
        with pytest.raises(MCPError):
            await client.read_resource(f"edgemem://memory/{secret}")


async def test_read_only_offers_no_way_to_write(tmp_path: Path, store_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("I am allergic to peanuts")
    async with host(tmp_path, store_path, "--read-only") as client:
        assert {t.name for t in (await client.list_tools()).tools} == {"recall", "context", "list", "history", "state"}
        await refused(client, "add", content="x")
        assert len((await call(client, "recall", query="peanuts"))["hits"]) == 1


async def test_two_hosts_on_one_file(tmp_path: Path, store_path: Path) -> None:
    async with host(tmp_path, store_path) as one, host(tmp_path, store_path) as two:
        for n in range(5):
            await asyncio.gather(
                call(one, "add", content=f"The first says {n}"), call(two, "add", content=f"The second says {n}"),
                call(one, "add", content=f"Both say {n}"), call(two, "add", content=f"Both say {n}"),
            )  # fmt: skip
        seen = [{m["content"] for m in (await call(client, "list"))["memories"]} for client in (one, two)]
        assert seen[0] == seen[1]
        assert len(seen[0]) == 15
        assert (await call(two, "recall", query="first says 3"))["hits"][0]["content"] == "The first says 3"
    with opened(store_path) as file:
        assert file.check() == []


def guard(memory: Memory, uid: str) -> None:
    from edgemem.store import memories

    with memory.file.engine.write() as tx:
        user = tx.execute("SELECT id FROM user WHERE name = ?", (memory.name,)).fetchone()[0]
        fields = memories.snapshot(memories.row(tx, user, uid))
        memories.update(tx, user, uid, fields | {"sensitivity": "secret"})


async def test_sensitive_values_are_masked_unless_the_launcher_says_so(tmp_path: Path, store_path: Path) -> None:
    with opened(store_path) as file:
        guard(file.user("me"), file.user("me").add("My locker number is 90210-plum"))
    async with host(tmp_path, store_path) as client:
        for name, arguments in (
            ("recall", {"query": "locker"}),
            ("context", {"query": "locker"}),
            ("list", {}),
            ("history", {}),
        ):
            result = json.dumps(await call(client, name, arguments), ensure_ascii=False)
            assert "90210-plum" not in result, name
            assert MASK in result
    async with host(tmp_path, store_path, "--sensitive") as client:
        assert "90210-plum" in json.dumps(await call(client, "list"))


async def test_resources_and_the_prompt(tmp_path: Path, store_path: Path) -> None:
    with opened(store_path) as file:
        uid = file.user("me").add("Answer in Chinese", kind="rule")
    async with host(tmp_path, store_path) as client:
        rules = await client.read_resource("edgemem://rules")
        assert getattr(rules.contents[0], "text", "") == "Answer in Chinese"
        one = await client.read_resource(f"edgemem://memory/{uid}")
        assert json.loads(getattr(one.contents[0], "text", ""))["history"][0]["action"] == "add"
        prompt = await client.get_prompt("with_memory", {"question": "Which language, Chinese?"})
        text = getattr(prompt.messages[0].content, "text", "")
        assert "Answer in Chinese" in text
        assert text.endswith("Which language, Chinese?")


async def test_standard_output_is_the_protocols_alone(tmp_path: Path, store_path: Path) -> None:
    env = environment({"HOME": str(tmp_path), "EDGEMEM_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)})
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "edgemem", "mcp", "--file", str(store_path),
        cwd=ROOT, env=env, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(b""), 60)
    assert out == b""
    assert b"Serving the memory of me" in err
    assert process.returncode == 0


def test_without_the_extra_the_command_says_what_to_install(store_path: Path) -> None:
    from tests.helpers import python

    done = python(
        "import sys; sys.modules['mcp'] = None\nsys.argv = ['edgemem', 'mcp', '--file', sys.argv[1]]\n"
        "from edgemem.cli.main import main\nmain()",
        store_path, expect=2,
    )  # fmt: skip
    assert "pip install 'edgemem-store[mcp]'" in done.stderr
