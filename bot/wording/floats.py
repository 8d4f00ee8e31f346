"""Tables as lists, and where a table or a figure comes from, as a person reads it."""

from __future__ import annotations

from collections.abc import Callable

from engine.citations import list_cited_keys, numbers
from engine.overview import TimeLine
from engine.rendering.markdown import escape_markdown, with_numbers
from engine.survey import BarChart, Citation, FieldMap, Figure, Reproduction, Survey, Table, Taxonomy
from engine.text import clean, shorten

QUOTE_CHARACTERS = 160
ROWS_SHOWN = 12
"""Of a table; the files have all."""
SHORT_CELL_WORDS = 3
"""Up to so many a cell of a table is no sentence."""


CELLS_READ = "Each cell was taken from its paper by a language model, and a program held it against these words:"
CELLS_QUOTED = (
    "The years are those of the papers' records, the names were found by a program, and the sentences are the papers' "
    "own, perhaps shortened:"
)


def list_rows(table: Table, write: Callable[[str], str]) -> str:
    """The first rows of a table as a list, since no chat shows tables; ``write`` makes a cell's text a person's."""
    told = [f"**{escape_markdown(clean(table.caption))}**"]
    for row in table.rows[:ROWS_SHOWN]:
        cells = [(name, cell) for name, cell in zip(table.header, row, strict=False) if cell not in ("", "–")]
        first, *others = [write(_name_cell(name, cell)) for name, cell in cells] or [""]
        told.append(f"- {first}: {' · '.join(others)}" if others else f"- {first}")
    if len(table.rows) > ROWS_SHOWN:
        told.append(f"- … and {len(table.rows) - ROWS_SHOWN} more in the files: `export`")
    return "\n".join(told)


def _name_cell(name: str, cell: str) -> str:
    """A cell under its column's name where it is no sentence that speaks for itself, no year and no work."""
    is_plain = len(cell.split()) > SHORT_CELL_WORDS or cell.isdecimal() or list_cited_keys(cell)
    return cell if is_plain else f"{name}: {cell}"


def why_table(survey: Survey, table: Table, number: int) -> str:
    """Row by row, for each cell the words of the paper it is made of."""
    known = numbers(survey)
    head = f"**Table {number}. {escape_markdown(clean(table.caption))}**"
    if not table.evidence:
        keys = {key for row in table.rows for cell in row for key in list_cited_keys(cell)}
        return f"{head}\n\nIt was counted from the papers of this survey; {len(keys)} of them are named in it."
    are_own = all(item.citation.verdict in {"quoted", "summarised"} for item in table.evidence)
    lines = [head, "", CELLS_QUOTED if are_own else CELLS_READ]
    for at, row in enumerate(table.rows):
        lines += ["", f"**{with_numbers(row[0], known)}**"]
        lines += [
            f"- {escape_markdown(table.header[item.column])}: {with_numbers(row[item.column], known)} — "
            f"{_words(item.citation)}"
            for item in table.evidence
            if item.row == at
        ]
    return "\n".join(lines)


def why_figure(survey: Survey, figure: Figure, number: int) -> str:
    """How a figure was made."""
    head = f"**Figure {number}. {escape_markdown(clean(figure.caption))}**"
    match figure:
        case Taxonomy():
            how = "It shows the sections of this survey as they were approved; works are those that a part cites most."
        case BarChart() | TimeLine():
            how = "It was counted from the papers of this survey by their years."
        case FieldMap():
            how = "Papers lie near one another where their titles and abstracts share words and meaning."
        case Reproduction():
            how = (
                f"It was taken out of [{numbers(survey)[figure.key]}], whose licence ({figure.licence}) allows that, "
                f"because what the paper says about it is nearest to this section: <{figure.address}>."
            )
    return f"{head}\n\n{how}"


def _words(citation: Citation) -> str:
    words = escape_markdown(shorten(clean(citation.quote), QUOTE_CHARACTERS))
    page = f", page {citation.page}" if citation.page else ""
    return f"summary: {words}" if citation.source == "summary" else f"“{words}” ({citation.source}{page})"
