"""What a survey gets: proposed keywords accepted and papers gathered, beside the library's own search."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from rich.console import Console

from bot.app import open_app
from bot.bench.yardstick_report import ReportOptions, print_report
from bot.serving.libraries import Place
from engine.errors import UserError
from engine.gathering.search import gather, propose_keywords
from engine.limits import Limits
from engine.retrieval.embedding import Embedder
from engine.retrieval.libraries.library import Library
from engine.run import RunContext
from engine.values import Brief, FoundPaper, PaperSelection, Query

_SOME = Field(min_length=1)
_GOLD = TypeAdapter(Annotated[dict[str, Annotated[frozenset[str], _SOME]], _SOME])

DEPTHS = (100, 300, Limits().outline_papers)


async def measure_gathering(
    console: Console, gold_files: Sequence[Path], library_name: str, place: Place | None, options: ReportOptions
) -> int:
    """Recall for each topic of each file; a topic that is refused counts as nothing found, and the next is tried."""
    golds = [(path.stem, read_gold(path)) for path in gold_files]
    measured: dict[str, dict[str, Any]] = {}
    async with open_app() as app:
        library = await app.libraries.library(library_name or app.settings.library, place)
        embedder = await library.embedder()
        for name, gold in golds:
            rows = {topic: await _gather(topic, wanted, library, embedder) for topic, wanted in gold.items()}
            measured[name] = {"mean": _mean(rows), "topics": rows}
    document = next(iter(measured.values())) if len(measured) == 1 else measured
    print_report(console, f"Recall in the library “{library.name}”", document, options)
    for file, found in () if options.as_json else measured.items():
        for topic, row in found["topics"].items():
            if row["refused"]:
                console.print(f"{file}, {topic}: {row['refused']}", markup=False, highlight=False)
    return 0


async def _gather(topic: str, wanted: frozenset[str], library: Library, embedder: Embedder) -> dict[str, Any]:
    """The figures of a topic, gathered as recipes do, all proposed keywords accepted unseen; or why it was refused."""
    brief, context = Brief(topic, library=library.name), RunContext(library, embedder)
    searched, refused = await library.search(Query(topic, DEPTHS[-1])), ""
    try:
        pool = await propose_keywords(brief, context)
        selections = [await gather(brief, pool, depth, context) for depth in DEPTHS]
    except UserError as error:
        selections, refused = [PaperSelection(())] * len(DEPTHS), str(error)
    tiers = [item.tier for item in selections[-1].found]
    return {
        "papers": len(tiers),
        "core": tiers.count("core"),
        "near": tiers.count("near"),
        "refused": refused,
        **{f"@{depth}": find_recall(s.found, wanted) for depth, s in zip(DEPTHS, selections, strict=True)},
        **{f"search @{depth}": find_recall(searched[:depth], wanted) for depth in DEPTHS},
    }


def find_recall(found: Sequence[FoundPaper], wanted: frozenset[str]) -> float:
    """The share of the wanted papers that were found."""
    names = set[str]().union(*({*item.paper.identifiers, item.paper.key} for item in found))
    return len(wanted & names) / len(wanted)


def read_gold(path: Path) -> dict[str, frozenset[str]]:
    """Topic → identifiers of papers. Raises `UserError` where the file says something else."""
    try:
        return _GOLD.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UserError(f"{path} must be a JSON object: topic → list of paper ids, none empty.") from error


def _mean(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    names = [name for name in next(iter(rows.values())) if name != "refused"]
    return {name: statistics.fmean(row[name] for row in rows.values()) for name in names}
