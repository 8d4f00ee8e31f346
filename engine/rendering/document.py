"""A survey as every format prints it: sections with their numbers, text as runs, tables and figures counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.citations import list_cited_keys, replace_citations
from engine.overview import Name
from engine.survey import Figure, Section, Survey, Table, walk
from engine.text import clean
from engine.values import PaperKey


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text, or, where it is empty, the numbers of the references cited there."""

    text: str = ""
    cited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph (one item) or a list (an item each)."""

    items: tuple[tuple[Run, ...], ...]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class NumberedTable:
    """A table and its number in the document."""

    number: int
    table: Table


@dataclass(frozen=True, slots=True)
class NumberedFigure:
    """A figure and its number in the document."""

    number: int
    figure: Figure


@dataclass(frozen=True, slots=True)
class NumberedSection:
    """A section with its number (``2.1``), its depth from 1, and its tables and figures."""

    number: str
    section: Section
    tables: tuple[NumberedTable, ...]
    figures: tuple[NumberedFigure, ...]

    @property
    def depth(self) -> int:
        """1 for a section, 2 for a subsection."""
        return self.number.count(".") + 1


def number_sections(survey: Survey) -> Iterator[NumberedSection]:
    """All sections in reading order; tables and figures are counted through the document."""
    tables = figures = 0
    for number, section in walk(survey.sections):
        yield NumberedSection(
            number,
            section,
            tuple(NumberedTable(tables + i, table) for i, table in enumerate(section.tables, start=1)),
            tuple(NumberedFigure(figures + i, figure) for i, figure in enumerate(section.figures, start=1)),
        )
        tables += len(section.tables)
        figures += len(section.figures)


def parse_runs(text: str, numbers: Mapping[PaperKey, int]) -> tuple[Run, ...]:
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
            blocks.append(Block(tuple(parse_runs(line[2:], numbers) for line in lines), is_list=True))
        else:
            blocks.append(Block((parse_runs(block, numbers),)))
    return tuple(blocks)


def find_citing_sections(survey: Survey) -> dict[PaperKey, tuple[str, ...]]:
    """Each cited paper's sections, by number, in reading order."""
    found: defaultdict[PaperKey, dict[str, None]] = defaultdict(dict)
    for number, section in walk(survey.sections):
        cells = (cell for table in section.tables for row in table.rows for cell in row)
        for text in (section.text, *cells):
            for key in list_cited_keys(text):
                found[key][number] = None
    return {key: tuple(places) for key, places in found.items()}


def quotes_by_paper(survey: Survey) -> dict[PaperKey, tuple[str, ...]]:
    """The words that the survey takes from each paper, each once; a summary's are not the paper's."""
    found: defaultdict[PaperKey, dict[str, None]] = defaultdict(dict)
    for _, section in walk(survey.sections):
        for claim in section.claims:
            for citation in claim.citations:
                if citation.quote and citation.source != "summary":
                    found[citation.key][clean(citation.quote)] = None
    return {key: tuple(quotes) for key, quotes in found.items()}


def group_titles(survey: Survey) -> tuple[str, ...]:
    """The titles of sections in order: groups of figures bear them, and have one colour wherever they are drawn."""
    return tuple(section.title for _, section in walk(survey.sections))


def index_of_names(survey: Survey, numbers: Mapping[PaperKey, int]) -> Table | None:
    """The index of names as a table; ``None`` where the survey has none."""
    if not survey.names:
        return None

    def row(name: Name) -> tuple[str, ...]:
        known = [key for key in name.papers if key in numbers]
        return (
            clean(name.name),
            str(len(known)),
            f"[{'; '.join(f'@{key}' for key in known)}]" if known else "",
        )

    ordered = sorted(survey.names, key=lambda n: n.name.casefold())
    return Table("Names found in the papers.", ("Name", "Papers", "Where"), tuple(map(row, ordered)), (5, 1, 6))
