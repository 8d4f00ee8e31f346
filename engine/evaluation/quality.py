"""Quality of citations, as AutoSurvey defines it with SurveyX's variant beside it, and of content, by judges."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

import numpy as np
from pydantic import Field

from engine.evaluation.documents import CitedClaim, Document
from engine.evaluation.scores import Score, f1, score_criteria
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.local_models import LocalEntailment
from engine.retrieval.embedding import Embedder
from engine.rubrics import CRITERIA, Criterion, list_levels
from engine.text import sentences, terms

SHARED_TERMS = 0.5
CLOSE = 0.35
"""The rule: half of the claim's terms stand in the source, or a sentence of it is as close as this (cosine)."""

EVEN = 0.5


@dataclass(frozen=True)
class Entailment:
    """Who decides h(claim, sources) of the papers' definitions (AE3)."""

    how: str
    """As it is printed beside every figure."""
    is_supported: Callable[[str, Sequence[str]], Awaitable[bool]]
    """Whether the sources, one at least, together support the core of the claim."""


def entail_by_rule(embedder: Embedder) -> Entailment:
    """An approximation that needs no model; its figures are no judge's and are labelled so."""

    async def is_supported(claim: str, sources: Sequence[str]) -> bool:
        wanted = set(terms(claim))
        there = {term for source in sources for term in terms(source)}
        if wanted and len(wanted & there) >= SHARED_TERMS * len(wanted):
            return True
        lines = [line for source in sources for line in sentences(source)]
        vectors = await asyncio.to_thread(embedder.embed, [claim, *lines])
        return bool(lines and np.max(vectors[1:] @ vectors[0]) >= CLOSE)

    how = f"approximation: half of the terms shared, or a sentence with cosine ≥ {CLOSE} ({embedder.name})"
    return Entailment(how, is_supported)


class EntailmentAnswer(TypedAnswer):
    """The answer to AutoSurvey's question."""

    faithful: bool


def entail_by_model(model: LanguageModel, name: str) -> Entailment:
    """A language model asked AutoSurvey's question (AE5), the source being what the reader has: the abstract."""

    async def is_supported(claim: str, sources: Sequence[str]) -> bool:
        prompt = fill("evaluation/entailment", claim=data(claim), source=data("\n\n".join(sources)))
        request = Request("judging", "entailment", prompt, 128, 0.0)
        return (await model.answer_typed(request, EntailmentAnswer)).faithful

    return Entailment(f"judged by {name}", is_supported)


def entail_locally(model: LocalEntailment) -> Entailment:
    """A model for natural-language inference that runs on this machine: entailment is likelier than all else."""

    async def is_supported(claim: str, sources: Sequence[str]) -> bool:
        scores = await asyncio.to_thread(model.judge, [("\n\n".join(sources), claim)])
        return bool(scores[0] > EVEN)

    return Entailment(f"decided by {model.name}", is_supported)


Fault = Literal["misalignment", "misinterpretation", "overgeneralisation"]


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """A claim with its answers: by all its sources together, by each alone, by all but each, in their order."""

    claim: CitedClaim
    together: bool
    alone: tuple[bool, ...]
    without: tuple[bool, ...]


async def verdicts(
    claims: Sequence[CitedClaim], sources: Mapping[str, str], entailment: Entailment
) -> tuple[ClaimVerdict, ...]:
    """Every claim's answers, each question asked once; ``sources`` maps a cited name to its paper's text, if known."""
    asked: dict[tuple[str, tuple[str, ...]], asyncio.Future[bool]] = {}

    async def ask(claim: str, texts: Iterable[str]) -> bool:
        given = tuple(sorted({text for text in texts if text.strip()}))
        if given and (claim, given) not in asked:
            asked[claim, given] = asyncio.ensure_future(entailment.is_supported(claim, given))
        return bool(given) and await asked[claim, given]

    async def judge(claim: CitedClaim) -> ClaimVerdict:
        texts = [sources.get(name, "") for name in claim.names]
        together = await ask(claim.text, texts)
        alone = await asyncio.gather(*(ask(claim.text, [text]) for text in texts))
        rests = (texts[:i] + texts[i + 1 :] for i in range(len(texts)))
        without = await asyncio.gather(*(ask(claim.text, rest) for rest in rests))
        return ClaimVerdict(claim, together, tuple(alone), tuple(without))

    return tuple(await asyncio.gather(*map(judge, claims)))


def score_citations(found: Sequence[ClaimVerdict], how: str) -> tuple[Score, ...]:
    """Recall, precision and F1 with the number of claims; and what SurveyX's code counts, named as such (D5).

    Recall is the share of claims that their sources support together (AE3). Precision is Σ h ∩ g / Σ |Ref| with
    g(c,r) = h(c,{r}) ∪ ¬h(c, Ref∖{r}): citations that are true or needed, none of a claim without support (AE4).
    """
    if not found:
        return tuple(Score(f"citation {name}", None, "no claims") for name in ("recall", "precision", "F1"))
    cited = sum(len(v.alone) for v in found)
    held = [zip(v.alone, v.without, strict=True) for v in found if v.together]
    r, p = len(held) / len(found), sum(one or not rest for pairs in held for one, rest in pairs) / cited
    said = f"{how}; {len(found)} {'claim' if len(found) == 1 else 'claims'}"
    lost = tuple(f"not supported: {v.claim.text}" for v in found if not v.together)
    credit = sum(sum(v.alone) or len(v.alone) for v in found)
    variant = f"{said}; inflated: any one source is enough, and a claim without support gives full credit"
    return (
        Score("citation recall", r, said, details=lost),
        Score("citation precision", p, said),
        Score("citation F1", f1(p, r), said),
        Score("citation recall, SurveyX's code", fmean(any(v.alone) for v in found), variant),
        Score("citation precision, SurveyX's code", credit / cited, variant),
    )


class FaultAnswer(TypedAnswer):
    """Which of the three kinds an unsupported claim is."""

    kind: Fault
    reason: str


async def faults(
    found: Sequence[ClaimVerdict], sources: Mapping[str, str], model: LanguageModel
) -> tuple[Counter[str], tuple[str, ...]]:
    """Unsupported claims by kind of error (AE11), and the reason for each."""

    async def one(verdict: ClaimVerdict) -> FaultAnswer:
        texts = "\n\n".join(sources.get(name, "") for name in verdict.claim.names)
        prompt = fill("evaluation/fault", claim=data(verdict.claim.text), source=data(texts) or "(unknown)")
        return await model.answer_typed(Request("judging", "fault", prompt, 256, 0.0), FaultAnswer)

    answers = await asyncio.gather(*(one(v) for v in found if not v.together))
    return Counter(a.kind for a in answers), tuple(f"{a.kind}: {a.reason}" for a in answers)


LONGEST_READ = 400_000
"""Characters of a survey that a judge reads."""


class Grade(TypedAnswer):
    """A judge's score with its reason."""

    reason: str
    score: int = Field(ge=1, le=5)


class PreferenceAnswer(TypedAnswer):
    """Which of two surveys is better."""

    reason: str
    better: Literal["first", "second", "equal"]


async def grade_content(document: Document, topic: str, judges: Mapping[str, LanguageModel]) -> tuple[Score, ...]:
    """Each criterion by each judge: mean over judges, their spread, and the reasons; then both averages."""
    if not judges:
        return (Score("content quality", None, "no judge: configure a language model"),)
    text = _as_text(document)[:LONGEST_READ]

    async def grade(criterion: Criterion, judge: LanguageModel) -> Grade:
        prompt = fill(
            "evaluation/grade",
            topic=data(topic),
            survey=data(text),
            criterion=criterion,
            levels=list_levels(criterion),
        )
        return await judge.answer_typed(Request("judging", f"grade/{criterion}", prompt, 512, 0.0), Grade)

    asking = [asyncio.gather(*(grade(criterion, judge) for judge in judges.values())) for criterion in CRITERIA]
    given = dict(zip(CRITERIA, await asyncio.gather(*asking), strict=True))
    points = {criterion: [float(a.score) for a in own] for criterion, own in given.items()}
    scores = score_criteria(points, f"1 to 5, judged by {', '.join(judges)}")
    for criterion, own in given.items():
        reasons = tuple(f"{name}: {a.score}: {a.reason}" for name, a in zip(judges, own, strict=True))
        scores[criterion] = replace(scores[criterion], details=reasons)
    return tuple(scores.values())


async def compare_surveys(
    first: Document, second: Document, topic: str, judges: Mapping[str, LanguageModel]
) -> tuple[float, float]:
    """How often the first survey is preferred, a draw being half, asked in both orders (AE9); how often they agree.

    There is at least one judge.
    """

    async def ask(a: Document, b: Document, judge: LanguageModel) -> PreferenceAnswer:
        texts = (data(_as_text(d)[: LONGEST_READ // 2]) for d in (a, b))
        prompt = fill("evaluation/compare", topic=data(topic), first=next(texts), second=next(texts))
        return await judge.answer_typed(Request("judging", "compare", prompt, 512, 0.0), PreferenceAnswer)

    value = {"first": 1.0, "second": 0.0, "equal": 0.5}
    wins, same = [], []
    for judge in judges.values():
        straight, swapped = await asyncio.gather(ask(first, second, judge), ask(second, first, judge))
        one, two = value[straight.better], 1 - value[swapped.better]
        wins += [one, two]
        same.append(float(one == two))
    return fmean(wins), fmean(same)


def _as_text(document: Document) -> str:
    return "\n\n".join([document.title, *(f"{part.title}\n{part.text}" for part in document.parts)])
