"""Where secrets stand, and that what is shown instead of one shows no part of it."""

from __future__ import annotations

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from edgemem.write.clauses import split
from edgemem.write.secret import secrets
from edgemem.write.secret.masking import MASK, masked, masked_within, pieces, secret_in, secret_words
from edgemem.write.secret.sealed import DEFAULT_LABEL, label_of

SHOWN = 4
"""Characters in a row that must not be seen of a secret."""
SENTENCES = (
    "My wifi password is {}",
    "my old pin was {} and I keep bees",
    "token={}",
    "密码是：{}",
    "I set the passcode to “{}”.",
    "my secret: {}, ok",
)
ENDS = "、。，！；？"
PRINTABLE = st.one_of(
    st.sampled_from(string.ascii_letters + string.digits + string.punctuation),
    st.characters(exclude_categories=("C", "Z"), exclude_characters=ENDS + MASK),
)


def parts(secret: str) -> set[str]:
    return {secret[n : n + SHOWN] for n in range(len(secret) - SHOWN + 1)}


@given(secret=st.text(PRINTABLE, min_size=SHOWN, max_size=24), sentence=st.sampled_from(SENTENCES))
def test_no_part_of_a_secret_is_seen(secret: str, sentence: str) -> None:
    whole = sentence.format(secret)
    assume(not any(part in sentence + DEFAULT_LABEL for part in parts(secret)))
    shown = [label_of(whole, None), *(told.label for told in secrets.told(whole, split(whole)))]
    assert all(part not in label for label in shown for part in parts(secret))


@given(secret=st.text(PRINTABLE, min_size=SHOWN, max_size=24), sentence=st.sampled_from(SENTENCES))
def test_what_is_seen_as_a_secret_is_masked_as_one(secret: str, sentence: str) -> None:
    whole = sentence.format(secret)
    assume(not any(part in sentence + DEFAULT_LABEL for part in parts(secret)))
    seen = masked_within({"step": [whole, secret]}, pieces(secret_words(whole)))
    assert secret_in(whole) == (masked(whole) != whole)
    if secret_in(whole):
        assert secret not in repr(seen)


@pytest.mark.parametrize(("text", "label"), [
    ("My wifi password is Tr0ub4dor.horse/x", "My wifi password is ••••"),
    ("the api key is abcd1234+efgh/ijkl==", "the api key is ••••"),
    ("my pin is 1234 5678.", "my pin is ••••."),
    ("My password is hunter2, not hunter3", "My password is ••••, not ••••"),
    ("the password changed from Plum4711 to Pear4712", "the password changed from •••• to ••••"),
    ("密码是abc123和def456", "密码是••••"),
    ("My password is Ünter4711", "My password is ••••"),
    ("token=abc.def.ghi123", "token=••••"),
    ("WIFI password “Blau–Meise 12”", "WIFI password “••••”"),
    ("密码是：我爱北京2024", "密码是：••••"),
    ("my password is abc1;defgh", "my password is ••••"),
    ("My passport is C1234567 and expires soon", "My passport is •••• and expires soon"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC", "••••"),
])  # fmt: skip
def test_a_secret_is_masked_to_its_end(text: str, label: str) -> None:
    assert secret_in(text)
    assert label_of(text, None) == label
    assert [told.label.strip() for told in secrets.told(text, split(text))] == [label]


@pytest.mark.parametrize("text", [
    "my password is too long", "I use a password manager", "I use the password manager 1Password", "my pin is at 10:30",
    "the token ring meeting is 10:30am", "the secret to 3 good dishes is salt", "My password expires every 90 days",
    "password: see page 12", "我的密码是8位数的", "密码管理器很好用", "my tokens cost 3.20", "I lost the token(s) in 2019",
])  # fmt: skip
def test_what_only_speaks_of_secrets_is_none(text: str) -> None:
    assert not secret_in(text)
    assert label_of(text, None) == DEFAULT_LABEL


def test_a_secret_is_masked_wherever_it_is_said_again() -> None:
    assert masked("My password is plumharbour9. Yes, plumharbour9!") == f"My password is {MASK}. Yes, {MASK}!"
