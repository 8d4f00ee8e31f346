"""Sections of a survey without a language model: figures that frame them, the papers' own words in tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.citations import cite
from engine.naming.clustering import is_rest
from engine.naming.names import find_names
from engine.overview import Name, index_names
from engine.quoting import attribution
from engine.retrieval.embedding import Embedder
from engine.survey import Claim, Section
from engine.text import list_words
from engine.values import Brief, Outline, OutlineNode, Paper, PaperKey
from engine.writing.definitions import VACUOUS, find_definition
from engine.writing.extractive import quotable, quote_sentences
from engine.writing.field_overview import Line, draw_map, draw_time_line
from engine.writing.framing import frame_section, years_of
from engine.writing.notices import name_contents
from engine.writing.open_problems import find_open_problems
from engine.writing.paper_tables import caption_table, compare_results, names_subject, tabulate_papers, whose_words
from engine.writing.quotation import Quotation, shorten_quotation

SET_APART = "Set apart by: "
"""How the description of a cluster begins."""

OPEN_PROBLEMS = 8
"""Quotations in the section of open problems."""

SETTINGS_DIFFER = "Settings may differ between papers; read them before comparing."

SUBJECT_WITHIN = 45
"""Characters of an opening quotation, from its start, in which the section's title begins: it is what is spoken of."""

LONGEST_OPENING = 35
"""Words of the quotation that opens a section."""


@dataclass(frozen=True, slots=True)
class Material:
    """What the sections are written from: the papers that may be used, and the names that they use."""

    brief: Brief
    papers: Mapping[PaperKey, Paper]
    names: tuple[Name, ...]

    def of(self, node: OutlineNode) -> tuple[Paper, ...]:
        """The papers of a section and of those below it."""
        return tuple(self.papers[key] for key in node.all_papers() if key in self.papers)


def collect_material(brief: Brief, papers: Sequence[Paper]) -> Material:
    """The papers with the names found in them."""
    return Material(brief, {paper.key: paper for paper in papers}, find_names(papers, brief.topic))


def lines_of(outline: Outline, material: Material) -> tuple[Line, ...]:
    """The lines of work of an outline that have papers, with the numbers of their sections."""
    return tuple(
        Line(str(number), node.title, terms_of(node), material.of(node), tuple(part.title for part in node.children))
        for number, node in enumerate(outline.nodes, start=1)
        if node.role == "body" and material.of(node)
    )


def terms_of(node: OutlineNode) -> tuple[str, ...]:
    """The terms that set a section apart, as its description lists them."""
    if not node.description.startswith(SET_APART):
        return ()
    return tuple(node.description.removeprefix(SET_APART).split(", "))


def write_line(node: OutlineNode, material: Material, position: int) -> Section:
    """A line of work: what frames it, numbers on the same data, its papers as a table or in the parts below."""
    section = _write_part(node, material, position)
    compared = compare_results(material.of(node), material.names)
    if not compared:
        return section
    text = section.text
    if compared.comparisons:
        text += "\n\n" + " ".join([*(claim.text for claim in compared.comparisons), SETTINGS_DIFFER])
    claims = (*section.claims, *compared.comparisons, *compared.results.claims)
    return replace(section, text=text, tables=(*section.tables, compared.results.table), claims=claims)


def _write_part(node: OutlineNode, material: Material, position: int, said: str = "") -> Section:
    """A part of the survey and those below it; none opens with what is ``said`` above it."""
    papers = material.of(node)
    if not papers:
        return Section(node.title, "No paper was gathered for this section.")
    opening = _write_opening(node, [paper for paper in papers if cite([paper.key]) not in said], material)
    said += opening.text if opening else ""
    below = tuple(_write_part(child, material, position + i, said) for i, child in enumerate(node.children, start=1))
    frame = frame_section(papers, terms_of(node), position)
    text = f"{opening.text}\n\n{frame}" if opening else frame
    claims = (opening,) if opening else ()
    if below:
        parts = list_words(child.title for child in node.children)
        return Section(node.title, f"{text} Its parts: {parts}.", claims, below)
    table = tabulate_papers(papers, index_names(material.names), caption_table(node.title))
    return Section(node.title, text, (*claims, *table.claims), tables=(table.table,))


def _write_opening(node: OutlineNode, papers: Sequence[Paper], material: Material) -> Claim | None:
    """What the section is about in the words of a paper: a definition, else its problem; ``None`` where none fits."""
    if not names_subject(node.title):
        return None
    quotation = find_definition(node.title, papers, material.brief.topic) or _quote_problem(node.title, papers)
    if quotation is None:
        return None
    who, cited = attribution(quotation.paper), cite([quotation.paper.key])
    return Claim(f"{quotation.cell} — {who} {cited}", (quotation.citation,))


_NO_OPENING = re.compile(
    r"^(?:there|most|many|current|recent|in recent|with the|over the|since|modern|in the era)\b|"
    r"\b(?:have|has) (?:been|shown|demonstrated|showcased|achieved|emerged)\b|\b(?:a|an) (?:new|novel)\b|"
    r"\b(?:is|are) (?:introduced|proposed|presented|described|studied)\b",
    re.I,
)
"""What tells what others did."""


def _quote_problem(title: str, papers: Sequence[Paper]) -> Quotation | None:
    """The sentence of the paper cited most that surely states the problem and speaks of the title's subject.

    It does so in the part of it that is shown.
    """
    said = re.compile(r"[ -]".join(f"{re.escape(word)}s?" for word in re.split(r"[ -]", title) if word), re.I)
    fitting = [
        shorten_quotation(sentence)
        for paper in papers
        for sentence in quotable(paper)
        if sentence.statement == "problem"
        and sentence.is_sure
        and len(sentence.text.split()) <= LONGEST_OPENING
        and not (_NO_OPENING.search(sentence.text) or VACUOUS.search(sentence.text))
    ]
    telling = (q for q in fitting if (found := said.search(q.shown)) and found.start() <= SUBJECT_WITHIN)
    return max(telling, key=lambda q: q.paper.citations or 0, default=None)


def write_introduction(node: OutlineNode, material: Material, lines: Sequence[Line], embedder: Embedder) -> Section:
    """Scope and order of the survey, its time line and its map."""
    papers = [paper for line in lines for paper in line.papers]
    years = material.brief.years
    limits = "" if str(years) == ".." else f" Only papers of the years {years} were considered."
    order = list_words(f"{line.title} (Section {line.number})" for line in lines)
    text = f"This reading map of the literature on {material.brief.topic} was made from {len(papers)} papers."
    framed = "the work of some years" if all(is_rest(line.title) for line in lines) else "one line of work"
    text += f"{limits} Each section frames {framed} in figures and sets its papers side by side {whose_words(papers)}"
    text += f": {order}." if lines else "."
    figures = (draw_time_line(lines), draw_map(lines, embedder))
    turns = _turns(lines)
    return Section(
        node.title,
        f"{text}\n\n{turns}" if turns else text,
        figures=tuple(figure for figure in figures if figure is not None),
    )


def _turns(lines: Sequence[Line]) -> str:
    """Which line of work began first, and which is the youngest by its median year; nothing of one that ties.

    A heading that names no subject ("Foundations") may be the first or the youngest too: then none is named.
    """
    named = [line for line in lines if not is_rest(line.title)]
    dated = [(years[len(years) // 2], years[0], line.title) for line in named if (years := years_of(line.papers))]
    if len(dated) < 2:
        return ""
    first, second = sorted(dated, key=lambda d: d[1])[:2]
    next_youngest, youngest = sorted(dated)[-2:]
    if first == youngest:
        return ""
    said = []
    if first[1] != second[1] and names_subject(first[2]):
        said.append(f"{first[2]} begins first, in {first[1]}")
    if next_youngest[0] != youngest[0] and names_subject(youngest[2]):
        said.append(f"the youngest is {youngest[2]}, half of whose papers are from {youngest[0]} or later")
    return f"Of the lines of work, {'; '.join(said)}." if said else ""


def write_open_problems(node: OutlineNode, lines: Sequence[Line]) -> Section:
    """What papers say remains to be done, few and in their words; a section without text where none says it."""
    problems = find_open_problems([paper for line in lines for paper in line.papers])[:OPEN_PROBLEMS]
    if not problems:
        return Section(node.title, "")
    claims: list[Claim] = []
    listed: list[str] = []
    for line in lines:
        keys = {paper.key for paper in line.papers}
        for claim in (quote_sentences([s]) for s in problems if s.paper.key in keys):
            claims.append(claim)
            listed.append(f"- {claim.text}")
    contents = name_contents(problem.paper for problem in problems)
    said = f"Found at the end of these {contents} as what remains to be done:"
    return Section(node.title, f"{said}\n\n" + "\n".join(listed), tuple(claims))
