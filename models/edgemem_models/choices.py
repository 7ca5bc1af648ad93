"""Probabilities over a fixed set of answers, from few evaluations.

The options form a tree of tokens. Only where the tree branches does the model have to be
asked; what is forced costs nothing. The result is the distribution the model would follow
if it were held to the options token by token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from edgemem.errors import InvalidInput, OutputInvalid
from edgemem_models.sampler import Scores, log_sum_exp
from edgemem_models.vocabulary import Tokens

Evaluate = Callable[[Sequence[Tokens]], Iterator[Scores]]
"""Logits after the shared prefix and each of the given suffixes, in order."""


@dataclass(slots=True)
class Node:
    """A place in the tree: the tokens that lead on, and the option that ends here."""

    children: dict[int, Node] = field(default_factory=dict)
    option: int | None = None


def build_tree(options: Sequence[Tokens]) -> Node:
    """The tree of tokenised ``options``. Raises ``InvalidInput`` for empty or equal ones."""
    root = Node()
    for index, tokens in enumerate(options):
        node = root
        for token in tokens:
            node = node.children.setdefault(token, Node())
        if node is root or node.option is not None:
            raise InvalidInput(f"Option {index + 1} is empty or the same as another one.")
        node.option = index
    return root


def probabilities(
    tree: Node, questions: Sequence[Tokens], count: int, ends: npt.NDArray[np.int64], evaluate: Evaluate
) -> list[list[float]]:
    """For each question the probability of each of ``count`` options; every row sums to 1.

    ``questions`` are the suffixes after the shared prefix; ``ends`` the tokens that end an answer.
    """
    results = [[0.0] * count for _ in questions]
    work = [(number, tree, list(tokens), 1.0) for number, tokens in enumerate(questions)]
    while work:
        asked = []
        for number, node, tokens, share in work:
            node, tokens = _follow(node, tokens)
            if node.children:
                asked.append((number, node, tokens, share))
            elif node.option is not None:
                results[number][node.option] = share
        work = []
        logits = evaluate([tokens for _, _, tokens, _ in asked]) if asked else iter(())
        for (number, node, tokens, share), scores in zip(asked, logits, strict=True):
            shares = _branch(node, scores, ends)
            if node.option is not None:
                results[number][node.option] = share * shares.pop()
            for (token, child), part in zip(node.children.items(), shares, strict=True):
                work.append((number, child, [*tokens, token], share * part))
    return results


def _follow(node: Node, tokens: Tokens) -> tuple[Node, Tokens]:
    """Go on while there is only one way."""
    while node.option is None and len(node.children) == 1:
        [(token, node)] = node.children.items()
        tokens = [*tokens, token]
    return node, tokens


def _branch(node: Node, scores: Scores, ends: npt.NDArray[np.int64]) -> list[float]:
    """Share of each child of ``node``, and last that of ending here if an option does."""
    values = [float(scores[token]) for token in node.children]
    if node.option is not None:
        values.append(log_sum_exp(scores[ends]))
    top = max(values)
    if not math.isfinite(top):
        raise OutputInvalid("The model returned no usable numbers for the options.", "Try another model file.")
    weights = [math.exp(value - top) for value in values]
    total = sum(weights)
    return [weight / total for weight in weights]
