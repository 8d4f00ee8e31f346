"""Changes to a section that sets its papers side by side in a table: other rows, fewer, more, one claim less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.citations import list_cited_keys
from engine.errors import UserError
from engine.quoting.counts import frame_section
from engine.quoting.paper_tables import NOTHING, is_papers_table, tabulate_section
from engine.retrieval.embedding import Embedder, embed_papers, nearest
from engine.survey import Claim, Section, SectionChange, Table
from engine.values import Paper, PaperKey, PaperSelection

KEPT_SHARE, GROWTH = 0.6, 1.5
"""Rows afterwards, as a share of the rows before, where the section is shortened or expanded."""


def has_papers_table(section: Section) -> bool:
    """Whether the section is a table of its papers with what frames it."""
    return any(map(is_papers_table, section.tables))


def change_rows(old: Section, selection: PaperSelection, change: SectionChange, embedder: Embedder) -> Section:
    """The section with the rows that the change wants: shortened, expanded, or nearest to the wish."""
    papers = selection.list_included()
    shown = set(_keys(old))
    inside = [paper for paper in papers if paper.key in shown]
    about = embedder.embed([change.wish or old.title])[0]
    match change.way:
        case "shorten":
            kept = sorted(inside, key=lambda p: -(p.citations or 0))
            rows = kept[: max(1, round(KEPT_SHARE * len(kept)))]
        case "expand":
            others = [paper for paper in papers if paper.key not in shown]
            more = max(1, round((GROWTH - 1) * len(inside)))
            rows = [*inside, *nearest(others, embed_papers(embedder, others), about, more)] if others else inside
        case _:
            rows = list(nearest(papers, embed_papers(embedder, papers), about, max(1, len(inside))))
    return with_rows(old, rows)


def with_rows(old: Section, papers: Sequence[Paper]) -> Section:
    """The section with a table of these papers, framed anew; a quotation that opens it stays."""
    new = tabulate_section(papers, old.title)
    opening = [claim for claim in old.claims if claim.text in old.text]
    frame = frame_section(papers, ())
    return replace(
        old,
        text="\n\n".join([*(claim.text for claim in opening), frame]),
        claims=(*opening, *(claim for part in new for claim in part.claims)),
        tables=(*(part.table for part in new), *(table for table in old.tables if not is_papers_table(table))),
    )


def add_row(old: Section, paper: Paper, selection: PaperSelection) -> Section:
    """The section with one paper more in its table; raises `UserError` where it is there already."""
    shown = set(_keys(old))
    if paper.key in shown:
        raise UserError(f"“{paper.title[:80]}” is in that section already.")
    inside = [p for p in selection.list_included() if p.key in shown]
    return with_rows(old, [*inside, paper])


def remove_quotation(old: Section, gone: Claim) -> Section:
    """The section without what one claim quotes in a table."""
    cells = {f"“{citation.quote}" for citation in gone.citations} | {citation.quote for citation in gone.citations}

    def kept(row: tuple[str, ...]) -> tuple[str, ...]:
        about = set(list_cited_keys(" ".join(row))) & {citation.key for citation in gone.citations}
        return tuple(NOTHING if about and any(words in cell for words in cells) else cell for cell in row)

    def without(table: Table) -> Table:
        rows = tuple(map(kept, table.rows))
        evidence = tuple(one for one in table.evidence if rows[one.row][one.column] == table.rows[one.row][one.column])
        return replace(table, rows=rows, evidence=evidence)

    claims = tuple(claim for claim in old.claims if claim != gone)
    return replace(old, tables=tuple(map(without, old.tables)), claims=claims)


def _keys(section: Section) -> list[PaperKey]:
    tables = filter(is_papers_table, section.tables)
    return [key for table in tables for row in table.rows for key in list_cited_keys(row[0])]
