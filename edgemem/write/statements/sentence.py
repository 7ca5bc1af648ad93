"""Whether a sentence is one: with a subject, a verb, nobody who is told "each other" alone, and something said.

Rules and models put sentences together from scraps of talk. What comes out of two answers in a row ("Fun, yes; loud, also yes")
or of "we" told as one person reads like a memory, and says nothing or something false.
"""

from __future__ import annotations

import re
from typing import Final

from edgemem.kin import HAN, LATIN
from edgemem.text import fold, is_han
from edgemem.write.statements.english import AUXILIARIES, COMMON, MODALS, SAME_PAST, THIRD, is_past

NO_VERB: Final = "no whole sentence: nothing is said of anything"
NO_SUBJECT: Final = "no whole sentence: of whom it is said is missing"
POINTS_BACK: Final = "no whole sentence: it points to something said before"
FOR_SEVERAL: Final = "what was said of several people is told of one"
SAYS_NOTHING: Final = "it says the same of itself"

FLAWS: Final = frozenset((NO_VERB, NO_SUBJECT, POINTS_BACK, FOR_SEVERAL, SAYS_NOTHING))
"""What may be wrong with a sentence: all that ``flaw`` tells."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ATTRIBUTED = re.compile(r"According to the user, ")
_POINTING = re.compile(
    r"(?:and |but |so )?(?:it|it['’]s|its|that|that['’]s|this|these|those|he|she|he['’]s|she['’]s|his|her|him|them|one|ones|both|neither|same|which)\b(?! (?:\w+ )?(?:who|whose|with whom)\b)",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(
    r"(?:this|these) (?:year|month|week|summer|winter|spring|autumn|term|semester|days)\b", re.I
)
_TELLS_WITHOUT = re.compile(
    r"\d|[A-Z]|:|\b(?:since|until|till|every|each|no|not|only|never|always|one|two|three|four|five|six|seven|eight|nine|ten)\b"
)
_FINITE: Final = (
    THIRD | MODALS | SAME_PAST | COMMON | frozenset(AUXILIARIES) | frozenset(AUXILIARIES.values())
    | frozenset("is are was were has had does did isn't aren't wasn't hasn't doesn't be works looks takes runs sells starts covers plays comes gets".split())
)  # fmt: skip
_ENDS_LIKE_VERB = re.compile(r"[a-z]{3,}(?:s|ed|['’](?:s|re|ll|d|ve))", re.IGNORECASE)
_STARTS_WITH_VERB: Final = (THIRD | frozenset(("does", "has", "is", "was", "doesn't", "isn't", "hasn't"))) - {"likes"}

_RECIPROCAL = re.compile(r"\b(?:each other|one another)\b", re.IGNORECASE)
_ALONE = re.compile(
    rf"The user(?:['’]s (?:(?!(?:and|or|plus)\b)\w+ ){{0,2}}(?:{LATIN})(?: [A-Z][\w'’-]+)?)?(?! (?:and|or|plus|with)\b| ?&|['’]s\b)(?P<rest> .*)",
    re.DOTALL,
)
_SEVERAL = re.compile(
    r"\b(?:and|with|two|three|both|people|children|kids|them|they|their \w+s)\b|(?<!\bthi)(?<!\balway)(?<!\bsometime)[a-z]{3,}s\b",
    re.IGNORECASE,
)
_AS_ONE = re.compile(
    r"The user (?:is|was|will be|has been) (?:still |now |just |all |not |good |best |close |old )*(?:twins|triplets|siblings|sisters|brothers|friends|neighbou?rs|colleagues|coworkers|roommates|flatmates"
    r"|housemates|cousins|partners|parents|grandparents|lovers|spouses|classmates|teammates|a couple|newlyweds)(?=[.,;:!]|$| (?:and|but|who|since|for|from|in|at|on|now|too|again|by|these|this)\b)"
    r"|The user (?:is|was|will be|has been) an? (?:\w+ )?(?:family|band|trio|household) of\b"
    r"|The user (?:\w+ ){0,2}both (?!.*\b(?:and|of|arms?|legs?|hands?|eyes?|ears?|knees?|feet|sides|ways|parents|languages|\w+s)\b)"
    r"|The user all (?!the|of|day|night|year|but)\w+",
)
_RECIPROCAL_HAN = re.compile(
    "^用户(?:[今去明前后]年|[春夏秋冬]天|平时|平日|以后|今后|一直|经常|常常|时常|偶尔|有时|很少|几乎|从来|从不|总是|每[天周月年]|现在|已经|[也都还就常总不没会要能将很])*(?:互相|彼此|相互)(?!.*[和跟与同们])"
)
"""Only where nobody else stands between: whom one wants to trust each other are others, 用户希望家人互相尊重."""

_COPULA = re.compile(r"^(?P<who>.{3,60}?) (?:is|are|was|were)(?: (?:called|named))? (?P<what>[^,;:]{2,60}?)\.?$")
_OWNED: Final = rf"{LATIN}|dogs?|cats?|puppy|kitten|horse|rabbit|pets?|home|house|flat|apartment"
"""What is one's own anyway. Whose company or boat is their own has told something."""

_BARE = re.compile(
    r"(?:on \d{4}-\d\d-\d\d,? )?the user(?:['’]s [\w-]+)?(?: (?:also|really|still|just))*"
    r"(?: (?:do(?:es)?|is|was|did|can|will|has|had|would|could)(?:n['’]t| not)?)?(?: (?:too|either|yet|now))?[.!]?$",
    re.IGNORECASE,
)
"""A subject and at most what helps a verb: "The user doesn't." """

_SELF = re.compile(
    rf"^(?P<who>The user['’]s (?:[\w-]+ ){{0,2}}(?:{_OWNED})(?: [A-Z][\w'’-]+)?) (?:is|are|was|were) (?:all )?(?:their own|theirs|themselves|the user['’]s(?: own)?)\.?$"
)
_SMALL: Final = frozenset("a an the their his her its own user user's users of".split())
_COPULA_HAN = re.compile(
    "^(?P<who>用户[^，。：]{1,16}?)(?:就是|的名字是|的名字叫|名叫|名字叫|叫做|叫|是)(?P<what>[^，。：]{1,12}?)。?$"
)
_OWN_HAN = re.compile(f"^用户的?(?:{HAN}|[小老]?[猫狗兔]|宠物|家|房子|公寓|住处|院子)是用户(?:自己|本人)?的?。?$")
_POINTING_HAN = re.compile(
    f"^(?:用户提到|用户的(?:{HAN})|用户(?:{HAN}))：(?:之后|然后|后来|那之后|那时候?|当时|同时|于是|所以|不过|但是?|因为|也是|还是|就是|[他她它])(?!(?<!因为)，?用户)"
)
_ALONE_HAN = re.compile("^用户(?:自己|亲手|也)(?!住|过|睡|单|来|带娃|做饭|开店|创业|会|有|是|在)[一-鿿]{1,2}的?。?$")
"""What is done by oneself, without what it is done to: 用户自己织."""

_JOINED_HAN = re.compile("^用户提到：(?:之后|然后|后来|那之后|同时|于是|所以|不过|但是?)，?(?=用户)")
"""What only ties a whole sentence to the one before."""

_ANSWER_HAN = re.compile("^被问到[^“]*“[^”]*”时，用户回答：(?P<answer>.*)$", re.DOTALL)
_TORN_HAN = re.compile("(?![是对有没不会能在行好要无男女左右前后早晚大小一二两三四五六七八九十])[一-鿿]，.")
"""An answer of one character that is none by itself, with more behind: 面，他弟弟……"""

_NAMED_TWICE = re.compile(
    rf"^(?P<who>The user['’]s (?:[a-z-]+ ){{0,2}}(?:{LATIN}|dog|cat|puppy|kitten|horse|rabbit)) (?P<name>[A-Z][^\W\d_]+)(?= (?:is|was) (?:called|named) (?P=name)\b)"
)
_TAKEN_UP = re.compile(
    rf"^(?P<who>The user['’]s (?:[a-z-]+ ){{0,2}}(?:{LATIN}|dog|cat|puppy|kitten|horse|rabbit)(?: [A-Z][^\W\d_]+)?), (?:he|she|it)(?:['’]s| (?P<verb>is|was|has)) (?P<done>(?:(?:always|never|just|already) )?(?:been|got|had|gone|become|started|moved|lost|left|taken|made|seen|bought) )?"
)
_NAMED_TWICE_HAN = re.compile(
    f"^(?P<who>用户的?[表堂大小二三]?(?:{HAN}|猫|狗))(?P<name>[一-鿿]{{2,4}}|[A-Za-z]+)(?=(?:名?叫做?|的?名字(?:叫|是)|名叫)(?P=name)(?![一-鿿A-Za-z]))"
)


def flaw(content: str) -> str | None:
    """What is wrong with a sentence as one, of ``FLAWS``; None where nothing is."""
    return _chinese(content) if is_han(content) else _english(content)


def named_once(content: str) -> str:
    """ "The user's sister Ottoline is called Ottoline" without the first of the two names."""
    return _NAMED_TWICE_HAN.sub(r"\g<who>", _NAMED_TWICE.sub(r"\g<who>", content, count=1), count=1)


def tidied(content: str) -> str:
    """A sentence without what is in it twice or ties it to another one: a name, "my son Leo, he's six", 用户提到：后来用户……"""
    return named_once(_TAKEN_UP.sub(_said_of, _JOINED_HAN.sub("", content, count=1)))


def _said_of(found: re.Match[str]) -> str:
    return f"{found['who']} {found['verb'] or ('has' if found['done'] else 'is')} {found['done'] or ''}"


def _english(content: str) -> str | None:
    attributed = _ATTRIBUTED.match(content)
    if attributed is not None and (found := _told_by_user(content[attributed.end() :])) is not None:
        return found
    if _BARE.match(content):
        return NO_VERB
    if _SELF.match(content) or _same_of_itself(content):
        return SAYS_NOTHING
    return FOR_SEVERAL if _one_for_several(content) else None


def _told_by_user(body: str) -> str | None:
    """What is missing of words that only say who said them."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(body)]
    if not words:
        return NO_VERB
    if not any(map(_like_verb, words)) and (";" in body or _TELLS_WITHOUT.search(body[1:]) is None):
        return NO_VERB  # a note may do without one that gives a name, a time or a number: "club treasurer since 2019"
    if words[0] in _STARTS_WITH_VERB and not body[0].isupper():
        return NO_SUBJECT
    return POINTS_BACK if _POINTING.match(body) and not _DEMONSTRATIVE.match(body) else None


def _like_verb(word: str) -> bool:
    return word in _FINITE or is_past(word) or _ENDS_LIKE_VERB.fullmatch(word) is not None


def _one_for_several(content: str) -> bool:
    if _AS_ONE.match(content):
        return True
    alone, each = _ALONE.match(content), _RECIPROCAL.search(content)
    if alone is None or each is None or each.start() < alone.start("rest"):
        return False
    verb_and_more = content[alone.start("rest") : each.start()].split()[1:]
    return _SEVERAL.search(" ".join(verb_and_more)) is None


def _same_of_itself(content: str) -> bool:
    """Whether all that is said of something is its own name."""
    found = _COPULA.match(content)
    if found is None:
        return False
    # As they are spelled: of a neighbour called Mason "is a mason" says something.
    who, what = ({w for w in _WORD.findall(found[part]) if fold(w) not in _SMALL} for part in ("who", "what"))
    return bool(what) and what <= who


def _chinese(content: str) -> str | None:
    answered = _ANSWER_HAN.match(content)
    if answered is not None and _TORN_HAN.match(answered["answer"]):
        return NO_SUBJECT
    if _POINTING_HAN.match(content) or _ALONE_HAN.match(content):
        return POINTS_BACK
    if _RECIPROCAL_HAN.match(content):
        return FOR_SEVERAL
    found = _COPULA_HAN.match(content)
    same = found is not None and (found["who"].endswith(found["what"]) or found["who"] == found["what"])
    return SAYS_NOTHING if same or _OWN_HAN.match(content) else None
