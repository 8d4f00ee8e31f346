"""The objects of one collection of papers: how a paper is written there and read back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, MetadataQuery
from weaviate.util import generate_uuid5

from engine.errors import RecordError, UserError
from engine.retrieval.embedding import Vectors
from engine.retrieval.libraries.adding import FIELDS, StoredPaper, read_paper, read_stored, to_columns
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.merging.same_paper import list_blocking_keys
from engine.retrieval.topic_words import index_terms, read_topic
from engine.retrieval.weaviate.weaviate_schema import WeaviateServer, insert_objects, repeated, translate_failures
from engine.values import FoundPaper, Paper, PaperKey, Query

WRITE_S = 120.0
"""A batch takes so long at most, whatever the client tries by itself where the server has died."""
IDENTITIES = 1_000
"""Identifiers and blocking keys in one filter: those of some 170 papers."""
WHOLE = [*FIELDS, "records"]
MOST = 10_000
"""So many papers a server gives at once (QUERY_MAXIMUM_RESULTS); few blocking keys have more than one."""


class PaperObjects:
    """The papers of a collection, or of one tenant of it. Whoever reads translates the failures (`retry_reads`)."""

    def __init__(self, papers: Any, server: WeaviateServer) -> None:
        self.papers = papers
        self._server = server

    async def count(self) -> int:
        """Number of papers."""
        return int(await self.papers.length())

    async def count_topic(self, topic: str) -> TopicCounts:
        """How many papers have each word of a topic."""
        stems = read_topic(topic).stems
        papers, *counts = await asyncio.gather(self.count(), *(self.count_with([stem]) for stem in stems))
        return TopicCounts(papers, tuple(counts))

    async def count_with(self, stems: Sequence[str]) -> int:
        """How many papers have all of the stems."""
        has_it = Filter.by_property("words").contains_all(list(stems))
        return int((await self.papers.aggregate.over_all(filters=has_it, total_count=True)).total_count or 0)

    async def store(self, papers: Sequence[StoredPaper], vectors: tuple[Vectors, Vectors] | None) -> list[RecordError]:
        """Write the papers over those of the same keys, with vectors of title and abstract; what the server refuses."""
        objects, size = [_object(paper, vectors, i) for i, paper in enumerate(papers)], self._server.batch
        starts = range(0, len(objects), size)
        refused = await asyncio.gather(*(self._insert(objects[start : start + size]) for start in starts))
        return [
            RecordError(papers[start + i].paper.key, f"Weaviate refused it ({why[:160]})")
            for start, errors in zip(starts, refused, strict=True)
            for i, why in errors.items()
        ]

    @repeated
    async def _insert(self, objects: list[Any]) -> dict[int, str]:
        async with translate_failures("to store papers", WRITE_S):
            return await insert_objects(self.papers, objects)

    async def remove(self, keys: Collection[PaperKey]) -> None:
        """Delete the papers that have these keys."""
        for key in keys:
            await self.papers.data.delete_by_id(generate_uuid5(key))

    async def near(self, batch: Sequence[Paper]) -> list[StoredPaper]:
        """Every paper that may be one of these: it has a blocking key in common with one."""
        return await self._identified(list({block for paper in batch for block in list_blocking_keys(paper)}))

    async def get(self, keys: Sequence[PaperKey]) -> list[Paper]:
        """The papers that exist among the keys (or other known identifiers), in the order asked."""
        found = [stored.paper for stored in await self._identified(keys)]
        known = {name: paper for paper in found for name in (paper.key, *paper.identifiers)}
        return list(dict.fromkeys(known[key] for key in keys if key in known))

    async def _identified(self, identities: Sequence[str]) -> list[StoredPaper]:
        found: dict[PaperKey, StoredPaper] = {}
        for start in range(0, len(identities), IDENTITIES):
            wanted = Filter.by_property("identities").contains_any(list(identities[start : start + IDENTITIES]))
            page = await self.papers.query.fetch_objects(filters=wanted, limit=MOST, return_properties=WHOLE)
            found |= {o.properties["key"]: read_stored(o.properties) for o in page.objects}
        return list(found.values())

    async def one(self, key: PaperKey) -> StoredPaper:
        """The paper with this key. Raises `UserError` where there is none."""
        found = await self.papers.query.fetch_object_by_id(generate_uuid5(key), return_properties=WHOLE)
        if found is None:
            raise UserError(f"The library has no paper {key}.")
        return read_stored(found.properties)

    async def read_all(self) -> AsyncIterator[StoredPaper]:
        """All papers, page by page."""
        async with translate_failures("to read papers"):
            async for item in self.papers.iterator(return_properties=WHOLE):
                yield read_stored(item.properties)

    async def nearest(self, query: Query, target: str, vector: list[float] | None) -> list[FoundPaper]:
        """The papers whose title or abstract is nearest; without a vector the server makes one of the query."""
        common: dict[str, Any] = {
            "target_vector": target,
            "limit": query.limit + len(query.exclude),
            "filters": filter_papers(query),
            "return_properties": FIELDS,
            "return_metadata": MetadataQuery(distance=True),
        }
        if vector is None:
            found = await self.papers.query.near_text(query.text, **common)
        else:
            found = await self.papers.query.near_vector(vector, **common)
        papers = [FoundPaper(read_paper(o.properties), -float(o.metadata.distance or 0.0)) for o in found.objects]
        return [one for one in papers if one.paper.key not in query.exclude][: query.limit]


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
