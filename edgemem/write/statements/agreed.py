"""What the assistant offered to do from now on and the user agreed to: "Shall I skip the greetings from now on?" "yes please"."""

from __future__ import annotations

import re

from edgemem.text import fold, is_han

_LASTING = re.compile(
    r"\b(?:from now on|in (?:the )?future|going forward|for all future \w+|for future \w+|every time)\b|以后|今后|往后|每次"
)
_OFFER = re.compile(
    r"\b(?:shall i|should i|i can|i could|i['’]ll|i will|(?:do you )?want me to|would you like me to) (?:just |always )?(?P<what>[^?.!]{4,110}?)"
    r"(?:,? ?(?:(?:from now on|in (?:the )?future|going forward|every time)[.,]?|ok(?:ay)?|right|(?:does|would) that (?:work|help|suit you)(?: for you)?|sounds? good|is that (?:ok|better|fine)))*\s*[?.][^?]{0,30}\??$",
    re.IGNORECASE,
)
_OFFER_HAN = re.compile(
    r"(?:以后|今后|往后|每次)(?:我)?(?:就|都|也)*(?:可以|会|能)?(?P<what>[^。！？?]{3,60}?)[，,。]?(?:这样)?(?:可以|行|好|怎么样|如何|[您你]看)?(?:吗|么|呢|吧)?[?？]$"
)
_YES = re.compile(
    r"\W*(?:(?:yes|yeah|yep|yup|sure|ok|okay|perfect|great|please|please do|do that|do so|exactly|absolutely|definitely|sounds good|go for it|go ahead|that works|that['’]s (?:better|good|fine|perfect|it)|much better|thanks|thank you)\W*)+"
    r"|\W*(?:(?:可以的?|好的?|好啊|行啊?|嗯+|没问题|ok|对|是的?|要|同意|成|就(?:这样|按这个|这么)(?:来|办|定|做)?|按这个来|都可以|谢谢)[吧啊了呀]*\W*)+",
    re.IGNORECASE,
)


def sentence(asked: str, answer: str) -> str | None:
    """The rule the user agreed to, or None: the answer is no plain yes, or the offer was for once."""
    if _YES.fullmatch(answer.strip()) is None or _LASTING.search(fold(asked)) is None:
        return None
    offer = (_OFFER_HAN if is_han(asked) else _OFFER).search(asked.strip())
    if offer is None:
        return None
    what = offer["what"].strip(" ,，")
    if is_han(asked):
        return f"用户要求：助手以后{re.sub('[您你]', '用户', what)}。"
    what = re.sub(r"\byou\b", "them", re.sub(r"\byour\b", "their", what, flags=re.IGNORECASE), flags=re.IGNORECASE)
    return f"The user asks the assistant to {what} from now on."
