"""Folders of Markdown notes (Obsidian's vaults, and edgemem's own export): each list item or paragraph is a memory."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from typing import Any

from edgemem.errors import InvalidInput
from edgemem.interop.fields import moment
from edgemem.interop.found import Found, Note
from edgemem.interop.lines import LineRefused, checked_text

NAME = "markdown"

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.*)$")
_BOLD = re.compile(r"\*\*[^*]+\*\*:?")
_BLOCK_ID = re.compile(r"\s\^([A-Za-z0-9-]+)$")
_PICTURE = re.compile(r"!\[\[[^\[\]]+\.\w{2,4}(?:\|[^\[\]]*)?\]\]")
_LINK = re.compile(r"!?\[\[(?:[^\]|]*\|)?([^\]]+)\]\]")
_COMMENT = re.compile(r"%%[^%`]+%%|<!--[^<>]*-->")
_BEGUN = (("%%", "%%"), ("<!--", "-->"))
"""How a comment of several lines begins and ends, each at the edge of a line."""
_HIDDEN = "Left out of notes: comments (%%…%%, <!-- … -->)."
_QUOTED = re.compile(r"\s{0,3}>\s?(?:\[!\w+\][+-]?\s*)?")
_EMPHASIS = re.compile(r"(?<![\w*_])([*_])(?![\s*_])([^*_]+?)(?<!\s)\1(?![\w*_])")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:?\s?")
_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$")
_CELL = re.compile(r"(?<!\\)\|")
_LABELS = frozenset({"tags", "tag", "aliases", "alias", "cssclass", "cssclasses", "publish", "permalink"})
"""Properties that say how a note is found and shown, and nothing of what it is about."""

_DATES = ("date", "created", "updated")
_OWN_KINDS = {"facts": "fact", "preferences": "preference", "rules": "rule", "tasks": "state", "events": "event",
              "skills": "skill"}  # fmt: skip


def read_folder(folder: Path, zone: tzinfo | None) -> Found:
    """All ``.md`` files of a folder and the folders in it, except hidden ones."""
    found = Found(NAME)
    for path in sorted(folder.rglob("*.md")):
        inside = path.relative_to(folder)
        if not any(part.startswith(".") for part in inside.parts):
            read_file(path, inside.as_posix(), zone, found)
    if not found.notes and not found.left:
        raise InvalidInput(f"{folder} has no Markdown notes.", "Name a folder with .md files.")
    return found


def read_file(path: Path, name: str, zone: tzinfo | None, found: Found) -> None:
    """One note. Its name, without ending, is what its memories are about."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found.leave(name, f"it is not UTF-8 (byte {error.start})")
        return
    except OSError as error:
        found.leave(name, f"it cannot be read: {error.strerror or error}")
        return
    front, body, first = _front(text, name, found)
    page = _Page(name, str(front.get("subject") or path.stem), "edgemem" in front, _day(front, zone), found)
    for block in (*_properties(front, name, found), *_blocks(_uncommented(body.splitlines(), found), first)):
        try:
            page.take(block)
        except LineRefused as refused:
            found.leave(f"{name}, line {block.line}", str(refused))


def _uncommented(lines: list[str], found: Found) -> list[str]:
    """The lines without comments, blank where all of one is one; what stands in a block of code is none."""
    kept, fence, ending = [], "", ""
    last = {
        end: max((n for n, line in enumerate(lines) if line.strip().endswith(end)), default=-1) for _, end in _BEGUN
    }
    for n, line in enumerate(lines):
        bare, told = line.strip(), line
        if ending:
            ending, told = ("" if bare.endswith(ending) else ending), ""
        elif fence:
            fence = "" if bare.startswith(fence) else fence
        elif opened := _FENCE.match(line):
            fence = opened[1]
        else:
            told = _COMMENT.sub("", line)
            begun = [end for start, end in _BEGUN if told.lstrip().startswith(start) and last[end] > n]
            ending, told = (begun[0], "") if begun else ("", told)
        kept.append(told)
    if kept != lines and _HIDDEN not in found.notices:
        found.notices.append(_HIDDEN)
    return kept


def plain_lines(text: str) -> Iterator[tuple[str, str]]:
    """Heading and words of each list item and paragraph of a Markdown text, without code. A line all in bold is a heading."""
    heading = ""
    for block in _blocks(text.splitlines(), 1):
        words = _plain(block.text)
        if block.kind == "heading" or (block.kind == "text" and _BOLD.fullmatch(block.text.strip())):
            heading = words
        elif block.kind != "code" and words:
            yield heading, words


def _front(text: str, name: str, found: Found) -> tuple[dict[str, Any], str, int]:
    """The front matter, the rest, and the number of its first line."""
    match = re.match(r"---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)", text, re.S)
    if match is None:
        return {}, text, 1
    import yaml

    try:
        front = yaml.safe_load(match[1])
    except yaml.YAMLError as error:
        found.leave(f"{name}, front matter", f"it is not YAML: {str(error).splitlines()[0]}")
        front = {}
    return front if isinstance(front, dict) else {}, text[match.end() :], match[0].count("\n") + 1


def _properties(front: dict[str, Any], name: str, found: Found) -> Iterator[_Block]:
    """What the front matter tells, a property a block; none for a note that edgemem wrote."""
    if "edgemem" in front:
        return
    for key, value in front.items():
        values = value if isinstance(value, list) else [value]
        if key in _LABELS:
            notice = f"Left out of the front matter: {key}."
            found.notices += [notice] if notice not in found.notices else []
        elif key == "subject" or key in _DATES or value in (None, "", []):
            continue
        elif all(isinstance(one, str | int | float | date) for one in values):
            yield _Block("property", 1, f"{key}: {', '.join(map(str, values))}")
        else:
            found.leave(f"{name}, front matter", f"`{key}` is neither text nor a list of texts")


def _day(front: dict[str, Any], zone: tzinfo | None) -> datetime | None:
    for key in _DATES:
        value = front.get(key)
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=zone or UTC)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=zone or UTC)
        if isinstance(value, str):
            try:
                return moment(front, key, zone=zone)
            except LineRefused:
                continue
    return None


@dataclass(frozen=True, slots=True)
class _Block:
    """A piece of a note: heading, item, text, property or code. ``line`` counts from 1; ``depth`` is an item's indentation."""

    kind: str
    line: int
    text: str
    depth: int = 0
    done: bool | None = None


def _blocks(lines: list[str], first: int) -> Iterator[_Block]:
    lines = [_QUOTED.sub("", line) if line.lstrip().startswith(">") else line for line in lines]
    n = 0
    while n < len(lines):
        start, line = n, lines[n]
        n += 1
        fence = _FENCE.match(line)
        if fence:
            while n < len(lines) and not lines[n].lstrip().startswith(fence[1]):
                n += 1
            n += 1
            yield _Block("code", first + start, line.strip())
        elif heading := _HEADING.match(line):
            yield _Block("heading", first + start, heading[1])
        elif item := _ITEM.match(line):
            done = None if item[2] is None else item[2] != " "
            yield _Block("item", first + start, item[3], len(item[1].expandtabs(4)), done)
        elif line.strip():
            while n < len(lines) and _goes_on(lines[n]):
                n += 1
            yield from _paragraph([part.strip() for part in lines[start:n]], first + start)


def _paragraph(lines: list[str], first: int) -> Iterator[_Block]:
    """A paragraph, or the rows of a table, each cell with the head of its column."""
    if len(lines) < 3 or "|" not in lines[0] or not _RULE.match(lines[1]):
        yield _Block("text", first, " ".join(lines))
        return
    heads = _cells(lines[0])
    for n, line in enumerate(lines[2:], start=2):
        told = zip(heads, _cells(line), strict=False)
        yield _Block("text", first + n, ", ".join(f"{head}: {cell}" if head else cell for head, cell in told if cell))


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(row.strip().removeprefix("|").removesuffix("|"))]


def _goes_on(line: str) -> bool:
    return bool(line.strip()) and not (_FENCE.match(line) or _HEADING.match(line) or _ITEM.match(line))


@dataclass(slots=True)
class _Page:
    """One note while it is read. ``own`` is a note that edgemem wrote."""

    name: str
    subject: str
    own: bool
    since: datetime | None
    found: Found
    heading: str = ""
    seen: dict[str, int] = field(default_factory=dict)

    def take(self, block: _Block) -> None:
        """Add what a block says. Raises ``LineRefused``."""
        where = f"{self.name}, line {block.line}"
        if block.kind == "heading":
            self.heading = _plain(block.text)
        elif block.kind == "code":
            self.found.leave(where, "code is not taken")
        elif self.own and block.depth:
            return  # dates and sources below an item of our own export; the memory has them
        elif _plain(block.text):
            self.found.notes.append(self._note(block, where))

    def _note(self, block: _Block, where: str) -> Note:
        tail = _BLOCK_ID.search(block.text)
        words = checked_text(_plain(block.text[: tail.start()] if tail else block.text), "the text")
        digest = hashlib.sha256(words.encode("utf-8")).hexdigest()[:16]
        self.seen[digest] = self.seen.get(digest, 0) + 1
        uid = tail[1] if tail else f"{self.name}#{digest}" + (f"-{self.seen[digest]}" if self.seen[digest] > 1 else "")
        mine = self.own and self.subject == "user"
        more: dict[str, Any] = {"note": self.name, "heading": self.heading}
        if block.done is not None:
            more["done"] = block.done
        kind = _OWN_KINDS.get(self.heading.casefold()) if self.own else "state" if block.done is not None else None
        content = words if self.own else self._standing_alone(words, "" if block.kind == "property" else self.heading)
        return Note(content, uid, where, kind=kind, about=None if mine else self.subject, since=self.since, more=more)

    def _standing_alone(self, words: str, heading: str) -> str:
        """A line of a note makes sense under its title only; a memory must make sense by itself."""
        folded = words.casefold()
        missing = [part for part in (self.subject, heading) if part and part.casefold() not in folded]
        if len(missing) == 2 and missing[0].casefold() == missing[1].casefold():
            missing.pop()
        return ": ".join([", ".join(missing), words]) if missing else words


def _plain(text: str) -> str:
    """Without comments, pictures and emphasis; links as their words, footnotes without their marks."""
    text = _PICTURE.sub("", _COMMENT.sub("", text))
    text = _LINK.sub(lambda match: re.sub(r"#\^.*", "", match[1]).strip("#").replace("#", " > "), text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", _FOOTNOTE.sub("", text))
    text = re.sub(r"(\*\*|__|==|~~)(.+?)\1", r"\2", text)
    return _EMPHASIS.sub(r"\2", text).strip().strip("|").strip()
