"""Who reads a library's index while somebody else writes it sees one state of it, whole."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from engine.retrieval.libraries.adding import Changes
from engine.retrieval.libraries.local import open_library
from engine.retrieval.libraries.vectors import VectorStore
from tests.engine.retrieval.libraries.test_local import filled
from tests.fakes import papers
from tests.stand_ins.changes import PATIENCE_S


def test_who_opens_an_index_while_papers_are_added_sees_one_state_of_it(tmp_path: Path) -> None:
    asyncio.run(filled(tmp_path / "lib", papers(60)))
    done = threading.Event()

    async def add() -> None:
        library = await open_library(tmp_path / "lib")
        for number in range(12):
            await library.add(papers(3, "graph", 500 + 3 * number))
            await library.index(lambda _: None)
        await library.rewrite(Changes({}, frozenset(), frozenset(), 0))
        await library.index(lambda _: None)

    def run() -> None:
        try:
            asyncio.run(add())
        finally:
            done.set()

    writer = threading.Thread(target=run)
    writer.start()
    seen = set()
    while not done.is_set():
        if found := VectorStore(tmp_path / "lib", None).read():
            whole, _ = found
            assert {len(whole.keys), len(whole.titles), len(whole.abstracts)} == {len(whole.words.lengths)}
            seen.add(len(whole.keys))
    writer.join(PATIENCE_S)
    assert len(seen) > 3
