"""Sensitive values leave a file only when they are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edgemem.interop.mask import MASK
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, opened, said
from tests.interop.moving import as_csv, lines, other


def sensitive(memory: Memory, uid: str) -> None:
    """Mark a memory as sensitive, as the store keeps it."""
    from edgemem.store import memories

    with memory.file.engine.write() as tx:
        user = tx.execute("SELECT id FROM user WHERE name = ?", (memory.name,)).fetchone()[0]
        fields = memories.snapshot(memories.row(tx, user, uid))
        memories.update(tx, user, uid, fields | {"sensitivity": "secret"})


@pytest.fixture
def guarded(tmp_path: Path) -> Any:
    """A memory that is sensitive, learned from a turn that says it."""
    model = RuleModel(
        Fact("my locker is number 90210-plum", "The user's locker is number 90210-plum."),
        Fact("I keep bees", "The user keeps bees."),
    )
    with opened(tmp_path / "me.edgemem", model=model) as file:
        memory = file.user("me")
        memory.learn(said("my locker is number 90210-plum", "I keep bees"))
        (uid,) = [m.id for m in memory.list() if "locker" in m.content]
        sensitive(memory, uid)
        yield memory


def test_sensitive_values_are_masked_wherever_they_stand(tmp_path: Path, guarded: Memory) -> None:
    for name in ("me.jsonl", "me.csv", "notes"):
        done = guarded.export_to(tmp_path / name)
        files = [tmp_path / name] if (tmp_path / name).is_file() else list((tmp_path / name).iterdir())
        text = "".join(path.read_text(encoding="utf-8") for path in files)
        assert "90210-plum" not in text, name
        assert MASK in text
        assert "keeps bees" in text
        assert done.masked >= 1
    guarded.export_to(tmp_path / "all.jsonl", sensitive=True)
    assert "my locker is number 90210-plum" in (tmp_path / "all.jsonl").read_text(encoding="utf-8")


def test_masked_records_are_named_and_not_imported_as_memories(tmp_path: Path, guarded: Memory) -> None:
    guarded.export_to(tmp_path / "me.jsonl")
    with other(tmp_path) as second:
        report = second.user("me").import_from(tmp_path / "me.jsonl")
        assert {item.what for item in report.left} >= {"memory", "history"}
        assert all("masked" in item.reason for item in report.left)
        assert [m.content for m in second.user("me").list(limit=0)] == ["The user keeps bees."]
        assert second.check() == []


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encrypted file with a sealed value; making a key takes long on purpose, so it is made once."""
    path = tmp_path_factory.mktemp("vault") / "me.edgemem"
    with opened(path, passphrase="one two three") as file:
        memory = file.user("me")
        memory.forget(memory.add_secret("The door code is 4711-plum", label="door code"))
        memory.undo(memory.history()[0].id)
        memory.add("I keep bees")
    return path


def test_sealed_values_stay_at_home_unless_asked_for(tmp_path: Path, vault: Path) -> None:
    with opened(vault, passphrase="one two three") as file:
        memory = file.user("me")
        (uid,) = [m.id for m in memory.list() if m.sensitivity != "normal"]
        sealed = str(memory.get(uid).data["sealed"])
        for name in ("me.jsonl", "me.csv", "notes"):
            assert memory.export_to(tmp_path / name).masked >= 1
            files = [tmp_path / name] if (tmp_path / name).is_file() else list((tmp_path / name).iterdir())
            text = "".join(path.read_text(encoding="utf-8") for path in files)
            assert "door code: ••••" in text
            assert "4711-plum" not in text
            assert sealed not in text
        memory.export_to(tmp_path / "all.jsonl", sensitive=True)
        assert sealed not in (tmp_path / "all.jsonl").read_text(encoding="utf-8")
        assert "The door code is 4711-plum" in as_csv(memory, sensitive=True)


def test_a_sealed_value_is_sealed_anew_where_it_arrives(tmp_path: Path, vault: Path) -> None:
    with opened(vault, passphrase="one two three") as file:
        memory = file.user("me")
        memory.export_to(tmp_path / "all.jsonl", sensitive=True)
        assert {i.outcome for i in memory.import_from(tmp_path / "all.jsonl").items} == {"known"}
        (uid,) = [m.id for m in memory.list() if m.sensitivity != "normal"]
        whole = lines(memory, sensitive=True)
    with opened(tmp_path / "other.edgemem", passphrase="four five six") as second:
        copy = second.user("me")
        assert {i.outcome for i in copy.import_from(tmp_path / "all.jsonl").items} == {"added"}
        assert copy.reveal(uid) == "The door code is 4711-plum"
        assert lines(copy, sensitive=True) == whole
        assert {i.outcome for i in copy.import_from(tmp_path / "all.jsonl").items} == {"known"}
        assert second.check() == []
    with opened(tmp_path / "plain.edgemem") as third:
        report = third.user("me").import_from(tmp_path / "all.jsonl")
        assert any("edgemem encrypt" in item.reason for item in report.left)
        assert [m.content for m in third.user("me").list()] == ["I keep bees"]
        assert third.check() == []
