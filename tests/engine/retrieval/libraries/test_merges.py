"""Merges in libraries of both kinds: both records are kept, a merge can be undone, and stays undone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from engine.errors import UserError
from engine.retrieval.libraries.adding import StoredPaper, read_stored, to_columns
from engine.retrieval.libraries.library import AddReport
from engine.retrieval.libraries.local import create_library
from engine.retrieval.weaviate.weaviate_schema import WeaviateServer, connect
from engine.values import Paper, PaperKey, Query
from tests.engine.retrieval.libraries.weaviate_lab import opened
from tests.fakes import paper, papers
from tests.servers import WeaviateAt

TITLE = "Contextual bandits with delayed feedback in clinical dosing"
PREPRINT = paper(1, key="arxiv:2001.00001", identifiers=("arxiv:2001.00001",), title=TITLE, venue="arXiv", year=2020)
PUBLISHED = paper(1, key="doi:10.1/x", identifiers=("doi:10.1/x",), title=TITLE.title(), venue="ICML", year=2021)
Filled = Callable[..., Awaitable[Any]]


@pytest.fixture(params=["local", "weaviate"])
async def filled(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Filled]:
    """Makes a library of either kind from batches."""
    client = None
    if request.param == "local":
        library: Any = await create_library(tmp_path / "lib")
    else:
        at: WeaviateAt = request.getfixturevalue("weaviate_at")
        server = WeaviateServer(at.url, at.grpc_port)
        client = await connect(server)
        library = await opened(client, server)

    async def fill(*batches: list[Paper]) -> Any:
        for batch in batches:
            await library.add(batch)
        await library.index(lambda _: None)
        return library

    yield fill
    if client is not None:
        await client.close()


def test_records_of_earlier_versions_are_read() -> None:
    columns = to_columns(StoredPaper(PREPRINT, (PREPRINT,)))
    older = {**columns, "records": columns["records"].replace(', "kinds": []', "")}
    assert read_stored(older) == StoredPaper(PREPRINT, (PREPRINT,))


async def test_a_merge_is_undone_and_stays_undone(filled: Filled) -> None:
    library = await filled([PREPRINT, *papers(5, "graph", 101)], [PUBLISHED])
    (merged,) = await library.get([PUBLISHED.key])
    assert (merged.key, merged.venue) == (PREPRINT.key, "ICML")
    assert list(await library.records_of(merged.key)) == [PREPRINT, PUBLISHED]
    assert len(await library.unmerge(merged.key)) == 2
    await library.index(lambda _: None)
    one, two = await library.get([PREPRINT.key, PUBLISHED.key])
    assert (one.key, one.venue, two.key, two.venue) == (PREPRINT.key, "arXiv", PUBLISHED.key, "ICML")
    assert await library.add([PUBLISHED, PREPRINT]) == AddReport(0, 0, 2)
    assert await library.count() == 7


async def test_a_record_with_both_identifiers_makes_two_known_papers_one(filled: Filled) -> None:
    other = paper(1, key="doi:10.1/x", identifiers=("doi:10.1/x",), title="An entirely different name for it")
    library = await filled([PREPRINT, *papers(5, "graph", 101)], [other])
    assert await library.count() == 7
    both = paper(1, key="s2:1", identifiers=("s2:1", PREPRINT.key, PaperKey("doi:10.1/x")), title=TITLE)
    await library.add([both])
    await library.index(lambda _: None)
    assert await library.count() == 6
    (merged,) = await library.get([PaperKey("doi:10.1/x")])
    assert {PREPRINT.key, "doi:10.1/x", "s2:1"} <= set(merged.identifiers)
    await library.unmerge(merged.key, 2)
    await library.index(lambda _: None)
    assert await library.count() == 7


async def test_a_doi_of_the_proceedings_does_not_mix_papers(filled: Filled) -> None:
    shared = (PaperKey("doi:10.1000/proceedings"),)
    one = paper(1, key=shared[0], identifiers=shared, title="Parsing with large lexicons", authors=("Ada One",))
    two = paper(2, key=shared[0], identifiers=shared, title="Sampling rare events on graphs", authors=("Bea Two",))
    library = await filled([one, two, *papers(5, "graph", 101)])
    assert await library.count() == 7
    assert await library.add([one, two]) == AddReport(0, 0, 2)
    assert {p.title async for p in _papers(library)} >= {one.title, two.title}


async def test_papers_are_removed_and_may_come_again(filled: Filled) -> None:
    library = await filled([PREPRINT, *papers(5, "graph", 101)], [PUBLISHED])
    await library.remove([PREPRINT.key])
    await library.index(lambda _: None)
    assert await library.count() == 5 and not list(await library.get([PREPRINT.key, PUBLISHED.key]))
    assert TITLE not in {f.paper.title for f in await library.search(Query(TITLE, 1, "relevance"))}
    assert await library.add([PUBLISHED]) == AddReport(1)


async def test_what_was_never_merged_says_so(filled: Filled) -> None:
    library = await filled(papers(5))
    with pytest.raises(UserError, match="no merge to undo"):
        await library.unmerge(papers(1)[0].key)
    with pytest.raises(UserError, match="has no paper"):
        await library.unmerge(PaperKey("doi:10.1/none"))


async def _papers(library: Any) -> AsyncIterator[Paper]:
    async for stored in library.read_all():
        yield stored.paper
