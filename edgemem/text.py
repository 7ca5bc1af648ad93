"""Text as it is compared and searched: folded, segmented, hashed. Stored text is never changed."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import Path

from edgemem.errors import InvalidInput

# Scripts written without spaces between words, and Hangul, whose particles stick to the word:
# they are indexed as overlapping pairs of characters.
_PAIRED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff"  # kana, iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uac00-\ud7af\u1100-\u11ff"  # Hangul
    "\U00020000-\U0003ffff"  # Han, rare
)
_RUNS = re.compile(f"[{_PAIRED}]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# A mark belongs to its letter, as it does for FTS5: case-folding "İ" makes an "i" with a dot of its own.
_TOKEN = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")
_MARKS = re.compile("[\u0300-\u036f]")
_SPACES = re.compile(r"\s+")
_QUOTES = str.maketrans("‘’“”", "''\"\"")

SEGMENTER_VERSION = 3
"""Stored in the file, which is indexed anew when it is opened where it differs. Raise it with whatever ``segment`` gives; and
the schema, where a version was released since: an older program must not write into such an index.
2: traditional characters are indexed as simplified ones. 3: signs have names, and what is between words is left out."""


def fold(text: str) -> str:
    """NFKC, case-folded, straight quotes: what two spellings of the same words have in common."""
    if text.isascii():  # nothing to normalise, and most of what is searched
        return text.lower()
    return unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()


def simplified(text: str) -> str:
    """Traditional Chinese characters as simplified ones, one for one, so that places in the text stay where they are."""
    return text if text.isascii() else text.translate(_simple_forms()).replace("甚么", "什么")


@cache
def _simple_forms() -> Mapping[int, int]:
    _, traditional, simple = Path(__file__).with_name("simplified.txt").read_text(encoding="utf-8").splitlines()
    return str.maketrans(traditional, simple)


def comparable(text: str) -> str:
    """Folded and in simplified characters: what two spellings and both Chinese scripts have in common.

    For searching and for rules. What is stored under its folded form (names, hashes) is compared by ``fold``.
    """
    return simplified(fold(text))


def unaccented(text: str) -> str:
    """Without the marks that full-text search does not see either."""
    return text if text.isascii() else _MARKS.sub("", unicodedata.normalize("NFD", text))


_NAMED_SIGNS = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")
"""Arrows, dingbats, emoji: no letters, and yet people look for them."""
_SHARP = re.compile(r"(?<![^\W_])([a-z])(\+\+|#)(?![^\W_])")
_ARABIC = re.compile("[\u0600-\u06ff]")
_ARABIC_MARKS = re.compile("[\u0640\u064b-\u065f\u0670]")
_ARTICLE = re.compile("(?<![^\\W_])[\u0648\u0641\u0628\u0643]?\u0627\u0644(?=[\u0621-\u064a]{3})")
"""With what is written onto it: and, so, in, like."""
_ALEFS = str.maketrans("\u0623\u0625\u0622\u0649", "\u0627\u0627\u0627\u064a")


def _spelled_out(text: str) -> str:
    """Comparable text with names for signs that full text does not see, and Arabic words without article and vowels.

    ``c++`` keeps its ``c`` and gets a word of its own, so that it comes before ``c#``.
    """
    if "++" in text or "#" in text:
        text = _SHARP.sub(lambda m: f"{m[1]} {m[1]}{'plusplus' if m[2] == '++' else 'sharp'} ", text)
    if text.isascii():
        return text
    text = _NAMED_SIGNS.sub(lambda m: f" sign{ord(m[0]):x} ", text)
    if _ARABIC.search(text):
        text = _ARTICLE.sub("", _ARABIC_MARKS.sub("", text).translate(_ALEFS))
    return text


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a comparable text, in order; the flag says that it is a run of unspaced script, whole.

    What is between them is left out, since the tokenizer of the index takes some of it for letters.
    """
    position = 0
    for run in _RUNS.finditer(text):
        yield from ((word, False) for word in _TOKEN.findall(text[position : run.start()]))
        if any(map(str.isalnum, run[0])):
            yield run[0], True
        position = run.end()
    yield from ((word, False) for word in _TOKEN.findall(text[position:]))


def segment(text: str) -> str:
    """The words of a text as they are indexed, with a blank between; a run of unspaced script as its pairs of characters and
    its last character.

    ``吃火锅`` and ``吃火鍋`` become ``吃火 火锅 锅``, so words of one and two characters are found, in both scripts.
    """
    plain = _spelled_out(comparable(text))
    if plain.isascii():  # all agree on what is a word
        return plain
    return " ".join(" ".join((*_pairs(word), word[-1])) if run else word for word, run in _pieces(plain))


def index_tokens(text: str) -> set[str]:
    """The words under which full text holds a text, before it takes off accents and English endings."""
    return {
        word for piece in segment(text).split() for word in (_TOKEN.findall(piece) if piece.isascii() else (piece,))
    }


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def query_tokens(text: str) -> list[tuple[str, bool]]:
    """Search tokens of a query, in order, once each; the flag says "match as a prefix".

    A run of one unspaced character is a prefix search, since it is indexed as the first half of pairs; so is a word of a
    script whose words change their endings, without its last letters. Korean particles are left out.
    """
    tokens: dict[str, bool] = {}
    for word, run in _pieces(_spelled_out(comparable(text))):
        pairs = _pairs(_PARTICLE.sub("", word)) if run else []
        tokens.update(dict.fromkeys(pairs, False) if pairs else [(word, True) if run else _begun(word)])
    return list(tokens.items())


_PARTICLE = re.compile(
    "(?<=[\uac00-\ud7af]{2})(?:에서|에게|으로|까지|부터|처럼|하고|이랑|은|는|이|가|을|를|에|의|와|과|도|로|만)$"
)
_INFLECTED = re.compile("[\u0370-\u052f]{4,}")
"""Greek and Cyrillic; the tokenizer of the index knows English endings only."""


def _begun(word: str) -> tuple[str, bool]:
    """A word, or the beginning of one that changes its ending, and whether it is one."""
    return (word[: max(4, len(word) - 2)], True) if _INFLECTED.fullmatch(word) else (word, False)


def search_words(text: str) -> list[tuple[str, bool]]:
    """The words of a text, comparable, once each; the flag says that it is a run of unspaced script, kept whole."""
    return list(dict(_pieces(comparable(text))).items())


# Words so common that they only cost time; a query made of nothing else keeps them.
_STOP = frozenset(
    """a an and are as at be been but by can could did do does for from had has have he her him his how i if in is it
    its me my of on or our she so that the their them there they this to was we were what when where which who why
    will with would you your s t d ll re ve m
    什么 么时 时候 怎么 哪里 哪个 为什 我的 你的 他的 她的 是什 了吗 的是 是不 不是 有没 没有 多少""".split()
)


def content_tokens(text: str) -> list[tuple[str, bool]]:
    """``query_tokens`` without the commonest words, or all of them when there are no others."""
    tokens = query_tokens(text)
    return [t for t in tokens if t[0] not in _STOP] or tokens


def is_han(text: str) -> bool:
    """Whether the text is mainly Chinese: more Han characters than Latin words."""
    return len(_HAN.findall(text)) > len(re.findall(r"[A-Za-z]+", text))


def content_hash(text: str) -> bytes:
    """SHA-256 of the folded text without surrounding punctuation: equal for the same sentence typed twice."""
    plain = _SPACES.sub(" ", fold(text)).strip().strip(".。!！,，;；").strip()
    return hashlib.sha256(plain.encode("utf-8")).digest()


def first_surrogate(text: str) -> int | None:
    """Offset of the first lone surrogate, which UTF-8 cannot hold; None when there is none."""
    match = re.search("[\ud800-\udfff]", text)
    return None if match is None else match.start()


def flaw(text: str) -> str | None:
    """What no file can hold of a text, and where: half a character (a lone surrogate) or a NUL; None for a text in order."""
    match = re.search("[\0\ud800-\udfff]", text)
    if match is None:
        return None
    what = "a NUL character" if match[0] == "\0" else "half a character"
    return f"{what} at position {match.start() + 1}"


def check_text(text: str, what: str) -> str:
    """The text itself. Raises ``InvalidInput`` for one that no file can hold; ``what`` begins the message."""
    found = flaw(text)
    if found is not None:
        raise InvalidInput(f"{what} has {found}.", "Decode it again from its original bytes, or type it again.")
    return text


def check_texts(value: object, what: str) -> None:
    """All texts of a structured value, keys too, as ``check_text`` does."""
    if isinstance(value, str):
        check_text(value, what)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            check_texts(key, what)
            check_texts(item, what)
    elif isinstance(value, Sequence | Set):
        for item in value:
            check_texts(item, what)


def check_path(path: str | os.PathLike[str]) -> Path:
    """The path. Raises ``InvalidInput`` for one that no system can have: with a NUL, or half a character."""
    name = os.fspath(path)
    try:
        possible = "\0" not in name and bool(os.fsencode(name) or not name)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise InvalidInput(f"{name!a} has {flaw(name)}.", "Type it again, or name another file or folder.")
    return Path(path)


_INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs by their category, and yet nothing is seen of them."""


def has_words(text: str) -> bool:
    """Whether anything in a text can be seen: a letter, a number, a sign."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in _INVISIBLE for c in text)


def printable(text: str) -> str:
    """The text with anything UTF-8 cannot hold written out as an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def counted(number: float, noun: str) -> str:
    """A number with its noun, as "1 turn", "2,000 turns" or "3 memories"; of several words the last is put in the plural."""
    told = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    if number == 1:
        return f"{told} {noun}"
    plural = f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"
    return f"{told} {plural}"
