"""The attribute forest of a library in Weaviate: one object for each tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from weaviate.classes.data import DataObject
from weaviate.util import generate_uuid5

from engine.errors import RetrievalError
from engine.reading.trees.attribute_trees import TREE_JSON, AttributeTree
from engine.retrieval.libraries.library import WORKSPACES
from engine.retrieval.weaviate.weaviate_schema import collection, insert_objects, open_collection, translate_failures
from engine.values import PaperKey

KEYS_AT_ONCE = 500


class WeaviateForest:
    """The `Forest` of a library, or of a tenant of the workspaces' own papers."""

    def __init__(self, client: Any, library: str, tenant: str) -> None:
        name = collection(WORKSPACES if tenant else library, "AttributeTrees")
        self._trees = open_collection(client, name, tenant)

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
        objects = [
            DataObject({"key": tree.key, "document": TREE_JSON.dump_json(tree).decode()}, generate_uuid5(tree.key))
            for tree in trees
        ]
        async with translate_failures("to store attribute trees"):
            refused = await insert_objects(self._trees, objects)
        for why in refused.values():
            raise RetrievalError(f"Weaviate refused {len(refused)} attribute trees ({why[:160]}).", retryable=True)

    async def remove(self, keys: Sequence[PaperKey]) -> None:
        """Delete the trees of these papers."""
        async with translate_failures("to remove attribute trees"):
            for key in keys:
                await self._trees.data.delete_by_id(generate_uuid5(key))
