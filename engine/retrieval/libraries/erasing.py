"""Papers that leave no trace in a library's folder."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection
from pathlib import Path

from engine.retrieval.embedding import Embedder
from engine.retrieval.libraries.adding import Changes
from engine.retrieval.libraries.local import create_library, hold_lock, open_library
from engine.values import PaperKey

FRESH, FORMER = "-fresh", "-former"
"""Endings of the names of a library that is made without some papers, and of the one with them that it replaces."""


async def erase_papers(
    folder: Path, keys: Collection[PaperKey], neural: Embedder | None, beside: Collection[str]
) -> None:
    """Make the library in a folder anew without these papers, ``beside`` being other files of it that stay.

    `LocalLibrary.remove` is quicker, but the table keeps its former versions, and the index the words that were in it.
    Takes as long as indexing all papers that are left. Raises `UserError` where another process writes there.
    """
    fresh = folder.with_name(f"{folder.name}{FRESH}")
    await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)
    with hold_lock(folder):
        library = await open_library(folder, neural)
        staying = {one.paper.key: one async for one in library.read_all() if one.paper.key not in keys}
        if staying:
            renewed = await create_library(fresh, neural)
            await renewed.rewrite(Changes(staying, frozenset(), frozenset(), 0))
            await renewed.index(lambda _: None)
            for file in [folder / name for name in beside if (folder / name).exists()]:
                await asyncio.to_thread(shutil.copy2, file, fresh)
        await asyncio.to_thread(folder.rename, folder.with_name(f"{folder.name}{FORMER}"))
        await asyncio.to_thread(finish_erasing, folder)


def finish_erasing(folder: Path) -> None:
    """Do what an `erase_papers` that was interrupted left undone."""
    former, fresh = (folder.with_name(f"{folder.name}{ending}") for ending in (FORMER, FRESH))
    if former.exists():
        if fresh.exists() and not folder.exists():
            fresh.rename(folder)
        shutil.rmtree(former)
