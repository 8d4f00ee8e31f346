"""The papers found, looked at once more: by a language model, else by a cross-encoder, else as they are.

What words and meaning leave open is judged, on either side of the floor; what is certain costs no call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.gathering.relevance import JUDGED_AT_ONCE, Verdict, Verdicts, judge_papers
from engine.gathering.topic_papers import LEAST_CORE, LOW, TYPICAL, is_cited
from engine.retrieval.cross_encoder import CrossEncoder
from engine.run import RunContext
from engine.values import FoundPaper, LeftOut, Paper, PaperKey

COMPARED = 50
"""Papers that are surely about the topic whose scores tell a cross-encoder's usual one."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Papers that may be proposed, best first, by what is known of them: all of ``missed`` are among ``ranked``.

    ``sure`` ones are about the topic beyond doubt; those ``missed`` say it, but fall short of the floor.
    """

    ranked: Sequence[FoundPaper]
    sure: frozenset[PaperKey] = frozenset()
    missed: frozenset[PaperKey] = frozenset()


@dataclass(frozen=True, slots=True)
class JudgedPapers:
    """Papers that stay, in their order, with the reasons; those left out; how many could not be judged, and why."""

    kept: tuple[FoundPaper, ...]
    left_out: tuple[LeftOut, ...] = ()
    unjudged: int = 0
    why: str = ""


Meanwhile = Callable[[Sequence[Paper]], Coroutine[Any, Any, None]]
"""What is done with the candidates while a language model judges them; given up when it has."""


async def do_nothing(_: Sequence[Paper]) -> None:
    """Only wait."""


async def look_again(
    topic: str, candidates: Candidates, context: RunContext, meanwhile: Meanwhile = do_nothing
) -> JudgedPapers:
    """The candidates that stay: one that is not judged does if it was not ``missed``."""
    asked = [item for item in candidates.ranked if _is_open(item, candidates, context)]
    verdicts = Verdicts({})
    if context.model and context.judge != "none":
        asked = asked[: context.limits.judging_calls * JUDGED_AT_ONCE]
        async with asyncio.TaskGroup() as group:
            beside = group.create_task(meanwhile([item.paper for item in candidates.ranked]))
            verdicts = await judge_papers(topic, asked, context.model, context)
            beside.cancel()
    elif context.cross_encoder and context.judge != "none":
        verdicts = await asyncio.to_thread(_compare, topic, candidates, asked, context.cross_encoder)
    else:
        asked = []
    return _apply(candidates, verdicts, {item.paper.key for item in asked})


def _is_open(item: FoundPaper, candidates: Candidates, context: RunContext) -> bool:
    return context.judge == "all" or (item.paper.key not in candidates.sure and not is_cited(item))


def _apply(candidates: Candidates, verdicts: Verdicts, asked: set[PaperKey]) -> JudgedPapers:
    kept: list[FoundPaper] = []
    out: list[LeftOut] = []
    unjudged = 0
    for item in candidates.ranked:
        verdict, was_missed = verdicts.of.get(item.paper.key), item.paper.key in candidates.missed
        unjudged += verdict is None and item.paper.key in asked and not was_missed
        if verdict and not verdict.relevant and not was_missed:
            out.append(LeftOut(item.paper, "not relevant", verdict.reason or "no reason was given"))
        elif (verdict and verdict.relevant) or not was_missed:
            kept.append(replace(item, judgement=verdict.reason if verdict else ""))
    return JudgedPapers(tuple(kept), tuple(out), unjudged, verdicts.failure)


def _compare(topic: str, candidates: Candidates, asked: Sequence[FoundPaper], encoder: CrossEncoder) -> Verdicts:
    """How near the topic an encoder finds papers, measured by those that are surely about it; none where few are.

    A paper stays that is nearer than the share `LOW` of them; one that was missed has to be as near as most.
    """
    sure = [item for item in candidates.ranked if item.paper.key in candidates.sure][:COMPARED]
    if len(sure) < LEAST_CORE or not asked:
        return Verdicts({})
    scores = encoder.score(topic, [_read(item.paper) for item in (*sure, *asked)])
    low, typical = np.quantile(scores[: len(sure)], (LOW, TYPICAL))
    verdicts = {}
    for item, score in zip(asked, scores[len(sure) :], strict=True):
        is_near = bool(score >= (typical if item.paper.key in candidates.missed else low))
        how = "as near to" if is_near else "further from"
        reason = f"{how} the topic {'as' if is_near else 'than'} papers that name it, by {encoder.name}"
        verdicts[item.paper.key] = Verdict(is_near, reason)
    return Verdicts(verdicts)


def _read(paper: Paper) -> str:
    return f"{paper.title}. {paper.content}"
