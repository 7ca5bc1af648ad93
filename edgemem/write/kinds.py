"""The kind of a memory, from what the gate saw in its clause and from the words themselves.

A small model names kinds badly; the letter of the clause and a few words tell more.
"""

from __future__ import annotations

import re

from edgemem.text import fold

_INSTRUCTION = re.compile(
    r"\bthe (?:user (?:wants|would like|asks|needs|expects|prefers) the )?assistant\b"
    r"|^(?:the user|the user's)[^.]{0,40}\b(?:answers?|replies|responses?)\b"
    r"|助手|^用户(?:希望|要求|想要|需要|让)[^，。]{0,6}(?:回答|回复|称呼|叫)"
)
_COMMAND = re.compile(
    r"^(?:please|pls|always|never|do ?n[o']?t|stop|keep|use|call me|answer|reply|write|give me|no|speak|make)\b"
    r"|\b(?:from now on|in future|every time|pls|please)\b|以[后後]|今[后後]|从现在起|從現在起|每次|记得|别再|不要再|用[^，,]{1,6}[，,]?(?:别|不要)[用放写说]|叫我|请用|^(?:别|別|不要|请|請|唔好|唔使|唔要)"
)
_TIMED = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b(?:yesterday|today|tonight|tomorrow|last|next|this (?:week|month|year|weekend)|ago|on (?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)day|january|february|march|april|may \d|june|july|august|september|october|november|december|\d{1,2}(?:st|nd|rd|th))\b"
    r"|\d+月|\d+[号日]|昨|前天|今天|明|后天|上周|下周|上个?月|下个?月|去年|明年|周[一二三四五六日末]|星期"
)
_SKILL = re.compile(
    r"\b(?:until|til|trick|works? (?:best|well|better)|the way i)\b|办法|窍门|技巧|管用|才.{0,6}(?:好|成|行)"
)


_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_WEEKDAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DATED = re.compile(
    rf"\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})\b|\b(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?\b|\b(?:on the )\d{{1,2}}(?:st|nd|rd|th)\b"
    rf"|\b(?:on|this|next|last) {_WEEKDAYS}(?!s)\b|\b(?:yesterday|tomorrow|tonight|last (?:night|week|weekend|month)|next (?:week|weekend|month)|this (?:weekend|afternoon|evening)|\w+ days ago)\b"
    r"|\d{1,2}月\d{1,2}[号日]?|[一二三四五六七八九十]{1,2}月(?:初|十|廿)?[一二三四五六七八九十]{1,2}[号日]?|(?<!\d)\d{1,2}[号日](?!线)|[上下这本]个?(?:周|星期|礼拜)[一二三四五六日天]|(?:上|下)(?:周|个?月|周末)"
    r"|昨[天晚]|前天|明[天晚]|后天|这周[一二三四五六日末]|(?<![每至到])周[一二三四五六日](?![一二三四五六日]|、|至|到)"
)
_ONCE = re.compile(
    r"\b(?:appointment|exam|interview|flight|flies|flying|train leaves|wedding|defen[cs]e|trip|surgery|operation|concert|party|conference|check-?up|viewing|hearing|funeral|ceremony|marathon"
    r"|race|audition|match|visit(?:ed|s|ing)?|passed|failed|met|saw|flew|had (?:a|an|the|their) (?!dog|cat|car)|attended|ran (?:a|the)|won|broke (?:their|his|her)|fell|crashed|graduated"
    r"|gave birth|proposed|celebrat\w+|hosted|climbed|hiked|is coming|are coming|is going to|is getting (?:married|surgery)|leaves? for|arriv\w+|is due|booked|cancel\w+|signed|performed|gets? back|deadline)\b"
    r"|答辩|面试|考试|手术|婚礼|结婚|体检|复查|复诊|门诊|航班|飞|出发|起飞|演出|演唱会|比赛|马拉松|聚会|团建|会议|开会|出差|旅[行游]|去了|见了|参加|通过了|考过|摔|撞|出院|住院|来家里|提车|看房|上门|截止|到期|签了|订了|约了|过了$"
)
_RECURRING = re.compile(
    r"\b(?:every|each|always|usually|often|never|since|birthday|born|anniversary|whenever|used to|lives?|works?|moved|weekly|monthly|yearly|annually|no longer|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)\b"
    r"|每|一直|总是|经常|以来|生日|出生|纪念日|起住|住在|搬|习惯|平时|不再|从来"
)


def happening(content: str) -> bool:
    """Whether a sentence tells one thing that happens or happened at a time: an exam on a day, not a habit or a birthday."""
    text = fold(content)
    return _DATED.search(text) is not None and _ONCE.search(text) is not None and _RECURRING.search(text) is None


def kind_of(letter: str, quote: str, content: str, proposed: str) -> str:
    """One of the kinds. ``letter`` is the gate's for the clause, ``proposed`` the language model's own word."""
    if letter == "S":
        return "state"
    said = fold(quote)
    if letter == "P":
        return "rule" if _INSTRUCTION.search(fold(content)) or _COMMAND.search(said) else "preference"
    if proposed == "skill" and _SKILL.search(said):
        return "skill"
    if proposed == "event" and happening(content):
        return "event"
    return "event" if proposed != "fact" and _TIMED.search(f"{said} {fold(content)}") else "fact"
