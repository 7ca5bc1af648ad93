"""What the exports of today hold beside plain messages: parts, branches, hidden messages, calls of tools, memories."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from edgemem.errors import InvalidInput
from edgemem.interop import formats
from edgemem.interop.found import Found
from edgemem.view import Memory


def read(path: Path, document: Any = None) -> Found:
    if document is not None:
        path.write_text(json.dumps(document), encoding="utf-8")
    result = formats.read(path)
    assert isinstance(result, Found)
    return result


def words(found: Found) -> list[tuple[str, str]]:
    return [(turn.role, turn.content) for turn in found.turns]


def chatgpt(name: str, *messages: dict[str, Any]) -> dict[str, Any]:
    """A conversation of one branch."""
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    last = "root"
    for n, message in enumerate(messages):
        node = f"{name}-{n}"
        nodes[last]["children"] = [node]
        nodes[node] = {"id": node, "message": {"id": node, "metadata": {}, **message}, "parent": last, "children": []}
        last = node
    return {"title": name, "create_time": 1.7e9, "conversation_id": name, "current_node": last, "mapping": nodes}


def said(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"author": {"role": role}, "create_time": 1.7e9, "content": {"content_type": "text", "parts": [text]},
            "recipient": "all", **more}  # fmt: skip


CUSTOM = {
    "author": {"role": "user"},
    "content": {
        "content_type": "user_editable_context",
        "user_profile": "The person told this of themselves:\n```Preferred name: Wren\nRole: baker```",
        "user_instructions": "How to answer:\n```- Answer in short sentences```",
    },
    "metadata": {"is_visually_hidden_from_conversation": True, "is_user_system_message": True},
}


def test_chatgpt_leaves_out_what_was_never_on_the_screen_and_counts_it(tmp_path: Path) -> None:
    talk = chatgpt(
        "bread",
        CUSTOM,
        said("system", "You are a model.", metadata={"is_visually_hidden_from_conversation": True}),
        said("user", "How warm should my dough be?"),
        {"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "thoughts": [{"content": "Hm"}]}},
        {"author": {"role": "assistant"}, "content": {"content_type": "reasoning_recap", "content": "Thought for 2 s"}},
        said("assistant", "search('dough')", recipient="browser"),
        said("assistant", "About 25 degrees."),
    )
    found = read(tmp_path / "conversations.json", [talk, chatgpt("again", CUSTOM, said("user", "Hello"))])
    assert words(found) == [
        ("user", "How warm should my dough be?"), ("assistant", "About 25 degrees."), ("user", "Hello"),
    ]  # fmt: skip
    assert [(note.content, note.kind) for note in found.notes] == [
        ("Preferred name: Wren", None), ("Role: baker", None), ("Answer in short sentences", "rule"),
    ]  # fmt: skip
    assert found.left == []
    assert found.notices == ["Left out, never on the screen: 6 messages (instructions, reasoning, calls of tools)."]


@pytest.mark.parametrize("packed", [False, True])
def test_an_export_in_numbered_parts_is_taken_whole(tmp_path: Path, mem: Memory, packed: bool) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    read(folder / "conversations-000.json", [chatgpt("a", said("user", "I keep bees"))])
    read(folder / "conversations-001.json", [chatgpt("b", said("user", "I row")), {"mapping": None}])
    (folder / "conversations-002.json").write_text('[{"mapping": {', encoding="utf-8")
    (folder / "user.json").write_text("{}", encoding="utf-8")
    source = folder
    if packed:
        source = tmp_path / "export.zip"
        with zipfile.ZipFile(source, "w") as archive:
            for path in folder.iterdir():
                archive.write(path, f"deep/{path.name}")
            archive.writestr("__MACOSX/deep/conversations-000.json", "x")
    report = mem.import_from(source)
    assert report.format == "chatgpt"
    assert {s.id for s in mem.sessions()} == {"a", "b"}
    left = [(item.where.removeprefix("deep/"), item.reason) for item in report.left]
    assert left[0] == ("conversations-001.json, conversation 2", "`conversation_id` or `id` is missing or empty")
    assert left[1][0] == "conversations-002.json"
    assert "cut or broken: line 1, column 15" in left[1][1]


def claude(uuid: str, parent: str | None, sender: str, text: str) -> dict[str, Any]:
    return {"uuid": uuid, "parent_message_uuid": parent, "sender": sender, "text": text, "attachments": [], "files": [],
            "content": [{"type": "text", "text": text}], "created_at": f"2026-01-01T00:00:0{uuid[1:]}Z"}  # fmt: skip


ROOT = "00000000-0000-4000-8000-000000000000"


def test_claude_takes_the_branch_of_the_newest_message(tmp_path: Path) -> None:
    messages = [
        claude("m1", ROOT, "human", "I have two cats"),
        claude("m2", "m1", "assistant", "Lovely."),
        claude("m3", ROOT, "human", "I have three cats"),
        claude("m4", "m3", "assistant", "A crowd."),
        claude("m5", "m3", "assistant", "Three of them!"),
    ]
    talk = {"uuid": "t", "name": "Cats", "created_at": "2026-01-01T00:00:00Z", "chat_messages": messages}
    found = read(tmp_path / "conversations.json", [talk])
    assert words(found) == [("user", "I have three cats"), ("assistant", "Three of them!")]
    assert found.notices == ["conversation 1: left out: 3 messages of branches that were given up."]
    chosen = read(tmp_path / "conversations.json", [talk | {"current_leaf_message_uuid": "m4"}])
    assert words(chosen)[1] == ("assistant", "A crowd.")
    straight = read(tmp_path / "conversations.json", [talk | {"chat_messages": [*messages[:2], {"uuid": 4}]}])
    assert len(straight.turns) == 2
    assert [place.where for place in straight.left] == ["conversation 1, message 3"]


def test_claude_brings_its_memories_along(tmp_path: Path, mem: Memory) -> None:
    read(tmp_path / "conversations.json", [{"uuid": "t", "chat_messages": [claude("m1", ROOT, "human", "Hello")]}])
    remembered = {
        "conversations_memory": "**Work context**\n\nWren bakes at the harbour.\n\n**Personal**\n\n- Keeps bees\n",
        "project_memories": {"p-1": "The oven project is on hold."},
        "account_uuid": "a",
    }
    read(tmp_path / "memories.json", [remembered])
    (tmp_path / "users.json").write_text("[]", encoding="utf-8")
    report = mem.import_from(tmp_path)
    assert report.format == "claude"
    assert {m.content for m in mem.list()} == {
        "Wren bakes at the harbour.", "Keeps bees", "The oven project is on hold.",
    }  # fmt: skip
    assert {item.outcome for item in mem.import_from(tmp_path).items} == {"known"}
    assert {item.outcome for item in mem.import_from(tmp_path / "memories.json").items} == {"known"}


def letta(role: str, text: str | None, **more: Any) -> dict[str, Any]:
    content = [] if text is None else [{"type": "text", "text": text}]
    return {"role": role, "content": content, "created_at": "2026-01-01T00:00:00+00:00", "tool_calls": [], **more}


def sends(text: str) -> list[dict[str, Any]]:
    return [
        {
            "id": "c",
            "type": "function",
            "function": {"name": "send_message", "arguments": json.dumps({"message": text})},
        }
    ]


def test_letta_agents_that_speak_through_a_tool(tmp_path: Path) -> None:
    """The first form of the file, and agents whose text is what they think."""
    messages = [
        letta("system", "You are pal."),
        letta("assistant", "Start-up done. I test the tool.", tool_calls=sends("Good morning.")),
        letta("tool", json.dumps({"status": "OK", "message": "None", "time": "now"}), name="send_message"),
        letta("user", json.dumps({"type": "login", "last_login": "Never", "time": "now"})),
        letta("user", json.dumps({"type": "user_message", "message": "My dentist is Dr. Okafor", "time": "now"})),
        letta("assistant", "I should note the dentist.", tool_calls=[{"function": {"name": "archival_memory_insert", "arguments": "{}"}}]),
        letta("tool", json.dumps({"status": "OK", "message": "3 rows found"}), name="archival_memory_search"),
        letta("assistant", None, tool_calls=sends("Noted.")),
        letta("user", '{"type": "weather", "of": "the sea"}'),
        letta("user", '{"shoe size": 43}'),
    ]  # fmt: skip
    found = read(tmp_path / "pal.af", {"core_memory": [], "messages": messages, "name": "pal"})
    assert words(found) == [
        ("assistant", "Good morning."), ("user", "My dentist is Dr. Okafor"), ("tool", "3 rows found"),
        ("assistant", "Noted."), ("user", '{"type": "weather", "of": "the sea"}'), ("user", '{"shoe size": 43}'),
    ]  # fmt: skip
    assert found.left == []
    assert found.notices == [
        "agent 1: left out: 4 messages that nobody said (instructions, logins, thoughts, calls of tools)."
    ]


def test_letta_agents_that_speak_for_themselves(tmp_path: Path) -> None:
    calls = [{"function": {"name": "web_search", "arguments": "{}"}}]
    messages = [letta("user", "Hi"), letta("assistant", "Let me look.", tool_calls=calls), letta("assistant", "Hello.")]
    found = read(tmp_path / "pal.af", {"agents": [{"id": "agent-0", "messages": messages}], "blocks": []})
    assert words(found) == [("user", "Hi"), ("assistant", "Let me look."), ("assistant", "Hello.")]


def test_mem0_keeps_the_last_messages_beside_its_history(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    base = sqlite3.connect(path)
    base.execute(
        "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,"
        " created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
    )
    base.execute(
        "CREATE TABLE messages (id TEXT PRIMARY KEY, session_scope TEXT, role TEXT, content TEXT, name TEXT, created_at DATETIME)"
    )
    rows = [("1", "user_id=wren", "user", "I keep bees", None, "2026-01-01T00:00:00+00:00"),
            ("2", "user_id=wren", "assistant", "Lovely", None, "2026-01-01T00:00:01+00:00"),
            ("3", "user_id=wren", "choir", "la", None, "2026-01-01T00:00:02+00:00")]  # fmt: skip
    base.executemany("INSERT INTO messages VALUES (?,?,?,?,?,?)", rows)
    base.commit()
    base.close()
    found = read(path)
    assert words(found) == [("user", "I keep bees"), ("assistant", "Lovely")]
    assert [str(place) for place in found.left] == ["message 3: unknown role 'choir'"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("cut.json", b'[{"mapping": {"a": 1', "cut or broken: line 1, column 21"),
        ("cut.zip", b"PK\x03\x04rest", "zip cannot be read"),
        ("latin.json", '[{"uuid": "é"}]'.encode("latin-1"), "no text in UTF-8"),
        ("wide.json", '[{"uuid": "é"}]'.encode("utf-16"), "UTF-16, not UTF-8"),
    ],
)
def test_a_file_that_is_cut_or_of_another_encoding_is_named_so(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidInput, match=message) as refused:
        formats.read(tmp_path / name)
    assert refused.value.hint


NOTE = """---
aliases: [Anni]
tags:
  - person
birthday: 1990-05-02
speaks: [German, English]
near: {town: Graz}
created: 2024-02-03
---
# Anna Berg

> [!note] Met at the [[Harbour Festival|festival]]
> She plays the cello.

- Lives in [[Graz#Old town]] with her cat ![[cat.png]]
\t- the cat is called *Moritz*, not my_old_name or 2*3*4
- see [[#Plans]] [[Notes#^abc]]

| Day | Plan |
| --- | :-: |
| Mon | Rehearsal |
| Tue | a \\| b |

%% a private

- comment over lines %%

See [site](https://example.org).[^1]

[^1]: said by Tom
"""


def test_what_obsidian_writes_is_told_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "Anna Berg.md").write_text(NOTE, encoding="utf-8")
    found = read(tmp_path)
    assert [(note.content, note.where) for note in found.notes] == [
        ("Anna Berg: birthday: 1990-05-02", "Anna Berg.md, line 1"),
        ("Anna Berg: speaks: German, English", "Anna Berg.md, line 1"),
        ("Anna Berg: Met at the festival She plays the cello.", "Anna Berg.md, line 12"),
        ("Anna Berg: Lives in Graz > Old town with her cat", "Anna Berg.md, line 15"),
        ("Anna Berg: the cat is called Moritz, not my_old_name or 2*3*4", "Anna Berg.md, line 16"),
        ("Anna Berg: see Plans Notes", "Anna Berg.md, line 17"),
        ("Anna Berg: Day: Mon, Plan: Rehearsal", "Anna Berg.md, line 21"),
        ("Anna Berg: Day: Tue, Plan: a | b", "Anna Berg.md, line 22"),
        ("Anna Berg: See site.", "Anna Berg.md, line 28"),
        ("Anna Berg: said by Tom", "Anna Berg.md, line 30"),
    ]
    assert [str(place) for place in found.left] == [
        "Anna Berg.md, front matter: `near` is neither text nor a list of texts"
    ]
    assert found.notices == [
        "Left out of the front matter: aliases.", "Left out of the front matter: tags.", "Left out of notes: comments (%%…%%, <!-- … -->).",
    ]  # fmt: skip


def test_what_looks_like_a_comment_in_code_hides_nothing_between(tmp_path: Path) -> None:
    graph = "```mermaid\n%% one\ngraph TD\n```"
    (tmp_path / "a.md").write_text(f"{graph}\n\nI live in Porto.\n\n{graph}\n\nI like tea.\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("Use `%%` for cells.\n\nI live in Lund.\n\nAlso `%%` twice.\n", encoding="utf-8")
    (tmp_path / "c.md").write_text("%% never closed\n\nI live in Ghent.\n", encoding="utf-8")
    told = "\n".join(note.content for note in read(tmp_path).notes)
    assert [town for town in ("Porto", "tea", "Lund", "twice", "Ghent") if town not in told] == []


@pytest.mark.parametrize("odd", [{"q": 1}, ["a"], 7])
def test_an_odd_parent_costs_only_what_it_belongs_to(tmp_path: Path, odd: Any) -> None:
    messages = [{"uuid": name, "sender": "human", "text": name, "parent_message_uuid": parent}
                for name, parent in (("a", None), ("b", "a"), ("c", "a"), ("d", odd))]  # fmt: skip
    talks = [{"uuid": "1", "name": "t", "chat_messages": messages, "current_leaf_message_uuid": odd}]
    assert {content for _, content in words(read(tmp_path / "c.json", talks))} >= {"a", "d"}


def test_an_odd_call_of_a_tool_costs_one_message_of_an_agent(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "x", "tool_calls": "bad"},
                {"role": "user", "content": '{"type": "note", "text": "mine"}'}]  # fmt: skip
    agent = {"name": "sam", "messages": messages}
    found = read(tmp_path / "a.af", {"agents": [agent], "blocks": []})
    assert ("user", "hello") in words(found)
    assert any("mine" in content for _, content in words(found))


def test_mem0_memories_keep_their_day_of_expiry(tmp_path: Path, mem: Memory) -> None:
    record = {"id": "1", "memory": "Has a guest pass for the pool", "expiration_date": "2026-12-31", "updated_at": None}
    (tmp_path / "m.json").write_text(json.dumps({"results": [record]}), encoding="utf-8")
    mem.import_from(tmp_path / "m.json")
    (kept,) = mem.list()
    assert kept.expires_at == datetime(2026, 12, 31, tzinfo=UTC)


def test_rows_of_langgraphs_own_table(tmp_path: Path) -> None:
    item = {"key": "9", "value": {"kind": "Memory", "content": {"content": "Likes the light on"}}}
    named = read(tmp_path / "items.json", [item | {"namespace": ["memories", "wren"]}])
    rows = read(tmp_path / "rows.json", [item | {"prefix": "memories.wren"}])
    assert [note.content for note in rows.notes] == ["Likes the light on"]
    assert [note.id for note in rows.notes] == [note.id for note in named.notes]


def test_a_plain_log_whose_times_have_zones_needs_none(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(
        "[2024-05-01T10:00:00Z] user: hi\n[2024-05-01T10:00:05+02:00] bot: hello\n", "utf-8"
    )
    found = read(tmp_path / "log.txt")
    assert found.notices == []
    assert [turn.at for turn in found.turns] == [
        datetime(2024, 5, 1, 10, tzinfo=UTC), datetime(2024, 5, 1, 8, 0, 5, tzinfo=UTC),
    ]  # fmt: skip
