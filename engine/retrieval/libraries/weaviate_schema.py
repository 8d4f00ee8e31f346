"""Weaviate's side of a library: the connection, the collections and their versions, and its failures as ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import weaviate
from weaviate.classes.config import Configure, DataType, Property, Tokenization, VectorDistances
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.classes.tenants import Tenant
from weaviate.exceptions import WeaviateBaseError, WeaviateTimeoutError

from engine.errors import RetrievalError, UserError
from engine.retrieval.libraries.library import WORKSPACES

SCHEMA_VERSION = 2
"""Raised whenever a property is added below; older libraries get it when they are opened."""

LIBRARIES = "Scholium_Libraries"
"""One object for each library: the version of its schema and the embedding of its vectors."""
MODELS = "Scholium_Models"
"""Embeddings that were fitted on a library, in pieces: every machine that opens it needs the same one."""


@dataclass(frozen=True, slots=True)
class WeaviateServer:
    """Where Weaviate is and how collections are made there."""

    url: str
    grpc_port: int = 50_051
    key: str = ""
    vectoriser: str = ""
    """A module of the server (``text2vec-…``) that makes the vectors; empty: they are made here."""
    replicas: int = 1
    shards: int | None = None
    connect_s: float = 10.0
    query_s: float = 30.0
    insert_s: float = 120.0


def collection(library: str, kind: str) -> str:
    """The collection of a library: ``Scholium_<library>_Papers``, with - and _ told apart."""
    return f"Scholium_{library.replace('_', '__').replace('-', '_h')}_{kind}"


async def connect(server: WeaviateServer) -> weaviate.WeaviateAsyncClient:
    """A client that is connected. Raises `UserError` for an address that is none, `RetrievalError` if it is away."""
    address = urlsplit(server.url)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise UserError("WEAVIATE_URL must begin with http:// or https:// and name a host.")
    secure = address.scheme == "https"
    client = weaviate.use_async_with_custom(
        http_host=address.hostname,
        http_port=address.port or (443 if secure else 8080),
        http_secure=secure,
        grpc_host=address.hostname,
        grpc_port=server.grpc_port,
        grpc_secure=secure,
        auth_credentials=Auth.api_key(server.key) if server.key else None,
        additional_config=AdditionalConfig(
            timeout=Timeout(init=server.connect_s, query=server.query_s, insert=server.insert_s)
        ),
        skip_init_checks=True,  # they ask PyPI for a newer client each time
    )
    try:
        async with translate_failures("to connect"), asyncio.timeout(3 * server.connect_s):
            await client.connect()
    except BaseException:
        await client.close()
        raise
    return client


@asynccontextmanager
async def translate_failures(doing: str) -> AsyncIterator[None]:
    """Weaviate's failures as `RetrievalError`, with what to do about them."""
    try:
        yield
    except (WeaviateTimeoutError, TimeoutError) as error:
        raise RetrievalError(f"Weaviate took too long {doing}.", retryable=True) from error
    except (WeaviateBaseError, OSError) as error:
        message, retryable = _word_failure(error, doing)
        raise RetrievalError(message, retryable=retryable) from error


def _word_failure(error: Exception, doing: str) -> tuple[str, bool]:
    """What went wrong, and whether trying again may help."""
    detail = " ".join(str(getattr(error, "message", "") or error).split())
    if is_read_only(detail):
        return (
            "The Weaviate server takes no writes: its shards are read-only, mostly because its disk is almost full. "
            "Nothing that was stored is lost. Free some space, set the shards to READY and repeat the command; "
            "nothing will be doubled.",
            False,
        )
    status = getattr(error, "status_code", None)
    if status in {401, 403}:
        return "The Weaviate server refused us; check WEAVIATE_API_KEY.", False
    return f"Weaviate failed {doing}: {detail[:240]}", True


def is_read_only(detail: str) -> bool:
    """Whether a failure says that the server only reads: by order, or because its disk is full."""
    said = detail.lower()
    return "read-only" in said or "readonly" in said or "no space left" in said


def _text(name: str, tokens: Tokenization, *, searched: bool = False) -> Property:
    return Property(
        name=name,
        data_type=DataType.TEXT,
        tokenization=tokens,
        index_searchable=searched,
        index_filterable=name in {"key", "venue_folded", "library", "version"},
        skip_vectorization=name not in {"title", "abstract"},
    )


def _texts(name: str, *, filtered: bool = False) -> Property:
    return Property(
        name=name,
        data_type=DataType.TEXT_ARRAY,
        tokenization=Tokenization.FIELD,
        index_searchable=False,
        index_filterable=filtered,
        skip_vectorization=True,
    )


def _number(name: str) -> Property:
    return Property(name=name, data_type=DataType.INT, index_filterable=True, index_range_filters=True)


_WHOLE = Tokenization.FIELD

PAPERS = (
    _text("key", _WHOLE),
    _text("title", Tokenization.WORD),
    _text("abstract", Tokenization.WORD),
    # Our own stems, so that words are found here as they are in a library on this machine.
    _text("words", Tokenization.WHITESPACE, searched=True),
    _texts("authors"),
    _number("year"),
    _text("venue", _WHOLE),
    _text("venue_folded", _WHOLE),
    _number("citations"),
    _text("url", _WHOLE),
    _text("pdf", _WHOLE),
    Property(name="retracted", data_type=DataType.BOOL),
    _text("summary", _WHOLE),
    _text("counted", _WHOLE),
    _texts("identifiers"),
    _texts("identities", filtered=True),
    _texts("origins"),
)
PASSAGES = (_text("key", _WHOLE), _text("section", _WHOLE), _number("page"), _text("passage", Tokenization.WORD))
TREES = (
    _text("key", _WHOLE),
    _text("kind", _WHOLE),
    _text("tree", Tokenization.WORD),
    _text("words", Tokenization.WHITESPACE, searched=True),
    # The whole tree as JSON; ``tree`` is its text, from which a server makes its vector.
    _text("document", _WHOLE),
)
KINDS = {
    "Papers": (PAPERS, ("title", "abstract")),
    "Passages": (PASSAGES, ("passage",)),
    "AttributeTrees": (TREES, ("tree",)),
}


async def prepare(client: weaviate.WeaviateAsyncClient, server: WeaviateServer, library: str) -> None:
    """Make the collections of a library where they are missing, and add what a newer version of them has."""
    tenants = Configure.multi_tenancy(enabled=True, auto_tenant_activation=True) if library == WORKSPACES else None
    for kind, (properties, vectors) in KINDS.items():
        await _create_collection(client, server, collection(library, kind), properties, vectors, tenants)


async def prepare_tenant(client: weaviate.WeaviateAsyncClient, tenant: str) -> None:
    """Make a workspace's own place in each collection."""
    for kind in KINDS:
        await client.collections.get(collection(WORKSPACES, kind)).tenants.create([Tenant(name=tenant)])


async def tenant_exists(client: weaviate.WeaviateAsyncClient, tenant: str) -> bool:
    """Whether a workspace has papers of its own."""
    home = collection(WORKSPACES, "Papers")
    return await client.collections.exists(home) and await client.collections.get(home).tenants.exists(tenant)


async def prepare_shared(client: weaviate.WeaviateAsyncClient, server: WeaviateServer) -> None:
    """Make the two collections that all libraries have in common."""
    text = [_text("library", _WHOLE), _text("version", _WHOLE)]
    await _create_collection(
        client, server, LIBRARIES, (*text, _number("schema"), _text("embedder", _WHOLE), _number("fitted")), (), None
    )
    content = Property(name="content", data_type=DataType.BLOB)
    await _create_collection(client, server, MODELS, (*text, _number("part"), _number("parts"), content), (), None)


async def _create_collection(
    client: weaviate.WeaviateAsyncClient,
    server: WeaviateServer,
    name: str,
    properties: Sequence[Property],
    vectors: Sequence[str],
    tenants: Any,
) -> None:
    if await client.collections.exists(name):
        there = {p.name for p in (await client.collections.get(name).config.get()).properties}
        for missing in (p for p in properties if p.name not in there):
            await client.collections.get(name).config.add_property(missing)
        return
    await client.collections.create(
        name,
        properties=list(properties),
        vector_config=[_vector(server, vector) for vector in vectors] or Configure.Vectors.self_provided(),
        multi_tenancy_config=tenants,
        replication_config=Configure.replication(factor=server.replicas) if server.replicas > 1 else None,
        sharding_config=Configure.sharding(desired_count=server.shards) if server.shards and not tenants else None,
    )


def _vector(server: WeaviateServer, name: str) -> Any:
    """A named vector: given by us, of unit length, or made by the server from the property of that name."""
    if not server.vectoriser:
        # The scalar product of unit vectors is their cosine, and a text without a known word may be all zero.
        index = Configure.VectorIndex.hnsw(distance_metric=VectorDistances.DOT)
        return Configure.Vectors.self_provided(name=name, vector_index_config=index)
    index = Configure.VectorIndex.hnsw(distance_metric=VectorDistances.COSINE)
    return Configure.Vectors.custom(
        name=name, module_name=server.vectoriser, source_properties=[name], vector_index_config=index
    )
