"""A Chinese clause restated about the user by rule, for when the model's sentence cannot be trusted.

Chinese verbs do not change with the person, so putting 用户 for 我 gives a correct sentence about a
third person. English would need its verbs changed too, and is left to the model.
"""

from __future__ import annotations

import re

from edgemem.text import fold

MAX_CHARS = 90
"""Longest restated clause: a memory is at most 200 columns wide."""

_FILLER = re.compile(
    r"^(?:那个|就是说?|其实|对了|话说|哦|噢|嗯+|啊|唉|哎|哈+|诶|欸|然后|而且|不过|但是?|所以|因为)[,，、\s]*"
)
_TAIL = re.compile(r"[\s。！!？?~～，,；;、…]+$|(?:哈+|呀|啦|哦|嘛|呢)$")
_UNCLEAR = re.compile(r"^(?:他|她|它|那|这|前者|后者|前一|后一|第[一二三四五六]|一样|同样|对|是的|不是|没有|嗯|好)")
_COMMAND = re.compile(r"^(?:以后|今后|请|别|不要|不用|叫我|称呼我|记得|每次|回答|回复)|别给我")
_FOR_NOW = re.compile(r"帮我|给我(?:排|写|做|找|推荐|列|算|查|讲|说|来|个)|替我")
_LASTING = re.compile(r"以后|今后|每次|凡是|永远|一律")
_PERSON = (
    ("咱们家", "用户家"), ("我们家", "用户家"), ("咱家", "用户家"), ("我们俩", "用户两人"), ("我俩", "用户两人"), ("咱们", "用户这边"),
    ("我们", "用户这边"), ("我自己", "用户自己"), ("俺", "用户"), ("咱", "用户"), ("我", "用户"),
)  # fmt: skip


def restated(clause: str, *, instruction: bool) -> str | None:
    """The clause as a sentence about the user, or None when it cannot stand alone.

    ``instruction``: the clause tells the assistant what to do.
    """
    text = clause.strip()
    while (shorter := _TAIL.sub("", _FILLER.sub("", text))) != text:
        text = shorter
    if not 4 <= len(text) <= MAX_CHARS or _UNCLEAR.search(text):
        return None
    if re.search("[他她]", text) and "我" not in text:
        return None  # about somebody the rule cannot name
    if _FOR_NOW.search(text) and not _LASTING.search(text):
        return None
    if re.search('["“「]', text) and not instruction:
        return None  # whose words the quoted ones are, a rule cannot tell
    for said, meant in _PERSON:
        text = text.replace(said, meant)
    if instruction or _COMMAND.search(fold(clause)):
        return f"用户要求：{text}。"
    return f"{text}。" if text.startswith("用户") else f"用户{text}。" if "用户" not in text else f"用户提到：{text}。"
