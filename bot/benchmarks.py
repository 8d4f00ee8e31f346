"""The commands under `bench`: what the product does, measured."""

from __future__ import annotations

import json
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bot.app import App
from bot.settings import load_settings
from engine.errors import UserError
from engine.values import Query

DEPTHS = (100, 300, 600, 1_200)


async def find(console: Console, gold_file: Path, library_name: str, *, as_json: bool) -> int:
    """Recall at each depth for each topic, the topic's name alone being the query."""
    gold = _read_gold(gold_file)
    app = App(load_settings())
    library = await app.library(library_name or app.settings.library)
    topics: dict[str, dict[str, float]] = {}
    started = time.perf_counter()
    for topic, wanted in gold.items():
        found = await library.search(Query(topic, DEPTHS[-1]))
        identifiers: list[set[str]] = [{*item.paper.identifiers, item.paper.key} for item in found]
        topics[topic] = {str(depth): _recall(identifiers[:depth], wanted) for depth in DEPTHS}
    seconds = time.perf_counter() - started
    mean = {str(d): sum(t[str(d)] for t in topics.values()) / len(topics) for d in DEPTHS}
    if as_json:
        print(json.dumps({"topics": topics, "mean": mean, "seconds": seconds}))  # noqa: T201
        return 0
    table = Table(title=f"Recall in the library “{library.name}”, {seconds:.1f} s for {len(topics)} topics")
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
