"""Models that read a query and a text together and say how well one answers the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from engine.errors import ServiceError
from engine.retrieval.topic_words import Scores


class CrossEncoder(Protocol):
    """Scores texts for one query; the scores of one query can be compared, those of two cannot."""

    name: str

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """Shape (texts,), greater where a text says more of the query; runs for a while, call it in a thread."""
        ...


class LocalCrossEncoder:
    """A cross-encoder run on this machine by fastembed, from files that are here: nothing is downloaded."""

    def __init__(self, model: str) -> None:
        self.name = model
        try:
            from fastembed.rerank.cross_encoder import TextCrossEncoder
        except ImportError as error:
            raise ServiceError(
                f"The cross-encoder {model} needs the package fastembed; install scholium with its extra “neural”."
            ) from error
        try:
            self._model: Any = TextCrossEncoder(model, local_files_only=True)
        except Exception as error:  # the hub's client raises whatever its transport raises
            raise ServiceError(f"The cross-encoder {model} could not be loaded from this machine: {error}") from error

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """Shape (texts,)."""
        return np.array(list(self._model.rerank(query, list(texts))), np.float64)
