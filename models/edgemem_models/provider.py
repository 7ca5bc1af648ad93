"""The models of this machine, loaded when they are first needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgemem_models.embedder import LlamaEmbedder
    from edgemem_models.heads import LearnedGate
    from edgemem_models.lane import Gate
    from edgemem_models.language import LlamaLanguageModel
    from edgemem_models.need import LearnedNeed
    from edgemem_models.relations import LearnedRelations

OnLoad = Callable[[str, float], None]
"""Gets the name of the model that is loading and the share done, 0..1."""


class LocalModels:
    """Provides the chosen chat and embedding model; each is loaded once, whoever asks first.

    ``home`` is the models folder (default: the user's own). ``chat`` is the name or path of the chat model to
    use instead of the chosen one. ``cache`` is the folder for evaluated instructions (default: the user's own; they
    hold no user's words). ``on_load(name, share)`` reports progress
    on the thread that loads. Chat work on either model goes before background work on both.
    """

    def __init__(
        self,
        home: Path | None = None,
        on_load: OnLoad | None = None,
        chat: str | None = None,
        cache: Path | None = None,
    ) -> None:
        self._home = home
        self._cache = cache
        self._chat = chat
        self._on_load = on_load
        # One lock a role: a search must not wait until the larger chat model has loaded.
        self._lock = threading.RLock()
        self._embedder_lock = threading.RLock()
        self._gate_lock = threading.Lock()
        self._gate: Gate | None = None
        self._language: LlamaLanguageModel | None = None
        self._embedder: LlamaEmbedder | None = None
        self._judge: tuple[LlamaEmbedder, LearnedGate | None] | None = None
        self._relations: tuple[LlamaEmbedder, LearnedRelations | None] | None = None
        self._need: tuple[LlamaEmbedder, LearnedNeed | None] | None = None

    def language_model(self) -> LlamaLanguageModel:
        """The chat and extraction model. Raises ``ModelMissing`` or another ``ModelError``."""
        with self._lock:
            if self._language is None:
                self._language = self._load_language()
            return self._language

    def embedder(self) -> LlamaEmbedder:
        """The embedding model. Raises ``ModelMissing`` or another ``ModelError``."""
        with self._embedder_lock:
            if self._embedder is None:
                self._embedder = self._load_embedder()
            return self._embedder

    def clause_judge(self) -> LearnedGate | None:
        """The learned gate, if it was trained for the embedding model in use. Raises ``ModelMissing``."""
        from edgemem_models import heads, second_look

        embedder = self.embedder()
        with self._embedder_lock:
            if self._judge is None or self._judge[0] is not embedder:
                self._judge = (embedder, heads.for_embedder(embedder, second_look.for_embedder(embedder)))
            return self._judge[1]

    def relation_judge(self) -> LearnedRelations | None:
        """The relation head, if it was trained for the embedding model in use. Raises ``ModelMissing``."""
        from edgemem_models.relations import for_embedder

        embedder = self.embedder()
        with self._embedder_lock:
            if self._relations is None or self._relations[0] is not embedder:
                self._relations = (embedder, for_embedder(embedder))
            return self._relations[1]

    def need_judge(self) -> LearnedNeed | None:
        """The weights that say what needs memory, if they were trained for the embedding model in use. Raises ``ModelMissing``."""
        from edgemem_models.need import for_embedder

        embedder = self.embedder()
        with self._embedder_lock:
            if self._need is None or self._need[0] is not embedder:
                self._need = (embedder, for_embedder(embedder))
            return self._need[1]

    def close(self) -> None:
        """Free what was loaded. Idempotent; a later use loads again."""
        with self._lock:
            language, self._language = self._language, None
        if language is not None:
            language.close()
        with self._embedder_lock:
            embedder, self._embedder = self._embedder, None
            self._judge = self._relations = self._need = None
        if embedder is not None:
            embedder.close()

    def _load_language(self) -> LlamaLanguageModel:
        from edgemem.folders import cache_home
        from edgemem_models.language import LlamaLanguageModel
        from edgemem_models.registry import chosen, pick

        cache = cache_home(os.environ) if self._cache is None else self._cache
        model = chosen("chat", self._home) if self._chat is None else pick("chat", self._chat, self._home)
        return LlamaLanguageModel(
            model.path,
            name=model.name,
            context_size=model.window,
            kv_type=model.kv_type,
            cache=cache,
            gate=self._shared_gate(),
            on_load=self._reporter(model.name),
        )

    def _load_embedder(self) -> LlamaEmbedder:
        from edgemem_models.calibration import known_points
        from edgemem_models.centres import known_centres
        from edgemem_models.embedder import LlamaEmbedder
        from edgemem_models.registry import chosen

        model = chosen("embedding", self._home)
        return LlamaEmbedder(
            model.path,
            prefixes=model.prefixes,
            calibration=model.calibration or known_points(model.name),
            centres=known_centres(model.name),
            gate=self._shared_gate(),
            on_load=self._reporter(model.name),
        )

    def _shared_gate(self) -> Gate:
        from edgemem_models.lane import Gate

        with self._gate_lock:
            if self._gate is None:
                self._gate = Gate()
            return self._gate

    def _reporter(self, name: str) -> Callable[[float], None] | None:
        report = self._on_load
        return None if report is None else lambda share: report(name, share)
