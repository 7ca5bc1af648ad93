"""A chat model on llama.cpp: generate, stream, choose, count."""

from __future__ import annotations

import math
import os
import queue
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

from edgemem.errors import Aborted, ContextTooSmall, InvalidInput
from edgemem.ports import Generation, Message, Priority
from edgemem_models import choices, log
from edgemem_models.answer import Answer, Listeners, Pieces, Request, Thought, deliver
from edgemem_models.context import SMALLEST_CONTEXT, Context, Slot, common_prefix
from edgemem_models.gguf_file import KV_TYPES, KvType, ModelInfo, weights_fingerprint
from edgemem_models.grammar import GrammarCache, GrammarState
from edgemem_models.lane import Gate, Job, Lane, check_priority, close_all
from edgemem_models.loading import LoadedModel, Progress, load
from edgemem_models.prefix_store import PrefixStore, file_identity
from edgemem_models.prompt import Prompt, Prompts
from edgemem_models.roles import DEFAULT_WINDOW, Memory, Role, fitting_window
from edgemem_models.sampler import Sampler
from edgemem_models.template import ChatTemplate
from edgemem_models.vocabulary import Tokens

T = TypeVar("T")


class LlamaLanguageModel:
    """A local chat model. Safe to call from several threads.

    Chat and background work have a context each, made when first used, so that neither
    evicts the other's evaluated prompts; both share the weights. ``context_size`` limits the
    window in tokens (default 8192, less if the model or the memory asks for it). ``kv_type``
    packs what is evaluated into fewer bits. ``cache`` is a folder where evaluated constant
    messages outlive the process; without one each process evaluates them anew.

    Raises on creation ``InvalidInput`` and what ``loading.load`` raises.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str | None = None,
        context_size: int | None = None,
        kv_type: KvType = "f16",
        cache: Path | None = None,
        gate: Gate | None = None,
        on_load: Progress | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        _check_options(context_size, kv_type)
        identity = None if cache is None else _identity(Path(path), kv_type)
        self._model = load(Path(path), "chat", n_ctx=context_size or DEFAULT_WINDOW, on_progress=on_load, stop=stop)
        info = self._model.info
        self._name = name or info.name
        self._context_size = fitting_window(info, context_size, kv_type)
        self._vocabulary = self._model.vocabulary
        self._template = ChatTemplate(
            info.chat_template, bos=self._vocabulary.bos, eos=self._vocabulary.eos, model=info.path.name
        )
        self._prompts = Prompts(self._vocabulary, self._template)
        self._grammars = GrammarCache(self._vocabulary)
        # A file that was replaced while it loaded has no name to keep anything under.
        sure = identity is not None and identity == _identity(Path(path), kv_type)

        def store(layer: str = "") -> PrefixStore | None:
            return PrefixStore(cache, f"{identity}{layer}") if cache is not None and sure else None

        gate = gate or Gate()
        memory = Memory(self._context_size, kv_type, store(), lambda layer: store(f" to layer {layer}"))
        self._roles: dict[Priority, Role] = {
            "chat": Role(self._model, gate, "chat", memory),
            "background": Role(self._model, gate, "background", memory),
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

    @cached_property
    def fingerprint(self) -> str:
        """Stable id of the model's file: size, first and last MiB. What was learned from its states fits no other."""
        return weights_fingerprint(self.info)

    @property
    def template_name(self) -> str:
        """``own``, or ``chatml`` where the file brings no template that can be read."""
        return self._template.name

    def count_tokens(self, text: str) -> int:
        """Number of tokens of ``text`` alone, without template or special tokens."""
        self._model.check_usable()
        return len(self._vocabulary.tokenize(text))

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Number of tokens of the rendered prompt, template included."""
        return len(self._prompt(messages).tokens)

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
        _check_request(temperature, seed, priority)
        prompt = self._prompt(messages, at_once=grammar is not None)
        request = Request(prompt, max_tokens, temperature, seed, grammar)
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
        on_thinking: Callable[[str], None] | None = None,
    ) -> Iterator[str]:
        """Yield the answer in pieces of whole characters, at chat priority.

        ``stop`` is polled between tokens and during prompt evaluation; once it is
        true the iterator ends. ``on_prompt(done, total)`` reports prompt tokens evaluated.
        What the model thinks first is no part of the answer: ``on_thinking(text)`` is told it piece by piece.
        All are called on the caller's thread.
        """
        _check_request(temperature, seed, "chat")
        pieces: Pieces = queue.SimpleQueue()
        request = Request(self._prompt(messages), max_tokens, temperature, seed, None, pieces.put)
        request.on_prompt = lambda done, total: pieces.put((done, total))
        if on_thinking is not None:
            request.on_thought = lambda text: pieces.put(Thought(text))
        job = self._submit(lambda job: self._write(job, request), "chat")
        job.future.add_done_callback(lambda _: pieces.put(None))
        return deliver(job, pieces, Listeners(stop, on_prompt, on_thinking))

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
        _check_request(0.0, 0, priority)
        if not options:
            raise InvalidInput("choose needs at least one option.")
        if not questions:
            return []
        tree = choices.build_tree([self._vocabulary.tokenize(option) for option in options])
        stem, suffixes, constant = self._branches(prefix, questions)
        longest = len(stem) + max(map(len, suffixes)) + max(len(self._vocabulary.tokenize(o)) for o in options)

        def work(job: Job[list[list[float]]]) -> list[list[float]]:
            context = self._roles[priority].context(longest)
            return choices.probabilities(
                tree,
                suffixes,
                len(options),
                self._vocabulary.ends,
                lambda parts: context.branch_logits(stem, parts, job.checkpoint, constant=constant),
            )

        rows = self._submit(work, priority).result()
        return [dict(zip(options, row, strict=True)) for row in rows]

    def states(
        self, prefix: Sequence[Message], questions: Sequence[str], layer: int, *, priority: Priority = "background"
    ) -> list[list[float]]:
        """What the model holds of each question in ``layer`` (from 0) where its answer would begin.

        Nothing is generated, and nothing above that layer is computed. Each question is put as the last user message after ``prefix``.
        """
        _check_request(0.0, 0, priority)
        if not 0 <= layer < self.info.layers - 1:
            raise InvalidInput(f"{self._name} has no layer {layer} before its last.")
        if not questions:
            return []
        stem, suffixes, constant = self._branches(prefix, questions)

        def work(job: Job[list[list[float]]]) -> list[list[float]]:
            context = self._roles[priority].low_context(layer, len(stem) + max(map(len, suffixes)) + 1)
            found = context.branch_states(stem, suffixes, job.checkpoint, constant=constant)
            return [state.tolist() for state in found]

        return self._submit(work, priority).result()

    def _branches(self, prefix: Sequence[Message], questions: Sequence[str]) -> tuple[Tokens, list[Tokens], int]:
        """The tokens that all questions share, the rest of each (never empty), and how many of the shared are constant."""
        built = [self._prompt([*prefix, Message("user", question)], at_once=True) for question in questions]
        prompts = [prompt.tokens for prompt in built]
        shared = min(common_prefix(prompts[0], prompt) for prompt in prompts)
        shared = min(shared, min(map(len, prompts)) - 1)
        return prompts[0][:shared], [p[shared:] for p in prompts], min(shared, *(prompt.constant for prompt in built))

    def close(self) -> None:
        """Free the model. Idempotent; work in progress is stopped and raises ``Aborted``."""
        self._finalizer()

    def _submit(self, work: Callable[[Job[T]], T], priority: Priority) -> Job[T]:
        self._model.check_usable()
        return self._roles[priority].lane.submit(work, priority)

    def _prompt(self, messages: Sequence[Message], *, at_once: bool = False) -> Prompt:
        self._model.check_usable()
        return self._prompts.build(messages, at_once=at_once)

    def _write(self, job: Job[Generation], request: Request) -> Generation:
        """Write an answer; on the lane's thread."""
        state = self._grammars.start(request.grammar) if request.grammar is not None else None
        try:
            return self._write_with(job, request, state)
        finally:
            if state is not None:
                state.close()

    def _write_with(self, job: Job[Generation], request: Request, state: GrammarState | None) -> Generation:
        prompt = request.prompt
        context = self._roles[job.priority].context(len(prompt.tokens) + request.max_tokens)
        if len(prompt.tokens) >= context.n_ctx:
            raise ContextTooSmall(
                f"The prompt has {len(prompt.tokens)} tokens, the window of {self._name} holds {context.n_ctx}.",
                "Shorten the text, or open the model with a larger context.",
            )
        sampler = Sampler(
            self._vocabulary,
            temperature=request.temperature,
            seed=request.seed,
            grammar=state,
            checkpoint=job.checkpoint,
        )
        answer = Answer(self._vocabulary, request)
        finish: Literal["stop", "length", "aborted"] = "aborted"
        reused = 0
        try:
            slot, reused = context.prefill(prompt.tokens, job.checkpoint, request.on_prompt, constant=prompt.constant)
            finish = self._continue(context, slot, sampler, answer, request.max_tokens, job)
        except Aborted:
            if job.lane.closing:
                raise
        return answer.finished(finish, reused)

    def _continue(
        self, context: Context, slot: Slot, sampler: Sampler, answer: Answer, max_tokens: int, job: Job[Generation]
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


def _check_options(context_size: int | None, kv_type: str) -> None:
    if context_size is not None and context_size < SMALLEST_CONTEXT:
        raise InvalidInput(f"A window of {context_size} tokens is too small; at least {SMALLEST_CONTEXT}.")
    if kv_type not in KV_TYPES:
        raise InvalidInput(f"There is no cache type {kv_type!r}.", f"Choose one of: {', '.join(KV_TYPES)}")


def _check_request(temperature: float, seed: int, priority: str) -> None:
    if not 0 <= temperature < math.inf:
        raise InvalidInput(f"A temperature of {temperature} is not possible.", "Use 0 or more; 0 is always the same.")
    if seed < 0:
        raise InvalidInput(f"A seed of {seed} is not possible.", "Use a whole number from 0 on.")
    check_priority(priority)


def _identity(path: Path, kv_type: KvType) -> str | None:
    """Everything but the tokens that evaluated instructions depend on; None if the file cannot be read."""
    try:
        return f"{file_identity(path)} llama-cpp-python {log.version()} {kv_type}"
    except OSError:
        return None


def _shut(lanes: Sequence[Lane], grammars: GrammarCache, model: LoadedModel) -> None:
    """End the threads, then free what they used; in a forked child all of it belongs to the parent."""
    if os.getpid() != model.pid:
        return

    def free() -> None:
        grammars.close()
        model.close()

    close_all(lanes, free)
