"""Follow-up questions about a finished survey, answered by quotation from its own papers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from engine.run import Answer, RunContext
from engine.session.exchanges import Exchange
from engine.survey import Survey
from engine.text import terms
from engine.values import Paper, PaperSelection
from engine.writing.extractive import AbstractSentence, quotable, quote_sentences

NEEDED_COVERAGE = 0.5
"""A sentence speaks to a question when it and its paper's title hold at least half of what the question asks
for, rare terms counting more."""

ASKING = frozenset(
    terms(
        "paper papers say says tell explain describe difference compare main best approach approaches method methods "
        "work works know known exist exists mean means think survey literature author authors research please give list"
    )
)


_REFERRING = re.compile(
    r"\b(?:them|these|those|they|it|its|their|this|that (?:one|method|paper|model|work)|which ones?|"
    r"the (?:first|second|third|last|former|latter|same|others?)(?: one)?|and (?:what|how|why|which))\b|"
    r"^(?:why|how so|since when|by whom)\s*\?*$",
    re.I,
)


def read_with_last(question: str, asked: Sequence[Exchange]) -> str:
    """The question, with the one before it where it refers to what was said: "which of them are fast?"."""
    return f"{asked[-1].question} {question}" if asked and _REFERRING.search(question) else question


def answer_by_quotation(question: str, selection: PaperSelection, survey: Survey, context: RunContext) -> Answer:
    """The best quoted sentence of each of a few papers; no claims where none of the papers speaks to it."""
    wanted = read_with_last(question, context.asked)
    asked = [t for t in dict.fromkeys(terms(wanted)) if t not in ASKING]
    candidates = [s for paper in selection.included() for s in quotable(paper)]
    if not asked or not candidates:
        return Answer(question, (), survey)
    rarity = _rarity(asked, selection.included())
    coverage = np.array([_coverage(rarity, s) for s in candidates])
    speaking = np.flatnonzero(coverage >= NEEDED_COVERAGE)
    if len(speaking) == 0:
        return Answer(question, (), survey)
    chosen = [candidates[int(i)] for i in speaking]
    vectors = context.embedder.embed([wanted, *(s.text for s in chosen)])
    closeness = vectors[1:] @ vectors[0] + 0.5 * coverage[speaking]
    best: dict[str, AbstractSentence] = {}
    for i in np.argsort(-closeness, kind="stable"):
        best.setdefault(chosen[int(i)].paper.key, chosen[int(i)])
    claims = tuple(quote_sentences([s]) for s in list(best.values())[: context.limits.answer_papers])
    return Answer(question, claims, survey, selection.included())


def _rarity(asked: Sequence[str], papers: Sequence[Paper]) -> dict[str, float]:
    """Weight of each term asked for: a term that every paper has asks for little, one that none has for most."""
    held = [set(terms(f"{p.title}. {p.content}")) for p in papers]
    frequency = {t: sum(t in words for words in held) for t in asked}
    return {t: float(np.log1p(len(held) / (3 + frequency[t]))) for t in asked}


def _coverage(rarity: dict[str, float], sentence: AbstractSentence) -> float:
    there = set(terms(f"{sentence.paper.title}. {sentence.text}"))
    return sum(weight for term, weight in rarity.items() if term in there) / sum(rarity.values())
