"""Papers in Weaviate: a `Library` of several machines. A search ranks as in a folder (`weaviate_search`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from weaviate.util import generate_uuid5

from engine.errors import RecordError, RetrievalError, UserError
from engine.retrieval.embedding import (
    LSA_NAME,
    LSA_SAMPLE,
    Embedder,
    FittedOnTopic,
    LatentSemanticAnalysis,
    Vectors,
    embed_both,
    fit_embedding,
)
from engine.retrieval.libraries.adding import (
    FIELDS,
    StoredPaper,
    StoredPapers,
    plan_changes,
    read_paper,
    read_stored,
    split_merge,
)
from engine.retrieval.libraries.library import AddReport, IndexProgress, OnIndexProgress, TopicCounts, in_batches
from engine.retrieval.libraries.local_index import LocalIndex
from engine.retrieval.libraries.vectors import REFIT_GROWTH
from engine.retrieval.merging.same_paper import list_blocking_keys
from engine.retrieval.weaviate.weaviate_papers import WHOLE, count_topic, find_nearest, find_papers, store
from engine.retrieval.weaviate.weaviate_schema import (
    MODELS,
    WORKSPACE_MODELS,
    WeaviateServer,
    collection,
    open_collection,
    prepare,
    prepare_shared,
    retry_reads,
    translate_failures,
)
from engine.retrieval.weaviate.weaviate_search import SurveySearch
from engine.retrieval.weaviate.weaviate_state import (
    Description,
    describe,
    forget_models,
    hold_lease,
    load_model,
    read_description,
    store_model,
)
from engine.values import FoundPaper, Paper, PaperKey, Query


@translate_failures("to open the library")
async def open_library(
    client: Any, server: WeaviateServer, library: str, *, neural: Embedder | None, tenant: str = ""
) -> WeaviateLibrary:
    """The library of that name, or what a workspace added, the tenant of a library; made where there is none."""
    await prepare_shared(client, server)
    description = await read_description(client, f"{library}/{tenant}" if tenant else library)
    await prepare(client, server, library, tenant=tenant, generation=description.generation)
    await describe(client, description)
    return WeaviateLibrary(client, server, description, neural)


class WeaviateLibrary:
    """A `Library` in Weaviate; get one from `open_library`."""

    def __init__(self, client: Any, server: WeaviateServer, description: Description, neural: Embedder | None) -> None:
        self._home, _, self._tenant = description.library.partition("/")
        self.name = "papers" if self._tenant else description.library
        self._client = client
        self._models = open_collection(client, WORKSPACE_MODELS if self._tenant else MODELS, self._tenant)
        self._server = server
        self._description = description
        self._neural = neural
        self._embedder: Embedder | None = neural
        self._at_once = server.batch * server.parallel
        """Papers read, embedded and written together."""
        self._use_generation(description.generation)

    def _use_generation(self, generation: int) -> None:
        self._papers = self._open_papers(generation)
        self._survey = SurveySearch(self._papers)

    def _open_papers(self, generation: int) -> Any:
        return open_collection(self._client, collection(self._home, "Papers", generation), self._tenant)

    @asynccontextmanager
    async def _write_alone(self) -> AsyncIterator[None]:
        """Nobody else writes meanwhile, and it is known what others wrote before; a search reads its sample again."""
        async with translate_failures("to change the library"), hold_lease(self._client, self._description.library):
            await self._notice()
            yield
        self._survey.forget()

    @retry_reads
    async def count(self) -> int:
        """Number of papers."""
        await self._notice()
        return int(await self._papers.length())

    @translate_failures("to load the embedding")
    async def embedder(self) -> Embedder:
        """The embedder of this library's vectors; for a server's own, one to be fitted on what is found.

        Raises `UserError` where the library is empty, or its vectors are another embedder's than that of the settings.
        """
        if self._server.vectoriser:
            return FittedOnTopic()
        made_with, ours = self._description.embedder, self._neural.name if self._neural else LSA_NAME
        if made_with not in {"", ours}:
            raise UserError(
                f"The vectors of the library “{self.name}” in Weaviate were made with {made_with}, "
                f"not with {ours}. Set SCHOLIUM_EMBEDDER as it was, or make a new library."
            )
        if self._embedder is None:
            if not self._description.version:
                raise UserError(
                    f"The library “{self.name}” in Weaviate is empty. "
                    f"Add papers with: scholium ingest FILE --library {self.name} --to weaviate"
                )
            self._embedder = await load_model(self._models, self._description.version)
        return self._embedder

    @retry_reads
    async def sample(self, count: int) -> Sequence[Paper]:
        """At most so many papers: the first, since the server orders them by digests."""
        await self._notice()
        found = await self._papers.query.fetch_objects(limit=count, return_properties=FIELDS)
        return [read_paper(o.properties) for o in found.objects]

    async def read_all(self) -> StoredPapers:
        """All papers, page by page, with the records they were merged from."""
        async with translate_failures("to read papers"):
            async for item in self._papers.iterator(return_properties=WHOLE):
                yield read_stored(item.properties)

    @retry_reads
    async def get(self, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """The papers that exist among the keys (or other known identifiers), in the order asked."""
        await self._notice()
        return await self._get(keys)

    async def _get(self, keys: Sequence[PaperKey]) -> list[Paper]:
        found = [stored.paper for stored in await find_papers(self._papers, keys)]
        known = {name: paper for paper in found for name in (paper.key, *paper.identifiers)}
        return list(dict.fromkeys(known[key] for key in keys if key in known))

    @retry_reads
    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """Best first, in the order that `Query.ranking` asks for."""
        await self._notice()
        if not query.text.strip() or not (self._server.vectoriser or self._description.embedder):
            return []
        if query.ranking == "title":
            return await find_nearest(self._papers, query, "title", await self._embed(query.text))
        return await self._by_topic(query)

    @retry_reads
    async def count_topic(self, topic: str) -> TopicCounts:
        """How common the words of a topic are here."""
        await self._notice()
        return await count_topic(self._papers, topic)

    async def add(self, papers: Iterable[Paper]) -> AddReport:
        """Store papers in batches with their vectors; on the first ones of a new library its embedding is fitted."""
        rest = iter(papers)
        report = AddReport()
        async with self._write_alone():
            if not (self._neural or self._server.vectoriser or self._description.embedder):
                first = await asyncio.to_thread(lambda: list(islice(rest, LSA_SAMPLE)))
                if not first:
                    return report
                await self._store_embedder(await asyncio.to_thread(fit_embedding, first))
                rest = chain(first, rest)
            while batch := await asyncio.to_thread(lambda: list(islice(rest, self._at_once))):
                report += await self._add_batch(batch)
        return report

    async def is_current(self) -> bool:
        """Whether the embedding still fits the library."""
        if self._server.vectoriser or self._neural is not None:
            return True
        return await self.count() < max(1, self._description.fitted) * REFIT_GROWTH

    async def index(self, on_progress: OnIndexProgress) -> None:
        """Fit the embedding again where the library has outgrown it; readers turn to it when it is whole."""
        async with self._write_alone():
            if not await self.is_current():
                await self._refit(on_progress)

    async def _refit(self, on_progress: OnIndexProgress) -> None:
        before, total, done = self._description.generation, await self.count(), 0
        on_progress(IndexProgress("fitting", 0))
        sample = await anext(in_batches(self.read_all(), LSA_SAMPLE))
        embedder = await asyncio.to_thread(fit_embedding, [stored.paper for stored in sample], total)
        await self._remove_generation(before + 1)  # an interrupted fit left it
        await prepare(self._client, self._server, self._home, tenant=self._tenant, generation=before + 1)
        papers = self._open_papers(before + 1)
        async for batch in in_batches(self.read_all(), self._at_once):
            vectors = await asyncio.to_thread(embed_both, embedder, [stored.paper for stored in batch])
            for refused in await store(papers, batch, vectors, self._server.batch):
                raise RetrievalError(str(refused))
            done += len(batch)
            on_progress(IndexProgress("vectors", done, total))
        await self._store_embedder(embedder, before + 1)
        self._use_generation(before + 1)
        await self._remove_generation(before)

    async def _remove_generation(self, generation: int) -> None:
        name = collection(self._home, "Papers", generation)
        if not self._tenant:
            await self._client.collections.delete(name)
        elif await self._client.collections.exists(name):
            await self._client.collections.get(name).tenants.remove([self._tenant])

    async def take_over(self, papers: StoredPapers, index: LocalIndex, on_progress: OnIndexProgress) -> AddReport:
        """Another library's papers, with their vectors where there are none here; else they are added as any others."""
        if self._server.vectoriser:
            raise UserError("This Weaviate makes its own vectors (SCHOLIUM_WEAVIATE_VECTORISER); use ingest.")
        rows = {key: i for i, key in enumerate(index.keys)}
        there = (stored async for stored in papers if stored.paper.key in rows)
        report, done = AddReport(), 0
        async with self._write_alone():
            with_vectors = await self.count() == 0 and index.embedder.name == (self._neural or index.embedder).name
            if with_vectors and isinstance(index.embedder, LatentSemanticAnalysis):
                await self._store_embedder(index.embedder)
            elif with_vectors:
                await self._describe(embedder=index.embedder.name)
            async for batch in in_batches(there, self._at_once):
                if with_vectors:
                    chosen = [rows[stored.paper.key] for stored in batch]
                    vectors = index.titles[chosen], index.abstracts[chosen]
                    rejected = await store(self._papers, batch, vectors, self._server.batch)
                    report += AddReport(len(batch) - len(rejected), rejected=tuple(rejected))
                else:  # some of these may be here already, perhaps under other keys
                    report += await self._add_batch([stored.paper for stored in batch])
                done += len(batch)
                on_progress(IndexProgress("moving", done, len(rows)))
        return report

    async def _store_embedder(self, embedder: LatentSemanticAnalysis, generation: int = 0) -> None:
        """From now on the library's vectors are this embedding's, in the collection of that generation."""
        version = await store_model(self._models, self._description.library, embedder)
        generation, fitted = generation or self._description.generation, embedder.fitted_on
        await self._describe(embedder=embedder.name, version=version, fitted=fitted, generation=generation)
        await forget_models(self._models, self._description.library, version)
        self._embedder = embedder

    async def _describe(self, **changes: Any) -> None:
        self._description = replace(self._description, **changes)
        await describe(self._client, self._description)

    async def _add_batch(self, batch: Sequence[Paper]) -> AddReport:
        blocks = list({block for paper in batch for block in list_blocking_keys(paper)})
        made = plan_changes(batch, await find_papers(self._papers, blocks))
        rejected = await self._write(list(made.write.values()))
        await self._delete(made.remove)
        return made.report(len(batch), rejected)

    async def _one(self, key: PaperKey) -> StoredPaper:
        found = await self._papers.query.fetch_object_by_id(generate_uuid5(key), return_properties=WHOLE)
        if found is None:
            raise UserError(f"The library has no paper {key}.")
        return read_stored(found.properties)

    @retry_reads
    async def records_of(self, key: PaperKey) -> Sequence[Paper]:
        """The records that a paper was merged from; none where it was one. Raises `UserError`."""
        await self._notice()
        return (await self._one(key)).records

    async def unmerge(self, key: PaperKey, number: int | None = None) -> Sequence[Paper]:
        """Take a merged paper apart, for good."""
        async with self._write_alone():
            parts = split_merge(await self._one(key), number)
            for rejected in await self._write([StoredPaper(part) for part in parts]):
                raise RetrievalError(str(rejected))
        return parts

    async def remove(self, keys: Sequence[PaperKey]) -> None:
        """Delete the papers that have these keys."""
        async with self._write_alone():
            await self._delete(keys)

    async def _delete(self, keys: Collection[PaperKey]) -> None:
        for key in keys:
            await self._papers.data.delete_by_id(generate_uuid5(key))

    async def _write(self, stored: Sequence[StoredPaper]) -> list[RecordError]:
        """Store the papers with vectors made here, unless the server makes them."""
        vectors = None
        if stored and not self._server.vectoriser:
            embedder = await self.embedder()
            if not self._description.embedder:
                await self._describe(embedder=embedder.name)
            vectors = await asyncio.to_thread(embed_both, embedder, [one.paper for one in stored])
        return await store(self._papers, stored, vectors, self._server.batch)

    async def _by_topic(self, query: Query) -> list[FoundPaper]:
        """As in a folder: closeness to what the words find, naming the topic, and being cited, all standardised."""
        found = await self._survey.find(query.text)
        if not found.sample:  # all papers were removed
            return []
        seeds = await asyncio.to_thread(found.seeds)
        if not len(seeds):
            own = await self._embed(query.text)
            if own is None or not own.any():
                return await find_nearest(self._papers, query, "abstract", own)
            seeds = own
        best = await self._survey.rank(query, found, seeds)
        return [FoundPaper(paper, best[paper.key]) for paper in await self._get(list(best)) if paper.key in best]

    async def _embed(self, text: str) -> Vectors | None:
        """The vector of a text, of shape (1, dimensions); none where the server makes its own."""
        return None if self._server.vectoriser else await asyncio.to_thread((await self.embedder()).embed, [text])

    async def _notice(self) -> None:
        """Learn whether another process has fitted the embedding anew, or filled the library."""
        now = await read_description(self._client, self._description.library)
        if now.version != self._description.version:
            self._embedder = self._neural
            self._use_generation(now.generation)
        self._description = now
