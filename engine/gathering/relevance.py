"""Which of the papers found belong to the topic, judged by a model (SurveyX, 3.2; the reason first, as in Jarvis)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import TypeAlias

import numpy as np

from engine.errors import ScholiumError
from engine.limits import Limits
from engine.llm.attempts import try_all
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer, WrittenKey
from engine.llm.prompting import data, fill, paper_block
from engine.local_models import CrossEncoder
from engine.quoting.abstracts import read_abstracts
from engine.run import CallChain, PlannedCall, Progress, RunContext
from engine.text import clean, inert, shorten
from engine.values import FoundPaper, LeftOut, PaperKey

JUDGED_AT_ONCE = 8
"""Papers in a call: all calls run at once, and an answer takes as long as it has verdicts."""

ABSTRACT_TOKENS = 250
TEMPERATURE = 0.3
REASON_CHARACTERS = 240

RULES_TOKENS, PAPER_TOKENS, VERDICT_TOKENS = 550, 250, 31
"""Tokens of a call's rules with its JSON schema, of a paper in it, and of what is answered about one."""

JUDGED_SPARE = 1.25
"""So many times the papers wanted are judged, so that enough are left."""


class Judgement(TypedAnswer):
    """One paper: why, and whether."""

    key: WrittenKey
    reason: PlainText
    relevant: bool


class RelevanceAnswer(TypedAnswer):
    """All papers that were asked about."""

    judgements: list[Judgement]


Judgements: TypeAlias = dict[PaperKey, Judgement]


async def judge_papers(
    topic: str, found: Sequence[FoundPaper], model: LanguageModel, context: RunContext
) -> tuple[Judgements, str]:
    """What the model says of each paper, `JUDGED_AT_ONCE` in a call; the second says why a call failed."""
    parts = [found[i : i + JUDGED_AT_ONCE] for i in range(0, len(found), JUDGED_AT_ONCE)]
    done = 0

    async def judge(number: int, papers: Sequence[FoundPaper]) -> list[Judgement]:
        nonlocal done
        shown = paper_block([f.paper for f in papers], ABSTRACT_TOKENS)
        prompt = fill("gathering/relevance", topic=data(topic), papers=shown)
        request = Request("checking", f"relevance/{number}", prompt, 90 * len(papers) + 512, TEMPERATURE)
        try:
            return (await model.answer_typed(request, RelevanceAnswer)).judgements
        finally:
            done += len(papers)
            await context.progress(Progress("choosing", done, len(found)))

    came = await try_all(judge(number, papers) for number, papers in enumerate(parts))
    said = [one for own in came if not isinstance(own, ScholiumError) for one in own]
    judged = {one.key: one for one in said}
    return judged, next((str(one) for one in came if isinstance(one, ScholiumError)), "")


def plan_judging(limit: int, limits: Limits) -> list[CallChain]:
    """The calls that judging the papers found takes at most, where ``limit`` papers are to be proposed."""
    papers = min(int(limit * JUDGED_SPARE), limits.judging_calls * JUDGED_AT_ONCE)
    calls = ceil(papers / JUDGED_AT_ONCE)
    read = RULES_TOKENS + papers * PAPER_TOKENS // max(1, calls)
    return [(PlannedCall("checking", read, papers * VERDICT_TOKENS // calls),) for _ in range(calls)]


COMPARED = 100
"""Core papers that a cross-encoder reads to learn how near the topic a paper of it is."""

AS_CORE = 0.1
"""A near paper stays that an encoder finds nearer than this share of the core."""


async def judge_tiers(
    topic: str, ranked: Sequence[FoundPaper], context: RunContext
) -> tuple[list[FoundPaper], list[LeftOut], str]:
    """The papers that stay, in their order, those judged not relevant, and what is to be said of those not judged."""
    left_in = {paper.key for paper in context.accepted}
    asked = [item for item in ranked if context.judge == "all" or item.tier != "core"]
    asked = [item for item in asked if item.paper.key not in left_in]
    judged, failure = Judgements(), ""
    if context.judge != "none" and context.model:
        asked = asked[: context.limits.judging_calls * JUDGED_AT_ONCE]
        async with asyncio.TaskGroup() as group:
            beside = group.create_task(read_abstracts([item.paper for item in ranked]))  # for the outline
            judged, failure = await judge_papers(topic, asked, context.model, context)
            beside.cancel()
    elif context.judge != "none" and context.cross_encoder:
        core = [item for item in ranked if item.tier == "core"][:COMPARED]
        judged = await asyncio.to_thread(_compare, topic, core, asked, context.cross_encoder)
    else:
        asked = []
    kept: list[FoundPaper] = []
    out: list[LeftOut] = []
    for item in ranked:
        said = judged.get(item.paper.key)
        reason = shorten(inert(clean(said.reason)), REASON_CHARACTERS) if said else ""
        if said and not said.relevant:
            out.append(LeftOut(item.paper, "not relevant", reason or "no reason was given"))
        else:
            kept.append(replace(item, judgement=reason))
    unjudged = sum(item.paper.key not in judged for item in asked)
    note = f"{unjudged} papers could not be judged and stay{': ' if failure else ''}{failure}" if unjudged else ""
    return kept, out, note


def _compare(topic: str, core: Sequence[FoundPaper], asked: Sequence[FoundPaper], encoder: CrossEncoder) -> Judgements:
    """How near the topic an encoder finds papers, measured by the core; nothing is said where that is small."""
    if len(core) < JUDGED_AT_ONCE or not asked:
        return {}
    scores = encoder.score(topic, [f"{item.paper.title}. {item.paper.content}" for item in (*core, *asked)])
    low = np.quantile(scores[: len(core)], AS_CORE)
    judged = {}
    for key, score in zip((item.paper.key for item in asked), scores[len(core) :], strict=True):
        how = "as near to the topic as" if score >= low else "further from the topic than"
        reason = f"{how} papers that name it, by {encoder.name}"
        judged[key] = Judgement(key=key, reason=reason, relevant=bool(score >= low))
    return judged
