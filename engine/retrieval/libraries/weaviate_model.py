"""What a Weaviate library knows of itself, kept in Weaviate: its schema's version and its embedding.

An embedding fitted on a library (some 40 MB) is stored in pieces, so that every machine embeds queries alike. It holds
the library's words: that of a workspace's papers lies where only that workspace's objects are.
"""

from __future__ import annotations

import asyncio
import base64
import io
import secrets
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weaviate.classes.query import Filter
from weaviate.util import generate_uuid5

from engine.errors import RetrievalError, UserError
from engine.retrieval.embedding import MODEL_FILES, Embedder, LatentSemanticAnalysis
from engine.retrieval.libraries.weaviate_schema import LIBRARIES, MODELS, SCHEMA_VERSION, WORKSPACE_MODELS

PART_BYTES = 3 * 2**20


@dataclass(frozen=True, slots=True)
class Description:
    """A library as Weaviate describes it; ``version`` names the fitted embedding, empty for any other."""

    library: str
    schema: int = SCHEMA_VERSION
    embedder: str = ""
    version: str = ""
    fitted: int = 0
    generation: int = 0
    """Of the collection that holds the papers; it changes together with the embedding of their vectors."""


async def read_description(client: Any, library: str) -> Description:
    """The library's description, an empty one where it is new. Raises `UserError` for one of a later Scholium."""
    found = await client.collections.get(LIBRARIES).query.fetch_object_by_id(generate_uuid5(library))
    if found is None:
        return Description(library)
    values = {name: found.properties.get(name) for name in Description.__dataclass_fields__}
    description = Description(**{name: value for name, value in values.items() if value is not None})
    if description.schema > SCHEMA_VERSION:
        raise UserError(
            f"The library “{library}” in Weaviate was made by a later version of Scholium (its schema has version "
            f"{description.schema}, this program knows {SCHEMA_VERSION}). Update this program."
        )
    return description


async def describe(client: Any, description: Description) -> None:
    """Store the description."""
    values = {name: getattr(description, name) for name in Description.__dataclass_fields__}
    objects, name = client.collections.get(LIBRARIES), generate_uuid5(description.library)
    if await objects.data.exists(name):
        await objects.data.replace(name, values)
    else:
        await objects.data.insert(values, uuid=name)


async def names(client: Any) -> list[str]:
    """Libraries that are there; workspaces' own papers are none."""
    if not await client.collections.exists(LIBRARIES):
        return []
    found = await client.collections.get(LIBRARIES).query.fetch_objects(limit=1_000, return_properties=["library"])
    return sorted(o.properties["library"] for o in found.objects if "/" not in o.properties["library"])


async def store_model(client: Any, library: str, model: LatentSemanticAnalysis) -> str:
    """Store a fitted embedding under a new version, then forget the former ones; returns the version."""
    version = secrets.token_hex(8)
    await _store_content(client, library, version, await asyncio.to_thread(_compress_model, model))
    return version


async def _store_content(client: Any, library: str, version: str, content: bytes) -> None:
    parts = [content[i : i + PART_BYTES] for i in range(0, len(content), PART_BYTES)]
    objects = _models_of(client, library)
    for number, part in enumerate(parts):
        values = {"library": library, "version": version, "part": number, "parts": len(parts)}
        await objects.data.insert({**values, "content": base64.b64encode(part).decode()})


async def forget_models(client: Any, library: str, but: str) -> None:
    """Delete the library's embeddings but for one version."""
    mine = Filter.by_property("library").equal(library) & Filter.by_property("version").not_equal(but)
    await _models_of(client, library).data.delete_many(where=mine)


def _models_of(client: Any, library: str) -> Any:
    """Where a library's embedding is kept; ``workspaces/TENANT`` names the papers of a workspace."""
    tenant = library.partition("/")[2]
    return client.collections.get(WORKSPACE_MODELS).with_tenant(tenant) if tenant else client.collections.get(MODELS)


async def load_model(client: Any, description: Description, cache: Path) -> Embedder:
    """The library's fitted embedding, from this machine where it was loaded before."""
    folder = cache / description.version
    if not (folder / "lsa.json").exists():
        own, shared = _models_of(client, description.library), client.collections.get(MODELS)
        content = await _read_content(own, description.version)
        if not content and (content := await _read_content(shared, description.version)):
            # An earlier version kept the embeddings of workspaces among all others.
            await _store_content(client, description.library, description.version, content)
            await shared.data.delete_many(where=Filter.by_property("version").equal(description.version))
        if not content:
            raise RetrievalError(
                f"The embedding of the library “{description.library}” is not whole in Weaviate. "
                "Repeat its ingest command; nothing will be doubled.",
            )
        await asyncio.to_thread(_unpack, content, folder)
    return await asyncio.to_thread(LatentSemanticAnalysis.load, folder)


async def _read_content(objects: Any, version: str) -> bytes:
    """The pieces of an embedding together; nothing where they are not all there."""
    wanted = Filter.by_property("version").equal(version)
    parts: list[bytes] = []
    total = 1
    while len(parts) < total:
        found = await objects.query.fetch_objects(
            filters=wanted & Filter.by_property("part").equal(len(parts)),
            limit=1,
            return_properties=["part", "parts", "content"],
        )
        if not found.objects:
            return b""
        total = found.objects[0].properties["parts"]
        parts.append(base64.b64decode(found.objects[0].properties["content"]))
    return b"".join(parts)


def _compress_model(model: LatentSemanticAnalysis) -> bytes:
    buffer = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder))
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for file in sorted(Path(folder).iterdir()):
                archive.write(file, file.name)
    return buffer.getvalue()


def _unpack(content: bytes, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as draft, zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in MODEL_FILES & set(archive.namelist()):
            archive.extract(name, draft)
        if not folder.exists():
            Path(draft).replace(folder)
            Path(draft).mkdir()  # for the end of the block
