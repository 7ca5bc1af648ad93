"""The examples run as they stand, as a user would start them."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

import edgemem.memory
from edgemem.ports import FixedModels, LanguageModel
from edgemem.testing import ScriptedModel, WordsEmbedder
from tests.helpers import ROOT, NoModels

EXAMPLES = ROOT / "examples"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each example in a folder of its own, on a machine with an embedder of words."""
    monkeypatch.chdir(tmp_path)
    use(monkeypatch, None)


def use(monkeypatch: pytest.MonkeyPatch, model: LanguageModel | None) -> None:
    monkeypatch.setattr(edgemem.memory, "_installed", lambda: FixedModels(model, WordsEmbedder(2048), NoModels()))


def run(name: str, *words: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What an example prints."""
    before, sys.argv = sys.argv, [name, *words]
    try:
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    finally:
        sys.argv = before
    return capsys.readouterr().out


def test_the_assistant_remembers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import io

    with edgemem.open("assistant.edgemem") as file:
        file.user("me").add("The user is allergic to peanuts")
    use(monkeypatch, ScriptedModel(["Not with peanuts."]))
    monkeypatch.setattr(sys, "stdin", io.StringIO("\nCan I eat peanuts?\n"))
    monkeypatch.setattr(sys, "argv", ["assistant.py"])
    runpy.run_path(str(EXAMPLES / "assistant.py"), run_name="__main__")
    shown = capsys.readouterr()
    assert shown.out == "Not with peanuts. \n"
    assert "remembered: The user is allergic to peanuts" in shown.err
    with edgemem.open("assistant.edgemem") as file:
        (session,) = file.user("me").sessions()
        assert session.turns == 2


def test_the_assistant_is_short_and_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    code = [line for line in (EXAMPLES / "assistant.py").read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(code) <= 30
    with pytest.raises(SystemExit, match="models pull"):
        run("assistant.py", capsys=capsys)


def test_the_note_app(capsys: pytest.CaptureFixture[str]) -> None:
    note = run("notes.py", "add", "The boiler likes 55 degrees", capsys=capsys).strip()
    assert "boiler" in run("notes.py", "find", "boiler", capsys=capsys)
    run("notes.py", "change", note, "The boiler likes 60 degrees", capsys=capsys)
    assert "60 degrees" in run("notes.py", "list", capsys=capsys)
    assert run("notes.py", "undo", capsys=capsys) == "took back: edit\n"
    run("notes.py", "drop", note, capsys=capsys)
    assert run("notes.py", "list", capsys=capsys) == ""
    for action in ("forget", "add"):  # each time one step further back
        assert run("notes.py", "undo", capsys=capsys) == f"took back: {action}\n"
    with pytest.raises(SystemExit, match="Nothing is left"):
        run("notes.py", "undo", capsys=capsys)
    assert "An offline note app" in run("notes.py", capsys=capsys)
    with pytest.raises(SystemExit, match="no memory"):
        run("notes.py", "drop", "nothing-there", capsys=capsys)


def test_the_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run("notebook.py", capsys=capsys)
    assert "edit user | The blue tent weighs two kilos -> The blue tent weighs 2.3 kilos" in shown
    assert shown.rstrip().endswith("The blue tent weighs two kilos")


def test_the_server_keeps_people_apart() -> None:
    pytest.importorskip("fastapi", reason="fastapi is not installed")
    from fastapi.testclient import TestClient

    app = runpy.run_path(str(EXAMPLES / "server.py"))["app"]
    with TestClient(app) as client:
        ida, bo = {"x-person": "ida"}, {"x-person": "bo"}
        uid = client.post("/memories", json={"text": "I am allergic to peanuts"}, headers=ida).json()["id"]
        assert client.post("/messages", json={"text": "I moved to Porto"}, headers=ida).json()["turns"]
        assert "peanuts" in client.get("/context", params={"question": "peanuts?"}, headers=ida).json()["text"]
        assert client.get("/context", params={"question": "peanuts?"}, headers=bo).json()["text"] == ""
        assert client.delete(f"/memories/{uid}", headers=bo).status_code == 404
        assert client.post("/memories", json={"text": " "}, headers=ida).status_code == 422
        assert client.get("/context", params={"question": "x"}).status_code == 422
        assert client.delete(f"/memories/{uid}", headers=ida).status_code == 200


def test_the_langgraph_store(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("langgraph.store.base", reason="the extra langgraph is not installed")
    shown = run("langgraph_store.py", capsys=capsys)
    assert shown.splitlines()[0].startswith("seat ")
    assert "window seats" in shown


def test_the_llamaindex_block(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llama_index.core", reason="the extra llamaindex is not installed")
    assert "allergic to peanuts" in run("llamaindex_block.py", capsys=capsys)


def test_every_example_is_in_the_list_and_has_a_test() -> None:
    names = {path.name for path in EXAMPLES.glob("*.py")}
    assert names == set(re.findall(r"\]\((\w+\.py)\)", (EXAMPLES / "README.md").read_text(encoding="utf-8")))
    own = Path(__file__).read_text(encoding="utf-8")
    assert all(f'"{name}"' in own for name in names)
