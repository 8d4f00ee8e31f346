"""From keywords to the papers of a survey: search each, merge, rank, filter; every paper keeps its reasons."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np

from engine.errors import UserError
from engine.gathering.candidates import CandidatePool
from engine.gathering.keyword_naming import ClusterNamer
from engine.gathering.keyword_phrases import PhraseReader
from engine.gathering.keywords import SELECTORS, CandidateWording, Selector, expand_keywords
from engine.gathering.needed_words import RARE
from engine.gathering.no_papers import explain_no_papers, explain_title, find_title
from engine.gathering.relevance import JUDGED_SPARE
from engine.gathering.second_look import Candidates, Meanwhile, do_nothing, look_again
from engine.gathering.topic_papers import (
    FEW,
    FOUNDATION_SHARE,
    Relevance,
    Subject,
    measure_coverage,
    measure_relevance,
    order_missed,
    select_foundations,
)
from engine.gathering.topic_parts import name_parts, split_topic
from engine.gathering.word_rarity import measure_rarity
from engine.retrieval.embedding import Embedder, ready
from engine.retrieval.libraries.excluding import exclusion_of
from engine.retrieval.ranking import SEEDS
from engine.run import Progress, RunContext
from engine.text import terms
from engine.values import (
    Brief,
    FoundPaper,
    Keyword,
    KeywordPool,
    Paper,
    PaperKey,
    PaperSelection,
    Query,
)

KEYWORD_PAPERS = 400
"""Papers of either ranking of the library of which those about the topic tell its keywords."""

TOPIC_FIRST = 100
"""So many papers that the topic itself finds come first, whatever its keywords find."""

LEAST_EVIDENCE = 2
"""Fewest papers with an abstract or a summary that a survey is written from."""


async def propose_keywords(brief: Brief, context: RunContext, selector: Selector = "farthest") -> KeywordPool:
    """The topic and keywords from clusters of what it finds; each refused proposal brings another selector."""
    await context.progress(Progress("keywords"))

    first = await _find_papers(brief.topic, brief, context)
    if not first:
        raise await explain_no_papers(brief, (), (), context)
    embedder = await asyncio.to_thread(ready, context.embedder, first)
    subjects = await _find_subjects(brief.topic, context)

    async def choose(papers: Sequence[Paper]) -> list[Paper]:
        relevance = await _measure(subjects, papers, embedder, context)
        if not relevance.about.any():
            await _stop_without_papers(brief, [FoundPaper(paper, 0.0) for paper in papers], relevance, context)
        return [paper for paper, is_about in zip(papers, relevance.about, strict=True) if is_about]

    about = await choose(first)
    titled = find_title(brief.topic, about)
    if titled and len(about) < FEW:
        raise explain_title(titled)
    reader = PhraseReader(about, context.library)

    async def search(text: str) -> Sequence[FoundPaper]:
        """Only what is about the topic: a keyword is worth what it finds of that."""
        await context.progress(Progress("keywords", detail=text))
        if text == brief.topic:
            return [FoundPaper(paper, 0.0) for paper in about]
        found = reader.find(text)
        if context.online:
            known = {paper.key for paper in about}
            searched = await context.online.search(text, SEEDS, brief.years)
            new = [paper for paper in searched.papers if paper.key not in known]
            chosen = {paper.key for paper in await choose([*about, *new])}
            found += [paper for paper in new if paper.key in chosen]
        return [FoundPaper(paper, 0.0) for paper in found]

    async def read(phrase: str, _: Sequence[Paper], pool: KeywordPool) -> str:
        return await reader.read(phrase, pool)

    chosen = SELECTORS[(SELECTORS.index(selector) + context.attempt) % len(SELECTORS)]
    start = [Keyword(brief.topic, "topic")]
    namer = ClusterNamer(context.model, brief.topic, context.seed + context.attempt) if context.model else None
    wording = CandidateWording(read, namer.name if namer else None, reader.find, is_closed=not context.online)
    pool, _ = await expand_keywords(start, search, embedder, context.limits, chosen, wording)
    return replace(pool, note=_note_failure(namer.failure) if namer and namer.failure else "")


def _note_failure(failure: str) -> str:
    reason = f"the {failure.removeprefix('The ')}" if failure.startswith("The ") else failure
    return f"These keywords come from the papers alone: {reason}"


async def _find_papers(topic: str, brief: Brief, context: RunContext) -> list[Paper]:
    """What the topic finds in the library and online, each paper once."""
    found: list[Paper] = []
    queries = [Query(topic, KEYWORD_PAPERS, ranking, brief.years) for ranking in ("survey", "words")]
    for query in (*queries, *(Query(part, KEYWORD_PAPERS, "words", brief.years) for part in name_parts(topic))):
        found += [f.paper for f in await context.library.search(query)]
    if context.online:
        found += (await context.online.search(topic, SEEDS, brief.years)).papers
    return list({paper.key: paper for paper in found}.values())


async def _stop_without_papers(
    brief: Brief, found: Sequence[FoundPaper], relevance: Relevance, context: RunContext
) -> NoReturn:
    """Raises `UserError`: no paper is about the topic; with the nearest ones, or how the topic may be said."""
    nearest = measure_coverage(found, relevance, (), 0, 0).nearest
    raise await explain_no_papers(brief, nearest, [item.paper for item in found], context)


async def gather(
    brief: Brief, pool: KeywordPool, limit: int, context: RunContext, meanwhile: Meanwhile = do_nothing
) -> PaperSelection:
    """At most ``limit`` papers, best first: those about the topic, then its foundations.

    Ranks of all keywords are fused, the topic weighing as much as all others together; then what is popular but not
    about the topic is left out, and what a language model says is not relevant; ``meanwhile`` is done while that is
    awaited. Raises `UserError` where no paper is about the topic.
    """
    search, embedder = await _search_all(brief, pool, limit, context)
    total = len(pool.keywords)
    await context.progress(Progress("filtering", total, total))
    excluded = exclusion_of(brief.without)
    fused = [item for item in search.fuse() if not excluded.holds(item.paper)]
    # Online, the topic's papers are told by all that was found: a service ranks by what it has of them.
    own = [] if context.online else search.fuse_by_topic()
    found, telling = _put_first(own, fused)
    added = [k.text for k in pool.keywords if k.origin == "person"]
    subjects = await _find_subjects(brief.topic, context)
    relevance = await _measure(subjects, [f.paper for f in found], embedder, context, added, telling)
    about = _order_about(found, fused, relevance, telling)
    room = min(limit // FOUNDATION_SHARE, len(about) // (FOUNDATION_SHARE - 1))
    foundations = select_foundations(found, relevance, room)
    if not about:
        await _stop_without_papers(brief, found, relevance, context)
    spare = int(limit * JUDGED_SPARE)  # foundations are judged with the best, so they stand right behind them
    behind = {f.paper.key for f in foundations}
    missed = [found[i] for i in order_missed(relevance) if found[i].paper.key not in behind]
    missed = missed[: max(0, spare - len(about) - len(foundations))]
    ranked = [*about[: spare - len(foundations)], *foundations, *missed, *about[spare - len(foundations) :]]
    kept, retracted = await search.without_retracted(ranked, limit)
    sure = frozenset(found[i].paper.key for i in np.flatnonzero(relevance.sure)) | {p.key for p in context.accepted}
    candidates = Candidates(kept[:spare], sure, frozenset(item.paper.key for item in missed))
    chosen = await look_again(brief.topic, candidates, context, meanwhile)
    if chosen.unjudged:
        note = f"{chosen.unjudged} papers could not be judged and stay{': ' if chosen.why else ''}{chosen.why}"
        search.note_search("the language model", "which papers are relevant", note=note)
    good = (*chosen.kept, *kept[spare:])
    foundations = [f for f in good if f.paper.key in behind]
    first = [f for f in good if f.paper.key not in behind]
    if not first:
        await _stop_without_papers(brief, found, relevance, context)
    proposed = (*first[: limit - len(foundations)], *foundations)
    return PaperSelection(
        (*proposed, *retracted),
        excluded=tuple(f.paper.key for f in retracted),
        searches=tuple(search.records),
        filtered=len(found) - len(good) - len(retracted) - len(chosen.left_out),
        left_out=chosen.left_out,
        repeats=search.known.repeats,
        beyond=len(good) - len(proposed),
        coverage=measure_coverage(found, relevance, proposed, len(first), len(foundations)),
    )


async def _search_all(
    brief: Brief, pool: KeywordPool, limit: int, context: RunContext
) -> tuple[CandidatePool, Embedder]:
    """What all keywords find, and what embeds it. Raises `UserError` where they find nothing."""
    search = CandidatePool(brief, pool, context)
    await search.library(limit)
    if context.online:
        await search.online()
    if not search.known.papers:
        raise await explain_no_papers(brief, (), (), context)
    embedder = await asyncio.to_thread(ready, context.embedder, list(search.known.papers.values()))
    if context.online:
        await search.rank_online(embedder)
        await search.follow_citations()
    return search, embedder


def _put_first(own: Sequence[PaperKey], fused: Sequence[FoundPaper]) -> tuple[list[FoundPaper], int]:
    """The papers of ``fused``, those with ``own`` keys first and in their order, and how many these are; else all."""
    found = {item.paper.key: item for item in fused}
    first = [found.pop(key) for key in own if key in found]
    return [*first, *found.values()], len(first) or len(fused)


def _order_about(
    found: Sequence[FoundPaper], fused: Sequence[FoundPaper], relevance: Relevance, telling: int
) -> list[FoundPaper]:
    """The papers about the topic: the best of its own as without any keyword, then all others as they were fused.

    Keywords add papers; they push none out that the topic itself finds among its first `TOPIC_FIRST`.
    """
    place = {item.paper.key: number for number, item in enumerate(fused)}
    rows = sorted(np.flatnonzero(relevance.about).tolist(), key=lambda i: not relevance.named[i])
    first = [found[i] for i in rows if i < telling][:TOPIC_FIRST]
    taken = {item.paper.key for item in first}
    rest = [i for i in rows if found[i].paper.key not in taken]
    rest.sort(key=lambda i: (not relevance.named[i], place[found[i].paper.key]))
    return [*first, *(found[i] for i in rest)]


async def _find_subjects(topic: str, context: RunContext) -> list[str]:
    """The topic and the two that it joins; a word alone is one if it is rare enough: "hate speech and sarcasm"."""
    parts = split_topic(topic, least=1)
    for part in parts:
        if len(terms(part)) == 1:
            rarities = measure_rarity(part, await context.library.count_topic(part))
            if rarities.max() < RARE:
                return split_topic(topic)
    return parts


async def _measure(
    subjects: Sequence[str],
    papers: Sequence[Paper],
    embedder: Embedder,
    context: RunContext,
    added: Sequence[str] = (),
    telling: int | None = None,
) -> Relevance:
    counted = [Subject(text, await context.library.count_topic(text), telling=telling) for text in subjects]
    counted += [Subject(text, await context.library.count_topic(text), is_added=True) for text in added]
    return await asyncio.to_thread(measure_relevance, counted, papers, embedder, context.accepted[:SEEDS])


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
