"""The graph in the files of other programs, read with those programs' libraries."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import networkx
import pydot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem.errors import InvalidInput
from edgemem.interop.graph_files import GraphOut, dot, graphml
from edgemem.records import Entity, Relation
from edgemem.view import Memory
from tests.interop.test_export_hidden import sensitive

ODD = 'Dr. "Ana" \\ <Ruiz> & 王伟; 50%'
NAME = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), min_size=1, max_size=20)


def exported(memory: Memory, form: str, **options: Any) -> str:
    out = io.StringIO()
    memory.export_to(out, form=form, **options)
    return out.getvalue()


def as_networkx(memory: Memory, **options: Any) -> networkx.MultiDiGraph:
    return networkx.parse_graphml(exported(memory, "graphml", **options), force_multigraph=True)


def told(graph: networkx.MultiDiGraph) -> set[tuple[str, str, str]]:
    names = dict(graph.nodes(data="label"))
    return {(names[a], word, names[b]) for a, b, word in graph.edges(data="label")}


def test_networkx_reads_what_was_told(tmp_path: Path, mem: Memory) -> None:
    mem.graph.relate(ODD, "doctor of", "Tom", since=datetime(2025, 3, 1, tzinfo=UTC))
    mem.graph.relate("Tom", "brother of", "Mia", confidence=0.9)
    mem.graph.relate("Tom", "likes", "Mia")
    mem.graph.alias("Tom", "汤姆")
    mem.graph.add("Nobody knows")
    done = mem.export_to(tmp_path / "me.graphml")
    graph = networkx.read_graphml(tmp_path / "me.graphml", force_multigraph=True)
    assert done.records == 3
    assert told(graph) == {(ODD, "doctor of", "Tom"), ("Tom", "brother of", "Mia"), ("Tom", "likes", "Mia")}
    by_name = {data["label"]: data for _, data in graph.nodes(data=True)}
    assert by_name["Tom"]["aliases"] == "汤姆"
    assert "Nobody knows" in by_name
    sure = {data["label"]: data for _, _, data in graph.edges(data=True)}
    assert sure["brother of"]["confidence"] == 0.9
    assert sure["doctor of"]["since"] == "2025-03-01T00:00:00+00:00"


@settings(max_examples=20)
@given(st.lists(NAME, min_size=2, max_size=4, unique=True), NAME)
def test_any_name_comes_through_both_forms(names: list[str], word: str) -> None:
    entities = [Entity(f"id{n}", name, "thing") for n, name in enumerate(names)]
    graph = GraphOut(entities, [Relation("r", names[0], word, names[1], 1.0, "live", None, None, None, "id0", "id1")])
    read = networkx.parse_graphml(graphml(graph), force_multigraph=True)
    # XML readers bring line ends and the like into one form; nothing else changes.
    assert [data["label"] for _, data in read.nodes(data=True)] == names
    assert [data["label"] for _, _, data in read.edges(data=True)] == [word]
    (parsed,) = pydot.graph_from_dot_data(dot(graph)) or []
    shown = [str(node.get("label"))[1:-1].replace('\\"', '"').replace("\\\\", "\\") for node in parsed.get_nodes()]
    assert shown[-len(names) :] == names


def test_dot_names_the_ends_and_dashes_what_is_over(tmp_path: Path, mem: Memory) -> None:
    mem.graph.relate("Mia", "lives in", "Porto")
    over = mem.graph.relate("Mia", "lived in", "Lyon")
    mem.graph.close(over.id)
    mem.export_to(tmp_path / "me.gv", status="any")
    (graph,) = pydot.graph_from_dot_file(str(tmp_path / "me.gv")) or []
    edges = {str(edge.get("label")): edge for edge in graph.get_edges()}
    assert edges['"lived in"'].get("style") == '"dashed"'
    assert edges['"lives in"'].get("style") is None
    assert told(as_networkx(mem)) == {("Mia", "lives in", "Porto")}


def test_filters_keep_what_rests_on_the_chosen(mem: Memory) -> None:
    work = mem.add("Mia runs the bakery", namespace="work")
    mem.graph.relate("Mia", "runs", "the bakery", memory=work)
    mem.graph.relate("Mia", "sister of", "Tom")
    graph = as_networkx(mem, namespace="work")
    assert told(graph) == {("Mia", "runs", "the bakery")}
    assert "Tom" not in dict(graph.nodes(data="label")).values()
    with pytest.raises(InvalidInput, match="live"):
        exported(mem, "dot", status="superseded")


@pytest.mark.parametrize("form", ["graphml", "dot"])
def test_what_is_sensitive_stays_at_home(mem: Memory, form: str) -> None:
    secret = mem.add("The user sees Dr. Vermeulen")
    mem.graph.relate("the user", "patient of", "Dr. Vermeulen", memory=secret)
    mem.graph.relate("Mia", "sister of", "Tom")
    sensitive(mem, secret)
    out = exported(mem, form)
    assert "Vermeulen" not in out
    assert "patient of" not in out
    assert "Mia" in out
    assert mem.export_to(io.StringIO(), form=form).masked == 1
    assert "Vermeulen" in exported(mem, form, sensitive=True)


def test_another_users_graph_stays_at_home(mem: Memory) -> None:
    mem.file.user("you").graph.relate("Ada", "knows", "Bob")
    mem.graph.relate("Mia", "sister of", "Tom")
    assert told(as_networkx(mem)) == {("Mia", "sister of", "Tom")}
