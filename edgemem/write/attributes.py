"""What a memory says of whom, as subject, attribute and value: "The user lives in Ghent." is (user, home, Ghent).

Read off the finished sentence by rule, whoever wrote it; a sentence that hedges, or says more than one plain thing,
has none. The names of attributes are English whatever the language, so that "I live in Ghent" and 我搬到苏黎世了
meet in one. ``recall/slots`` knows how people ask for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from edgemem import foods
from edgemem.kin import HAN as KIN_HAN
from edgemem.kin import LATIN as KIN_LATIN
from edgemem.kin import RELATIONS
from edgemem.text import fold, is_han
from edgemem.write import places

USER: Final = "user"

_TASTES: Final = frozenset({"likes", "diet", "allergy", "called"})

SINGLE: Final = frozenset({"name", "home", "birthday", "age"})
"""Attributes with one value at a time: a newer value ends the older."""


@dataclass(frozen=True, slots=True)
class Slot:
    """``polarity`` -1: the sentence denies the value. ``weak``: the words may mean something else ("moved to Linux").

    ``bare``: a name after no more than "is", where another may be what somebody is ("is Punjabi"): a first name, never a new one.
    ``who``: of somebody else all that tells one brother from another: "older brother", "brother pat".
    """

    subject: str
    attribute: str
    value: str
    polarity: int = 1
    weak: bool = False
    bare: bool = False
    who: str = ""


def of(content: str) -> Slot | None:
    """The slot of a stored sentence, or None."""
    text = " ".join(content.split())
    return _chinese(text) if is_han(text) else _english(text)


def ends(new: Slot, old: Slot) -> bool:
    """Whether a newer statement ends an older one of the same subject and attribute."""
    if (new.subject, new.attribute) != (old.subject, old.attribute) or new.weak:
        return False
    if new.bare or old.bare:
        return False
    if new.attribute == "home" and (places.coarse(new.value) != places.coarse(old.value)):
        return False  # "lives in Belgium" takes nothing back of "lives in Ghent"
    if new.attribute == "home" and new.polarity == old.polarity and _one_in_the_other(new.value, old.value):
        return False  # nor does "lives in New York" of "lives in Brooklyn"
    same = _same(new.value, old.value)
    if new.polarity != old.polarity:
        # Who may eat peanut butter, or nuts but no eggs, may still be in danger: only the very same is taken back.
        return same if new.attribute == "home" else fold(new.value) == fold(old.value)
    return new.polarity == 1 and not same and new.attribute in SINGLE


def _one_in_the_other(one: str, other: str) -> bool:
    return places.lies_in(one, other) or places.lies_in(other, one)


def nearer(new: Slot, old: Slot) -> bool | None:
    """Of two homes of which one is a part of the other whether the new one says more; None where that is not so."""
    if (new.subject, new.attribute, new.polarity) != (old.subject, "home", old.polarity):
        return None
    return places.lies_in(new.value, old.value) if _one_in_the_other(new.value, old.value) else None


def of_taste(told: Slot) -> bool:
    """Whether an attribute may be a preference: what one likes or eats, not what one is called or where one lives."""
    return told.attribute in _TASTES or told.attribute.startswith(("favourite ", "favorite "))


def differ(new: Slot, old: Slot) -> bool:
    """Whether two statements tell other values of an attribute that has one: then neither only repeats the other."""
    same = (new.subject, new.attribute, new.polarity) == (old.subject, old.attribute, old.polarity)
    return same and new.attribute in SINGLE and not _same(new.value, old.value)


def moves(new: Slot, old: Slot) -> bool:
    """Whether a newer statement may tell of another home: "moved to Chengdu" after "lives in Shenzhen". It may also mean a
    flat around the corner, so this alone decides nothing; of a name that is no known place, Linux or a team, it is never so."""
    same = (new.subject, new.attribute, new.polarity) == (old.subject, "home", old.polarity)
    return (
        same
        and new.weak
        and not old.weak
        and places.is_place(new.value)
        and not _same(new.value, old.value)
        and not _one_in_the_other(new.value, old.value)
    )


def agree(new: Slot, old: Slot) -> bool:
    """Whether two statements tell the same value of the same attribute."""
    same = (new.subject, new.attribute, new.polarity) == (old.subject, old.attribute, old.polarity)
    return same and fold(new.value) == fold(old.value)


def of_same_person(told: Slot, other: Slot | None) -> bool:
    """Whether what a stored sentence of the same subject tells is about the same person: where one brother lives says nothing of
    the other. Of whom people have several only a name tells that it is the same one."""
    if told.subject == USER:
        return True
    if other is None:
        return False
    one, another = _named(told), _named(other)
    return (
        (one == another)
        if one and another
        else not one and not another and single(told.subject) and told.who == other.who
    )


def single(subject: str) -> bool:
    """Whether people have one of a relative, as of a mother, not several, as of brothers and sons; the user is one."""
    return subject == USER or subject in _ONE


_ONE: Final = frozenset(
    word
    for name in ("father", "mother", "husband", "wife", "boyfriend", "girlfriend", "partner", "father-in-law", "mother-in-law", "boss", "manager", "landlord")
    for word in RELATIONS[name].words
) | {word for name in ("grandfather", "grandmother") for word in RELATIONS[name].han}  # fmt: skip


def _named(told: Slot) -> str:
    """The name of a relative: "pat" of "older brother pat", 小军 of 哥哥小军; "" without one."""
    return told.who.partition(told.subject)[2].strip()


def is_another(new: Slot, known: Iterable[str | None]) -> bool:
    """Whether a bare name comes where others are known: then it is more likely none."""
    return new.bare and any(value is not None and not _same(new.value, value) for value in known)


def _same(one: str, other: str) -> bool:
    """Whether two values name the same: 伯尔尼 and 伯尔尼市, "Ghent" and "Ghent, Belgium"."""
    a, b = fold(one), fold(other)
    if not (a.isascii() and b.isascii()):
        return a.startswith(b) or b.startswith(a)
    return f"{a} ".replace(",", " ").startswith(f"{b} ") or f"{b} ".replace(",", " ").startswith(f"{a} ")


# --- English ----------------------------------------------------------------------------------------------------------

_ADVERB = r"(?:now |currently |still |also |really |just |usually )?"
_NAME = r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}"
_PLACE = r"(?:the )?[A-Z][\w'’.-]+(?:,? [A-Z][\w'’-]+){0,3}"
_FEW = r"[\w'’-]+(?: [\w'’-]+){0,3}"
_ANIMALS = "dogs?|cats?|rabbits?|parrots?|hamsters?|horses?|tortoises?|turtles?|puppy|kitten|budgies?|guinea pigs?|hens?|chickens?|ferrets?|snakes?|gecko"
_JOBS = (
    "nurse|teacher|doctor|dentist|vet|baker|butcher|chef|cook|waiter|waitress|plumber|electrician|carpenter|welder|builder|architect|engineer|developer|programmer"
    "|designer|lawyer|solicitor|accountant|bookkeeper|librarian|translator|interpreter|journalist|editor|writer|author|photographer|musician|actor|painter|sculptor"
    "|farmer|gardener|florist|beekeeper|fisherman|pilot|driver|conductor|captain|firefighter|paramedic|midwife|surgeon|pharmacist|physiotherapist|therapist|psychologist"
    "|scientist|researcher|chemist|physicist|biologist|geologist|economist|statistician|analyst|consultant|manager|secretary|receptionist|clerk|cashier|shopkeeper"
    "|barista|bartender|hairdresser|barber|tailor|mechanic|technician|joiner|mason|roofer|postman|soldier|police officer|judge|professor|lecturer|tutor|coach|trainer"
)
_FOOD_LIST = rf"(?:(?:any|all|raw|cow['’]s|too much) )?{foods.LATIN}(?:(?:,? (?:and|or)|,) (?:raw )?{foods.LATIN})*"
_NO_FOOD = r"(?!(?:alone|much|out|late|early|before|after|until|with|without|on|in|at|from|this|that|and|or|any(?:thing| more)|anymore|a lot|while|when|too|well|enough|properly|here|there|together)\b)"
_NOT_ALLOWED = r"(?:can(?:['’]t|not| not)|must(?:n['’]t| not)|should(?:n['’]t| not)|may not|is(?:n['’]t| not) (?:allowed|supposed) to)"
_NOUNS = (
    "name|birthday|birth date|date of birth|email|email address|phone|phone number|mobile number|address|shoe size|ring size|height|blood type|star sign|mother tongue"
    "|native language|time ?zone|pronouns|nickname|registration|number plate|favou?rite [a-z]+(?: [a-z]+)?|(?:dog|cat|boss|manager|doctor|dentist|landlord|employer|job|hometown)"
)
_STOP = re.compile(
    r"\s*(?:[,;:(]|\b(?:and|but|because|since|with|which|where|who|so|for|until|from|near|after|before|when|while|as|though|at|on|in (?=(?:19|20)\d\d|the |a |winter|summer|spring"
    r"|autumn|january|february|march|april|may|june|july|august|september|october|november|december)|now|again|these days|at the moment|any ?more|last|this|very much|a lot|too)\b).*$",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:during the week|at (?:the )?weekends?|in (?:the )?(?:winter|summer)|half (?:of )?the|part of|sometimes|used to|maybe|probably|if|unless|or|except)\b",
    re.IGNORECASE,
)
_NEITHER = re.compile(
    rf"((?:{_NOT_ALLOWED} (?:eat|drink|have|touch)|(?:not|n['’]t|never) (?:eats?|drinks?)) [\w'’, -]*?) or\b"
)
"""An "or" that leaves nothing open."""
_DEMONYM = re.compile(
    r"(?:[A-Z]{2,}\w*|\w+(?:ish|ese)|(?:Afric|Alger|Americ|Argentin|Armen|Asi|Austral|Austri|Bavar|Belg|Boliv|Brazil|Bulgar|Canad|Catal|Chile|Christi|Colomb|Croat|Cub|Egypt|Eston"
    r"|Ethiop|Europe|Germ|Ghana|Hungar|Ind|Indones|Iran|Ital|Jamaic|Jord|Ken|Kore|Latv|Lithuan|Lutheran|Malays|Mexic|Mongol|Morocc|Niger|Norweg|Palestin|Persi|Peruv|Presbyter|Roman"
    r"|Russ|Scandinav|Serb|Sicil|Singapore|Syr|Texas?|Tunis|Ukrain|Venezuel|Anglic)(?:an|ian|n|in|ean)?|Dutch|French|Greek|Czech|Slovak|Slovene|Thai|Swiss|Welsh|Iraqi|Israeli|Pakistani"
    r"|Catholic|Protestant|Orthodox|Muslim|Hindu|Buddhist|Jewish|Sikh|Quaker|Mormon|Baptist|Methodist|Aries|Taurus|Gemini|Cancer|Leo|Virgo|Libra|Scorpio|Sagittarius|Capricorn|Aquarius"
    r"|Pisces|Libran|Aquarian|Team|Mr|Mrs|Ms|Dr|Deaf|Blind|Black|White|Asian|Latin[aox]?|Hispanic|Vegan|\w{2,}(?:ist|crat|tarian|phobic)|Republican|Labour|Tory|Whig|Autistic|Bipolar|Celiac"
    r"|Coeliac|Disabled|Pregnant|Trans|Queer|Gay|Lesbian|Bi|Bisexual|Asexual|Nonbinary|Non-binary|Straight|Sober|Unemployed|Retired|Married|Single|Divorced|Widowed|Sunni|Shia|Shiite|Sufi"
    r"|Parsi|Amish|Gentile|Agnostic|Pagan|Punjabi|Bengali|Gujarati|Marathi|Tamil|Nepali|Filipin[aox]|Arab|Bedouin|Maori|Māori|Inuit|Basque|Scot|Afghan|Georgian|Walloon|Somali|Turk|Dane|Swede"
    r"|Pole|Serb|Croat|Slav|Kurd|Uzbek|Kazakh|Uyghur|Hmong|Cherokee|Navajo|Bangladeshi|Emirati|Kuwaiti|Saudi|Omani|Yemeni|Qatari|Native|Aboriginal|Type|Head|Chief|Senior|Junior|Gen|Nobody|Sorry"
    r"|Sure|Fine|Ok|Okay|Back|Here|Home|Done|Ready|Late|Busy|Sick|Ill|Tired|Happy|Sad|Lost)$"
)
"""What follows "I'm" with a capital and is no name."""

_ENGLISH_OF: Final = tuple(
    (name, re.compile(rf"(?:{pattern})\.?$"), polarity, weak)
    for name, pattern, polarity, weak in (
        ("home", rf"{_ADVERB}lives in (?P<v>{_PLACE})(?P<rest>\b.*)", 1, False),
        ("home", rf"(?:no longer lives|does(?:n['’]t| not) live) in (?P<v>{_PLACE})(?P<rest>\b.*)", -1, False),
        ("home", rf"(?:has )?moved (?:away from|out of) (?P<v>{_PLACE})", -1, False),
        ("home", rf"(?:has )?(?:recently |finally |just )?moved (?:house|flats?|homes?|apartments?|cit(?:y|ies)|countr(?:y|ies)) to (?P<v>{_PLACE})(?P<rest>\b.*)", 1, False),
        ("home", rf"(?:has )?(?:recently |finally |just )?moved to (?P<v>{_PLACE})(?P<rest>\b.*)", 1, True),
        ("name", rf"is called (?P<v>{_NAME})|goes by (?P<v2>{_NAME})|is (?P<bare>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)", 1, False),
        ("age", r"is (?P<v>\d{1,3})(?: years old)?", 1, False),
        ("birthday", r"was born on (?P<v>[^,;]{3,24})", 1, False),
        ("hometown", rf"(?:is originally from|comes from|is from|grew up in) (?P<v>{_PLACE})(?P<rest>\b.*)", 1, False),
        ("job", rf"(?:{_ADVERB}works|is working) as an? (?P<v>{_FEW})(?P<rest>\b.*)", 1, False),
        ("job", rf"is {_ADVERB}an? (?P<v>(?:[a-z-]+ ){{0,2}}(?:{_JOBS}))(?P<rest>\b.*)", 1, False),
        ("employer", rf"{_ADVERB}works (?:at|for) (?P<v>(?:the )?[A-Z][\w&'’.-]*(?: [A-Z][\w&'’-]*){{0,3}})(?P<rest>\b.*)", 1, False),
        ("diet", r"is (?:an? )?(?P<v>vegan|vegetarian|pescatarian|coeliac|celiac|gluten[- ]free|lactose[- ]intolerant|teetotal)(?P<rest>\b.*)", 1, False),
        ("diet", rf"(?:never (?:eats|drinks)|does(?:n['’]t| not) (?:eat|drink)) {_NO_FOOD}(?P<v>[\w'’, -]{{2,40}})", -1, False),
        ("diet", rf"{_NOT_ALLOWED} (?:eat|drink) {_NO_FOOD}(?P<v>[\w'’, -]{{2,40}})", -1, False),
        ("diet", rf"(?:avoids|has to avoid|{_NOT_ALLOWED} (?:have|touch)) (?P<v>{_FOOD_LIST})", -1, False),
        ("allergy", r"is (?:\w+ly )?allergic to (?P<v>[\w'’ ,-]{2,50})", 1, False),
        ("allergy", r"is(?:n['’]t| not) allergic to (?P<v>[\w'’ ,-]{2,50})", -1, False),
        ("likes", rf"{_ADVERB}(?:likes|loves|enjoys|adores|is (?:a )?(?:big |huge )?fan of) (?P<v>[\w'’ -]{{2,50}})", 1, False),
        ("likes", r"(?:really )?(?:does(?:n['’]t| not) (?:really )?(?:like|enjoy)|dislikes|hates|can(?:['’]t|not| not) stand|detests|loathes) (?P<v>[\w'’ -]{2,50})", -1, False),
        ("language", r"(?:also )?speaks (?:fluent |some |a little |good )?(?P<v>[A-Z][a-z]+(?:(?:,| and) [A-Z][a-z]+)*)", 1, False),
        ("pet", rf"(?:has|owns|keeps) (?P<v>(?:an?|one|two|three|four|five|\d+) (?:[a-z-]+ ){{0,2}}(?:{_ANIMALS})(?:,? (?:called|named) {_NAME})?)", 1, False),
    )
)  # fmt: skip
_POSSESSED = re.compile(
    rf"(?P<noun>{_NOUNS}|{KIN_LATIN})(?:['’]s name)? is (?:called |named )?(?P<v>[^,;:]{{1,50}})\.?$"
)
_FULL_NAME = re.compile(
    r"(?!\w+(?:ish|ese)$)(?:[A-Z][\w'’.-]*|[一-鿿·]{2,6})(?: (?:[A-Z][\w'’.-]*|de|la|le|du|da|di|van|von|der|den|ten|bin|al|el|y)){0,4}"
)
_DAY = re.compile(r"\d|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)")
_PARTED = re.compile(r"\s*(?:,|(?:and|or|with|without|on|in|at|before|after|when|while|but|from)\b)")
"""What makes a liking or an allergy one of several things, or one with a condition."""
_LISTED = re.compile(r"[\w'’-]+(?: [\w'’-]+)?(?:(?:,? (?:and|or)|,) [\w'’-]+(?: [\w'’-]+)?)+")
"""Several things not to be eaten, without a condition."""
_CALLED = re.compile(
    rf"(?i:the user asks the assistant to (?:always )?call them) (?!(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)day|to(?:day|morrow|night)|later|soon|back|now|asap|any ?time|at|on|after|before|in|when|if)\b)"
    rf"(?P<v>{_NAME}|[一-鿿·]{{2,4}})\.?$"
)
"""A name has a capital: "call me at six", "call me later" and "call me ASAP" give none."""
_SUBJECT = re.compile(
    rf"[Tt]he user(?P<own>['’]s)? (?:(?<=['’]s )(?:late |older |younger |little |big |eldest )?(?P<kin>{KIN_LATIN})(?: [A-Z][\w'’-]+)? )?"
)


def _english(text: str) -> Slot | None:
    if (called := _CALLED.match(text)) is not None:
        return Slot(USER, "called", called["v"])
    subject = _SUBJECT.match(text)
    if subject is None or _HEDGED.search(_NEITHER.sub(r"\1", text)):
        return None
    rest = text[subject.end() :]
    mine = _POSSESSED.match(text[subject.end("own") + 1 :]) if subject["own"] else None
    if mine is not None and (slot := _of_noun(fold(mine["noun"]), mine["v"].strip(" ."))) is not None:
        return slot
    if subject["own"] and subject["kin"] is None:
        return None
    who = fold(text[subject.end("own") : subject.end()]).strip() if subject["kin"] else ""
    return next(_by_verb(fold(subject["kin"] or USER), who, rest), None)


def _of_noun(noun: str, value: str) -> Slot | None:
    named = re.fullmatch(_NAME, value) is not None
    if re.fullmatch(KIN_LATIN, noun) and (not named or any(map(_DEMONYM.match, value.split()))):
        return None  # "the user's sister is vegan" is no name
    if (noun == "name" and not _FULL_NAME.fullmatch(value)) or ("birth" in noun and not _DAY.search(value)):
        return None  # "the user's name is hard to spell"
    attribute = {"birth date": "birthday", "date of birth": "birthday"}.get(noun, noun)
    return Slot(USER, attribute, value) if len(value.split()) <= 6 else None


def _by_verb(subject: str, who: str, text: str) -> Iterator[Slot]:
    for attribute, pattern, polarity, weak in _ENGLISH_OF:
        found = pattern.match(text)
        if found is None:
            continue
        told = found.groupdict()
        bare = told.get("bare")
        value = bare or next(v for k, v in told.items() if k[0] == "v" and v)
        listed = attribute == "language" or (
            attribute == "diet" and polarity < 0 and _LISTED.fullmatch(value) is not None
        )
        cut = None if listed else _STOP.search(value)
        if attribute in ("allergy", "likes", "diet") and cut and _PARTED.match(cut[0]):
            continue
        value = (value if listed else _STOP.sub("", value)).strip(" .")
        rest = told.get("rest") or ""
        plain = rest.strip(" .") == "" or _STOP.match(rest) is not None
        if weak and not places.may_be(value):
            continue
        if value and plain and not (bare and any(map(_DEMONYM.match, value.split()))):
            yield Slot(subject, attribute, value, polarity, weak, bare is not None, who)


# --- Chinese ----------------------------------------------------------------------------------------------------------

_SUBJECT_HAN = re.compile(
    rf"用户(?:的?(?P<kin>(?:{KIN_HAN}))(?P<called>[一-鿿]{{2,3}}?(?=[在住叫是对不会也今]))?)?(?:现在|目前|本人|自己|家)?"
)
_END_HAN = r"(?:了|的|啦)?。?$"
_PLACE_HAN = r"(?P<v>[一-鿿A-Za-z·]{2,12}?)"
_MOVER_HAN = "(?![^，。]{0,8}(?:[把将被让帮替]|公司|单位|数据|办公|部门|团队|工厂|学校|店|文件|项目|系统|听说|看[到见]|[说听]).{0,8}搬)(?!的)[^，。]{0,8}?"
"""What may stand before a move of the user: when and with whom, not what else moves, 用户的公司 or 把数据."""
_CHINESE_OF: Final = tuple(
    (name, re.compile(pattern + _END_HAN), polarity, weak)
    for name, pattern, polarity, weak in (
        ("home", rf"(?:一直|还)?(?:居?住在?){_PLACE_HAN}", 1, False),
        ("home", rf"(?:已经)?(?:不|没)(?:再)?(?:居?住在?){_PLACE_HAN}", -1, False),
        ("home", rf"(?:已经)?(?:搬离|搬出){_PLACE_HAN}", -1, False),
        ("home", rf"{_MOVER_HAN}(?:已经)?搬家[到去]了?{_PLACE_HAN}(?:住|定居|生活)?", 1, False),
        ("home", rf"{_MOVER_HAN}(?:已经)?搬[到去]了?{_PLACE_HAN}(?:住|定居|生活)?", 1, True),
        ("name", r"(?:(?:名|名字)?叫(?:做)?(?!了|过|外卖|快递|车[了去来。]|车$|出租车|滴滴|停|醒|起|[我他她你]|大家|妈|爸|孩子|老[婆公板师]|救护)|的?名字(?:是|叫)|姓名是)(?P<v>[一-鿿·]{2,4}|[A-Z][A-Za-z]+)", 1, False),
        ("age", r"(?:今年)?(?P<v>\d{1,3}|[一二三四五六七八九十]{1,3})岁", 1, False),
        ("birthday", r"的?生日(?:是|在)?(?P<v>(?:农历)?[\d一二三四五六七八九十]{1,3}月(?:初|廿)?[\d一二三四五六七八九十]{1,3}[号日]?)", 1, False),
        ("hometown", rf"(?:老家在?是?|来自|是(?!成年|未成年|残疾|盲|聋|普通|退休|单身|年轻|老年|负责|创始|主持|监护|经纪|投资|合伙|候选|当事|负心|病|好|坏|男|女|军)){_PLACE_HAN}(?:人)", 1, False),
        ("hometown", rf"的?老家(?:在|是){_PLACE_HAN}", 1, False),
        ("job", r"(?:是|当)(?:一?[名个位])?(?P<v>[一-鿿A-Za-z]{0,8}(?:(?<![会党团成学球])员|[^老]师|老师|医生|护士|律师|会计|司机|编辑|教授|记者|翻译|工人|厨子|木匠|警察|程序猿))", 1, False),
        ("employer", r"在(?P<v>[一-鿿A-Za-z]{1,14}(?:公司|医院|学校|大学|中学|小学|银行|工厂|厂|研究所|研究院|事务所|集团|报社|出版社|书店))(?:工作|上班|任职)", 1, False),
        ("diet", r"(?:是)?(?P<v>素食者|吃素|吃全素|纯素)", 1, False),
        ("diet", r"(?:从来?|一直)?(?:不[吃喝]|不(?:太|怎么|大)?能[吃喝]|戒了?)(?![了完饱下惯得起])(?![^。]*(?:因为|所以|就|但|而|的时候))(?P<v>[一-鿿、和]{1,10})", -1, False),
        ("allergy", r"对(?P<v>[一-鿿A-Za-z、和]{1,12}?)(?:没有|并?不)过敏", -1, False),
        ("allergy", r"对(?P<v>[一-鿿A-Za-z、和]{1,12}?)(?:严重|也|都)?过敏", 1, False),
        ("likes", r"(?:很|最|特别|非常|超|也)?(?:喜欢|爱吃|爱喝|爱看|爱听|热爱)(?!的)(?P<v>[一-鿿A-Za-z、]{1,14})", 1, False),
        ("likes", r"(?:很|最|特别|非常|超|也)?(?:不喜欢|讨厌|受不了|不爱吃|不爱喝|不爱)(?P<v>[一-鿿A-Za-z、]{1,14})", -1, False),
        ("language", r"会(?:说|讲)(?P<v>[一-鿿、和]{1,10}[语话文])", 1, False),
        ("pet", r"(?:养|有)(?:了|着)?(?P<v>[一两二三四五六\d]+[只条匹头](?:[一-鿿]{0,4})(?:猫|狗|兔子?|鹦鹉|仓鼠|乌龟|鸟|马|鱼))", 1, False),
    )
)  # fmt: skip
_CALLED_HAN = re.compile(
    r"用户(?:要求|希望)[：:，]?(?:助手)?(?:以后)?(?:都)?(?:请)?(?:叫|称呼)用户(?:为)?(?!起|吃|喝|睡|去|来|出|一[声下]|[早晚]点|[明今后]天|[周两一二三四五六七八九十]+点|名字)(?P<v>[一-鿿·]{2,4}?|[A-Z][A-Za-z]+)(?:就好|就行|就可以|吧)?。?$"
)
_ASKED_HAN = re.compile("[吗么嘛呢？?][。？?！!~]*$")
_HEDGED_HAN = re.compile("如果|要是|可能|也许|有时|以前|曾经?|打算|想|准备|将|周末|平日|夏天|冬天|或者")


def _chinese(text: str) -> Slot | None:
    if (called := _CALLED_HAN.match(text)) is not None:
        return Slot(USER, "called", called["v"])
    subject = _SUBJECT_HAN.match(text)
    if subject is None or _HEDGED_HAN.search(text) or _ASKED_HAN.search(text):
        return None
    rest = text[subject.end() :]
    for attribute, pattern, polarity, weak in _CHINESE_OF:
        found = pattern.match(rest)
        if found is not None and (not weak or places.may_be(found["v"])):
            who = (subject["kin"] or "") + (subject["called"] or "")
            return Slot(subject["kin"] or USER, attribute, found["v"], polarity, weak, who=who)
    return None
