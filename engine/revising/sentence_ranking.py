"""The sentences of a survey's papers, ranked by a question (BM25 after Robertson and Zaragoza, 2009, and embedding)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.addresses import NumberedSentence, number_sentences
from engine.quoting.attribution import quote_words
from engine.reading.sentence_roles import read_statements, remove_label
from engine.retrieval.embedding import Embedder
from engine.survey import Claim
from engine.text import fold, terms, words
from engine.values import Paper, PaperKey

SATURATION, LENGTH_PENALTY = 1.2, 0.75
"""BM25's k1 and b, as its authors recommend."""

TITLE_SHARE = 0.5
"""What a word of a question counts that stands in the paper's title and not in the sentence."""

FOUND = 1.1
"""Weight of a finding beside a problem or an aim: of 40 questions, 1.2 hid an answer in the background, 1.0 put
two aims before their results."""

SIGNAL, CLEAR = 0.3, 0.5
"""Shares of a question's weight that the best sentence has to reach: to be shown at all, and as an answer. Of 26 of 40
questions that two surveys answer (November 2026) 23 are clear; of 42 that none answers 1, and 9 are shown as near."""

BEST = 20
"""Sentences among which the signal is looked for."""

FEWEST_WORDS, MOST_WORDS = 5, 80
"""A shorter sentence says nothing alone, a longer one is not read."""

ASKING = frozenset(
    terms(
        "say says tell find found finds show shows report reports reported propose proposes proposed paper papers work "
        "works study studies article articles author authors survey literature compare compared comparison difference "
        "different differ differs differently describe explain mean use used uses using exist know known many much "
        "do does did done doing have has had make makes made help happen happens"
    )
)
"""Stop words of questions: they ask, and say nothing of what is asked."""


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A sentence of a paper, what it scores (from 0), and which share of the question's weight it holds (0 to 1)."""

    paper: Paper
    sentence: NumberedSentence
    score: float
    share: float

    @property
    def quote(self) -> str:
        """The sentence without the label of its part, letter for letter."""
        return remove_label(self.sentence.text)


@dataclass(frozen=True, slots=True)
class _Text:
    """A sentence with its terms and those of its paper's title."""

    paper: Paper
    sentence: NumberedSentence
    counts: Counter[str]
    title: frozenset[str]
    weight: float


def list_asked_terms(question: str) -> list[str]:
    """The terms that say what a question asks for."""
    return [term for term in terms(question) if term not in ASKING]


def rank_sentences(question: str, papers: Sequence[Paper], embedder: Embedder) -> list[RankedSentence]:
    """All sentences of the papers, best first, ties by order; call it in a thread."""
    texts = [text for paper in papers for text in _divide(paper)]
    asked = list(dict.fromkeys(list_asked_terms(question)))
    if not texts or not asked:
        return []
    counts = np.array([[text.counts[term] for term in asked] for text in texts])  # sentences x terms
    weights = np.log(1 + (len(texts) + 0.5) / ((counts > 0).sum(axis=0) + 0.5))  # a term that stands nowhere: most
    lengths = np.array([text.counts.total() for text in texts])
    longer = (1 - LENGTH_PENALTY + LENGTH_PENALTY * lengths / lengths.mean())[:, None]
    own = (counts * (SATURATION + 1) / (counts + SATURATION * longer)) @ weights
    titled = np.array([[term in text.title for term in asked] for text in texts]) & (counts == 0)
    beside = TITLE_SHARE * (titled @ weights)
    vectors = embedder.embed([question, *(text.sentence.text for text in texts)]).astype(np.float64)
    near = np.maximum(np.round(vectors[1:] @ vectors[0], 6), 0.0)
    roles = np.array([text.weight for text in texts])
    scores = np.round(((own + beside) / weights.sum() + near) * roles, 6)
    shares = np.round(((counts > 0) @ weights + beside) / weights.sum(), 6)
    order = np.argsort(-scores, kind="stable")
    return [RankedSentence(texts[i].paper, texts[i].sentence, float(scores[i]), float(shares[i])) for i in order]


def measure_signal(ranked: Sequence[RankedSentence]) -> float:
    """The share of the question's weight that one of the best sentences holds; compare with `SIGNAL` and `CLEAR`."""
    return max((found.share for found in ranked[:BEST]), default=0.0)


@lru_cache(maxsize=4_096)
def _divide(paper: Paper) -> tuple[_Text, ...]:
    title = frozenset(terms(paper.title))
    findings = {s.text for s in read_statements(paper.content) if s.statement == "finding"}
    return tuple(
        _Text(paper, said, Counter(terms(said.text)), title, FOUND if remove_label(said.text) in findings else 1.0)
        for said in number_sentences(paper)
        if FEWEST_WORDS <= len(words(said.text)) <= MOST_WORDS and said.text[-1] in ".!?"
    )


WORTH, WORTH_BESIDE = 0.6, 0.8
"""Shares of the best sentence's score from which another paper's is quoted too, and a second one of the same paper: set
by reading the answers to 40 questions about two surveys (November 2026)."""

MOST_OF_ONE = 3
"""Sentences that are quoted of one paper where it alone is asked of; of one among several, one fewer."""


def quote_ranked(ranked: Sequence[RankedSentence], most_papers: int, worth: float = WORTH) -> tuple[Claim, ...]:
    """A claim for each paper of the sentences that score near the best, in their order; a paper's in its own order."""
    found: dict[str, RankedSentence] = {}
    for one in ranked:
        if one.score >= worth * ranked[0].score:
            found.setdefault(fold(one.quote), one)
    by_paper: dict[PaperKey, list[RankedSentence]] = {}
    for one in found.values():
        own = by_paper.setdefault(one.paper.key, [])
        if not own or one.score >= WORTH_BESIDE * own[0].score:
            own.append(one)
    most = MOST_OF_ONE if len(by_paper) == 1 else MOST_OF_ONE - 1
    return tuple(
        _quote_paper(sorted(own[:most], key=lambda one: one.sentence.number))
        for own in list(by_paper.values())[:most_papers]
    )


def _quote_paper(own: Sequence[RankedSentence]) -> Claim:
    first = own[0].sentence
    alike = [one for one in own if (one.sentence.source, one.sentence.page) == (first.source, first.page)]
    return quote_words(own[0].paper, [one.quote for one in alike], first.source, first.page)
