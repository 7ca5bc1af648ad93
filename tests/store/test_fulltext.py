"""Words of any script are found, and no query is ever an error."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from edgemem.memory import MemoryFile
from edgemem.store import fulltext
from edgemem.text import content_hash, query_tokens
from edgemem.view import Memory
from tests.helpers import opened, said


def found(mem: Memory, query: str) -> list[str]:
    """What the index alone finds, before recall judges it."""
    with mem.file.engine.read() as tx:
        (user,) = tx.execute("SELECT id FROM user WHERE name = ?", (mem.name,)).fetchone()
        keys = [key for key, _ in fulltext.search(tx, "memory_fts", user, query, 100)]
    return [next(m.content for m in mem.list(limit=0) if m.key == key) for key in keys]


SHANGHAI = "我昨天在上海和王小明吃了火锅"


@pytest.mark.parametrize("query", ["上海", "王小明", "火锅", "锅", "吃", "我", "小明", "在上海和王", "昨天"])
def test_chinese_words_of_one_and_more_characters(mem: Memory, query: str) -> None:
    mem.add(SHANGHAI)
    mem.add("The user likes tea.")
    assert found(mem, query) == [SHANGHAI]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("watchdog单层比较", "watchdog"),
        ("watchdog单层比较", "单层"),
        ("明日は東京タワーに行く", "東京"),
        ("明日は東京タワーに行く", "タワー"),
        ("배포를 금요일에 한다", "배포"),
        ("사용자는 서울에서 산다", "서울"),
        ("Пароль от сейфа у Анны", "пароль"),
        ("العربية لغتي الأولى", "العربية"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("Room ＡＢＣ１２３ is hers", "abc123"),
        ("Room ABC123 is hers", "ＡＢＣ１２３"),
        ("We met at the café", "cafe"),
        ("We met at the cafe", "café"),
        ("Straße 5", "STRASSE"),
        ("She runs marathons", "running"),
        ("ｶﾀｶﾅで書く", "カタカナ"),
    ],
)
def test_other_scripts_forms_and_widths(mem: Memory, text: str, query: str) -> None:
    mem.add(text)
    assert found(mem, query) == [text]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_normal_forms_find_each_other_and_stored_text_stays_as_it_was(mem: Memory, form: str) -> None:
    texts = [
        unicodedata.normalize("NFD", "Zoë buys crème brûlée"),
        unicodedata.normalize("NFC", "한국어 수업을 듣는다"),
    ]
    for text in texts:
        mem.add(text)
    assert found(mem, unicodedata.normalize(form, "brûlée")) == [texts[0]]  # type: ignore[arg-type]
    assert found(mem, unicodedata.normalize(form, "한국어")) == [texts[1]]  # type: ignore[arg-type]


HARD = [
    "pre-edit", "TODO: fix", "don't", 'a"b', "AND", "OR NOT", "*", "C++", "", " ", "🦜", "(", ")", '"', "^x", "x*", "a:b",
    "scope : u1u", "body:bees", "NEAR(a b, 3)", "'; DROP TABLE memory; --", "+", "-bees", "{}", "\\", "%", "_",
    "\u200d", "\ufeff", "\n", "u1u", "x" * 100_000, "a " * 10_000, "火" * 5_000,
]  # fmt: skip


@pytest.mark.parametrize("query", HARD)
def test_no_query_is_an_error(mem: Memory, query: str) -> None:
    mem.add("I keep bees")
    mem.recall(query)
    assert mem.search_log(query) == []
    assert found(mem, "bees") == ["I keep bees"]


@pytest.mark.parametrize("literal", ["pre-edit", "TODO: fix", "don't", 'a"b', "C++ NEAR", "AND gate", "x*y"])
def test_text_with_search_syntax_finds_itself(mem: Memory, literal: str) -> None:
    text = f"The user wrote {literal} on the wall"
    mem.add(text)
    assert found(mem, literal) == [text]


@given(text=st.text(st.characters(exclude_categories=["Cs", "Cn", "Co"], exclude_characters="\0"), max_size=40))
@settings(max_examples=60)
@example("İstanbul")
@example("ſtraße")
@example("हिन्दी में लिखा")
@example("ไทย")
@example("a\u0301b")
@example("𠮷野家")
@example("①② ㍻ ﬁne")
def test_any_text_finds_itself(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    if not query_tokens(text):
        return
    with opened(tmp_path_factory.mktemp("fts") / "x.edgemem", words_only=True) as file:
        mem = file.user("me")
        mem.add(text)
        assert found(mem, text) == [text.strip()]


@given(st.text(max_size=80))
def test_two_normal_forms_of_a_text_are_the_same_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert content_hash(unicodedata.normalize("NFC", text)) == content_hash(unicodedata.normalize("NFD", text))


def test_a_turn_is_found_by_its_neighbours_words_but_behind_its_own(mem: Memory) -> None:
    mem.log(said("What do you keep?", "Bees, since spring", "How nice", "Do you sell the honey?"))
    contents = [h.content for h in mem.search_log("honey bees", 4)]
    assert contents[0] in {"Bees, since spring", "Do you sell the honey?"}
    assert "How nice" in contents


def test_the_log_index_is_what_the_rows_say(store: MemoryFile, mem: Memory) -> None:
    mem.log(said("one bee", "two 蜜蜂", "three"))
    mem.log(said("four", session="t"))
    mem.log(said("five 蜂", session="s2", role="assistant"))
    assert _index(store, "turn_fts") == _rebuilt_log(store)


def _index(store: MemoryFile, table: str) -> set[tuple[object, ...]]:
    with store.engine.write() as tx:
        tx.execute(f"CREATE VIRTUAL TABLE temp.seen USING fts5vocab(main, {table}, instance)")
        try:
            return {tuple(r) for r in tx.execute("SELECT term, doc, col, offset FROM temp.seen")}
        finally:
            tx.execute("DROP TABLE temp.seen")


def _rebuilt_log(store: MemoryFile) -> set[tuple[object, ...]]:
    from edgemem.store.fulltext import turn_texts

    with store.engine.write() as tx:
        tx.execute(
            "CREATE VIRTUAL TABLE temp.fresh USING fts5(scope, body, context, content='', tokenize='porter unicode61 remove_diacritics 2')"
        )
        tx.execute("CREATE VIRTUAL TABLE temp.seen USING fts5vocab(temp, fresh, instance)")
        for row in tx.execute("SELECT id, user_id, session_id, position FROM turn").fetchall():
            texts = turn_texts(tx, row["user_id"], row["session_id"], row["position"])
            tx.execute("INSERT INTO temp.fresh(rowid, scope, body, context) VALUES (?,?,?,?)", (row["id"], *texts))
        try:
            return {tuple(r) for r in tx.execute("SELECT term, doc, col, offset FROM temp.seen")}
        finally:
            tx.execute("DROP TABLE temp.seen")
            tx.execute("DROP TABLE temp.fresh")


@pytest.mark.parametrize("text", ["ڐڥ۰٥\u0605؋", "₲₨\u2069₡", "Ģ𝥉Ȥ", "𔒵𒔷", "가\u0339\u0353"])
def test_what_the_index_takes_for_a_letter_is_no_part_of_a_word(mem: Memory, text: str) -> None:
    """Python's Unicode and that of the tokenizer differ by some years."""
    mem.add(text)
    assert found(mem, text) == [text]
