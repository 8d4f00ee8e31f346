"""A web server on a port while a block runs; of one that strangers reach, each address may hold so much."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

LINGERING_S = 10.0
TOO_SLOW = "The request did not arrive in time.\n"


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections one address may have (0: any number), and how long a request may take to arrive.

    A connection that shows no whole head of a request for ``head_s`` is closed, also between two requests: that is
    longer than proxies keep an idle one, which expect to close it themselves. The body has ``body_s``.
    """

    per_address: int = 100
    head_s: float = 75.0
    body_s: float = 30.0


FROM_HERE = ConnectionLimits(per_address=0)
"""For a server that only this machine reaches."""


@asynccontextmanager
async def serve_http(
    application: web.Application, host: str, port: int, shutdown_s: float = 60.0, limits: ConnectionLimits = FROM_HERE
) -> AsyncIterator[int]:
    """Serve the application; gives the port, a free one for 0. What runs at the end has ``shutdown_s``."""
    application.middlewares.insert(0, _read_within(limits.body_s))
    runner = web.AppRunner(
        application,
        access_log=None,
        shutdown_timeout=shutdown_s,
        keepalive_timeout=limits.head_s,
        lingering_time=min(LINGERING_S, limits.body_s),  # who is given up is not listened to for longer
    )
    await runner.setup()
    try:
        if (http := runner.server) is None:
            raise ValueError("the runner was set up and has no server")
        most, loop = limits.per_address, asyncio.get_running_loop()
        listening = await loop.create_server(lambda: _Admission(http, most), host, port)
        try:
            yield int(listening.sockets[0].getsockname()[1])
        finally:
            listening.close()
    finally:
        await runner.cleanup()


def _read_within(body_s: float) -> Middleware:
    """The whole body is there before anything begins: whoever sends it slowly holds a connection and nothing else."""

    @web.middleware
    async def read(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            async with asyncio.timeout(body_s):
                await request.read()
        except TimeoutError:
            slow = web.Response(status=408, text=TOO_SLOW)
            slow.force_close()
            return slow
        return await handler(request)

    return read


class _Admission(asyncio.Protocol):
    """What a connection meets first: it is given to the server, or ended where its address has as many as it may."""

    def __init__(self, http: web.Server, most: int) -> None:
        self._http = http
        self._most = most

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """As `asyncio.Protocol` has it."""
        connection, address = cast(asyncio.Transport, transport), _address_of(transport)
        others = (c.transport for c in self._http.connections if c.transport)
        if self._most and sum(_address_of(other) == address for other in others) >= self._most:
            connection.abort()
            return
        serving = self._http()
        connection.set_protocol(serving)
        serving.connection_made(connection)


def _address_of(transport: asyncio.BaseTransport) -> str:
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""
