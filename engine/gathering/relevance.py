"""Which of the papers found belong to the topic, judged by a language model with its reasons.

It is SurveyX's fine filter (3.2); that the reason comes before the decision is Jarvis': reasoning first makes the
decision better.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer
from engine.llm.prompting import data, fill, paper_block
from engine.run import Progress, RunContext
from engine.text import clean, inert, shorten
from engine.values import FoundPaper, LeftOut, PaperKey

JUDGED_AT_ONCE = 20
ABSTRACT_TOKENS = 250
TEMPERATURE = 0.3
REASON_CHARACTERS = 240


class Judgement(TypedAnswer):
    """One paper: why, and whether."""

    key: str
    reason: PlainText
    relevant: bool


class RelevanceAnswer(TypedAnswer):
    """All papers that were asked about."""

    judgements: list[Judgement]


@dataclass(frozen=True, slots=True)
class JudgedPapers:
    """Papers that stay, in their order, with the reasons; those left out; how many could not be judged, and why."""

    kept: tuple[FoundPaper, ...]
    left_out: tuple[LeftOut, ...] = ()
    unjudged: int = 0
    why: str = ""


async def judge_papers(
    topic: str, found: Sequence[FoundPaper], model: LanguageModel, context: RunContext
) -> JudgedPapers:
    """Each paper judged by the model; one that it does not judge, or whose call fails, stays."""
    parts = [found[i : i + JUDGED_AT_ONCE] for i in range(0, len(found), JUDGED_AT_ONCE)]
    done = 0
    failures: list[str] = []

    async def part(number: int, papers: Sequence[FoundPaper]) -> dict[PaperKey, Judgement]:
        nonlocal done
        prompt = fill(
            "gathering/relevance", topic=data(topic), papers=paper_block([f.paper for f in papers], ABSTRACT_TOKENS)
        )
        request = Request("checking", f"relevance/{number}", prompt, 90 * len(papers) + 512, TEMPERATURE)
        try:
            answer = await model.answer_typed(request, RelevanceAnswer)
        except (LanguageModelError, LimitExceeded) as error:
            failures.append(str(error))
            return {}
        finally:
            done += len(papers)
            await context.progress(Progress("choosing", done, len(found)))
        return {PaperKey(j.key.strip().removeprefix("@")): j for j in answer.judgements}

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part(number, papers)) for number, papers in enumerate(parts)]
    verdicts = {key: verdict for task in tasks for key, verdict in task.result().items()}
    kept: list[FoundPaper] = []
    out: list[LeftOut] = []
    unjudged = 0
    for item in found:
        verdict = verdicts.get(item.paper.key)
        reason = shorten(inert(clean(verdict.reason)), REASON_CHARACTERS) if verdict else ""
        unjudged += verdict is None
        if verdict and not verdict.relevant:
            out.append(LeftOut(item.paper, "not relevant", reason or "no reason was given"))
        else:
            kept.append(replace(item, judgement=reason))
    return JudgedPapers(tuple(kept), tuple(out), unjudged, failures[0] if failures else "")
