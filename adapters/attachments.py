"""Files that people send: read from their platform and from nowhere else, up to a size."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

import aiohttp

from adapters.chat import Attachment, PlatformError

FILE_BYTES = 20 * 2**20
"""Whoever reads the file refuses a larger one, so one byte more is enough of it."""


async def fetch_file(
    session: aiohttp.ClientSession,
    attachment: Attachment,
    platform: str,
    *,
    is_theirs: bool,
    base: str,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """The contents of a file that ``is_theirs`` or lies under ``base``, the platform's own address.

    No token goes anywhere else, wherever the file is said to be. Raises `PlatformError`.
    """
    there, ours, name = urlsplit(attachment.source), urlsplit(base), attachment.name[:80]
    if not (there.scheme == "https" and is_theirs) and (there.scheme, there.netloc) != (ours.scheme, ours.netloc):
        raise PlatformError(f"“{name}” is not kept at {platform}, so I do not fetch it.")
    try:
        async with session.get(attachment.source, headers=headers, allow_redirects=False) as response:
            if response.status != 200:
                raise PlatformError(f"{platform} does not give “{name}” ({response.status}).")
            return await _read_body(response)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise PlatformError(f"“{name}” could not be fetched from {platform}.") from error


async def _read_body(response: aiohttp.ClientResponse) -> bytes:
    """The body, broken off after `FILE_BYTES` and one more."""
    parts: list[bytes] = []
    left = FILE_BYTES + 1
    async for part in response.content.iter_chunked(2**16):
        parts.append(part[:left])
        left -= len(part)
        if left <= 0:
            break
    return b"".join(parts)
