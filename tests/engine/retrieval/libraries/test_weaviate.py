"""Weaviate as a lab meets it: tenants, schema versions, one embedding on every machine, and its bad days."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from aiohttp import web
from weaviate.classes.data import DataObject
from weaviate.util import generate_uuid5

from adapters.http_server import serve_http
from engine.errors import RetrievalError, UserError
from engine.retrieval.embedding import FittedOnTopic
from engine.retrieval.libraries.library import WORKSPACES, AddReport
from engine.retrieval.libraries.local import create_library
from engine.retrieval.weaviate.weaviate_library import WeaviateLibrary, open_library
from engine.retrieval.weaviate.weaviate_schema import (
    LEASES,
    LIBRARIES,
    WeaviateServer,
    collection,
    connect,
    is_read_only,
    prepare,
    prepare_shared,
    tenant_exists,
    translate_failures,
)
from engine.retrieval.weaviate.weaviate_state import describe, hold_lease, names, read_description
from engine.values import PaperKey, Query
from tests.engine.retrieval.libraries.weaviate_lab import opened
from tests.fakes import WordEmbedder, paper, papers
from tests.servers import free_ports
from tests.stand_ins.changes import PATIENCE_S

EVERYTHING = [*papers(12), *papers(10, "graph", 101), *papers(8, "vision", 201)]


async def test_every_machine_embeds_alike(client: Any, server: WeaviateServer) -> None:
    first = await opened(client, server)
    await first.add(EVERYTHING)
    second = await opened(client, server)
    texts = ["graph attention", "dense retrieval"]
    ours, theirs = (await first.embedder()).embed(texts), (await second.embedder()).embed(texts)
    assert np.array_equal(ours, theirs)
    assert await names(client) == ["lib"]


async def test_workspaces_never_see_one_another(client: Any, server: WeaviateServer) -> None:
    ours = await opened(client, server, WORKSPACES, "ours")
    theirs = await opened(client, server, WORKSPACES, "theirs")
    await ours.add(papers(6))
    await theirs.add(papers(6, "graph", 101))
    assert await ours.count() == 6
    assert {f.paper.key for f in await ours.search(Query("graph attention", 50))} <= {p.key for p in papers(6)}
    assert await ours.get([papers(1, "graph", 101)[0].key]) == []
    assert await tenant_exists(client, "ours")
    assert not await tenant_exists(client, "nobodys")
    assert await names(client) == []  # no library that could be named in a chat


async def test_a_library_is_found_beside_however_many_workspaces(client: Any, server: WeaviateServer) -> None:
    await opened(client, server, "zebras")
    described = [({"library": f"{WORKSPACES}/{number}"}, UUID(int=number)) for number in range(1, 1_101)]
    await client.collections.get(LIBRARIES).data.insert_many([DataObject(*one) for one in described])
    assert await names(client) == ["zebras"]


async def test_what_is_moved_to_where_some_of_it_is_already_is_not_doubled(
    client: Any, server: WeaviateServer, tmp_path: Path
) -> None:
    local = await create_library(tmp_path / "local")
    await local.add(EVERYTHING)
    await local.index(lambda _: None)
    library = await opened(client, server)
    index = await local.indexed()
    assert (await library.take_over(local.read_all(), index, lambda _: None)).added == 30
    known = EVERYTHING[0]
    same = replace(known, key=PaperKey("doi:10.1/z"), identifiers=(PaperKey("doi:10.1/z"), known.key), citations=10_000)
    await library.add([same])
    report = await library.take_over(local.read_all(), index, lambda _: None)
    assert report == AddReport(0, 0, 30)
    assert await library.count() == 30


async def test_a_process_notices_what_another_one_did(client: Any, server: WeaviateServer) -> None:
    reader = await opened(client, server)
    assert await reader.search(Query("graph attention", 5)) == []
    writer = await opened(client, server)
    await writer.add(EVERYTHING)
    assert len(await reader.search(Query("graph attention", 5))) == 5


async def test_two_that_opened_an_empty_library_share_one_embedding(client: Any, server: WeaviateServer) -> None:
    first, second = await opened(client, server), await opened(client, server)
    await first.add(papers(12))
    fitted = (await read_description(client, "lib")).version
    assert await second.add(papers(2, "graph", 101)) == AddReport(2)
    assert (await read_description(client, "lib")).version == fitted


async def test_papers_are_added_to_what_another_process_has_fitted_anew(client: Any, server: WeaviateServer) -> None:
    first = await opened(client, server)
    await first.add(papers(12))
    second, reader = await opened(client, server), await opened(client, server)
    await second.add(papers(30, "graph", 101))
    await second.index(lambda _: None)  # into another collection
    assert await reader.count() == 42
    assert await first.add(papers(3, "vision", 201)) == AddReport(3)
    assert await second.count() == 45


async def test_what_is_added_once_more_after_a_break_is_not_doubled(client: Any, server: WeaviateServer) -> None:
    library = await opened(client, server)
    await library.add(EVERYTHING[:20])

    def breaks_off() -> Any:
        yield from EVERYTHING
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await library.add(breaks_off())
    assert await library.add(EVERYTHING) in (AddReport(0, 0, 30), AddReport(10, 0, 20))
    assert await library.count() == 30


async def test_a_rejected_object_is_named_and_the_rest_stored(client: Any, server: WeaviateServer) -> None:
    library = await opened(client, server)
    await library.add(EVERYTHING)
    strange = replace(paper(700), year=2**70)
    report = await library.add([paper(701), strange, paper(702)])
    assert report.added == 2
    assert [error.place for error in report.rejected] == [strange.key]
    assert await library.count() == 32


@pytest.mark.parametrize("schema", [2, 99])
async def test_a_library_of_another_schema_is_refused(client: Any, server: WeaviateServer, schema: int) -> None:
    await (await opened(client, server)).add(EVERYTHING)
    await describe(client, replace(await read_description(client, "lib"), schema=schema))
    with pytest.raises(UserError, match="another version"):
        await opened(client, server)


async def test_another_embedder_is_refused(client: Any, server: WeaviateServer) -> None:
    await (await opened(client, server)).add(EVERYTHING)
    description = await read_description(client, "lib")
    other = WeaviateLibrary(client, server, description, WordEmbedder())
    with pytest.raises(UserError, match="were made with lsa-256, not with words-64"):
        await other.add(papers(1, start=500))


async def test_a_neural_library_is_not_fitted_anew_where_the_embedder_is_gone(
    client: Any, server: WeaviateServer
) -> None:
    first = await open_library(client, server, "lib", neural=WordEmbedder())
    await first.add(EVERYTHING)
    without = await opened(client, server)
    for asked in (without.add(papers(3, start=500)), without.search(Query("graph attention", 5, "title"))):
        with pytest.raises(UserError, match="were made with words-64, not with lsa-256"):
            await asked
    assert await without.search(Query("graph attention", 5))  # what the words find stands for the topic
    assert (await read_description(client, "lib")).embedder == "words-64"
    assert "Graph" in (await first.search(Query("graph attention", 1)))[0].paper.title


async def test_a_library_whose_papers_are_all_removed_finds_nothing(client: Any, server: WeaviateServer) -> None:
    library = await opened(client, server, WORKSPACES, "ours")
    await library.add(papers(3))
    await library.remove([paper.key for paper in papers(3)])
    assert await library.search(Query("dense retrieval", 5)) == []
    assert await library.search(Query("the", 5)) == []
    assert await library.search(Query("dense retrieval", 5, "title")) == []


async def test_what_is_moved_to_another_embedding_is_embedded_by_that(
    client: Any, server: WeaviateServer, tmp_path: Path
) -> None:
    local = await create_library(tmp_path / "other")
    await local.add(papers(20, "vision", 301))
    await local.index(lambda _: None)
    library = await opened(client, server)
    await library.add(EVERYTHING)
    assert (await library.take_over(local.read_all(), await local.indexed(), lambda _: None)).rejected == ()
    assert await library.count() == 50
    assert "Image Segmentation" in (await library.search(Query("image segmentation", 1)))[0].paper.title


async def test_a_neural_embedder_serves_too(client: Any, server: WeaviateServer) -> None:
    await prepare_shared(client, server)
    await prepare(client, server, "neural")
    description = await read_description(client, "neural")
    library = WeaviateLibrary(client, server, description, WordEmbedder())
    assert await library.add(EVERYTHING) == AddReport(30, 0, 0)
    assert "Graph" in (await library.search(Query("graph attention", 1)))[0].paper.title
    assert await library.is_current()


async def test_the_server_may_make_the_vectors(client: Any, server: WeaviateServer) -> None:
    by_server = replace(server, vectoriser="text2vec-nothing")
    await prepare_shared(client, by_server)
    with pytest.raises(RetrievalError, match="text2vec-nothing"):
        async with translate_failures("to make the collections"):
            await prepare(client, by_server, "served")
    library = WeaviateLibrary(client, by_server, await read_description(client, "served"), None)
    assert isinstance(await library.embedder(), FittedOnTopic)


async def test_more_replicas_than_machines_are_refused_with_the_setting(client: Any, server: WeaviateServer) -> None:
    with pytest.raises(RetrievalError, match=r"fewer machines than SCHOLIUM_WEAVIATE_REPLICAS") as error:
        async with translate_failures("to make the collections"):
            await prepare(client, replace(server, replicas=3), "copied")
    assert not error.value.retryable


async def test_a_read_only_server_is_said_and_nothing_is_lost(client: Any, server: WeaviateServer) -> None:
    library = await opened(client, server)
    await library.add(EVERYTHING)
    shards = client.collections.get(collection("lib", "Papers")).config
    await shards.update_shards("READONLY")
    with pytest.raises(RetrievalError, match=r"takes no writes.*nothing will be doubled") as error:
        await library.add(papers(3, start=600))
    assert not error.value.retryable
    assert len(await library.search(Query("graph attention", 5))) == 5
    await shards.update_shards("READY")
    assert await library.add(papers(3, start=600)) == AddReport(3, 0, 0)


async def test_a_slow_server_is_said(client: Any, server: WeaviateServer) -> None:
    await (await opened(client, server)).add(EVERYTHING)
    hasty = replace(server, query_s=0.00001, connect_s=PATIENCE_S)
    described = await read_description(client, "lib")

    async def search() -> None:
        impatient = await connect(hasty)  # on a busy machine this takes too long already
        try:
            await WeaviateLibrary(impatient, hasty, described, None).search(Query("graphs", 5))
        finally:
            await impatient.close()

    with pytest.raises(RetrievalError, match=r"took too long|failed to") as error:
        await search()
    assert error.value.retryable


async def test_a_server_that_is_away_is_said(server: WeaviateServer) -> None:
    (port,) = free_ports(1)
    with pytest.raises(RetrievalError, match="Weaviate") as error:
        await connect(replace(server, url=f"http://127.0.0.1:{port}", connect_s=PATIENCE_S))
    assert error.value.retryable


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "http://"])
async def test_an_address_that_is_none_is_a_clear_sentence(url: str) -> None:
    with pytest.raises(UserError, match="WEAVIATE_URL must begin"):
        await connect(WeaviateServer(url))


@pytest.mark.parametrize(("status", "said"), [(401, "WEAVIATE_API_KEY"), (500, "failed"), (0, "took too long|failed")])
async def test_refused_failing_and_hanging_servers(status: int, said: str) -> None:
    async def answer(_: web.Request) -> web.Response:
        if not status:
            await asyncio.sleep(30)
        return web.json_response({"error": [{"message": "no"}]}, status=status)

    application = web.Application()
    application.router.add_route("*", "/{tail:.*}", answer)
    async with serve_http(application, "127.0.0.1", 0, shutdown_s=0.1) as port:
        with pytest.raises(RetrievalError, match=said):
            connect_s = PATIENCE_S if status else 0.5
            await connect(WeaviateServer(f"http://127.0.0.1:{port}", key="wrong-key", connect_s=connect_s))


async def test_collections_are_made_by_two_at_once_and_only_those_that_are_used(
    client: Any, server: WeaviateServer
) -> None:
    other = await connect(server)
    try:
        await asyncio.gather(prepare_shared(client, server), prepare_shared(other, server))
        await asyncio.gather(*(prepare(c, server, "twice") for c in (client, other) for _ in range(3)))
        made = {name for name in await client.collections.list_all() if "twice" in name.lower()}
        assert made == {"Scholium_twice_Papers"}
    finally:
        await other.close()


async def test_what_failed_is_said_although_the_lease_cannot_be_given_back(client: Any, server: WeaviateServer) -> None:
    await prepare_shared(client, server)
    mine = await connect(server)
    with pytest.raises(RetrievalError, match="the papers were refused"):
        async with hold_lease(mine, "lib"):
            await mine.close()
            raise RetrievalError("the papers were refused")


async def test_writers_take_turns_and_one_that_died_is_not_waited_for_long(client: Any, server: WeaviateServer) -> None:
    await prepare_shared(client, server)
    order: list[str] = []

    async def write(name: str) -> None:
        async with hold_lease(client, "shared"):
            order.extend([name, name])
            await asyncio.sleep(0.05)

    await asyncio.gather(*(write(name) for name in "abc"))
    assert order[::2] == order[1::2] and set(order) == set("abc")
    async with hold_lease(client, "shared"):
        with pytest.raises(UserError, match="Another process is adding"):
            async with hold_lease(client, "shared", waited_s=0.3):
                raise AssertionError("two writers at once")
        async with hold_lease(client, "another", waited_s=PATIENCE_S):
            order.append("another")
    dead = client.collections.get(LEASES)
    values = {"library": "shared", "owner": "dead", "until": time.time() - 1}
    await dead.data.insert(values, uuid=generate_uuid5("lease shared"))
    async with hold_lease(client, "shared", waited_s=PATIENCE_S):
        order.append("after")
    assert order[-2:] == ["another", "after"]


def test_names_of_collections_are_told_apart() -> None:
    made = {collection(name, "Papers") for name in ("a-b", "a_b", "a_hb", "a__b", "a-_b")}
    assert len(made) == 5
    assert LIBRARIES not in made


def test_read_only_is_recognised() -> None:
    assert is_read_only("store is read-only due to: disk usage too high")
    assert is_read_only("write: no space left on device")
    assert not is_read_only("invalid property")
