"""Weaviate's side of a library: the connection, the collections and their versions, and its failures as ours."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar
from urllib.parse import urlsplit

import weaviate
from grpc import ssl_channel_credentials
from grpc.aio import AioRpcError
from httpx import HTTPError
from tenacity import retry, retry_if_exception, stop_after_attempt, stop_after_delay, wait_exponential
from weaviate.classes.config import Configure, DataType, Property, Tokenization, VectorDistances
from weaviate.classes.init import AdditionalConfig, Auth, GrpcConfig, Timeout
from weaviate.classes.query import Filter
from weaviate.classes.tenants import Tenant
from weaviate.exceptions import (
    UnexpectedStatusCodeError,
    WeaviateBaseError,
    WeaviateInsertManyAllFailedError,
    WeaviateTimeoutError,
)
from weaviate.util import generate_uuid5

from engine.errors import RetrievalError, UserError
from engine.retrieval.libraries.adding import LISTS
from engine.retrieval.libraries.library import WORKSPACES

SCHEMA_VERSION = 7
"""Raised whenever properties, stems or blocking keys change: libraries of other versions are not opened."""

LIBRARIES = "Scholium_Libraries"
"""One object for each library: the version of its schema and the embedding of its vectors."""
MODELS = "Scholium_Models"
"""Embeddings that were fitted on a library, in pieces: every machine that opens it needs the same one."""
WORKSPACE_MODELS = "Scholium_workspaces_Models"
"""Embeddings that were fitted on a workspace's own papers, each a tenant's: they hold the words of those papers."""
LEASES = "Scholium_Leases"
"""Who is writing to which library."""

Client: TypeAlias = weaviate.WeaviateAsyncClient

Quantisation = Literal["none", "rq", "bq", "sq"]
"""How Weaviate shrinks the vectors in its memory: to eight bits by rotation, to one bit, or to eight by scaling."""


@dataclass(frozen=True, slots=True)
class WeaviateServer:
    """Where Weaviate is and how collections are made there."""

    url: str
    grpc_port: int = 50_051
    grpc_host: str = ""
    """Where its gRPC is on another host, as in Weaviate Cloud."""
    key: str = ""
    vectoriser: str = ""
    """A module of the server (``text2vec-…``) that makes the vectors; empty: they are made here."""
    replicas: int = 1
    shards: int | None = None
    quantisation: Quantisation = "none"
    batch: int = 500
    """Papers in one request."""
    parallel: int = 2
    """Requests under way at once while papers are written."""
    connect_s: float = 10.0
    query_s: float = 30.0
    insert_s: float = 120.0


def collection(library: str, kind: str, generation: int = 0) -> str:
    """``Scholium_<library>_Papers``, with - and _ told apart; ``…_Papers_1`` when its embedding was fitted anew."""
    name = f"Scholium_{library.replace('_', '__').replace('-', '_h')}_{kind}"
    return f"{name}_{generation}" if generation else name


def open_collection(client: Any, name: str, tenant: str = "") -> Any:
    """The collection of that name, or the part of it that is a tenant's."""
    found = client.collections.get(name)
    return found.with_tenant(tenant) if tenant else found


async def connect(server: WeaviateServer) -> Client:
    """A client that is connected. Raises `UserError` for an address that is none, `RetrievalError` if it is away."""
    address = urlsplit(server.url)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise UserError("WEAVIATE_URL must begin with http:// or https:// and name a host.")
    secure = address.scheme == "https"
    client = weaviate.use_async_with_custom(
        http_host=address.hostname,
        http_port=address.port or (443 if secure else 8080),
        http_secure=secure,
        grpc_host=server.grpc_host or address.hostname,
        grpc_port=server.grpc_port,
        grpc_secure=secure,
        auth_credentials=Auth.api_key(server.key) if server.key else None,
        additional_config=AdditionalConfig(
            timeout=Timeout(init=server.connect_s, query=server.query_s, insert=server.insert_s),
            trust_env=secure,  # SSL_CERT_FILE
            grpc_config=GrpcConfig(credentials=_authorities()) if secure else None,
        ),
        skip_init_checks=True,  # they ask PyPI for a newer client each time
    )
    try:
        async with translate_failures("to connect", 3 * server.connect_s):
            await client.connect()
    except BaseException:
        await client.close()
        raise
    return client


def _authorities() -> Any:
    """Whom gRPC trusts: the file that SSL_CERT_FILE names, else the machine's, else the package's own."""
    trusted = ssl.get_default_verify_paths().cafile
    return ssl_channel_credentials(Path(trusted).read_bytes() if trusted else None)


@asynccontextmanager
async def translate_failures(doing: str, within_s: float | None = None) -> AsyncIterator[None]:
    """Weaviate's failures as `RetrievalError`, with what to do about them; and that it took longer than it may."""
    try:
        async with asyncio.timeout(within_s):
            yield
    except (WeaviateTimeoutError, TimeoutError) as error:
        raise RetrievalError(f"Weaviate took too long {doing}.", retryable=True) from error
    except FAILURES as error:
        raise _word_failure(error, doing) from error


FAILURES = (WeaviateBaseError, HTTPError, AioRpcError, OSError)
"""What the client raises; time that ran out is an `OSError`."""

READ_S = 30.0
"""A read takes so long at most, whatever the client tries by itself where the server has died."""

repeated = retry(
    retry=retry_if_exception(lambda error: isinstance(error, RetrievalError) and error.retryable),
    wait=wait_exponential(multiplier=0.2, exp_base=5),
    stop=stop_after_attempt(3) | stop_after_delay(5.0),  # the client tries for some seconds by itself
    reraise=True,
)
"""Repeats a read, or a batch of papers (written twice, a paper is there once), after a failure that may pass."""


Read = TypeVar("Read", bound=Callable[..., Any])


def retry_reads(read: Read) -> Read:
    """A method that only reads, `repeated` within `READ_S`."""
    within = translate_failures("to answer; check that it runs and is reachable", READ_S)
    return within(repeated(translate_failures("to answer")(read)))  # type: ignore[return-value]


def _word_failure(error: Exception, doing: str) -> RetrievalError:
    detail = " ".join(str(getattr(error, "message", "") or error).split())
    if is_read_only(detail):
        return RetrievalError(
            "The Weaviate server takes no writes: its shards are read-only, mostly because its disk is almost full. "
            "Nothing that was stored is lost. Free some space, set the shards to READY and repeat the command; "
            "nothing will be doubled."
        )
    if "not find enough weaviate nodes" in detail.lower():
        return RetrievalError(
            "The Weaviate cluster has fewer machines than SCHOLIUM_WEAVIATE_REPLICAS asks for; ask for fewer."
        )
    if getattr(error, "status_code", None) in {401, 403}:
        return RetrievalError("The Weaviate server refused us; check WEAVIATE_API_KEY.")
    return RetrievalError(f"Weaviate failed {doing}: {detail[:240]}", retryable=True)


def is_read_only(detail: str) -> bool:
    """Whether a failure says that the server only reads: by order, or because its disk is full."""
    said = detail.lower()
    return "read-only" in said or "readonly" in said or "no space left" in said


async def insert_objects(home: Any, objects: Sequence[Any]) -> dict[int, str]:
    """Write to a collection in one request; what the server refused, by place, and why. Raises where it only reads."""
    try:
        result = await home.data.insert_many(objects)
    except WeaviateInsertManyAllFailedError as error:
        refused = dict.fromkeys(range(len(objects)), error.message)
    else:
        refused = {place: error.message for place, error in result.errors.items()}
    errors = {place: " ".join(str(why).split()) for place, why in refused.items()}
    if read_only := next(filter(is_read_only, errors.values()), ""):
        raise OSError(read_only)
    return errors


def _text(name: str, tokens: Tokenization = Tokenization.FIELD, kind: DataType = DataType.TEXT) -> Property:
    return Property(
        name=name,
        data_type=kind,
        tokenization=tokens,
        # Our own stems, so that words are found here as they are in a library on this machine.
        index_searchable=name == "words",
        index_filterable=name in {"key", "identities", "library", "version", "owner"},
        skip_vectorization=name not in {"title", "abstract"},
    )


def _number(name: str) -> Property:
    return Property(name=name, data_type=DataType.INT, index_filterable=True, index_range_filters=True)


PAPERS = (
    _text("key"),
    _text("title", Tokenization.WORD),
    _text("abstract", Tokenization.WORD),
    _text("words", Tokenization.WHITESPACE),
    _number("year"),
    _number("citations"),
    Property(name="retracted", data_type=DataType.BOOL),
    *map(_text, ("venue", "url", "pdf", "summary", "counted", "records")),
    *(_text(name, kind=DataType.TEXT_ARRAY) for name in ("identities", *LISTS)),
)
_NAMED = (_text("library"), _text("version"))
_MODEL = (*_NAMED, _number("part"), _number("parts"), Property(name="content", data_type=DataType.BLOB))
_SHARED = {
    LIBRARIES: (*_NAMED, _text("embedder"), *map(_number, ("schema", "fitted", "generation"))),
    MODELS: _MODEL,
    LEASES: (_NAMED[0], _text("owner"), Property(name="until", data_type=DataType.NUMBER)),
}
Kind = Literal["Papers", "AttributeTrees"]
KINDS: Mapping[Kind, Sequence[Property]] = {"Papers": PAPERS, "AttributeTrees": (_text("key"), _text("document"))}


async def prepare(
    client: Client, server: WeaviateServer, library: str, kind: Kind = "Papers", tenant: str = "", generation: int = 0
) -> None:
    """Make a collection of a library where it is missing, and a workspace's place; two processes may do so at once."""
    tenants = Configure.multi_tenancy(enabled=True, auto_tenant_activation=True) if library == WORKSPACES else None
    name = collection(library, kind, generation)
    await _create_collection(client, server, name, KINDS[kind], tenants)
    if not tenant:
        return
    await _create_collection(client, server, WORKSPACE_MODELS, _MODEL, tenants)
    for home in (name, WORKSPACE_MODELS):
        with already_there():
            await client.collections.get(home).tenants.create([Tenant(name=tenant)])


@translate_failures("to look for the workspace's papers")
async def tenant_exists(client: Client, tenant: str) -> bool:
    """Whether a workspace has papers of its own."""
    known = generate_uuid5(f"{WORKSPACES}/{tenant}")
    return await client.collections.exists(LIBRARIES) and await client.collections.get(LIBRARIES).data.exists(known)


@translate_failures("to remove the workspace's papers")
async def remove_tenant(client: Client, tenant: str) -> None:
    """Delete what a workspace added: its papers with their words and vectors, its attribute trees, its embedding."""
    homes = (collection(WORKSPACES, "Papers"), collection(WORKSPACES, "AttributeTrees"), WORKSPACE_MODELS)
    shared = await client.collections.list_all()
    for name in shared:
        if name.startswith(homes) and await client.collections.get(name).tenants.exists(tenant):
            await client.collections.get(name).tenants.remove([tenant])
    mine = Filter.by_property("library").equal(f"{WORKSPACES}/{tenant}")
    for name in (MODELS, LIBRARIES):
        if name in shared:
            await client.collections.get(name).data.delete_many(where=mine)


async def prepare_shared(client: Client, server: WeaviateServer) -> None:
    """Make the collections that all libraries have in common."""
    for name, properties in _SHARED.items():
        await _create_collection(client, server, name, properties)


async def _create_collection(
    client: Client, server: WeaviateServer, name: str, properties: Sequence[Property], tenants: Any = None
) -> None:
    if await client.collections.exists(name):
        return
    vectors = [_vector(server, vector) for vector in ("title", "abstract")] if properties is PAPERS else []
    is_divided = server.shards and not tenants
    with already_there():
        await client.collections.create(
            name,
            properties=list(properties),
            vector_config=vectors or Configure.Vectors.self_provided(),
            multi_tenancy_config=tenants,
            replication_config=Configure.replication(factor=server.replicas) if server.replicas > 1 else None,
            sharding_config=Configure.sharding(desired_count=server.shards) if is_divided else None,
        )


@contextmanager
def already_there() -> Iterator[None]:
    """Another process may have made it a moment ago; what comes after it within is left out."""
    try:
        yield
    except UnexpectedStatusCodeError as error:
        if error.status_code != 422 or "already exists" not in str(error).lower():
            raise


def _vector(server: WeaviateServer, name: str) -> Any:
    """A named vector: given by us, of unit length, or made by the server from the property of that name."""
    quantizer = getattr(Configure.VectorIndex.Quantizer, server.quantisation)()
    # The scalar product of unit vectors is their cosine, and a text without a known word may be all zero.
    metric = VectorDistances.COSINE if server.vectoriser else VectorDistances.DOT
    index = Configure.VectorIndex.hnsw(distance_metric=metric, quantizer=quantizer)
    if not server.vectoriser:
        return Configure.Vectors.self_provided(name=name, vector_index_config=index)
    return Configure.Vectors.custom(
        name=name, module_name=server.vectoriser, source_properties=[name], vector_index_config=index
    )
