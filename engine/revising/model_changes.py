"""Changing a section of a finished survey, with a language model where there is one; what is new is checked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

import numpy as np

from engine.checking.judging import SecondAnswer
from engine.citations import cite, list_cited_keys, remove_citations
from engine.errors import LanguageModelError, UserError
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill, paper_block
from engine.retrieval.embedding import Embedder
from engine.revising.extractive_changes import (
    Revision,
    change_by_quotation,
    divide_change,
    open_revision,
    remove_claim,
    with_sentences,
)
from engine.run import RunContext
from engine.survey import Claim, ClaimTally, Section, SectionChange, Survey, walk
from engine.text import all_sentences, fold
from engine.values import Brief, OutlineNode, PaperSelection
from engine.writing.drafting import Draft, read_draft, verify_citations
from engine.writing.model_text import read_prose

TRANSLATION_ATTEMPTS = 3
STOPS = " .!?"
_QUOTED = re.compile(r"“[^”]+”")
_WISHES = {"expand": "more detail from the papers", "shorten": "the same in fewer words"}


class TranslationAnswer(TypedAnswer):
    """The sentences in another language, in order."""

    sentences: list[str]


async def revise_survey(
    brief: Brief, selection: PaperSelection, survey: Survey, change: SectionChange, context: RunContext
) -> Survey:
    """The survey with a section changed. Raises `UserError`, or `LanguageModelError` where the text is no use."""
    for part in divide_change(survey, change):
        revision = open_revision(selection, survey, part)
        survey = await _change_section(brief.topic, revision, context)
    return survey


async def _change_section(topic: str, revision: Revision, context: RunContext) -> Survey:
    if context.model is None:
        return revision.finish(await asyncio.to_thread(change_by_quotation, revision, context.embedder))
    match revision.change.way:
        case "remove":
            return revision.finish(remove_claim(revision))
        case "translate":
            return revision.finish(await _translate_section(revision, context.model))
        case "cite":
            return revision.finish(await _add_citation(topic, revision, context.model, context.embedder))
        case "rewrite" | "expand" | "shorten" | "paragraph":
            return await _rewrite_section(topic, revision, context.model, context.embedder)
        case _:
            assert_never(revision.change.way)


async def _rewrite_section(topic: str, revision: Revision, model: LanguageModel, embedder: Embedder) -> Survey:
    old, change, survey = revision.old, revision.change, revision.survey
    papers = await asyncio.to_thread(revision.choose_papers, embedder)
    prompt = fill(
        "common/paragraph" if revision.adds else "common/revise",
        topic=data(topic),
        outline="\n".join(f"{number} {data(section.title)}" for number, section in walk(survey.sections)),
        neighbours=_neighbours_of(survey, change.place),
        title=data(old.title),
        text=data(old.text),
        wish=data(_WISHES.get(change.way, change.wish)),
        papers=paper_block(papers),
        words=str(revision.words),
    )
    step = f"revise/{change.way}/{change.place}"
    request = Request("drafting", step, prompt, max(1_024, revision.words * 3), 1.0)
    text = await model.text(request)
    draft = read_draft(text, OutlineNode(old.title), papers)
    draft = await verify_citations(model, draft, topic, revision.papers)
    if not list_cited_keys(draft.text):
        await model.forget(request)
        raise LanguageModelError(
            "The new text cited none of the papers, so the section stays as it was.", retryable=True
        )
    left, tally = survey.warnings, draft.tally or ClaimTally()
    if revision.adds:
        new = replace(revision.extend(draft.text, draft.claims), tally=(old.tally or ClaimTally()).plus(tally))
    else:  # what was said of the old text is not so of the new
        new = replace(old, text=draft.text, claims=draft.claims, tally=tally)
        left = tuple(w for w in left if w.place not in {old.title, change.place} or w.kind == "thin evidence")
    told = replace(survey, warnings=(*left, *draft.warnings))
    return replace(revision, survey=told).finish(new)


def _neighbours_of(survey: Survey, place: str) -> str:
    """The text of the part before a section and of the one after it; what opens a section with parts is none."""
    written = [(n, s.text) for n, s in walk(survey.sections) if s.text and (n == place or not s.sections)]
    at = next((i for i, (number, _) in enumerate(written) if number == place), None)
    if at is None:
        return "(none)"
    before = written[at - 1][1] if at else "(this is the first)"
    after = written[at + 1][1] if at + 1 < len(written) else "(this is the last)"
    return f"Before it:\n{data(before)}\n\nAfter it:\n{data(after)}"


async def _add_citation(topic: str, revision: Revision, model: LanguageModel, embedder: Embedder) -> Section:
    """The paper cited after the sentence that it supports, as the check says; no sentence is bent to fit it."""
    section, place, paper = revision.old, revision.change.place, revision.find_paper()
    lines = [line for line in all_sentences(section.text) if paper.key not in list_cited_keys(line)]
    bare = "\n\n".join(f"{remove_citations(line).rstrip(STOPS)} {cite([paper.key])}." for line in lines)
    draft = Draft(OutlineNode(f"cite/{section.title}"), (paper,), bare)
    draft = await verify_citations(model, draft, topic, revision.papers)
    kept = [claim for claim in draft.claims if claim.ending == "kept" and claim.citations]
    behind = {fold(remove_citations(claim.text)): claim.citations[0] for claim in kept}
    supported = [line for line in lines if fold(remove_citations(line)) in behind]
    if not supported:
        raise UserError(
            f"No sentence of section {place} says what “{paper.title[:120]}” says, so it is not cited there. "
            f"`add a paragraph on … to {place}` writes about it."
        )
    vectors = embedder.embed([f"{paper.title}. {paper.content}", *supported])
    best = supported[int(np.argmax(vectors[1:] @ vectors[0]))]
    cited, citation = f"{best.rstrip(STOPS)} {cite([paper.key])}.", behind[fold(remove_citations(best))]
    new = with_sentences(section, [cited if line == best else line for line in all_sentences(section.text)])
    claims = tuple(replace(c, citations=(*c.citations, citation)) if c.text == cited else c for c in new.claims)
    return replace(new, claims=(*claims, Claim(cited, (citation,))) if claims == new.claims else claims)


async def _translate_section(revision: Revision, model: LanguageModel) -> Section:
    """The section sentence by sentence in another language, every citation at its sentence."""
    section, change = revision.old, revision.change
    lines = all_sentences(section.text)
    numbered = "\n".join(f"{i}. {data(line)}" for i, line in enumerate(lines, start=1))
    prompt = fill("common/translate", language=data(change.wish), sentences=numbered)
    first = Request("drafting", f"translate/{change.place}", prompt, max(1_024, len(section.text) // 2), 0.3)
    requests = [replace(first, step=f"{first.step}/{attempt}") for attempt in range(TRANSLATION_ATTEMPTS)]
    for request in requests:
        answer = await model.answer_typed(request, TranslationAnswer)
        given = [" ".join(read_prose(line).split()) for line in answer.sentences]
        is_whole = len(given) == len(lines) and all(given) and all(map(_has_same_facts, lines, given))
        if is_whole and await _says_the_same(lines, given, request, change.wish, model):
            return with_sentences(section, given)
    for request in requests:
        await model.forget(request, TranslationAnswer)
    raise LanguageModelError("The translations lost something of what is said; the section stays.", retryable=True)


async def _says_the_same(
    before: Sequence[str], after: Sequence[str], request: Request, language: str, model: LanguageModel
) -> bool:
    """Whether each sentence says in the other language what it said, by a second call."""
    pairs = "\n".join(
        f'<pair number="{number}">\nsentence: {data(remove_citations(one))}\n'
        f"translation: {data(remove_citations(other))}\n</pair>"
        for number, (one, other) in enumerate(zip(before, after, strict=True), start=1)
    )
    prompt = fill("common/check_translation", pairs=pairs, language=data(language))
    asked = replace(request, task="checking", step=f"check/{request.step}", prompt=prompt, temperature=0.0)
    answer = await model.answer_typed(asked, SecondAnswer)
    said = {judgement.statement: judgement.follows for judgement in answer.judgements}
    return all(said.get(number, False) for number in range(1, len(before) + 1))


def _has_same_facts(before: str, after: str) -> bool:
    """Whether a translation has the citations of its sentence, the figures in it, and its quotations word for word."""
    figures = [sorted(re.findall(r"\d+", remove_citations(text))) for text in (before, after)]
    quoted = all(words in after for words in _QUOTED.findall(before))
    return sorted(list_cited_keys(before)) == sorted(list_cited_keys(after)) and figures[0] == figures[1] and quoted
