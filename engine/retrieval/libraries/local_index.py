"""What a library in a folder holds in memory for searching, and how it ranks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Embedder, Vectors
from engine.retrieval.libraries.paper_rows import PaperFacts
from engine.retrieval.libraries.word_index import KNOWN_WORD
from engine.retrieval.libraries.word_parts import WordParts
from engine.retrieval.ranking import (
    CITED_WEIGHT,
    SEEDS,
    Seeds,
    Usual,
    UsualEvidence,
    find_seeds,
    order_best,
    reciprocal_rank_fusion,
    survey_scores,
    topic_closeness,
    word_scores,
)
from engine.retrieval.topic_words import (
    Scores,
    TopicWords,
    WordEvidence,
    find_implied,
    find_words,
    measure_words,
    rarity,
    read_topic,
)
from engine.text import stem, words
from engine.values import PaperKey, Query

SAMPLE = 2_000
"""Papers that stand for the library where a value is too dear to be computed for all of them."""

CANDIDATES = 8_000
"""Papers whose closeness is computed: the best by words, citations and closeness to the middle of the topic."""


@dataclass(frozen=True)
class SaidTopic:
    """A topic as it was said, what its words tell of every paper, and the rows that stand for it (`find_seeds`)."""

    topic: TopicWords
    evidence: WordEvidence
    seeds: Seeds


@dataclass(frozen=True)
class LocalIndex:
    """Row i of every array is paper ``keys[i]``."""

    keys: list[PaperKey]
    facts: PaperFacts
    popularity: Scores
    titles: Vectors
    abstracts: Vectors
    embedder: Embedder
    words: WordParts

    def read_topic(self, topic: str) -> SaidTopic:
        """The topic's words; those seeds that they find first tell the abbreviations of its phrases."""
        said = read_topic(topic)
        evidence = self.measure(said)
        return SaidTopic(said, evidence, find_seeds(evidence))

    def measure(self, topic: TopicWords) -> WordEvidence:
        """What the topic's words tell of every paper."""
        found = find_words(topic, self.words.find)
        rarities = rarity([len(word.rows) for word in found.said], len(self.keys))
        return measure_words(found, rarities, self.words.lengths, self.words.usual_length)

    def count_topic(self, topic: str) -> tuple[tuple[int, ...], tuple[tuple[str, str], ...]]:
        """Papers with each word of a topic, and for words that no paper has the stem that is spelt most like it."""
        said = read_topic(topic)
        found = find_words(said, self.words.find)
        counts = tuple(len(word.rows) for word in found.written)
        # Beside a word that no paper has, one that hardly any has may be the same person's slip, made by others too.
        few = KNOWN_WORD if 0 in counts else 1
        unknown = {s for s, count in zip(said.stems, counts, strict=True) if count < few}
        misspelt = [(word, self.words.most_like(stem(word))) for word in words(topic) if stem(word) in unknown]
        return counts, tuple((word, other) for word, other in misspelt if other)

    async def find_implied(self, topic: str) -> frozenset[int]:
        """The words of a topic that its other words imply here."""
        said = read_topic(topic)
        found = [word.rows for word in find_words(said, self.words.find).written]

        async def count(words: frozenset[int]) -> int:
            return len(reduce(partial(np.intersect1d, assume_unique=True), [found[j] for j in words]))

        return await find_implied(said.stems, count)

    def rank(self, query: Query, topic: TopicWords, said: SaidTopic) -> Scores:
        """A score for every paper, in the order that the query asks for; -inf for those that it does not take."""
        words = said.evidence if topic == said.topic else self.measure(topic)
        match query.ranking:
            case "survey":
                scores = self._rank_for_survey(
                    query, words, said.seeds if words is said.evidence else find_seeds(words)
                )
            case "relevance":
                scores = self._rank_by_relevance(query, words)
            case "words":
                scores = np.where(words.present > 0, words.present + words.in_text, -np.inf)
            case "title":
                scores = (self.titles @ self._vector(query)).astype(np.float64)
        scores[~self.allow(query)] = -np.inf
        return scores

    def _rank_for_survey(self, query: Query, words: WordEvidence, stand_for: Seeds) -> Scores:
        seeds = [np.asarray(self.abstracts[rows]) for rows in stand_for if len(rows)]
        seeds = seeds or [vector[None] for vector in [self._vector(query)] if vector.any()]
        if not seeds:
            return np.full(len(self.keys), -np.inf)
        middle = (self.abstracts @ np.mean([group.mean(axis=0) for group in seeds], axis=0)).astype(np.float64)
        sample = _sample(len(self.keys))
        usual = UsualEvidence(
            bm25=Usual.of(words.bm25),
            in_text=Usual.of(words.in_text),
            in_title=Usual.of(words.in_title),
            near=Usual.of(topic_closeness(self.abstracts[sample], seeds)),
            cited=Usual.of(self.popularity),
        )
        promising = Usual.of(middle).standardise(middle) + word_scores(words, usual)
        promising += CITED_WEIGHT * usual.cited.standardise(self.popularity)
        promising[~self.allow(query)] = -np.inf
        count = min(max(CANDIDATES, 4 * query.limit), len(self.keys))
        rows = np.sort(np.argpartition(-promising, count - 1)[:count])
        scores = np.full(len(self.keys), -np.inf)
        near = topic_closeness(self.abstracts[rows], seeds)
        scores[rows] = survey_scores(words.at(rows), near, self.popularity[rows], usual)
        return scores

    def _rank_by_relevance(self, query: Query, words: WordEvidence) -> Scores:
        """Words and meaning, their ranks fused."""
        near = (self.abstracts @ self._vector(query)).astype(np.float64)
        depth = max(SEEDS, query.limit)
        rankings = [[int(row) for row in order_best(values, depth) if values[row] > 0] for values in (words.bm25, near)]
        fused = reciprocal_rank_fusion(rankings)
        scores = np.full(len(self.keys), -np.inf)
        scores[list(fused)] = list(fused.values())
        return scores

    def _vector(self, query: Query) -> Vectors:
        vector: Vectors = self.embedder.embed([query.text])[0]
        return vector

    def allow(self, query: Query) -> NDArray[np.bool_]:
        """Which papers the query takes at all."""
        allowed = ~self.facts.gone
        if query.years.first is not None:
            allowed &= self.facts.years >= query.years.first
        if query.years.last is not None:
            allowed &= (self.facts.years <= query.years.last) & (self.facts.years > 0)
        if query.least_citations:
            allowed &= self.facts.citations >= query.least_citations
        if query.venue:
            allowed &= self.facts.at_venue(query.venue)
        allowed[self.facts.rows.find_all(query.exclude)] = False
        return allowed


def _sample(size: int) -> NDArray[np.int64]:
    """Rows of a sample, the same each time."""
    if size <= SAMPLE:
        return np.arange(size)
    return np.sort(np.random.default_rng(0).choice(size, SAMPLE, replace=False))
