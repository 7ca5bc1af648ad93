"""Two statements made into one: a memory may not take its words from clauses about different people.

"I don't phone at weekends. Radek only calls in Czech" must never become "The user only calls in Czech".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from edgemem.kin import HAN, LATIN
from edgemem.text import fold
from edgemem.write.clauses import Clause

_START = re.compile(r"^\W*(?:(?:and|but|so|also|well|ok|plus|btw|then)\W+)*", re.IGNORECASE)
_KIN = rf"(?:late |older |younger |little |big )?(?:{LATIN}|parents|kids|children|[\w]+-in-law)"
_ENGLISH = re.compile(
    rf"(?P<own>(?:i|we)\b|(?:i|we)['’]\w+|im\b|ive\b)|(?:my|our) (?P<kin>{_KIN})\b|(?P<mine>(?:my|our)\b)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?!(?:He|She|They|It|This|That|There|The|Everyone|Nobody)\b)(?P<name>[A-ZÀ-ÖØ-Þ][^\W\d_]+)(?: [A-ZÀ-ÖØ-Þ][^\W\d_]+)? (?:only |never |always |also )?(?:[a-z]+s|[a-z]+ed|is|was|has|had|will|can|can['’]t|won['’]t|said|took|got|went)\b"
)
_CHINESE = re.compile(
    f"(?:我(?:们家|家)?的?)?(?P<kin>{HAN})|(?P<own>我|俺|咱)|(?P<name>[小老阿][\u4e00-\u9fff](?![\u4e00-\u9fff]?的))"
)
_WORD = re.compile(r"[^\W\d_\u4e00-\u9fff]{3,}")
_HAN_RUN = re.compile("[\u4e00-\u9fff]{2,}")
_ANY: Final = frozenset(
    "user users the and but for with from not has have had was were does did are that this they their them his her who which only also never always".split()
)


def of(clause: str) -> str | None:
    """Whom a clause is about: ``user``, a relative, a name; None where its first words do not say."""
    text = clause[_START.match(clause).end() :] if _START.match(clause) else clause  # type: ignore[union-attr]
    found = _CHINESE.match(text) or _NAMED.match(text) or _ENGLISH.match(text)
    if found is None:
        return None
    told = {name: value for name, value in found.groupdict().items() if value}
    if "own" in told or "mine" in told:
        return "user"
    return fold(next(iter(told.values())))


def fused(content: str, found: Sequence[Clause]) -> bool:
    """Whether ``content`` takes words that stand in one clause only from clauses about different people."""
    units = [set(_units(clause.text)) for clause in found]
    whose = set()
    for unit in set(_units(content)):
        places = [number for number, own in enumerate(units) if unit in own]
        if len(places) == 1:
            whose.add(of(found[places[0]].text))
    return len(whose - {None}) > 1


def _units(text: str) -> Iterator[str]:
    """Word stems and pairs of Han characters; names do not count, since a pronoun may stand for them."""
    plain = re.sub(r"(?<=[a-z,;] )[A-Z]\w+", " ", text)
    yield from (word[:4] for word in _WORD.findall(fold(plain)) if word not in _ANY and not re.fullmatch(_KIN, word))
    for run in _HAN_RUN.findall(re.sub(f"用户|{HAN}", " ", text)):
        yield from (run[i : i + 2] for i in range(len(run) - 1))
