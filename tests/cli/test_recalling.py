"""Recall, context and profile by command."""

from __future__ import annotations

import re

from edgemem.cli.tables import width

from .conftest import Run


def test_the_profile_is_set_read_and_unset(run: Run) -> None:
    assert run("profile", "list").out == ""
    assert run("profile", "set", "language", "Deutsch").code == 0
    assert run("profile", "set", "food", '["olives"]', "--avoid").code == 0
    assert run("profile", "set", "address", "12 Elm Street", "--reader", "courier").code == 0
    assert run("profile", "get", "language").out == '"Deutsch"\n'
    assert run("profile", "get", "food").out == 'avoid: ["olives"]\n'
    assert [f["field"] for f in run("profile", "list", "--json").json["fields"]] == ["address", "food", "language"]
    assert "Elm" not in run("profile", "list", "--reader", "chef").out
    assert "Elm" not in run("context", "anything").out
    assert "Elm" in run("context", "anything", "--reader", "courier").out
    assert run("profile", "unset", "language").code == 0
    assert run("profile", "get", "language").code == 1


def test_a_context_holds_what_stands_and_says_that_nothing_else_is_relevant(run: Run) -> None:
    run("add", "The user is allergic to peanuts.", "--pin")
    found = run("context", "explain TCP")
    assert "allergic" in found.out
    assert "Nothing relevant" in found.err
    assert run("context", "explain TCP", "--relevant").out == ""
    block = run("context", "explain TCP", "--json").json
    assert (block["standing"], block["left_out"], block["abstained"]) == (1, 0, True)


def test_a_memory_is_found_by_subject_and_attribute(run: Run) -> None:
    run("add", "38, always", "--subject", "Mia", "--attribute", "shoe size", "--value", "38")
    assert [h["content"] for h in run("recall", "Mia's shoe size", "--arm", "slot", "--json").json["hits"]] == [
        "38, always"
    ]


def test_reasons_are_readable_at_80_columns_and_leave_out_what_counts_nothing(run: Run) -> None:
    run("add", "I keep bees in a garden behind the old town hall, together with my neighbour and her three daughters")
    run("add", "我在旧市政厅后面的花园里养蜜蜂，和邻居以及她的三个女儿一起，每年春天都要换两次蜂箱，还要给蜜蜂喂糖水")
    ran = run("recall", "bees", "--explain")
    lines = ran.err.splitlines()
    assert any(line.startswith("1. ") for line in lines)
    assert max(map(width, lines)) <= 80
    assert not re.search(r"[+-]0\.000", ran.err)
    assert re.search(r"vector \d\.\d\d \(#1\) \+0\.\d{3}", ran.err)


def test_recall_as_of_a_day_and_by_a_preset(run: Run) -> None:
    run("add", "I keep bees")
    assert run("recall", "bees", "--as-of", "2001-01-01").out == ""
    assert "bees" in run("recall", "bees", "--as-of", "2999-01-01").out
    assert run("context", "bees", "--as-of", "2001-01-01").out == ""
    parts = run("recall", "bees", "--ranking", "weighted", "--json").json["hits"][0]["parts"]
    assert set(parts) == {"similarity", "importance", "recency"}
    assert run("recall", "bees", "--ranking", "luck").code == 2


def test_a_routed_context_says_that_nothing_was_searched(run: Run) -> None:
    run("add", "The user is allergic to peanuts.", "--pin")
    found = run("context", "thanks a lot!", "--routed")
    assert "allergic" in found.out
    assert "needs no memory. It is small talk." in found.err
    assert run("context", "thanks a lot!", "--routed", "--json").json["skipped"] == "It is small talk."
    assert run("context", "thanks a lot!", "--json").json["skipped"] == ""


def test_whether_a_message_needs_memory(run: Run) -> None:
    run("add", "The user is allergic to peanuts.")
    assert run("needs", "thanks a lot!").out == "not needed\n"
    told = run("needs", "and her husband?", "--after", "Where does my sister live?")
    assert told.out == "needed\n"
    assert "user's own" in told.err
    assert run("needs", "Hi", "--json").json == {"needed": False, "chance": 0.0, "why": "It is small talk."}
