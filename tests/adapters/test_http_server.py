"""A server that strangers reach: slow requests and many connections hold nothing for long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from adapters.http_server import ConnectionLimits, serve_http
from tests.stand_ins.changes import PATIENCE_S

GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\n"


@asynccontextmanager
async def serving(limits: ConnectionLimits) -> AsyncIterator[int]:
    """A server that answers with what it was sent."""

    async def echo(request: web.Request) -> web.Response:
        return web.Response(text=f"<{await request.text()}>")

    application = web.Application()
    application.router.add_route("*", "/", echo)
    async with serve_http(application, "127.0.0.1", 0, limits=limits) as port, asyncio.timeout(PATIENCE_S):
        yield port


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """What the server still says before it closes."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


async def test_a_request_whose_head_or_body_does_not_arrive_is_given_up() -> None:
    async with serving(ConnectionLimits(head_s=0.05)) as port:
        for head in (b"", b"GET / HTTP/1.1\r\nHost: he"):
            async with connected(port) as (reader, writer):
                writer.write(head)
                assert await read_to_end(reader) == b""
    async with serving(ConnectionLimits(body_s=0.05)) as port, connected(port) as (reader, writer):
        writer.write(POST + b"ab")
        said = await read_to_end(reader)
        assert said.startswith(b"HTTP/1.1 408 ")
        assert said.endswith(b"The request did not arrive in time.\n")


async def test_an_address_has_so_many_connections_and_a_closed_one_makes_room() -> None:
    async with serving(ConnectionLimits(per_address=2)) as port:
        async with connected(port) as (first, writing), connected(port) as (second, also_writing):
            for reader, writer in ((first, writing), (second, also_writing)):
                writer.write(POST + b"abcd")
                assert (await reader.readuntil(b"<abcd>")).startswith(b"HTTP/1.1 200 ")
            async with connected(port) as (third, refused):
                refused.write(GET)
                assert await read_to_end(third) == b""
            writing.write(GET)  # who is in stays in
            assert await first.readuntil(b"<>")
        said = b""
        while not said:  # until the server has seen that the others are closed
            async with connected(port) as (reader, writer):
                writer.write(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
                said = await read_to_end(reader)
        assert said.startswith(b"HTTP/1.1 200 ")
