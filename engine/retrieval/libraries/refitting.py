"""Fills a draft of a library's index with all its papers.

Run as ``python -I -m engine.retrieval.libraries.refitting FOLDER [MODEL [MODELS]]``, it makes a library's embedding
anew, by its own or by a model for fastembed (from the folder MODELS), while others search that.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.local_models import LocalEmbedder
from engine.retrieval.embedding import Embedder, LatentSemanticAnalysis, sample_rows
from engine.retrieval.libraries.library import IndexProgress, OnIndexProgress
from engine.retrieval.libraries.local_papers import PaperTable
from engine.retrieval.libraries.vectors import VectorStore, make_part

BATCH = 5_000
"""Papers embedded together: what an interruption costs, and about a gigabyte less of memory than a whole library."""


async def fill_draft(
    papers: PaperTable, store: VectorStore, on_progress: OnIndexProgress
) -> tuple[Sequence[str], Embedder, int]:
    """All parts of a draft of the index for the papers as they are now, what embedded them, and the table's version."""
    version, total, done, parts = await papers.version(), await papers.count(), 0, []
    embedder = await asyncio.to_thread(store.begin_draft, total)
    if embedder is None:
        on_progress(IndexProgress("fitting", 0))
        texts = await papers.take_texts(sample_rows(total).tolist())
        said = [f"{title}. {abstract}" for title, abstract in zip(texts.titles, texts.abstracts, strict=True)]
        embedder = await asyncio.to_thread(LatentSemanticAnalysis.fit, said, papers=total)
        await asyncio.to_thread(embedder.save, store.draft)
    async for texts in papers.read_texts(BATCH):
        parts.append(await asyncio.to_thread(make_part, store.draft, texts, embedder))
        done += len(texts.keys)
        on_progress(IndexProgress("vectors", done, total))
    on_progress(IndexProgress("words", 0))
    return parts, embedder, version


async def _refit(folder: Path, model: str = "", models: str = "") -> None:
    from engine.retrieval.libraries.local import open_library  # which imports this module

    neural = LocalEmbedder(model, Path(models) if models else None) if model else None
    await (await open_library(folder, neural)).refit(lambda _: None)


if __name__ == "__main__":
    os.nice(10)
    asyncio.run(_refit(Path(sys.argv[1]), *sys.argv[2:]))
