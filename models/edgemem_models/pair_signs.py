"""What code can see in two stored sentences that meet: shared words, numbers, people, negation, signs of change.

The numbers stand beside the embeddings in the learned relation head (``relations``). English and
Chinese; each is a rough sign, and only the trained weights say what it is worth.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from edgemem_models.pair_numbers import dated, months, names, numbers
from edgemem_models.pair_words import CONTRASTS, ID, ID_NOUN, OPPOSITES, PEOPLE, SIGNS, YEAR

_FRAME: Final = re.compile(
    r"^\s*(?:according to the user,|asked(?= .*the user answered:)|the user['’]s (?:instruction for the assistant|preference):|the user asks the assistant (?:to )?"
    r"|用户(?:提到|要求|的忌口)[:：]|被问到(?=.*用户回答[:：]))[\s,，]*|, the user answered:|时[,，]用户回答[:：]",
    re.IGNORECASE,
)
"""Who said it and on what question: the form of a note, alike in any two of them."""

_SUBJECT: Final = re.compile(
    r"^\s*(?:(?:the\s+)?user(?:['’]s|\b)|用[户戶](?:的)?|助手(?=[应要可])|(?:she|he|they)\b)[\s,，:：]*", re.IGNORECASE
)
SIMPLER: Final = (
    "戶個們這說話語讀書買賣車電腦機師學會樣還過進開關門問間題時後對應該從來沒誰讓給結愛養貓魚雞鳥麵飯錢費價歲萬點鐘號樓場館醫藥業專員經濟區縣鄉東爾蘭馬龍鳳華國廣臺灣據網訂單發貨簽辦產傳統計劃項職處長張陳劉楊趙黃吳孫鄭謝許寫記論試驗證護離務轉換遷準備預約幾兩雙種類體減輕練習運動遊戲樂團隊歡嚴總於與為無內術實際現級氣溫熱涼紅藍綠線條貝頭髮臉腳傷慣聽見覺認識聯繫絡顯視頻節慶親姊媽爺嬸豬遠邊鐵騎檔歷變舊爭議參觀園畫筆紙貸債稅帳銀賬",
    "户个们这说话语读书买卖车电脑机师学会样还过进开关门问间题时后对应该从来没谁让给结爱养猫鱼鸡鸟面饭钱费价岁万点钟号楼场馆医药业专员经济区县乡东尔兰马龙凤华国广台湾据网订单发货签办产传统计划项职处长张陈刘杨赵黄吴孙郑谢许写记论试验证护离务转换迁准备预约几两双种类体减轻练习运动游戏乐团队欢严总于与为无内术实际现级气温热凉红蓝绿线条贝头发脸脚伤惯听见觉认识联系络显视频节庆亲姐妈爷婶猪远边铁骑档历变旧争议参观园画笔纸贷债税帐银账",
)
"""Common traditional characters and their simplified forms, so that the same word is seen to be the same."""

_SIMPLE = str.maketrans(*SIMPLER)
_LATIN = re.compile(r"[a-z]+(?:'[a-z]+)?|[a-z]*\d[\w.]*", re.IGNORECASE)
_HAN = re.compile("[\u4e00-\u9fff]")
_STOP = frozenset(
    "a an the is are was were be been being am of in on at to for by with from and or but as it its this that these those he she they"
    " his her their him them who which what where when has have had do does did user user's users s 's into about own so than then there"
    " would will can could should may might must very also any some each".split()
)
_HAN_STOP = frozenset("的了是在有和与也就都而及着把被让给这那个们之其为于以用户")


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found in one sentence."""

    bare: str
    words: tuple[str, ...]
    numbers: frozenset[str]
    days: frozenset[str]
    names: frozenset[str]
    people: frozenset[str]
    signs: frozenset[str]
    contrasts: tuple[int, ...]
    years: frozenset[str]
    ids: frozenset[str]
    first: frozenset[str]
    folded: str


def bare(text: str) -> str:
    """A sentence without "The user" and the like at its start: what is said, whoever wrote the note."""
    told = _FRAME.sub(" ", unicodedata.normalize("NFKC", text).translate(_SIMPLE)).strip()
    cut = _SUBJECT.sub("", told, count=1).strip()
    return cut or text


def look(text: str) -> Seen:
    """Read one sentence."""
    plain = unicodedata.normalize("NFKC", text).translate(_SIMPLE).replace("’", "'")
    folded, said = plain.casefold(), bare(plain)
    return Seen(
        said,
        tuple(_words(said.casefold())),
        frozenset(numbers(folded)) | {m for m, day in months(plain) if day},
        frozenset(dated(folded)) | {f"month {m}" for m, _ in months(plain)},
        frozenset(names(plain)),
        frozenset(name for name, pattern in PEOPLE.items() if pattern.search(folded)),
        frozenset(name for name, pattern in SIGNS.items() if pattern.search(folded)),
        tuple(sum(1 << n for n, word in enumerate(group) if word.search(folded)) for group in CONTRASTS),
        frozenset(YEAR.findall(folded)),
        frozenset(ID.findall(folded)) - frozenset(YEAR.findall(folded)) if ID_NOUN.search(folded) else frozenset(),
        frozenset(name for name, pattern in PEOPLE.items() if pattern.search(folded[: _head(folded)])),
        folded,
    )


def _head(folded: str) -> int:
    """Where the subject of a sentence ends, roughly."""
    return 12 if _HAN.search(folded) else 36


def _words(text: str) -> list[str]:
    latin = [_stem(w) for w in _LATIN.findall(text) if w not in _STOP]
    return latin + [c for c in _HAN.findall(text) if c not in _HAN_STOP]


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    for ending in ("ingly", "ings", "ing", "edly", "ied", "ies", "ed", "es", "s", "ly", "er"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and (word[-1] == word[-2] or word[-1] in "ey") else word


_SETS: Final = ("numbers", "days", "names", "people", "years", "ids", "first")
NAMES: Final = (
    "same", "new_covered", "old_covered", "new_left", "old_left", "length_old", "length_new", "length_gap", "order", "opposite", "han",
    "chars_new", "chars_old", "subject_same", "subject_user_old", "subject_user_new", "possessed_old", "possessed_new",
    "prefix", "suffix", "slot_old", "slot_new", "slot_numbers", "in_order", "rest_same", "rest_covered", "negation_differs", "state_ends",
    *(f"contrast_{n}" for n in range(len(CONTRASTS))), "contrasts",
    *(f"{s}_{k}" for s in _SETS for k in ("equal", "new_more", "old_more", "differ", "both")),
    *(f"old_{n}" for n in SIGNS), *(f"new_{n}" for n in SIGNS), *(f"only_new_{n}" for n in SIGNS), *(f"only_old_{n}" for n in SIGNS),
)  # fmt: skip
"""The features in the order of ``pair_signs``."""


def pair_signs(old: Seen, new: Seen) -> list[float]:
    """The features of two sentences; ``NAMES`` says what they are."""
    return [
        *_shared(old, new),
        *_framed(old, new),
        *_contrasted(old, new),
        *(v for s in _SETS for v in _compared(getattr(old, s), getattr(new, s))),
        *(float(n in old.signs) for n in SIGNS),
        *(float(n in new.signs) for n in SIGNS),
        *(float(n in new.signs and n not in old.signs) for n in SIGNS),
        *(float(n in old.signs and n not in new.signs) for n in SIGNS),
    ]


def _shared(old: Seen, new: Seen) -> list[float]:
    a, b = set(old.words), set(new.words)
    both = len(a & b)
    grams_a, grams_b = _grams(old.bare), _grams(new.bare)
    common = len(grams_a & grams_b)
    return [
        float(old.words == new.words),
        both / max(1, len(b)),
        both / max(1, len(a)),
        min(8, len(b - a)) / 4,
        min(8, len(a - b)) / 4,
        min(30, len(a)) / 10,
        min(30, len(b)) / 10,
        (len(b) - len(a)) / max(1, len(a) + len(b)),
        float(sorted(old.words) == sorted(new.words)),
        float(any((x.search(old.folded) and y.search(new.folded)) or (y.search(old.folded) and x.search(new.folded)) for x, y in OPPOSITES)),
        float(_HAN.search(old.bare) is not None),
        common / max(1, len(grams_b)),
        common / max(1, len(grams_a)),
        float(_subject(old.folded) == _subject(new.folded)),
        float(_subject(old.folded) == "user"),
        float(_subject(new.folded) == "user"),
        float(_subject(old.folded) == "owned"),
        float(_subject(new.folded) == "owned"),
    ]  # fmt: skip


def _framed(old: Seen, new: Seen) -> list[float]:
    """The same frame with another filling: what the word sequences share at both ends and in between."""
    a, b = old.words, new.words
    short = min(len(a), len(b))
    prefix = next((n for n in range(short) if a[n] != b[n]), short)
    suffix = next((n for n in range(short - prefix) if a[-1 - n] != b[-1 - n]), short - prefix)
    slots = a[prefix : len(a) - suffix], b[prefix : len(b) - suffix]
    words_a, words_b = ({w for w in words if not any(c.isdigit() for c in w)} for words in (a, b))
    common = len(words_a & words_b)
    return [
        prefix / max(1, short),
        suffix / max(1, short),
        min(6, len(slots[0])) / 3,
        min(6, len(slots[1])) / 3,
        float(all(any(c.isdigit() for w in slot for c in w) for slot in slots)),
        SequenceMatcher(None, a, b, autojunk=False).ratio(),
        common / max(1, len(words_a | words_b)),
        common / max(1, min(len(words_a), len(words_b))),
        float(("negation" in old.signs) != ("negation" in new.signs)),
        float("state" in old.signs and "finished" in new.signs),
    ]


def _contrasted(old: Seen, new: Seen) -> list[float]:
    """For each group 1 if both have different words of it, 0.5 if only one has any; then how many differ."""
    found = [
        1.0 if a and b and not a & b else 0.5 if bool(a) != bool(b) else 0.0
        for a, b in zip(old.contrasts, new.contrasts, strict=True)
    ]
    return [*found, float(found.count(1.0))]


def _grams(text: str) -> set[str]:
    low = text.casefold()
    return (
        {low[n : n + 3] for n in range(max(1, len(low) - 2))}
        if not _HAN.search(low)
        else {low[n : n + 2] for n in range(len(low) - 1)}
    )


def _subject(folded: str) -> str:
    if re.match(r"(?:the )?user's|用户的", folded):
        return "owned"
    return "user" if re.match(r"(?:the )?user\b|用户|she\b|he\b", folded) else "other"


def _compared(old: Set[str], new: Set[str]) -> list[float]:
    """Equal and not empty; new has more; old has more; each has its own; both have some."""
    return [
        float(bool(old) and old == new),
        float(bool(new - old) and not old - new),
        float(bool(old - new) and not new - old),
        float(bool(old - new) and bool(new - old)),
        float(bool(old) and bool(new)),
    ]
