"""A survey as every format prints it: its parts in order, text as runs, tables and figures counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from engine.citations import list_section_keys, numbers, replace_citations
from engine.overview import AT_A_GLANCE, HOW_SEARCHED, NOT_COVERED, LineOfWork, Overview
from engine.survey import Figure, Survey, Table, introduce, walk
from engine.text import clean, inert
from engine.values import Paper, PaperKey, SearchRecord


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text (``strong``: names what follows; ``section``: where it leads to), or the numbers cited there."""

    text: str = ""
    cited: tuple[int, ...] = ()
    strong: bool = False
    section: str = ""


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, its depth from 1, and the number of its section, which what stands around the sections has not."""

    text: str
    depth: int = 1
    number: str = ""
    kind: Literal["heading"] = "heading"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph (one item) or a list (an item each)."""

    items: tuple[Runs, ...]
    kind: Literal["paragraph", "list", "numbered list"] = "paragraph"


@dataclass(frozen=True, slots=True)
class NumberedTable:
    """A table, its number in the document (0: not counted), and its columns' shares of the whole width."""

    number: int
    caption: Runs
    header: tuple[str, ...]
    rows: tuple[tuple[Runs, ...], ...]
    widths: tuple[int, ...]
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class NumberedFigure:
    """A figure, its number in the document, and the sentence that stands before it (empty where there is none)."""

    number: int
    introduction: str
    caption: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """The figures of one section."""

    items: tuple[NumberedFigure, ...]
    kind: Literal["figures"] = "figures"


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """Where the references stand, under their heading."""

    kind: Literal["references"] = "references"


Part = Heading | Block | NumberedTable | FigureGroup | ReferenceList
"""What a document is made of below its abstract."""


def list_parts(survey: Survey) -> Iterator[Part]:
    """Everything below title, notice and abstract, in the order in which it is read."""
    if survey.overview:
        yield from _list_overview(survey.overview, numbers(survey), survey.references)
    yield from list_section_parts(survey)
    if survey.not_covered:
        yield Heading(NOT_COVERED)
        yield _paragraph("Groups of papers near the topic that were found and left out.")
        groups = (
            (Run(clean(g.title), strong=True), Run(f" ({g.papers} papers), for example {clean('; '.join(g.examples))}"))
            for g in survey.not_covered
        )
        yield Block(tuple(groups), "list")
    yield ReferenceList()
    yield from _list_search(survey)


def list_section_parts(survey: Survey) -> Iterator[Part]:
    """The parts of all sections in reading order; tables and figures are counted through the document."""
    known, tables, figures = numbers(survey), count(1), count(1)
    for place, section in walk(survey.sections):
        yield Heading(clean(section.title), place.count(".") + 1, place)
        yield from parse_blocks(section.text, known)
        if section.figures:
            counted = zip(section.figures, figures, strict=False)
            yield FigureGroup(tuple(NumberedFigure(n, clean(introduce(f, n)), clean(f.caption), f) for f, n in counted))
        for table, number in zip(section.tables, tables, strict=False):
            if said := introduce(table, number):
                yield _paragraph(said)
            yield _parse_table(number, table, known)


def _parse_table(number: int, table: Table, known: Mapping[PaperKey, int]) -> NumberedTable:
    rows = tuple(tuple(parse_runs(cell, known) for cell in row) for row in table.rows)
    header = tuple(map(clean, table.header))
    widths = table.widths if len(table.widths) == len(header) else (1,) * len(header)
    return NumberedTable(number, parse_runs(table.caption, known), header, rows, widths)


def _list_overview(overview: Overview, known: Mapping[PaperKey, int], references: tuple[Paper, ...]) -> Iterator[Part]:
    yield Heading(AT_A_GLANCE)
    yield from parse_blocks(overview.text, known)
    if overview.lines:
        yield Heading("Lines of Work", 2)
        lines = (
            (
                Run(f"{line.number} {clean(line.title)}", strong=True, section=line.number),
                Run(f" ({describe_papers(line)}): "),
                *parse_runs(line.text, known),
            )
            for line in overview.lines
        )
        yield Block(tuple(lines), "list")
    if start := [point for point in overview.start if point.key in known]:
        yield Heading("Where to Start Reading", 2)
        points = (
            (
                Run(f"{clean(references[known[point.key] - 1].title)} "),
                Run(cited=(known[point.key],)),
                Run(f": {clean(point.reason)}"),
            )
            for point in start
        )
        yield Block(tuple(points), "numbered list")


def _list_search(survey: Survey) -> Iterator[Part]:
    """How the survey was searched; what searches and papers say is quoted as it is, and cites nothing."""
    yield Heading(HOW_SEARCHED)
    if survey.searches:
        searches = tuple((s.source, inert(s.query), s.date, describe_search(s)) for s in survey.searches)
        yield _parse_table(0, Table("", ("Source", "Query", "Date", "Papers found"), searches, (2, 5, 2, 3)), {})
    if survey.facts:
        yield Block(tuple((Run(clean(f"{name}: {value}")),) for name, value in survey.facts), "list")
    if survey.left_out:
        yield Heading("Left Out", 2)
        out = tuple((inert(f"{o.paper.title} ({o.paper.key})"), o.why, inert(o.reason)) for o in survey.left_out)
        yield _parse_table(0, Table("", ("Paper", "Why", "Reason"), out, (5, 2, 5)), {})
    if survey.warnings:
        yield Heading("Warnings", 2)
        yield Block(tuple((Run(clean(f"{w.kind}, {w.place}: {w.detail}")),) for w in survey.warnings), "list")


def _paragraph(text: str) -> Block:
    return Block(((Run(clean(text)),),))


def describe_papers(line: LineOfWork) -> str:
    """How many papers a line of work has, of which years."""
    count = f"{line.papers} paper{'s' if line.papers != 1 else ''}"
    if not line.first:
        return count
    return f"{count}, {line.first}" + (f"–{line.last}" if line.last != line.first else "")


def describe_search(search: SearchRecord) -> str:
    """What a search gave, and what is to be known about it."""
    return f"{search.found:,}" + (f" ({clean(inert(search.note))})" if search.note else "")


def parse_runs(text: str, numbers: Mapping[PaperKey, int]) -> Runs:
    """Text and citations in turn; numbers in ascending order."""
    runs: list[Run] = []

    def cite(keys: tuple[PaperKey, ...]) -> str:
        runs.append(Run(cited=tuple(sorted(numbers[key] for key in keys))))
        return ""

    def keep(part: str) -> str:
        if part:
            runs.append(Run("".join(" " if ch.isspace() else ch for ch in part)))
        return ""

    replace_citations(clean(text), cite, keep)
    return tuple(runs)


def parse_blocks(text: str, numbers: Mapping[PaperKey, int]) -> tuple[Block, ...]:
    """Paragraphs and lists of a section's text."""
    blocks = []
    for block in filter(None, text.split("\n\n")):
        lines = block.split("\n")
        if all(line.startswith("- ") for line in lines):
            blocks.append(Block(tuple(parse_runs(line[2:], numbers) for line in lines), "list"))
        else:
            blocks.append(Block((parse_runs(block, numbers),)))
    return tuple(blocks)


def find_citing_sections(survey: Survey) -> Mapping[PaperKey, Sequence[str]]:
    """Each cited paper's sections, by number, in reading order."""
    found: defaultdict[PaperKey, list[str]] = defaultdict(list)
    for number, section in walk(survey.sections):
        for key in list_section_keys(section):
            found[key].append(number)
    return found


def quotes_by_paper(survey: Survey) -> Mapping[PaperKey, Sequence[str]]:
    """The words that the survey takes from each paper, each once; a summary's are not the paper's."""
    found: defaultdict[PaperKey, list[str]] = defaultdict(list)
    cited = (c for _, section in walk(survey.sections) for claim in section.claims for c in claim.citations)
    for key, quote in dict.fromkeys((c.key, clean(c.quote)) for c in cited if c.quote and c.source != "summary"):
        found[key].append(quote)
    return found


def group_titles(survey: Survey) -> tuple[str, ...]:
    """The titles of sections in order: groups of figures bear them, and have one colour wherever they are drawn."""
    return tuple(section.title for _, section in walk(survey.sections))
