"""The prompts of the write room. Constant instructions first, the changing part last, no clock.

The examples are ours, and name people and things that hardly anybody will mention; ``unsaid``
refuses a memory with such a word that is not in the user's own words, so an example cannot leak.
"""

from __future__ import annotations

from collections.abc import Sequence

from edgemem.ports import Message

GATE_OPTIONS = ("F", "P", "S", "N")
"""Fact or event, preference or rule, state of a task, nothing to keep."""

_GATE_EN = """You sort what a user tells an assistant, for a long-term memory. Answer with one letter.
F = a lasting fact about the user, or about people and things in the user's life; a plan or an event that happened to them
P = a like, dislike, habit or need of the user, or a standing instruction for the assistant
S = the state of a task, order, application or project of the user
N = nothing to keep: greeting, thanks, question, request for now, joke, passing mood, general knowledge, code, quotation, something imagined"""

_GATE_ZH = """你为助手的长期记忆给用户的话分类，只回答一个字母。
F = 关于用户本人、或用户身边的人和物的长期事实；用户的计划或发生过的事
P = 用户的喜好、厌恶、习惯、需要，或要助手以后一直照做的要求
S = 用户的任务、订单、申请、项目的进展
N = 不必记：问候、感谢、提问、眼前的请求、玩笑、一时的心情、常识、代码、引用别人的话、假设"""

_GATE_EXAMPLES_EN = (
    ("hey, good to be back", "N"),
    ("My cousin Odalys repairs church organs in Trieste.", "F"),
    ("could you explain how tides work?", "N"),
    ("please never put emojis in your replies", "P"),
    ("ugh, so sleepy right now", "N"),
    ("The visa office asked me for one more bank letter.", "S"),
    ("I can't stand goat cheese", "P"),
    ("if I were a pirate I'd live on a barge", "N"),
    ("we're flying to Porto on the 9th of May", "F"),
    ("that's great, thank you so much", "N"),
    ("The paella pan I ordered has shipped.", "S"),
    ('my friend said "I hate my boss"', "N"),
    ("I take my tea without sugar", "P"),
    ("Translate this into Dutch for me", "N"),
    ("I was a beekeeper before I became a welder.", "F"),
    ("Water boils at a lower temperature on mountains.", "N"),
)
_GATE_EXAMPLES_ZH = (
    ("哈喽，又来啦", "N"),
    ("我表姐欧阳霏在的里雅斯特修管风琴。", "F"),
    ("潮汐是怎么形成的？", "N"),
    ("以后回复别带表情符号", "P"),
    ("唉，现在好困", "N"),
    ("签证中心让我再补一份银行证明。", "S"),
    ("我受不了羊奶酪的味道", "P"),
    ("如果我是海盗，我就住在船上", "N"),
    ("我们五月九号飞波尔图", "F"),
    ("太好了，谢谢你", "N"),
    ("我订的海鲜饭锅已经发货了。", "S"),
    ("我朋友说“我讨厌我老板”", "N"),
    ("我喝茶不放糖", "P"),
    ("帮我把这句翻译成荷兰语", "N"),
    ("我当电焊工之前养过蜜蜂。", "F"),
    ("高山上水的沸点更低。", "N"),
)

_EXTRACT_EN = """You keep the long-term memory of an assistant. From the user's message, write down each lasting thing as one short sentence.
For every item first copy the exact words into "quote", then write "memory": one complete sentence about the user that can be understood alone. Begin with "The user". For other people begin with "The user's sister", "The user's colleague Odalys" and so on.
Keep names, numbers, dates and every "not". One fact in one item. Use the earlier lines only to understand words like he, it, there, yes.
Kinds: fact, preference, rule (for the assistant), state (of a task), event (something that happens at a time), skill (a way of doing that works)."""

_EXTRACT_ZH = """你负责助手的长期记忆。把用户消息里每一件值得长期记住的事写成一个短句。
每一条先在 "quote" 里照抄原话，再写 "memory"：一个关于用户、单独也能看懂的完整句子，以“用户”开头。说的是别人时写“用户的姐姐……”“用户的同事欧阳霏……”。
名字、数字、日期和每个“不”都要保留。一条只写一件事。前面的对话只用来弄懂“他”“那里”“是的”这类词。
kind 取：fact 事实, preference 喜好, rule 对助手的要求, state 任务进展, event 某时发生的事, skill 有效的做法。"""

_EXTRACT_EXAMPLES_EN = (
    (
        (
            "Earlier:\nassistant: How did the weekend go?\nMessage:\n"
            "Not bad, my cousin Odalys came over from Trieste with her two parrots. I'm allergic to feathers though, so please don't suggest birds as pets."
        ),
        (
            '[{"quote": "my cousin Odalys came over from Trieste", "memory": "The user\'s cousin Odalys came to visit from Trieste.", "kind": "event"},'
            ' {"quote": "her two parrots", "memory": "The user\'s cousin Odalys has two parrots.", "kind": "fact"},'
            ' {"quote": "I\'m allergic to feathers", "memory": "The user is allergic to feathers.", "kind": "fact"},'
            ' {"quote": "please don\'t suggest birds as pets", "memory": "The user does not want the assistant to suggest birds as pets.", "kind": "rule"}]'
        ),
    ),
    (
        "Earlier:\nassistant: Do you still play the oboe?\nMessage:\nnot since 2009, sold it",
        '[{"quote": "not since 2009, sold it", "memory": "The user has not played the oboe since 2009 and sold it.", "kind": "fact"}]',
    ),
    (
        "Message:\nThe paella pan with order number PP-3071 has left the warehouse",
        (
            '[{"quote": "The paella pan with order number PP-3071 has left the warehouse",'
            ' "memory": "The user\'s order PP-3071 for a paella pan has left the warehouse.", "kind": "state"}]'
        ),
    ),
)
_EXTRACT_EXAMPLES_ZH = (
    (
        (
            "Earlier:\nassistant: 周末过得怎么样？\nMessage:\n"
            "还行，我表姐欧阳霏带着两只鹦鹉从的里雅斯特过来了。不过我对羽毛过敏，以后别推荐我养鸟。"
        ),
        (
            '[{"quote": "我表姐欧阳霏带着两只鹦鹉从的里雅斯特过来了", "memory": "用户的表姐欧阳霏带着两只鹦鹉从的里雅斯特过来。", "kind": "event"},'
            ' {"quote": "我对羽毛过敏", "memory": "用户对羽毛过敏。", "kind": "fact"},'
            ' {"quote": "以后别推荐我养鸟", "memory": "用户不希望助手推荐养鸟。", "kind": "rule"}]'
        ),
    ),
    (
        "Earlier:\nassistant: 你现在还吹双簧管吗？\nMessage:\n09年以后就没吹了，早卖了",
        '[{"quote": "09年以后就没吹了，早卖了", "memory": "用户从2009年起不再吹双簧管，已经把它卖了。", "kind": "fact"}]',
    ),
    (
        "Message:\n订单号PP-3071的海鲜饭锅已经出库了",
        '[{"quote": "订单号PP-3071的海鲜饭锅已经出库了", "memory": "用户订单号PP-3071的海鲜饭锅已经出库。", "kind": "state"}]',
    ),
)

RELATION_OPTIONS = ("A", "B", "C", "D")
"""Same, more detail, replaced, unrelated."""

_RELATE = """Two notes about the same user: an OLD one and a NEW one. How do they relate? Answer with one letter.
A = they say the same thing; NEW adds nothing
B = NEW says the same as OLD and adds detail; both are true
C = they cannot both be true now; NEW replaces OLD
D = they are about different things, people, times or items; both stay"""

_RELATE_EXAMPLES = (
    ("The user plays the oboe.", "User is an oboe player.", "A"),
    ("The user has a parrot.", "The user has a grey parrot named Tuck.", "B"),
    ("The user lives in Trieste.", "The user moved to Porto.", "C"),
    ("The user likes plum jam.", "The user likes quince jam.", "D"),
    ("用户不吃羊奶酪。", "用户从不吃羊奶酪。", "A"),
    ("用户是电焊工。", "用户养过蜜蜂。", "D"),
    ("用户每天喝两杯茶。", "用户现在不喝茶了。", "C"),
    ("用户在学双簧管。", "用户每周二跟欧阳老师学双簧管。", "B"),
    ("The user's cousin Odalys is 31.", "The user's neighbour Odalys is 31.", "D"),
    ("The user rowed 5 km on Tuesday.", "The user rowed 3 km on Friday.", "D"),
)


def chat(system: str, shots: Sequence[tuple[str, str]]) -> tuple[Message, ...]:
    """Instructions and worked examples as constant messages."""
    messages = [Message("system", system, constant=True)]
    for asked, answered in shots:
        messages += [Message("user", asked, constant=True), Message("assistant", answered, constant=True)]
    return tuple(messages)


GATE = {False: chat(_GATE_EN, _GATE_EXAMPLES_EN), True: chat(_GATE_ZH, _GATE_EXAMPLES_ZH)}
"""Gate prompts by "is Chinese"."""

EXTRACT = {False: chat(_EXTRACT_EN, _EXTRACT_EXAMPLES_EN), True: chat(_EXTRACT_ZH, _EXTRACT_EXAMPLES_ZH)}
"""Extraction prompts by "is Chinese"."""

RELATE = chat(_RELATE, [(f"OLD: {old}\nNEW: {new}", letter) for old, new, letter in _RELATE_EXAMPLES])
"""The relation prompt; its examples are in both languages, since notes of both meet."""

VERSION = "35"
"""Raised with every change of a prompt or of the steps: evaluations of different versions do not mix."""
