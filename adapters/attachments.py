"""Files that people send: read from their platform, up to a size."""

from __future__ import annotations

import aiohttp

FILE_BYTES = 20 * 2**20
"""Whoever reads the file refuses a larger one, so one byte more is enough of it."""


async def contents(response: aiohttp.ClientResponse) -> bytes:
    """The body, broken off after `FILE_BYTES` and one more."""
    parts: list[bytes] = []
    left = FILE_BYTES + 1
    async for part in response.content.iter_chunked(2**16):
        parts.append(part[:left])
        left -= len(part)
        if left <= 0:
            break
    return b"".join(parts)
