"""What yardsticks share: files of JSON Lines, and reports, also beside what another commit printed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.table import Table

from engine.errors import UserError

Row = TypeVar("Row")

LEAST_WIDTH = 140
"""Characters that the widest table needs: a log is taken to have 80, and figures must not be cut there."""

Figures = Mapping[str, Mapping[str, float | None]]
"""Row → column → figure; ``None`` where there is nothing to measure."""


def read_json_lines(path: Path, row: type[Row]) -> list[Row]:
    """The lines of a file of JSON Lines, gzipped or not. Raises `UserError` with the number of a line that is wrong."""
    reader, found = TypeAdapter(row), list[Row]()
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            found += [reader.validate_json(line)] if line.strip() else []
        except ValidationError as error:
            where = ", ".join(".".join(map(str, e["loc"])) or "the line" for e in error.errors())
            raise UserError(f"{path.name}, line {number}: {where} cannot be read.") from error
    if not found:
        raise UserError(f"{path.name} holds no line.")
    return found


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
    before: Figures = {}
    if options.beside:
        try:
            before = read_figures(json.loads(options.beside.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"{options.beside} does not hold what this command prints with --json: {error!r}"
            ) from error
    if options.as_json:
        print(json.dumps(document, ensure_ascii=False, default=asdict))  # noqa: T201
        return
    figures = read_figures(document)
    columns = list(dict.fromkeys(column for row in figures.values() for column in row))
    table = Table("", title=title)
    for column in columns:
        table.add_column(column, overflow="fold")
    for name, row in figures.items():
        cells = [_format(row.get(column)) for column in columns]
        if options.beside:
            then = before.get(name, {})
            cells = [f"{_format(then.get(column))} → {cell}" for column, cell in zip(columns, cells, strict=True)]
        table.add_row(name, *cells)
    wide = Console(file=console.file, width=max(console.width, LEAST_WIDTH), markup=False, highlight=False)
    wide.print(table)


def _format(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
