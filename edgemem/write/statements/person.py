"""An English clause restated about the user by rule: nothing is added, nothing is lost, nothing has to be generated.

The first "I" becomes "The user" and its verb changes with it; what follows is said with "they", which
takes the verbs as they are. A clause the rules cannot carry gives None and is left to the language model.
"""

from __future__ import annotations

import re
from typing import Final

from edgemem.write.statements.english import (
    ADVERBS,
    AUXILIARIES,
    BELONGING,
    COMMON,
    MODALS,
    NO_VERB,
    SAME_PAST,
    STATIVE,
    THIRD,
    is_past,
    third_person,
)
from edgemem.write.statements.wording import lowered, mid_sentence

MAX_CHARS: Final = 170
"""Longest clause restated; a memory is at most 200 columns wide."""

_LEAD = re.compile(
    r"^(?:[\s\-–—*•·,.:;!()]+|[^\w\s\"'“‘(]+\s*|(?:(?:so|well|ok|okay|oh|and|but|also|btw|anyway|anyways|actually|haha\w*|lol|ugh|yeah|yep|yup|yea|nope|nah|hi|hey|hello"
    r"|ps|p\.s|fyi|wait|oops|tbh|honestly|basically|because|cos|cuz|bc|just so you know|for the record|by the way|as i said|i mean"
    r"|hmm+|um+|er+|wah|lah|yaar|bro|dude|mate|bhai|wallah|remember(?: that)?|(?:pls|please) remember(?: that)?|note that|turns out|(?:you (?:can|may|should|could) |please |pls )?(?:remember|note|keep in mind|bear in mind)(?: that)?|remind me|for your notes|fyi|(?:and |but )?(?:please )?(?:let['’]?s )?keep (?:this|that|it) (?:strictly |just )?between (?:us|you and me|ourselves)|(?:just |strictly )?between (?:us|you and me|ourselves)|in confidence|confidentially)(?=[\s,.!:;…—–-])[\s,.!:;…—–-]*"
    r"|(?:yes|no|right|see|look|sorry|plus|still|then|update|correction|scrap that|sir|madam|(?:and )?one (?:more|last)(?: thing)?|another thing|quick note)\s*[,.!:;…—–][\s,.!:;…—–-]*))",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:[\s,;:.!…~]+|\s*[^\w\s.,;:!?'\"”’)\]%°$€£+/-]+|[\s,]+(?:lol|lmao|haha\w*|btw|tho|though|tbh|rn|xx?|thanks|thx|ta|cheers|pls|please|you know"
    r"|i guess|i think|by the way|sorry|bear with me|be patient(?: with me)?)\b|,\s*ok)$",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"^(?:(?:two|three|four|a few|a couple of|some|quick|other|more|few|one|another|last) )+(?:things?|facts?|notes?|updates?|points?|bits?|details?)[^:,;\"“]{0,20}:\s+|^[^:\"“]{3,90}:\s+(?=(?:I|I['’]\w+|[Mm]y|[Ww]e|[Oo]ur)\b)"
)
"""What announces a statement: "A bit about me first: I subtitle films"."""
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_OWN = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll|am)|im|ive|my|mine|me|myself|we|we['’](?:re|ve|d|ll)|our|ours|us)\b", re.IGNORECASE
)
_UNCLEAR = re.compile(
    r"^(?:he|she|they|it|its|it['’]s|he['’]s|she['’]s|they['’]re|his|her|their|him|them|that|that['’]s|thats|this|these|those|there|one|same|both)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\b(?:he|she|him|his|hers?|he['’]s|she['’]s)\b", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"\b(?:(?:can|could|would|will|did|do|are|have|thank|tell|told|ask|asked|let|hope|help|give|show|send|do|if) (?:you|u)"
    r"|(?:you|u) (?:are|said|keep|told|suggested|could|mentioned|gave|should|might|please|asked)|you['’](?:re|ve|ll|d)|your|ur)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\b(?:(?P<be>i['’]m|im|i am|we['’]re|we are)|(?P<have>i['’]ve|ive|we['’]ve)|(?P<will>i['’]ll|we['’]ll)|(?P<would>i['’]d|we['’]d)|(?P<plain>i|we))\b(?!['’])",
    re.IGNORECASE,
)
_LATER = (
    (re.compile(r"\b(?:i['’]m|im|we['’]re)\b", re.I), "they're"),
    (re.compile(r"\b(?:i['’]ve|ive|we['’]ve)\b", re.I), "they've"),
    (re.compile(r"\b(?:i['’]ll|we['’]ll)\b", re.I), "they'll"),
    (re.compile(r"\b(?:i['’]d|we['’]d)\b", re.I), "they'd"),
    (re.compile(r"\bi was\b", re.I), "they were"),
    (re.compile(r"\bi am\b", re.I), "they are"),
    (re.compile(r"\b(?:i|we)\b(?!['’.])", re.I), "they"),
    (re.compile(r"\b(?:myself|ourselves)\b", re.I), "themselves"),
    (re.compile(r"\b(?:mine|ours)\b", re.I), "theirs"),
    (re.compile(r"\b(?:my|our|me (?=mam|mum|mate|dad|nan|sister|brother))(?!\w)", re.I), "their"),
    (re.compile(r"\bus\b|\bme\b", re.I), "them"),
)
_FIRST_OWN = re.compile(r"\b(?:my|our)\b(?: own\b)?", re.IGNORECASE)
_WORKS = re.compile(r"works (?:at|for|in|as|from|with|part|full|nights|shifts|remotely|on)\b", re.IGNORECASE)
_SMALL: Final = frozenset("the a an in on at for to from with when if what this that by until half there".split())
_FIRST_VERB = re.compile(rf"^(?:(?:{'|'.join(sorted(ADVERBS))})\s+)*(?P<verb>[A-Za-z]+(?:['’]t)?)\b", re.IGNORECASE)
_PARTICIPLES: Final = frozenset(
    "used born been gone done seen taken given written broken chosen driven eaten known grown based".split()
)
_OBJECT = re.compile(r"\s+(?:the|my|our|a|an|it|them|all|half|for|to|\d+|two|three|four|five)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:[,;:–-]\s*|\b(?:and|so|but|or)\s+)(?:what|which|how|where|who|why)\b(?=.*\b(?:is|are|do|does|should|can|could|would|makes?|will)\b)"
    r"|\b(?:what|which) (?!you|i\b)\w+ (?:is|are|makes?|should|would|can|do)\b",
    re.IGNORECASE,
)
_ADRIFT = re.compile(
    r"^(?:\d|(?:in|on|at|for|to|from|with|by|until|till|til|after|before|about|like|as)\b)", re.IGNORECASE
)
_POINTING = re.compile(
    r"\b(?:that|this)(?=\s*(?:$|[,.;!(]|(?:up|at|again|too|in|on|off|before|every|and|last|so)\b))", re.IGNORECASE
)
_GIVEN = re.compile(
    r"^(?:speaking )?as (?P<what>an? [\w -]{3,40}?),? (?:should|can|could|do|am|would|will|may|what|how|which|where|is|are)\b",
    re.IGNORECASE,
)
_INVERTED = re.compile(r"\b(?:should|can|could|do|did|am|would|will|may|must|have)\s*$", re.IGNORECASE)
_FOR_NOW = re.compile(
    r"\b(?:turn|make|put|translate|rewrite|summari[sz]e|shorten|proofread|fix|convert|sum|type|clean) (?:it|this|these|them|that)\b",
    re.IGNORECASE,
)
_MODAL_TAIL = re.compile(
    r"\b(?:to|can|could|will|would|should|must|might|may|did|didn't|don't|doesn't)\b", re.IGNORECASE
)
_AND_VERB = re.compile(r"(?<=[\s,])(and|or|but)((?:\s+[a-z]+){0,2}?)\s+([a-z]+)\b")
_COMMA_VERB = re.compile(r", ([a-z]+)(?= (?:an?|the|in|at|with|to|my|their|on|for|from|every|no|two|three|\d))")
_WISH = re.compile(r"\b(?:ever|please|pls|at all|thanks)\W*$", re.IGNORECASE)
_WE_ARE = re.compile(
    r" (?:two|three|four|five|six|seven|eight)(?: of us| people)?\b(?! (?:hours|minutes|months|weeks|years|days))",
    re.IGNORECASE,
)
_PAST_TIME = re.compile(r"\b(?:ago|last|yesterday|since|back in|(?:19|20)\d\d|once|when i was)\b", re.IGNORECASE)
_PREDICATE = re.compile(
    r"^(?:(?P<be>(?:not (?:a|an|into|keen|allowed)|allergic|intolerant|vegan|vegetarian|pescatarian|coeliac|celiac|diabetic|pregnant|married|divorced|single|engaged"
    r"|retired|self[- ]employed|freelance|based|left[- ]handed|colou?r ?blind|deaf|afraid|scared|terrified|a (?:big |huge )?fan|an? [a-z-]+ by trade"
    r"|originally|currently|living|working|studying|training|doing|saving|trying|looking|moving|getting|learning|waiting|off to"
    r"|on call))|(?P<been>been|never been|had)|(?P<like>like|love|hate|prefer|need|want))\b",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"^(?:(?:please|pls|plz|can you|could you|would you|kindly|just)\s+)*(?P<text>.+)$", re.IGNORECASE | re.DOTALL
)
_DONT = re.compile(
    r"^(?:do not|don['’]?t|dont|stop|no need to|you (?:don['’]?t|dont) (?:need|have) to|you needn['’]t|never)\b\s*",
    re.IGNORECASE,
)
_VERB_FIRST = re.compile(
    r"^(?:always |only |just )?(?:use|keep|call|write|give|answer|reply|respond|speak|talk|be|put|start|end|begin|make|show|send|remind|ask|tell|treat"
    r"|quote|cite|add|include|skip|avoid|leave|format|translate|parse|spell|say|sign|stick|round|list|explain|assume|address|refer|let|check|warn)\b",
    re.IGNORECASE,
)


def restated(clause: str, letter: str, *, standing: bool, other: bool = False) -> str | None:
    """The clause as a sentence about the user, or None when the rules cannot carry it.

    ``letter`` is the gate's. ``standing``: the clause is an instruction for the assistant. ``other``:
    somebody else was spoken of just before, so a note without a subject may not be about the user.
    """
    text = trimmed(clause)
    if not 5 <= len(text) <= MAX_CHARS or len(text.split()) < 2 or text.endswith(("?", "？")):
        return None
    if standing or (letter == "P" and _commands(text)):
        return _finished(_instruction(text))
    if _quoting(text) or _FOR_NOW.search(text):
        return None
    if _UNCLEAR.match(text) or _POINTING.search(text) or (_OTHERS.search(text) and not _names_somebody(text)):
        return None
    said = _statement(text, letter, other)
    if said is None and letter == "P" and not _ADDRESSED.search(text) and not _SUBJECT.search(text):
        said = as_they(text)
    if letter == "P" and said is not None and not said.lower().startswith("the user"):
        said = (
            as_they(said)
            if re.search(r"(?<!^according to )the user", said)
            else f"the user's preference: {mid_sentence(as_they(text))}"
        )
    return _finished(said)


def _commands(text: str) -> bool:
    """Whether a note of taste or rule tells the assistant what to do: "give distances in miles", "don't call me Bob"."""
    polite = _RULE.match(text)
    wish = polite["text"] if polite else text
    negated = _DONT.match(wish)
    if negated is None:
        return _VERB_FIRST.match(wish) is not None
    verb = _WORD.match(wish[negated.end() :])
    return verb is None or verb[0].lower() not in (STATIVE | {"do", "like"})


def trimmed(clause: str) -> str:
    """Without the fillers people begin and end with."""
    text = _PREAMBLE.sub("", clause.strip(), count=1)
    while text != (shorter := _TAIL.sub("", _LEAD.sub("", text, count=1), count=1)):
        text = shorter
    return text


def _quoting(text: str) -> bool:
    return (
        bool(re.search(r"[\"“「][^\"”」]{30,}|[\"“「][^\"”」]*\b(?:i|i'm|my|we)\b", text, re.IGNORECASE))
        or text.count('"') % 2 == 1
    )


def _names_somebody(text: str) -> bool:
    """Whether "he" or "she" has somebody to point to in the clause: "my mum says she..."."""
    start = _OTHERS.search(text)
    before = text[: start.start()] if start else text
    return bool(_FIRST_OWN.search(before) or re.search(r"[A-Z][a-z]+", before) or _words(before) & BELONGING)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _finished(text: str | None) -> str | None:
    if text is None or _OWN.search(text):
        return None
    text = re.sub(r"\s+", " ", text).strip(" ,;:-–—")
    return f"{text[0].upper()}{text[1:]}." if text else None


# --- statements -------------------------------------------------------------------------------------------------------


def _statement(text: str, letter: str, other: bool = False) -> str | None:
    if _ASKS.search(text):
        return None
    subject, own = _SUBJECT.search(text), _FIRST_OWN.search(text)
    first = min((m.start() for m in (subject, own) if m is not None), default=None)
    if first is None:
        return None if _ADDRESSED.search(text) else _without_subject(text, letter, other)
    if first > 0 and not other and (note := _own_note(text, letter)) is not None:
        return note
    if subject is not None and subject.start() == first:
        return _about_user(text, subject)
    assert own is not None
    return text[: own.start()] + "the user's" + as_they(text[own.end() :])


def _about_user(text: str, subject: re.Match[str]) -> str | None:
    head, rest = text[: subject.start()], text[subject.end() :]
    if (given := _GIVEN.match(text)) is not None:
        return f"the user is {given['what']}"
    if _ADDRESSED.search(text) or len(head) > 60 or _INVERTED.search(head):
        return None
    if subject["be"]:
        several = subject[0].lower().startswith("we") and _WE_ARE.match(rest)
        said = f"the user's household is{rest}" if several else f"the user is{rest}"
    elif subject["have"]:
        said = f"the user has{rest}"
    elif subject["will"]:
        said = f"the user will{rest}"
    elif subject["would"]:
        said = f"the user {'had' if re.match(r' (?:better|been)', rest) else 'would'}{rest}"
    else:
        conjugated = _conjugated(rest, bool(_PAST_TIME.search(text)))
        if conjugated is None:
            return None
        said = f"the user{conjugated}"
    return as_they(head) + _coordinated(as_they(said))


def _conjugated(rest: str, past: bool) -> str | None:
    """What follows a plain "I", its verb changed."""
    for match in _WORD.finditer(rest):
        word = match[0].lower().replace("’", "'")
        if rest[: match.start()].strip() and re.search(r"[^\w\s,'’-]", rest[: match.start()]):
            return None
        if word in ADVERBS or (
            word.endswith("ly") and word not in ("fly", "rely", "apply", "supply", "reply", "multiply")
        ):
            continue
        if word in NO_VERB or (
            word.endswith("ing") and word not in ("bring", "sing", "ring", "sting", "swing", "cling")
        ):
            return None
        if word in MODALS or (is_past(word) and word not in AUXILIARIES) or (word in SAME_PAST and past):
            return rest
        return rest[: match.start()] + third_person(word) + rest[match.end() :]
    return None


def _coordinated(text: str) -> str:
    """Verbs after "and" follow the first one: "lives in Leeds and works at the port"."""

    def changed(match: re.Match[str]) -> str:
        if match[3] not in COMMON or _MODAL_TAIL.search(text[: match.start()]):
            return match[0]
        if any(word not in ADVERBS for word in match[2].split()):
            return match[0]
        return f"{match[1]}{match[2]} {third_person(match[3])}"

    def listed(match: re.Match[str]) -> str:
        plain = match[1] in COMMON and not _MODAL_TAIL.search(text[: match.start()])
        return f", {third_person(match[1])}" if plain else match[0]

    return _AND_VERB.sub(changed, _COMMA_VERB.sub(listed, text))


def as_they(text: str) -> str:
    """Every "I", "my" and "me" as "they", "their" and "them", which take the verbs as they are."""
    for pattern, instead in _LATER:
        text = pattern.sub(instead, text)
    return text


def _without_subject(text: str, letter: str, other: bool) -> str | None:
    """Notes that leave out "I" ("moved to Leeds"), and clauses about something else."""
    note = _own_note(text, letter)
    if note is not None:
        if other and of_third(text):
            return f"according to the user, {as_they(lowered(text))}"
        return None if other else note
    about = _about_things(text, _WORD.findall(text))
    return None if about is None else as_they(about)


def _own_note(text: str, letter: str) -> str | None:
    """A note that leaves out "I", or None when it is none."""
    if (predicate := _PREDICATE.match(text)) is not None:
        return as_they(_predicate(text, predicate))
    found = _FIRST_VERB.match(text)
    if found is None or _ADDRESSED.match(text):
        return None
    verb = found["verb"].lower().replace("’", "'")
    if (verb in THIRD and letter != "S") or _WORKS.match(text):
        return as_they(f"the user {lowered(text)}")
    if verb in MODALS or verb in ("haven't", "havent", "aren't", "don't", "dont") or verb in STATIVE:
        said = _conjugated(" " + lowered(text), past=False)
        return None if said is None else _coordinated(as_they(f"the user{said}"))
    if is_past(verb) and verb not in _PARTICIPLES and (letter != "S" or _OBJECT.match(text[found.end() :])):
        return as_they(f"the user {lowered(text)}")
    return None


def _predicate(text: str, found: re.Match[str]) -> str:
    if found["be"]:
        return f"the user is {lowered(text)}"
    if found["been"]:
        return f"the user has {lowered(text)}" if "been" in found["been"].lower() else f"the user {lowered(text)}"
    return f"the user{_conjugated(' ' + text, past=False)}"


def _about_things(text: str, words: list[str]) -> str | None:
    """Clauses that never speak of the user: their car, their mother, a person with a name."""
    first = words[0].lower().replace("’", "'").removesuffix("'s") if words else ""
    if len(words) < (2 if first in BELONGING else 3) or _ADRIFT.match(text):
        return None
    if first == "the" and len(words) > 3 and words[1].lower().removesuffix("'s") in BELONGING:
        return f"the user's {text[len(words[0]) :].lstrip()}"
    if first == "no":
        return f"the user {'wants' if _WISH.search(text) else 'has'} {lowered(text)}"
    if first in BELONGING:
        return f"the user's {lowered(text)}"
    return f"according to the user, {lowered(text) if first in _SMALL else text}"


def of_third(text: str) -> bool:
    """Whether a clause begins with what somebody does, without saying who: "lives in Leeds"."""
    return _FIRST_VERB.match(trimmed(text)) is not None and trimmed(text).split()[0].lower() in THIRD


def addressed(text: str) -> bool:
    """Whether the assistant is spoken to."""
    return _ADDRESSED.search(text) is not None


# --- instructions -----------------------------------------------------------------------------------------------------


_POLITE_NO = re.compile(r"no (?:problem|worries|thanks|thank you|idea|clue|doubt|way|rush|hurry|need)\b")


def _instruction(text: str) -> str | None:
    found = _RULE.match(text)
    wish = found["text"] if found else text
    lower = wish.lower()
    if _SUBJECT.match(wish) or _FIRST_OWN.match(wish):
        return _statement(_addressed(wish), "P")
    if (negated := _DONT.match(wish)) is not None:
        return as_they(f"the user asks the assistant not to {_gerund(wish[negated.end() :], lower)}")
    if lower.startswith("always "):
        return as_they(_addressed(f"the user asks the assistant to {lowered(wish)}"))
    if _VERB_FIRST.match(wish):
        return as_they(_addressed(f"the user asks the assistant to {lowered(wish)}"))
    if _POLITE_NO.match(lower):
        return None
    if lower.startswith("no "):
        return as_they(_addressed(f"the user wants {lowered(wish)}"))
    return as_they(_addressed(f"the user's instruction for the assistant: {mid_sentence(wish)}"))


def _gerund(rest: str, lower: str) -> str:
    """ "stop apologising" asks not to apologise; the "-ing" form says the same after "keep"."""
    rest = _addressed(rest)
    return f"keep {rest}" if lower.startswith("stop") and re.match(r"\w+ing\b", rest) else rest


def _its_verb(found: re.Match[str]) -> str:
    """ "anything you write" is anything the assistant writes."""
    verb = found["verb"].lower()
    return f"the assistant {third_person(verb) if verb in COMMON | {'do', 'are'} else found['verb']}"


def _addressed(text: str) -> str:
    text = re.sub(r"\b(?:you|u) (?P<verb>[a-z]+)\b", _its_verb, text, flags=re.IGNORECASE)
    text = re.sub(r"\byour\b|\bur\b", "the assistant's", text, flags=re.IGNORECASE)
    return re.sub(r"\b(?:you|u)\b(?!['’])", "the assistant", text, flags=re.IGNORECASE)
