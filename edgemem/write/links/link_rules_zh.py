"""Relations that a Chinese sentence states in plain words, read off it by rule: 陈静的老公老王在市图书馆工作.

Chinese writes no blanks and no capitals, so a name is what stands between words that are none: after a role (老公, 导师),
before a verb (在…工作, 住在). Each part between two punctuation marks is read by itself; a part without a subject of its own
goes on about the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from edgemem import kin
from edgemem.write.links.link import CUES, Link

SELF = "用户"

_KIN = "|".join(w for w in kin.HAN.split("|") if len(w) > 1 and w in kin.FEMALE | kin.MALE - {"先生"})
"""Relatives who are the user's where nobody else's is said: 爷爷住在洛阳."""

_ROLE = (
    rf"未婚夫|未婚妻|最好的朋友|好朋友|大学同学|高中同学|(?:钢琴|瑜伽|数学|语文|英语|游泳|舞蹈|小提琴|班主任)老师|{kin.HAN}|同学|同桌|战友|搭档|"
    r"组长|上司|站长|院长|校长|馆长|店长|队长|负责人|创始人|主任|教练|教授|徒弟|学生|房客|牙医|医生|助手|助理|秘书|律师|会计|保姆|供应商|客户|"
    r"公司|学校|单位|宠物|狗|猫"
)
_END = (
    r"(?=[在住养开是叫搬嫁娶的有从来给属也还把都很就又]|今[天年]|昨天|明[天年]|去年|前年|上个?[月周]|下个?[月周]|现在|刚|正在|一直|经常|每[天年周]|最近|"
    r"毕业|负责|喜欢|说|$)"
)
_NO_NAME = "的是叫在了着过给把带送帮想写去可什么怎吗呢吧他她我你这那谁不没未别"
"""Characters that hardly any name has: with one of them the words are rather a part of a sentence."""

_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧肖程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔"
    "白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文欧温庄柯殷詹翟阮俞"
)
_PERSON = re.compile(
    rf"(?:[{_SURNAMES}老小阿].{{1,3}}|(.)\1|.{{1,2}}(?:阿姨|叔叔|老师|医生|大夫|师傅|教授))(?<![人员])$"
)
"""What looks like the name of a person, where nothing says that it is one."""

_PRONOUNS = ("他", "她", "它")
_NO_PLACE = frozenset(("家", "家里", "公司", "医院", "学校", "单位", "外地", "国外", "这里", "那里", "外面", "办公室"))
_NAME = rf"(?![今昨明每常总也都还又一]|老是|正在)[^\W\d_{_NO_NAME}]{{2,6}}?{_END}"
_OBJECT = r"[^\W_的，]{1,12}?"

_TIME = r"(?:现在|目前|一直|刚|已经|上个月|上周|去年|今年|前年|后来|昨天|今天|也|又|就|都|正)*"
_OWNER = rf"{SELF}|{SELF}的(?:{_ROLE})|[他她它]|{_KIN}|[^\W\d_{_NO_NAME}]{{2,8}}"
_OWNS = rf"(?:(?P<owner>{_OWNER})的|(?P<me>{SELF}|[他她])(?=(?:{_ROLE})))"
_IS_ROLE = re.compile(rf"^{_OWNS}(?P<role>{_ROLE})(?P<called>是|名叫|叫做|叫)?(?P<who>{_NAME})(?P<rest>.*)$")
_UNNAMED = re.compile(rf"^{_OWNS}(?P<role>{_ROLE})(?P<rest>{_TIME}[在住搬养开是有来].+)$")
_MORE = re.compile(rf"^的(?:{_ROLE})")
_REVERSED = re.compile(rf"^(?P<who>{_NAME})是{_OWNS}(?P<role>{_ROLE})$")
_CALLED = (
    r"(?:的?(?:大名|本名|原名|真名|全名|外号|绰号|小名|昵称|网名|花名)(?:就?是|叫做|叫)?|就是|又叫|也叫)"
    rf"(?P<other>[^\W\d_{_NO_NAME}]{{2,4}})$"
)
_ALIAS = re.compile(rf"^(?P<who>[^\W\d_{_NO_NAME}]{{2,6}}?){_CALLED}")
_ALSO = re.compile(rf"^{_CALLED}")
_PLACES = "[市省县区镇村乡街路巷弄港湖山岛湾桥州京海津庆阳江门口安都沙圳宁昌滨岭城园楼厦场]|广场|大厦|中心"
_VERBS = (
    ("任职于", re.compile(rf"^{_TIME}在(?P<what>{_OBJECT})(?:上班|工作|任教|任职|教书|当[^在]{{1,6}}|做[^在]{{1,6}}|实习)")),
    ("就读于", re.compile(rf"^{_TIME}(?:在(?P<what>{_OBJECT})(?:读书|上学|念书|上大学|读[^在]{{1,4}}|留学)|就读于(?P<what2>[^\W_]{{2,12}}))")),
    ("任职于", re.compile(rf"^{_TIME}(?:入职了?|跳槽到了?|加入了?|任职于)(?P<what>[^\W_]{{2,12}})$")),
    ("住在", re.compile(rf"^{_TIME}(?:住在|搬到了?|搬去了?|定居在?)(?P<what>[^\W_]{{1,10}})")),
    ("来自", re.compile(rf"^{_TIME}(?:是(?P<what>[^\W_的]{{1,6}})人$|来自(?P<what2>[^\W_]{{1,10}})|是从(?P<what3>{_OBJECT})(?:领养|来|买))")),
    ("位于", re.compile(rf"^{_TIME}(?:位于|坐落在|停在|开在|就在|在)(?P<what>[^\W_的]{{1,7}}(?:{_PLACES}))$")),
    ("属于", re.compile(rf"^{_TIME}(?:属于|归)(?P<what>[^\W_]{{2,10}}?)(?:了|管|所有)?$")),
    ("伴侣", re.compile(rf"^{_TIME}(?:嫁给了?|娶了|和(?=.{{1,6}}结婚))(?P<what>[^\W_]{{1,6}}?)(?:结婚.*)?$")),
    ("供应", re.compile(rf"^{_TIME}(?:给|为|向)(?P<what>(?:用户的)?{_OBJECT})(?:供应?[^\W_]{{0,4}}|供货|送[菜货])")),
    ("拥有", re.compile(rf"^{_TIME}(?:有|养了?|买了?|开了?|创办了?)[一二两三几]?[只条家个间所艘辆匹座][^\W_叫]{{0,6}}?(?:名?叫做?)(?P<what>[^\W_]{{1,8}})$")),
    ("负责", re.compile(rf"^{_TIME}(?:负责|主管|带领|管着)(?P<what>[^\W_]{{2,10}})$")),
    ("成员", re.compile(rf"^{_TIME}是(?P<what>{_OBJECT})的?(?:成员|队员|会员)$")),
)  # fmt: skip
_NEW_THING = re.compile(
    r"^(?P<who>.{0,8}?)(?:有|养了?|买了?|开了?|创办了?)[一二两三几]?[只条家个间所艘辆匹座][^\W_叫]{1,6}$"
)
_ITS_NAME = re.compile(r"^(?:名?叫做?|取名)(?P<what>[^\W_]{1,8})$")
_UNCERTAIN = re.compile("不|没有?在|没去|以前|曾经?|原来在|如果|要是|假如|希望|打算|想去|可能|也许|[吗呢]$|[?？]$")
_SUBJECT = re.compile(
    rf"^(?P<who>[他她它]|[^\W\d_{_NO_NAME}]{{2,8}}?)(?P<rest>(?:现在|目前|刚|已经|上个月|去年|今年|上周)?(?:在|住|搬|来自|是|位于|坐落|停在|开|属于|归|嫁|娶|给|为|有一|养|买|创办|入职|跳槽|加入|就读|任职|负责|就是|又叫).+)$"
)
_LEAD = re.compile(
    r"^(?:用户(?:提到|说)|被问到.*用户回答|对|有|没有|面|当然|听[^\W_]{1,4}说|其实|原来|就是|比如)[，：:]?(?=.)|^听[^\W_]{1,4}说"
)
_PARTS = re.compile(r"[，。；：！？、,.;:!?\s“”\"]+")


@dataclass(slots=True)
class Stated:
    """What a sentence states: relations, and pairs of names that one thing goes by (the name, another name of it).

    ``left``: names in it of which nothing is stated.
    """

    links: list[Link] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    left: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Whether there is anything."""
        return bool(self.links or self.names)

    @property
    def whole(self) -> bool:
        """Whether nothing is left to find for somebody who reads better."""
        return self.any and not self.left


def stated(content: str, before: str = "") -> Stated:
    """The relations and second names that a Chinese memory or message states."""
    found = Stated()
    topic: str | None = None
    opened: str | None = None
    for part in [*_parts(before), None, *(p for p in _parts(content) if not _UNCERTAIN.search(p))]:
        if part is None:
            found = Stated()  # what was said before only tells whom "she" means
            continue
        named = _ITS_NAME.match(part)
        if named is not None and opened is not None:
            found.links.append(Link(opened, "拥有", named["what"], 1.0))
            topic, opened = named["what"], None
            continue
        topic, rest = _read(part, topic, found)
        opened = topic if topic is not None and _NEW_THING.match(rest) else None
    return found


def _parts(text: str) -> Iterator[str]:
    text = re.sub(r"用户这边|我们|咱们", "用户的", text)
    text = re.sub(rf"我的|我(?=家|(?:{_ROLE}))", "用户的", text)
    for part in _PARTS.split(text):
        short = part
        while (m := _LEAD.match(short)) is not None and m.end() < len(short):
            short = short[m.end() :]
        if short:
            yield short


def _read(part: str, topic: str | None, found: Stated) -> tuple[str | None, str]:
    """Take out of one part what it states. Returns what it is about, and what is left to say of that."""
    alias = _ALIAS.match(part)
    if alias is not None and not re.search(_ROLE, alias["who"]):
        found.names.append((_known(alias["who"], topic), alias["other"]))
        return found.names[-1][0], ""
    turned = _REVERSED.match(part)
    if turned is not None:
        owner = _known(_owner(turned), topic)
        _relate(found, turned["who"], turned["role"], owner)
        return turned["who"], ""
    who, rest = _subject(part, topic, found)
    if who is not None and rest:
        _said(found, who, rest)
    return who or topic, rest


def _subject(part: str, topic: str | None, found: Stated) -> tuple[str | None, str]:
    """Whom a part is about, and the rest of it; what that one is to another is noted."""
    m = _IS_ROLE.match(part)
    if (
        m is not None
        and re.match(_ROLE, m["who"]) is None
        and (m["called"] in ("名叫", "叫做", "叫") or _PERSON.match(m["who"]))
    ):
        who, owner = m["who"], _known(_owner(m), topic)
        _relate(found, who, m["role"], owner)
        return _subject(f"{who}{m['rest']}", who, found) if _MORE.match(m["rest"]) else (who, m["rest"])
    m = _UNNAMED.match(part)
    if m is not None:
        owner = _known(_owner(m), topic)
        name = f"{owner}的{m['role']}"
        if owner != SELF:
            _relate(found, name, m["role"], owner)
        return name, m["rest"]
    m = _SUBJECT.match(part)
    if m is not None and (m["who"] == SELF or not m["who"].startswith(SELF)):
        return _known(m["who"], topic), m["rest"]
    return topic, part


def _owner(m: re.Match[str]) -> str:
    return m["owner"] or m["me"]


def _known(name: str, topic: str | None) -> str:
    """Whom a word means: 她 is whom the talk was of, a bare 爷爷 is the user's."""
    if name in _PRONOUNS and topic is not None:
        return topic
    if re.fullmatch(_KIN, name):
        return f"{SELF}的{name}"
    return SELF if name in ("我", "用户的") else name


def _relate(found: Stated, who: str, role: str, owner: str) -> None:
    if who == owner or owner in _PRONOUNS:
        return
    predicate = next((p for p, cues in CUES.items() if not p.isascii() and re.search(cues, role)), role)
    found.links.append(Link(who, predicate, owner, 1.0))
    if owner.startswith(SELF):
        found.names.append((who, f"{owner}的{role}"))


def _said(found: Stated, who: str, rest: str) -> None:
    for predicate, pattern in _VERBS:
        m = pattern.match(rest)
        if m is not None:
            what = next(v for v in m.groups() if v)
            if what not in (who, SELF) and what not in _NO_PLACE and who not in _PRONOUNS:
                found.links.append(Link(who, predicate, what, 1.0))
            return
    alias = _ALSO.match(rest)
    if alias is not None:
        found.names.append((who, alias["other"]))
