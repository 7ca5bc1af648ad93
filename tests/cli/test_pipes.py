"""What a text argument can say, standard input can: ``-``."""

from __future__ import annotations

import pytest

from .conftest import Run


def test_a_dash_is_standard_input_for_every_text(run: Run) -> None:
    uid = run("add", "-", stdin='The user said "no bees".\n').out.strip()
    assert run("show", uid, "--json").json["content"] == 'The user said "no bees".'
    run("edit", uid, "-", stdin="The user keeps bees.\r\n")
    assert run("show", uid, "--json").json["content"] == "The user keeps bees."
    run("observe", "-", "--session", "mail", stdin="I moved\nto Porto\n")
    assert [turn["content"] for turn in run("log", "mail", "--json").json["turns"]] == ["I moved\nto Porto"]
    for command in ("recall", "context", "needs"):
        piped, typed = run(command, "-", "--json", stdin="bees\n").json, run(command, "bees", "--json").json
        for told in (piped, typed):
            told.pop("ms", None), told.pop("timings", None)
        assert piped == typed


@pytest.mark.parametrize("stdin", ["", "\n", b"\xff\xfe"])
def test_nothing_and_no_text_on_standard_input_is_refused(run: Run, stdin: str | bytes) -> None:
    ran = run("add", "-", stdin=stdin)
    assert (ran.code, ran.out) == (1, "") or ran.code == 2
    assert "Error" in ran.err
