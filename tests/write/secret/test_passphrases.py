"""Passwords that are plain words, and secrets named after they are told, are seen as such; talk about passwords is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.errors import Conflict, InvalidInput
from edgemem.records import JsonValue, Turn
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel
from edgemem.view import Memory
from edgemem.write.secret import passphrases
from edgemem.write.secret.masking import MASK, masked, secret_in
from tests.helpers import opened

ON = Settings(background=False)


@pytest.mark.parametrize(("text", "shown"), [
    ("heron77 is my password", "•••• is my password"),
    ("Biscuit is my password", "•••• is my password"),
    ("my password is marmalade", "my password is ••••"),
    ("correct kettle window is my passphrase", "•••• is my passphrase"),
    ("The passphrase is correct kettle window", "The passphrase is ••••"),
    ("the password for the router is quince jam forever, ok?", "the password for the router is ••••, ok?"),
    ("I changed it, the password is now marmalade", "I changed it, the password is now ••••"),
    ("btw, moonlight ferry is our wifi password.", "btw, •••• is our wifi password."),
    ("“moonlight ferry” is the wifi password", "“••••” is the wifi password"),
    ("password: marmalade", "password: ••••"),
    ("passphrase = purple otter kettle", "passphrase = ••••"),
    ("the alarm code is 4711", "the alarm code is ••••"),
    ("the door code is 4711-plum, ok", "the door code is ••••, ok"),
    ("4711 is the alarm code", "•••• is the alarm code"),
    ("my cvv is 123", "my cvv is ••••"),
    ("cvv: 123", "cvv: ••••"),
    ("123 is my cvv", "•••• is my cvv"),
    ("the security code on my card is 983", "the security code on my card is ••••"),
    ("密码是春江花月", "密码是••••"),
    ("春江花月是我的密码", "••••是我的密码"),
    ("家里的wifi密码是一帆风顺", "家里的wifi密码是••••"),
    ("heron77就是密码", "••••就是密码"),
    ("暗号：山上有亭，别说出去", "暗号：••••，别说出去"),
    ("小水獭是家里wifi的密码", "••••是家里wifi的密码"),
    ("安全码是123", "安全码是••••"),
    ("The password is swordfish", "The password is ••••"),
    ("my password is butterfly", "my password is ••••"),
    ("the wifi password is Firefly.", "the wifi password is ••••."),
    ("password: goldfish", "password: ••••"),
    ("the password is darling", "the password is ••••"),
    ("the password is mission impossible", "the password is ••••"),
    ("my password is marmalade 🙂", "my password is •••• 🙂"),
    ("my password is marmalade :)", "my password is •••• :)"),
    ("marmalade is my password 🙂", "•••• is my password 🙂"),
    ("I changed my password to marmalade", "I changed my password to ••••"),
    ("I reset the wifi password to purple otter, ok?", "I reset the wifi password to ••••, ok?"),
    ("set the router password to “marmalade”", "set the router password to “••••”"),
    ("我的密码是我爱北京", "我的密码是••••"),
    ("密码是你好大白鹅呀", "密码是••••"),
    ("密码是春江花月😀", "密码是••••😀"),
    ("春江花月就是密码", "••••就是密码"),
    ("safe combination is 12 34 56", "safe combination is ••••"),
    ("the combination to the safe is 12-34-56", "the combination to the safe is ••••"),
    ("my pin is 4711", "my pin is ••••"),
    ("the pin for my card is 4711", "the pin for my card is ••••"),
    ("PIN code: 4711", "PIN code: ••••"),
    ("my pin number is 4711", "my pin number is ••••"),
    ("our bank card pin 4711", "our bank card pin ••••"),
    ("4711 is my pin", "•••• is my pin"),
    ("I set the pin to 4711", "I set the pin to ••••"),
])  # fmt: skip
def test_a_secret_is_masked_in_either_order(text: str, shown: str) -> None:
    assert secret_in(text)
    assert masked(text) == shown


@pytest.mark.parametrize("text", [
    "my password is too long", "my password is wrong", "the password is correct", "My password is the name of my dog",
    "that is my password", "what is my password", "this is my wifi password", "losing it is my password problem",
    "my password is expired", "the password is on the fridge", "the password is case sensitive", "My password is a mess",
    "I forgot what my password is", "My password is written down.", "my password manager is Vaultling", "Vaultling is my password manager",
    "the pin is bent", "my room is 123", "My pin board is 120 cm", "the passcode was shorter", "my door code is on the list",
    "密码是什么", "密码是八位数", "我的密码忘了", "密码是我的生日", "生日是我的密码", "密码是自动生成的", "这是我的密码", "他的密码是公开的",
    "密码：见第十二页", "我用的密码管理器是开源的", "安全码收不到", "密码太简单了",
    "my password is missing", "the password is expiring soon", "the password is changing every week", "my password is working again", "my password is embarrassingly weak",
    "the password is impossible", "the password is not working", "my password is too short", "the password is the same", "the password is invalid 🙂",
    "I changed my password to something stronger", "I reset the password to log in", "I set the password to expire", "I changed my password to be safe",
    "GPIO pin 127 drives the relay", "set pin 123 high", "set pin 1234 high", "the GPIO pin is 1234", "pin 100 posts", "pin 1000 posts", "pin the 2024 post",
    "pin code 110001 in Delhi", "my pin code is 110001 in Delhi", "My pin board is 1200 cm", "the access code is required", "the safe combination is lost",
    "下一步是密码", "关键是密码", "第三项是密码", "密码是我妈设的", "密码是我自己", "密码是我猜中的", "密码是你告诉我的",
])  # fmt: skip
def test_talk_about_passwords_is_no_secret(text: str) -> None:
    assert not secret_in(text)


@given(
    st.text(max_size=60),
    st.sampled_from(["{} is my password", "my password is {}", "密码是{}", "{}是我的密码", "cvv {}"]),
)
def test_a_spot_lies_in_its_text(words: str, sentence: str) -> None:
    text = sentence.format(words)
    for start, bare, end in passphrases.spots(text):
        assert 0 <= start <= bare < end <= len(text)
        assert text[bare:end] not in masked(text).replace(MASK, "") or text.count(text[bare:end]) == 0


@pytest.fixture
def mem(store_path: Path) -> Iterator[Memory]:
    with opened(store_path, ScriptedModel(), settings=ON) as file:
        yield file.user("me")


@pytest.mark.parametrize("said", ["Biscuit is my password", "春江花月是我的密码", "123 is my cvv"])
def test_a_told_one_waits_masked(mem: Memory, said: str) -> None:
    receipt = mem.learn([Turn("user", said)])
    (waiting,) = mem.list(status="review")
    assert not receipt.memories
    assert MASK in waiting.content
    assert waiting.sensitivity == "sensitive"


@pytest.mark.parametrize(("name", "value"), [
    ("password", "marmalade"), ("wifi_password", "heron77"), ("wifiPassword", "heron77"), ("pin", 4711), ("cvv", "123"),
    ("note", "my password is heron77"), ("door", ["open", {"api-key": "abcd1234+efgh"}]), ("card", "4111 1111 1111 1111"), ("密码", "春江花月"),
    ("passwords", ["marmalade"]), ("door_code", "4711"), ("alarmCode", 4711), ("security_code", "983"), ("cvv2", 983), ("apikey", "heron7788xyz"),
    ("APIKey", "heron7788xyz"), ("api_keys", {"main": "heron7788xyz"}), ("passwords", {"wifi": "marmalade"}), ("devices", {"router": {"passwords": "swordfish"}}), ("password2", "heron77"), ("pin_code", 4711), ("safe_combination", "12-34-56"),
    ("access_token", "marmalade"), ("client_secret", "marmalade"), ("密码2", "春江花月"),
])  # fmt: skip
def test_no_field_takes_one_in_clear(mem: Memory, name: str, value: JsonValue) -> None:
    for put in (
        lambda: mem.add("I keep bees", data={name: value}),
        lambda: mem.add("I keep wasps", attribute=name, value=value if isinstance(value, str) else "my pin is 4711"),
        lambda: mem.set_profile(name, value),
        lambda: mem.set_state("garden", name, value),
    ):
        with pytest.raises(InvalidInput, match="password"):
            put()
    assert not mem.list(status="any")
    assert not mem.profile()
    assert not mem.tasks()


@pytest.mark.parametrize(("name", "value"), [
    ("token_budget", 4096), ("started_ms", 1711111111114), ("password_hint", "see page 12"), ("pin", None), ("pinned", True),
    ("spinning", "4711"), ("password", "expired"), ("steps", [{"name": "reset the password", "done": False}]),
    ("pwd", "/srv/app1"), ("pwd", "~/notes2"), ("password", "/run/secrets/db1"), ("max_token", 4096), ("maxTokens", 4096), ("page_token", 5000), ("next_page_token", "abc1234"),
    ("prompt_tokens", 4096), ("total_token", 4096), ("tokens", 4096), ("pin", 17), ("status_code", 4040), ("bus_pass", "monthly"), ("api_key", "missing"),
    ("passwords", ["expired", "weak"]), ("passwords", {"wifi": "changed"}), ("secret", {"name": "heron"}), ("password", "••••"), ("密码", "忘了"),
])  # fmt: skip
def test_other_fields_are_kept(mem: Memory, name: str, value: JsonValue) -> None:
    mem.set_state("garden", name, value)
    mem.set_profile(name, value)
    assert mem.state_fields("garden")[0].value == value
    assert mem.profile()[0].value == value


def test_two_sealed_ones_with_one_label_say_that_it_is_the_label(store_path: Path) -> None:
    with opened(store_path, ScriptedModel(), settings=ON, passphrase="plain kettle") as file:
        mem = file.user("me")
        first = mem.add_secret("heron77", label="wifi")
        change = mem.forget(first)
        mem.add_secret("otter88", label="wifi")
        with pytest.raises(Conflict, match=r"has the label .* too") as caught:
            mem.undo(change)
        assert "says the same" not in str(caught.value)
