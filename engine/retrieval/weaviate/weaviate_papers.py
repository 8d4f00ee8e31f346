"""Papers in a collection, or in one tenant of it: how they are written there, read back and counted.

Functions that read raise what Weaviate's client raises; a library translates it, and tries again, where it is asked
(`retry_reads`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, MetadataQuery
from weaviate.util import generate_uuid5

from engine.errors import RecordError
from engine.retrieval.embedding import Vectors
from engine.retrieval.libraries.adding import FIELDS, StoredPaper, read_paper, read_stored, to_columns
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.merging.same_paper import list_blocking_keys
from engine.retrieval.topic_words import index_terms, read_topic
from engine.retrieval.weaviate.weaviate_schema import insert_objects, repeated, translate_failures
from engine.values import FoundPaper, PaperKey, Query

WRITE_S = 120.0
"""A batch takes so long at most, whatever the client tries by itself where the server has died."""
IDENTITIES = 1_000
"""Identifiers and blocking keys in one filter: those of some 170 papers."""
WHOLE = [*FIELDS, "records"]
MOST = 10_000
"""So many papers a server gives at once (QUERY_MAXIMUM_RESULTS); few blocking keys have more than one."""


async def count_topic(papers: Any, topic: str) -> TopicCounts:
    """How many papers there are, and how many have each word of a topic."""
    named = [Filter.by_property("words").equal(stem) for stem in read_topic(topic).stems]
    counted = (papers.aggregate.over_all(filters=one, total_count=True) for one in (None, *named))
    total, *counts = [int(found.total_count or 0) for found in await asyncio.gather(*counted)]
    return TopicCounts(topic, total, tuple(counts))


async def store(
    papers: Any, stored: Sequence[StoredPaper], vectors: tuple[Vectors, Vectors] | None, batch: int
) -> list[RecordError]:
    """Write papers over those of the same keys, ``batch`` in a request; returns what the server refuses.

    ``vectors`` are of titles and of abstracts, row i of each (papers, dimensions) being paper i; without them the
    server makes its own. A request that fails is repeated; raises `RetrievalError` where that does not help.
    """
    objects = [_object(paper, vectors, i) for i, paper in enumerate(stored)]
    starts = range(0, len(objects), batch)
    refused = await asyncio.gather(*(_insert(papers, objects[start : start + batch]) for start in starts))
    return [
        RecordError(stored[start + i].paper.key, f"Weaviate refused it ({why[:160]})")
        for start, errors in zip(starts, refused, strict=True)
        for i, why in errors.items()
    ]


@repeated
async def _insert(papers: Any, objects: list[Any]) -> dict[int, str]:
    async with translate_failures("to store papers", WRITE_S):
        return await insert_objects(papers, objects)


async def find_papers(papers: Any, identities: Sequence[str]) -> list[StoredPaper]:
    """Every paper that has one of these keys, other identifiers or blocking keys, with the records it was made from."""
    found: dict[PaperKey, StoredPaper] = {}
    for start in range(0, len(identities), IDENTITIES):
        wanted = Filter.by_property("identities").contains_any(list(identities[start : start + IDENTITIES]))
        page = await papers.query.fetch_objects(filters=wanted, limit=MOST, return_properties=WHOLE)
        found |= {o.properties["key"]: read_stored(o.properties) for o in page.objects}
    return list(found.values())


async def find_nearest(papers: Any, query: Query, target: str, vector: Vectors | None) -> list[FoundPaper]:
    """The papers whose title or abstract is nearest to a vector (1, dimensions), else to the one the server makes."""
    if vector is not None and not vector.any():
        return []
    find = papers.query.near_text if vector is None else papers.query.near_vector
    near = await find(
        query.text if vector is None else vector[0].tolist(),
        target_vector=target,
        limit=query.limit + len(query.exclude),
        filters=filter_papers(query),
        return_properties=FIELDS,
        return_metadata=MetadataQuery(distance=True),
    )
    found = [FoundPaper(read_paper(o.properties), -float(o.metadata.distance or 0.0)) for o in near.objects]
    return [one for one in found if one.paper.key not in query.exclude][: query.limit]


def _object(stored: StoredPaper, vectors: tuple[Vectors, Vectors] | None, row: int) -> Any:
    paper = stored.paper
    values = to_columns(stored) | {
        "identities": list(dict.fromkeys(k for record in (paper, *stored.records) for k in list_blocking_keys(record))),
        # Our own stems, so that words are found here as they are in a library on this machine.
        "words": " ".join(index_terms(f"{paper.title}. {paper.content}")),
    }
    return DataObject(
        properties={name: value for name, value in values.items() if value is not None},
        uuid=generate_uuid5(paper.key),
        vector={"title": vectors[0][row].tolist(), "abstract": vectors[1][row].tolist()} if vectors else None,
    )


def filter_papers(query: Query, also: Any = None) -> Any:
    """What may be found at all; ``None`` where everything may."""
    parts = [] if also is None else [also]
    if query.years.first is not None:
        parts.append(Filter.by_property("year").greater_or_equal(query.years.first))
    if query.years.last is not None:
        parts.append(Filter.by_property("year").less_or_equal(query.years.last))
    return Filter.all_of(parts) if parts else None
