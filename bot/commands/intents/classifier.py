"""The linear classifier of plain words, as its training writes it: intents in the order of their likelihood."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bot.commands.intents.features import Heard, describe, name_bucket, weigh
from bot.commands.intents.intents import NOT_FOR_US, is_possible

MODEL = Path(__file__).with_name("model.npz")
NAMED = 1 << 14
"""Buckets of the features of tokens."""


@dataclass(frozen=True)
class Classifier:
    """Weights of buckets × intents.

    ``frame`` are the words that say what is wanted, and not of what; ``named`` weighs whether a token is a part, the
    beginning, the end of what is named, its last row for all. ``languages`` are those that were named. ``digest`` names
    the examples.
    """

    labels: tuple[str, ...]
    weights: NDArray[np.float32]
    intercept: NDArray[np.float32]
    rarity: NDArray[np.float32]
    frame: frozenset[str]
    named: NDArray[np.float32]
    languages: frozenset[str]
    digest: str

    def score(self, text: str, heard: Heard) -> dict[str, float]:
        """The intents possible there with their scores, the likeliest first; equal ones in the order of their names."""
        weighed = weigh(describe(text, heard), self.rarity)
        buckets = sorted(weighed)
        scores = np.array([weighed[b] for b in buckets], np.float32) @ self.weights[buckets] + self.intercept
        return rank(dict(zip(self.labels, map(float, scores), strict=True)), heard)

    def score_tokens(self, described: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """Whether each token is part of what is named, begins it, ends it: rows of scores."""
        buckets = np.array([[name_bucket(name) % NAMED for name in names] for names in described])
        scores: NDArray[np.float32] = self.named[buckets].sum(axis=1) + self.named[NAMED]
        return scores.T


def rank(scores: Mapping[str, float], heard: Heard) -> dict[str, float]:
    """Those possible at the step, the likeliest first; what only we can hear is for us."""
    possible = {
        label: round(score, 3)
        for label, score in scores.items()
        if is_possible(label, heard.phase) and (label != NOT_FOR_US or heard.among_people)
    }
    return dict(sorted(possible.items(), key=lambda item: (-item[1], item[0])))


@lru_cache(maxsize=64)  # what is asked back is scored again for what is offered
def score_intents(text: str, heard: Heard) -> dict[str, float]:
    """The scores of the stored classifier."""
    return load_classifier().score(text, heard)


@cache
def load_classifier(file: Path = MODEL) -> Classifier:
    """The classifier in a file that the training wrote."""
    with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as stored:
        head = json.loads(stored["head"].tobytes())
        return Classifier(
            tuple(head["labels"]),
            stored["weights"].astype(np.float32) * head["unit"],
            stored["intercept"],
            stored["rarity"].astype(np.float32),
            frozenset(head["frame"]),
            stored["named"].astype(np.float32) * head["named_unit"],
            frozenset(head["languages"]),
            head["digest"],
        )
