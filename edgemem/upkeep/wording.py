"""A pattern in one sentence: the language model's, if it says no more than the evidence, else a plain one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edgemem.ports import LanguageModel, Message
from edgemem.text import is_han
from edgemem.upkeep.patterns import Pattern, plainly

MOST_NOTES = 8
"""Notes shown to the model."""

Refusal = Callable[[str, Sequence[str], Sequence[str]], str | None]
"""Why a sentence says more than the notes and the turns it is drawn from, or None."""

_SYSTEM_EN = (
    'Notes about one user are given, taken on several days. Write one short sentence, beginning with "The user", that says'
    " what the notes have in common. Use the words of the notes. Give no reason and no advice, and claim nothing the"
    " notes do not say."
)
_SYSTEM_ZH = "给出关于同一位用户、在不同日子记下的几条笔记。用一句以“用户”开头的短句说出它们的共同点。沿用笔记里的词，不写原因和建议，不说笔记里没有的内容。"
_SHOTS_EN = (
    ("- The user practised the cello before breakfast.\n- The user plays the cello at six in the morning.",
     "The user plays the cello in the early morning."),
    ("- The user sent the sauce back because of the dill.\n- The user asked for the soup without dill.",
     "The user does not want dill in food."),
)  # fmt: skip
_SHOTS_ZH = (
    ("- 用户早饭前练了大提琴。\n- 用户清晨六点拉大提琴。", "用户清晨练大提琴。"),
    ("- 用户因为有莳萝把酱退了。\n- 用户要求汤里不放莳萝。", "用户吃东西不放莳萝。"),
)


def worded(found: Pattern, model: LanguageModel | None, refusal: Refusal) -> tuple[str, bool]:
    """The sentence, and whether the model's own was refused. Raises a ``ModelError``."""
    if model is None or len(found.members) == 1:
        return plainly(found), False
    sources = [m.content for m in found.members]
    answer = model.generate(_prompt(sources), max_tokens=80)
    sentence = answer.text.strip().splitlines()[0].strip() if answer.text.strip() else ""
    whole = answer.finish == "stop" and bool(sentence)
    if whole and refusal(sentence, sources, [t.content for t in found.turns]) is None:
        return sentence, False
    return plainly(found), True


def _prompt(sources: Sequence[str]) -> list[Message]:
    system, shots = (_SYSTEM_ZH, _SHOTS_ZH) if is_han(sources[0]) else (_SYSTEM_EN, _SHOTS_EN)
    messages = [Message("system", system, constant=True)]
    for notes, sentence in shots:
        messages += [Message("user", notes, constant=True), Message("assistant", sentence, constant=True)]
    return [*messages, Message("user", "\n".join(f"- {s}" for s in sources[:MOST_NOTES]))]
