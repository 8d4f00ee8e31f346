"""Which sentences of papers answer a question: they have its words, are of its kind, and deny what it denies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.quoting.abstracts import AbstractSentence, quotable, read_abstract
from engine.retrieval.embedding import Embedder
from engine.revising.other_wordings import spell_out_absences
from engine.revising.question_kinds import (
    asks_for_definition,
    asks_for_some,
    fits_question,
    group_by_fit,
    has_kind,
    rate_statements,
)
from engine.revising.question_words import (
    NEEDED_COVERAGE,
    AskedWords,
    asks_without,
    denies,
    hold_terms,
    stand_together,
)
from engine.values import Paper

COVERAGE_WEIGHT = 0.5
"""Added to a sentence's closeness to the question (a cosine) where it has all that is asked for."""

DENIED_COVERAGE = 0.2
"""Share of what a question denies that a sentence which denies it has to hold."""

LEANING = 0.2
"""Taken from the closeness of a sentence that refers to one before it."""

_LEANS = re.compile(
    r"\b(?:these|those|such(?! as\b))(?: \w+)? (?:\w*(?:problem|issue|challenge|limitation|observation|finding|context|"
    r"method|model|approach|question|difficult|drawback|task)\w*)\b|\b(?:it|they) (?:is|are|can|also)\b",
    re.I,
)


_CONNECTIVE = re.compile(
    r"(?:specifically|in particular|finally|moreover|furthermore|additionally|in addition|besides|also|consequently|"
    r"therefore|thus|hence|to this end|as a result|first(?:ly)?|second(?:ly)?|third(?:ly)?|then|next|instead|"
    r"thereafter|subsequently|afterwards|accordingly|in detail|to be specific|intuitively|notably|importantly|"
    r"more specifically|concretely|to (?:address|tackle|overcome|solve|alleviate|mitigate|remedy|fill|bridge|do)"
    r"(?: (?:this|these|that|those|such|the|so|it))?(?: [\w-]+){0,4}),\s"
    r"(?=(?:in this \w+, )?(?:we|our|this (?:paper|work|article|study)|the authors)\b)",
    re.I,
)
_POINTING = re.compile(
    r"\b(?:this|these|those|such|both|them|former|latter)\b(?! (?:paper|work|article|study|as)\b)", re.I
)


def list_quotable(paper: Paper) -> list[AbstractSentence]:
    """Sentences that can stand alone, some of them without the words by which they go on from the one before."""
    alone = {sentence.position: sentence for sentence in quotable(paper)}
    for sentence in read_abstract(paper):
        found = _CONNECTIVE.match(sentence.text)
        if sentence.position not in alone and found:
            rest = replace(sentence, text=sentence.text[found.end() :])
            if rest.stands_alone and not _POINTING.search(rest.text):
                alone[sentence.position] = rest
    return [alone[position] for position in sorted(alone)]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is looked for: the question, the words that it asks for, and what the papers' abbreviations stand for."""

    question: str
    asked: AskedWords
    long_forms: Mapping[str, str]

    def measure(self, sentence: AbstractSentence, title: frozenset[str]) -> float:
        """The share of what is asked for that the sentence has with its paper's title; 0 where it has none itself.

        A title counts for all where something of a kind is asked for, and for nothing where a definition is.
        """
        own = hold_terms(self._read(sentence), self.long_forms)
        if asks_for_definition(self.question):
            together = stand_together(sentence.text, self.asked.wanted, self.long_forms)
            return self.asked.measure(own) if together else 0.0
        alone = has_kind(self.question) or not self.asked.wanted or self.asked.are_in(own)
        return self.asked.measure(own | title) if alone else 0.0

    def _read(self, sentence: AbstractSentence) -> str:
        """The sentence, with what it does without in so many words where the question denies something."""
        is_own = self.asked.denied and sentence.statement != "problem"
        return spell_out_absences(sentence.text) if is_own else sentence.text

    def fits(self, sentence: AbstractSentence) -> bool:
        """Whether the sentence is of the kind that is asked for, and denies what the question denies."""
        if self.asked.denied and not denies(self._read(sentence), self.asked.denied, need=asks_without(self.question)):
            return False
        if self.asked.denied and sentence.statement == "problem" and asks_for_some(self.question):
            return False
        if asks_for_some(self.question) and not self.asked.denied and denies(sentence.text, self.asked.wanted):
            return False
        return fits_question(self.question, sentence.text, sentence.paper.title)


def find_evidence(evidence: Evidence, papers: Sequence[Paper], embedder: Embedder) -> list[AbstractSentence]:
    """The sentence of each paper that answers the question best, the best first; those that define alone, if asked."""
    found: dict[AbstractSentence, float] = {}
    for paper in papers:
        title = hold_terms(paper.title, evidence.long_forms)
        for sentence in list_quotable(paper):
            share = evidence.measure(sentence, title)
            if share >= (DENIED_COVERAGE if evidence.asked.denied else NEEDED_COVERAGE) and evidence.fits(sentence):
                found[sentence] = share
    if not found:
        return []
    groups = group_by_fit(evidence.question, list(found))
    vectors = embedder.embed([evidence.question, *(s.text for s in found)])
    preferred = rate_statements(evidence.question)
    rated = {
        sentence: float(close)
        + COVERAGE_WEIGHT * found[sentence]
        + preferred.get(sentence.statement, 0.0)
        - LEANING * bool(_LEANS.search(sentence.text))
        for sentence, close in zip(found, vectors[1:] @ vectors[0], strict=True)
    }
    best: dict[str, AbstractSentence] = {}
    for sentence in sorted(next(group for group in groups if group), key=lambda s: -rated[s]):
        best.setdefault(sentence.paper.key, sentence)
    return list(best.values())
