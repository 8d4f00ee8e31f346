"""Changing a section and answering a question with a language model, from the survey's own papers."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np

from engine.citations import cited_keys, with_references
from engine.discussion import around, leaf_at, with_section
from engine.drafting import ABSTRACT_TOKENS, Draft, plain, settled, verified
from engine.errors import LanguageModelError
from engine.llm.model import Request
from engine.prompting import data, fill, paper_block
from engine.run import Answer, RunContext
from engine.values import Brief, OutlineNode, PaperSelection, Survey

ANSWER_PAPERS = 12


async def rewritten(
    brief: Brief, selection: PaperSelection, survey: Survey, place: str, wish: str, context: RunContext
) -> Survey:
    """The survey with the section at ``place`` changed as wished and checked, the rest the same."""
    model = context.needed_model()
    old = leaf_at(survey, place)
    papers = selection.included()
    wanted = old.title if wish == "expand" else wish
    chosen = await asyncio.to_thread(around, old, wanted, papers, context.embedder)
    size = max(80, len(old.text.split()))
    words = round(size * 1.5) if wish == "expand" else size
    prompt = fill(
        "autosurvey/revise",
        topic=data(brief.topic),
        title=data(old.title),
        text=data(old.text),
        wish="more detail from the papers" if wish == "expand" else data(wish),
        papers=paper_block(chosen, ABSTRACT_TOKENS),
        words=str(words),
    )
    text = await model.text(Request("drafting", f"revise/{place}", prompt, max(1_024, words * 3), 1.0))
    draft = await verified(model, settled(Draft(OutlineNode(old.title), tuple(chosen), plain(text))))
    if not cited_keys(draft.text):
        raise LanguageModelError(
            "The new text cited none of the papers, so the section stays as it was.", retryable=True
        )
    new = replace(old, text=draft.text, claims=draft.claims)
    sections = with_section(survey.sections, [int(part) for part in place.split(".")], new)
    changed = replace(survey, sections=sections, warnings=(*survey.warnings, *draft.warnings))
    return with_references(changed, {p.key: p for p in papers})


async def answered_by_model(
    brief: Brief, selection: PaperSelection, survey: Survey, question: str, context: RunContext
) -> Answer:
    """Cited sentences that were checked against their papers; what did not hold is left out."""
    model = context.needed_model()
    papers = selection.included()
    texts = [question, *(p.abstract or p.title for p in papers)]
    vectors = await asyncio.to_thread(context.embedder.embed, texts)
    closeness = vectors[1:] @ vectors[0]
    chosen = [papers[int(i)] for i in np.argsort(-closeness, kind="stable")[:ANSWER_PAPERS] if closeness[i] > 0]
    if not chosen:
        return Answer(question, (), survey)
    block = paper_block(chosen, ABSTRACT_TOKENS)
    prompt = fill("autosurvey/answer", topic=data(brief.topic), question=data(question), papers=block)
    text = await model.text(Request("drafting", "answer", prompt, 1_024, 0.3))
    draft = await verified(model, settled(Draft(OutlineNode("answer"), tuple(chosen), plain(text))))
    held = (claim for claim in draft.claims if all(c.verdict == "supported" for c in claim.citations))
    return Answer(question, tuple(held), survey)
