"""Which sentence of an abstract stands for its paper, and which says what it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from engine.quoting.abstracts import AbstractSentence, read_abstract
from engine.reading.sentence_roles import Statement
from engine.survey import Citation
from engine.text import inert, terms
from engine.values import Paper

LEAST_PROBABILITY = 0.5
"""Of a statement, from which a sentence may stand for it: more likely than all others together."""

TITLE_WEIGHT = 0.5
"""Weight of the share of the title's words that a sentence says: what a paper is called after is its contribution."""

FIGURE_WEIGHT = 0.3
"""Weight of a figure in a sentence that says what was found."""

CITED_WEIGHT = 1.0
"""Weight of being what the text beside rests on: more than all else."""

_FIGURE = re.compile(r"(?<![\w-])\d+(?:[.,]\d+)*(?![\w-])")
_THEIR_CITATION = re.compile(r"\[\d{1,3}(?: ?[,;–-] ?\d{1,3})*\]|\(CITATION\)")
"""A number of the paper's own list of references: beside ours it would be read as one of ours."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Exact words of a paper, and the words as they are shown, without the numbers of its own references."""

    paper: Paper
    words: str
    shown: str

    @property
    def citation(self) -> Citation:
        """The evidence that stands behind it."""
        if not self.paper.abstract:
            return Citation(self.paper.key, self.words, "summarised", "summary")
        return Citation(self.paper.key, self.words, "quoted")

    @property
    def cell(self) -> str:
        """In quotation marks, for a cell of a table; the words of a summary, which are not the authors', without."""
        return f"“{inert(self.shown)}”" if self.paper.abstract else inert(self.shown)


def quote_contribution(paper: Paper) -> Quotation | None:
    """What the abstract says that the paper contributes; ``None`` where no sentence says so by itself."""
    return _quote_best(paper, "contribution", lambda s: TITLE_WEIGHT * _share_title(s))


def quote_gist(paper: Paper) -> Quotation | None:
    """The sentence that stands for the paper: what it contributes, else what says most of its title; not its finding.

    ``None`` where no sentence can stand alone.
    """
    if stated := quote_contribution(paper):
        return stated
    found = quote_finding(paper)
    others = [s for s in read_abstract(paper) if s.stands_alone and not (found and found.words in s.text)]
    best = max(others, key=lambda s: (round(_share_title(s), 6), -s.position), default=None)
    return _quote(best) if best else None


def quote_finding(paper: Paper, cited: Collection[str] = ()) -> Quotation | None:
    """What the abstract says came out, a sentence that is ``cited`` before others, then one with a figure.

    ``None`` where no sentence does by itself.
    """

    def weigh(sentence: AbstractSentence) -> float:
        is_cited = any(sentence.text in said for said in cited)  # that with the name of its part: "RESULTS: …"
        return CITED_WEIGHT * is_cited + FIGURE_WEIGHT * bool(_FIGURE.search(sentence.text))

    return _quote_best(paper, "finding", weigh)


def _quote_best(paper: Paper, statement: Statement, weigh: Callable[[AbstractSentence], float]) -> Quotation | None:
    """The sentence that makes the statement most surely, its weight added; of several the first."""
    stated = [
        s
        for s in read_abstract(paper)
        if s.statement == statement and s.probability >= LEAST_PROBABILITY and s.stands_alone
    ]
    best = max(stated, key=lambda s: round(s.probability + weigh(s), 6), default=None)
    return _quote(best) if best else None


def _quote(sentence: AbstractSentence) -> Quotation:
    """The whole sentence: cut, it might say more than its paper."""
    words = sentence.text.strip(' "“”').removesuffix(".")
    return Quotation(sentence.paper, words, _THEIR_CITATION.sub("[…]", words))


def _share_title(sentence: AbstractSentence) -> float:
    """The share of the title's words that the sentence says."""
    title = set(terms(sentence.paper.title))
    return len(title & set(terms(sentence.text))) / max(1, len(title))
