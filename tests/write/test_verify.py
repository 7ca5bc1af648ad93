"""Nothing is stored that the user's own words do not carry."""

from __future__ import annotations

import pytest

from edgemem.write.extract import Proposal
from edgemem.write.verify import refusal


def why(message: str, quote: str, memory: str, context: str = "") -> str | None:
    return refusal(Proposal(quote, memory, "fact", -0.01), message, context)


@pytest.mark.parametrize(
    ("message", "quote", "memory"),
    [
        ("I keep bees in Porto", "I keep bees in Porto", "The user keeps bees in Porto."),
        ("not since 2009, sold it", "not since 2009, sold it", "The user has not played since 2009 and sold it."),
        ("我不吃辣", "我不吃辣", "用户不吃辣。"),
        ("I hate cilantro", "I hate cilantro", "The user hates cilantro."),
    ],
)
def test_a_faithful_memory_passes(message: str, quote: str, memory: str) -> None:
    assert why(message, quote, memory) is None


@pytest.mark.parametrize(
    ("message", "quote", "memory", "reason"),
    [
        ("I keep bees", "I keep wasps", "The user keeps wasps.", "not in the message"),
        ("I keep bees", "", "The user keeps bees.", "not in the message"),
        ("I keep 3 hives", "I keep 3 hives", "The user keeps 30 hives.", "'30' was not said"),
        ("I keep bees", "I keep bees", "The user keeps bees near Odalys.", "'Odalys' was not said"),
        ("I don't eat fish", "I don't eat fish", "The user eats fish.", "negation"),
        ("I eat fish", "I eat fish", "The user does not eat fish.", "negation"),
        ("我不吃辣", "我不吃辣", "用户吃辣。", "negation"),
        ("我吃辣", "我吃辣", "用户不吃辣。", "negation"),
        ("I keep bees", "I keep bees", "I keep bees.", "third person"),
        ("I keep bees", "I keep bees", "Does the user keep bees?", "question"),
        ("I keep bees", "I keep bees", "The user " + "keeps bees " * 30, "longer"),
        ("I keep bees", "I keep bees", "The user works as an engineer at a large company.", "more than the words"),
    ],
)
def test_an_unfaithful_memory_is_refused(message: str, quote: str, memory: str, reason: str) -> None:
    assert reason in (why(message, quote, memory) or "")


def test_earlier_turns_may_explain_but_not_be_quoted() -> None:
    context = "Do you still live in Porto?"
    assert why("yes, I still live there", "I still live there", "The user still lives in Porto.", context) is None
    assert why("yes", "live in Porto", "The user lives in Porto.", context) == "the quoted words are not in the message"


@pytest.mark.parametrize(
    "memory",
    ["The user's password is hunter2-99x.", "用户的密码是 hunter2-99x", "The user's card is 4111 1111 1111 1111."],
)
def test_secrets_are_not_stored(memory: str) -> None:
    message = "my password / 密码 is hunter2-99x and my card is 4111 1111 1111 1111."
    assert why(message, message, memory) is not None


@pytest.mark.parametrize(
    ("message", "quote", "memory", "refused"),
    [
        ("Jonas 就不行，他一点辣都不能碰", "Jonas 就不行，他一点辣都不能碰", "用户不能碰辣。", True),
        ("Jonas 就不行，他一点辣都不能碰", "Jonas 就不行，他一点辣都不能碰", "用户的朋友 Jonas 不能碰辣。", False),
        ("Jonas came over, he hates olives", "he hates olives", "The user hates olives.", True),
        ("Jonas came over, he hates olives", "he hates olives", "The user's guest Jonas hates olives.", False),
        ("my son is ill, he hates olives", "my son is ill, he hates olives", "The user's son hates olives.", False),
        ("they told me I hate olives", "they told me I hate olives", "The user hates olives.", False),
    ],
)
def test_words_about_another_are_not_about_the_user(message: str, quote: str, memory: str, refused: bool) -> None:
    reason = refusal(Proposal(quote, memory, "fact", -0.1), message, "")
    assert (reason == "the words are about somebody else") is refused
