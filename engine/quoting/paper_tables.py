"""A section's papers as a table: what each is about and found, in its own words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.citations import cite
from engine.quoting.abstracts import Quotation, quote_finding, quote_gist
from engine.quoting.attribution import name_people
from engine.quoting.counts import years_of
from engine.survey import CellEvidence, Claim, Table
from engine.text import inert
from engine.values import Paper

WORK, YEAR = "Work", "Year"
QUOTED: Mapping[str, Callable[[Paper, Collection[str]], Quotation | None]] = {
    "In its words": lambda paper, _: quote_gist(paper),
    "Found": quote_finding,
}
"""Columns with quotations, and how a paper's is chosen, where these sentences are cited beside."""

WIDTHS = {WORK: 5, YEAR: 1, **dict.fromkeys(QUOTED, 7)}

LEAST_FILLED = 0.5
"""Share of the rows in which a column has to say something to be shown."""

MOST_ROWS = 40
"""Rows of one table: a longer one is not read."""

NOTHING = "–"
"""What a cell holds where the abstract says nothing of it."""


@dataclass(frozen=True, slots=True)
class QuotedTable:
    """A table and the claims that its cells make."""

    table: Table
    claims: tuple[Claim, ...]


def caption_table(title: str, years: str = "oldest first") -> str:
    """The caption of the table of a section's papers."""
    return f"Papers on {title}, {years}."


def is_papers_table(table: Table) -> bool:
    """Whether the table sets papers side by side, as `tabulate_papers` does."""
    return table.header[:2] == (WORK, YEAR) and set(table.header[2:]) <= set(QUOTED)


def tabulate_section(papers: Sequence[Paper], title: str) -> list[QuotedTable]:
    """The table of a section's papers; where they are more than `MOST_ROWS`, one for each stretch of years."""
    ordered, count = _order(papers), -(-len(papers) // MOST_ROWS)
    if count <= 1:
        return [tabulate_papers(papers, caption_table(title))]
    ends = [len(ordered) * part // count for part in range(count + 1)]
    parts = [ordered[begin:end] for begin, end in pairwise(ends)]
    spans = [f"{years[0]} to {years[-1]}" if (years := years_of(part)) else "of unknown years" for part in parts]
    return [tabulate_papers(part, caption_table(title, span)) for part, span in zip(parts, spans, strict=True)]


def _order(papers: Sequence[Paper]) -> list[Paper]:
    return sorted(papers, key=lambda p: (p.year or 9_999, -(p.citations or 0), p.key))


def tabulate_papers(papers: Sequence[Paper], caption: str, cited: Collection[str] = ()) -> QuotedTable:
    """One row for each paper, oldest first; a column that is empty in most rows is left out.

    Sentences that are ``cited`` beside the table are quoted before others that say what was found.
    """
    ordered = _order(papers)
    quoted = {title: [quote(paper, cited) for paper in ordered] for title, quote in QUOTED.items()}
    shown = {
        title: cells
        for title, cells in quoted.items()
        if sum(cell is not None for cell in cells) > LEAST_FILLED * len(ordered)
    }
    rows: list[tuple[str, ...]] = []
    claims: list[Claim] = []
    evidence: list[CellEvidence] = []
    for at, paper in enumerate(ordered):
        people = f", {named}" if (named := name_people(paper)) else ""
        row = [f"“{inert(paper.title)}”{people} {cite([paper.key])}", str(paper.year or NOTHING)]
        for cells in shown.values():
            if quotation := cells[at]:
                claims.append(claim_of(paper, quotation))
                evidence.append(CellEvidence(at, len(row), quotation.citation))
            row.append(quotation.cell if quotation else NOTHING)
        rows.append(tuple(row))
    header = (WORK, YEAR, *shown)
    widths = tuple(WIDTHS[title] for title in header)
    return QuotedTable(Table(caption, header, tuple(rows), widths, evidence=tuple(evidence)), tuple(claims))


def claim_of(paper: Paper, quotation: Quotation) -> Claim:
    """The claim that a quotation in a table makes, as a sentence that cites its paper."""
    work = name_people(paper) or f"“{inert(paper.title)}”"
    return Claim(f"{work}: {quotation.cell} {cite([paper.key])}.", (quotation.citation,))
