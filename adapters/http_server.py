"""A web server on a port while a block runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def serve_http(
    application: web.Application, host: str, port: int, shutdown_s: float = 60.0
) -> AsyncIterator[int]:
    """Serve the application; gives the port, a free one for 0. What runs at the end has ``shutdown_s``."""
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=shutdown_s)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
