"""Changes and answers with a language model where there is one, else by quotation."""

from __future__ import annotations

import asyncio

from engine.revising.extractive_answers import answer_by_quotation
from engine.revising.extractive_changes import change_by_quotation
from engine.revising.model_changes import RevisedByModel
from engine.run import Answer, RunContext
from engine.survey import SectionChange, Survey
from engine.values import Brief, PaperSelection


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
