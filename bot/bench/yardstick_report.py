"""What a yardstick prints: JSON, a table, or the same table beside what another commit printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from engine.errors import UserError

Figures = Mapping[str, Mapping[str, float | None]]
"""Row → column → figure; ``None`` where there is nothing to measure."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How a report is printed: as JSON, or beside the JSON of another commit, which is read from a file."""

    as_json: bool = False
    beside: Path | None = None


def print_report(
    console: Console,
    title: str,
    document: Mapping[str, Any],
    read_figures: Callable[[Mapping[str, Any]], Figures],
    options: ReportOptions,
) -> None:
    """Print ``document``; ``read_figures`` picks the table's figures from it, and from that of the other commit.

    Raises `UserError` where the other commit's file does not hold such a document.
    """
    other = _read_other(options.beside, read_figures) if options.beside else None
    if options.as_json:
        print(json.dumps(document, ensure_ascii=False))  # noqa: T201
        return
    figures = read_figures(document)
    table = Table("", title=title)
    for column in dict.fromkeys(column for row in figures.values() for column in row):
        table.add_column(column, overflow="fold")
    for name, row in figures.items():
        cells = [_format(value) for value in row.values()]
        if other is not None:
            before = other.get(name, {})
            cells = [f"{_format(before.get(column))} → {cell}" for column, cell in zip(row, cells, strict=True)]
        table.add_row(name, *cells)
    console.print(table)


def _read_other(path: Path, read_figures: Callable[[Mapping[str, Any]], Figures]) -> Figures:
    try:
        return read_figures(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} does not hold what this command prints with --json: {error!r}") from error


def _format(value: float | None) -> str:
    """Counts whole, shares with three digits."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
