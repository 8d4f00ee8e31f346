"""A connection to the Weaviate of the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.retrieval.weaviate.weaviate_schema import WeaviateServer, connect
from tests.servers import WeaviateAt


@pytest.fixture
def server(weaviate_at: WeaviateAt) -> WeaviateServer:
    return WeaviateServer(weaviate_at.url, weaviate_at.grpc_port)


@pytest.fixture
async def client(server: WeaviateServer) -> AsyncIterator[Any]:
    made = await connect(server)
    yield made
    await made.close()
