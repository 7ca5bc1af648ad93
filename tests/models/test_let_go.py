"""Interrupted, dropped, closed: whatever is let go of ends at once, and in the right order."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edgemem_models import context, loading, log, sampler
from edgemem_models.embedder import LlamaEmbedder
from edgemem_models.grammar import GrammarCache, GrammarState
from edgemem_models.language import LlamaLanguageModel

from edgemem.errors import Aborted, InvalidInput
from edgemem.ports import Message
from tests.helpers import wait_until

pytestmark = pytest.mark.model

ASK = [Message("user", "What is the capital of France? One word.")]
STORY = [Message("user", "Tell me a long story about a lighthouse.")]


class OwnError(Exception):
    """What an app may raise in its own callback."""


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """A program started in the background by a shell ignores interrupts; here they count."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def _raise(error: type[BaseException]) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


@pytest.mark.parametrize(
    ("act", "error", "share", "role"),
    [
        (_interrupt, KeyboardInterrupt, 0.0, "chat"),
        (_interrupt, KeyboardInterrupt, 0.5, "chat"),
        (_interrupt, KeyboardInterrupt, 1.0, "chat"),
        (_raise(SystemExit), SystemExit, 0.5, "embedding"),
        (_raise(OwnError), OwnError, 0.5, "chat"),
    ],
)
def test_what_is_raised_while_a_model_loads_reaches_the_caller(
    tiny_model_path: Path, e5_path: Path, capfd: pytest.CaptureFixture[str], act: Callable[[], None],
    error: type[BaseException], share: float, role: str,
) -> None:  # fmt: skip
    def on_load(done: float) -> None:
        if done >= share:
            act()

    load = partial(LlamaLanguageModel, tiny_model_path) if role == "chat" else partial(LlamaEmbedder, e5_path)
    with pytest.raises(error):
        load(on_load=on_load)
    assert capfd.readouterr() == ("", "")


def test_an_interrupt_that_lands_in_the_log_of_llama_cpp_reaches_the_caller(
    tiny_model_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(log, "_KEPT_LEVELS", range(6))
        patch.setattr(log, "_note", lambda _: _interrupt())
        with pytest.raises(KeyboardInterrupt):
            loading.load(tiny_model_path, "chat", n_ctx=512)
    assert capfd.readouterr() == ("", "")
    loading.load(tiny_model_path, "chat", n_ctx=512).close()


@pytest.mark.parametrize("started", [False, True])
def test_a_dropped_stream_writes_no_further(
    tiny: LlamaLanguageModel, monkeypatch: pytest.MonkeyPatch, started: bool
) -> None:
    picks: list[int] = []
    pick = sampler.Sampler.pick

    def counted(self: sampler.Sampler, logits: sampler.Scores) -> sampler.Picked:
        picks.append(1)
        return pick(self, logits)

    monkeypatch.setattr(sampler.Sampler, "pick", counted)
    stream = tiny.stream(STORY, max_tokens=1500, temperature=0.0)
    if started:
        next(stream)
    wait_until(lambda: picks)
    before = len(picks)
    del stream
    gc.collect()
    tiny.generate(ASK, max_tokens=1)  # waits for all chat
    assert len(picks) < before + 20


@pytest.mark.parametrize("started", [False, True])
def test_contexts_are_freed_before_the_weights_whoever_drops_the_last_reference(
    tiny_model_path: Path, monkeypatch: pytest.MonkeyPatch, started: bool
) -> None:
    freed: list[str] = []
    _tell(monkeypatch, loading.LoadedModel, "weights", freed)
    _tell(monkeypatch, context.Context, "context", freed)
    model = LlamaLanguageModel(tiny_model_path, context_size=512)
    model.generate(ASK, max_tokens=1)
    stream = model.stream(STORY, max_tokens=10)
    if started:
        next(stream)
    role = model._roles["chat"]
    wait_until(lambda: role._context is not None)
    del model, stream
    wait_until(lambda: gc.collect() >= 0 and "weights" in freed)
    assert freed == ["context", "context", "weights"]


def _tell(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, freed: list[str]) -> None:
    close = owner.close

    def told(self: Any) -> None:
        freed.append(name)
        close(self)

    monkeypatch.setattr(owner, "close", told)


def test_a_long_look_through_a_grammar_can_be_stopped_at_every_step(tiny: LlamaLanguageModel) -> None:
    vocabulary = tiny._vocabulary
    cache = GrammarCache(vocabulary)
    state = cache.start('root ::= "Q"')
    scores = np.linspace(1, 0, vocabulary.size).astype(np.float32)
    scores[vocabulary.tokenize("Q")] = -50.0  # found only when every token was asked about
    steps: list[int] = []
    picker = sampler.Sampler(
        vocabulary, temperature=0, seed=0, grammar=state, checkpoint=lambda: _after(steps, vocabulary.size // 4096)
    )
    with pytest.raises(Aborted):
        picker.pick(scores)
    steps.clear()
    picker = sampler.Sampler(vocabulary, temperature=0, seed=0, grammar=state, checkpoint=lambda: steps.append(1))
    assert vocabulary.text_piece(picker.pick(scores).token) == b"Q"
    assert len(steps) > vocabulary.size // 2048
    state.close()
    cache.close()


def _after(steps: list[int], count: int) -> None:
    steps.append(1)
    if len(steps) > count:
        raise Aborted("stopped")


def test_closing_is_heard_inside_a_grammar(tiny_model_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    looking = threading.Event()
    allowed = GrammarState.allowed

    def told(self: GrammarState, tokens: Any) -> Any:
        looks.append(1)
        if len(tokens) == 2048:
            looking.set()
            closing.wait(30)
        return allowed(self, tokens)

    model = LlamaLanguageModel(tiny_model_path, context_size=512)
    lane = model._roles["background"].lane
    closing = threading.Event()
    monkeypatch.setattr(GrammarState, "allowed", told)
    outcome: list[object] = []

    def ask() -> None:
        try:
            # A letter that no token of a text begins with: all have to be asked about.
            outcome.append(model.generate(ASK, grammar='root ::= "\\x7f\\x7f"', max_tokens=5))
        except Aborted as error:
            outcome.append(error)

    asking, closer = threading.Thread(target=ask), threading.Thread(target=model.close)
    asking.start()
    assert looking.wait(60)
    closer.start()
    wait_until(lambda: lane.closing)
    seen = len(looks)
    closing.set()
    closer.join(30)
    asking.join(30)
    assert [type(one) for one in outcome] == [Aborted]
    assert len(looks) == seen


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"priority": "urgent"}, "urgent"),
        ({"seed": -1}, "seed"),
        ({"temperature": float("nan")}, "temperature"),
        ({"temperature": float("inf")}, "temperature"),
        ({"temperature": -0.1}, "temperature"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_options_that_cannot_be_are_named(tiny: LlamaLanguageModel, options: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match=named) as caught:
        tiny.generate(ASK, max_tokens=1, **options)
    assert caught.value.hint
    if "priority" in options:
        with pytest.raises(InvalidInput, match=named):
            tiny.choose(ASK, ["x"], ["a", "b"], **options)
    else:
        with pytest.raises(InvalidInput, match=named):
            tiny.stream(ASK, **options)
