"""Slack over HTTP: signed requests to Bolt, the pages of an installation; nothing malformed reaches either."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from adapters.chat import PlatformError
from adapters.http_server import ConnectionLimits, serve_http

MISREAD = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
"""What reading something raises that is not of the shape it should have."""

EVENTS_PATH = "/slack/events"
BODY_BYTES = 2**20


async def answer_failure(error: Exception, logger: logging.Logger) -> BoltResponse:
    """What Slack is told where a listener fails: not to send nonsense again, and everything else once more."""
    logger.error("a request of Slack failed", exc_info=error)
    is_final = isinstance(error, MISREAD) or (isinstance(error, PlatformError) and not error.retryable)
    return BoltResponse(status=400 if is_final else 500)


@asynccontextmanager
async def serve_slack(app: AsyncApp, host: str, port: int, limits: ConnectionLimits) -> AsyncIterator[int]:
    """Listen while the block runs; gives the port, a free one for 0."""

    async def events(request: web.Request) -> web.Response:
        stamp = request.headers.get("X-Slack-Request-Timestamp", "")
        if not (stamp.isascii() and stamp.isdigit()):  # Bolt would answer 500
            return web.Response(status=401, text="unsigned\n")
        try:
            parsed = await to_bolt_request(request)
            answer = await app.async_dispatch(parsed)
        except MISREAD:
            # Neither JSON nor a form, not UTF-8, or not of Slack's shape, which Bolt reads before the signature.
            return web.Response(status=400, text="malformed\n")
        return await to_aiohttp_response(answer)

    async def alive(_: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    application = web.Application(client_max_size=BODY_BYTES)
    application.router.add_post(EVENTS_PATH, events)
    application.router.add_get("/healthz", alive)
    if (flow := app.oauth_flow) is not None:
        pages = {flow.install_path: flow.handle_installation, flow.redirect_uri_path: flow.handle_callback}

        async def page(request: web.Request) -> web.Response:
            return await to_aiohttp_response(await pages[request.path](await to_bolt_request(request)))

        application.router.add_routes([web.get(path, page) for path in pages])
    async with serve_http(application, host, port, limits=limits) as bound:
        yield bound
