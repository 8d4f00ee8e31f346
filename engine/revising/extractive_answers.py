"""Follow-up questions about a finished survey, answered by quotation: the sentences that rank first for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.citations import list_cited_keys
from engine.quoting.attribution import quote_words
from engine.revising.paper_records import Scope, find_scope, tell_records
from engine.revising.sentence_ranking import ASKING, CLEAR, SIGNAL, RankedSentence, measure_signal, rank_sentences
from engine.run import Answer, RunContext
from engine.session.events import Exchange
from engine.survey import Claim, Survey
from engine.text import fold, terms
from engine.values import Paper, PaperKey, PaperSelection

WORTH, WORTH_BESIDE = 0.6, 0.8
"""Shares of the best sentence's score from which another paper's is quoted too, and a second one of the same paper.

Set by reading the answers to 40 questions about two surveys (November 2026).
"""

MOST_OF_ONE = 3
"""Sentences that are quoted of one paper where it alone is asked of; of one among several, one fewer."""

_REFERRING = re.compile(
    r"\b(?:them|these|those|they|it|its|their|this|ones?|the (?:first|second|third|last|former|latter|others?))\b|"
    r"^(?:and )?(?:why|how so)\W*$",
    re.I,
)
SELF_CONTAINED = 3
"""Words that ask for something from which a question is understood without the one before it."""


def list_asked_terms(question: str) -> list[str]:
    """The terms that say what a question asks for."""
    return [term for term in terms(question) if term not in ASKING]


def list_referred(question: str, asked: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges that a question refers to by a pronoun: the last, and those before it that found nothing."""
    if not asked or not _REFERRING.search(question) or len(list_asked_terms(question)) >= SELF_CONTAINED:
        return ()
    *before, last = asked
    return (*(() if last.answer else list_referred(last.question, before)), last)


def read_with_last(question: str, asked: Sequence[Exchange]) -> str:
    """The question, with those before it where it refers to what was said: "which of them are fast?"."""
    return " ".join([*(exchange.question for exchange in list_referred(question, asked)), question])


def answer_by_quotation(question: str, selection: PaperSelection, survey: Survey, context: RunContext) -> Answer:
    """The sentences that rank first, quoted, and the records of what is named; no claims where there is no signal."""
    papers = tuple(selection.list_included())
    spoken_of = list_spoken_of(question, papers, context.asked)
    scope = find_scope(question, papers, survey)
    answer = Answer(question, (), survey, papers, tell_records(scope.papers if scope else spoken_of))
    if scope:
        return replace(answer, claims=_answer_of_scope(question, scope, papers, context))
    most = context.limits.answer_papers
    for asked_of in filter(None, (spoken_of, papers)):
        ranked = rank_sentences(read_with_last(question, context.asked), asked_of, context.embedder)
        if (signal := measure_signal(ranked)) >= SIGNAL:
            return replace(answer, claims=quote_ranked(ranked, most), faint=signal < CLEAR)
    return answer


def list_spoken_of(question: str, papers: Sequence[Paper], asked: Sequence[Exchange]) -> tuple[Paper, ...]:
    """The papers of the answers that a question refers to; none where it refers to nothing."""
    keys = [key for exchange in list_referred(question, asked) for key in list_cited_keys(exchange.answer)]
    return tuple(paper for paper in papers if paper.key in keys)


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


def _answer_of_scope(question: str, scope: Scope, papers: Sequence[Paper], context: RunContext) -> tuple[Claim, ...]:
    """What the papers that are named say of what is asked, or else what they are about; then what others say."""
    most = context.limits.answer_papers
    if not list_asked_terms(scope.rest):
        about = [rank_sentences(f"{question} {p.title}", (p,), context.embedder) for p in scope.papers[:most]]
        return tuple(claim for ranked in about for claim in quote_ranked(ranked, 1))
    for asked, asked_of in ((scope.rest, scope.papers), (question, papers)):
        ranked = rank_sentences(asked, asked_of, context.embedder)
        if measure_signal(ranked) >= SIGNAL:
            return quote_ranked(ranked, most)
    return ()
