"""One contract for every forest."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from engine.addresses import number_sentences
from engine.errors import RetrievalError
from engine.reading.trees.attribute_trees import AttributeTree, AttributeValue, complete_tree
from engine.reading.trees.forests import FOREST_FILE, Forest, JointForest, LocalForest, MemoryForest, TreeIndex
from engine.reading.trees.tree_making import take_text
from engine.reading.trees.weaviate_forest import open_forest
from engine.retrieval.libraries.library import WORKSPACES
from engine.retrieval.weaviate.weaviate_schema import WeaviateServer, connect
from engine.values import Paper
from tests.fakes import WordEmbedder, paper, papers
from tests.servers import WeaviateAt


def tree(of: Paper, said: str = "") -> AttributeTree:
    source = take_text(of, None, 1_000)
    text = said or number_sentences(source)[1].text
    return complete_tree(source, "method", {"method.description": AttributeValue(text, text, "abstract", "Abstract")})


@pytest.fixture(params=["memory", "local", "weaviate", "tenant"])
async def forest(request: Any, tmp_path: Path) -> AsyncIterator[Forest]:
    if request.param == "memory":
        yield MemoryForest()
        return
    if request.param == "local":
        yield LocalForest(tmp_path / FOREST_FILE)
        return
    at: WeaviateAt = request.getfixturevalue("weaviate_at")
    server = WeaviateServer(at.url, at.grpc_port)
    client = await connect(server)
    library, tenant = (WORKSPACES, "ours") if request.param == "tenant" else ("lib", "")
    yield await open_forest(client, server, library, tenant)
    await client.close()


async def test_trees_are_kept_and_found_by_their_papers(forest: Forest) -> None:
    known = [tree(p) for p in papers(6)]
    await forest.add(known)
    missing = paper(99)
    found = await forest.get([known[3].key, missing.key, known[0].key])
    assert list(found.items()) == [(known[3].key, known[3]), (known[0].key, known[0])]


async def test_a_tree_made_anew_replaces_the_earlier_one(forest: Forest) -> None:
    one = paper(1)
    await forest.add([tree(one)])
    newer = tree(one, "A token index called Model1.")
    await forest.add([newer])
    assert (await forest.get([one.key]))[one.key] == newer


def test_a_text_finds_the_trees_that_say_it() -> None:
    everything = [*papers(6), *papers(6, "graph", 101), *papers(6, "vision", 201)]
    index = TreeIndex([tree(p) for p in everything], WordEmbedder())
    found = index.search("learning graph attention with Model103", 4)
    assert found[0] == everything[8].key
    assert len(found) == 4
    assert index.search("", 4) == []
    in_other_order = TreeIndex([tree(p) for p in reversed(everything)], WordEmbedder())
    assert in_other_order.search("learning graph attention with Model103", 4) == found
    assert TreeIndex([], WordEmbedder()).search("graph", 3) == []


async def test_an_empty_forest_has_nothing(forest: Forest) -> None:
    assert await forest.get([paper(1).key]) == {}
    await forest.add([])


async def test_two_processes_share_a_file_and_one_with_rubbish_says_so(tmp_path: Path) -> None:
    ours, theirs = (LocalForest(tmp_path / FOREST_FILE) for _ in range(2))
    first, second = (tree(p) for p in papers(2))
    await asyncio.gather(ours.add([first]), theirs.add([second]))
    assert set(await ours.get([first.key, second.key])) == {first.key, second.key}
    with sqlite3.connect(tmp_path / FOREST_FILE) as connection:
        connection.execute("UPDATE trees SET tree = '{}' WHERE key = ?", (first.key,))
    connection.close()
    assert set(await ours.get([first.key, second.key])) == {second.key}  # another version's: made again
    (tmp_path / "broken.sqlite").write_bytes(b"no database " * 100)
    with pytest.raises(RetrievalError, match="attribute trees"):
        await LocalForest(tmp_path / "broken.sqlite").get([first.key])


async def test_a_workspace_keeps_the_trees_of_its_own_papers_to_itself(tmp_path: Path) -> None:
    own, shared = MemoryForest(), MemoryForest()
    mine, common = papers(2)
    joint = JointForest(own, shared, lambda key: key == mine.key)
    await joint.add([tree(mine), tree(common)])
    assert set(await own.get([mine.key, common.key])) == {mine.key}
    assert set(await shared.get([mine.key, common.key])) == {common.key}
    assert set(await joint.get([mine.key, common.key])) == {mine.key, common.key}
