"""The attribute forest of a library in Weaviate: one object for each tree, its own named vector, searched hybrid."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, HybridFusion
from weaviate.exceptions import WeaviateInsertManyAllFailedError
from weaviate.util import generate_uuid5

from engine.errors import RetrievalError
from engine.reading.trees.attribute_trees import TREE_JSON, AttributeTree
from engine.retrieval.embedding import Embedder
from engine.retrieval.libraries.library import WORKSPACES
from engine.retrieval.weaviate.weaviate_schema import collection, is_read_only, translate_failures
from engine.text import terms
from engine.values import PaperKey

KEYS_AT_ONCE = 500


class WeaviateForest:
    """A `Forest`; ``embedder`` gives the library's, or ``None`` where the server makes the vectors."""

    def __init__(
        self, client: Any, library: str, tenant: str, embedder: Callable[[], Awaitable[Embedder | None]]
    ) -> None:
        home = client.collections.get(collection(WORKSPACES if tenant else library, "AttributeTrees"))
        self._trees = home.with_tenant(tenant) if tenant else home
        self._embedder = embedder

    async def get(self, keys: Sequence[PaperKey]) -> Mapping[PaperKey, AttributeTree]:
        """The trees of those papers that have one; one that another version wrote counts as missing."""
        found: dict[PaperKey, AttributeTree] = {}
        for start in range(0, len(keys), KEYS_AT_ONCE):
            some = [generate_uuid5(key) for key in keys[start : start + KEYS_AT_ONCE]]
            async with translate_failures("to read attribute trees"):
                page = await self._trees.query.fetch_objects_by_ids(
                    some, limit=len(some), return_properties=["document"]
                )
            for item in page.objects:
                with suppress(ValueError):
                    tree = TREE_JSON.validate_json(str(item.properties.get("document") or ""))
                    found[tree.key] = tree
        return {key: found[key] for key in keys if key in found}

    async def add(self, trees: Sequence[AttributeTree]) -> None:
        """Store the trees in one request. Raises `RetrievalError` where one is refused."""
        if not trees:
            return
        embedder = await self._embedder()
        vectors = await asyncio.to_thread(embedder.embed, [tree.text() for tree in trees]) if embedder else None
        objects = [
            DataObject(
                properties={
                    "key": tree.key,
                    "kind": tree.kind,
                    "tree": tree.text(),
                    "words": " ".join(terms(tree.text())),
                    "document": TREE_JSON.dump_json(tree).decode(),
                },
                uuid=generate_uuid5(tree.key),
                vector={"tree": vectors[row].tolist()} if vectors is not None else None,
            )
            for row, tree in enumerate(trees)
        ]
        async with translate_failures("to store attribute trees"):
            try:
                result = await self._trees.data.insert_many(objects)
            except WeaviateInsertManyAllFailedError as error:
                raise OSError(" ".join(str(error.message).split())) from error
        if result.errors:
            why = " ".join(str(next(iter(result.errors.values())).message).split())
            if is_read_only(why):
                raise RetrievalError("The Weaviate server takes no writes; attribute trees made so far are kept.")
            raise RetrievalError(
                f"Weaviate refused {len(result.errors)} attribute trees ({why[:160]}).", retryable=True
            )

    async def search(self, text: str, among: Sequence[PaperKey], limit: int) -> Sequence[PaperKey]:
        """Papers whose trees fit the text, best first: the server's hybrid search."""
        words = " ".join(terms(text))
        embedder = await self._embedder()
        vector: Any = None
        if embedder:
            embedded = (await asyncio.to_thread(embedder.embed, [text]))[0]
            vector = embedded.tolist() if embedded.any() else None
        if not among or not (words or vector):
            return []
        async with translate_failures("to search attribute trees"):
            found = await self._trees.query.hybrid(
                words or None,
                alpha=0.5 if vector is not None or embedder is None else 0.0,
                vector=vector,
                target_vector="tree",
                query_properties=["words"],
                fusion_type=HybridFusion.RANKED,
                limit=limit,
                filters=Filter.by_property("key").contains_any(list(among)),
                return_properties=["key"],
            )
        return [PaperKey(str(item.properties["key"])) for item in found.objects]

    async def remove(self, keys: Sequence[PaperKey]) -> None:
        """Delete the trees of these papers."""
        async with translate_failures("to remove attribute trees"):
            for key in keys:
                await self._trees.data.delete_by_id(generate_uuid5(key))
