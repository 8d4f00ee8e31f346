"""All measures of one survey, in the order of a report; what cannot be measured says why."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from engine.evaluation.documents import CitedClaim, Document, claims
from engine.evaluation.knowledge import Question, choose_questions, measure_knowledge
from engine.evaluation.overlap import measure_shared_lists, rouge, rouge_by_chunks, soft_heading_recall
from engine.evaluation.quality import Entailment, faults, grade_content, score_citations, verdicts
from engine.evaluation.references import (
    ResolvedReference,
    distinct,
    existence,
    judge_relevance,
    measure_closeness,
    overlap,
    resolve_online,
    resolve_references,
)
from engine.evaluation.scores import Score, average_final, human_hours, surveys_per_hour
from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import LanguageModel
from engine.retrieval.embedding import Embedder
from engine.retrieval.libraries.library import Library
from engine.retrieval.online.sources import Online
from engine.run import ignore
from engine.survey import Survey, walk
from engine.values import Paper


@dataclass(frozen=True)
class EvaluationTools:
    """What a survey is judged with; all surveys of one comparison with the same."""

    library: Library
    embedder: Embedder
    entailment: Entailment
    judges: Mapping[str, LanguageModel] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    naive: str = ""
    """The text of a naive survey, with which the knowledge test compares."""
    online: Online | None = None
    """Where references that the library does not have are looked up; ``None``: nowhere."""
    progress: Callable[[str], Awaitable[None]] = ignore
    survey: Survey | None = None
    """The survey itself where it is ours: it is judged by its own references and what its citations rest on."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of one survey, by group, and what could not be read in it."""

    title: str
    groups: tuple[tuple[str, tuple[Score, ...]], ...]
    problems: tuple[str, ...]
    topic: str = ""
    """What it was judged as a survey of."""

    def scores(self) -> dict[str, Score]:
        """Every figure by its name."""
        return {score.name: score for _, group in self.groups for score in group}


def measure_richness(document: Document) -> tuple[Score, ...]:
    """What SurveyBench counts: words, headings, figures, tables."""
    words, headings = len(document.text().split()), len(document.headings())
    counts = {"words": words, "headings": headings, "figures": document.figures, "tables": document.tables}
    return tuple(Score(name, float(count), "counted") for name, count in counts.items())


async def evaluate_document(
    document: Document, topic: str, tools: EvaluationTools, human: Document | None = None
) -> Evaluation:
    """Every measure that can be taken of the survey; with a human survey also those against it."""
    found = claims(document)
    await tools.progress("references")
    if tools.survey:
        own = zip(document.references, tools.survey.references, strict=True)
        listed = tuple(ResolvedReference(reference, "real", paper) for reference, paper in own)
    else:
        listed = await resolve_references(document.references, tools.library)
        if tools.online:
            listed = await resolve_online(listed, tools.online, tools.progress)
    papers = [r.paper for r in listed if r.paper]
    sources = {r.reference.name: _source_of(r.paper, tools.survey) for r in listed if r.paper}
    exist = existence(listed, tools.library.name, online=tools.online is not None)
    groups: dict[str, tuple[Score, ...]] = {
        "Richness": measure_richness(document),
        "References": (*distinct(found, document), *exist),
        "Relevance of references": (
            *await measure_closeness(papers, len(listed), topic, tools.library, tools.embedder),
            await judge_relevance(papers, topic, tools.judges),
        ),
    }
    await tools.progress("citations")
    groups["Citation quality"] = await _citations(found, sources, tools)
    groups["Shared lists"] = measure_shared_lists(document, found)
    await tools.progress("content")
    groups["Content quality"] = await grade_content(document, topic, tools.judges)
    text = document.text()
    if human:
        await tools.progress("overlap")
        groups["Against the human survey"] = measure_overlap(document, human, tools.embedder)
    tokens = len(text) // CHARACTERS_PER_TOKEN
    hours = human_hours(tokens)
    how = f"AutoSurvey's model for {tokens:,} tokens: ten experts, 2,000 tokens an hour, five hours of reading"
    speed = Score("surveys of people per hour", surveys_per_hour(hours), how)
    groups["Time of people"] = (Score("hours of people", hours, how), speed)
    questions = choose_questions(tools.questions, topic)
    if questions and tools.judges:
        await tools.progress("knowledge test")
        judge = next(iter(tools.judges.values()))
        groups["Knowledge test"] = await measure_knowledge(questions, text, tools.naive, judge, tools.library)
    return Evaluation(document.title, tuple(groups.items()), document.problems, topic)


def _source_of(paper: Paper, survey: Survey | None) -> str:
    """What a paper can support a claim with: title, abstract, and what of its text the survey rests on."""
    parts = [f"{paper.title}. {paper.content}"]
    for _, section in walk(survey.sections) if survey else ():
        quotes = [c.quote for claim in section.claims for c in claim.citations if c.key == paper.key]
        parts += [quote for quote in dict.fromkeys(quotes) if quote and quote not in parts[0]]
    return " ".join(dict.fromkeys(parts))


async def _citations(
    found: Sequence[CitedClaim], sources: Mapping[str, str], tools: EvaluationTools
) -> tuple[Score, ...]:
    entailment = tools.entailment
    everything = await verdicts(found, sources, entailment)
    whole = score_citations(
        everything, f"{entailment.how}; sources: title and abstract; one that is not found supports nothing"
    )
    if not found:
        return whole
    inside = [verdict for verdict in everything if all(sources.get(name) for name in verdict.claim.names)]
    share = Score("claims whose sources are all known", len(inside) / len(found), "found in the library")
    only = tuple(
        replace(score, name=f"{score.name}, sources known", details=())
        for score in score_citations(inside, f"{entailment.how}; only claims whose sources are all known")[:3]
    )
    if not tools.judges:
        return (*whole, share, *only)
    kinds, reasons = await faults(inside, sources, next(iter(tools.judges.values())))
    total = sum(kinds.values()) or 1
    how = "share of unsupported claims whose sources are known"
    errors = (Score(f"unsupported: {k}", n / total, how, details=reasons) for k, n in kinds.items())
    return (*whole, share, *only, *errors)


def measure_overlap(document: Document, human: Document, embedder: Embedder) -> tuple[Score, ...]:
    """Words, headings and references that a survey shares with a human one."""
    whole, chunks = rouge(document.text(), human.text()), rouge_by_chunks(document, human)
    names = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
    scores = (
        *(Score(name, value, "F1 over the whole documents") for name, value in zip(names, whole, strict=True)),
        Score("ROUGE average", fmean(whole), "mean of the three (NLPCC)"),
        Score("ROUGE-L, SurGE's variant", chunks, "best part of the human survey for each part, mean, stemmed"),
    )
    if not human.headings():
        return (*scores, Score("soft heading recall", None, "the human survey has no headings"))
    by = f"headings by {embedder.name}"
    recalled, clipped = soft_heading_recall(document.headings(), human.headings(), embedder)
    final = average_final(fmean(whole), recalled)
    return (
        *scores,
        Score("soft heading recall", recalled, f"as published: cosines not clipped; {by}"),
        Score("soft heading recall, clipped", clipped, f"negative cosines count as 0; {by}"),
        Score("final score (NLPCC)", final, "mean of ROUGE average and soft heading recall (published), as defined"),
        *overlap(document.references, human.references),
    )
