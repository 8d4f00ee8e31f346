"""The words of a library in parts: those of the last rebuild, and of what was added since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.libraries.word_index import WordIndex, join_words
from engine.retrieval.topic_words import Occurrences

MOST_PARTS = 12
"""Parts that a search looks into; more are joined."""


@dataclass(frozen=True)
class WordParts:
    """The rows of each part follow those of the one before it."""

    parts: tuple[WordIndex, ...]

    def find(self, stem: str) -> Occurrences:
        """Where a stem stands; nowhere for one that no paper has."""
        found = [part.find(stem) for part in self.parts]
        if len(found) == 1:
            return found[0]
        begins = accumulate((len(part.lengths) for part in self.parts[:-1]), initial=0)
        rows = [(one.rows + start).astype(np.int32) for one, start in zip(found, begins, strict=True)]
        return Occurrences(
            np.concatenate(rows),
            np.concatenate([one.title for one in found]),
            np.concatenate([one.text for one in found]),
        )

    def most_like(self, stem: str) -> str:
        """The stem that is spelt most like another and that papers have; empty where none is like it."""
        return next((found for part in self.parts if (found := part.most_like(stem))), "")

    @cached_property
    def lengths(self) -> NDArray[np.float32]:
        """Number of words that carry meaning of each paper."""
        return np.concatenate([part.lengths for part in self.parts])

    @cached_property
    def usual_length(self) -> float:
        """Mean of the lengths; 1 where there are none."""
        return max(1.0, float(self.lengths.mean())) if len(self.lengths) else 1.0


def with_part(added: Sequence[WordIndex], new: WordIndex) -> list[WordIndex]:
    """What was added since the rebuild with one more part; joined into one where there are too many."""
    parts = [*added, new]
    return parts if len(parts) < MOST_PARTS else [join_words(parts)]
