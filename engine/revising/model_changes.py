"""Changing a section and answering a question with a language model, from the survey's own papers."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np

from engine.citations import cite, list_cited_keys
from engine.errors import LanguageModelError, UserError
from engine.llm.model import LanguageModel, Request
from engine.llm.model import TypedAnswer as TypedAnswer
from engine.llm.prompting import data, fill, paper_block
from engine.retrieval.embedding import embed_papers, nearest
from engine.revising.extractive_changes import (
    append_section,
    list_uncited_sentences,
    paper_named,
    replace_section,
    revision_of,
    section_to_change,
    with_sentences,
    without_claim,
)
from engine.run import Answer, RunContext
from engine.survey import Citation, Claim, SectionChange, Survey
from engine.text import all_sentences, sentences, split_sentences
from engine.values import Brief, OutlineNode, Paper, PaperSelection
from engine.writing.drafting import Draft, settle_citations, verify_citations
from engine.writing.extractive import QuotedPassage
from engine.writing.model_text import read_prose

ANSWER_PAPERS = 12
TRANSLATION_ATTEMPTS = 3
_WISHES = {"expand": "more detail from the papers", "shorten": "the same in fewer words"}


class TranslationAnswer(TypedAnswer):
    """The sentences in another language, in order."""

    sentences: list[str]


class RevisedByModel:
    """`revise` and `answer` of every recipe that writes with a language model."""

    async def revise(
        self, brief: Brief, selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
    ) -> Survey:
        """The section changed, what is new in it checked."""
        return await _change_section(brief, selection, survey, change, context)

    async def answer(
        self, brief: Brief, question: str, selection: PaperSelection, survey: Survey, context: RunContext
    ) -> Answer:
        """Cited, checked sentences from the gathered papers."""
        return await _answer_with_model(brief, selection, survey, question, context)


async def _change_section(
    brief: Brief, selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
) -> Survey:
    """The survey with one section changed and what is new in it checked, the rest the same.

    Raises `UserError` where the change cannot be made, `LanguageModelError` where the model's text is no use.
    """
    match change.way:
        case "remove":
            return without_claim(selection, survey, change)
        case "translate":
            return await _translate_section(selection, survey, change, context.require_model())
        case "cite":
            return await _with_citation(selection, survey, change, context)
        case "rewrite" | "expand" | "shorten" | "paragraph":
            return await _rewrite_section(brief, selection, survey, change, context)


async def _rewrite_section(
    brief: Brief, selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
) -> Survey:
    model = context.require_model()
    wanted = await asyncio.to_thread(revision_of, selection, survey, change, context.embedder)
    prompt = fill(
        "common/paragraph" if change.way == "paragraph" else "common/revise",
        topic=data(brief.topic),
        title=data(wanted.old.title),
        text=data(wanted.old.text),
        wish=data(_WISHES.get(change.way, change.wish)),
        papers=paper_block(wanted.papers),
        words=str(wanted.words),
    )
    step = f"revise/{change.way}/{change.place}"
    text = await model.text(Request("drafting", step, prompt, max(1_024, wanted.words * 3), 1.0))
    draft = await verify_citations(
        model, settle_citations(Draft(OutlineNode(wanted.old.title), wanted.papers, read_prose(text)))
    )
    if not list_cited_keys(draft.text):
        raise LanguageModelError(
            "The new text cited none of the papers, so the section stays as it was.", retryable=True
        )
    if change.way == "paragraph":
        new = append_section(wanted.old, QuotedPassage(draft.text, draft.claims))
    else:
        new = replace(wanted.old, text=draft.text, claims=draft.claims)
    told = replace(survey, warnings=(*survey.warnings, *draft.warnings))
    return replace_section(selection, told, change.place, new)


async def _with_citation(
    selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
) -> Survey:
    """The paper cited after the sentence that it supports, as the check says; no sentence is bent to fit it."""
    paper = paper_named(selection, survey, change.wish)
    section = section_to_change(survey, change.place)
    lines = list_uncited_sentences(section, paper)
    bare = "\n\n".join(f"{_without_stop(line)} {cite([paper.key])}." for line in lines)
    draft = await verify_citations(context.require_model(), Draft(OutlineNode(f"cite/{section.title}"), (paper,), bare))
    supported = [
        i for i, block in enumerate(split_sentences(draft.text)) if paper.key in list_cited_keys(" ".join(block))
    ]
    if not supported:
        raise UserError(
            f"No sentence of section {change.place} says what “{paper.title[:120]}” says, so it is not cited there. "
            f"`add a paragraph on … to {change.place}` writes about it."
        )
    vectors = context.embedder.embed([f"{paper.title}. {paper.content}", *(lines[i] for i in supported)])
    best = lines[supported[int(np.argmax(vectors[1:] @ vectors[0]))]]
    cited = f"{_without_stop(best)} {cite([paper.key])}."
    whole = all_sentences(section.text)
    new = with_sentences(section, [cited if line == best else line for line in whole])
    citation = Citation(paper.key, _quote(draft, cited), "supported")
    known = [c.text for c in new.claims]
    claims = tuple(replace(c, citations=(*c.citations, citation)) if c.text == cited else c for c in new.claims)
    claims = claims if cited in known else (*claims, Claim(cited, (citation,)))
    return replace_section(selection, survey, change.place, replace(new, claims=claims))


def _without_stop(sentence: str) -> str:
    return sentence.rstrip().rstrip(".!?")


def _quote(draft: Draft, cited: str) -> str:
    """The words of the paper that the check named for the sentence."""
    return next((c.citations[0].quote for c in draft.claims if c.text == cited), "")


async def _translate_section(
    selection: PaperSelection, survey: Survey, change: SectionChange, model: LanguageModel
) -> Survey:
    """The section sentence by sentence in another language, every citation at its sentence."""
    section = section_to_change(survey, change.place)
    lines = all_sentences(section.text)
    numbered = "\n".join(f"{i}. {data(line)}" for i, line in enumerate(lines, start=1))
    prompt = fill("common/translate", language=data(change.wish), sentences=numbered)
    for attempt in range(TRANSLATION_ATTEMPTS):
        step = f"translate/{change.place}/{attempt}"
        request = Request("drafting", step, prompt, max(1_024, len(section.text) // 2), 0.3)
        answer = await model.answer_typed(request, TranslationAnswer)
        given = [" ".join(read_prose(line).split()) for line in answer.sentences]
        kept = len(given) == len(lines) and all(map(_same_citations, lines, given))
        if kept and all(given):
            return replace_section(selection, survey, change.place, with_sentences(section, given))
    raise LanguageModelError("The translations lost sentences or citations; the section stays.", retryable=True)


def _same_citations(before: str, after: str) -> bool:
    return sorted(list_cited_keys(before)) == sorted(list_cited_keys(after))


async def _answer_with_model(
    brief: Brief, selection: PaperSelection, survey: Survey, question: str, context: RunContext
) -> Answer:
    """Sentences checked against their papers, given to ``context.answering`` one by one as they hold.

    A sentence whose citation does not hold is left out; one without a citation is general knowledge.
    """
    model = context.require_model()
    papers = selection.included()
    bodies = await asyncio.to_thread(embed_papers, context.embedder, papers)
    chosen = nearest(papers, bodies, context.embedder.embed([question])[0], ANSWER_PAPERS)
    if not chosen:
        return Answer(question, (), survey)
    block = paper_block(chosen)
    prompt = fill("common/answer", topic=data(brief.topic), question=data(question), papers=block)
    request = Request("drafting", "answer", prompt, 1_024, 0.3)
    answer = Answer(question, (), survey, tuple(chosen))
    buffer, done = "", 0
    async for piece in model.stream(request):
        buffer += piece
        whole = sentences(read_prose(buffer).replace("\n\n", " "))[:-1]  # the last may still grow
        for sentence in whole[done:]:
            answer = await _with_sentence(answer, sentence, chosen, context)
        done = max(done, len(whole))
    for sentence in sentences(read_prose(buffer).replace("\n\n", " "))[done:]:
        answer = await _with_sentence(answer, sentence, chosen, context)
    cited = any(claim.citations for claim in answer.claims)
    return answer if cited else Answer(question, (), survey)


async def _with_sentence(answer: Answer, sentence: str, papers: list[Paper], context: RunContext) -> Answer:
    """The answer with one more sentence if it holds, and whoever waits for it told."""
    if sentence.strip(" .") == "NONE":
        return answer
    meant = bool(list_cited_keys(sentence)) or "[" in sentence
    draft = settle_citations(Draft(OutlineNode("answer"), tuple(papers), sentence))
    draft = await verify_citations(context.require_model(), draft) if list_cited_keys(draft.text) else draft
    held = [claim for claim in draft.claims if all(c.verdict == "supported" for c in claim.citations)]
    claims = tuple(held) if meant else (Claim(draft.text, ()),)
    grown = replace(answer, claims=(*answer.claims, *claims))
    if claims:
        await context.answering(grown)
    return grown
