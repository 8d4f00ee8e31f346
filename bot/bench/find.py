"""The commands under `bench`: what the product does, measured."""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bot.app import open_app
from bot.serving.libraries import Place
from engine.errors import UserError
from engine.values import Query

DEPTHS = (100, 300, 600, 1_200)


async def find(console: Console, gold_file: Path, library_name: str, place: Place | None, *, as_json: bool) -> int:
    """Recall at each depth for each topic, the topic's name alone being the query, and how long a search takes."""
    gold = _read_gold(gold_file)
    topics: dict[str, dict[str, float]] = {}
    times: list[float] = []
    async with open_app() as app:
        library = await app.libraries.library(library_name or app.settings.library, place)
        await library.search(Query("warm", DEPTHS[-1]))
        for topic, wanted in gold.items():
            started = time.perf_counter()
            found = await library.search(Query(topic, DEPTHS[-1]))
            times.append(time.perf_counter() - started)
            identifiers: list[set[str]] = [{*item.paper.identifiers, item.paper.key} for item in found]
            topics[topic] = {str(depth): _recall(identifiers[:depth], wanted) for depth in DEPTHS}
    mean = {str(d): sum(t[str(d)] for t in topics.values()) / len(topics) for d in DEPTHS}
    if as_json:
        print(json.dumps({"topics": topics, "mean": mean, "seconds": sum(times), "searches": times}))  # noqa: T201
        return 0
    usual = statistics.median(times)
    table = Table(
        title=f"Recall in the library “{library.name}”; a search takes {usual:.3f} s, at most {max(times):.3f}"
    )
    for column in ("Topic", *(f"@{depth}" for depth in DEPTHS)):
        table.add_column(column)
    for topic, recall in [*topics.items(), ("Mean", mean)]:
        table.add_row(topic, *(f"{recall[str(depth)]:.3f}" for depth in DEPTHS))
    console.print(table)
    return 0


def _recall(found: list[set[str]], wanted: frozenset[str]) -> float:
    return len(wanted & set().union(*found)) / len(wanted) if found else 0.0


def _read_gold(path: Path) -> dict[str, frozenset[str]]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} could not be read as JSON: {error}") from error
    if not isinstance(document, dict) or not document or not all(isinstance(v, list) and v for v in document.values()):
        raise UserError(f"{path} must be a JSON object: topic → list of paper ids, none empty.")
    return {str(topic): frozenset(map(str, ids)) for topic, ids in document.items()}
