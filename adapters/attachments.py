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

    Of a very large one `FILE_BYTES` and one more. No token goes anywhere else, wherever the file is said to be. Raises
    `PlatformError`.
    """
    if attachment.content or not attachment.source:
        return attachment.content
    there, ours, name = urlsplit(attachment.source), urlsplit(base), attachment.name[:80]
    if not (there.scheme == "https" and is_theirs) and (there.scheme, there.netloc) != (ours.scheme, ours.netloc):
        raise PlatformError(f"“{name}” is not kept at {platform}, so I do not fetch it.")
    try:
        async with session.get(attachment.source, headers=headers, allow_redirects=False) as response:
            if response.status != 200:
                raise PlatformError(f"{platform} does not give “{name}” ({response.status}).")
            body = bytearray()
            async for part in response.content.iter_chunked(2**16):
                body += part
                if len(body) > FILE_BYTES:
                    break
            return bytes(body[: FILE_BYTES + 1])
    except (aiohttp.ClientError, TimeoutError) as error:
        raise PlatformError(f"“{name}” could not be fetched from {platform}.") from error
