"""One writer at a time for a library in Weaviate: a lease that is kept in the server and renewed while somebody writes.

An object with a chosen id can be made only once, which makes taking the lease one atomic step. A writer that dies
leaves a lease that runs out.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from weaviate.classes.query import Filter
from weaviate.exceptions import ObjectAlreadyExistsError, UnexpectedStatusCodeError
from weaviate.util import generate_uuid5

from engine.errors import RetrievalError, UserError
from engine.retrieval.libraries.weaviate_schema import LEASES, translate_failures

LEASE_S = 60.0
"""Seconds after which a lease that nobody renewed is free."""
WAITED_S = 30.0
"""Seconds that a writer waits for another one to finish."""
LOOKED_S = 0.25
GIVING_BACK_S = 5.0


class Leased(Protocol):
    """A library that has a lease."""

    @property
    def writing(self) -> Callable[[], AbstractAsyncContextManager[None]]:
        """Hold it."""
        ...


Library = TypeVar("Library", bound=Leased)
P = ParamSpec("P")
T = TypeVar("T")


def exclusive(
    write: Callable[Concatenate[Library, P], Awaitable[T]],
) -> Callable[Concatenate[Library, P], Coroutine[Any, Any, T]]:
    """A method that writes, run while its library's lease is held."""

    @wraps(write)
    async def alone(library: Library, /, *args: P.args, **options: P.kwargs) -> T:
        async with library.writing():
            return await write(library, *args, **options)

    return alone


@asynccontextmanager
async def hold_lease(client: Any, library: str, waited_s: float = WAITED_S) -> AsyncIterator[None]:
    """Hold the library's lease; raises `UserError` where another writer holds it for longer than we wait."""
    owner, name = secrets.token_hex(8), generate_uuid5(f"lease {library}")
    leases = client.collections.get(LEASES)
    ends = time.monotonic() + waited_s
    async with translate_failures("to take the library's lease"):
        while not await _take(leases, name, library, owner):
            if time.monotonic() > ends:
                raise UserError(
                    f"Another process is adding papers to the library “{library}” in Weaviate. "
                    "Wait until it has finished, then repeat the command; nothing will be doubled."
                )
            await asyncio.sleep(LOOKED_S)
    renewal = asyncio.create_task(_renew(leases, name, library, owner))
    try:
        yield
    finally:
        renewal.cancel()
        with suppress(asyncio.CancelledError):
            await renewal
        # Where the server is away the lease runs out by itself, and what failed before is what is said.
        with suppress(RetrievalError):
            async with translate_failures("to give the library's lease back"), asyncio.timeout(GIVING_BACK_S):
                mine = Filter.by_id().equal(name) & Filter.by_property("owner").equal(owner)
                await leases.data.delete_many(where=mine)


async def _take(leases: Any, name: Any, library: str, owner: str) -> bool:
    """Whether the lease is ours now."""
    try:
        await leases.data.insert(_values(library, owner), uuid=name)
        return True
    except ObjectAlreadyExistsError:
        pass
    except UnexpectedStatusCodeError as error:
        if error.status_code != 422:
            raise
    found = await leases.query.fetch_object_by_id(name)
    if found is not None and found.properties["until"] < time.time():
        # Of several that see it run out, each deletes this very owner's lease; one of them makes the next.
        stale = Filter.by_id().equal(name) & Filter.by_property("owner").equal(found.properties["owner"])
        await leases.data.delete_many(where=stale)
    return False


async def _renew(leases: Any, name: Any, library: str, owner: str) -> None:
    while True:
        await asyncio.sleep(LEASE_S / 3)
        with suppress(RetrievalError):  # the next turn renews it; it holds for three
            async with translate_failures("to renew the library's lease"):
                await leases.data.replace(name, _values(library, owner))


def _values(library: str, owner: str) -> dict[str, Any]:
    return {"library": library, "owner": owner, "until": time.time() + LEASE_S}
