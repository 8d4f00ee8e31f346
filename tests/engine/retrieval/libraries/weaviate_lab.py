"""A library in the Weaviate of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.retrieval.weaviate.weaviate_library import WeaviateLibrary
from engine.retrieval.weaviate.weaviate_schema import WeaviateServer, prepare, prepare_shared
from engine.retrieval.weaviate.weaviate_state import describe, read_description


async def opened(
    client: Any, server: WeaviateServer, cache: Path, name: str = "lib", tenant: str = ""
) -> WeaviateLibrary:
    await prepare_shared(client, server)
    description = await read_description(client, f"{name}/{tenant}" if tenant else name)
    await prepare(client, server, name, tenant=tenant, generation=description.generation)
    await describe(client, description)
    return WeaviateLibrary(client, server, description, neural=None, cache=cache, tenant=tenant)
