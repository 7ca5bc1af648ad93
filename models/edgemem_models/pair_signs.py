"""What code can see in two stored sentences that meet: shared words, numbers, people, negation, signs of change.

The numbers stand beside the embeddings in the learned relation head (``relations``). English and
Chinese; each is a rough sign, and only the trained weights say what it is worth.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from dataclasses import dataclass
from typing import Final

_SUBJECT = re.compile(r"^\s*(?:(?:the\s+)?user(?:['’]s|\b)|用[户戶](?:的)?|助手(?=[应要可])|(?:she|he|they)\b)[\s,，:：]*", re.IGNORECASE)
_SIMPLE = str.maketrans(
    "戶個們這說話語讀書買賣車電腦機師學會樣還過進開關門問間題時後對應該從來沒誰讓給結婚愛養貓魚雞鳥麵飯錢費價歲萬點鐘號樓場館醫藥業專員經濟區縣鄉東爾蘭馬龍鳳華國廣臺灣據網訂單發貨簽辦產傳統計劃項職處長張陳劉楊趙黃吳孫鄭謝許寫記論試驗證護離職務轉換遷離準備預約幾兩雙種類體重減輕練習運動遊戲樂團隊員歡嚴總從於與為無內術實際現實級氣溫熱涼紅藍綠線條貝頭髮臉腳傷術習慣聽見覺認識聯繫絡顯視頻節慶親戚姊媽爺奶嬸豬遠邊鐵捷運騎機檔歷變舊還爭議參觀園畫筆紙張貸債稅帳戶銀賬",
    "户个们这说话语读书买卖车电脑机师学会样还过进开关门问间题时后对应该从来没谁让给结婚爱养猫鱼鸡鸟面饭钱费价岁万点钟号楼场馆医药业专员经济区县乡东尔兰马龙凤华国广台湾据网订单发货签办产传统计划项职处长张陈刘杨赵黄吴孙郑谢许写记论试验证护离职务转换迁离准备预约几两双种类体重减轻练习运动游戏乐团队员欢严总从于与为无内术实际现实级气温热凉红蓝绿线条贝头发脸脚伤术习惯听见觉认识联系络显视频节庆亲戚姐妈爷奶婶猪远边铁捷运骑机档历变旧还争议参观园画笔纸张贷债税帐户银账",
)
"""Common traditional characters as simplified ones, so that the same word is seen to be the same."""

_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WORD_NUMBERS = dict(
    zip(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
        " nineteen twenty once twice first second third fourth fifth sixth".split(),
        [*range(1, 21), 1, 2, 1, 2, 3, 4, 5, 6],
        strict=True,
    )
)
_HAN_DIGITS = dict(zip("〇零一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_HAN_NUMBER = re.compile("[〇零一二两三四五六七八九十百千万]+(?=[^些样起定直般旦切向下共])|[一二两三四五六七八九十百千万]+$")
_TIME = re.compile(r"(?<!\d)(\d{1,2})[:：](\d\d)(?!\d)|(?<![\d.])(\d{1,2})\s*([ap])\.?m\b")
_HAN_TIME = re.compile(r"(下午|晚上|傍晚|夜里)?\s*([〇一二两三四五六七八九十\d]{1,3})[点點](半)?")
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LATIN = re.compile(r"[a-z]+(?:'[a-z]+)?|[a-z]*\d[\w.]*", re.IGNORECASE)
_HAN = re.compile("[\u4e00-\u9fff]")
_STOP = frozenset(
    "a an the is are was were be been being am of in on at to for by with from and or but as it its this that these those he she they"
    " his her their him them who which what where when has have had do does did user user's users s 's into about own so than then there"
    " would will can could should may might must very also any some each".split()
)
_HAN_STOP = frozenset("的了是在有和与也就都而及着把被让给这那个们之其为于以用户")


def _found(english: str, other: str = "") -> re.Pattern[str]:
    whole = rf"(?<![\w'])(?:{english})(?!\w)"
    return re.compile(f"{whole}|{other}" if other else whole)


SIGNS: Final[dict[str, re.Pattern[str]]] = {
    "negation": _found(
        r"not|no|never|none|nothing|without|neither|nor|cannot|unable|hardly|\w+n['’]t|avoids?|refus\w+|forbid\w*|forbidden|prohibited|off limits|free of",
        "不(?!过|久|同|错|仅|但)|没|无(?!论)|未|别(?!的|人)|非(?!常)|勿|禁|戒|忌|拒",
    ),
    "ended": _found(
        r"no longer|any ?more|any longer|not .{2,30} any ?more|stopped|quit|gave up|given up|dropped|ended|used to|former(?:ly)?|left|sold|lost|died|dead"
        r"|cancelled|canceled|called off|fell through|discontinued|withdr[ae]w\w*|laid off|retired|got rid|done with|is off",
        "不再|已经不|停了?|辞|取消|退出|卖[掉了]|去世|离开|离职|放弃|戒|撤回|作罢|没成|报废|解散|停用|下线|关了|不了[。，]?$|不[^，。]{1,8}了",
    ),
    "changed": _found(
        r"now|moved|switched|changed|replaced|instead|migrated|swapped|traded|became|become|turned|went over|went back|gone back|since then|from now on|these days"
        r"|nowadays|lately|again|back|new|renamed|converted|started|has started|reassigned|took over|taken over|handed over|relocated|by now|has been \w+ed|upgraded"
        r"|rescheduled|postponed|put off|extended|pushed|raised|cut|reduced|went up|goes up|increased|lowered|grown|updated",
        "改|换|搬|转|迁|变|现在|如今|最近|从今|以后|今后|又|重新|升|降|涨|减|加到|延|推迟|提前|挪|调|恢复|开始|接手|新",
    ),
    "finished": _found(
        r"finished|completed|delivered|arrived|paid|passed|accepted|approved|fixed|repaired|solved|settled|found|signed|got|received|returned|done|closed|merged|has been \w+ed|came back|learned|born|married|engaged",
        "了[。.]?$|已|完|好了|到账|签收|通过|拿到|修好|找到|结清|出来|考[过上下]|学会|生了|毕业|入职|领证|终于|批准",
    ),
    "corrected": _found(
        r"wrong|mistake|mistaken|typo|mistyped|actually|in fact|correction|not in|not on|after all|misdiagnosis|mixed up|turned out|never \w+ed",
        "不是|写错|记错|错了|笔误|其实|更正|误诊|有误|不对|应为|之前记|误",
    ),
    "allowed": _found(r"may|allowed|permitted|allows?|permits?|free to|okay to|fine", "可以|允许|准许|能(?!不)|让"),
    "forbidden": _found(r"may not|not allowed|not permitted|isn['’]t allowed|must not|forbidden|banned|prohibited|off limits", "不许|不准|不能|禁止|不让|不可|不允许|别"),
    "likes": _found(r"likes?|loves?|enjoys?|fond|favou?rite|prefers?|fan|adores?|keen|rather|taste", "喜欢|爱|偏好|最爱|钟爱|迷上|喜好"),
    "dislikes": _found(r"hates?|dislikes?|detests?|can['’]t stand|loathes?|doesn['’]t like|afraid|scared|fears?|terrified", "讨厌|不喜欢|受不了|恨|怕|不爱|反感|恐"),
    "repeats": _found(r"every|each|weekly|daily|monthly|a (?:day|week|month|year)|always|usually|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|nightly", "每|总|一直|经常|平时|习惯"),
    "when": _found(
        r"in (?:19|20)\d\d|last (?:week|year|month|spring|summer|autumn|winter)|ago|yesterday|" + "|".join(f"(?:in|on) {m}" for m in _MONTHS) + "|" + "|".join(f"on {d}" for d in _DAYS),
        r"(?:19|20)\d\d年|去年|前年|上周|上个?月|昨天|\d+月|[一二三四五六七八九十]月|周[一二三四五六日]",
    ),
    "wish": _found(r"wants?|would like|plans?|intends?|hopes?|is going to|will|goal", "想|打算|计划|准备|希望|要"),
    "rule": _found(r"assistant|answers?|repl(?:y|ies)|addressed|called|reminders?|reminded", "助手|回答|回复|答复|称呼|提醒|叫"),
    "only": _found(r"only|just|exclusively|nothing but|solely", "只|仅|唯一|光"),
    "also": _found(r"also|too|as well|another|other|second|both", "也|还(?!没)|另|又|再次|其他"),
    "because": _found(r"because|since|due to|so that|for the sake|after|thanks to", "因为|由于|所以|为了"),
    "has": _found(r"has|have|owns?|had|keeps?|got", "有|养"),
    "bought": _found(r"bought|paid|ordered|gave|lent|visited|went|ran|met|borrowed|travelled|read|saw|sold|donated", "买|付|订|给|借|去过|跑|见|捐|花了|参加"),
    "skilled": _found(r"speaks?|plays?|knows?|knits?|sings?|studie[sd]|learn\w*", "会|学|懂|弹|拉|打球|唱"),
    "home": _found(r"lives?|based|home|address|resides?|rents?|moved", "住|定居|家在|租|搬"),
    "work": _found(r"works?|job|employed|employer|boss|manager|company|leads?|team", "工作|上班|公司|领导|负责|任职|团队|岗位"),
    "value": _found(r"costs?|salary|rent|price|budget|port|version|size|weighs?|height|deadline|due|runs on|uses?|called|named|password|number|age|years old", "端口|版本|价|工资|房租|预算|体重|身高|截止|名叫|叫|用|岁|元|号"),
    "state": _found(r"pending|waiting|open|draft|shipped|sent|booked|in review|submitted|applied|assigned|due|unpaid|scheduled|being", "等|待|在审|进行|处理|发货|预约|预订|申请|提交|还没|尚未|正在|未"),
}  # fmt: skip
"""Name and pattern of each yes/no sign of one folded sentence."""

_PEOPLE: Final[dict[str, re.Pattern[str]]] = {
    "mother": _found("mother|mum|mom", "妈|母亲"),
    "father": _found("father|dad", "爸|父亲"),
    "parents": _found("parents?", "父母"),
    "sister": _found("sisters?", "姐|妹"),
    "brother": _found("brothers?|twin", "哥|弟"),
    "son": _found("sons?", "儿子"),
    "daughter": _found("daughters?", "女儿"),
    "child": _found("child|children|kids?|baby", "孩子|宝宝|娃"),
    "spouse": _found("wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?", "老公|老婆|妻|丈夫|太太|先生|爱人|对象|伴侣|女朋友|男朋友|女友|男友"),
    "grand": _found(r"grand\w+|nan|granny", "爷爷|奶奶|外公|外婆|姥"),
    "kin": _found("aunt|uncle|cousin|nephew|niece|[a-z]+-in-law", "姑|姨|叔|舅|表[哥姐弟妹]|堂[哥姐弟妹]|侄|外甥|岳|婆婆|公公|嫂|姐夫"),
    "friend": _found("friends?|flatmate|roommate|housemate|best man", "朋友|闺蜜|室友|同学|发小"),
    "colleague": _found("colleagues?|coworkers?|intern|assistant|co-founder|team lead", "同事|助理|实习生|合伙人|搭档"),
    "boss": _found("boss|manager|supervisor|lead", "领导|老板|上司|主管|导师"),
    "neighbour": _found("neighbou?rs?|landlord|landlady|tenant", "邻居|房东|房客"),
    "doctor": _found("doctor|dentist|physio\\w*|vet|teacher|coach|lawyer|client|customer", "医生|老师|教练|律师|客户|师傅"),
    "pet": _found("dogs?|cats?|puppy|kitten|horse|parrots?|tortoise", "狗|猫|鹦鹉|乌龟|兔|宠物"),
}  # fmt: skip

_OPPOSITES: Final[tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = tuple(
    (_found(*a), _found(*b))
    for a, b in (
        (("likes?|loves?|enjoys?", "喜欢|爱"), ("hates?|dislikes?|detests?", "讨厌|受不了")),
        (("open|opens|opened", "开"), ("closed?|closes", "关|闭")),
        (("on|turned on", "开着"), ("off|turned off", "关着")),
        (("short|brief|concise", "简短|短"), ("long|detailed|thorough", "详细|长")),
        (("single", "单身"), ("married|engaged|partner|relationship", "结婚|已婚|领证|对象|订婚")),
        (("left", "左"), ("right", "右")),
        (("morning|early", "早|上午"), ("evening|night|late", "晚|下午|夜")),
        (("before", "前"), ("after", "后")),
        (("more|up|raised|increased", "多|升|涨|加"), ("less|down|cut|lowered|reduced", "少|降|减")),
        (("dark", "深色|暗"), ("light", "浅色|亮")),
        (("cash", "现金"), ("card", "卡")),
        (("started|began|takes up|taken up", "开始|重新"), ("stopped|quit|gave up", "停|戒|放弃")),
        (("approved|accepted|passed", "通过|批准|考过"), ("rejected|turned down|failed|refused", "驳回|拒|没过|挂")),
        (("lost|missing", "丢|没了"), ("found|back", "找到|找回")),
        (("remote\\w*|from home", "远程|在家"), ("office|on site", "办公室|到岗|坐班")),
    )
)


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
    folded: str


def bare(text: str) -> str:
    """A sentence without "The user" and the like at its start: what is said, whoever wrote the note."""
    cut = _SUBJECT.sub("", unicodedata.normalize("NFKC", text).translate(_SIMPLE), count=1).strip()
    return cut or text


def look(text: str) -> Seen:
    """Read one sentence."""
    plain = unicodedata.normalize("NFKC", text).translate(_SIMPLE).replace("’", "'")
    folded, said = plain.casefold(), bare(plain)
    return Seen(
        said,
        tuple(_words(said.casefold())),
        frozenset(_numbers(folded)),
        frozenset(_dated(folded)),
        frozenset(_names(plain)),
        frozenset(name for name, pattern in _PEOPLE.items() if pattern.search(folded)),
        frozenset(name for name, pattern in SIGNS.items() if pattern.search(folded)),
        folded,
    )


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


def _numbers(text: str) -> list[str]:
    found: list[str] = []

    def take(values: list[str]) -> str:
        found.extend(values)
        return " "

    text = _DATE.sub(lambda m: take([m[1], f"{int(m[2])}", f"{int(m[3])}"]), text)
    text = _TIME.sub(lambda m: take(_clock(m)), text)
    text = _HAN_TIME.sub(lambda m: take(_han_clock(m)), text)
    found += [_plain(n) for n in _NUMBER.findall(text)]
    found += [str(_WORD_NUMBERS[w]) for w in re.findall("[a-z]+", text) if w in _WORD_NUMBERS]
    return found + [str(_han_value(n)) for n in _HAN_NUMBER.findall(text)]


def _clock(match: re.Match[str]) -> list[str]:
    if match[1]:
        return [f"{int(match[1]) % 12}h", *([] if match[2] == "00" else [f"{int(match[2])}m"])]
    return [f"{int(match[3]) % 12}h"]


def _han_clock(match: re.Match[str]) -> list[str]:
    hour = int(match[2]) if match[2].isdigit() else _han_value("".join(c for c in match[2] if not c.isdigit()))
    return [f"{hour % 12}h", *(["30m"] if match[3] else [])]


def _plain(number: str) -> str:
    text = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    return text.rstrip("0").rstrip(".").lstrip("0") or "0" if "." in text else text.lstrip("0") or "0"


def _han_value(text: str) -> int:
    total = section = digit = 0
    for char in text:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char == "万":
            total, section, digit = (total + section + digit) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char], 0
    return total + section + digit


def _dated(text: str) -> list[str]:
    months = [f"month {n}" for n, name in enumerate(_MONTHS, 1) if re.search(rf"\b{name}\b|(?<!\d){n}月", text)]
    han = [f"month {_han_value(m)}" for m in re.findall("([一二三四五六七八九十]{1,2})月", text)]
    days = [f"day {n}" for n, name in enumerate(_DAYS) if re.search(rf"\b{name}s?\b|(?:周|星期|礼拜){'一二三四五六'[n] if n < 6 else '[日天末]'}", text)]
    iso = [f"month {int(m[2])}" for m in _DATE.finditer(text)]
    return months + han + days + iso


def _names(text: str) -> list[str]:
    words = [w for w in re.findall(r"(?<!^)(?<![.!?]\s)\b[A-Z][\w-]*", text) if w not in ("I", "User", "The")]
    known = {*_MONTHS, *_DAYS, *(f"{d}s" for d in _DAYS)}
    return [w.casefold() for w in words if w.casefold() not in known]


_SETS: Final = ("numbers", "days", "names", "people")
NAMES: Final = (
    "same", "new_covered", "old_covered", "new_left", "old_left", "length_old", "length_new", "length_gap", "order", "opposite", "han",
    "chars_new", "chars_old", "subject_same", "subject_user_old", "subject_user_new", "possessed_old", "possessed_new",
    *(f"{s}_{k}" for s in _SETS for k in ("equal", "new_more", "old_more", "differ", "both")),
    *(f"old_{n}" for n in SIGNS), *(f"new_{n}" for n in SIGNS), *(f"only_new_{n}" for n in SIGNS), *(f"only_old_{n}" for n in SIGNS),
)  # fmt: skip
"""The features in the order of ``pair_signs``."""


def pair_signs(old: Seen, new: Seen) -> list[float]:
    """The features of two sentences; ``NAMES`` says what they are."""
    return [
        *_shared(old, new),
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
        float(any((x.search(old.folded) and y.search(new.folded)) or (y.search(old.folded) and x.search(new.folded)) for x, y in _OPPOSITES)),
        float(_HAN.search(old.bare) is not None),
        common / max(1, len(grams_b)),
        common / max(1, len(grams_a)),
        float(_subject(old.folded) == _subject(new.folded)),
        float(_subject(old.folded) == "user"),
        float(_subject(new.folded) == "user"),
        float(_subject(old.folded) == "owned"),
        float(_subject(new.folded) == "owned"),
    ]  # fmt: skip


def _grams(text: str) -> set[str]:
    low = text.casefold()
    return {low[n : n + 3] for n in range(max(1, len(low) - 2))} if not _HAN.search(low) else {low[n : n + 2] for n in range(len(low) - 1)}


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
