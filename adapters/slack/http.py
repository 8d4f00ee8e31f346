"""Slack over HTTP: Bolt's own server for signed requests and installation pages; nothing malformed reaches it."""

from __future__ import annotations

import logging
from contextlib import AbstractAsyncContextManager

from aiohttp import web
from aiohttp.typedefs import Handler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from adapters.chat import PlatformError
from adapters.http_server import ConnectionLimits, serve_http

MISREAD = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
"""What reading something raises that is not of the shape it should have."""


async def answer_failure(error: Exception, logger: logging.Logger) -> BoltResponse:
    """What Slack is told where a listener fails: not to send nonsense again, and everything else once more."""
    logger.error("a request of Slack failed", exc_info=error)
    is_final = isinstance(error, MISREAD) or (isinstance(error, PlatformError) and not error.retryable)
    return BoltResponse(status=400 if is_final else 500)


def serve_slack(app: AsyncApp, host: str, port: int, limits: ConnectionLimits) -> AbstractAsyncContextManager[int]:
    """Signed requests and the pages of an installation while the block runs; gives the port, a free one for 0."""

    async def alive(_: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    application = app.web_app()  # a body has at most 1 MiB, as aiohttp has it
    application.middlewares.append(_refuse_malformed)
    application.router.add_get("/healthz", alive)
    return serve_http(application, host, port, limits=limits)


@web.middleware
async def _refuse_malformed(request: web.Request, handler: Handler) -> web.StreamResponse:
    """What Slack has not made is refused: neither JSON nor a form, not UTF-8, not of its shape.

    Bolt reads all that before it looks at the signature. What fails in a page that a browser asks for is our fault.
    """
    if request.method != "POST":
        return await handler(request)
    stamp = request.headers.get("X-Slack-Request-Timestamp", "")
    if not (stamp.isascii() and stamp.isdigit()):  # Bolt would answer 500
        return web.Response(status=401, text="unsigned\n")
    try:
        return await handler(request)
    except MISREAD:
        return web.Response(status=400, text="malformed\n")
