"""A user's graph as files of other programs: GraphML (Gephi, yEd, networkx) and DOT (Graphviz)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from edgemem.records import Entity, Relation

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NODE = {"label": "string", "kind": "string", "aliases": "string"}
_EDGE = {"label": "string", "confidence": "double", "status": "string", "since": "string", "until": "string",
         "memory": "string"}  # fmt: skip


class GraphOut(NamedTuple):
    """What leaves: entities, and relations whose ends are among them."""

    entities: Sequence[Entity]
    relations: Sequence[Relation]


def chosen_of_graph(
    entities: Sequence[Entity], relations: Sequence[Relation], memories: set[str] | None,
    hides: Callable[..., bool],
) -> tuple[GraphOut, int]:  # fmt: skip
    """What may leave of a graph, and how many relations were kept back by ``hides``.

    With ``memories`` only relations that rest on one of them, and their ends. An entity that only
    hidden relations name is hidden with them.
    """
    found = [r for r in relations if memories is None or r.memory in memories]
    hidden = {e.id for e in entities if hides(None, e.name, *e.aliases)}
    shown = [r for r in found if not hides(r.memory, r.predicate) and not hidden & {r.subject_id, r.object_id}]
    named = {end for r in shown for end in (r.subject_id, r.object_id)}
    others = {e.id for e in entities} - {end for r in relations for end in (r.subject_id, r.object_id)} - hidden
    kept = named if memories is not None else named | others
    return GraphOut([e for e in entities if e.id in kept], shown), len(found) - len(shown)


def graphml(graph: GraphOut) -> str:
    """The graph as GraphML (graphml.graphdrawing.org): a directed graph with typed attributes."""
    root = ET.Element("graphml", xmlns=_NAMESPACE)
    for target, fields in (("node", _NODE), ("edge", _EDGE)):
        for name, kind in fields.items():
            ET.SubElement(root, "key", {"id": f"{target}_{name}", "for": target, "attr.name": name, "attr.type": kind})
    body = ET.SubElement(root, "graph", {"id": "edgemem", "edgedefault": "directed"})
    for entity in graph.entities:
        _data(ET.SubElement(body, "node", id=entity.id), "node", _of_entity(entity))
    for r in graph.relations:
        edge = ET.SubElement(body, "edge", id=r.id, source=r.subject_id, target=r.object_id)
        _data(edge, "edge", _of_relation(r))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _data(element: ET.Element, target: str, fields: dict[str, str]) -> None:
    for name, value in fields.items():
        # XML has no way at all to say a control character.
        ET.SubElement(element, "data", key=f"{target}_{name}").text = "".join(c for c in value if c >= " ")


def dot(graph: GraphOut) -> str:
    """The graph in Graphviz' language; ``dot -Tsvg`` draws it. Relations that no longer hold are dashed."""
    lines = ["digraph edgemem {", "  rankdir=LR;"]
    lines += [f"  {_quoted(e.id)} [{_attributes(_of_entity(e))}];" for e in graph.entities]
    for r in graph.relations:
        style = {} if r.status == "live" else {"style": "dashed"}
        lines.append(f"  {_quoted(r.subject_id)} -> {_quoted(r.object_id)} [{_attributes(_of_relation(r) | style)}];")
    return "\n".join([*lines, "}", ""])


def _attributes(fields: dict[str, str]) -> str:
    return ", ".join(f"{name}={_quoted(value)}" for name, value in fields.items())


def _quoted(text: str) -> str:
    # Inside quotes only the quote itself is special; a backslash stands for what follows in a label.
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _of_entity(entity: Entity) -> dict[str, str]:
    return _filled({"label": entity.name, "kind": entity.kind, "aliases": "; ".join(entity.aliases)})


def _of_relation(r: Relation) -> dict[str, str]:
    return _filled(
        {
            "label": r.predicate, "confidence": f"{r.confidence:g}", "status": r.status, "since": _time(r.valid_from),
            "until": _time(r.valid_to), "memory": r.memory or "",
        }
    )  # fmt: skip


def _time(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()


def _filled(fields: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value}


WRITERS: dict[str, Callable[[GraphOut], str]] = {"graphml": graphml, "dot": dot}
"""By the name of the form."""
