"""From a topic to keywords, and from keywords to the papers of a survey: search each, fuse, rank, divide into tiers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import NoPapers, RetrievalError, UserError
from engine.gathering.candidates import CandidatePool
from engine.gathering.keywords import SELECTORS, Selector, expand_keywords
from engine.gathering.relevance import JUDGED_SPARE, judge_tiers
from engine.gathering.tiers import CORE, NEAR, has_signal, measure_words, relate_papers
from engine.retrieval.embedding import Embedder, embed_papers, ready
from engine.retrieval.libraries.combined import leaves_out
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.ranking import SEEDS
from engine.retrieval.topic_words import Scores, read_topic
from engine.run import Progress, RunContext
from engine.text import list_words, shorten
from engine.values import Brief, FoundPaper, Keyword, KeywordPool, Paper, PaperSelection, Query

LEAST_EVIDENCE = 2
"""Fewest papers with an abstract or a summary that a survey is written from."""

TOPIC_CHARACTERS = 80
NEAREST = 3

TOPIC_FIRST = 0.4
"""A paper's place in the ranking is divided by e to the power of so much of what relates it to the topic. Recall on
`../shared` at 100, 300 and 1200 (November 2026): broad topics .256, .461, .749, narrow ones .902, .950, .970, medical
ones .152, .447, .838, titles .120, .336, .781."""


async def propose_keywords(brief: Brief, context: RunContext, selector: Selector = "farthest") -> KeywordPool:
    """The topic, and keywords of what it finds, by another selector each time; `UserError` where nothing says it."""
    await context.progress(Progress("keywords"))
    alone = KeywordPool((Keyword(brief.topic, "topic"),))
    ranked = await _rank(brief, alone, context.limits.survey_papers, context, citations=False)
    own = [item.paper for item in ranked.choose(context.limits.survey_papers)]
    known = {paper.key for paper in own}

    async def search(text: str) -> Sequence[Paper]:
        """What a keyword brings: papers that the topic alone does not propose."""
        await context.progress(Progress("keywords", detail=text))
        found = [item.paper for item in await context.library.search(Query(text, SEEDS, years=brief.years))]
        with contextlib.suppress(RetrievalError):  # it is said with the papers, when the keyword is searched again
            found += (await context.online.search(text, SEEDS, brief.years)).papers if context.online else []
        return [paper for paper in found if paper.key not in known]

    chosen = SELECTORS[(SELECTORS.index(selector) + context.attempt) % len(SELECTORS)]
    start = Keyword(brief.topic, "topic", len(own))
    return await expand_keywords(start, own, search, replace(context, embedder=ranked.embedder), chosen)


async def gather(brief: Brief, pool: KeywordPool, limit: int, context: RunContext) -> PaperSelection:
    """At most ``limit`` relevant papers, the core first. Raises `UserError` where nothing says the topic."""
    ranked = await _rank(brief, pool, limit, context)
    search = ranked.search
    kept, retracted = await search.without_retracted(ranked.choose(limit, JUDGED_SPARE), limit)
    kept, left_out, note = await judge_tiers(brief.topic, kept, context)
    if note:
        search.note_search("the language model", "which papers are relevant", note=note)
    if not kept:
        raise await explain_no_papers(brief, [item.paper for item in ranked.found], context)
    proposed = sorted(kept[: ranked.count(limit)], key=lambda item: item.tier)
    found = len(ranked.found) - len(retracted) - len(left_out)
    return PaperSelection(
        (*proposed, *retracted),
        excluded=tuple(f.paper.key for f in retracted),
        searches=tuple(search.records),
        left_out=tuple(left_out),
        repeats=search.known.repeats,
        beyond=found - len(proposed),
    )


@dataclass(frozen=True)
class RankedPapers:
    """All that was found, best first; ``related`` and ``near`` have shape (papers found,).

    ``related`` says what relates each paper to the topic, from 0 to 3: those from `CORE` on are its core. ``near`` are
    those that may be proposed where a person reads through them: the core, what is near it, what the papers found cite.
    """

    search: CandidatePool
    embedder: Embedder
    found: Sequence[FoundPaper]
    related: Scores
    near: NDArray[np.bool_]
    most: int
    """As many as a person reads through."""

    def count(self, limit: int) -> int:
        """How many papers are proposed where so many are asked for."""
        own = int(self.near.sum())
        return min(limit, own, self.most) + max(0, limit - self.most)

    def choose(self, limit: int, spare: float = 1.0) -> list[FoundPaper]:
        """Those that are proposed, and more by the factor ``spare``; the far come last where a person reads all."""
        core = self.related >= CORE
        places = np.log(np.arange(1.0, len(core) + 1)) - TOPIC_FIRST * self.related
        if limit <= self.most:
            places[~self.near] = np.inf
        rows = np.argsort(places, kind="stable")[: int(self.count(limit) * spare)]
        return [replace(self.found[i], tier="core" if core[i] else "near") for i in rows]


async def _rank(
    brief: Brief, pool: KeywordPool, limit: int, context: RunContext, *, citations: bool = True
) -> RankedPapers:
    """What all keywords find, and ``citations`` online, fused. Raises `UserError` where nothing says the topic."""
    search = CandidatePool(brief=brief, pool=pool, context=context)
    await search.library(limit)
    if context.online:
        await search.online(context.online)
    if not search.known.papers:
        raise await explain_no_papers(brief, (), context)
    embedder = await asyncio.to_thread(ready, context.embedder, list(search.known.papers.values()))
    if context.online:
        await search.rank_online(context.online, embedder)
        if citations:
            await search.follow_citations(context.online)
    found = [item for item in search.fuse() if not leaves_out(brief, item.paper)]
    await context.progress(Progress("filtering", len(pool.keywords), len(pool.keywords)))
    added = [keyword.text for keyword in pool.keywords if keyword.origin == "person"]
    subjects = [await context.library.count_topic(text) for text in (brief.topic, *added)]
    papers = [item.paper for item in found]
    related = await asyncio.to_thread(_relate, subjects, papers, embedder) if papers else None
    if related is None:
        raise await explain_no_papers(brief, papers, context)
    # What the papers found cite is near the topic, whatever it says; all are where none says a word of it.
    near = np.array([any(reason.by == "cited" for reason in item.reasons) for item in found], np.bool_)
    near |= (related >= NEAR) | (related.max() == 0.0)
    return RankedPapers(search, embedder, found, related, near, context.limits.survey_papers)


def _relate(subjects: Sequence[TopicCounts], papers: Sequence[Paper], embedder: Embedder) -> Scores | None:
    """What relates papers to the subjects; ``None`` where the library says of none of these more than by chance."""
    said = [measure_words(subject, papers) for subject in subjects]
    counted = [pair for pair in zip(subjects, said, strict=True) if pair[0].papers]
    if counted and not any(has_signal(subject, words) for subject, words in counted):
        return None
    vectors = embed_papers(embedder, papers)
    related: Scores = np.max([relate_papers(words, vectors) for words in said], axis=0)
    return related


async def explain_no_papers(brief: Brief, found: Sequence[Paper], context: RunContext) -> NoPapers:
    """The error for a topic of which nothing is said; ``found`` are the nearest papers, best first."""
    topic = brief.topic[:TOPIC_CHARACTERS]
    years = "" if brief.years.first is None and brief.years.last is None else f" from {brief.years}"
    if brief.kinds:
        years += f" of the kind {list_words(brief.kinds, 'or')}"
    if not brief.library:
        return NoPapers(f"No online source has a paper{years} about “{topic}”. Try other words or wider years.")
    counted = await context.library.count_topic(brief.topic)
    meant = topic.lower()
    for word, other in counted.spellings:
        meant = meant.replace(word, other)
    if counted.spellings:
        counts, uncounted = (await context.library.count_topic(meant)).papers_with, read_topic(meant).uncounted
        if all(count or at in uncounted for at, count in enumerate(counts)):  # else it may be in another language
            return NoPapers(
                f"The library has no papers on “{topic}”. Did you mean “{meant}”? Then say: survey {meant}", meant
            )
    online = "" if brief.online else ", `search online`"
    choices = (
        f"You can say `survey` with other words, in the language of the papers{online}, or add papers of your own."
    )
    shown = "; ".join(f"“{shorten(paper.title, 100)}”" for paper in found[:NEAREST])
    nearest = f" The nearest are: {shown}." if shown else ""
    return NoPapers(f"The library has no papers{years} on “{topic}”, as far as its words tell.{nearest} {choices}")


def require_papers(selection: PaperSelection) -> tuple[Paper, ...]:
    """The papers that may be used; raises `UserError` where all are excluded, or too few say anything."""
    papers = selection.list_included()
    if not papers:
        raise UserError("All papers are excluded. Include some again, for example: include 1")
    telling = sum(bool(paper.content.strip()) for paper in papers)
    if telling < LEAST_EVIDENCE:
        raise UserError(
            f"A survey needs at least {LEAST_EVIDENCE} papers with an abstract or a summary; {telling} of these "
            f"{len(papers)} have one. Gather more (more), include some again, or add papers with abstracts."
        )
    return papers
