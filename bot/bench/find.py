"""The commands under `bench`: what the product does, measured."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from rich.console import Console
from rich.table import Table

from bot.app import open_app
from bot.serving.libraries import Place
from engine.errors import UserError
from engine.gathering.search import gather, propose_keywords
from engine.retrieval.embedding import Embedder, Vectors
from engine.retrieval.libraries.library import Library, TopicCounts
from engine.retrieval.libraries.traced import TracedLibrary
from engine.run import RunContext
from engine.values import Brief, FoundPaper, Keyword, KeywordPool, Query

DEPTHS = (100, 300, 600, 1_200)

KEYWORD_PAPERS = 300
"""Papers gathered where keywords are measured: as many as a survey proposes."""


class SearchableLibrary(Library, Protocol):
    """A library that says what embeds its papers."""

    async def embedder(self) -> Embedder:
        """The embedder of its vectors."""
        ...


@dataclass(frozen=True, slots=True)
class FindOptions:
    """Whether keywords are measured instead of searches, and whether the figures are printed as JSON."""

    keywords: bool = False
    as_json: bool = False


class CachingLibrary(TracedLibrary):
    """A library that is asked each question once: two measures of a topic share what they both need."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._found: dict[Query, Sequence[FoundPaper]] = {}
        self._counts: dict[str, TopicCounts] = {}

    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """What the library found for this query."""
        if query not in self._found:
            self._found[query] = await super().search(query)
        return self._found[query]

    async def count_topic(self, topic: str) -> TopicCounts:
        """What the library counted."""
        if topic not in self._counts:
            self._counts[topic] = await super().count_topic(topic)
        return self._counts[topic]


class CachingEmbedder:
    """An embedder that embeds each text once."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (number of texts, dimensions)."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._vectors]:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        return np.array([self._vectors[text] for text in texts], np.float32)


Recall = dict[str, dict[str, float]]
"""Topic → depth or step → share of the wanted papers found."""


async def find(
    console: Console, gold_files: Sequence[Path], library_name: str, place: Place | None, options: FindOptions
) -> int:
    """Recall for each topic of each file, the topic's name alone being the query, and how long a search takes."""
    golds = [(file.stem, _read_gold(file)) for file in gold_files]
    measured: dict[str, dict[str, Any]] = {}
    async with open_app() as app:
        library = await app.libraries.library(library_name or app.settings.library, place)
        await library.search(Query("warm", DEPTHS[-1]))
        for name, gold in golds:
            if options.keywords:
                started = time.process_time()
                recall = await _measure_keywords(library, gold)
                used = time.process_time() - started
                measured[name] = {"topics": recall, "mean": _mean(recall), "cpu_seconds": used}
                continue
            times: list[float] = []
            recall = {topic: await _measure_search(library, topic, wanted, times) for topic, wanted in gold.items()}
            measured[name] = {"topics": recall, "mean": _mean(recall), "seconds": sum(times), "searches": times}
    if options.as_json:
        one_file = next(iter(measured.values())) if len(measured) == 1 else measured
        print(json.dumps(one_file))  # noqa: T201
        return 0
    for name, found in measured.items():
        console.print(_table(name, library.name, found))
    return 0


async def _measure_search(library: Library, topic: str, wanted: frozenset[str], times: list[float]) -> dict[str, float]:
    started = time.perf_counter()
    found = await library.search(Query(topic, DEPTHS[-1]))
    times.append(time.perf_counter() - started)
    identifiers = [_names(item) for item in found]
    return {str(depth): _recall(identifiers[:depth], wanted) for depth in DEPTHS}


async def _measure_keywords(library: SearchableLibrary, gold: Mapping[str, frozenset[str]]) -> Recall:
    """What is gathered by the topic alone and by all keywords proposed, accepted unseen."""
    embedder = await library.embedder()
    recall: Recall = {}
    for topic, wanted in gold.items():
        context = RunContext(CachingLibrary(library), CachingEmbedder(embedder))
        brief, alone = Brief(topic, library=library.name), KeywordPool((Keyword(topic, "topic"),))
        row: dict[str, float] = {}
        for name, pool in (("alone", alone), ("with keywords", await propose_keywords(brief, context))):
            found = [_names(item) for item in (await gather(brief, pool, KEYWORD_PAPERS, context)).found]
            row |= {f"{name} @{depth}": _recall(found[:depth], wanted) for depth in (DEPTHS[0], KEYWORD_PAPERS)}
        recall[topic] = row | {"papers": float(len(found)), "keywords": float(len(pool.keywords) - 1)}
    return recall


def _names(item: FoundPaper) -> set[str]:
    return {*item.paper.identifiers, item.paper.key}


def _mean(recall: Recall) -> dict[str, float]:
    return {name: statistics.fmean(row[name] for row in recall.values()) for name in next(iter(recall.values()))}


def _table(name: str, library: str, found: Mapping[str, Any]) -> Table:
    times = found.get("searches", [])
    took = f"; a search takes {statistics.median(times):.3f} s, at most {max(times):.3f}" if times else ""
    took += f"; {found['cpu_seconds']:.0f} s of a processor" if "cpu_seconds" in found else ""
    table = Table(title=f"{name}: recall in the library “{library}”{took}")
    for column in ("Topic", *(f"@{name}" if name.isdigit() else name for name in found["mean"])):
        table.add_column(column)
    for topic, row in [*found["topics"].items(), ("Mean", found["mean"])]:
        table.add_row(topic, *(f"{value:.3f}" if value <= 1 else f"{value:.0f}" for value in row.values()))
    return table


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
