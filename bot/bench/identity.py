"""The command `bench identity`: two different papers made one, and one paper left as two."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, JsonValue, StrictBool
from rich.console import Console

from bot.bench.yardstick_report import ReportOptions, print_report, read_json_lines
from engine.retrieval.merging.merged_papers import MergedPapers
from engine.retrieval.records.record_files import read_record
from engine.values import Paper


class RecordPair(BaseModel):
    """Two records, and whether they are one paper."""

    a: dict[str, JsonValue]
    b: dict[str, JsonValue]
    same: StrictBool


async def identity(console: Console, pairs: Path, options: ReportOptions) -> int:
    """Print the figures of a file of pairs; 0 however many are wrong."""
    figures = measure_identity(read_json_lines(pairs, RecordPair))
    print_report(console, "Pairs of records", figures, options)
    for pair in () if options.as_json else figures["wrong"]:
        kind = "missed merge" if pair["same"] else "false merge"
        said = f"pair {pair['number']}, {kind}: “{pair['a']}” and “{pair['b']}”"
        console.print(said, markup=False, highlight=False)
    return 0


def measure_identity(pairs: Sequence[RecordPair]) -> dict[str, Any]:
    """Pairs by what they are, how many of each kind were judged wrongly, and these, numbered from 1, by their titles.

    Each is judged as a library does that takes in first one record, then the other; in both orders. Raises
    `UserError` for a record that cannot be read.
    """
    wrong = []
    for number, pair in enumerate(pairs, start=1):
        a, b = read_record(f"pair {number}, a", pair.a), read_record(f"pair {number}, b", pair.b)
        if any(_become_one(*order) is not pair.same for order in ((a, b), (b, a))):
            wrong.append({"number": number, "a": a.title, "b": b.title, "same": pair.same})
    same, missed = sum(pair.same for pair in pairs), sum(pair["same"] is True for pair in wrong)
    return {
        "pairs": len(pairs),
        "same": same,
        "different": len(pairs) - same,
        "false_merges": len(wrong) - missed,
        "missed_merges": missed,
        "wrong": wrong,
    }


def _become_one(first: Paper, second: Paper) -> bool:
    known = MergedPapers()
    known.add(first)
    known.add(second)
    return len(known.papers) == 1
