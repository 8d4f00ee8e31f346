"""A library that has grown is fitted anew beside the process that uses it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.serving.libraries import Libraries
from bot.settings import Settings
from engine.retrieval.embedding import LatentSemanticAnalysis
from engine.retrieval.libraries.local import LocalLibrary, create_library
from engine.values import Query
from tests.fakes import papers
from tests.stand_ins.changes import PATIENCE_S


async def fitted_on(library: LocalLibrary) -> int:
    embedder = await library.embedder()
    assert isinstance(embedder, LatentSemanticAnalysis)
    return embedder.fitted_on


@pytest.mark.slow
async def test_a_grown_library_is_fitted_anew_by_another_process(tmp_path: Path) -> None:
    libraries = Libraries(Settings(home=tmp_path))
    library = await create_library(libraries.folder("main"))
    await library.add(papers(40))
    await library.index(lambda _: None)
    await library.add([replace(p, year=2024) for p in papers(10, "graph", 500)])
    await library.index(lambda _: None)
    opened = await libraries.library("main")
    assert isinstance(opened, LocalLibrary)
    assert len(await opened.search(Query("graph attention", 5))) == 5
    try:
        async with asyncio.timeout(PATIENCE_S):
            await libraries.finish_refits()
        assert await fitted_on(opened) == 50  # whoever has it open turns to the new index
    finally:
        await libraries.close()
    assert not (libraries.folder("main") / "draft").exists()
