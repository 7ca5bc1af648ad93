"""What is stored in traditional characters is found by simplified ones and the other way round; it stays as it was typed."""

from __future__ import annotations

import importlib.util
import unicodedata
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.memory import MemoryFile
from edgemem.text import comparable, content_hash, fold, segment, simplified
from edgemem.view import Memory
from tests.helpers import python, said

PAIRS = [
    ("我媽媽對蝦子過敏", "我妈妈对虾子过敏"),
    ("週末我們去爬陽明山", "周末我们去爬阳明山"),
    ("用戶在臺北的軟體公司上班", "用户在台北的软体公司上班"),
    ("牠最喜歡曬太陽", "它最喜欢晒太阳"),
    ("頭髮剪短了，發現後面很亂", "头发剪短了，发现后面很乱"),
    ("房間裏有一隻鍾愛的鬧鐘", "房间里有一只钟爱的闹钟"),
]


@pytest.mark.parametrize(("traditional", "simple"), PAIRS)
def test_each_script_finds_the_other_in_memories_and_in_the_log(
    store: MemoryFile, traditional: str, simple: str
) -> None:
    for stored, asked in ((traditional, simple), (simple, traditional)):
        mem = store.user(stored)
        mem.add(stored)
        mem.log(said(stored))
        for n in range(len(asked) - 1):
            if asked[n : n + 2].isalpha():
                assert [h.content for h in mem.recall(asked[n : n + 2], arms=("text",))] == [stored]
                assert [h.content for h in mem.search_log(asked[n : n + 2], limit=1)] == [stored]
        (hit,) = mem.recall(asked, arms=("text",))
        assert hit.content == stored
        assert [m.content for m in mem.list()] == [stored]
        assert stored in mem.context(asked, budget=500).text


@pytest.mark.parametrize("question", ["晚飯吃什麼好", "晚饭吃什么好", "我們一起去吃飯吧"])
def test_a_danger_is_seen_in_both_scripts(mem: Memory, question: str) -> None:
    mem.add("用户对花生過敏")
    (hit,) = mem.recall(question)
    assert hit.content == "用户对花生過敏"
    assert "danger" in hit.parts


@pytest.mark.parametrize("question", ["我媽媽的生日是哪天", "我妈妈的生日是哪天"])
def test_a_question_about_one_person_is_seen_in_both_scripts(mem: Memory, question: str) -> None:
    mem.add("用户的媽媽生日是5月4日")
    mem.add("用戶的哥哥生日是6月9日")
    assert [h.content for h in mem.recall(question)] == ["用户的媽媽生日是5月4日"]


def test_a_name_is_followed_from_a_traditional_question(mem: Memory) -> None:
    home = mem.add("他住在广州")
    mem.graph.relate("小刚", "住在", "广州", memory=home)
    (hit,) = mem.recall("小剛的家在哪裡", arms=("graph",))
    assert hit.id == home


def test_an_erasure_takes_both_scripts_and_no_byte_of_either_is_left(store: MemoryFile, store_path: Path) -> None:
    mem = store.user("me")
    mem.add("我在臺灣大學讀書")
    mem.add("我去过台湾")
    mem.log(said("臺灣很熱"))
    mem.erase(search="台湾")
    assert mem.list() == []
    assert mem.turns("s") == []
    store.close()
    left = store_path.read_bytes()
    assert not any(word.encode() in left for word in ("臺灣", "台湾", "台灣", "臺湾"))


def test_places_in_a_text_stay_where_they_are() -> None:
    text = "甚麼時候去臺灣、𩸽 and 𫍯"
    assert len(simplified(text)) == len(text)
    assert simplified(text).startswith("什么时候去台湾")


@given(st.text(st.characters(min_codepoint=0x3400, max_codepoint=0x9FFF), max_size=20))
def test_to_be_simple_twice_changes_nothing_more(text: str) -> None:
    once = comparable(text)
    assert comparable(once) == once == unicodedata.normalize("NFKC", once)
    assert segment(once) == segment(text)


def test_what_is_stored_in_its_folded_form_is_not_touched() -> None:
    assert fold("臺灣") == "臺灣"
    assert content_hash("臺灣") != content_hash("台湾")


def test_the_table_is_opencc_s(made: ModuleType) -> None:
    traditional, simple = made.OUT.read_text(encoding="utf-8").splitlines()[1:]
    assert dict(zip(traditional, simple, strict=True)) == made.table()


@pytest.fixture
def made() -> ModuleType:
    path = Path(__file__).parents[2] / "models" / "training" / "make_simplified.py"
    spec = importlib.util.spec_from_file_location("make_simplified", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_not_read_before_it_is_needed() -> None:
    assert (
        python(
            "import edgemem, edgemem.text as t; t.segment('ascii'); print(t._simple_forms.cache_info().misses)"
        ).stdout
        == "0\n"
    )
