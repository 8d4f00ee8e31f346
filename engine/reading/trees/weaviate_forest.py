"""The attribute forest of a library in Weaviate: one object for each tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weaviate.classes.data import DataObject
from weaviate.util import generate_uuid5

from engine.errors import RetrievalError
from engine.reading.trees.attribute_trees import TREE_JSON, AttributeTree, read_trees
from engine.retrieval.weaviate.weaviate_schema import (
    WeaviateServer,
    collection,
    insert_objects,
    open_collection,
    prepare,
    retry_reads,
    translate_failures,
)
from engine.values import PaperKey

KEYS_AT_ONCE = 500


@translate_failures("to open its attribute trees")
async def open_forest(client: Any, server: WeaviateServer, library: str, tenant: str = "") -> WeaviateForest:
    """The forest of that library, or of what a workspace added, the tenant of a library; made where there is none."""
    await prepare(client, server, library, "AttributeTrees", tenant)
    return WeaviateForest(open_collection(client, collection(library, "AttributeTrees"), tenant))


@dataclass(frozen=True)
class WeaviateForest:
    """A `Forest` in the collection of a library, or in a workspace's part of one; get one from `open_forest`."""

    trees: Any

    @retry_reads
    async def get(self, keys: Sequence[PaperKey]) -> Mapping[PaperKey, AttributeTree]:
        """The trees of those papers that have one; one that another version wrote counts as missing."""
        found: list[str] = []
        for start in range(0, len(keys), KEYS_AT_ONCE):
            some = [generate_uuid5(key) for key in keys[start : start + KEYS_AT_ONCE]]
            page = await self.trees.query.fetch_objects_by_ids(some, limit=len(some), return_properties=["document"])
            found += [str(item.properties["document"]) for item in page.objects]
        return read_trees(found, keys)

    @translate_failures("to store attribute trees")
    async def add(self, trees: Sequence[AttributeTree]) -> None:
        """Store the trees in one request. Raises `RetrievalError` where one is refused."""
        if not trees:
            return
        objects = [
            DataObject({"key": tree.key, "document": TREE_JSON.dump_json(tree).decode()}, generate_uuid5(tree.key))
            for tree in trees
        ]
        refused = await insert_objects(self.trees, objects)
        for why in refused.values():
            raise RetrievalError(f"Weaviate refused {len(refused)} attribute trees ({why[:160]}).", retryable=True)

    @translate_failures("to remove attribute trees")
    async def remove(self, keys: Sequence[PaperKey]) -> None:
        """Delete the trees of these papers."""
        for key in keys:
            await self.trees.data.delete_by_id(generate_uuid5(key))
