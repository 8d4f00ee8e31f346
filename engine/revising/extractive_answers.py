"""Follow-up questions about a finished survey, answered by quotation: the sentences that rank first for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.citations import list_cited_keys
from engine.quoting.attribution import quote_words
from engine.reading.sentence_roles import read_statements
from engine.retrieval.embedding import Embedder
from engine.revising.paper_records import Scope, answer_from_records, find_scope, list_called
from engine.revising.sentence_ranking import ASKING, CLEAR, SIGNAL, RankedSentence, measure_signal, rank_sentences
from engine.run import Answer, RunContext
from engine.session.events import Exchange
from engine.survey import Claim, Survey
from engine.text import fold, strip_quotes, terms
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

_COMPARED = re.compile(r"\b(?:differ\w*|compar\w*|versus|vs)\b", re.I)
_BETWEEN = re.compile(r"\b(?:and|with|to|versus|vs\.?|from|than|or|against|between|of)\b|[,?]", re.I)


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
    """What the records say, or the sentences that rank first, quoted; no claims where the ranking has no signal."""
    papers = tuple(selection.list_included())
    answer = Answer(question, (), survey, papers)
    spoken_of = list_spoken_of(question, papers, context.asked)
    if records := answer_from_records(question, papers, survey, spoken_of):
        return replace(answer, records=records)
    parts = map(_strip_asking, _BETWEEN.split(_COMPARED.sub(" ", question))) if _COMPARED.search(question) else ()
    things = list(filter(None, parts))
    if len(things) > 1:
        return _compare(things, answer, context.embedder)
    if scope := find_scope(question, papers, survey):
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


def quote_ranked(ranked: Sequence[RankedSentence], most_papers: int) -> tuple[Claim, ...]:
    """A claim for each paper of the sentences that score near the best, in their order; a paper's in its own order."""
    found: dict[str, RankedSentence] = {}
    for one in ranked:
        if one.score >= WORTH * ranked[0].score:
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
        return tuple(claim for paper in scope.papers[:most] if (claim := describe(paper, question, context.embedder)))
    for asked, asked_of in ((scope.rest, scope.papers), (question, papers)):
        ranked = rank_sentences(asked, asked_of, context.embedder)
        if measure_signal(ranked) >= SIGNAL:
            return quote_ranked(ranked, most)
    return ()


def describe(paper: Paper, asked: str, embedder: Embedder) -> Claim | None:
    """What a paper is about and what it found: of each the sentence nearest to its title and what is asked."""
    findings = {said.text for said in read_statements(strip_quotes(paper.content)) if said.statement == "finding"}
    ranked = rank_sentences(f"{asked} {paper.title}", (paper,), embedder)
    about = next((one for one in ranked if one.quote not in findings), None)
    found = next((one for one in ranked if one.quote in findings), None)
    chosen = [one for one in (about, found) if one]
    return _quote_paper(chosen) if chosen else None


def _strip_asking(part: str) -> str:
    """The part from its first word that says what is asked for to its last."""
    said = part.strip(" .!").split()
    while said and not list_asked_terms(said[0]):
        said = said[1:]
    while said and not list_asked_terms(said[-1]):
        said = said[:-1]
    return " ".join(said)


def _compare(things: Sequence[str], answer: Answer, embedder: Embedder) -> Answer:
    """Sentences that name all that is compared, then those that name each; what none names is said."""
    ranked = rank_sentences(" ".join(things), answer.papers, embedder)
    said = [(one, set(terms(one.sentence.text))) for one in ranked]
    named = [[one for one, held in said if set(terms(thing)) <= held] for thing in things]
    works = [list_called(thing, answer.papers) for thing in things]
    missing = tuple(thing for thing, own, called in zip(things, named, works, strict=True) if not own and not called)
    both = [one for one in named[0] if all(one in own for own in named[1:])][:MOST_OF_ONE]
    claims = [_quote_paper([one]) for one in both]
    for thing, own, called in zip(things, named, works, strict=True):
        claims += [claim for paper in called if (claim := describe(paper, thing, embedder))]
        claims += [] if called else [_quote_paper([one]) for one in own if one not in both][: MOST_OF_ONE - 1]
    return replace(answer, claims=tuple(dict.fromkeys(claims)), unmentioned=missing, apart=not both and not missing)
