"""The command `bench identity`: two different papers made one, and one paper left as two."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, StrictBool, ValidationError
from rich.console import Console

from engine.errors import RecordError, UserError
from engine.retrieval.merging.merged_papers import MergedPapers
from engine.retrieval.records.record_files import read_record
from engine.values import Paper


@dataclass(frozen=True, slots=True)
class RecordPair:
    """Two records, their line in the file (from 1), and whether they are one paper."""

    line: int
    a: Paper
    b: Paper
    same: bool


@dataclass(frozen=True, slots=True)
class WrongPair:
    """A pair that was judged wrongly: its line, its titles, and what they are."""

    line: int
    a: str
    b: str
    same: bool


@dataclass(frozen=True, slots=True)
class IdentityFigures:
    """Pairs by what they are, and how many of each kind were judged wrongly."""

    pairs: int
    same: int
    different: int
    false_merges: int
    missed_merges: int
    wrong: tuple[WrongPair, ...]


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")

    a: dict[str, JsonValue]
    b: dict[str, JsonValue]
    same: StrictBool


async def identity(console: Console, pairs: Path, *, as_json: bool) -> int:
    """Print the figures of a file of pairs; 0 however many are wrong."""
    figures = measure_identity(read_pairs(pairs))
    if as_json:
        print(json.dumps(asdict(figures), ensure_ascii=False))  # noqa: T201
        return 0
    console.print(
        f"{figures.different} pairs of two papers: {figures.false_merges} false merges. "
        f"{figures.same} pairs of one paper: {figures.missed_merges} missed merges.",
        highlight=False,
    )
    for pair in figures.wrong:
        kind = "missed merge" if pair.same else "false merge"
        console.print(f"line {pair.line}, {kind}: “{pair.a}” and “{pair.b}”", markup=False, highlight=False)
    return 0


def read_pairs(file: Path) -> list[RecordPair]:
    """The pairs of a file. Raises `UserError` with the line's number where one cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read: {error}") from error
    found = [_read_pair(f"{file.name}, line {n}", n, line) for n, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise UserError(f"{file.name} holds no pair. Each line is a JSON object with a, b and same.")
    return found


def _read_pair(place: str, number: int, line: str) -> RecordPair:
    try:
        read = _Line.model_validate_json(line)
    except ValidationError as error:
        where = ", ".join(".".join(map(str, e["loc"])) or "the line" for e in error.errors())
        raise UserError(f"{place}: {where} cannot be read; a line has the records a and b, and same.") from error
    return RecordPair(number, _read_one(f"{place}, a", read.a), _read_one(f"{place}, b", read.b), read.same)


def _read_one(place: str, record: dict[str, JsonValue]) -> Paper:
    paper = read_record(place, record)
    if isinstance(paper, RecordError):
        raise paper
    return paper


def measure_identity(pairs: Sequence[RecordPair]) -> IdentityFigures:
    """Judge each pair as a library does that takes in first one record, then the other; in both orders."""
    wrong = tuple(
        WrongPair(pair.line, pair.a.title, pair.b.title, pair.same)
        for pair in pairs
        if any(_become_one(*order) is not pair.same for order in ((pair.a, pair.b), (pair.b, pair.a)))
    )
    same = sum(pair.same for pair in pairs)
    missed = sum(pair.same for pair in wrong)
    return IdentityFigures(len(pairs), same, len(pairs) - same, len(wrong) - missed, missed, wrong)


def _become_one(first: Paper, second: Paper) -> bool:
    known = MergedPapers()
    known.add(first)
    known.add(second)
    return len(known.papers) == 1
