"""Ranks papers of Weaviate for a survey without reading all of them: pure functions over what is fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Vectors
from engine.retrieval.ranking import closeness, popularity
from engine.values import ALL_YEARS, PaperKey, Query

NEAREST = 1_000
NEAREST_CITED = 2_000
"""Papers nearest to the topic that are ranked: of all, and of the fifth that is cited most."""
CITED_SHARE = 0.8
POPULAR = 5_000
"""The most cited papers are ranked for every topic: a survey cites them although others are nearer to it. With
these three, 97 % of the first 1,200 of an exhaustive ranking are found (87,320 papers, five topics)."""
SAMPLE = 2_000
"""Papers that stand for the whole library when a score is standardised; their ids are random."""
HELD_S = 3_600.0
"""What is held of a library in memory is read again after an hour: others add to it."""

FACTS = ["key", "year", "citations", "venue_folded"]


@dataclass(frozen=True)
class PaperColumns:
    """Papers without their texts; row i of each array is the paper ``ids[i]``."""

    ids: list[Any]
    keys: list[PaperKey]
    abstracts: Vectors
    citations: NDArray[np.float64]
    years: NDArray[np.int64]
    venues: list[str]

    @classmethod
    def of(cls, objects: Sequence[Any]) -> PaperColumns:
        """Objects with their vectors; one that the server gave none is left out."""
        objects = [o for o in objects if o.vector.get("abstract")]
        values = [o.properties for o in objects]
        counts = [v.get("citations") for v in values]
        return cls(
            [o.uuid for o in objects],
            [v["key"] for v in values],
            np.array([o.vector["abstract"] for o in objects], np.float32),
            np.array([np.nan if c is None else float(c) for c in counts]),
            np.array([v.get("year") or 0 for v in values], np.int64),
            [v.get("venue_folded") or "" for v in values],
        )

    def allowed(self, query: Query) -> list[int]:
        """Rows that the query takes."""
        first, last = query.years.first or 0, query.years.last or 9_999
        return [
            i
            for i, key in enumerate(self.keys)
            if key not in query.exclude
            and (query.years == ALL_YEARS or first <= self.years[i] <= last)
            and (not query.least_citations or self.citations[i] >= query.least_citations)
            and (not query.venue or self.venues[i] == query.venue.casefold())
        ]


@dataclass(frozen=True)
class LibrarySample:
    """What is kept of a library in memory: a sample, its most cited papers, and when they were read."""

    sample: PaperColumns
    popular: PaperColumns
    cited_from: int
    read_at: float


def survey_ranking(
    bodies: Sequence[PaperColumns], core: Vectors, held: LibrarySample, query: Query
) -> Mapping[Any, float]:
    """The ids of the best papers with their scores, best first, at most as many as the query wants.

    Closeness to the core and popularity are each measured in the sample's standard deviations from its mean.
    """
    everyone = [body for body in (held.popular, *bodies, held.sample) if body.ids]
    cited = popularity(
        np.concatenate([body.citations for body in everyone]),
        np.concatenate([body.years for body in everyone]),
        datetime.now(UTC).year,
    )
    *counts, usual = np.split(cited, np.cumsum([len(body.ids) for body in everyone])[:-1])
    near = closeness(held.sample.abstracts, core)
    scores: dict[Any, float] = {}
    for body, popular in zip(everyone[:-1], counts, strict=True):
        combined = _standardise_to(closeness(body.abstracts, core), near) + _standardise_to(popular, usual)
        scores.update({body.ids[i]: float(combined[i]) for i in body.allowed(query)})
    return {name: scores[name] for name in sorted(scores, key=lambda name: -scores[name])[: query.limit]}


def _standardise_to(values: NDArray[np.float64], usual: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = float(usual.std())
    return np.zeros_like(values) if spread < 1e-12 else (values - usual.mean()) / spread
