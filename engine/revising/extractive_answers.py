"""Follow-up questions about a finished survey, answered by quotation from its own papers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.run import Answer, RunContext
from engine.session.exchanges import Exchange
from engine.survey import Survey
from engine.text import terms
from engine.values import PaperSelection
from engine.writing.extractive import quotable, quote_sentences
from engine.writing.speaking_sentences import find_speaking

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
    best = find_speaking(wanted, asked, candidates, context.embedder)
    claims = tuple(quote_sentences([s]) for s in best[: context.limits.answer_papers])
    return Answer(question, claims, survey, selection.included())
