"""The attribute forest (SurveyX, 3.1.2): the trees of a library's papers, made once and used by every later survey."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from engine.errors import RetrievalError, UserError
from engine.reading.trees.attribute_trees import TREE_JSON, AttributeTree, read_trees
from engine.retrieval.embedding import Embedder
from engine.retrieval.ranking import DECIMALS, reciprocal_rank_fusion
from engine.text import terms
from engine.values import PaperKey

FOREST_FILE = "trees.sqlite"
"""The forest's file in the folder of a library."""

MEANING_FLOOR = 0.2
"""Least cosine between a text and a tree that it finds by meaning (SurveyX's code)."""


class Forest(Protocol):
    """A store of attribute trees. Every method raises `RetrievalError` where the store cannot answer."""

    async def get(self, keys: Sequence[PaperKey]) -> Mapping[PaperKey, AttributeTree]:
        """The trees of those papers that have one; one that another version wrote counts as missing."""

    async def add(self, trees: Sequence[AttributeTree]) -> None:
        """Store the trees, all or none, each in place of an earlier one of the same paper."""


class TreeIndex:
    """Trees in memory, searched by words (weighted by how rare they are) and by meaning, both ranks fused."""

    def __init__(self, trees: Sequence[AttributeTree], embedder: Embedder) -> None:
        trees = sorted(trees, key=lambda tree: tree.key)  # ties are broken by key
        self._keys = [tree.key for tree in trees]
        self._embedder = embedder
        texts = [tree.text() for tree in trees]
        self._vectors = embedder.embed(texts)
        self._words = [Counter(terms(text)) for text in texts]
        found = Counter(word for words in self._words for word in words)
        self._weights = {word: float(np.log(1 + len(trees) / count)) for word, count in found.items()}

    def search(self, text: str, limit: int) -> list[PaperKey]:
        """At most so many papers, best first; runs for a moment."""
        if not self._keys:
            return []
        wanted = {word: self._weights[word] for word in set(terms(text)) if word in self._weights}
        said = [sum(w for word, w in wanted.items() if word in words) for words in self._words]
        by_words = np.array(said).round(DECIMALS)
        near = (self._vectors @ self._embedder.embed([text])[0]).round(DECIMALS)
        rankings = [
            [int(i) for i in np.argsort(-by_words, kind="stable")[: 2 * limit] if by_words[i] > 0],
            [int(i) for i in np.argsort(-near, kind="stable")[: 2 * limit] if near[i] >= MEANING_FLOOR],
        ]
        fused = reciprocal_rank_fusion(rankings)
        best = sorted(fused, key=lambda i: (-fused[i], i))[:limit]
        return [self._keys[i] for i in best]


@dataclass(frozen=True)
class MemoryForest:
    """A forest that lives as long as the process."""

    trees: dict[PaperKey, AttributeTree] = field(default_factory=dict)

    async def get(self, keys: Sequence[PaperKey]) -> Mapping[PaperKey, AttributeTree]:
        """The trees of those papers that have one."""
        return {key: self.trees[key] for key in keys if key in self.trees}

    async def add(self, trees: Sequence[AttributeTree]) -> None:
        """Store the trees."""
        self.trees.update({tree.key: tree for tree in trees})


@dataclass(frozen=True)
class LocalForest:
    """One SQLite file beside the papers of a library; several processes may use it at once."""

    file: Path

    async def get(self, keys: Sequence[PaperKey]) -> Mapping[PaperKey, AttributeTree]:
        """The trees of those papers that have one."""
        return await asyncio.to_thread(self._read, keys)

    async def add(self, trees: Sequence[AttributeTree]) -> None:
        """Store the trees, all or none."""
        rows = [(tree.key, TREE_JSON.dump_json(tree).decode()) for tree in trees]
        await asyncio.to_thread(self._change, "INSERT OR REPLACE INTO trees (key, tree) VALUES (?, ?)", rows)

    async def remove(self, keys: Sequence[PaperKey]) -> None:
        """Delete the trees of these papers."""
        if self.file.exists():
            await asyncio.to_thread(self._change, "DELETE FROM trees WHERE key = ?", [(key,) for key in keys])

    def _read(self, keys: Sequence[PaperKey]) -> dict[PaperKey, AttributeTree]:
        if not self.file.exists():
            return {}
        with self._open() as connection:
            asked = "SELECT tree FROM trees WHERE key IN (SELECT value FROM json_each(?))"
            rows = connection.execute(asked, (json.dumps(keys),)).fetchall()
        return read_trees([text for (text,) in rows], keys)

    def _change(self, statement: str, rows: Sequence[tuple[str, ...]]) -> None:
        with self._open() as connection, connection:
            connection.executemany(statement, rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.file, timeout=30.0)) as connection:
                connection.execute("PRAGMA secure_delete=ON")  # a tree that is removed is in no page any more
                connection.execute("CREATE TABLE IF NOT EXISTS trees (key TEXT PRIMARY KEY, tree TEXT NOT NULL)")
                yield connection
        except sqlite3.Error as error:
            if "full" in str(error):
                raise UserError(
                    "The disk is full; the attribute trees made so far are kept. Free some space."
                ) from error
            raise RetrievalError(f"The attribute trees in {self.file.name} could not be used: {error}") from error


@dataclass(frozen=True)
class JointForest:
    """A workspace's own forest before the shared one: ``is_own`` says whose papers' trees belong to the workspace."""

    own: Forest
    shared: Forest
    is_own: Callable[[PaperKey], bool]

    async def get(self, keys: Sequence[PaperKey]) -> Mapping[PaperKey, AttributeTree]:
        """The trees of those papers that have one; the workspace's own come first."""
        own = await self.own.get(keys)
        shared = await self.shared.get([key for key in keys if key not in own])
        found = {**shared, **own}
        return {key: found[key] for key in keys if key in found}

    async def add(self, trees: Sequence[AttributeTree]) -> None:
        """Store each tree where its paper belongs."""
        await self.own.add([tree for tree in trees if self.is_own(tree.key)])
        await self.shared.add([tree for tree in trees if not self.is_own(tree.key)])
