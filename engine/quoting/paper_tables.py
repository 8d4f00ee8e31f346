"""A section's papers as a table: what each is about and found, in its own words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from engine.citations import cite
from engine.quoting.abstracts import Quotation, quote_finding, quote_gist
from engine.quoting.attribution import name_people
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

NOTHING = "–"
"""What a cell holds where the abstract says nothing of it."""


def is_papers_table(table: Table) -> bool:
    """Whether the table sets papers side by side, as `tabulate_papers` does."""
    return table.header[:2] == (WORK, YEAR) and set(table.header[2:]) <= set(QUOTED)


def tabulate_papers(
    papers: Sequence[Paper], title: str, cited: Collection[str] = ()
) -> tuple[Table, tuple[Claim, ...]]:
    """One row for each paper of the section with that title, oldest first, and the claims that the cells make.

    A column empty in most rows is left out; sentences ``cited`` beside the table are quoted before other findings.
    """
    ordered = sorted(papers, key=lambda p: (p.year or 9_999, -(p.citations or 0), p.key))
    columns = {name: [quote(paper, cited) for paper in ordered] for name, quote in QUOTED.items()}
    shown = {name: cells for name, cells in columns.items() if sum(map(bool, cells)) > LEAST_FILLED * len(ordered)}
    rows: list[tuple[str, ...]] = []
    claims: list[Claim] = []
    evidence: list[CellEvidence] = []
    for at, paper in enumerate(ordered):
        named = ", ".join(filter(None, (f"“{inert(paper.title)}”", name_people(paper))))
        row = [f"{named} {cite([paper.key])}", str(paper.year or NOTHING)]
        for cells in shown.values():
            if quotation := cells[at]:
                claims.append(claim := quotation.claim)
                evidence.append(CellEvidence(at, len(row), claim.citations[0]))
            row.append(quotation.cell if quotation else NOTHING)
        rows.append(tuple(row))
    header = (WORK, YEAR, *shown)
    widths = tuple(WIDTHS[name] for name in header)
    table = Table(f"Papers on {title}, oldest first.", header, tuple(rows), widths, evidence=tuple(evidence))
    return table, tuple(claims)
