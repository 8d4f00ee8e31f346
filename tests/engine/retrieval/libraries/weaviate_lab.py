"""A library in the Weaviate of the tests."""

from __future__ import annotations

from typing import Any

from engine.retrieval.weaviate.weaviate_library import WeaviateLibrary, open_library
from engine.retrieval.weaviate.weaviate_schema import WeaviateServer


async def opened(client: Any, server: WeaviateServer, name: str = "lib", tenant: str = "") -> WeaviateLibrary:
    return await open_library(client, server, name, neural=None, tenant=tenant)
