"""Measures the means that ``edgemem_models.centres`` takes out: ``python models/training/train_centres.py``.

Reads the corpora written for the learned gate, embeds up to 400 of their clauses in each language
(those worth keeping as passages, those that ask as queries), and writes the four means as float16.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
from edgemem_models.centres import FILE, Kind
from edgemem_models.embedder import LlamaEmbedder
from edgemem_models.registry import chosen

HERE = Path(__file__).parent
TARGET = HERE.parent / "edgemem_models" / FILE
SIZE = 400


def clauses(language: str) -> list[tuple[str, str]]:
    """Clauses of a corpus with their letters, in an order drawn from a fixed seed."""
    lines = (HERE / f"corpus_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    found = [(text, letter) for line in lines for text, letter in json.loads(line)["clauses"]]
    random.Random(1).shuffle(found)
    return found


def main() -> None:
    """Measure and write."""
    model = chosen("embedding")
    embedder = LlamaEmbedder(model.path, prefixes=model.prefixes)  # without centres: these are what is measured
    means = {}
    for han, language in enumerate(("en", "zh")):
        found = clauses(language)
        texts: dict[Kind, list[str]] = {
            "passage": [text for text, letter in found if letter != "N"][:SIZE],
            "query": [text for text, _ in found if "?" in text or "？" in text][:SIZE],
        }
        for kind, chosen_texts in texts.items():
            vectors = np.asarray(embedder.embed(chosen_texts, kind), dtype=np.float64)
            means[f"{kind}_{han}"] = vectors.mean(axis=0).astype(np.float16)
            print(
                f"{language} {kind}: {len(chosen_texts)} texts, mean length {np.linalg.norm(vectors.mean(axis=0)):.3f}"
            )
    np.savez(TARGET, **means)
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
