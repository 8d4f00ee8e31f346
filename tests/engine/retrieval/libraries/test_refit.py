"""A library in a folder is fitted anew: interrupted, and while others search it and add papers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine.retrieval.embedding import Vectors
from engine.retrieval.libraries import local
from engine.retrieval.libraries.library import IndexProgress
from engine.retrieval.libraries.local import create_library, open_library
from engine.values import Query
from tests.engine.retrieval.libraries.test_local import assert_embedded, filled, fitted_on
from tests.fakes import WordEmbedder, paper, papers
from tests.stand_ins.changes import PATIENCE_S


async def test_the_embedding_is_fitted_again_when_the_library_grew_by_a_quarter(tmp_path: Path) -> None:
    library = await filled(tmp_path / "lib", papers(20))
    assert await fitted_on(library) == 20
    for count, fitted in ((24, 20), (25, 25)):
        await library.add(papers(count))
        await library.index(lambda _: None)
        assert len(await library.search(Query("dense retrieval", 50))) == count
        await library.refit(lambda _: None)
        assert await fitted_on(library) == fitted


async def test_a_refit_that_is_broken_off_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "BATCH", 10)
    library = await filled(tmp_path / "lib", papers(40))
    await library.add(papers(9, "graph", 500))
    await library.index(lambda _: None)
    await library.add(papers(6, "vision", 600))
    await library.index(lambda _: None)
    before = [f.paper.key for f in await library.search(Query("graph attention", 20))]

    def breaks_off(step: IndexProgress) -> None:
        if step.stage == "vectors" and step.done >= 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await library.refit(breaks_off)
    again = await open_library(tmp_path / "lib")
    assert await again.is_current() and await again.is_outgrown()
    assert [f.paper.key for f in await again.search(Query("graph attention", 20))] == before
    steps: list[str] = []
    await again.refit(lambda step: steps.append(step.stage))
    assert "fitting" not in steps
    assert await fitted_on(again) == await again.count() == 55
    await assert_embedded(again)


async def test_papers_that_come_and_go_during_a_refit_are_in_the_new_index(tmp_path: Path) -> None:
    library = await filled(tmp_path / "lib", [replace(p, abstract="") if p == paper(3) else p for p in papers(40)])
    await library.add(papers(9, "graph", 500))
    await library.index(lambda _: None)
    await library.add(papers(6, "vision", 600))
    await library.index(lambda _: None)
    other = await open_library(tmp_path / "lib")
    await other.search(Query("graph", 3))
    changed = replace(paper(3), abstract="The zebra crossing of graphs.")

    async def change() -> None:
        second = await open_library(tmp_path / "lib")
        await second.add([*papers(2, "vision", 700), changed])
        await second.remove([paper(5).key])
        await second.index(lambda _: None)

    def meanwhile(step: IndexProgress) -> None:
        if step.stage == "words":
            busy = threading.Thread(target=asyncio.run, args=(change(),))
            busy.start()
            busy.join(PATIENCE_S)

    await library.refit(meanwhile)
    for reader in (library, other):  # whoever had it open turns to the new index
        assert await fitted_on(reader) == 55
        await assert_embedded(reader)
        assert await reader.get([paper(5).key]) == []
        (first, *_) = await reader.search(Query("zebra crossing", 5, ranking="relevance"))
        assert first.paper.key == paper(3).key
    assert not await library.is_outgrown() and await library.is_current()


class Chosen(WordEmbedder):
    """A neural embedder as somebody chose it, and how many texts it embedded."""

    name = "chosen"

    def __init__(self) -> None:
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return super().embed(texts)


async def test_a_chosen_embedder_takes_over_when_it_has_embedded_all_and_goes_on_where_it_was_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "BATCH", 10)
    await filled(tmp_path / "lib", papers(40))
    library = await open_library(tmp_path / "lib", Chosen())
    assert await library.is_current() and await library.is_outgrown()
    assert await fitted_on(library) == 40
    assert len(await library.search(Query("dense retrieval", 20))) == 20

    def breaks_off(step: IndexProgress) -> None:
        if step.stage == "vectors" and step.done >= 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await library.refit(breaks_off)
    again = await open_library(tmp_path / "lib", chosen := Chosen())
    assert await fitted_on(again) == 40
    await again.refit(lambda _: None)
    assert chosen.texts == 2 * 10  # titles and abstracts of the batch that was missing
    assert await again.embedder() is chosen and not await again.is_outgrown()
    await assert_embedded(again)
    assert (await library.embedder()).name == "chosen"  # whoever had it open turns to the new index


async def test_a_library_whose_embedder_is_chosen_no_more_is_indexed_by_its_own(tmp_path: Path) -> None:
    library = await create_library(tmp_path / "lib", Chosen())
    await library.add(papers(40))
    await library.index(lambda _: None)
    own = await open_library(tmp_path / "lib")
    assert not await own.is_current()
    await own.index(lambda _: None)
    assert await fitted_on(own) == 40
