"""What a request not to keep something leaves out of it: "don't save any of this. What you can save: my dentist is new"."""

from __future__ import annotations

import re

_KEEP = r"(?:save|keep|remember|store|note|record|memori[sz]e)"
_ALLOWED = re.compile(
    rf"\b(?:what|(?:the )?(?:only |one )?things?|all|everything) (?:that )?you (?:can|may|should|could|(?:are|['’]re) allowed to)(?: still)? {_KEEP}(?: is| are)?(?: that)?\s*[:,–—-]?\s*"
    rf"|\b(?<!if )(?<!as )(?<!so )you (?:can|may|could|should|(?:are|['’]re) (?:allowed|welcome|free) to)(?: still| only| just| however)* {_KEEP}(?: only| just| this| that)?\s*[:,–—-]?\s+(?!it\b|them\b|nothing|anything|none|to yourself|in mind)"
    rf"|(?:^|[.!?;,]\s+)(?:please |but |and )*(?:only|just) {_KEEP}(?: this| that)?\s*[:,–—-]?\s+(?!it\b|nothing|in mind)"
    r"|(?<![不别没])(?:你)?(?:可以|只能|只需要?|只要|只|能)(?:记住?|存|保存|记录|记下)(?:的|一下)?(?:东西|内容)?(?:只有|是|就是)?[：:，,\s]*(?=[^，。,.！？!?\s]{3})",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<!\b[A-Z])(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)[.!?](?=\s|$)|[。！？\n]")
_AGAIN = re.compile(
    r"[\s,;，；]*(?:\b(?:but|and)\s+)?(?:\b(?:do ?n['’]?t|not|never)\b|\bthe rest\b|(?:其他|其它|别的|剩下|其余)|别[存记]|不要[存记])",
    re.IGNORECASE,
)


def span(message: str) -> tuple[int, int] | None:
    """Where the words stand that may be kept, or None when none are named.

    Only a message that asks not to be kept has such a part: elsewhere all may be kept.
    """
    allowed = _ALLOWED.search(message)
    if allowed is None:
        return None
    end = _SENTENCE_END.search(message, allowed.end())
    stop = end.start() if end is not None else len(message)
    again = _AGAIN.search(message, allowed.end(), stop)
    stop = again.start() if again is not None else stop
    return (allowed.end(), stop) if re.search(r"\w", message[allowed.end() : stop]) else None
