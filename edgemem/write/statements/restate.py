"""A Chinese clause restated about the user by rule: nothing is added, nothing has to be generated.

Chinese verbs do not change with the person, so putting 用户 for 我 gives a correct sentence about a
third person. A clause without a subject is the user's only when it begins with a verb and speaks after
nobody else; otherwise it is passed on as what the user mentioned. ``person`` does the same for English.
"""

from __future__ import annotations

import re
from typing import Final

from edgemem.kin import HAN
from edgemem.text import fold

MAX_CHARS = 90
"""Longest restated clause: a memory is at most 200 columns wide."""

_FILLER = re.compile(
    r"^(?:那个|就是说?|先?(?:说|讲|介绍|交代)一?下(?:我的)?(?:情况|背景|我自己)?[哈吧啊]?|其实|对了|话说|哦了?|噢|嗯+|啊|唉|哎|哈+|诶|欸|然后|而且|不过|但是?|所以|因为|打错了|更正一下|更正|忘了说|忘记说|忘了讲|(?:你)?(?:可以)?(?:帮我)?(?:记一下|记住|记下来?)|提醒我|(?:这事儿?|这话)?(?:就|只)?(?:咱俩|咱们?两个?|我们俩|你我|你我之间|天知地知)知道(?:就行|就好)?|(?:这事儿?)?(?:你)?(?:可)?(?:别|不要)(?:跟|和|告诉|对)(?:别人|其他人|任何人|他人)(?:说|讲)?|(?:私下|悄悄|偷偷)(?:跟你|告诉你|和你)?说?|另外|还有|仲有|還有)[,，、:：\s]*"
)
_TAIL = re.compile(
    r"[\s，,](?:你|请)?(?:别急|见谅|多包涵|多担待|耐心点)$|[\s。！!？?~～，,；;、…]+$|(?:哈+|呀|啦|哦|嘛|呢)$"
)
_UNCLEAR = re.compile(
    r"^(?:他|她|它|那(?![边里])|这(?!周|个?月|学期|两年|几年)|前者|后者|前一|后一|第[一二三四五六](?:个|种|款|项)|一样|同样|对(?!.{1,12}过敏)|是的|不是|没有(?![一-鿿]{2})|嗯|好)"
)
_DAY_ONLY = re.compile(
    r"(?:\d{4}年)?[\d一二三四五六七八九十]{1,3}月(?:[\d一二三四五六七八九十]{1,3}[号日]?)?|\d{1,2}[号日点]|(?:上|下|这|本)?(?:周|星期)[一二三四五六日天]"
)
_COMMAND = re.compile(r"^(?:以[后後]|今[后後]|请|請|唔好|唔使|別|别|不要|不用|叫我|称呼我|记得|每次|回答|回复)|别给我")
_FOR_NOW = re.compile(
    r"(?:^|[，,。：:\s请你来再先快])帮我|写一?[首篇段封份]|口吻|给我(?:排|写|做|找|推荐|列|算|查|讲|说|来|个)|替我[一-鿿]"
)
_LASTING = re.compile(r"以[后後]|今[后後]|每次|凡是|永远|一律")
_COMPLAINT = re.compile(r"^你(?:每次|总|老|怎么|又|刚)")
_SOMEBODY = re.compile(r"(?<![其吉伐洛利])[他她](?![们汀人乡])")
_NAMED = re.compile(f"{HAN}|客户|学生|徒弟|亲戚|公|婆|[小老阿][\u4e00-\u9fff]")
_LONG_QUOTE = re.compile(r"[\"“「][^\"”」]{11,}|[\"“「][^\"”」]*我")
_VERB_FIRST = re.compile(
    r"^(?:在|住|做|干|开|买|卖|有|没|不|从|已|刚|想|要|打算|准备|计划|喜欢|讨厌|爱|怕|最|只|每|经常|一直|平时|早|去|来|搬|换|养|学|读|考|当|是|会|能|订|约"
    r"|报|申请|提交|对|吃|喝|用|睡|上个?[周月]|下个?[周月]|昨|今|明|后天|大后天|前天|现在|目前|入职|离职|毕业|结婚|离婚|怀孕|确诊|戒|跳槽|转|租|贷|跟|和|把|被|得|拿|带|找|等|卡在|负责|本人|\d)"
)
_SOMEBODY_DOES = re.compile(
    "[\u4e00-\u9fff·]{2,4}(?:只|也|从来|总是?|每天|已经|刚|一直)?(?:不?(?:会|说|讲|喜欢|爱|住|想|要|接|打|吃|喝|来|去|是|在|有|养|学|教|当|认识|讨厌))"
)
_BELONGING: Final = (*HAN.split("|"), "家里", "公司", "老家", "车", "房子", "手机", "电脑", "猫", "狗")
_PERSON = (
    ("咱们家", "用户家"), ("我们家", "用户家"), ("咱家", "用户家"), ("我们俩", "用户两人"), ("我俩", "用户两人"), ("咱们", "用户这边"),
    ("我们", "用户这边"), ("我哋", "用户这边"), ("我自己", "用户自己"), ("俺", "用户"), ("咱", "用户"), ("我", "用户"),
)  # fmt: skip

_KIN = re.compile(f"用户(?=[表堂大小二三]?(?:{HAN}))")
_SHORT_KIN = re.compile(r"用户的(姐|哥|弟|妹|妈|爸)(?!\1|[夫媳子弟妹妈爸姐哥])")
"""我姐 is what people say; 用户姐 is what nobody writes."""


def restated(clause: str, *, instruction: bool, other: str | None = None) -> str | None:
    """The clause as a sentence about the user, or None when it cannot stand alone.

    ``instruction``: the clause tells the assistant what to do. ``other``: the person spoken of just
    before, as the user named them (我外婆); "" if there is one without such a name.
    """
    text = _trimmed(clause)
    if not 4 <= len(text) <= MAX_CHARS or _UNCLEAR.search(text) or _DAY_ONLY.fullmatch(text):
        return None
    somebody = _SOMEBODY.search(text)
    if somebody is not None and "我" not in text and _NAMED.search(text[: somebody.start()]) is None:
        return None  # about somebody the rule cannot name
    if _FOR_NOW.search(text) and not _LASTING.search(text):
        return None
    if _LONG_QUOTE.search(text) and not instruction:
        return None  # whose words the quoted ones are, a rule cannot tell
    if instruction or _COMMAND.search(fold(clause)):
        return None if _COMPLAINT.search(text) else f"用户要求：{about_user(text).replace('你', '助手')}。"
    if "我" in text or "咱" in text or "俺" in text:
        said = about_user(text)
        return f"{said}。" if said.startswith("用户") or "，" in said[:8] else f"用户提到：{said}。"
    return _without_subject(text, other)


def mentioned(clause: str) -> str | None:
    """The clause as what the user mentioned, when it speaks of somebody or something no rule can name."""
    text = _trimmed(clause)
    if not 6 <= len(text) <= MAX_CHARS or _UNCLEAR.search(text) or _SOMEBODY.search(text) or _LONG_QUOTE.search(text):
        return None
    return None if _FOR_NOW.search(text) or _COMPLAINT.search(text) else f"用户提到：{about_user(text)}。"


def without_person(clause: str) -> bool:
    """Whether a clause does not begin with somebody who does something."""
    text = _trimmed(clause)
    return _VERB_FIRST.search(text) is not None or _SOMEBODY_DOES.match(text) is None


def _trimmed(clause: str) -> str:
    text = clause.strip()
    while (shorter := _TAIL.sub("", _FILLER.sub("", text))) != text:
        text = shorter
    return text


def about_user(text: str) -> str:
    """With 用户 for every 我."""
    for said, meant in _PERSON:
        text = text.replace(said, meant)
    return _SHORT_KIN.sub(r"用户的\1\1", _KIN.sub("用户的", text))


def _without_subject(text: str, other: str | None) -> str | None:
    """Whose a clause without a subject is depends on who was spoken of before."""
    if other:
        return f"{about_user(other)}：{text}。"
    if other == "":
        return None
    return f"用户{text}。" if _VERB_FIRST.search(text) or text.startswith(_BELONGING) else f"用户提到：{text}。"
