from __future__ import annotations

import io
import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.errors import InvalidInput
from edgemem.interop.readers import Reading, read
from edgemem.records import Turn

DATA = Path(__file__).parents[1] / "data"
GOOD = b'{"role": "user", "content": "fine"}\n'


def problem(line: bytes, zone: str | None = None) -> str:
    """What is said about a line that stands second of three; the other two must be taken."""
    reading = read(GOOD + line + b"\n" + GOOD, zone=zone)
    assert [turn.content for turn in reading.turns] == ["fine", "fine"]
    (only,) = reading.problems
    assert only.line == 2
    return f"{only.column}: {only.message}"


def dump(**record: Any) -> bytes:
    return json.dumps(record).encode()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"role": "user", "content": "cut', "29: not valid JSON: Unterminated string starting"),
        (b'{"role": "user" "content": 1}', "17: not valid JSON: Expecting ',' delimiter"),
        (b"[1, 2]", "1: a JSON object is needed, this is an array"),
        (b"null", "1: a JSON object is needed, this is null"),
        (b"[" * 100_000, "1: not valid JSON: nested too deeply"),
        (b'{"role": "user", "n": ' + b"9" * 5000 + b"}", "1: not valid JSON: a number has thousands of digits"),
        (dump(role="user"), "1: `content` is missing"),
        (dump(role="user", content=3), "1: `content` must be a string, this is a number"),
        (dump(role="user", content=" \n"), "1: `content` is empty"),
        (dump(content="x"), "1: `role` is missing; it is one of user, assistant, system, tool"),
        (dump(role="boss", content="x"), "1: unknown role 'boss'; allowed are user, assistant, system, tool"),
        (dump(role=["user"], content="x"), "1: unknown role \"['user']\""),
        (b'{"role": "user", "content": "a\\u0000"}', "31: `content` holds a NUL character at position 1"),
        (b'{"role": "user", "content": "a\0"}', "31: not valid JSON: Invalid control character"),
        (b'{"role": "user", "content": "\\ud83d\\ude00\\ud83d"}', "42: `content` holds half a surrogate pair (U+D83D)"),
        (b'{"role": "user", "content": "\\udc00"}', "30: `content` holds half a surrogate pair (U+DC00)"),
        (b'{"role": "user", "content": "x", "session": "\\ud800"}', "46: `session` holds half a surrogate pair"),
        ('{"role": "user", "content": "é'.encode() + b'\xff"}', "31: byte 0xff at offset 67 of the file is not UTF-8"),
        (dump(role="user", content="x", at="2026-01-02T03:04"), "1: `at` has no zone: '2026-01-02T03:04'; add an"),
        (dump(role="user", content="x", at="noon"), "1: `at` is not an ISO 8601 time: 'noon'"),
        (dump(role="user", content="x", at=17), "1: `at` must be a string such as"),
        (dump(role="user", content="x", at="0001-01-01T00:00:00+14:00"), "1: `at` is out of range"),
        (dump(role="user", content="x", id=True), "1: `id` must be a string, this is a boolean"),
        (dump(role="user", content="x", session=""), "1: `session` is empty"),
    ],
)
def test_a_broken_line_is_named_and_the_rest_is_taken(line: bytes, said: str) -> None:
    assert problem(line).startswith(said)


def test_a_time_without_zone_is_taken_with_one() -> None:
    line = dump(role="user", content="x", at="2026-01-02T03:04")
    for zone, hours in (("+08:00", 8), ("Asia/Shanghai", 8), ("UTC", 0), ("-05:30", -5.5)):
        (turn,) = read(line, zone=zone).turns
        assert turn.at == datetime(2026, 1, 2, 3, 4, tzinfo=UTC) - timedelta(hours=hours)
    with pytest.raises(InvalidInput):
        read(line, zone="Moon/Crater")


def test_all_fields_are_read() -> None:
    line = dump(role="tool", content="x", at="2026-01-02T03:04:05Z", session=7, id="a", speaker="Ida")
    assert read(line).turns == [Turn("tool", "x", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "7", "a", "Ida")]


def test_the_same_id_twice_in_a_session_is_refused() -> None:
    lines = [dump(role="user", content="x", id="a", session=s) for s in ("one", "two", "one")]
    reading = read(b"\n".join(lines))
    assert len(reading.turns) == 2
    assert str(reading.problems[0]) == "line 3, column 1: `id` 'a' was already used on line 1 in the same session"


def test_byte_order_mark_line_ends_and_empty_lines() -> None:
    reading = read(b"\xef\xbb\xbf" + GOOD.strip() + b"\r\n\r\n \n" + GOOD.strip())
    assert len(reading.turns) == 2
    assert not reading.problems


def test_nothing_is_no_conversation_but_no_error() -> None:
    assert read(b"").turns == []
    assert read(b"\n \n").turns == []


@pytest.mark.parametrize("data", [b"Dear diary,\n", b'{"a": 1}\n', b"[]", b"\x00\x01\x02", b"SQLite format 3\0"])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(data)
    assert "LoCoMo" in refused.value.hint


def test_utf16_is_named() -> None:
    with pytest.raises(InvalidInput, match="UTF-16"):
        read('{"role"'.encode("utf-16"))


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(InvalidInput, match="Cannot read"):
            read(path)


def test_a_file_of_one_broken_line_is_not_an_unknown_format() -> None:
    assert len(read(b'{"role": "user", "content": "x').problems) == 1


def test_long_lines_and_many_lines_take_linear_time() -> None:
    started = time.perf_counter()
    reading = read(io.BytesIO(dump(role="user", content="长" * 1_000_000) + b"\n" + GOOD * 50_000))
    assert len(reading.turns) == 50_001
    assert len(reading.turns[0].content) == 1_000_000
    assert time.perf_counter() - started < 20


@given(st.lists(st.text(min_size=1).filter(lambda text: text.strip() and "\0" not in text), min_size=1))
def test_whatever_json_can_say_comes_back(texts: list[str]) -> None:
    reading = read(b"".join(dump(role="user", content=text) + b"\n" for text in texts))
    assert [turn.content for turn in reading.turns] == texts


@given(st.binary())
def test_no_bytes_make_the_reader_fail(data: bytes) -> None:
    try:
        assert isinstance(read(GOOD + data), Reading)
        read(data)
    except InvalidInput:
        pass


LOCOMO: dict[str, Any] = {
    "speakers": ["Ida", "Bo"],
    "sessions": [
        {
            "index": 4,
            "at": "2024-05-01T09:00:00",
            "turns": [
                {"id": "D4:1", "speaker": "Bo", "text": "Look!", "image": "a red kite"},
                {"id": "D4:2", "speaker": "Ida", "text": "Lovely.", "image": None},
                {"id": "D4:3", "speaker": "Ida"},
            ],
        },
        {"at": "then", "turns": []},
    ],
}


@pytest.mark.parametrize("indent", [None, 1])
def test_locomo(indent: int | None) -> None:
    reading = read(json.dumps(LOCOMO, indent=indent).encode(), zone="+02:00")
    assert reading.format == "locomo"
    first, second = reading.turns
    assert (first.role, first.speaker, first.session, first.id) == ("assistant", "Bo", "session-4", "D4:1")
    assert first.content == "Look! [image: a red kite]"
    assert (second.role, second.content) == ("user", "Lovely.")
    assert first.at == datetime(2024, 5, 1, 7, tzinfo=UTC)
    assert not reading.notices
    assert [found.message.split(":")[0] for found in reading.problems] == ["session 1, turn 3", "session 2"]


def test_times_by_nature_without_zone_are_utc_with_one_notice() -> None:
    reading = read(json.dumps(LOCOMO).encode())
    assert reading.turns[0].at == datetime(2024, 5, 1, 9, tzinfo=UTC)
    assert len(reading.notices) == 1
    assert "UTC" in reading.notices[0]


def test_memorybank_has_several_people() -> None:
    exchange = {"id": "2024-05-01#0", "at": "2024-05-01", "user": "Hi", "assistant": "Hello"}
    lines = [
        dump(person="Uma", turns=[exchange, {"id": 3}]),
        b"{broken",
        dump(person="Lev", turns=[exchange | {"assistant": ""}]),
        dump(person="Uma", turns=[exchange | {"id": "2024-05-02#0"}]),
    ]
    reading = read(b"\n".join(lines))
    assert reading.format == "memorybank"
    assert [turn.id for turn in reading.people["Uma"]] == [
        "2024-05-01#0",
        "2024-05-01#0/reply",
        "2024-05-02#0",
        "2024-05-02#0/reply",
    ]
    assert [(turn.role, turn.session) for turn in reading.people["Lev"]] == [("user", "2024-05-01")]
    assert [found.line for found in reading.problems] == [1, 2]
    assert len(reading.notices) == 2


@pytest.mark.parametrize("name", ["conversation.jsonl", "long_chat.jsonl"])
def test_our_own_conversations_have_no_problems(name: str) -> None:
    reading = read(DATA / name)
    assert not reading.problems
    times = [turn.at for turn in reading.turns if isinstance(turn.at, datetime)]
    assert times == sorted(times)
    assert len(times) == len(reading.turns)


def test_every_question_rests_on_turns_that_exist() -> None:
    ids = {turn.id for turn in read(DATA / "conversation.jsonl").turns}
    lines = (DATA / "conversation.questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    assert all(set(question["evidence"]) <= ids for question in questions)
    assert {question["lang"] for question in questions} == {"en", "zh"}
    assert sum(not question["evidence"] for question in questions) == 1


PUBLISHED_LOCOMO: list[dict[str, Any]] = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Nora", "speaker_b": "Ivo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Nora", "dia_id": "D1:1", "text": "I rented a lathe."},
                {"speaker": "Ivo", "dia_id": "D1:2", "text": "Look", "img_url": ["x"], "blip_caption": "a wooden bowl", "query": "bowl"},
            ],
            "session_10_date_time": "9:00 am on 2 June, 2023",
            "session_10": [{"speaker": "Nora", "dia_id": "D10:1", "text": "It hums."}],
            "session_2_date_time": "12:05 am on 1 June, 2023",
            "session_2": [{"speaker": "Ivo", "dia_id": "D2:1", "text": "Still turning?"}],
            "session_11_date_time": "9:00 am on 3 June, 2023",
        },
        "qa": [{"question": "What did Nora rent, and does it hum?", "answer": "a lathe", "evidence": ["D1:1; D10:1"], "category": 1}],
        "observation": {}, "session_summary": {}, "event_summary": {},
    },
    {
        "sample_id": "conv-2",
        "conversation": {
            "speaker_a": "Lin", "speaker_b": "Bo", "session_1_date_time": "3:10 pm on 4 July, 2023",
            "session_1": [{"speaker": "Lin", "dia_id": "D1:1", "text": "My canary sings."}, {"speaker": "Bo", "dia_id": "D1:2"}],
        },
        "qa": [{"question": "What sings?", "answer": "a canary", "evidence": ["D1:1"], "category": 4}],
    },
]  # fmt: skip


@pytest.mark.parametrize("indent", [None, 2])
def test_locomo_as_it_is_published(indent: int | None) -> None:
    reading = read(json.dumps(PUBLISHED_LOCOMO, indent=indent).encode(), zone="UTC")
    assert reading.format == "locomo"
    assert [(turn.role, turn.speaker, turn.id, turn.content) for turn in reading.people["conv-1"]] == [
        ("user", "Nora", "D1:1", "I rented a lathe."), ("assistant", "Ivo", "D1:2", "Look [image: a wooden bowl]"),
        ("assistant", "Ivo", "D2:1", "Still turning?"), ("user", "Nora", "D10:1", "It hums."),
    ]  # fmt: skip
    assert [turn.at for turn in reading.people["conv-1"]] == [
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC), datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        datetime(2023, 6, 1, 0, 5, tzinfo=UTC), datetime(2023, 6, 2, 9, tzinfo=UTC),
    ]  # fmt: skip
    assert [p.message.split(":")[0] for p in reading.problems] == ["conv-2, session 1, turn 2"]
    (one,) = read(json.dumps(PUBLISHED_LOCOMO[0], indent=indent).encode()).conversations
    assert (one.user, len(one.turns)) == (None, 4)


@pytest.mark.parametrize("indent", [None, 1])
def test_memorybank_as_it_is_published(indent: int | None) -> None:
    document = {
        "Wei": {
            "name": "Wei", "summary": {"2023-04-27": "…"}, "personality": {}, "overall_history": "",
            "history": {
                "2023-04-27": [{"query": "I keep bees", "response": "Lovely"}, ["My hive is red", ""]],
                "2023-04-28": [],
            },
        },
        "Ana": {"name": "Ana", "history": {"2023-04-30": [{"query": "I row", "response": "Good"}, {"query": 3}, "odd"]}},
        "Uma": {"name": "Uma"},
    }  # fmt: skip
    reading = read(json.dumps(document, indent=indent).encode(), zone="UTC")
    assert reading.format == "memorybank"
    assert [(t.role, t.id, t.session, t.content) for t in reading.people["Wei"]] == [
        ("user", "2023-04-27#0", "2023-04-27", "I keep bees"),
        ("assistant", "2023-04-27#0/reply", "2023-04-27", "Lovely"),
        ("user", "2023-04-27#1", "2023-04-27", "My hive is red"),
    ]
    assert [t.content for t in reading.people["Ana"]] == ["I row", "Good"]
    assert [p.message.split(":")[0] for p in reading.problems] == ["Ana, turn 2", "Ana, turn 3"]
