"""Steps that recipes share: how long each part becomes, the parts every survey has, and putting it together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from engine.citations import remove_citations, with_references
from engine.errors import LanguageModelError
from engine.gathering.search_record import search_flow
from engine.limits import LENGTH_CLASSES_TOKENS, TOKENS_PER_WORD
from engine.overview import NearbyGroup, Overview
from engine.retrieval.embedding import Vectors, embed_papers, nearest
from engine.run import RunContext, WritingTask
from engine.session.kept_text import list_missing
from engine.survey import UNWRITTEN, Section, Survey, SurveyWarning
from engine.text import list_words, shorten
from engine.values import Brief, Outline, OutlineNode, Paper, PaperKey, walk_outline
from engine.writing.drafting import Assignment, Draft
from engine.writing.notices import with_notice

MARGIN = 1.25
"""A survey aims this far above the lower end of its length class, so that it surely reaches it."""

FRAME_WORDS = 500
"""Words of introduction, tables and conclusion together."""


def words_for_each(brief: Brief, outline: Outline) -> int:
    """Words for one leaf of the outline, so that the survey reaches its length class."""
    if brief.subsection_words is not None:
        return brief.subsection_words
    leaves = len(outline.list_parts())
    total = LENGTH_CLASSES_TOKENS[brief.length] * MARGIN / TOKENS_PER_WORD - FRAME_WORDS
    return max(80, round(total / max(1, leaves)))


def assign(brief: Brief, outline: Outline, trial: int = 0) -> Assignment:
    """What all subsections of the outline have in common."""
    return Assignment(brief.topic, outline, words_for_each(brief, outline), trial, brief.wishes)


def frame_outline(body: Sequence[OutlineNode], topic: str) -> tuple[OutlineNode, ...]:
    """The body after an introduction."""
    introduction = OutlineNode(
        "Introduction",
        f"What this survey covers of {topic}, from which papers and how it is ordered",
        role="introduction",
    )
    return (introduction, *body)


async def supply_papers(
    outline: Outline, papers: Sequence[Paper], context: RunContext, count: int = 0, vectors: Vectors | None = None
) -> Outline:
    """The outline with papers for each section of the body that has neither papers nor parts.

    It gets the ``count`` papers nearest to what it says, best first (`Limits.papers_per_node` without a count). Row i
    of ``vectors``, where they are known already, is paper i; else the papers are embedded here.
    """
    bare = [node for node in outline.list_parts() if not node.papers]
    most = count or context.limits.papers_per_node

    def find() -> dict[OutlineNode, list[PaperKey]]:
        rows = embed_papers(context.embedder, papers) if vectors is None else vectors
        about = context.embedder.embed([node.describe() for node in bare])
        near = [nearest(papers, rows, one, most) for one in about]
        return {node: [paper.key for paper in own] for node, own in zip(bare, near, strict=True)}

    found = await asyncio.to_thread(find) if bare else {}
    return outline.give_papers(lambda node: found.get(node, node.papers))


FIRST_PAPERS = 20
"""Papers closest to the topic of which a survey tells those that it does not cite."""

ALWAYS_TOLD = frozenset({"Records found", "Left out by the reader", "Papers gathered"})
"""What is told of the search even where it is none."""


def assemble_survey(
    task: WritingTask,
    sections: Mapping[int, Section],
    method: str,
    overview: Overview | None = None,
    nearby: Sequence[NearbyGroup] = (),
) -> Survey:
    """The survey of the sections that hold something, in outline order, citations resolved, gaps reported."""
    outline, selection = task.outline, task.selection
    papers = {paper.key: paper for paper in selection.list_included()}
    missing = list_missing(outline, sections)
    warnings = [SurveyWarning("unfinished", f"{number} {node.title}", UNWRITTEN) for number, node in missing]
    warnings += [
        SurveyWarning("thin evidence", number, f"{len(n.all_papers())} papers")
        for number, n in walk_outline(outline.nodes)
        if n.is_thin
    ]
    survey = Survey(
        title=outline.title,
        abstract="",
        sections=tuple(sections[i] for i in sorted(sections) if holds_something(sections[i])),
        references=(),
        method=method,
        searches=selection.searches,
        left_out=selection.all_left_out(),
        warnings=tuple(warnings),
        overview=overview,
        not_covered=tuple(nearby) if overview else (),
    )
    resolved = with_references(survey, papers)
    cited = {paper.key for paper in resolved.references}
    omitted = [shorten(p.title, 100) for p in selection.list_included()[:FIRST_PAPERS] if p.key not in cited]
    facts = (
        *((name, f"{count:,}") for name, count in search_flow(selection) if count or name in ALWAYS_TOLD),
        ("Papers cited", str(len(cited))),
        *([(f"Not cited, of the first {FIRST_PAPERS} papers", "; ".join(omitted))] if omitted else []),
    )
    return with_notice(replace(resolved, abstract=_abstract(task.brief, outline, resolved), facts=facts))


def open_section(title: str, parts: tuple[Section, ...]) -> Section:
    """A section that names its parts by their approved titles: its description is a model's, which nothing checked."""
    titles = [part.title for part in parts]
    order = f"first {titles[0]}, then {titles[1]}" if len(titles) == 2 else list_words(titles)
    return Section(title, f"This section covers {order}.", sections=parts)


def holds_something(section: Section) -> bool:
    """Whether there is anything to print of it."""
    return bool(section.text or section.tables or section.figures or section.sections)


def fail_with_nothing(warnings: Sequence[SurveyWarning]) -> LanguageModelError:
    """The error where no section was written: its reason is why one stayed unfinished, not what was read oddly."""
    reason = next((w.detail for w in warnings if w.kind == "unfinished"), "no section is left to write")
    return LanguageModelError(f"Nothing could be written: {reason}", retryable=True)


def add_warnings(survey: Survey, warnings: Sequence[SurveyWarning]) -> Survey:
    """The survey with more warnings, each once."""
    return replace(survey, warnings=tuple(dict.fromkeys((*survey.warnings, *warnings))))


def add_abstract(survey: Survey, abstract: Draft | None) -> Survey:
    """The survey with the abstract that was written of it, without citations, after how many papers it cites."""
    if abstract is None:
        return survey
    count = len(survey.references)
    told = f"This survey cites {count} {'paper' if count == 1 else 'papers'}{tell_years(survey.references)}."
    text = f"{told} {remove_citations(abstract.text)}"
    return with_notice(replace(survey, abstract=text, tally=abstract.tally))


def _abstract(brief: Brief, outline: Outline, survey: Survey) -> str:
    lines = [node.title for node in outline.nodes if node.role == "body"]
    body = f" It covers {list_words(lines)}." if lines else ""
    ending = " It ends with the problems the papers leave open." if outline.nodes[-1].role == "conclusion" else ""
    cited = f"{len(survey.references)} papers{tell_years(survey.references)}"
    return f"A survey of {brief.topic} that cites {cited}.{body}{ending}"


def tell_years(papers: Iterable[Paper]) -> str:
    """From when to when they were published; empty where that is not known."""
    years = sorted(p.year for p in papers if p.year)
    return f" published between {years[0]} and {years[-1]}" if years else ""
