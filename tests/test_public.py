"""The public surface, and promises about the whole: quick to import, offline, readable."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import edgemem
from edgemem import errors
from edgemem.aio import AsyncGraph, AsyncMemory, AsyncMemoryFile
from edgemem.graph import Graph
from edgemem.memory import MemoryFile
from edgemem.view import Memory
from tests.docs_api import INNER
from tests.helpers import ROOT, environment, python

PACKAGES = (ROOT / "edgemem", ROOT / "models" / "edgemem_models", ROOT / "tui" / "edgemem_tui")
MOST_LINES = 400
MOST_LINES_A_FUNCTION = 60
IMPORT_SHARE = 5.0
"""Most that importing may add, in starts of a bare interpreter (some 20 ms on a laptop: 100 ms)."""


def sources(*folders: Path) -> list[Path]:
    return sorted(p for folder in folders for p in folder.rglob("*.py"))


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_public_names_are_sorted_there_and_documented() -> None:
    assert edgemem.__all__ == sorted(edgemem.__all__, key=str)
    assert set(edgemem.__all__) <= set(dir(edgemem))
    for name in edgemem.__all__:
        assert inspect.getdoc(getattr(edgemem, name)), name
    with pytest.raises(AttributeError, match="nonsense"):
        _ = edgemem.nonsense


def test_public_names_are_typed_too() -> None:
    """What a type checker sees is what there is."""
    tree = ast.parse((ROOT / "edgemem" / "__init__.py").read_text(encoding="utf-8"))
    checked = next(n for n in tree.body if isinstance(n, ast.If))
    seen = {alias.name for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == set(edgemem.__all__)
    assert (ROOT / "edgemem" / "py.typed").exists()


def test_every_public_method_says_what_it_does() -> None:
    silent = [
        f"{name}.{method}"
        for name in edgemem.__all__
        if inspect.isclass(found := getattr(edgemem, name))
        for method, function in vars(found).items()
        if not method.startswith("_") and callable(function) and not inspect.getdoc(function)
    ]
    assert silent == []


def test_the_error_tree_is_the_one_drawn() -> None:
    drawn: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"^ {4}((?:[│ ] {3})*)(?:[├└]── )?([A-Z]\w+)", line)
        if match:
            drawn.append(((0 if line.startswith("    E") else 1 + len(match[1]) // 4), match[2]))
    parents: dict[str, str] = {}
    path: list[str] = []
    for depth, name in drawn:
        path[depth:] = [name]
        if depth:
            parents[name] = path[depth - 1]
    classes = {
        c.__name__: c for c in vars(errors).values() if inspect.isclass(c) and issubclass(c, errors.EdgememError)
    }
    assert set(parents) | {"EdgememError"} == set(classes)
    assert {
        name: c.__base__.__name__ for name, c in classes.items() if name != "EdgememError" and c.__base__
    } == parents
    assert set(classes) == {n for n in edgemem.__all__ if n in classes}


def test_exit_codes_of_errors() -> None:
    codes = {c.__name__: c.exit_code for c in vars(errors).values() if inspect.isclass(c) and hasattr(c, "exit_code")}
    special = {name: code for name, code in codes.items() if code != 1}
    assert special == {"InvalidInput": 2, "StoreBusy": 3, "ModelMissing": 4, "Aborted": 130}


def _seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment())
    return time.perf_counter() - start


def test_importing_is_quick() -> None:
    """Best of several, measured in bare interpreters, so that a busy machine does not decide."""
    rounds = [(_seconds("import edgemem"), _seconds("pass")) for _ in range(7)]
    bare = min(b for _, b in rounds)
    assert min(a for a, _ in rounds) - bare < IMPORT_SHARE * bare


def test_importing_brings_nothing_heavy() -> None:
    code = """if 1:
        import sys, edgemem
        heavy = ("numpy", "textual", "llama_cpp", "click", "rich", "asyncio", "sqlcipher3", "sqlite3", "edgemem_models", "httpx")
        print([m for m in heavy if m in sys.modules])
        edgemem.Turn, edgemem.open, edgemem.Memory
        print([m for m in heavy if m in sys.modules and m not in ("sqlcipher3", "sqlite3")])
    """
    assert python(code).stdout.splitlines() == ["[]", "[]"]


def test_a_life_of_learning_and_asking_opens_no_socket(tmp_path: Path) -> None:
    code = """if 1:
        import sys
        from pathlib import Path
        seen = []
        sys.addaudithook(lambda event, args: seen.append(event) if event.startswith("socket.") else None)
        from tests.helpers import Fact, RuleModel, opened, said
        with opened(Path(sys.argv[1]), RuleModel(Fact("I keep bees", "The user keeps bees."))) as file:
            mem = file.user("me")
            assert mem.learn(said("I keep bees")).memories
            assert mem.recall("bees").hits
            assert mem.context("bees").text
            "".join(mem.chat("s").ask("bees?")[1])
            assert file.check() == []
        print(seen)
    """
    assert python(code, tmp_path / "s.edgemem").stdout == "[]\n"


def test_files_are_short() -> None:
    lengths = {named(p): len(p.read_text(encoding="utf-8").splitlines()) for p in sources(*PACKAGES, ROOT / "tests")}
    assert {p: n for p, n in lengths.items() if n > MOST_LINES} == {}


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{named(path)}:{node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def test_functions_are_short() -> None:
    lengths = [f for path in sources(*PACKAGES) for f in functions(path)]
    assert [f for f in lengths if f[1] > MOST_LINES_A_FUNCTION] == []
    ordered = sorted(lines for _, lines in lengths)
    assert ordered[len(ordered) // 2] <= 10
    assert ordered[len(ordered) * 9 // 10] <= 30


def test_the_library_reads_no_environment_and_prints_nothing() -> None:
    found = []
    for path in sources(ROOT / "edgemem"):
        if "cli" in path.relative_to(ROOT).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            written = ast.unparse(node) if isinstance(node, ast.Call | ast.Attribute) else ""
            if written.startswith(("print(", "os.getenv")) or written == "os.environ":
                found.append(f"{named(path)}: {written}")
    assert found == []


def _tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in os.fsdecode(listed.stdout).split("\0") if name and (ROOT / name).is_file()]


def test_nothing_names_the_machine_it_was_written_on() -> None:
    # Put together here, or this file would name them itself.
    places = [os.sep + word + os.sep for word in ("work", "root")] + ["bash" + "_jobs", os.sep + "pytest-of-"]
    found = []
    for path in _tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{named(path)}: {place}" for place in places if place in text]
    assert found == []


def test_every_module_imports_and_says_what_it_is_for() -> None:
    for path in sources(*PACKAGES):
        if path.name in {"__main__.py", "__init__.py"} and path.stat().st_size == 0:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), named(path)
    for path in sources(ROOT / "edgemem"):
        if path.name != "__main__.py":
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as error:
                # The one adapter whose extra is too heavy for the tests of everybody.
                if (module, str(error.name).partition(".")[0]) != ("edgemem.adapters.llamaindex", "llama_index"):
                    raise


def public(kind: type) -> set[str]:
    return {name for name, value in inspect.getmembers(kind) if not name.startswith("_") and callable(value)}


@pytest.mark.parametrize(("twin", "kind"), [(AsyncMemory, Memory), (AsyncGraph, Graph), (AsyncMemoryFile, MemoryFile)])
def test_every_call_has_its_twin_with_the_same_arguments(twin: type, kind: type) -> None:
    missing = public(kind) - INNER - public(twin)
    assert not missing, f"edgemem/aio.py: {twin.__name__} needs {sorted(missing)}"
    for name in public(kind) - INNER - {"on", "chat", "user"}:
        own = getattr(twin, name)
        assert inspect.iscoroutinefunction(own), name
        assert inspect.signature(own) == inspect.signature(getattr(kind, name)), name
        assert inspect.getdoc(own), name
