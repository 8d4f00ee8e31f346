"""Changing a section and answering a question with a language model, from the survey's own papers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np

from engine.checking.judging import SecondAnswer
from engine.citations import cite, list_cited_keys, remove_citations
from engine.errors import LanguageModelError, LimitExceeded, UserError
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill, paper_block
from engine.notes.taking import group_notes, show_sentences
from engine.quoting.abstracts import QuotedPassage
from engine.revising.extractive_answers import answer_by_quotation, list_spoken_of, read_with_last
from engine.revising.extractive_changes import (
    append_section,
    change_by_quotation,
    divide_change,
    paper_named,
    remove_claim,
    replace_section,
    revision_of,
    section_to_change,
    with_sentences,
)
from engine.revising.paper_records import MOST_NAMED, answer_from_records, find_numbered, find_scope
from engine.revising.sentence_ranking import SIGNAL, rank_sentences
from engine.run import Answer, Recipe, RunContext
from engine.survey import Claim, ClaimTally, Section, SectionChange, Survey, walk
from engine.text import all_sentences, fold, sentences
from engine.values import Brief, OutlineNode, Paper, PaperSelection
from engine.writing.drafting import Draft, settle_citations, verify_citations
from engine.writing.model_text import read_prose

ANSWER_PAPERS, ANSWER_SENTENCES, ANSWER_ROWS = 12, 60, 60
"""Papers that are shown whole because a question names them, sentences of others that rank first, and further papers
of which one sentence and the notes are shown: a question may be over all, as “which have flown, and how fast?” is."""

TRANSLATION_ATTEMPTS = 3
_SPECIFIC = re.compile(r"\d|(?<=\S )\w*[A-Z]|^\w+[A-Z]")
"""A figure or a name: what has one is no general knowledge."""

_WISHES = {"expand": "more detail from the papers", "shorten": "the same in fewer words"}


class TranslationAnswer(TypedAnswer):
    """The sentences in another language, in order."""

    sentences: list[str]


class RevisedByModel(Recipe):
    """`revise` and `answer` of every recipe that writes with a language model."""

    async def revise(
        self, brief: Brief, selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
    ) -> Survey:
        """The section changed, or all its parts; what is new is checked."""
        for part in divide_change(survey, change):
            survey = await self.revise_alone(brief, selection, survey, part, context)
        return survey

    async def revise_alone(
        self, brief: Brief, selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
    ) -> Survey:
        """The survey with one section changed that has no parts and what is new in it checked, the rest the same.

        Raises `UserError` where the change cannot be made, `LanguageModelError` where the model's text is no use.
        """
        match change.way:
            case "remove":
                return remove_claim(selection, survey, change)
            case "translate":
                return await _translate_section(selection, survey, change, context.require_model())
            case "cite":
                return await _with_citation(brief, selection, survey, change, context)
            case "rewrite" | "expand" | "shorten" | "paragraph":
                return await _rewrite_section(brief, selection, survey, change, context)

    async def answer(
        self, brief: Brief, question: str, selection: PaperSelection, survey: Survey, context: RunContext
    ) -> Answer:
        """Cited, checked sentences from the gathered papers."""
        return await _answer_with_model(brief, selection, survey, question, context)


class RevisedEitherWay(RevisedByModel):
    """`revise_alone` and `answer` of every recipe that can do without a language model."""

    async def revise_alone(
        self, brief: Brief, selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
    ) -> Survey:
        """The section changed: rewritten and checked, or quoted anew."""
        if context.model:
            return await super().revise_alone(brief, selection, survey, change, context)
        return await asyncio.to_thread(change_by_quotation, selection, survey, change, context.embedder)

    async def answer(
        self, brief: Brief, question: str, selection: PaperSelection, survey: Survey, context: RunContext
    ) -> Answer:
        """Checked sentences, or the papers' own."""
        if context.model:
            return await super().answer(brief, question, selection, survey, context)
        return await asyncio.to_thread(answer_by_quotation, question, selection, survey, context)


async def _rewrite_section(
    brief: Brief, selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
) -> Survey:
    model = context.require_model()
    wanted = await asyncio.to_thread(revision_of, selection, survey, change, context.embedder)
    prompt = fill(
        "common/paragraph" if change.way == "paragraph" else "common/revise",
        topic=data(brief.topic),
        outline="\n".join(f"{number} {data(section.title)}" for number, section in walk(survey.sections)),
        neighbours=_neighbours_of(survey, change.place),
        title=data(wanted.old.title),
        text=data(wanted.old.text),
        wish=data(_WISHES.get(change.way, change.wish)),
        papers=paper_block(wanted.papers),
        words=str(wanted.words),
    )
    step = f"revise/{change.way}/{change.place}"
    request = Request("drafting", step, prompt, max(1_024, wanted.words * 3), 1.0)
    text = await model.text(request)
    draft = await verify_citations(
        model,
        settle_citations(Draft(OutlineNode(wanted.old.title), wanted.papers, read_prose(text))),
        brief.topic,
        selection.list_included(),
    )
    if not list_cited_keys(draft.text):
        await model.forget(request)
        raise LanguageModelError(
            "The new text cited none of the papers, so the section stays as it was.", retryable=True
        )
    left = survey.warnings
    if change.way == "paragraph":
        new = append_section(wanted.old, QuotedPassage(draft.text, draft.claims))
        new = replace(new, tally=(wanted.old.tally or ClaimTally()).plus(draft.tally or ClaimTally()))
    else:  # what was said of the old text is not so of the new
        new = replace(wanted.old, text=draft.text, claims=draft.claims, tally=draft.tally)
        left = tuple(w for w in left if w.place not in {wanted.old.title, change.place} or w.kind == "thin evidence")
    told = replace(survey, warnings=(*left, *draft.warnings))
    return replace_section(selection, told, change.place, new)


def _neighbours_of(survey: Survey, place: str) -> str:
    """The text of the part before a section and of the one after it; what opens a section with parts is none."""
    written = [(n, s.text) for n, s in walk(survey.sections) if s.text and (n == place or not s.sections)]
    at = next((i for i, (number, _) in enumerate(written) if number == place), None)
    if at is None:
        return "(none)"
    before = written[at - 1][1] if at else "(this is the first)"
    after = written[at + 1][1] if at + 1 < len(written) else "(this is the last)"
    return f"Before it:\n{data(before)}\n\nAfter it:\n{data(after)}"


async def _with_citation(
    brief: Brief, selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
) -> Survey:
    """The paper cited after the sentence that it supports, as the check says; no sentence is bent to fit it."""
    paper = paper_named(selection, survey, change.wish)
    section = section_to_change(survey, change.place)
    lines = [line for line in all_sentences(section.text) if paper.key not in list_cited_keys(line)]
    bare = "\n\n".join(f"{_remove_stop(remove_citations(line))} {cite([paper.key])}." for line in lines)
    draft = await verify_citations(
        context.require_model(),
        Draft(OutlineNode(f"cite/{section.title}"), (paper,), bare),
        brief.topic,
        selection.list_included(),
    )
    kept = [claim for claim in draft.claims if claim.ending == "kept" and claim.citations]
    behind = {fold(remove_citations(claim.text)): claim.citations[0] for claim in kept}
    supported = [line for line in lines if fold(remove_citations(line)) in behind]
    if not supported:
        raise UserError(
            f"No sentence of section {change.place} says what “{paper.title[:120]}” says, so it is not cited there. "
            f"`add a paragraph on … to {change.place}` writes about it."
        )
    vectors = context.embedder.embed([f"{paper.title}. {paper.content}", *supported])
    best = supported[int(np.argmax(vectors[1:] @ vectors[0]))]
    cited = f"{_remove_stop(best)} {cite([paper.key])}."
    whole = all_sentences(section.text)
    new = with_sentences(section, [cited if line == best else line for line in whole])
    citation = behind[fold(remove_citations(best))]
    known = [c.text for c in new.claims]
    claims = tuple(replace(c, citations=(*c.citations, citation)) if c.text == cited else c for c in new.claims)
    claims = claims if cited in known else (*claims, Claim(cited, (citation,)))
    return replace_section(selection, survey, change.place, replace(new, claims=claims))


def _remove_stop(sentence: str) -> str:
    return sentence.rstrip().rstrip(".!?")


async def _translate_section(
    selection: PaperSelection, survey: Survey, change: SectionChange, model: LanguageModel
) -> Survey:
    """The section sentence by sentence in another language, every citation at its sentence."""
    section = section_to_change(survey, change.place)
    lines = all_sentences(section.text)
    numbered = "\n".join(f"{i}. {data(line)}" for i, line in enumerate(lines, start=1))
    prompt = fill("common/translate", language=data(change.wish), sentences=numbered)
    first = Request("drafting", f"translate/{change.place}", prompt, max(1_024, len(section.text) // 2), 0.3)
    requests = [replace(first, step=f"{first.step}/{attempt}") for attempt in range(TRANSLATION_ATTEMPTS)]
    for request in requests:
        answer = await model.answer_typed(request, TranslationAnswer)
        given = [" ".join(read_prose(line).split()) for line in answer.sentences]
        if len(given) != len(lines) or not all(given) or not all(map(_same_facts, lines, given)):
            continue
        judged = await _judge_translation(lines, given, replace(request, task="checking"), change.wish, model)
        if judged is not False:
            new = with_sentences(section, given)
            return replace_section(selection, survey, change.place, new if judged else _as_unchecked(new))
    for request in requests:
        await model.forget(request, TranslationAnswer)
    raise LanguageModelError("The translations lost something of what is said; the section stays.", retryable=True)


async def _judge_translation(
    before: Sequence[str], after: Sequence[str], request: Request, language: str, model: LanguageModel
) -> bool | None:
    """Whether each sentence says in the other language what it said; ``None`` where nobody could be asked."""
    pairs = "\n".join(
        f'<pair number="{number}">\nsentence: {data(remove_citations(one))}\n'
        f"translation: {data(remove_citations(other))}\n</pair>"
        for number, (one, other) in enumerate(zip(before, after, strict=True), start=1)
    )
    prompt = fill("common/check_translation", pairs=pairs, language=data(language))
    asked = replace(request, step=f"check/{request.step}", prompt=prompt, temperature=0.0)
    try:
        answer = await model.answer_typed(asked, SecondAnswer)
    except (LanguageModelError, LimitExceeded):
        return None
    said = {judgement.statement: judgement.follows for judgement in answer.judgements}
    return all(said.get(number, False) for number in range(1, len(before) + 1))


def _same_facts(before: str, after: str) -> bool:
    """Whether a translation has the citations of its sentence, the figures in it, and its quotations word for word."""
    figures = [sorted(re.findall(r"\d+", remove_citations(text))) for text in (before, after)]
    quoted = all(words in after for words in _QUOTED.findall(before))
    return sorted(list_cited_keys(before)) == sorted(list_cited_keys(after)) and figures[0] == figures[1] and quoted


_QUOTED = re.compile(r"“[^”]+”")


def _as_unchecked(section: Section) -> Section:
    """The section with claims that nobody checked in the language they are in now; quotations are as they were."""
    claims = tuple(
        claim
        if all(c.verdict == "quoted" and c.quote in claim.text for c in claim.citations)
        else replace(claim, citations=tuple(replace(c, verdict="unchecked") for c in claim.citations), insisted="")
        for claim in section.claims
    )
    unchecked = sum(any(c.verdict == "unchecked" for c in claim.citations) for claim in claims)
    return replace(section, claims=claims, tally=ClaimTally(claims=unchecked, unchecked=unchecked))


async def _answer_with_model(
    brief: Brief, selection: PaperSelection, survey: Survey, question: str, context: RunContext
) -> Answer:
    """What the records say, or sentences checked against their papers, given to ``context.answering`` as they hold.

    A sentence whose citation does not hold is left out; one without a citation is general knowledge, and is left out
    where it has a figure or a name.
    """
    model, papers = context.require_model(), selection.list_included()
    if records := answer_from_records(question, papers, survey, list_spoken_of(question, papers, context.asked)):
        return Answer(question, (), survey, tuple(papers), records)
    chosen, block = await asyncio.to_thread(_choose_evidence, question, papers, survey, context)
    if not chosen:
        return Answer(question, (), survey)
    said = "\n".join(f"Asked before: {data(e.question)}\nAnswered: {data(e.answer or 'NONE')}" for e in context.asked)
    if numbered := find_numbered(question, papers, survey):
        meaning = ", ".join(cite([paper.key]) for paper in numbered.papers) or "no paper of the survey"
        said += f"\nThe number or section in the question below means: {meaning}"
    prompt = fill("common/answer", topic=data(brief.topic), question=data(question), papers=block, before=said)
    request = Request("drafting", "answer", prompt, 1_024, 0.3)
    answer = Answer(question, (), survey, chosen)
    buffer, checks = "", list[asyncio.Task[Claim | _Unchecked | None]]()

    async with asyncio.TaskGroup() as group:
        async for piece in model.stream(request):
            buffer += piece
            for sentence in _whole_sentences(buffer)[len(checks) : -1]:  # the last may still grow
                checks.append(group.create_task(_check_sentence(sentence, chosen, papers, context, brief.topic)))
                answer = await _grown(answer, checks, context)
        for sentence in _whole_sentences(buffer)[len(checks) :]:
            checks.append(group.create_task(_check_sentence(sentence, chosen, papers, context, brief.topic)))
        for check in checks:
            await check
            answer = await _grown(answer, checks, context)
    found = [check.result() for check in checks]
    unchecked = sum(isinstance(claim, _Unchecked) for claim in found)
    if unchecked and not answer.claims:
        await model.forget(request)
        raise LanguageModelError(
            "There is an answer, but the model gave no verdict on whether its papers say so, so it is not shown.",
            retryable=True,
        )
    general = [claim for claim in found if isinstance(claim, Claim) and not claim.citations] if answer.claims else []
    cited = {citation.key for claim in answer.claims for citation in claim.citations}
    named = scope.papers if (scope := find_scope(question, papers, survey)) else ()
    silent = tuple(paper for paper in named if paper.key not in cited) if len(named) <= MOST_NAMED else ()
    return replace(answer, claims=(*answer.claims, *general[:1]), unchecked=unchecked, silent=silent)


def _choose_evidence(
    question: str, papers: Sequence[Paper], survey: Survey, context: RunContext
) -> tuple[tuple[Paper, ...], str]:
    """The papers that a question names or refers to, whole; then the notes of others and their first sentences."""
    scope = find_scope(question, papers, survey)
    meant = scope.papers if scope else list_spoken_of(question, papers, context.asked)
    first = tuple(meant)[:ANSWER_PAPERS]
    ranked = rank_sentences(read_with_last(question, context.asked), papers, context.embedder)
    others = [one for one in ranked if one.paper not in first]
    noted = group_notes(survey.notes)
    further = (one for one in reversed(others[ANSWER_SENTENCES:]) if one.share >= SIGNAL or one.paper.key in noted)
    best = {one.paper: one for one in further}
    near = {one.paper for one in others[:ANSWER_SENTENCES]}
    rows = [one for paper, one in best.items() if paper not in near]
    rows.sort(key=lambda one: -one.score)
    numbers: dict[Paper, list[int]] = {}
    for one in (*others[:ANSWER_SENTENCES], *rows[:ANSWER_ROWS]):
        numbers.setdefault(one.paper, []).append(one.sentence.number)
    shown = [show_sentences(paper, noted.get(paper.key, ()), found) for paper, found in numbers.items()]
    return (*first, *numbers), "\n".join(filter(None, (paper_block(first), *shown)))


def _whole_sentences(text: str) -> list[str]:
    return sentences(read_prose(text).replace("\n\n", " "))


class _Unchecked:
    """A sentence that the check gave no verdict on."""


async def _check_sentence(
    sentence: str, papers: Sequence[Paper], gathered: Sequence[Paper], context: RunContext, topic: str
) -> Claim | _Unchecked | None:
    """The sentence as it holds; without citations it is general knowledge; ``None`` where it does not hold."""
    if sentence.strip(" .") == "NONE":
        return None
    draft = settle_citations(Draft(OutlineNode("answer"), tuple(papers), sentence))
    if not list_cited_keys(draft.text):
        return None if "[" in sentence or _SPECIFIC.search(draft.text) else Claim(draft.text, ())
    draft = await verify_citations(context.require_model(), draft, topic, gathered)
    held = next((c for c in draft.claims if all(cited.verdict == "supported" for cited in c.citations)), None)
    tally = draft.tally or ClaimTally()
    return _Unchecked() if held is None and (tally.unchecked or tally.unanswered) else held


async def _grown(
    answer: Answer, checks: Sequence[asyncio.Task[Claim | _Unchecked | None]], context: RunContext
) -> Answer:
    """The answer with the sentences that are checked so far, in order; whoever waits for it is told of a new one."""
    done = list(takewhile(lambda check: check.done(), checks))
    found = [check.result() for check in done]
    held = tuple(claim for claim in found if isinstance(claim, Claim) and claim.citations)
    grown = replace(answer, claims=held)
    if len(held) > len(answer.claims):
        await context.answering(grown)
    return grown
