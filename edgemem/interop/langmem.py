"""LangMem and other users of LangGraph's store: items, or rows of its table, with a namespace, a key and a value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import tzinfo
from typing import Any

from edgemem.interop.fields import mapping, moment, text
from edgemem.interop.found import Found, Note
from edgemem.interop.lines import LineRefused, checked_text, checked_texts

NAME = "langmem"


def records(document: Any) -> list[Any] | None:
    """The items of a document in this outline (a list, or under ``items``), or None."""
    if isinstance(document, dict):
        document = document.get("items")
    if not isinstance(document, list):
        return None
    like = [
        i for i in document if isinstance(i, dict) and {"key", "value"} <= set(i) and {"namespace", "prefix"} & set(i)
    ]
    return document if like and len(like) * 2 > len(document) else None


def read(document: Any, zone: tzinfo | None) -> Found:
    """The items; the text of one is its ``content``, wherever the value keeps it, or else the whole value as JSON."""
    found = Found(NAME)
    for n, item in enumerate(records(document) or [], start=1):
        where = f"item {n}"
        try:
            found.notes.append(_note(mapping(item, "an item"), where, zone))
        except LineRefused as refused:
            found.leave(where, str(refused))
    return found


def _note(item: Mapping[str, Any], where: str, zone: tzinfo | None) -> Note:
    value = item.get("value")
    # The tables of LangGraph's own stores have the namespace as one word: `memories.alice`.
    space = item["prefix"].split(".") if isinstance(item.get("prefix"), str) else item.get("namespace")
    path = "/".join(map(str, space)) if isinstance(space, list) else str(space)
    more: dict[str, Any] = {"namespace": path}
    if isinstance(value, dict) and isinstance(value.get("kind"), str):
        more["schema"] = value["kind"]
    words = _words(value)
    if words is None:
        checked_texts(value, "`value`")  # as JSON it would hold their escapes
        words, more["value"] = json.dumps(value, ensure_ascii=False), value
    since = moment(item, "updated_at", "created_at", zone=zone)
    return Note(checked_text(words, "`value`"), f"{path}/{text(item, 'key')}", where, since=since, more=more)


def _words(value: Any) -> str | None:
    """The one text a value is about, or None for a value of several fields."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return None
    content = value.get("content")
    if isinstance(content, dict):
        return _words(content)
    for key in ("content", "memory", "text", "data"):
        if isinstance(value.get(key), str):
            return str(value[key])
    return None
