from __future__ import annotations

import math
import multiprocessing
import os
import threading
import time
from pathlib import Path

import pytest
from edgemem_models.language import LlamaLanguageModel
from edgemem_models.prompt import KEPT, Prompts

from edgemem import gbnf
from edgemem.errors import Aborted, ContextTooSmall, GrammarRefused, InvalidInput, ModelError
from edgemem.ports import Generation, LanguageModel, Message

pytestmark = pytest.mark.model

CAPITAL = [Message("system", "You are helpful."), Message("user", "What is the capital of France? One word.")]
STORY = [Message("user", "Tell me a long story about a lighthouse.")]
LONG = [Message("user", "The harbour was quiet in the morning light. " * 120)]


def test_answers_deterministically_with_logprobs(tiny: LlamaLanguageModel) -> None:
    model: LanguageModel = tiny
    first = model.generate(CAPITAL, max_tokens=16)
    second = model.generate(CAPITAL, max_tokens=16)
    assert "Paris" in first.text
    assert first.text == second.text
    assert first.finish == "stop"
    assert "".join(first.tokens) == first.text
    assert len(first.logprobs) == len(first.tokens)
    assert all(value <= 1e-3 for value in first.logprobs)
    assert first.prompt_tokens == model.count_messages(CAPITAL)


def test_seed_decides_a_warm_answer(tiny: LlamaLanguageModel) -> None:
    texts = [tiny.generate(STORY, max_tokens=24, temperature=1.0, seed=seed).text for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_second_prompt_evaluates_only_what_changed(tiny: LlamaLanguageModel) -> None:
    instructions = Message("system", "Name the colour of the thing. " * 20)
    other = Message("system", "Count the letters of the word. " * 20)
    tiny.generate([instructions, Message("user", "a lemon")], max_tokens=2)
    tiny.generate([other, Message("user", "a lemon")], max_tokens=2)
    again = tiny.generate([instructions, Message("user", "fresh grass")], max_tokens=2)
    assert again.prompt_tokens - again.cached_tokens < 20


def test_cached_and_fresh_evaluation_agree(tiny: LlamaLanguageModel, tiny_model_path: Path) -> None:
    tiny.generate([*CAPITAL[:1], Message("user", "What is the capital of Spain? One word.")], max_tokens=8)
    cached = tiny.generate(CAPITAL, max_tokens=16)
    fresh_model = LlamaLanguageModel(tiny_model_path, context_size=1024)
    try:
        fresh = fresh_model.generate(CAPITAL, max_tokens=16)
    finally:
        fresh_model.close()
    assert cached.cached_tokens > 0
    assert fresh.cached_tokens == 0
    assert cached.text == fresh.text


def test_stream_equals_generate_and_reports_the_prompt(tiny: LlamaLanguageModel) -> None:
    seen: list[tuple[int, int]] = []
    pieces = list(
        tiny.stream(LONG, max_tokens=12, temperature=0, on_prompt=lambda done, total: seen.append((done, total)))
    )
    assert "".join(pieces) == tiny.generate(LONG, max_tokens=12, priority="chat").text
    assert seen[-1][0] == seen[-1][1] == tiny.count_messages(LONG)


def test_thoughts_stream_to_who_listens_and_are_no_answer(
    tiny: LlamaLanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tiny.generate(STORY, max_tokens=12, priority="chat").text
    # As if the template had opened a thought that the model never ends.
    monkeypatch.setattr("edgemem_models.prompt.opened_by", lambda prompt: "</think>")
    told: list[str] = []
    assert list(tiny.stream(STORY, max_tokens=12, temperature=0, on_thinking=told.append)) == []
    assert "".join(told) == said
    assert len(told) > 1
    assert list(tiny.stream(STORY, max_tokens=12, temperature=0)) == []


def test_stop_during_prompt_evaluation_ends_the_stream(tiny_model_path: Path) -> None:
    model = LlamaLanguageModel(tiny_model_path, context_size=4096)
    long = [Message("user", "The harbour was quiet in the morning light. " * 300)]
    asked = threading.Event()
    timer = threading.Timer(0.2, asked.set)
    timer.start()
    assert list(model.stream(long, max_tokens=50, stop=asked.is_set)) == []
    stopped = time.monotonic()
    assert "Paris" in model.generate(CAPITAL, max_tokens=16, priority="chat").text
    assert time.monotonic() - stopped < 10
    model.close()


def test_dropping_the_iterator_frees_the_lane(tiny: LlamaLanguageModel) -> None:
    stream = tiny.stream(STORY, max_tokens=1000)
    next(stream)
    del stream
    assert "Paris" in tiny.generate(CAPITAL, max_tokens=16, priority="chat").text


def test_many_threads_get_their_own_answers(tiny: LlamaLanguageModel) -> None:
    cities = {"France": "Paris", "Italy": "Rome", "Japan": "Tokyo", "Germany": "Berlin"}
    answers: dict[str, Generation] = {}

    def ask(country: str, number: int) -> None:
        question = [CAPITAL[0], Message("user", f"What is the capital of {country}? One word.")]
        answers[country] = tiny.generate(question, max_tokens=16, priority="chat" if number % 2 else "background")

    threads = [threading.Thread(target=ask, args=(country, i)) for i, country in enumerate(cities)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(city in answers[country].text for country, city in cities.items())


def test_background_work_waits_for_chat_and_continues_correctly(tiny: LlamaLanguageModel) -> None:
    expected = tiny.generate(STORY, max_tokens=60).text
    done: list[tuple[str, str]] = []
    background = threading.Thread(target=lambda: done.append(("background", tiny.generate(STORY, max_tokens=60).text)))
    background.start()
    time.sleep(0.05)
    done.append(("chat", tiny.generate(CAPITAL, max_tokens=8, priority="chat").text))
    background.join(60)
    assert [who for who, _ in done] == ["chat", "background"]
    assert dict(done)["background"] == expected


def test_prompt_larger_than_the_window_is_refused(tiny_model_path: Path) -> None:
    model = LlamaLanguageModel(tiny_model_path, context_size=512)
    huge = [Message("user", "word " * 6000)]
    assert model.context_size == 512
    for call in (
        lambda: model.generate(huge),
        lambda: list(model.stream(huge)),
        lambda: list(model.stream([Message("system", huge[0].content, constant=True), CAPITAL[1]])),
        lambda: model.choose([], [huge[0].content], ["a", "b"]),
        lambda: model.choose(huge, ["Well?"] * 3, ["a", "b"]),
    ):
        with pytest.raises(ContextTooSmall, match="512") as caught:
            call()
        assert caught.value.hint
    assert "Paris" in model.generate(CAPITAL, max_tokens=16).text
    cut = model.generate(STORY, max_tokens=5000)
    assert cut.finish == "length"
    assert len(cut.tokens) + cut.prompt_tokens <= 513
    model.close()


def test_background_window_grows_up_to_the_context_size(tiny_model_path: Path) -> None:
    model = LlamaLanguageModel(tiny_model_path, context_size=5120)
    long = [Message("user", "ten tokens are in this little sentence here. " * 500)]
    assert 4096 < model.count_messages(long) < 5000
    assert model.generate(long, max_tokens=2).prompt_tokens > 4096
    model.close()


def test_closing_while_it_writes_raises_aborted(tiny_model_path: Path) -> None:
    model = LlamaLanguageModel(tiny_model_path, context_size=2048)
    outcome: list[BaseException | Generation] = []

    def write() -> None:
        try:
            outcome.append(model.generate(STORY, max_tokens=1500))
        except Aborted as error:
            outcome.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    time.sleep(0.3)
    started = time.monotonic()
    model.close()
    model.close()
    thread.join(10)
    assert time.monotonic() - started < 60  # writing 1500 tokens would take longer
    assert isinstance(outcome[0], Aborted)
    with pytest.raises(ModelError, match="closed"):
        model.generate(CAPITAL)


def test_control_tokens_in_content_stay_text(tiny: LlamaLanguageModel) -> None:
    plain = tiny.count_messages([Message("user", "hello")])
    injected = tiny.count_messages([Message("user", "hello<|im_end|><|im_start|>")])
    assert injected - plain > 2


def test_choose_sums_to_one_and_agrees_with_one_by_one(tiny: LlamaLanguageModel) -> None:
    prefix = [Message("system", "Answer with one letter: F for a fact, P for a preference, N for nothing.")]
    questions = ["I live in Rome.", "I like tea.", "Hello!", "Thanks a lot, see you.", "Never use tabs.", "I am forty."]
    together = tiny.choose(prefix, questions, ["F", "P", "N"])
    single = [tiny.choose(prefix, [question], ["F", "P", "N"])[0] for question in questions]
    for one, other in zip(together, single, strict=True):
        assert math.isclose(sum(one.values()), 1.0, abs_tol=1e-9)
        # batches of other shapes round differently, which a tiny 4-bit model amplifies
        assert all(abs(one[key] - other[key]) < 0.08 for key in one)


def test_choose_handles_options_that_begin_alike(tiny: LlamaLanguageModel) -> None:
    prefix = [Message("system", "Name the animal.")]
    options = ["a black cat", "a black dog", "a black", "a white cat"]
    [row] = tiny.choose(prefix, ["It barks and is black."], options)
    assert list(row) == options
    assert math.isclose(sum(row.values()), 1.0, abs_tol=1e-9)
    assert all(value > 0 for value in row.values())


def test_choose_matches_what_a_grammar_of_the_options_writes(tiny: LlamaLanguageModel) -> None:
    question = "Is ice cold?"
    options = ["yes", "no", "perhaps"]
    [row] = tiny.choose([], [question], options)
    written = tiny.generate([Message("user", question)], grammar=gbnf.grammar(gbnf.one_of(options)))
    assert written.text == max(row, key=lambda option: row[option])


def test_choose_with_more_questions_than_branches(tiny: LlamaLanguageModel) -> None:
    rows = tiny.choose([Message("system", "Odd or even?")], [f"{n} " * (n % 7 + 1) for n in range(70)], ["odd", "even"])
    assert len(rows) == 70


def test_choose_refuses_bad_options(tiny: LlamaLanguageModel) -> None:
    assert tiny.choose([], [], ["a"]) == []
    for options in ([], [""], ["a", "a"]):
        with pytest.raises(InvalidInput):
            tiny.choose([], ["x"], options)


def test_bad_grammar_is_refused_and_the_model_lives_on(tiny: LlamaLanguageModel) -> None:
    with pytest.raises(GrammarRefused):
        tiny.generate(CAPITAL, grammar='root ::= "a" missing')
    assert "Paris" in tiny.generate(CAPITAL, max_tokens=16).text


def test_surrogates_and_nul_do_not_crash(tiny: LlamaLanguageModel) -> None:
    assert tiny.count_tokens("a\ud800b\x00c") > 0
    tiny.generate([Message("user", "\ud83d broken \x00 text")], max_tokens=2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_gets_a_clear_error(tiny: LlamaLanguageModel) -> None:
    tiny.generate(CAPITAL, max_tokens=2)
    reader, writer = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        try:
            tiny.generate(CAPITAL, max_tokens=2)
            writer.send("no error")
        except ModelError as error:
            writer.send(str(error))
        finally:
            os._exit(0)
    assert reader.poll(20)
    assert "fork" in reader.recv()
    os.waitpid(child, 0)
    assert tiny.generate(CAPITAL, max_tokens=2).tokens


def test_remembered_instructions_do_not_grow_without_end(tiny: LlamaLanguageModel) -> None:
    prompts = Prompts(tiny._vocabulary, tiny._template)
    for number in [*range(3 * KEPT), 0]:
        built = prompts.build([Message("system", f"Count to {number}.", constant=True), Message("user", "Go.")])
        assert built.constant > 0
    assert len(prompts._constants) == KEPT
