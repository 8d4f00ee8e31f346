"""The first steps of a survey, which its recipes share: keywords, and the papers that they find."""

from __future__ import annotations

from dataclasses import dataclass

from engine.gathering.keywords import Selector
from engine.gathering.search import gather, propose_keywords
from engine.run import Recipe, RunContext
from engine.values import Brief, Keyword, KeywordPool, PaperSelection


@dataclass(frozen=True, slots=True)
class KeywordSearch(Recipe):
    """Base of the recipes that search by keywords; ``selector`` says which keywords expansion adds to the topic."""

    expand_keywords: bool = True
    selector: Selector = "farthest"

    async def keywords(self, brief: Brief, context: RunContext) -> KeywordPool:
        """The topic, with keywords from what it finds (SurveyX, algorithm 1) where it is to be expanded."""
        if not self.expand_keywords:
            return KeywordPool((Keyword(brief.topic, "topic"),))
        return await propose_keywords(brief, context, self.selector)

    async def papers(self, brief: Brief, pool: KeywordPool, limit: int, context: RunContext) -> PaperSelection:
        """What the keywords find, fused and filtered; the baselines search the topic alone."""
        return await gather(brief, pool, limit, context)
