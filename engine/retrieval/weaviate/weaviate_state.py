"""What a Weaviate library keeps in the server beside papers: its description, its embedding, and who writes to it.

An embedding fitted on a library (some 40 MB) is stored in pieces, so that every machine embeds queries alike. It holds
the library's words: that of a workspace's papers lies where only that workspace's objects are. One writes at a time: a
lease is renewed while somebody writes, and that of a writer that died runs out. An object with a chosen id can be made
only once, which makes taking the lease one atomic step.
"""

from __future__ import annotations

import asyncio
import base64
import io
import secrets
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from shutil import make_archive
from typing import Any

from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter
from weaviate.util import generate_uuid5

from engine.errors import RetrievalError, UserError
from engine.retrieval.embedding import LatentSemanticAnalysis
from engine.retrieval.weaviate.weaviate_schema import (
    FAILURES,
    LEASES,
    LIBRARIES,
    SCHEMA_VERSION,
    already_there,
    translate_failures,
)

LEASE_S = 60.0
"""Seconds after which a lease that nobody renewed is free."""
WAITED_S = 30.0
"""Seconds that a writer waits for another one to finish."""
LOOKED_S = 0.25
GIVING_BACK_S = 5.0


@asynccontextmanager
async def hold_lease(client: Any, library: str, waited_s: float = WAITED_S) -> AsyncIterator[None]:
    """Hold the library's lease; raises `UserError` where another writer holds it for longer than we wait."""
    leases, name, owner = client.collections.get(LEASES), generate_uuid5(f"lease {library}"), secrets.token_hex(8)

    def values() -> dict[str, Any]:
        return {"library": library, "owner": owner, "until": time.time() + LEASE_S}

    async def end(whose: str) -> None:
        await leases.data.delete_many(where=Filter.by_id().equal(name) & Filter.by_property("owner").equal(whose))

    async def take() -> bool:
        with already_there():
            await leases.data.insert(values(), uuid=name)
            return True
        found = await leases.query.fetch_object_by_id(name)
        if found is not None and found.properties["until"] < time.time():
            # Of several that see it run out, each ends this very owner's lease; one of them makes the next.
            await end(found.properties["owner"])
        return False

    async def renew() -> None:
        while True:
            await asyncio.sleep(LEASE_S / 3)
            with suppress(*FAILURES):  # the next turn renews it; it holds for three
                await leases.data.replace(name, values())

    ends = time.monotonic() + waited_s
    while not await take():
        if time.monotonic() > ends:
            raise UserError(
                f"Another process is adding papers to the library “{library}” in Weaviate. "
                "Wait until it has finished, then repeat the command; nothing will be doubled."
            )
        await asyncio.sleep(LOOKED_S)
    renewal = asyncio.create_task(renew())
    try:
        yield
    finally:
        renewal.cancel()
        with suppress(asyncio.CancelledError):
            await renewal
        # Where the server is away the lease runs out by itself, and what failed before is what is said.
        with suppress(*FAILURES):
            await asyncio.wait_for(end(owner), GIVING_BACK_S)


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
    """The library's description, an empty one where it is new. Raises `UserError` for one of another Scholium."""
    found = await client.collections.get(LIBRARIES).query.fetch_object_by_id(generate_uuid5(library))
    if found is None:
        return Description(library)
    values: dict[str, Any] = {name: value for name, value in found.properties.items() if value is not None}
    description = Description(**values)
    if description.schema != SCHEMA_VERSION:
        raise UserError(
            f"The library “{library}” in Weaviate was made by another version of Scholium (its schema has version "
            f"{description.schema}, this program knows {SCHEMA_VERSION}). Use that one, or ingest into a new library."
        )
    return description


async def describe(client: Any, description: Description) -> None:
    """Store the description."""
    described = DataObject(properties=asdict(description), uuid=generate_uuid5(description.library))
    await client.collections.get(LIBRARIES).data.insert_many([described])  # in place of one that is there


@translate_failures("to list its libraries")
async def names(client: Any) -> list[str]:
    """Libraries that are there; workspaces' own papers are none."""
    if not await client.collections.exists(LIBRARIES):
        return []
    described = client.collections.get(LIBRARIES).iterator(return_properties=["library"])
    found = [item.properties["library"] async for item in described]
    return sorted(name for name in found if "/" not in name)


async def store_model(models: Any, library: str, model: LatentSemanticAnalysis) -> str:
    """Store a fitted embedding in the collection of such; returns its version, under which readers find it.

    Readers turn to it when the library's description names the version, which is when all its pieces are there.
    """
    version, content = secrets.token_hex(8), await asyncio.to_thread(_compress, model)
    parts = [content[i : i + PART_BYTES] for i in range(0, len(content), PART_BYTES)]
    for number, part in enumerate(parts):
        values = {"library": library, "version": version, "part": number, "parts": len(parts)}
        await models.data.insert({**values, "content": base64.b64encode(part).decode()})
    return version


async def forget_models(models: Any, library: str, but: str) -> None:
    """Delete the library's embeddings but for one version."""
    mine = Filter.by_property("library").equal(library) & Filter.by_property("version").not_equal(but)
    await models.data.delete_many(where=mine)


async def load_model(models: Any, version: str) -> LatentSemanticAnalysis:
    """The fitted embedding of that version. Raises `RetrievalError` where not all its pieces are there."""
    content, mine = b"", Filter.by_property("version").equal(version)
    for part in count():  # what is a BLOB comes only where it is named
        wanted = mine & Filter.by_property("part").equal(part)
        found = await models.query.fetch_objects(filters=wanted, limit=1, return_properties=["content"])
        if not found.objects:
            break
        content += base64.b64decode(found.objects[0].properties["content"])
    try:
        return await asyncio.to_thread(_unpack, content)
    except zipfile.BadZipFile as error:
        raise RetrievalError(
            "The library’s embedding is not whole in Weaviate. Repeat its ingest command; nothing will be doubled."
        ) from error


def _compress(model: LatentSemanticAnalysis) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder, "model"))
        return Path(make_archive(f"{folder}/packed", "zip", f"{folder}/model")).read_bytes()


def _unpack(content: bytes) -> LatentSemanticAnalysis:
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
        return LatentSemanticAnalysis.load(Path(folder), mapped=False)


@translate_failures("to list its servers")
async def read_cluster(client: Any) -> Mapping[str, bool]:
    """Whether each server of the cluster is well, by name; its consensus still names those that died.

    Raises `RetrievalError` where none answers.
    """
    told = (await client.cluster.statistics()).statistics
    members = {member.node_id for one in told for member in one.raft.latest_configuration}
    well = {one.name for one in told if one.status == "HEALTHY"}
    return {name: name in well for name in sorted(members | {one.name for one in told})}
