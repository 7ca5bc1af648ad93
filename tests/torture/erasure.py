"""Random erasures in a file that is in use, and a look for every erased word in the bytes after each.

``python -m tests.torture.erasure --erasures 200``. Every message and memory has a word of its own that
nothing else has, so what must be gone is known without asking the code that erases.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from edgemem import Turn
from edgemem.memory import MemoryFile
from edgemem.store import scan
from edgemem.store.key import Key
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, opened

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qi ro su ta ve wi xo yu za".split()
_HAN = "獭鹳麝鸢鲟貘獾鹬鼬鹦鸬鹚鲳鳕鲈鳗鹈鹕鹧鸪"
USERS = ("me", "you")


@dataclass
class Life:
    """The words that were said, by who said them, in which session; and those that were erased."""

    random: random.Random
    said: dict[str, dict[str, str]] = field(default_factory=lambda: {name: {} for name in USERS})
    gone: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    model: RuleModel = field(default_factory=RuleModel)

    def word(self) -> str:
        """A word that was never said: five syllables, or a run of three rare characters."""
        while True:
            chinese = self.random.random() < 0.3
            word = "".join(self.random.choices(_HAN, k=3) if chinese else self.random.choices(_SYLLABLES, k=5))
            if not any(word in other or other in word for other in self.used):
                self.used.add(word)
                return word


def say(mem: Memory, life: Life) -> None:
    """Tell a few things: remembered from a message, only logged, or noted by hand and edited."""
    session = f"s{life.random.randint(0, 5)}"
    for _ in range(life.random.randint(1, 4)):
        word = life.word()
        how = life.random.choice(("learn", "log", "add", "edit"))
        if how in ("learn", "log"):
            life.model.facts = (Fact(f"I keep {word}", f"The user keeps {word}."),)
            keeps = "I keep" if how == "learn" else "I saw"
            getattr(mem, how)([Turn("user", f"{keeps} {word} now", session=session)])
        else:
            uid = mem.add(f"about {word}")
            if how == "edit":
                mem.edit(uid, f"about something else than {len(life.used)}")
        life.said[mem.name][word] = session if how in ("learn", "log") else ""


def erase(mem: Memory, life: Life) -> None:
    """Erase a word, a memory, a session or a user; note the words that must be gone now."""
    own = life.said[mem.name]
    aim = life.random.choices(("search", "memory", "session", "everything"), weights=(6, 4, 3, 1))[0]
    if aim == "search" and own:
        gone = [life.random.choice(sorted(own))]
        mem.erase(search=gone[0])
    elif aim == "memory" and (live := mem.list(limit=0)):
        chosen = life.random.choice(live)
        told = " ".join([chosen.content, *(str((c.before or {}).get("content")) for c in mem.history(chosen.id))])
        gone = [word for word in own if word in told]
        mem.erase(chosen.id)
    elif aim == "session" and (sessions := mem.sessions(limit=0)):
        session = life.random.choice(sessions).id
        gone = [word for word, where in own.items() if where == session]
        mem.erase(session=session)
    elif aim == "everything":
        gone = list(own)
        mem.erase(everything=True)
    else:
        return
    for word in gone:
        del own[word]
    life.gone += gone


def run(path: Path, erasures: int, seed: int, passphrase: str | None = None) -> int:
    """Do that many erasures; returns how many erased words were found. Words of others must all still be there."""
    life = Life(random.Random(seed))
    found = 0
    with opened(path, life.model, passphrase=passphrase) as file:
        for n in range(erasures):
            for name in USERS:
                say(file.user(name), life)
            erase(file.user(life.random.choice(USERS)), life)
            if n % 10 == 9 or n == erasures - 1:
                found += len(_left(file.path, life, file.engine.key))
        _all_else_is_there(file, life)
        assert file.check() == []
    return found + len(_left(path, life, None))


def _left(path: Path, life: Life, key: Key | None) -> set[str]:
    """Erased words that stand in the bytes; of those full text cuts, the pairs are looked for too."""
    parts = {word[n : n + 2] for word in life.gone if not word.isascii() for n in range(2)}
    kept = "".join(life.used - set(life.gone))
    return set(scan.found(path, [*life.gone, *(p for p in parts if p not in kept)], key)[0])


def _all_else_is_there(file: MemoryFile, life: Life) -> None:
    for name in USERS:
        mem = file.user(name)
        texts = " ".join([*(m.content for m in mem.list(limit=0)), *(str(c.before) for c in mem.history(limit=0))])
        texts += " ".join(t.content for s in mem.sessions(limit=0) for t in mem.turns(s.id))
        missing = [word for word in life.said[name] if word not in texts]
        assert not missing, f"{missing} of {name} went too"


def main() -> None:
    """The long form, plain and encrypted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--erasures", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    asked = parser.parse_args()
    for passphrase in (None, "some words"):
        with tempfile.TemporaryDirectory() as folder:
            found = run(Path(folder) / "me.edgemem", asked.erasures, asked.seed, passphrase)
        kind = "encrypted" if passphrase else "plain"
        print(f"{asked.erasures} erasures in a {kind} file (seed {asked.seed}): {found} erased words found")
        assert found == 0


if __name__ == "__main__":
    main()
