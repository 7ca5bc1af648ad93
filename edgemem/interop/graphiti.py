"""Zep and Graphiti: facts on the edges of a graph, each with the time in which it held."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import Any

from edgemem.interop.fields import mapping, moment, optional, text
from edgemem.interop.found import Found, Note
from edgemem.interop.lines import LineRefused

NAME = "graphiti"


def edges(document: Any) -> list[Any] | None:
    """The edges of a document in this outline (``edges``, ``facts``, or a bare list), or None."""
    if isinstance(document, dict):
        document = document.get("edges", document.get("facts", document.get("relevant_facts")))
    if not isinstance(document, list):
        return None
    like = [e for e in document if isinstance(e, dict) and "fact" in e and "uuid" in e]
    return document if like and len(like) * 2 > len(document) else None


def read(document: Any, zone: tzinfo | None) -> Found:
    """The facts; those that ceased to hold come in closed. Summaries of nodes come in as facts about them."""
    found = Found(NAME)
    for n, edge in enumerate(edges(document) or [], start=1):
        where = f"edge {n}"
        try:
            found.notes.append(_fact(mapping(edge, "an edge"), where, zone))
        except LineRefused as refused:
            found.leave(where, str(refused))
    nodes = document.get("nodes") if isinstance(document, dict) else None
    for n, node in enumerate(nodes if isinstance(nodes, list) else [], start=1):
        where = f"node {n}"
        try:
            found.notes += _summary(mapping(node, "a node"), where, zone)
        except LineRefused as refused:
            found.leave(where, str(refused))
    for key in ("episodes", "communities"):
        if isinstance(document, dict) and document.get(key):
            found.leave(key, f"{len(document[key])} {key} are not taken; their facts are")
    return found


def _fact(edge: Mapping[str, Any], where: str, zone: tzinfo | None) -> Note:
    names = {"relation": "name", "source": "source_node_uuid", "target": "target_node_uuid", "group": "group_id"}
    more = {ours: edge[theirs] for ours, theirs in names.items() if edge.get(theirs)}
    since = moment(edge, "valid_at", "created_at", zone=zone)
    ended = moment(edge, "invalid_at", "expired_at", zone=zone)
    return Note(text(edge, "fact"), text(edge, "uuid"), where, since=since, ended=ended, more=more)


def _summary(node: Mapping[str, Any], where: str, zone: tzinfo | None) -> list[Note]:
    summary = optional(node, "summary")
    if summary is None:
        return []
    name = text(node, "name")
    since = moment(node, "created_at", zone=zone)
    words = summary if name.casefold() in summary.casefold() else f"{name}: {summary}"
    return [
        Note(
            words,
            f"node/{text(node, 'uuid')}",
            where,
            about=name,
            since=since,
            more={"labels": node.get("labels") or []},
        )
    ]
