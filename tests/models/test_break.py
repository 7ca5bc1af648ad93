"""Attempts to break the engine: moments, sizes and letters that go wrong elsewhere."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from edgemem_models.language import LlamaLanguageModel

from edgemem import gbnf
from edgemem.answers import complete_items
from edgemem.errors import Aborted, InvalidInput, ModelError
from edgemem.ports import Generation, Message

pytestmark = pytest.mark.model

ASK = [Message("user", "What is the capital of France? One word.")]
LONG = [Message("user", "The harbour was quiet in the morning light. " * 30)]
STORY = [Message("user", "Tell me a long story about a lighthouse.")]


def after(checks: int) -> Callable[[], bool]:
    """A ``stop`` that turns true at its ``checks``-th question."""
    count = itertools.count(1)
    return lambda: next(count) >= checks


def soon(seconds: float) -> Callable[[], bool]:
    """A ``stop`` that turns true at once, after ``seconds`` in which the model works."""

    def stop() -> bool:
        time.sleep(seconds)
        return True

    return stop


@pytest.mark.timeout(900)  # two hundred waits, on a machine that may be busy
def test_stopped_two_hundred_times_it_still_answers_the_same(tiny: LlamaLanguageModel) -> None:
    expected = tiny.generate(ASK, max_tokens=8, priority="chat").text
    chance = random.Random(11)
    for _ in range(200):
        moment = after(chance.randint(2, 4)) if chance.random() < 0.1 else soon(chance.random() * 0.02)
        stream = tiny.stream(chance.choice([LONG, STORY, ASK]), max_tokens=20, stop=moment)
        for _, _ in zip(range(chance.randint(0, 2)), stream, strict=False):
            pass
        stream.close()  # type: ignore[attr-defined]
    assert tiny.generate(ASK, max_tokens=8, priority="chat").text == expected


def test_background_work_interrupted_at_random_moments_writes_the_same(tiny: LlamaLanguageModel) -> None:
    expected = tiny.generate(STORY, max_tokens=30)
    found: list[Generation] = []
    thread = threading.Thread(target=lambda: found.append(tiny.generate(STORY, max_tokens=30)))
    thread.start()
    chance = random.Random(5)
    for _ in range(8):
        list(tiny.stream(ASK, max_tokens=chance.randint(1, 3), stop=after(chance.randint(1, 5))))
    thread.join(120)
    assert found[0].text == expected.text
    assert found[0].finish == "length"


def test_two_thousand_alternatives_with_long_common_beginnings(tiny: LlamaLanguageModel) -> None:
    names = [f"the same long beginning of every name {number:04d}" for number in range(2000)]
    answer = tiny.generate(ASK, grammar=gbnf.grammar(gbnf.obj([("name", gbnf.string_of(names))])), max_tokens=60)
    assert json.loads(answer.text)["name"] in names
    assert answer.finish == "stop"


@pytest.mark.parametrize(
    "text",
    [
        "ผู้ใช้ชอบกินข้าวผัดกะเพราไข่ดาวมาก ๆ",
        "👩🏽‍🚀👨‍👩‍👧‍👦 ❤️‍🔥 🏴󠁧󠁢󠁳󠁣󠁴󠁿",
        "𠮷𠀋𪚥龘靐齉 㐀",
        "Zalgo ṫ̵̈ȇ̸x̷t and \u200bzero\u200dwidth\ufeff",
        "தமிழ் বাংলা ગુજરાતી अनुच्छेद",
    ],
)
def test_any_script_inside_a_json_grammar(tiny: LlamaLanguageModel, text: str) -> None:
    form = gbnf.grammar(gbnf.obj([("quote", gbnf.string_of([text, text + "!"])), ("n", gbnf.integer(1, 5))]))
    answer = tiny.generate([Message("user", f"Copy: {text}")], grammar=form, max_tokens=300)
    assert json.loads(answer.text)["quote"] in (text, text + "!")
    assert "".join(answer.tokens) == answer.text


@pytest.mark.parametrize("seed", range(4))
def test_free_strings_are_json_at_any_temperature(tiny: LlamaLanguageModel, seed: int) -> None:
    form = gbnf.grammar(gbnf.array("note", 1, 3), note=gbnf.obj([("a", gbnf.string(12, 1, begins='"\\ 用户'))]))
    answer = tiny.generate(
        [Message("user", "写 ไทย 👨‍👩‍👧 𠮷 as JSON")], grammar=form, temperature=2.5, seed=seed, max_tokens=200
    )
    notes = json.loads(answer.text)
    assert all(note["a"].startswith('"\\ 用户') for note in notes)


def test_a_file_that_is_replaced_while_the_model_is_open(tiny_model_path: Path, tmp_path: Path) -> None:
    copy, cache = tmp_path / "model.gguf", tmp_path / "cache"
    shutil.copyfile(tiny_model_path, copy)
    model = LlamaLanguageModel(copy, context_size=512, cache=cache)
    try:
        with copy.open("r+b") as file:
            file.truncate(1000)
            file.write(b"\xff" * 2000)
        assert "Paris" in model.generate(ASK, max_tokens=8).text
    finally:
        model.close()
    with pytest.raises(ModelError) as caught:
        LlamaLanguageModel(copy, context_size=512, cache=cache)
    assert caught.value.hint


def test_closing_at_random_moments_never_hangs(tiny_model_path: Path) -> None:
    chance = random.Random(3)
    for _ in range(3):
        model = LlamaLanguageModel(tiny_model_path, context_size=512)
        outcomes: list[object] = []

        def work(model: LlamaLanguageModel = model, outcomes: list[object] = outcomes) -> None:
            try:
                outcomes.append(model.generate(STORY, max_tokens=200))
            except (Aborted, ModelError) as error:
                outcomes.append(error)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(chance.random() * 0.5)
        model.close()
        for thread in threads:
            thread.join(30)
        assert [type(outcome) for outcome in outcomes] != []
        assert len(outcomes) == 3


def test_two_threads_at_once_get_what_each_would_get_alone(tiny: LlamaLanguageModel) -> None:
    form = gbnf.grammar(gbnf.obj([("word", gbnf.string(20, 1))]))
    questions = [[Message("user", f"Name thing number {number}.")] for number in range(6)]
    alone = [tiny.generate(question, grammar=form, max_tokens=20).text for question in questions]
    together: dict[int, str] = {}

    def work(start: int) -> None:
        for number in range(start, 6, 2):
            together[number] = tiny.generate(questions[number], grammar=form, max_tokens=20).text

    threads = [threading.Thread(target=work, args=(start,)) for start in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert [together[number] for number in range(6)] == alone


def test_packed_caches_answer_and_take_less(tiny_model_path: Path) -> None:
    for kv_type in ("q8_0", "q4_0"):
        model = LlamaLanguageModel(tiny_model_path, context_size=512, kv_type=kv_type)
        try:
            assert "Paris" in model.generate(ASK, max_tokens=8).text
            [row] = model.choose([Message("system", "Answer yes or no.")], ["Is ice cold?"], ["yes", "no"])
            assert sum(row.values()) == pytest.approx(1.0)
        finally:
            model.close()
    info = model.info
    assert info.kv_bytes(512, "q8_0") < 0.6 * info.kv_bytes(512)
    assert info.kv_bytes(512, "q4_0") < 0.3 * info.kv_bytes(512)


def test_options_that_cannot_be_are_refused_before_the_load(tiny_model_path: Path) -> None:
    with pytest.raises(InvalidInput, match="q5"):
        LlamaLanguageModel(tiny_model_path, kv_type="q5")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="too small"):
        LlamaLanguageModel(tiny_model_path, context_size=10)


def test_what_the_documentation_shows(tiny: LlamaLanguageModel) -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    code = page.split("```python\n", 1)[1].split("```", 1)[0]
    rest = code.split("cache=folder)\n", 1)[1]
    names: dict[str, object] = {"gbnf": gbnf, "Message": Message, "model": tiny}
    exec("from edgemem.answers import complete_items, confidence\n" + rest, names)
    answer = names["answer"]
    assert isinstance(answer, Generation)
    assert 1 <= len(complete_items(answer.text)) <= 5
