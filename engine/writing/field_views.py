"""A survey as a language model composes it, with what it shows beside its text in the words of the papers it cites."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from engine.citations import list_cited_keys
from engine.overview import NearbyGroup, Overview
from engine.quoting.attribution import whose_words
from engine.quoting.field_overview import Line, draw_growth, draw_map, draw_time_line, group_nearby, write_overview
from engine.quoting.paper_tables import tabulate_papers
from engine.run import RunContext, WritingTask
from engine.survey import Section, Survey, walk
from engine.text import terms
from engine.values import Brief, Paper, PaperKey, Query
from engine.writing.assembly import add_abstract, add_warnings, assemble_survey, fail_with_nothing, holds_something
from engine.writing.composing import Composition

NEARBY_PAPERS = 60
"""Papers near the topic, beside those of the survey, that are grouped to say what it does not cover."""

PAIRS_OF_TOPIC = 2
"""Pairs of neighbouring words in a topic of three words, of which a paper near it has one at least."""

FEWEST_ROWS, MOST_ROWS = 3, 12
"""Papers in a section's table: those cited most by others; fewer make no table."""

FEWEST_ON_MAP = 20
"""Cited papers for a map beside the text."""

SIDE_BY_SIDE = "{{}} sets papers of this section side by side, {}."
GROWTH = "{} counts the papers on the topic that were gathered, year by year."
TIME_LINE = "{} shows when the works cited here appeared, section by section."
MAP = "{} shows the works cited here by what they are about."


async def compose_survey(
    composition: Composition, task: WritingTask, method: str, *, tables: bool = True, figures: bool = True
) -> Survey:
    """The survey of every section that could be written, with its field, its abstract, its notes and warnings.

    ``task`` has the outline that is composed. Raises `LanguageModelError` where no section of the body was written.
    """
    context, included = composition.context, list(composition.papers.values())
    async with asyncio.TaskGroup() as group:
        looking = group.create_task(find_nearby(task.brief, included, context))
        writing = group.create_task(composition.write(task.kept))
    written = writing.result()
    if not any(task.outline.nodes[position].role == "body" for position in written):
        raise fail_with_nothing(composition.warnings)
    found = (*task.selection.found, *composition.known.values())
    whole = replace(task, selection=replace(task.selection, found=found))
    sections, overview = await view_field(whole, written, context, tables=tables, figures=figures)
    assembled = assemble_survey(whole, sections, method, overview, looking.result())
    survey = add_warnings(add_abstract(assembled, composition.abstract), composition.warnings)
    return replace(survey, notes=composition.list_notes(), facts=(*survey.facts, *composition.judged))


async def view_field(
    task: WritingTask,
    sections: Mapping[int, Section],
    context: RunContext,
    *,
    tables: bool = True,
    figures: bool = True,
) -> tuple[dict[int, Section], Overview | None]:
    """The sections (by position) with ``tables`` of their papers and ``figures`` in the first, and any first page."""
    lines, shown = lines_of_text(task, sections), dict(sections)
    if not lines:
        return shown, None
    if tables:
        papers = {line.title: line.papers for line in lines}
        for position, section in sections.items():
            if task.outline.nodes[position].role == "body":
                shown[position] = await asyncio.to_thread(_with_table, section, papers.get(section.title, ()))
    if figures:
        cited = sum(len(line.papers) for line in lines)
        field_map = await asyncio.to_thread(draw_map, lines, context.embedder) if cited >= FEWEST_ON_MAP else None
        drawn = ((draw_growth(task.selection.found), GROWTH), (draw_time_line(lines), TIME_LINE), (field_map, MAP))
        told = tuple(replace(figure, introduction=said) for figure, said in drawn if figure)
        shown[min(shown)] = replace(shown[min(shown)], figures=told)
    return shown, write_overview(task.brief.topic, lines)


def lines_of_text(task: WritingTask, sections: Mapping[int, Section]) -> tuple[Line, ...]:
    """The sections of the body as lines of work, each with the papers that it cites more often than the others."""
    known = {paper.key: paper for paper in task.selection.list_included()}
    printed = [position for position in sorted(sections) if holds_something(sections[position])]
    cited = {
        position: [key for _, part in walk((sections[position],)) for key in list_cited_keys(part.text) if key in known]
        for position in printed
        if task.outline.nodes[position].role == "body"
    }
    home: dict[PaperKey, int] = {}
    for position, keys in cited.items():
        for key in keys:
            if key not in home or keys.count(key) > cited[home[key]].count(key):
                home[key] = position
    return tuple(
        Line(str(printed.index(position) + 1), sections[position].title, own)
        for position, keys in cited.items()
        if (own := tuple(known[key] for key in dict.fromkeys(keys) if home[key] == position))
    )


async def find_nearby(
    brief: Brief, included: Sequence[Paper], context: RunContext, lines: Collection[str] = ()
) -> tuple[NearbyGroup, ...]:
    """Groups of papers of the library near the topic that the survey leaves out; ``lines`` are its lines of work."""
    used = frozenset(key for paper in included for key in (paper.key, *paper.identifiers))
    query = Query(brief.topic, NEARBY_PAPERS, "relevance", brief.years, used)
    found = [item.paper for item in await context.library.search(query)]
    found = [paper for paper in found if _is_near(paper, terms(brief.topic))]
    return await asyncio.to_thread(group_nearby, found, brief.topic, context.embedder, context.seed, lines)


def _is_near(paper: Paper, topic: Sequence[str]) -> bool:
    """Whether the paper says the topic's words; of three and more, two side by side: one may be another subject's."""
    said = [terms(text) for text in (paper.title, paper.content)]
    wanted = set(pairwise(topic))
    if len(wanted) < PAIRS_OF_TOPIC:
        return set(topic) <= {term for text in said for term in text}
    return any(pair in wanted for text in said for pair in pairwise(text))


def _with_table(section: Section, papers: Sequence[Paper]) -> Section:
    """The section with the table of its papers, and its claims, in the place of those from an earlier writing."""
    former = {(cell.citation,) for table in section.tables for cell in table.evidence}
    own = (claim for claim in section.claims if claim.text in section.text or claim.citations not in former)
    section = replace(section, tables=(), claims=tuple(own))
    if len(papers) < FEWEST_ROWS:
        return section
    known = sorted(papers, key=lambda p: (-(p.citations or 0), p.key))[:MOST_ROWS]
    claims = [claim for _, part in walk((section,)) for claim in part.claims]
    cited = {citation.quote for claim in claims for citation in claim.citations}
    table, quoted = tabulate_papers(known, section.title, cited)
    table = replace(table, introduction=SIDE_BY_SIDE.format(whose_words(known)))
    return replace(section, tables=(table,), claims=tuple(dict.fromkeys((*section.claims, *quoted))))
