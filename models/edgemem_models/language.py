"""A chat model on llama.cpp: generate, stream, choose, count."""

from __future__ import annotations

import os
import queue
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeVar

from edgemem.errors import Aborted, ContextTooSmall, InvalidInput
from edgemem.ports import Generation, Message, Priority
from edgemem_models import choices, machine
from edgemem_models.context import Context, Slot, common_prefix
from edgemem_models.gguf_file import ModelInfo
from edgemem_models.grammar import GrammarCache, GrammarState
from edgemem_models.lane import Gate, Job, Lane
from edgemem_models.loading import LoadedModel, Progress, load
from edgemem_models.sampler import Picked, Sampler
from edgemem_models.template import ChatTemplate
from edgemem_models.vocabulary import TextStream, Tokens

T = TypeVar("T")

DEFAULT_WINDOW: Final = 8192
BACKGROUND_WINDOW: Final = 4096
_SLOTS: Final = {"chat": 2, "background": 6}
_POLL_SECONDS: Final = 0.05


@dataclass(slots=True)
class _Request:
    """What a job needs to write an answer."""

    tokens: Tokens
    max_tokens: int
    temperature: float
    seed: int
    grammar: str | None = None
    on_text: Callable[[str], None] | None = None
    on_prompt: Callable[[int, int], None] | None = None


class _Role:
    """One lane and the context its thread owns: chat, or background work."""

    def __init__(self, model: LoadedModel, gate: Gate, name: Priority, window: int, limit: int) -> None:
        self.lane = Lane(gate, name, self._free)
        self._model = model
        self._slots = _SLOTS[name]
        self._window = window
        self._limit = limit
        self._context: Context | None = None

    def context(self, needed: int) -> Context:
        """The context, made or grown when first needed; on the lane's thread only."""
        if self._context is not None and needed > self._context.n_ctx < self._limit:
            self._free()
        if self._context is None:
            window = self._window if needed <= self._window else self._limit
            self._context = Context(self._model, self.lane.flag, window, self._slots)
            if self._context.n_ctx < min(window, self._limit):
                self._limit = self._context.n_ctx
            self._window = self._context.n_ctx
        return self._context

    def _free(self) -> None:
        context, self._context = self._context, None
        if context is not None:
            context.close()


class LlamaLanguageModel:
    """A local chat model. Safe to call from several threads.

    Chat and background work have a context each, made when first used, so that neither
    evicts the other's evaluated prompts; both share the weights. ``context_size`` limits the
    window in tokens (default 8192, less if the model or the memory asks for it).

    Raises on creation what ``loading.load`` raises.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str | None = None,
        context_size: int | None = None,
        gate: Gate | None = None,
        on_load: Progress | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self._model = load(Path(path), "chat", n_ctx=context_size or DEFAULT_WINDOW, on_progress=on_load, stop=stop)
        info = self._model.info
        self._name = name or info.name
        self._context_size = _fitting_window(info, context_size)
        self._vocabulary = self._model.vocabulary
        self._template = ChatTemplate(
            info.chat_template, bos=self._vocabulary.bos, eos=self._vocabulary.eos, model=info.path.name
        )
        self._grammars = GrammarCache(self._vocabulary)
        gate, limit = gate or Gate(), self._context_size
        self._roles: dict[Priority, _Role] = {
            "chat": _Role(self._model, gate, "chat", limit, limit),
            "background": _Role(self._model, gate, "background", min(BACKGROUND_WINDOW, limit), limit),
        }
        lanes = [role.lane for role in self._roles.values()]
        self._finalizer = weakref.finalize(self, _shut, lanes, self._grammars, self._model)

    @property
    def name(self) -> str:
        """Short name, as a person would say it."""
        return self._name

    @property
    def context_size(self) -> int:
        """Window in tokens, prompt and answer together."""
        return self._context_size

    @property
    def info(self) -> ModelInfo:
        """What the model's file says about itself."""
        return self._model.info

    def count_tokens(self, text: str) -> int:
        """Number of tokens of ``text`` alone, without template or special tokens."""
        self._model.check_usable()
        return len(self._vocabulary.tokenize(text))

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Number of tokens of the rendered prompt, template included."""
        return len(self._prompt(messages))

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 512,
        grammar: str | None = None,
        temperature: float = 0.0,
        seed: int = 0,
        priority: Priority = "background",
    ) -> Generation:
        """Answer ``messages``. ``grammar`` is GBNF whose root rule is ``root``.

        Raises ``ContextTooSmall``, ``GrammarRefused``, ``Aborted`` or another ``ModelError``.
        """
        request = _Request(self._prompt(messages), max_tokens, temperature, seed, grammar)
        result = self._submit(lambda job: self._write(job, request), priority).result()
        if result.finish == "aborted":
            raise Aborted("The model was stopped while it was writing.")
        return result

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.7,
        seed: int = 0,
        stop: Callable[[], bool] | None = None,
        on_prompt: Callable[[int, int], None] | None = None,
    ) -> Iterator[str]:
        """Yield the answer in pieces of whole characters, at chat priority.

        ``stop`` is polled between tokens and during prompt evaluation; once it is
        true the iterator ends. ``on_prompt(done, total)`` reports prompt tokens evaluated.
        Both are called on the caller's thread.
        """
        pieces: queue.SimpleQueue[str | tuple[int, int] | None] = queue.SimpleQueue()
        request = _Request(self._prompt(messages), max_tokens, temperature, seed, None, pieces.put)
        request.on_prompt = lambda done, total: pieces.put((done, total))
        job = self._submit(lambda job: self._write(job, request), "chat")
        job.future.add_done_callback(lambda _: pieces.put(None))
        return _deliver(job, pieces, stop, on_prompt)

    def choose(
        self,
        prefix: Sequence[Message],
        questions: Sequence[str],
        options: Sequence[str],
        *,
        priority: Priority = "background",
    ) -> list[dict[str, float]]:
        """Probability of each option as the whole answer to each question.

        Each question is put as the last user message after ``prefix``. Returns one
        dict per question; its values sum to 1 over ``options``.
        """
        if not options:
            raise InvalidInput("choose needs at least one option.")
        if not questions:
            return []
        tree = choices.build_tree([self._vocabulary.tokenize(option) for option in options])
        prompts = [self._prompt([*prefix, Message("user", question)]) for question in questions]
        shared = min(common_prefix(prompts[0], prompt) for prompt in prompts)
        shared = min(shared, min(map(len, prompts)) - 1)
        suffixes = [prompt[shared:] for prompt in prompts]
        longest = max(map(len, prompts)) + max(len(self._vocabulary.tokenize(option)) for option in options)

        def work(job: Job[list[list[float]]]) -> list[list[float]]:
            context = self._roles[priority].context(longest)
            return choices.probabilities(
                tree,
                suffixes,
                len(options),
                self._vocabulary.ends,
                lambda parts: context.branch_logits(prompts[0][:shared], parts, job.checkpoint),
            )

        rows = self._submit(work, priority).result()
        return [dict(zip(options, row, strict=True)) for row in rows]

    def close(self) -> None:
        """Free the model. Idempotent; work in progress is stopped and raises ``Aborted``."""
        self._finalizer()

    def _submit(self, work: Callable[[Job[T]], T], priority: Priority) -> Job[T]:
        self._model.check_usable()
        return self._roles[priority].lane.submit(work, priority)

    def _prompt(self, messages: Sequence[Message]) -> Tokens:
        self._model.check_usable()
        safe = [Message(message.role, self._vocabulary.defuse(message.content)) for message in messages]
        return self._vocabulary.tokenize_prompt(self._template.render(safe))

    def _write(self, job: Job[Generation], request: _Request) -> Generation:
        """Write an answer; on the lane's thread."""
        state = self._grammars.start(request.grammar) if request.grammar is not None else None
        try:
            return self._write_with(job, request, state)
        finally:
            if state is not None:
                state.close()

    def _write_with(self, job: Job[Generation], request: _Request, state: GrammarState | None) -> Generation:
        context = self._roles[job.priority].context(len(request.tokens) + request.max_tokens)
        if len(request.tokens) >= context.n_ctx:
            raise ContextTooSmall(
                f"The prompt has {len(request.tokens)} tokens, the window of {self._name} holds {context.n_ctx}.",
                "Shorten the text, or open the model with a larger context.",
            )
        sampler = Sampler(self._vocabulary, temperature=request.temperature, seed=request.seed, grammar=state)
        answer = _Answer(TextStream(self._vocabulary), request.on_text)
        finish: Literal["stop", "length", "aborted"] = "aborted"
        reused = 0
        try:
            slot, reused = context.prefill(request.tokens, job.checkpoint, request.on_prompt)
            finish = self._continue(context, slot, sampler, answer, request.max_tokens, job)
        except Aborted:
            if job.lane.closing:
                raise
        return Generation(
            "".join(answer.texts),
            finish,
            tuple(answer.texts),
            tuple(answer.logprobs),
            prompt_tokens=len(request.tokens),
            cached_tokens=reused,
        )

    def _continue(
        self, context: Context, slot: Slot, sampler: Sampler, answer: _Answer, max_tokens: int, job: Job[Generation]
    ) -> Literal["stop", "length"]:
        """Sample and evaluate until the end, a complete grammar, ``max_tokens`` or the window."""
        for number in range(max_tokens):
            picked = sampler.pick(context.logits())
            if picked.token in self._vocabulary.end_set:
                return "stop"
            answer.add(picked)
            if sampler.complete():
                return "stop"
            if number + 1 == max_tokens or len(slot.tokens) + 1 >= context.n_ctx:
                return "length"
            context.append(slot, picked.token, job.checkpoint)
        return "length"


class _Answer:
    """What was written so far."""

    def __init__(self, stream: TextStream, on_text: Callable[[str], None] | None) -> None:
        self._stream = stream
        self._on_text = on_text
        self.texts: list[str] = []
        self.logprobs: list[float] = []

    def add(self, picked: Picked) -> None:
        """Take one token; its text is the characters it completes."""
        text = self._stream.feed(picked.token)
        self.texts.append(text)
        self.logprobs.append(picked.logprob)
        if text and self._on_text is not None:
            self._on_text(text)


def _deliver(
    job: Job[Generation],
    pieces: queue.SimpleQueue[str | tuple[int, int] | None],
    stop: Callable[[], bool] | None,
    on_prompt: Callable[[int, int], None] | None,
) -> Iterator[str]:
    """Hand the pieces of a running job to the caller; stopping or dropping the iterator cancels the job."""
    try:
        while True:
            if stop is not None and stop():
                return
            try:
                piece = pieces.get(timeout=_POLL_SECONDS if stop is not None else None)
            except queue.Empty:
                continue
            if piece is None:
                job.future.result()
                return
            if isinstance(piece, str):
                yield piece
            elif on_prompt is not None:
                on_prompt(*piece)
    finally:
        job.cancel()


def _fitting_window(info: ModelInfo, wanted: int | None) -> int:
    """The window to offer: as wanted, else what the model was trained for and half the free memory allows."""
    trained = info.context_length or DEFAULT_WINDOW
    if wanted is not None:
        return min(wanted, trained)
    window = min(DEFAULT_WINDOW, trained)
    free = machine.available_memory()
    while free is not None and window > 1024 and 2 * info.kv_bytes(window) > free:
        window //= 2
    return window


def _shut(lanes: Sequence[Lane], grammars: GrammarCache, model: LoadedModel) -> None:
    """End the threads, then free what they used; in a forked child all of it belongs to the parent."""
    if os.getpid() != model.pid:
        return
    for lane in lanes:
        lane.close()
    grammars.close()
    model.close()
