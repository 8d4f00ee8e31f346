"""How rare a topic's words are: in a library, and in computer science, which tells more where the library is small."""

from __future__ import annotations

from functools import cache

import numpy as np

from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.topic_words import Scores, rarity, read_topic
from engine.wordlists import read_lines

TELLING_PAPERS = 10_000
"""A library of fewer papers is counted as if papers of computer science filled it up to these: of forty papers on
unlearning all say the word, which is rare all the same."""


def measure_rarity(topic: str, counts: TopicCounts, telling: int = TELLING_PAPERS) -> Scores:
    """How rare each word of `read_topic` is (inverse document frequency); all 1 where counts are not known.

    ``telling`` is the number of papers to which a library is filled up; 0: it is counted as it is.
    """
    stems = read_topic(topic).stems
    if not counts.papers or len(counts.papers_with) != len(stems):
        return np.ones(len(stems))
    imagined = max(0, telling - counts.papers)
    more = [imagined * _common_stems().get(stem, 0) // 1_000 for stem in stems]
    return rarity([own + m for own, m in zip(counts.papers_with, more, strict=True)], counts.papers + imagined)


@cache
def _common_stems() -> dict[str, int]:
    """Stem → how many of 1,000 papers have it, for those that ten or more have."""
    rows = (line.split("\t") for line in read_lines("gathering/common_stems.tsv"))
    return {stem: int(count) for stem, count in rows}
