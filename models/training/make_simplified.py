"""Write ``edgemem/simplified.txt``, the simplified form of each traditional Han character, from OpenCC's tables.

    pip install opencc && python models/training/make_simplified.py

Character by character, with no look at the words around it: both sides of a comparison are mapped alike, so what
matters is that two spellings of a word become one, not that each is the best spelling. What the general table leaves
alone is looked up in those for Hong Kong and Taiwan.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

OUT = Path(__file__).parents[2] / "edgemem" / "simplified.txt"
TABLES = ("t2s", "hk2s", "tw2s")
BLOCKS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0x20000, 0x323AF))
OWN = {"妳": "你", "牠": "它"}
"""Written in Taiwan of a woman and of an animal; OpenCC keeps them."""
NOT = frozenset("么")
"""Taken for a word of its own in Taiwan; in simplified text it is the commonest of particles."""


def table() -> dict[str, str]:
    """The simplified form of every character that has another one, itself simplified no further."""
    from opencc import OpenCC

    converters = [OpenCC(name) for name in TABLES]
    found = dict(OWN)
    for code in (code for first, last in BLOCKS for code in range(first, last + 1)):
        one = chr(code)
        other = next((t for t in (c.convert(one) for c in converters) if t != one), one)
        if other != one and len(other) == 1 and one not in NOT:
            found[one] = other
    return {one: _last(other, found) for one, other in sorted(found.items())}


def _last(one: str, found: Mapping[str, str]) -> str:
    seen = {one}
    while one in found and found[one] not in seen:
        one = found[one]
        seen.add(one)
    return one


def main() -> None:
    """Two lines of equal length under a note on where they come from."""
    pairs = table()
    note = (
        f"# Made from the character tables of OpenCC {version('opencc')} (Apache-2.0, github.com/BYVoid/OpenCC),"
        " changed: see models/training/make_simplified.py"
    )
    OUT.write_text(f"{note}\n{''.join(pairs)}\n{''.join(pairs.values())}\n", encoding="utf-8")
    print(f"{len(pairs)} characters")


if __name__ == "__main__":
    main()
