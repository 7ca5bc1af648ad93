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
    r"|\b(?:from now on|in future|every time|pls|please)\b|以[后後]|今[后後]|从现在起|從現在起|每次|记得|别再|不要再|叫我|请用|^(?:别|別|不要|请|請|唔好|唔使|唔要)"
)
_TIMED = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b(?:yesterday|today|tonight|tomorrow|last|next|this (?:week|month|year|weekend)|ago|on (?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)day|january|february|march|april|may \d|june|july|august|september|october|november|december|\d{1,2}(?:st|nd|rd|th))\b"
    r"|\d+月|\d+[号日]|昨|前天|今天|明|后天|上周|下周|上个?月|下个?月|去年|明年|周[一二三四五六日末]|星期"
)
_SKILL = re.compile(
    r"\b(?:until|til|trick|works? (?:best|well|better)|the way i)\b|办法|窍门|技巧|管用|才.{0,6}(?:好|成|行)"
)


def kind_of(letter: str, quote: str, content: str, proposed: str) -> str:
    """One of the kinds. ``letter`` is the gate's for the clause, ``proposed`` the language model's own word."""
    if letter == "S":
        return "state"
    said = fold(quote)
    if letter == "P":
        return "rule" if _INSTRUCTION.search(fold(content)) or _COMMAND.search(said) else "preference"
    if proposed == "skill" and _SKILL.search(said):
        return "skill"
    return "event" if proposed != "fact" and _TIMED.search(f"{said} {fold(content)}") else "fact"
