"""English verbs as far as a statement about "I" needs them to become one about "the user"."""

from __future__ import annotations

import re
from typing import Final

from edgemem.kin import LATIN

IRREGULAR_PAST: Final = frozenset(
    """was were had did went got came left lost sold bought became taught grew made took saw said told knew thought found gave
    felt met ran ate drank slept spoke wrote began broke brought built caught chose drew drove fell flew forgot froze held kept
    led lent lied meant paid rode rose sang sat sent shook shot stole stood stuck swam swore threw understood wore won woke fought
    heard hid laid quit fed bit blew dug hung spent spelt learnt burnt dreamt leant bent sank shrank stank stung swept wept wept wed
    used been gone done seen taken given written broken chosen driven eaten known grown born""".split()
)
"""Past forms that stay as they are."""

SAME_PAST: Final = frozenset("put cut set hit let read cost hurt shut split spread beat bet".split())
"""Verbs whose past looks like the base form."""

MODALS: Final = frozenset(
    """can can't cant cannot could couldn't couldnt will won't wont would wouldn't wouldnt should shouldn't shouldnt must mustn't
    may might shall didn't didnt wasn't wasnt hadn't hadnt used""".split()
)
"""Verbs that are the same for every person."""

AUXILIARIES: Final = {
    "am": "is", "are": "is", "aren't": "isn't", "arent": "isn't", "ain't": "isn't", "aint": "isn't", "were": "was", "weren't": "wasn't",
    "have": "has", "haven't": "hasn't", "havent": "hasn't", "do": "does", "don't": "doesn't", "dont": "doesn't", "gotta": "has to",
    "wanna": "wants to", "gonna": "is going to", "go": "goes",
}  # fmt: skip
"""Verbs that change their form."""

COMMON: Final = frozenset(
    """live work like love hate eat drink need want have own drive play speak study prefer keep run go take use make know think
    feel wear read watch listen cook bake grow sleep walk cycle swim teach train pay rent share travel fly commute write sing
    paint draw knit sew garden volunteer manage lead code build sell buy collect follow support avoid enjoy miss dislike detest
    loathe adore get see say find give do call try wake start finish plan hope own suffer carry wash stay come look handle cover
    report belong donate smoke vape breed raise ride row ski climb dance fish hunt meditate pray fast binge snack skip order""".split()
)
"""Base forms that after "and" or at the start of a note go on speaking of the user."""

STATIVE: Final = COMMON - frozenset(
    """make write read start finish plan order get see say find give do call try go take use keep look cover report
    share pay draw build sell buy skip start run follow support think come carry wash play handle stay""".split()
)
"""Base forms that at the start of a note are no command: "live in Leeds"."""

ADVERBS: Final = frozenset(
    """never always usually also just really only still actually now already often sometimes rarely seldom hardly barely currently
    mostly normally generally definitely absolutely finally recently once even literally honestly basically mainly regularly
    probably kinda sorta both all too ever no longer totally simply first then typically not quite almost nearly ideally
    officially technically strictly genuinely proper lately""".split()
)
"""Words that may stand between "I" and its verb."""

NO_VERB: Final = frozenset(
    """a an the in on at to for with from of by and or but so as if when while that which who this these those my our his her
    their not there here mean guess think reckon suppose wonder wish hope bet swear promise""".split()
)
"""After "I" these are no verb, or one that says nothing lasting."""

_SIBILANT = re.compile(r"(?:s|x|z|ch|sh|o)$")


def third_person(verb: str) -> str:
    """The form of a present verb after "the user"."""
    if verb in AUXILIARIES:
        return AUXILIARIES[verb]
    if len(verb) > 1 and verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if _SIBILANT.search(verb) else "s")


def is_past(verb: str) -> bool:
    """Whether a verb is a form that does not change with the person."""
    return verb in IRREGULAR_PAST or (
        verb.endswith("ed") and len(verb) > 4 and verb not in ("need", "feed", "speed", "bleed")
    )


THIRD: Final = {third_person(verb) for verb in COMMON} - {
    "works",
    "looks",
    "takes",
    "runs",
    "sells",
    "starts",
    "covers",
    "plays",
    "comes",
    "gets",
}
"""Forms that at the start of a note speak of its subject, which is left out: "lives in Leeds"."""

BELONGING: Final = frozenset(LATIN.split("|")) | frozenset(
    """kids eldest youngest twins ex car van bike ute laptop phone flat house apartment boiler dog cat puppy
    rent mortgage budget gym dentist doctor gp surgery order refund flight train visa passport appointment interview wedding
    birthday anniversary salary address email favourite favorite fav team company office shop school uni course exam thesis dissertation""".split()
)
"""Relatives and things that without a word before them are the user's own."""
