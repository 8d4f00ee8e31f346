"""What changes as a whole in Weaviate: a new embedding, a workspace that is removed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.errors import RetrievalError
from engine.retrieval.libraries.library import WORKSPACES, IndexProgress
from engine.retrieval.weaviate import weaviate_schema
from engine.retrieval.weaviate.weaviate_library import WeaviateLibrary
from engine.retrieval.weaviate.weaviate_schema import WeaviateServer, remove_tenant, tenant_exists
from engine.retrieval.weaviate.weaviate_state import read_description
from engine.values import Query
from tests.engine.retrieval.libraries.weaviate_lab import opened
from tests.fakes import papers


async def test_it_is_fitted_again_when_it_has_outgrown_its_embedding(client: Any, server: WeaviateServer) -> None:
    library = await opened(client, server)
    await library.add(papers(12))
    before = await library.embedder()
    await library.add(papers(30, "graph", 101))
    assert not await library.is_current()
    await library.index(lambda _: None)
    assert await library.is_current()
    assert await library.embedder() is not before
    found = await library.search(Query("graph attention", 5, "title"))
    assert all("Graph" in item.paper.title for item in found)


async def test_a_new_embedding_that_was_broken_off_is_made_again(client: Any, server: WeaviateServer) -> None:
    library = await opened(client, server)
    await library.add(papers(12))
    await library.add(papers(30, "graph", 101))
    found_before = await count_found_by_title(library)

    def breaks_off(step: IndexProgress) -> None:
        if step.stage == "vectors":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await library.index(breaks_off)
    again = await opened(client, server)
    assert not await again.is_current()
    assert await count_found_by_title(again) == found_before
    reader = await opened(client, server)
    await again.index(lambda _: None)
    assert await again.is_current()
    assert await count_found_by_title(again) > found_before
    assert await reader.count_topic("graph") == await again.count_topic("graph")  # it turns to the new collection


async def count_found_by_title(library: WeaviateLibrary) -> int:
    """How many papers are found by their titles."""
    titles = [stored.paper.title async for stored in library.read_all()]
    found = [await library.search(Query(title, 1, "title")) for title in titles]
    return sum([hit.paper.title for hit in hits] == [title] for hits, title in zip(found, titles, strict=True))


async def test_a_read_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weaviate_schema, "READ_S", 0.05)
    with pytest.raises(RetrievalError, match="took too long to answer") as failure:
        await weaviate_schema.retry_reads(asyncio.Event().wait)()
    assert failure.value.retryable


async def test_a_workspace_s_data_are_removed_and_no_other_s(client: Any, server: WeaviateServer) -> None:
    ours = await opened(client, server, WORKSPACES, "ours")
    theirs = await opened(client, server, WORKSPACES, "theirs")
    for library in (ours, theirs):
        await library.add(papers(3))
        await library.add(papers(20, "graph", 101))
        await library.index(lambda _: None)  # into another collection
    shared = client.collections.get(weaviate_schema.MODELS)
    assert await shared.length() == 0  # no workspace's words lie there
    await remove_tenant(client, "ours")
    assert not await tenant_exists(client, "ours")
    assert set(await client.collections.get(weaviate_schema.WORKSPACE_MODELS).tenants.get()) == {"theirs"}
    assert await tenant_exists(client, "theirs") and await theirs.count() == 23
    assert (await read_description(client, f"{WORKSPACES}/ours")).version == ""
    assert (await read_description(client, f"{WORKSPACES}/theirs")).version
    fresh = await opened(client, server, WORKSPACES, "ours")
    assert await fresh.count() == 0


async def test_who_searched_an_emptied_library_finds_what_others_add(client: Any, server: WeaviateServer) -> None:
    library, reader = await opened(client, server), await opened(client, server)
    await library.add(papers(3))
    await library.remove([paper.key for paper in papers(3)])
    assert await reader.search(Query("dense retrieval", 5)) == []
    await library.add(papers(3))
    assert len(await reader.search(Query("dense retrieval", 5))) == 3
