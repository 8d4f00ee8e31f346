"""Slack over HTTP: signed requests to Bolt, the pages of an installation; nothing malformed reaches either."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp

from adapters.http_server import ConnectionLimits, serve_http

EVENTS_PATH = "/slack/events"
BODY_BYTES = 2**20


@asynccontextmanager
async def serve_slack(app: AsyncApp, host: str, port: int, limits: ConnectionLimits) -> AsyncIterator[int]:
    """Listen while the block runs; gives the port, a free one for 0."""

    async def events(request: web.Request) -> web.Response:
        stamp = request.headers.get("X-Slack-Request-Timestamp", "")
        if not (stamp.isascii() and stamp.isdigit()):  # Bolt would answer 500
            return web.Response(status=401, text="unsigned\n")
        try:
            parsed = await to_bolt_request(request)
        except (ValueError, AttributeError, TypeError, RecursionError):
            # Neither JSON nor a form, not UTF-8, or not of Slack's shape, which Bolt reads before the signature.
            return web.Response(status=400, text="malformed\n")
        return await to_aiohttp_response(await app.async_dispatch(parsed))

    async def alive(_: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    application = web.Application(client_max_size=BODY_BYTES)
    application.router.add_post(EVENTS_PATH, events)
    application.router.add_get("/healthz", alive)
    flow = app.oauth_flow
    if flow is not None:

        async def install(request: web.Request) -> web.Response:
            return await to_aiohttp_response(await flow.handle_installation(await to_bolt_request(request)))

        async def installed(request: web.Request) -> web.Response:
            return await to_aiohttp_response(await flow.handle_callback(await to_bolt_request(request)))

        application.router.add_get(flow.install_path, install)
        application.router.add_get(flow.redirect_uri_path, installed)
    async with serve_http(application, host, port, limits=limits) as bound:
        yield bound
