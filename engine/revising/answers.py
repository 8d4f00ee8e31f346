"""Answers to questions about a survey from its papers, with a language model where there is one; further papers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, takewhile
from typing import Literal

from engine.citations import cite, list_cited_keys
from engine.errors import LanguageModelError, RetrievalError
from engine.llm.model import LanguageModel, Request
from engine.llm.prompting import data, fill, paper_block
from engine.notes.taking import group_notes, show_sentences
from engine.retrieval.libraries.combined import complete_records
from engine.retrieval.merging.merged_papers import MergedPapers
from engine.revising.paper_records import MOST_NAMED, Scope, answer_count, find_scope, tell_records
from engine.revising.sentence_ranking import (
    CLEAR,
    SIGNAL,
    RankedSentence,
    list_asked_terms,
    measure_signal,
    quote_ranked,
    rank_sentences,
)
from engine.run import Answer, RunContext
from engine.session.events import Exchange
from engine.survey import Claim, ClaimTally, Survey
from engine.text import sentences
from engine.values import Brief, FoundPaper, OutlineNode, Paper, PaperSelection, Query
from engine.writing.drafting import Draft, settle_citations, verify_citations
from engine.writing.model_text import read_prose

ANSWER_PAPERS, ANSWER_SENTENCES, ANSWER_ROWS = 12, 60, 60
"""Papers that a question names, shown whole; sentences of others that rank first; papers shown by one sentence."""

_SPECIFIC = re.compile(r"\d|(?<=\S )\w*[A-Z]|^\w+[A-Z]")
"""A figure or a name: what has one is no general knowledge."""


_REFERRING = re.compile(
    r"\b(?:them|these|those|they|it|its|their|this|ones?|the (?:first|second|third|last|former|latter|others?))\b|"
    r"^(?:and )?(?:why|how so)\W*$",
    re.I,
)
SELF_CONTAINED = 3
"""Words that ask for something from which a question is understood without the one before it."""

Checked = Claim | Literal["unchecked"] | None
"""A sentence as it holds (general knowledge where it cites nothing); no verdict on it; ``None``: it does not hold."""


async def answer_question(
    brief: Brief, question: str, selection: PaperSelection, survey: Survey, context: RunContext
) -> Answer:
    """Sentences checked against their papers, given to ``context.answering`` as they hold; records of what is named.

    One sentence may be general knowledge, without a figure or a name. Without a language model papers are quoted.
    """
    papers = selection.list_included()
    if counted := answer_count(question, papers):
        return Answer(question, (), survey, papers, counted, counts=True)
    scope = find_scope(question, papers, survey)
    meant = scope.papers if scope else list_spoken_of(question, papers, context.asked)
    answer = Answer(question, (), survey, papers, tell_records(meant))
    if (model := context.model) is None:
        return await asyncio.to_thread(_answer_by_quotation, answer, scope, meant, context)
    chosen, block = await asyncio.to_thread(_choose_evidence, question, meant, papers, survey, context)
    answer = replace(answer, papers=tuple(dict.fromkeys((*chosen, *papers))))
    if not chosen:
        return answer
    said = "\n".join(f"Asked before: {data(e.question)}\nAnswered: {data(e.answer or 'NONE')}" for e in context.asked)
    if scope:
        named = ", ".join(cite([paper.key]) for paper in scope.papers) or "no paper of the survey"
        said += f"\nWhat the question below names means: {named}"
    prompt = fill("common/answer", topic=data(brief.topic), question=data(question), papers=block, before=said)
    request = Request("drafting", "answer", prompt, 1_024, 0.3)
    checks: list[asyncio.Task[Checked]] = []
    async with asyncio.TaskGroup() as group:
        async for sentence in _stream_sentences(model, request):
            checks.append(group.create_task(_check_sentence(sentence, chosen, papers, context, brief.topic)))
            answer = await _show_checked(answer, checks, context)
        for check in checks:
            await check
            answer = await _show_checked(answer, checks, context)
    found = [check.result() for check in checks]
    unchecked = found.count("unchecked")
    if unchecked and not answer.claims:
        await model.forget(request)
        raise LanguageModelError(
            "There is an answer, but the model gave no verdict on whether its papers say so, so it is not shown.",
            retryable=True,
        )
    general = [claim for claim in found if isinstance(claim, Claim) and not claim.citations] if answer.claims else []
    cited = {citation.key for claim in answer.claims for citation in claim.citations}
    silent = tuple(paper for paper in meant if paper.key not in cited) if scope and len(meant) <= MOST_NAMED else ()
    return replace(answer, claims=(*answer.claims, *general[:1]), unchecked=unchecked, silent=silent)


def _choose_evidence(
    question: str, meant: Sequence[Paper], papers: Sequence[Paper], survey: Survey, context: RunContext
) -> tuple[tuple[Paper, ...], str]:
    """The papers that a question means, whole; then the notes of others and their first sentences."""
    first = tuple(meant)[:ANSWER_PAPERS]
    ranked = rank_sentences(read_with_last(question, context.asked), papers, context.embedder)
    others = [one for one in ranked if one.paper not in first]
    noted = group_notes(survey.notes)
    shown = others[:ANSWER_SENTENCES]
    near = {one.paper for one in shown}
    further: dict[Paper, RankedSentence] = {}
    for one in others[ANSWER_SENTENCES:]:
        if one.paper not in near and (one.share >= SIGNAL or one.paper.key in noted):
            further.setdefault(one.paper, one)
    numbers: dict[Paper, list[int]] = {}
    for one in (*shown, *islice(further.values(), ANSWER_ROWS)):
        numbers.setdefault(one.paper, []).append(one.sentence.number)
    lines = [show_sentences(paper, noted.get(paper.key, ()), found) for paper, found in numbers.items()]
    return (*first, *numbers), "\n".join(filter(None, (paper_block(first), *lines)))


async def _stream_sentences(model: LanguageModel, request: Request) -> AsyncIterator[str]:
    """The sentences of a model's answer, each as soon as it is whole."""
    text, told = "", 0
    async for piece in model.stream(request):
        text += piece
        for sentence in _divide_prose(text)[told:-1]:  # the last may still grow
            told += 1
            yield sentence
    for sentence in _divide_prose(text)[told:]:
        yield sentence


def _divide_prose(text: str) -> list[str]:
    return sentences(read_prose(text).replace("\n\n", " "))


async def _check_sentence(
    sentence: str, papers: Sequence[Paper], gathered: Sequence[Paper], context: RunContext, topic: str
) -> Checked:
    if sentence.strip(" .") == "NONE":
        return None
    draft = settle_citations(Draft(OutlineNode("answer"), tuple(papers), sentence))
    if not list_cited_keys(draft.text):
        return None if "[" in sentence or _SPECIFIC.search(draft.text) else Claim(draft.text, ())
    draft = await verify_citations(context.require_model(), draft, topic, gathered)
    held = next((c for c in draft.claims if all(cited.verdict == "supported" for cited in c.citations)), None)
    tally = draft.tally or ClaimTally()
    return "unchecked" if held is None and (tally.unchecked or tally.unanswered) else held


async def _show_checked(answer: Answer, checks: Sequence[asyncio.Task[Checked]], context: RunContext) -> Answer:
    """The answer with the sentences that are checked so far, in order; whoever waits for it is told of a new one."""
    found = [check.result() for check in takewhile(lambda check: check.done(), checks)]
    grown = replace(answer, claims=tuple(one for one in found if isinstance(one, Claim) and one.citations))
    if len(grown.claims) > len(answer.claims):
        await context.answering(grown)
    return grown


def list_referred(question: str, asked: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges that a question refers to by a pronoun: the last, and those before it that found nothing."""
    if not asked or not _REFERRING.search(question) or len(list_asked_terms(question)) >= SELF_CONTAINED:
        return ()
    *before, last = asked
    return (*(() if last.answer else list_referred(last.question, before)), last)


def read_with_last(question: str, asked: Sequence[Exchange]) -> str:
    """The question, with those before it where it refers to what was said: "which of them are fast?"."""
    return " ".join([*(exchange.question for exchange in list_referred(question, asked)), question])


def _answer_by_quotation(answer: Answer, scope: Scope | None, meant: Sequence[Paper], context: RunContext) -> Answer:
    """The sentences that rank first, quoted, and the records of what is named; no claims where there is no signal."""
    question, embedder, most = answer.question, context.embedder, context.limits.answer_papers
    if scope and not list_asked_terms(scope.rest):  # it asks what they are about
        about = [rank_sentences(f"{question} {paper.title}", (paper,), embedder) for paper in meant[:most]]
        return replace(answer, claims=tuple(claim for ranked in about for claim in quote_ranked(ranked, 1)))
    asked = read_with_last(question, context.asked)
    for said, of in ((scope.rest if scope else asked, meant), (asked, answer.papers)):
        ranked = rank_sentences(said, of, embedder)
        if (signal := measure_signal(ranked)) >= SIGNAL:
            return replace(answer, claims=quote_ranked(ranked, most), faint=signal < CLEAR)
    return answer


def list_spoken_of(question: str, papers: Sequence[Paper], asked: Sequence[Exchange]) -> tuple[Paper, ...]:
    """The papers of the answers that a question refers to; none where it refers to nothing."""
    keys = [key for exchange in list_referred(question, asked) for key in list_cited_keys(exchange.answer)]
    return tuple(paper for paper in papers if paper.key in keys)


FURTHER_PAPERS = 40
"""Papers that are searched for one question, from the library and from online sources each."""


async def search_question(
    question: str, brief: Brief, selection: PaperSelection, context: RunContext
) -> tuple[PaperSelection, int]:
    """The papers with those that a search for the question finds, and how many are new; what was left out stays out."""
    found = [item.paper for item in await context.library.search(Query(question, FURTHER_PAPERS))]
    if context.online:
        with suppress(RetrievalError):
            online = (await context.online.search(question, FURTHER_PAPERS, brief.years)).papers
            found += await complete_records(online, context.library)
    known = MergedPapers()
    keys = {known.add(item.paper) for item in selection.found}
    for paper in found:
        known.add(paper)
    new = [paper for key, paper in known.papers.items() if key not in keys and paper.content]
    before = tuple(replace(item, paper=known.papers[known.key_of(item.paper.key)]) for item in selection.found)
    return replace(selection, found=(*before, *(FoundPaper(paper, 0.0) for paper in new))), len(new)
