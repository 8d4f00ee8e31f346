"""What yardsticks share: files of JSON Lines, and reports, also beside what another commit printed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
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

Figures = dict[str, dict[str, float | None]]
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


def print_report(console: Console, title: str, document: Mapping[str, Any], options: ReportOptions) -> None:
    """Print a document as JSON, or its figures as a table, beside those of the document that another commit printed.

    Raises `UserError` where the other commit's file does not hold such a document.
    """
    if options.as_json:
        print(json.dumps(document, ensure_ascii=False, default=asdict))  # noqa: T201
        return
    figures, before = read_figures(document), Figures()
    if options.beside:
        try:
            before = read_figures(json.loads(options.beside.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"{options.beside} cannot be read as what another commit printed: {error!r}") from error
        if not before.keys() & figures.keys():
            raise UserError(f"{options.beside} does not hold what this command prints with --json.")
    print_table(console, title, figures, before)


def read_figures(document: Mapping[str, Any], name: str = "") -> Figures:
    """The numbers of a document: one row where it has some itself, else the rows of what it holds, by their names."""
    if "sets" in document:
        return {row["set"]: _flatten(row) for row in document["sets"]}
    if any(isinstance(value, int | float) for value in document.values()):
        return {name: _flatten(document)}
    rows = Figures()
    for key, value in document.items():
        rows |= read_figures(value, f"{name}: {key}" if name else key)
    return rows


def _flatten(row: Mapping[str, Any]) -> dict[str, float | None]:
    flat: dict[str, float | None] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            flat |= _flatten(value)
        elif value is None or isinstance(value, int | float):
            flat[name.replace("_", " ")] = value
    return flat


def print_table(console: Console, title: str, figures: Figures, before: Figures | None = None) -> None:
    """Print a line for each row, or for each figure of a single row without a name; ``before`` puts others beside."""
    if set(figures) == {""}:
        figures, before = (
            {column: {"": v} for column, v in rows.get("", {}).items()} for rows in (figures, before or {})
        )
    columns = list(dict.fromkeys(column for row in figures.values() for column in row))
    table = Table("", title=title)
    for column in columns:
        table.add_column(column, overflow="fold")
    for name, row in figures.items():
        cells = [_format(row.get(column)) for column in columns]
        if before:
            then = before.get(name, {})
            cells = [f"{_format(then.get(column))} → {cell}" for column, cell in zip(columns, cells, strict=True)]
        table.add_row(name, *cells)
    wide = Console(file=console.file, width=max(console.width, LEAST_WIDTH), markup=False, highlight=False)
    wide.print(table)


def _format(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
