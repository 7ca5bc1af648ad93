"""A secret that was said waits masked for a person, is sealed after a yes, and stands nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem.errors import Conflict, InvalidInput
from edgemem.records import Turn
from edgemem.view import Memory
from edgemem.write.clauses import split
from edgemem.write.secret import secrets
from tests.helpers import Fact, RuleModel, opened, said
from tests.store.conftest import PASS

WIFI = "I keep bees. My wifi password is Plum-Harbour_9."
LABEL = "My wifi password is ••••."
BEES = Fact("I keep bees", "The user keeps bees.")


def waiting(mem: Memory) -> list[tuple[str, str]]:
    return [(m.content, m.sensitivity) for m in mem.list(status="review")]


def everything(mem: Memory) -> str:
    """All that tells of memories; not the log, which has what was said as it was said."""
    kept = mem.list(status="any")
    runs = [mem.runs(t.id, session=t.session) for s in mem.sessions() for t in mem.turns(s.id)]
    return repr((kept, mem.history(), [mem.why(m.id) for m in kept], runs))


def test_a_secret_waits_masked_and_what_stands_beside_it_is_learned(store_path: Path) -> None:
    with opened(store_path, RuleModel(BEES), passphrase=PASS) as file:
        mem = file.user("me")
        receipt = mem.learn(said(WIFI))
        assert [m.content for m in receipt.memories] == [BEES.memory]
        assert [(r.content, r.reason) for r in receipt.rejected] == [(LABEL, secrets.WAITS)]
        assert waiting(mem) == [(LABEL, "sensitive")]
        assert "Harbour" not in everything(mem)
        (bees,) = mem.list()
        why = mem.why(bees.id)
        assert why.turn is not None
        assert why.turn.content == WIFI.replace("Plum-Harbour_9", "••••")
        assert why.run is not None
        assert len(why.run.steps) > len(why.steps) > 0
        assert "wifi" not in " ".join(m.content for m in mem.list())
        assert file.check() == []


def test_a_yes_seals_it_a_no_puts_it_away_and_both_are_taken_back(store_path: Path) -> None:
    with opened(store_path, RuleModel(), passphrase=PASS) as file:
        mem = file.user("me")
        mem.learn(said(WIFI))
        (item,) = mem.list(status="review")
        refused = mem.forget(item.id)
        assert waiting(mem) == []
        mem.undo(refused)
        sealed = mem.confirm(item.id)
        assert mem.get(item.id).status == "live"
        assert mem.reveal(item.id) == "My wifi password is Plum-Harbour_9."
        assert "Harbour" not in everything(mem)
        mem.undo(sealed)
        assert waiting(mem) == [(LABEL, "sensitive")]
        assert file.check() == []


def test_without_a_passphrase_it_goes_on_waiting(store_path: Path) -> None:
    with opened(store_path, RuleModel()) as file:
        mem = file.user("me")
        mem.learn(said(WIFI))
        with pytest.raises(InvalidInput, match="passphrase"):
            mem.confirm(mem.list(status="review")[0].id)
        assert waiting(mem) == [(LABEL, "sensitive")]


def test_the_same_secret_waits_once_whatever_the_answer_was(store_path: Path) -> None:
    with opened(store_path, RuleModel(), passphrase=PASS) as file:
        mem = file.user("me")
        mem.learn([Turn("user", WIFI, session="a"), Turn("user", WIFI + " Did you note it?", session="b")])
        (item,) = mem.list(status="review")
        sealed = mem.confirm(item.id)
        mem.learn([Turn("user", "my wifi password is Plum-Harbour_9", session="c")])
        assert waiting(mem) == []
        mem.undo(sealed)
        mem.forget(item.id)
        mem.learn([Turn("user", WIFI, session="d")])
        assert waiting(mem) == []


def test_a_changed_password_takes_the_place_of_the_old_one(store_path: Path) -> None:
    changed = WIFI.replace("Plum", "Pear")
    with opened(store_path, RuleModel(), passphrase=PASS) as file:
        mem = file.user("me")
        mem.learn([Turn("user", WIFI, session="a"), Turn("user", changed, session="b")])
        second, first = mem.list(status="review")
        mem.confirm(first.id)
        yes = mem.confirm(second.id)
        assert mem.reveal(second.id) == "My wifi password is Pear-Harbour_9."
        old = mem.get(first.id)
        assert (old.status, old.superseded_by) == ("superseded", second.id)
        assert mem.reveal(first.id) == "My wifi password is Plum-Harbour_9."
        assert "Harbour" not in everything(mem)
        mem.undo(yes)
        assert [mem.get(m.id).status for m in (first, second)] == ["live", "review"]
        mem.confirm(second.id)
        mem.learn([Turn("user", WIFI, session="c")])  # changed back
        assert len(waiting(mem)) == 1
        assert file.check() == []


def test_of_two_passwords_the_one_said_later_counts_whichever_gets_its_yes_first(store_path: Path) -> None:
    with opened(store_path, RuleModel(), passphrase=PASS) as file:
        mem = file.user("me")
        mem.learn(said(WIFI, WIFI.replace("Plum", "Pear")))
        second, first = mem.list(status="review")
        mem.confirm(second.id)
        late = mem.confirm(first.id)
        assert [mem.get(m.id).status for m in (first, second)] == ["superseded", "live"]
        assert "Plum" in mem.reveal(first.id)
        mem.undo(late)
        assert [m.id for m in mem.list(status="review")] == [first.id]
        assert file.check() == []


def test_a_label_given_by_hand_is_not_replaced(store_path: Path) -> None:
    with opened(store_path, RuleModel(), passphrase=PASS) as file:
        mem = file.user("me")
        mem.add_secret("Quince-Garden_7", label=LABEL)
        mem.learn(said(WIFI))
        with pytest.raises(Conflict, match="has the label"):
            mem.confirm(mem.list(status="review")[0].id)


def test_erasing_its_message_takes_it_along(store_path: Path) -> None:
    with opened(store_path, RuleModel(), passphrase=PASS) as file:
        mem = file.user("me")
        mem.learn([Turn("user", WIFI, session="s")])
        mem.erase(session="s")
        assert mem.list(status="any") == []


@pytest.mark.parametrize("words", [
    "Don't remember this: my password is Plum-Harbour_9.", "Is Plum-Harbour_9 a good password?",
    "Fix this: “my password is Plum-Harbour_9”", "> my password is Plum-Harbour_9\nfix the spelling",
])  # fmt: skip
def test_what_is_not_told_does_not_wait(store_path: Path, words: str) -> None:
    with opened(store_path, RuleModel(), passphrase=PASS) as file:
        mem = file.user("me")
        mem.learn(said(words))
        assert waiting(mem) == []


@pytest.mark.parametrize(("message", "labels"), [
    ("my pin is 4821, and my sister's pin is 9930", ["my pin is ••••,", "and my sister's pin is ••••"]),
    ("记一下，密码：abc12345，以后会用", ["记一下，密码：••••，以后会用"]),
    ("The api key is sk-live-abcdefghijklmnop123 and my dog is Rex.", ["The api key is ••••"]),
    ("My password is plumharbour9. Yes, plumharbour9!", ["My password is ••••."]),
    ("card: 4111 1111 1111 1111", ["card: ••••"]),
])  # fmt: skip
def test_each_secret_is_cut_out_with_its_clause(message: str, labels: list[str]) -> None:
    found = secrets.told(message, split(message))
    assert [secret.label.strip() for secret in found] == labels
    assert all(message[s.start : s.start + len(s.text)] == s.text for s in found)


def _told(mem: Memory, where: Path, form: str) -> str:
    """All that leaves the file or goes into a prompt, but for the log itself."""
    out = where / form
    mem.export_to(out, overwrite=True)
    written = "".join(p.read_text(encoding="utf-8") for p in ([out] if out.is_file() else out.rglob("*.md")))
    found = mem.recall("what is my wifi password?")
    return repr((written, list(mem.records()), found, mem.context("my wifi password").text, mem.search_log("wifi")))


@pytest.mark.parametrize("form", ["all.jsonl", "all.csv", "notes"])
def test_no_export_search_or_prompt_shows_it_before_or_after_the_answer(
    store_path: Path, tmp_path: Path, form: str
) -> None:
    again = "Do I write Plum-Harbour_9 with a capital in the wifi?"
    with opened(store_path, RuleModel(BEES), passphrase=PASS) as file:
        mem = file.user("me")
        mem.learn(said(WIFI, again))
        (item,) = mem.list(status="review")
        waiting = _told(mem, tmp_path, form)
        sealed = mem.confirm(item.id)
        kept = _told(mem, tmp_path, form)
        mem.undo(sealed)
        mem.forget(item.id)
        refused = _told(mem, tmp_path, form)
        for told in (waiting, kept, refused):
            assert "Harbour" not in told
            assert "wifi" in told
        assert "Harbour" in repr([mem.turns(s.id) for s in mem.sessions()])
        assert "Harbour" in repr(list(mem.records(sensitive=True)))
