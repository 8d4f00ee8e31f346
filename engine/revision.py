"""Changing a section and answering a question with a language model, from the survey's own papers."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np

from engine.citations import cited_keys
from engine.discussion import revised, revision_of
from engine.drafting import ABSTRACT_TOKENS, Draft, plain, settled, verified
from engine.errors import LanguageModelError
from engine.llm.model import Request
from engine.prompting import data, fill, paper_block
from engine.retrieval.embedding import embed_papers
from engine.run import Answer, RunContext
from engine.values import Brief, OutlineNode, PaperSelection, Survey

ANSWER_PAPERS = 12


async def rewritten(
    brief: Brief, selection: PaperSelection, survey: Survey, place: str, wish: str, context: RunContext
) -> Survey:
    """The survey with the section at ``place`` changed as wished and checked, the rest the same."""
    model = context.needed_model()
    change = await asyncio.to_thread(revision_of, selection, survey, place, wish, context.embedder)
    prompt = fill(
        "autosurvey/revise",
        topic=data(brief.topic),
        title=data(change.old.title),
        text=data(change.old.text),
        wish="more detail from the papers" if wish == "expand" else data(wish),
        papers=paper_block(change.papers, ABSTRACT_TOKENS),
        words=str(change.words),
    )
    text = await model.text(Request("drafting", f"revise/{place}", prompt, max(1_024, change.words * 3), 1.0))
    draft = await verified(model, settled(Draft(OutlineNode(change.old.title), change.papers, plain(text))))
    if not cited_keys(draft.text):
        raise LanguageModelError(
            "The new text cited none of the papers, so the section stays as it was.", retryable=True
        )
    told = replace(survey, warnings=(*survey.warnings, *draft.warnings))
    return revised(selection, told, place, replace(change.old, text=draft.text, claims=draft.claims))


async def answered_by_model(
    brief: Brief, selection: PaperSelection, survey: Survey, question: str, context: RunContext
) -> Answer:
    """Cited sentences that were checked against their papers; what did not hold is left out."""
    model = context.needed_model()
    papers = selection.included()
    bodies = await asyncio.to_thread(embed_papers, context.embedder, papers)
    closeness = bodies @ context.embedder.embed([question])[0]
    chosen = [papers[int(i)] for i in np.argsort(-closeness, kind="stable")[:ANSWER_PAPERS] if closeness[i] > 0]
    if not chosen:
        return Answer(question, (), survey)
    block = paper_block(chosen, ABSTRACT_TOKENS)
    prompt = fill("autosurvey/answer", topic=data(brief.topic), question=data(question), papers=block)
    text = await model.text(Request("drafting", "answer", prompt, 1_024, 0.3))
    draft = await verified(model, settled(Draft(OutlineNode("answer"), tuple(chosen), plain(text))))
    held = (claim for claim in draft.claims if all(c.verdict == "supported" for c in claim.citations))
    return Answer(question, tuple(held), survey)
