"""What every library promises, over LanceDB and over a real Weaviate; and that both give the same answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.serving.bundled import read_bundled
from engine.retrieval.libraries.combined import ExcludingLibrary
from engine.retrieval.libraries.library import AddReport, Library
from engine.retrieval.libraries.local import create_library
from engine.retrieval.weaviate.weaviate_schema import WeaviateServer, connect
from engine.values import Brief, Paper, PaperKey, Query, Ranking, YearRange
from tests.engine.retrieval.libraries.weaviate_lab import opened
from tests.fakes import paper, papers
from tests.servers import WeaviateAt

Made = Callable[..., Awaitable[Any]]
EVERYTHING = [*papers(12), *papers(10, "graph", 101), *papers(8, "vision", 201)]
TOLERANCE = 0.8
"""Least share of a search's first ten papers that both kinds of library have in common."""


@pytest.fixture(params=["local", "weaviate"])
async def made(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Made]:
    """Makes a library of either kind and fills it."""
    if request.param == "local":

        async def local(*batches: list[Paper]) -> Library:
            library = await create_library(tmp_path / "lib")
            for batch in batches:
                await library.add(batch)
            await library.index(lambda _: None)
            return library

        yield local
        return
    at: WeaviateAt = request.getfixturevalue("weaviate_at")
    server = WeaviateServer(at.url, at.grpc_port)
    client = await connect(server)

    async def remote(*batches: list[Paper]) -> Library:
        library = await opened(client, server)
        for batch in batches:
            await library.add(batch)
        await library.index(lambda _: None)
        return library

    yield remote
    await client.close()


@pytest.mark.parametrize("ranking", ["survey", "relevance", "title"])
async def test_a_search_finds_its_subject(made: Made, ranking: Ranking) -> None:
    found = await (await made(EVERYTHING)).search(Query("graph attention", 5, ranking))
    assert len(found) == 5
    assert all("Graph Attention" in item.paper.title for item in found)
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


@pytest.mark.parametrize("ranking", ["survey", "relevance", "title"])
async def test_filters_are_honoured_before_the_limit(made: Made, ranking: Ranking) -> None:
    library = await made([*EVERYTHING, paper(50, venue="NeurIPS")])
    for query, holds in (
        (Query("dense retrieval", 5, ranking, YearRange(2005, 2010)), lambda p: 2005 <= p.year <= 2010),
        (Query("dense retrieval", 5, ranking, YearRange(None, 2006)), lambda p: p.year <= 2006),
    ):
        found = await library.search(query)
        assert found and all(holds(item.paper) for item in found)
    first = (await library.search(Query("dense retrieval", 1, ranking)))[0].paper.key
    excluding = ExcludingLibrary(library, Brief("retrieval", without=(first,)))
    without = await excluding.search(Query("dense retrieval", 10, ranking))
    assert len(without) == 10 and first not in {item.paper.key for item in without}


async def test_words_that_no_paper_has_find_nothing(made: Made) -> None:
    library = await made(EVERYTHING)
    for words in ("zzyzx", "  ", "the of and"):
        assert await library.search(Query(words, 5)) == []


async def test_get_by_any_identifier_in_the_order_asked(made: Made) -> None:
    one, two = paper(1, identifiers=("arxiv:2001.00001", "doi:10.1/one")), paper(2)
    library = await made([one, two])
    found = await library.get([two.key, "doi:10.1/one", "arxiv:0000.00000"])
    assert [p.key for p in found] == [two.key, one.key]
    assert await library.get([]) == []


async def test_a_paper_comes_back_as_it_was_given(made: Made) -> None:
    whole = paper(7, pdf="https://arxiv.org/pdf/1", retracted=True, origins=(("title", "OpenAlex"), ("pdf", "arXiv")))
    bare = replace(paper(8), abstract="", authors=(), year=None, venue="", citations=None, url="")
    strange = paper(9, title="Émile’s “α”\n-Test", authors=("Ünal Çelik",), venue="Phys. Rev. “B”")
    library = await made([whole, bare, strange, *papers(5, "graph", 101)])
    assert list(await library.get([whole.key, bare.key, strange.key])) == [whole, bare, strange]


async def test_adding_again_changes_nothing_and_better_records_complete(made: Made) -> None:
    library = await made()
    assert await library.add(EVERYTHING) == AddReport(30, 0, 0)
    assert await library.add(EVERYTHING) == AddReport(0, 0, 30)
    assert await library.add([replace(EVERYTHING[0], citations=9_999)]) == AddReport(0, 1, 0)
    assert await library.count() == 30


async def test_the_same_paper_from_two_files_is_one(made: Made) -> None:
    original = paper(1, abstract="")
    same_doi = paper(1, key="doi:10.1/x", identifiers=("doi:10.1/x", original.key), title="Quite another title")
    same_words = paper(1, key="s2:77", identifiers=("s2:77",), title=original.title.upper() + "!")
    other = paper(1, key="s2:78", identifiers=("s2:78",), authors=("Somebody Else",))
    library = await made([original], [same_doi], [same_words, other])
    assert await library.count() == 2
    (merged,) = await library.get([PaperKey("s2:77")])
    assert merged.key == original.key
    assert merged.abstract == same_doi.abstract


@pytest.mark.parametrize("ranking", ["survey", "relevance", "title"])
async def test_both_kinds_give_the_same_answers(weaviate_at: WeaviateAt, tmp_path: Path, ranking: Ranking) -> None:
    local = await create_library(tmp_path / "lib")
    real = read_bundled()
    await local.add(real)
    await local.index(lambda _: None)
    server = WeaviateServer(weaviate_at.url, weaviate_at.grpc_port)
    client = await connect(server)
    try:
        remote = await opened(client, server)
        report = await remote.take_over(local.read_all(), await local.indexed(), lambda _: None)
        assert report == AddReport(len(real), 0, 0)
        for text in ("dense passage retrieval", "hallucination of language models", "knowledge graphs"):
            first = {item.paper.key for item in await local.search(Query(text, 10, ranking))}
            second = {item.paper.key for item in await remote.search(Query(text, 10, ranking))}
            assert len(first & second) >= TOLERANCE * 10
    finally:
        await client.close()
