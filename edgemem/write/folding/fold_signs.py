"""What the words of a clause say of its part in a conversation: decided, corrected, accepted, proposed, reported, asked.

Signs only: they raise or lower what a clause weighs for a summary, and never make a statement of their own.
"""

from __future__ import annotations

import re

from edgemem.text import fold, is_han

_QUESTION = re.compile(r"[?？]\W*$")
_DECISION = re.compile(
    r"\b(?:decid|agree|settle|chose|choose|pick|prefer|instead|go(?:ing)? with|let'?s|plan(?:ned)? to|will|won'?t|must|deadline|due|"
    r"from now on|cancel|confirm|approv|reject|no longer|correct(?:ion)?|actually|fixed|works? now|turned out|result|fail|error|succeed|passed|"
    r"make it|booked|do not|don'?t|never|not to|tell (?:her|him|them|you)|(?:he|she|they) (?:said|says|told|want)|(?:i|we)'?ll take|has to|have to|needs? to|only the)|\b(?:it is|then)\W*$|^\W*keep ",
    re.IGNORECASE,
)
_DECISION_ZH = re.compile(
    "决定|就这样|定了|选|改成|改为|改到|换成|换到|不再|取消|确认|通过|拒绝|以后|必须|截止|其实|更正|结果|原来是|解决|搞定|打算|计划|同意|失败|报错|成功"
    "|推迟|负责|(?:他|她|他们|对方|那边)说|那就|订|就.{1,12}吧|^行|^不要|^别|不能再|批了|约"
)
_REASON = re.compile(
    r"^(?:because|since|so that|as it|the reason|otherwise|due to|that'?s why)\b|^(?:因为|由于|否则|不然|所以|原因)",
    re.IGNORECASE,
)
_HAN_NUMBER = (
    "[一二两三四五六七八九十百千万]+(?:来|多)?(?:个|天|次|秒|点|号|元|块|公里|分|桌|组|周|年|月|岁|人|台|小时|千|百|万)"
)
_EXACT = re.compile(rf"\d|[A-Z][\w-]*[A-Z0-9]|(?<=[a-z,;:] )[A-Z][a-z]+|[\"“”「」《》]|{_HAN_NUMBER}")
_CODE = re.compile(r"#\d{3,}|\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9]+-[\w-]{3,}|\b\d{6,}\b")
_DONE = re.compile(
    r"\b(?:i(?:['’]ve| have)|it['’]?s|is|are|was|were) (?:now |all |also )?(?:\w+ed|set|sent|done|made|put)\b|^(?:done|corrected|noted|added)\b"
    r"|\byour (?:\w+ )?(?:number|code)\b|\baltogether\b|\b(?:root )?cause\b|\b(?:failed|succeeded|passed|works now|turned out)\b",
    re.IGNORECASE,
)
_DONE_ZH = re.compile("已(?:经)?(?:为您|更正|登记|提交|预约|调整|安排|改|备注|发|取消)|编号是|单号是|合计|总共|原因是")
_ACCEPTED = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|ok(?:ay)?|sure|agreed|deal|sounds (?:good|great|fine)|let['’]?s do|do (?:that|it|both)|go ahead|please do|pls do|good idea)\b"
    r"|the (?:first|second|third|latter|former|\d+(?:st|nd|rd|th))(?: one)?\W*$)"
    r"|^\W*(?:(?:好的?|行吧?|可以的?|要|对|都|是的|没问题|同意|嗯)(?=\W|$|写)|就(?:这么|按这|这样|先))",
    re.IGNORECASE,
)
_SELF_STANDING = re.compile(
    r"\b(?:i|we|my|our|it['’]?s|he|she|they|is|are|was)\b|[我咱他她]|[订选买换改住做定].", re.IGNORECASE
)
_PROPOSED = re.compile(
    r"\b(?:suggest|recommend|propose|i['’]d|i would|how about|could|the (?:simplest|best) way|would you like|shall i|do you want)\b"
    "|建议|推荐|要不要?|不如|不妨|可以考虑|可以为您",
    re.IGNORECASE,
)
_EMPTY_QUESTION = re.compile(
    r"\b(?:what do you think|is that (?:ok|fine|all right)|does that|would that|sound good)\b|可以吗|怎么样|可以接受|您看|好吗|行吗",
    re.IGNORECASE,
)
_POINTING = re.compile(r"\b(?:that one|this one|of the (?:two|three)|these|those|both)\b", re.IGNORECASE)
_CORRECTED = re.compile(
    r"\b(?:actually|no longer|wrong|not .{1,20} but|chang\w+|moved?|make it|instead|any ?more|now|update|come later|comes? a|fix)\b"
    "|改|换|不是.*是|推迟|提到|提前|看错|更正|取消|还是别|刚",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"\b(?:how (?:much|many|long|often|old|far|heavy)|what (?:would|does|do|did) .{0,20}(?:cost|weigh|take)|when|which|what time)\b"
    "|多少|多久|多长|几[个点号天次]|什么时候|哪[个天家种]",
    re.IGNORECASE,
)
_IDLE = re.compile(
    r"^\W*(?:(?:will do|thank(?:s| you)|thx|great|perfect|cool|nice|wow|lol|ha(?:ha)+|got it|good to know|otherwise great|very clear|a lot)\W*)+$"
    r"|^\W*(?:(?:记下了?|知道了|明白了?|谢谢你?|谢啦|好嘞|太好了|不错|先这样|哈+)\W*)+$",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:(?:ok(?:ay)?|oh|ah|ugh|hm+|hey|hi|well|so|and|but|also|anyway|wow|btw|lol|wait)\b[\s,.!…:-]*)+(?=\S+ \S)"
    r"|^(?:(?:嗯+|哦|啊|哎|对了|还有个事|还有|等等|等下)[，,。、\s]*)+(?=.{4})",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether a clause is a question."""
    return _QUESTION.search(text) is not None


def decides(text: str) -> bool:
    """Whether a clause decides, obliges or says how something came out."""
    return bool(_DECISION_ZH.search(text) if is_han(text) else _DECISION.search(text))


def gives_reason(text: str) -> bool:
    """Whether a clause begins as the reason for what stands before it."""
    return _REASON.match(text) is not None


def exact(text: str) -> bool:
    """Whether a clause holds a number, a name or quoted words."""
    return _EXACT.search(text) is not None


def holds_code(text: str) -> bool:
    """Whether a clause holds a number by which something is filed: of a case, an order, a request."""
    return _CODE.search(text) is not None


def reports(text: str) -> bool:
    """Whether the assistant says in it what was done or found, and does not advise."""
    return bool(_DONE_ZH.search(text) if is_han(text) else _DONE.search(text))


def accepts(text: str) -> bool:
    """Whether a clause says yes to something, or takes one of two."""
    return _ACCEPTED.match(text) is not None


def proposes(text: str) -> bool:
    """Whether the assistant proposes something in it."""
    return _PROPOSED.search(text) is not None


def points_back(text: str) -> bool:
    """Whether a question says by a pointing word what it is about: "move it to that one?", "which of the two?"."""
    return _POINTING.search(text) is not None


def asks_for_nothing_but_consent(text: str) -> bool:
    """Whether a question says nothing of what is asked: "what do you think?", 您看可以吗？"""
    return _EMPTY_QUESTION.search(text) is not None


def corrects(text: str) -> bool:
    """Whether a clause may give another value to what was said before."""
    return _CORRECTED.search(text) is not None


def asks_an_amount(text: str) -> bool:
    """Whether a question asks for a number or one of several."""
    return asks(text) and _HOW_MUCH.search(fold(text)) is not None


def leans(text: str) -> bool:
    """Whether an answer says little without its question: a few words without a subject of their own."""
    short = len(text) <= 10 if is_han(text) else len(text.split()) <= 7
    return short and _SELF_STANDING.search(text) is None


def idle(text: str) -> bool:
    """Whether a clause thanks or agrees and says nothing else."""
    return _IDLE.match(text) is not None


def lead_in(text: str) -> int:
    """How many characters at the start say nothing: "ok, ", 嗯，."""
    found = _LEAD_IN.match(text)
    return found.end() if found is not None and found.end() < len(text) else 0
