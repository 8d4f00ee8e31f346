"""The local library, as the protocol promises it and as a lab uses it."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import RetrievalError, UserError
from engine.retrieval.embedding import LSA_DIMENSIONS, LatentSemanticAnalysis
from engine.retrieval.libraries import local
from engine.retrieval.libraries.adding import PaperBlocks
from engine.retrieval.libraries.library import AddReport
from engine.retrieval.libraries.local import LocalLibrary, create_library, open_library
from engine.retrieval.ranking import closeness, popularity, reciprocal_rank_fusion, standardise
from engine.values import Paper, PaperKey, Query
from tests.fakes import WordEmbedder, paper, papers
from tests.stand_ins.changes import PATIENCE_S


async def filled(folder: Path, *batches: Iterable[Paper]) -> LocalLibrary:
    library = await create_library(folder)
    for batch in batches:
        await library.add(batch)
    await library.index(lambda _: None)
    return library


async def test_a_sample_is_from_all_over_the_library(tmp_path: Path) -> None:
    library = await create_library(tmp_path / "lib")
    assert await library.sample(10) == []
    await library.add(papers(40))
    sample = await library.sample(10)
    assert len({paper.key for paper in sample}) == 10
    keys = [paper.key for paper in papers(40)]
    places = sorted(keys.index(paper.key) for paper in sample)
    assert places[0] < 10
    assert places[-1] >= 30
    assert len(await library.sample(100)) == 40


async def test_doubles_within_one_file_are_one(tmp_path: Path) -> None:
    library = await create_library(tmp_path / "lib")
    assert await library.add([paper(1), paper(1), replace(paper(1), citations=999)]) == AddReport(1, 1, 1)
    assert await library.count() == 1


async def test_an_interrupted_ingest_is_finished_by_repeating_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "BATCH", 100)
    library = await create_library(tmp_path / "lib")

    def breaks_off() -> Iterator[Paper]:
        yield from papers(100)
        yield from papers(10, "graph", 9_000)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await library.add(breaks_off())
    again = await open_library(tmp_path / "lib")
    assert await again.count() == 100
    assert not await again.is_current()
    await again.add([*papers(100), *papers(10, "graph", 9_000)])
    await again.index(lambda _: None)
    assert await again.is_current()
    assert await again.count() == 110


async def test_the_clients_of_lancedbs_service_are_not_loaded(library: LocalLibrary) -> None:
    assert "lancedb" in sys.modules
    assert "lance_namespace_urllib3_client.api" not in sys.modules  # half of the time of LanceDB's import


async def test_vectors_are_kept_for_what_did_not_change(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    seen: list[int] = []

    class Counting(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            seen.append(len(texts))
            return embedder.embed(texts)

    library = await create_library(tmp_path / "lib", Counting())
    await library.add(papers(10))
    await library.index(lambda _: None)
    seen.clear()
    await library.add(papers(12))
    await library.index(lambda _: None)
    assert seen == [2, 2]
    assert len(await library.search(Query("dense retrieval", 50))) == 12


def files_of(folder: Path) -> dict[str, int]:
    """Each file of the vectors, and where it begins on the disk: a file that is written anew has another place."""
    return {str(f.relative_to(folder)): f.stat().st_ino for f in folder.glob("vectors-*/*.npy")}


async def test_adding_a_few_papers_writes_nothing_anew_and_finds_as_a_rebuild_does(tmp_path: Path) -> None:
    bare = replace(paper(3), abstract="")
    library = await filled(tmp_path / "lib", [bare, *(p for p in papers(60) if p.key != bare.key)])
    before = files_of(tmp_path / "lib")
    changed = replace(paper(3), abstract="The zebra crossing of graphs.", citations=77)
    for batch in (papers(3, "graph", 500), [changed], papers(2, "vision", 600)):
        await library.add(batch)
        assert not await library.is_current()
        await library.index(lambda _: None)
        assert await library.is_current()
    assert before.items() <= files_of(tmp_path / "lib").items()
    assert await fitted_on(library) == 60
    again = await open_library(tmp_path / "lib")
    assert (await again.get([paper(3).key]))[0].citations == 77
    for ranking in ("relevance", "survey"):
        for text in ("graph", "image segmentation", "dense retrieval"):
            query = Query(text, 100, ranking=ranking)  # type: ignore[arg-type]
            keys = [f.paper.key for f in await again.search(query)]
            assert len(keys) == len(set(keys))
            assert keys == [f.paper.key for f in await library.search(query)]
    (first, *_) = await again.search(Query("zebra crossing", 5, ranking="relevance"))
    assert first.paper.key == paper(3).key
    assert (await again.count_topic("graph")).papers_with[0] > 3


async def test_an_emptied_library_with_a_damaged_index_is_opened_and_filled_again(tmp_path: Path) -> None:
    library = await filled(tmp_path / "lib", papers(20))
    await library.remove([p.key for p in papers(20)])
    (tmp_path / "lib" / "index.json").write_text("{", encoding="utf-8")
    again = await open_library(tmp_path / "lib")
    await again.index(lambda _: None)
    await again.add(papers(20))
    await again.index(lambda _: None)
    assert await again.is_current()
    assert await again.search(Query("dense retrieval", 5))


@pytest.mark.parametrize("file", ["lsa.json", "lsa-components.npy"])
async def test_a_library_whose_embedding_is_damaged_is_opened_and_searched(tmp_path: Path, file: str) -> None:
    await filled(tmp_path / "lib", papers(20))
    (damaged,) = (tmp_path / "lib").rglob(file)
    damaged.write_bytes(b"")
    again = await open_library(tmp_path / "lib")
    await again.index(lambda _: None)
    assert not await again.is_outgrown()
    assert await again.search(Query("dense retrieval", 5))


async def test_many_small_additions_are_joined(tmp_path: Path) -> None:
    library = await filled(tmp_path / "lib", papers(120))
    for number in range(15):
        await library.add(papers(1, "graph", 500 + number))
        await library.index(lambda _: None)
    assert len(json.loads((tmp_path / "lib" / "index.json").read_text())["parts"]) <= 12
    assert len(await library.search(Query("graph", 50, ranking="relevance"))) >= 15


async def test_an_addition_that_was_interrupted_is_finished_by_the_next(tmp_path: Path) -> None:
    library = await filled(tmp_path / "lib", papers(60))
    await library.add(papers(2, "graph", 500))
    generation = next((tmp_path / "lib").glob("vectors-*"))
    (generation / "part-0").mkdir()  # a part that index.json does not count yet
    (generation / "part-0" / "titles.npy").write_bytes(b"\0" * 5_000)
    again = await open_library(tmp_path / "lib")
    assert not await again.is_current()
    await again.index(lambda _: None)
    assert await again.is_current()
    assert len(await again.search(Query("graph", 50, ranking="relevance"))) >= 2


async def assert_embedded(library: LocalLibrary) -> None:
    """The vectors are those of what each paper says now, and no paper is found that is gone."""
    index = await library.indexed()
    row = {key: at for at, key in enumerate(index.keys)}
    async for stored in library.read_all():
        said = stored.paper
        title, abstract = index.embedder.embed([said.title, said.abstract or said.title])
        assert np.allclose(index.titles[row[said.key]], title), said.title
        assert np.allclose(index.abstracts[row[said.key]], abstract), said.title
    found = {f.paper.key for f in await library.search(Query("retrieval graph dosing zebra", 500, ranking="relevance"))}
    assert found <= {stored.paper.key async for stored in library.read_all()}


async def test_every_merged_or_changed_text_is_embedded_again(tmp_path: Path) -> None:
    preprint = paper(1, title="Bandits for dosing", abstract="Short.", venue="arXiv")
    other = paper(2, key="doi:10.1/x", identifiers=("doi:10.1/x",), title="An entirely different name")
    library = await create_library(tmp_path / "lib", WordEmbedder())
    await library.add([preprint, other, *papers(60, "graph", 101)])
    await library.index(lambda _: None)
    before = files_of(tmp_path / "lib")
    fuller = replace(preprint, abstract="A zebra crossing that is longer than before.")
    published = replace(preprint, title="Dosing, published", venue="ICML", year=2021)
    both = replace(preprint, key=PaperKey("s2:1"), identifiers=(PaperKey("s2:1"), preprint.key, other.key))
    for record in (fuller, published, both):
        await library.add([record])
        assert not await library.is_current()
        await library.index(lambda _: None)
        assert await library.is_current()
        await assert_embedded(library)
    (merged,) = await library.get([other.key])
    assert (merged.key, await library.count()) == (preprint.key, 61)
    assert preprint.title != merged.title
    parts = await library.unmerge(merged.key)
    assert not await library.is_current()
    await library.index(lambda _: None)
    await assert_embedded(library)
    assert await library.get([part.key for part in parts]) == parts
    assert files_of(tmp_path / "lib") == before  # appended, not made anew


async def fitted_on(library: LocalLibrary) -> int:
    embedder = await library.embedder()
    assert isinstance(embedder, LatentSemanticAnalysis)
    return embedder.fitted_on


async def test_an_index_without_words_is_made_anew_when_it_is_opened(tmp_path: Path) -> None:
    await filled(tmp_path / "lib", papers(6), papers(6, "graph", 101))
    for file in (tmp_path / "lib").glob("vectors-*/terms.json"):
        file.unlink()
    found = await (await open_library(tmp_path / "lib")).search(Query("graph attention", 3))
    assert all("Graph Attention" in item.paper.title for item in found)
    assert list((tmp_path / "lib").glob("vectors-*/terms.json"))


async def test_a_search_while_papers_change_finds_the_right_ones(tmp_path: Path) -> None:
    library = await filled(tmp_path / "lib", papers(6), papers(6, "graph", 101))
    before = [item.paper.title for item in await library.search(Query("graph attention", 6))]
    await library.add([replace(p, venue="Elsewhere") for p in papers(6)])  # their rows move to the table's end
    after = await library.search(Query("graph attention", 6))
    assert [item.paper.title for item in after] == before


def _ingest(folder: str, first: int) -> None:
    async def work() -> None:
        library = await create_library(Path(folder))
        await library.add(papers(600, start=first))

    asyncio.run(work())


async def test_two_processes_on_one_library_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    await create_library(folder)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_ingest, args=(str(folder), first)) for first in (1, 10_001)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(PATIENCE_S)
    done = sum(worker.exitcode == 0 for worker in workers)
    library = await open_library(folder)
    assert done >= 1
    assert await library.count() == 600 * done
    await library.add([*papers(600), *papers(600, start=10_001)])
    assert await library.count() == 1_200


async def test_while_one_adds_another_is_asked_to_wait(tmp_path: Path) -> None:
    first, second = await create_library(tmp_path / "lib"), await create_library(tmp_path / "lib")

    def slow() -> Iterator[Paper]:
        yield paper(1)
        with pytest.raises(UserError, match="Another process is adding"):
            asyncio.run(second.add([paper(2)]))

    await first.add(slow())


async def test_what_is_not_there_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="scholium ingest FILE --library nowhere"):
        await open_library(tmp_path / "nowhere")
    with pytest.raises(UserError, match="cannot be a library's name"):
        await create_library(tmp_path / "Bad Name!")
    empty = await create_library(tmp_path / "empty")
    with pytest.raises(UserError, match="empty or not indexed"):
        await empty.search(Query("x", 1))


async def test_a_damaged_library_is_an_error_of_its_own(tmp_path: Path) -> None:
    library = await filled(tmp_path / "lib", papers(5))
    for data in (tmp_path / "lib" / "papers.lance" / "data").iterdir():
        data.write_bytes(b"junk")
    with pytest.raises(RetrievalError, match=r"could not be used: [^/]*\. If it stays so, move its folder away and"):
        await (await open_library(tmp_path / "lib")).search(Query("dense retrieval", 3))
    assert library.name == "lib"


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("index.json", b'{"vectors": "vec'),
        ("index.json", b"\xff\xfe"),
        ("index.json", b""),
        ("keys.json", None),
        ("titles.npy", b""),
        ("terms-rows.npy", b"\x93NUMPY of another length"),
        ("terms.json", b"[1"),
        ("lsa.json", b"{}"),
    ],
)
async def test_a_damaged_index_is_made_anew_from_the_papers(tmp_path: Path, file: str, content: bytes | None) -> None:
    library = await filled(tmp_path / "lib", papers(8))
    found = [f.paper.key for f in await library.search(Query("dense retrieval", 5))]
    for repair in (False, True):
        (damaged,) = (tmp_path / "lib").rglob(file)
        damaged.unlink() if content is None else damaged.write_bytes(content)
        again = await open_library(tmp_path / "lib")
        if repair:  # as `ingest` of nothing new does
            await again.index(lambda _: None)
        assert [f.paper.key for f in await again.search(Query("dense retrieval", 5))] == found
        assert await again.is_current()


def test_lsa_survives_saving_and_few_texts(tmp_path: Path) -> None:
    for texts in ([], ["one"], ["alpha beta", "beta gamma", "gamma delta epsilon"], ["the of"]):
        fitted = LatentSemanticAnalysis.fit(texts)
        vectors = fitted.embed(texts)
        assert vectors.shape == (len(texts), LSA_DIMENSIONS)
        assert np.isfinite(vectors).all()
        fitted.save(tmp_path)
        again = LatentSemanticAnalysis.load(tmp_path)
        np.testing.assert_allclose(again.embed(texts), vectors)
        assert again.fitted_on == len(texts)
    assert not list(tmp_path.glob("*.pkl"))
    assert "fitted_on" in json.loads((tmp_path / "lsa.json").read_text())


def test_ranking_by_hand() -> None:
    fused = reciprocal_rank_fusion([[1, 2], [2, 3]], [2.0, 1.0])
    assert fused == pytest.approx({1: 2 / 61, 2: 2 / 62 + 1 / 61, 3: 1 / 62})
    for values, standardised in (([1.0, 3.0], [-1.0, 1.0]), ([2.0, 2.0], [0.0, 0.0])):
        assert standardise(np.array(values)).tolist() == standardised
    near = closeness(np.eye(3, dtype=np.float32)[:1], np.eye(3, dtype=np.float32))
    assert near.tolist() == pytest.approx([1 / 3])
    cited = popularity(np.array([8.0, np.nan, 0.0]), np.array([2018, 2018, 0]), 2025)
    assert cited == pytest.approx([np.log(2), np.log(2), 0.0])
    assert popularity(np.array([np.nan]), np.array([2000]), 2025).tolist() == [0.0]


async def test_adding_reads_the_identities_of_what_is_like_it_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = await create_library(tmp_path / "lib")
    await library.add(papers(40))
    entered: list[object] = []
    monkeypatch.setattr(PaperBlocks, "enter", lambda _, papers: entered.extend(papers))
    assert (await library.add([*papers(3), *papers(2, "graph", 101)])).added == 2
    assert len(entered) == 2


async def test_identities_that_are_damaged_or_of_another_state_are_made_anew(tmp_path: Path) -> None:
    library = await create_library(tmp_path / "lib")
    await library.add(papers(5))
    file = tmp_path / "lib" / "identities.sqlite"
    file.write_bytes(b"no database" * 1_000)
    assert (await library.add(papers(5))).unchanged == 5
    with closing(sqlite3.connect(file)) as earlier, earlier:  # its keys were others
        earlier.execute("UPDATE OR REPLACE blocks SET block = 7")
        earlier.execute("PRAGMA user_version = 0")
    assert (await library.add(papers(5))).unchanged == 5
    file.unlink()  # as an earlier version leaves it
    assert (await library.add(papers(6))).added == 1
