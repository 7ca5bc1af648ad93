"""Profile and task fields by their names, and what stands whatever is asked: no search, no model.

A field is relevant when the question names it, in English or Chinese. The context block gets more:
what is pinned, what is to be avoided, the standing rules, the running task and who the user is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from edgemem.errors import InvalidInput
from edgemem.recall import people
from edgemem.recall.question import STANDING, Look
from edgemem.recall.words import COVERED, coverage
from edgemem.records import Hit, JsonValue, Part, ProfileField, Source, StateField
from edgemem.store import memories, profile, states, tasks
from edgemem.text import check_text, comparable, has_words
from edgemem.times import to_db

MAX_NAME = 100
"""Longest name of a profile field, in characters."""

MOST = 50
"""Pinned memories and rules that are looked at for a context block, the most important first."""

NAMED = 0.9
"""Score (0..1) of a field that the question names; one it shares words with has less."""

_NAMES = (
    ("name", "called", "名字", "姓名", "叫什么", "称呼"), ("address", "live", "home", "地址", "住址", "住"),
    ("language", "语言"), ("tone", "style", "语气", "风格"), ("phone", "mobile", "电话", "手机"),
    ("email", "e-mail", "mail", "邮箱", "邮件"), ("birthday", "birth", "born", "生日", "出生"),
    ("job", "work", "occupation", "profession", "employer", "company", "工作", "职业", "公司"),
    ("city", "town", "城市"), ("country", "国家"), ("timezone", "time zone", "时区"), ("age", "old", "年龄", "几岁"),
    ("diet", "food", "eat", "饮食", "吃"), ("pronouns", "代词"), ("school", "university", "学校", "大学"),
)  # fmt: skip
"""What fields are called in either language; any name of a group asks for a field with another name of it."""


def checked_name(name: str) -> str:
    """The name of a profile field on one line. Raises ``InvalidInput``."""
    words = " ".join(check_text(name, "The name of the field").split())
    if not has_words(words) or len(words) > MAX_NAME:
        raise InvalidInput(f"A profile field has a name of 1 to {MAX_NAME} characters.", "For example: language")
    return words


def named(look: Look) -> list[Hit]:
    """The fields that the question names, likeliest first."""
    own = list(_profile(look))
    asked = people.asked(look, (hit.content for hit in own))
    own = [hit for hit in own if not asked.other(hit.content)]
    found = [*own, *(_of_state(f) for f in states.recallable(look.tx, look.user))]
    scored = [(hit, _asked_for(look.question.text, hit)) for hit in found]
    ordered = sorted((s for s in scored if s[1]), key=lambda s: -s[1])
    return [_hit(hit.id, hit.kind, hit.content, hit.source, score, n) for n, (hit, score) in enumerate(ordered, 1)]


def standing(look: Look, wanted: Sequence[str], task: str | None) -> list[Hit]:
    """What stands whatever is asked, in the order of ``STANDING``; ``task`` None is the one that was set last."""
    found = [hit for kind in STANDING if kind in wanted for hit in _standing_of(look, kind, task)]
    return found if look.question.as_of is None else [hit for hit in found if _since(hit) <= look.now]


def _since(hit: Hit) -> datetime:
    """Since when it stands."""
    if hit.memory is not None:
        return hit.memory.valid_from or hit.memory.created_at
    return hit.source.at or datetime.min.replace(tzinfo=UTC)


def _standing_of(look: Look, kind: str, task: str | None) -> Iterator[Hit]:
    if kind in ("pinned", "rule"):
        for memory in memories.standing(look.tx, look.user, to_db(look.now), MOST):
            if (memory.kind == "rule") == (kind == "rule"):
                parts = {"key": Part(1, 1.0, 1.0)}
                yield Hit(memory.id, memory.content, memory.kind, 1.0, parts, memory.source, memory=memory)
    elif kind == "state":
        yield from map(_of_state, _running(look, task))
    else:
        yield from (hit for hit in _profile(look) if (hit.kind == "avoid") == (kind == "avoid"))


def _running(look: Look, task: str | None) -> list[StateField]:
    """The fields of a task, or of the open one that was touched last."""
    if task is not None:
        return states.fields(look.tx, look.user, task)
    open_ = {t.name for t in tasks.listed(look.tx, look.user, archived=False) if t.status == "open"}
    found = [f for f in states.recallable(look.tx, look.user) if f.task in open_]
    last = max(found, key=lambda f: f.updated_at, default=None)
    return [f for f in found if last is not None and f.task == last.task]


def _profile(look: Look) -> Iterator[Hit]:
    for field in profile.listed(look.tx, look.user):
        if not field.readers or look.question.reader in field.readers:
            yield _of_profile(field)


def _of_profile(field: ProfileField) -> Hit:
    kind = "avoid" if field.avoid else "profile"
    source = Source(at=field.updated_at)
    return _hit(f"{kind}:{field.field}", kind, f"{field.field}: {_words(field.value)}", source)


def _of_state(field: StateField) -> Hit:
    words = f"{field.task}, {field.field}: {_words(field.value)}"
    return _hit(f"state:{field.task}/{field.field}", "state-field", words, Source(at=field.updated_at))


def _hit(uid: str, kind: str, content: str, source: Source, score: float = 1.0, rank: int = 1) -> Hit:
    return Hit(uid, content, kind, score, {"key": Part(rank, score, score)}, source)


def _words(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False)


def _asked_for(question: str, hit: Hit) -> float:
    """How surely the question asks for a field; 0 when it does not."""
    text = f" {' '.join(comparable(question).split())} "
    own = comparable(hit.content.partition(":")[0]).replace("_", " ").replace("-", " ")
    names = {own, *(n for group in _NAMES if set(group) & {own, *own.split()} for n in group)}
    if any(_stands(name, text) for name in names):
        return NAMED
    shared = coverage(question, hit.content.replace("_", " "))
    return NAMED * shared if shared >= COVERED else 0.0


def _stands(name: str, text: str) -> bool:
    """Whether a name stands in a text; one in letters as a word of its own."""
    if not name.isascii():
        return name in text
    return any(f" {name}{end}" in text for end in (" ", "?", ".", ",", "!", "'s", "s "))
