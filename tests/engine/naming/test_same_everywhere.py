"""Groups, their order and their headings are the same on every processor and with any number of threads."""

from __future__ import annotations

import subprocess
import sys

SETTINGS = tuple(
    (f"OPENBLAS_NUM_THREADS={threads}", f"OMP_NUM_THREADS={threads}", f"OPENBLAS_CORETYPE={processor}")
    for threads, processor in ((1, "Haswell"), (2, "Nehalem"))
)

GROUPING = """
import asyncio
import json
import tempfile
from pathlib import Path
from bot.serving.bundled import read_bundled
from engine.naming.clustering import clusters
from engine.naming.grouping import GroupingOptions, group_papers
from engine.retrieval.embedding import LatentSemanticAnalysis, embed_papers
from engine.retrieval.libraries.local import create_library
from engine.values import Query

chosen = read_bundled()[:150]
embedder = LatentSemanticAnalysis.fit([f"{p.title}. {p.content}" for p in chosen])
vectors = embed_papers(embedder, chosen)
for algorithm in ("k-means", "agglomerative", "dbscan"):
    grouping = group_papers(vectors, GroupingOptions(algorithm), 0)
    for group in clusters(chosen, grouping.labels, "retrieval-augmented generation"):
        keys = [p.key for p in group.papers]
        print(json.dumps([algorithm, grouping.silhouette, group.name, group.terms, keys]))


async def search():
    with tempfile.TemporaryDirectory() as folder:
        library = await create_library(Path(folder) / "lib")
        await library.add(chosen)
        await library.index(lambda _: None)
        for topic in ("dense retrieval", "hallucination of language models"):
            print("found", [item.paper.key for item in await library.search(Query(topic, 150))])


asyncio.run(search())
"""


def test_groups_rankings_and_headings_are_equal_whatever_computes_them() -> None:
    said = [
        subprocess.run(["env", *one, sys.executable, "-c", GROUPING], capture_output=True, text=True, check=True).stdout
        for one in SETTINGS
    ]
    assert said[0].count("k-means") >= 3 and said[0].count("found") == 2
    assert said[0] == said[1]
