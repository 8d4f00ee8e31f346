"""Papers in Weaviate: a `Library` that a whole lab or several machines share.

Vectors come with each paper, or from the server. A search for a survey ranks as in a folder (`weaviate_survey`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from engine.errors import RecordError, RetrievalError, UserError
from engine.retrieval.embedding import LSA_SAMPLE, Embedder, FittedOnTopic, LatentSemanticAnalysis
from engine.retrieval.libraries.adding import StoredPaper, StoredPapers, plan_changes, split_merge
from engine.retrieval.libraries.library import (
    WORKSPACES,
    AddReport,
    IndexProgress,
    OnIndexProgress,
    TopicCounts,
    traced,
)
from engine.retrieval.libraries.vectors import REFIT_GROWTH, StoredIndex
from engine.retrieval.weaviate.weaviate_papers import PaperObjects, batch_papers, embed_papers
from engine.retrieval.weaviate.weaviate_schema import (
    WeaviateServer,
    collection,
    prepare,
    retry_reads,
    translate_failures,
)
from engine.retrieval.weaviate.weaviate_search import SurveySearch
from engine.retrieval.weaviate.weaviate_state import (
    Description,
    describe,
    exclusive,
    forget_models,
    hold_lease,
    load_model,
    read_description,
    store_model,
)
from engine.values import FoundPaper, Paper, PaperKey, Query


class WeaviateLibrary:
    """A `Library` in Weaviate; get one from `bot.app`'s shelf, which owns the connection."""

    is_merged = True

    def __init__(
        self,
        client: Any,
        server: WeaviateServer,
        description: Description,
        *,
        neural: Embedder | None,
        cache: Path,
        tenant: str = "",
    ) -> None:
        self.name = "papers" if tenant else description.library
        self.writing = partial(hold_lease, client, description.library)
        self._client = client
        self._server = server
        self._description = description
        self._neural = neural
        self._cache = cache
        self._embedder: Embedder | None = neural
        self._tenant = tenant
        self._at_once = server.batch * server.parallel
        """Papers read, embedded and written together."""
        self._use_generation(description.generation)

    def _use_generation(self, generation: int) -> None:
        """Read and write the collection of that generation."""
        self._papers = self._collection(generation)
        self._objects = PaperObjects(self._papers, self._server)
        self._survey = SurveySearch(self._papers, self._objects)

    def _collection(self, generation: int) -> Any:
        papers = self._client.collections.get(collection(self._home, "Papers", generation))
        return papers.with_tenant(self._tenant) if self._tenant else papers

    @property
    def _home(self) -> str:
        """The library in whose collection the papers are."""
        return WORKSPACES if self._tenant else self._description.library

    async def count(self) -> int:
        """Number of papers."""
        return await self._objects.count()

    async def embedder(self) -> Embedder:
        """The embedder of this library's vectors; for a server's own, one to be fitted on what is found."""
        if self._server.vectoriser:
            return FittedOnTopic()
        if self._embedder is None:
            if not self._description.version:
                raise UserError(
                    f"The library “{self.name}” in Weaviate is empty. "
                    f"Add papers with: scholium ingest FILE --library {self.name} --to weaviate"
                )
            async with translate_failures("to load the embedding"):
                self._embedder = await load_model(self._client, self._description, self._cache)
        return self._embedder

    def read_all(self) -> StoredPapers:
        """All papers, page by page, with the records they were merged from."""
        return self._objects.read_all()

    @retry_reads
    async def get(self, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """The papers that exist among the keys (or other known identifiers), in the order asked."""
        await self._notice()
        return await self._objects.get(keys)

    @traced
    @retry_reads
    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """Best first, in the order that `Query.ranking` asks for."""
        await self._notice()
        if not query.text.strip() or not (self._server.vectoriser or self._description.embedder):
            return []
        return await (self._by_title(query) if query.ranking == "title" else self._by_topic(query))

    @retry_reads
    async def count_topic(self, topic: str) -> TopicCounts:
        """How common the words of a topic are here."""
        await self._notice()
        return await self._objects.count_topic(topic)

    @exclusive
    async def add(self, papers: Iterable[Paper]) -> AddReport:
        """Store papers in batches with their vectors, each merged with the paper that it is.

        The first papers of a new library are those on which its embedding is fitted.
        """
        rest = iter(papers)
        if not self._server.vectoriser and self._neural is None and not self._description.version:
            first = await asyncio.to_thread(lambda: list(islice(rest, LSA_SAMPLE)))
            if not first:
                return AddReport()
            texts = [f"{paper.title}. {paper.content}" for paper in first]
            await self._store_embedder(await asyncio.to_thread(LatentSemanticAnalysis.fit, texts), len(first))
            rest = chain(first, rest)
        elif self._neural is not None:
            await self._same_embedder(self._neural)
        report = AddReport()
        while batch := await asyncio.to_thread(lambda: list(islice(rest, self._at_once))):
            report = await self._add_batch(batch, report)
        self._survey.forget()
        return report

    async def is_current(self) -> bool:
        """Whether the embedding still fits the library."""
        if self._server.vectoriser or self._neural is not None:
            return True
        return await self.count() < max(1, self._description.fitted) * REFIT_GROWTH

    @exclusive
    async def index(self, on_progress: OnIndexProgress) -> None:
        """Fit the embedding again where the library has outgrown it.

        A new collection is filled with its vectors; readers turn to both at once, when they are whole. Interrupted, it
        is simply run again, and searches find meanwhile what they found before.
        """
        await self._notice()
        if await self.is_current():
            return
        before, total = self._description.generation, await self.count()
        on_progress(IndexProgress("fitting", 0))
        texts: list[str] = []
        async for stored in self.read_all():
            texts.append(f"{stored.paper.title}. {stored.paper.content}")
            if len(texts) == LSA_SAMPLE:
                break
        embedder = await asyncio.to_thread(LatentSemanticAnalysis.fit, texts)
        async with translate_failures("to make the collections"):
            await self._remove_generation(before + 1)  # an interrupted fit left it
            await prepare(self._client, self._server, self._home, tenant=self._tenant, generation=before + 1)
        objects = PaperObjects(self._collection(before + 1), self._server)
        done = 0
        async for batch in batch_papers(self.read_all(), self._at_once):
            for refused in await objects.store(batch, await embed_papers(embedder, batch)):
                raise RetrievalError(str(refused))
            done += len(batch)
            on_progress(IndexProgress("vectors", done, total))
        await self._store_embedder(embedder, done, before + 1)
        self._use_generation(before + 1)
        async with translate_failures("to remove the former vectors"):
            await self._remove_generation(before)

    async def _remove_generation(self, generation: int) -> None:
        name = collection(self._home, "Papers", generation)
        if not self._tenant:
            await self._client.collections.delete(name)
        elif await self._client.collections.exists(name):
            await self._client.collections.get(name).tenants.remove([self._tenant])

    @exclusive
    async def take_over(self, papers: StoredPapers, index: StoredIndex, on_progress: OnIndexProgress) -> AddReport:
        """Another library's papers with their vectors. Raises `UserError` where those here are another embedding's."""
        if self._server.vectoriser:
            raise UserError("This Weaviate makes its own vectors (SCHOLIUM_WEAVIATE_VECTORISER); use ingest.")
        await self._adopt(index.embedder, len(index.keys))
        rows = {key: i for i, key in enumerate(index.keys)}
        is_empty = await self.count() == 0
        report, done = AddReport(), 0
        there = (stored async for stored in papers if stored.paper.key in rows)
        async for batch in batch_papers(there, self._at_once):
            if is_empty:
                chosen = [rows[stored.paper.key] for stored in batch]
                rejected = await self._objects.store(batch, (index.titles[chosen], index.abstracts[chosen]))
                added = report.added + len(batch) - len(rejected)
                report = replace(report, added=added, rejected=(*report.rejected, *rejected))
            else:  # some of these may be here already, perhaps under other keys
                report = await self._add_batch([stored.paper for stored in batch], report)
            done += len(batch)
            on_progress(IndexProgress("moving", done, len(rows)))
        self._survey.forget()
        return report

    async def _adopt(self, embedder: Embedder, fitted: int) -> None:
        if self._neural is None and isinstance(embedder, LatentSemanticAnalysis):
            if await self.count() and self._description.version:
                current = await self.embedder()
                if not (isinstance(current, LatentSemanticAnalysis) and current.same_as(embedder)):
                    raise UserError(
                        f"The library “{self.name}” in Weaviate has papers placed by another embedding. Move into a "
                        f"new library, or add the papers with: scholium ingest FILE --library {self.name} --to weaviate"
                    )
                return
            await self._store_embedder(embedder, fitted)
        else:
            await self._same_embedder(embedder)

    async def _store_embedder(self, embedder: LatentSemanticAnalysis, fitted: int, generation: int = 0) -> None:
        """From now on the library's vectors are this embedding's, in the collection of that generation."""
        async with translate_failures("to store the embedding"):
            version = await store_model(self._client, self._description.library, embedder)
            generation = generation or self._description.generation
            await self._describe(embedder=embedder.name, version=version, fitted=fitted, generation=generation)
            await forget_models(self._client, self._description.library, version)
        self._embedder = embedder

    async def _describe(self, **changes: Any) -> None:
        self._description = replace(self._description, **changes)
        async with translate_failures("to describe the library"):
            await describe(self._client, self._description)

    async def _same_embedder(self, embedder: Embedder) -> None:
        """Raises `UserError` where the vectors that are there were made by another embedder."""
        if self._description.embedder not in {"", embedder.name}:
            raise UserError(
                f"The vectors of the library “{self.name}” in Weaviate were made with {self._description.embedder}, "
                f"not with {embedder.name}. Set SCHOLIUM_EMBEDDER as it was, or make a new library."
            )
        if not self._description.embedder:
            await self._describe(embedder=embedder.name)

    async def _add_batch(self, batch: Sequence[Paper], report: AddReport) -> AddReport:
        made = plan_changes(batch, await self._objects.near(batch))
        rejected = await self._write(list(made.write.values()))
        await self._objects.remove(made.remove)
        added, updated = report.added + len(made.fresh) - len(rejected), report.updated + made.count_updated(len(batch))
        return AddReport(added, updated, report.unchanged + made.unchanged, (*report.rejected, *rejected))

    async def records_of(self, key: PaperKey) -> Sequence[Paper]:
        """The records that a paper was merged from; none where it was one. Raises `UserError`."""
        return (await self._objects.one(key)).records

    @exclusive
    async def unmerge(self, key: PaperKey, number: int | None = None) -> Sequence[Paper]:
        """Take a merged paper apart, for good."""
        parts = split_merge(await self._objects.one(key), number)
        for rejected in await self._write([StoredPaper(part) for part in parts]):
            raise RetrievalError(str(rejected))
        return parts

    @exclusive
    async def remove(self, keys: Sequence[PaperKey]) -> None:
        """Delete the papers that have these keys."""
        await self._objects.remove(keys)
        self._survey.forget()

    async def _write(self, stored: Sequence[StoredPaper]) -> list[RecordError]:
        """Store the papers with vectors made here, unless the server makes them."""
        is_ours = stored and not self._server.vectoriser
        vectors = await embed_papers(await self.embedder(), stored) if is_ours else None
        return await self._objects.store(stored, vectors)

    async def _by_topic(self, query: Query) -> list[FoundPaper]:
        """As in a folder: closeness to what the words find, naming the topic, and being cited, all standardised."""
        found, seeds = await self._survey.find(query.text)
        if not len(seeds) and self._server.vectoriser:
            return await self._objects.nearest(query, "abstract", None)
        if not len(seeds):
            seeds = (await asyncio.to_thread((await self.embedder()).embed, [query.text]))[:1]
            if not seeds.any():
                return []
        best = await self._survey.rank(query, found, seeds)
        rows = await self._objects.by_id(list(best))
        return [FoundPaper(rows[name], score) for name, score in best.items() if name in rows]

    async def _by_title(self, query: Query) -> list[FoundPaper]:
        if self._server.vectoriser:
            return await self._objects.nearest(query, "title", None)
        vector = (await asyncio.to_thread((await self.embedder()).embed, [query.text]))[0]
        return await self._objects.nearest(query, "title", vector.tolist()) if vector.any() else []

    async def _notice(self) -> None:
        """Learn whether another process has fitted the embedding anew, or filled the library."""
        async with translate_failures("to read the library's description"):
            now = await read_description(self._client, self._description.library)
        if now.version != self._description.version:
            self._embedder = self._neural
            self._use_generation(now.generation)
        self._description = now
