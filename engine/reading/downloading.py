"""Fetches papers from addresses that others wrote: only ``https``, only public hosts, each redirect checked again.

The check is made where the connection is made, for the very address that is connected to, so that a name which
resolves differently the second time gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from engine.errors import RetrievalError, UserError
from engine.retrieval.online.transport import user_agent

if TYPE_CHECKING:  # it takes a tenth of the time until a terminal's prompt, which asks nobody
    import aiohttp

LARGEST_BYTES = 50 * 2**20
REDIRECTS = 5
TOTAL_S = 60.0
PORTS = frozenset({None, 443})
NOT_PUBLIC = "the host is not on the public network"


@dataclass(frozen=True, slots=True)
class Download:
    """What an address gave; ``url`` is the one after redirects."""

    content: bytes
    kind: str
    url: str


@dataclass
class Downloader:
    """Fetches files; close it. ``trusted`` are hosts with ports that may be private and unencrypted, for tests."""

    contact: str = ""
    trusted: frozenset[tuple[str, int]] = frozenset()
    _session: aiohttp.ClientSession | None = field(default=None)

    async def fetch(self, url: str) -> Download:
        """The file. Raises `UserError` for an address that is not allowed, `RetrievalError` where it cannot be had."""
        import aiohttp

        for _ in range(REDIRECTS + 1):
            host = self._check(url)
            try:
                async with self._connections().get(
                    url, allow_redirects=False, timeout=aiohttp.ClientTimeout(total=TOTAL_S)
                ) as response:
                    if response.status in {301, 302, 303, 307, 308}:
                        url = urljoin(url, response.headers.get("Location", ""))
                        continue
                    if response.status != 200:
                        passing = response.status in {429, 503}
                        raise RetrievalError(f"{host} answered {response.status}.", retryable=passing)
                    content = await _read_bounded(response)
                    return Download(content, response.content_type, url)
            except TimeoutError as error:
                raise RetrievalError(f"{host} took too long.", retryable=True) from error
            except (aiohttp.ClientError, OSError) as error:
                if NOT_PUBLIC in str(error.__cause__):
                    raise UserError(f"The address {host} is not public, so it is not read.") from error
                raise RetrievalError(f"{host} could not be reached.", retryable=True) from error
            except ValueError as error:  # a redirect, or a host, that cannot be one
                raise UserError("That is no address of a paper.") from error
        raise RetrievalError(f"{host} redirects in circles.")

    async def close(self) -> None:
        """Let go of the connections."""
        if self._session is not None:
            await self._session.close()

    def _connections(self) -> aiohttp.ClientSession:
        import aiohttp

        if self._session is None or self._session.closed:
            connector = aiohttp.TCPConnector(socket_factory=self._socket, limit=16, limit_per_host=2)
            self._session = aiohttp.ClientSession(
                connector=connector,
                headers={"User-Agent": user_agent(self.contact)},
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    def _check(self, url: str) -> str:
        """The host of an address. Raises `UserError` where the address itself shows that it is not allowed."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise UserError("That is no address of a paper.") from error
        is_allowed = parts.scheme == "https" and parts.hostname and not parts.username and port in PORTS
        host = parts.hostname or "this address"
        if not is_allowed and (host, port) not in self.trusted:
            raise UserError(f"Only https addresses are read, not {parts.scheme or 'this'}://{host}.")
        return host

    def _socket(self, found: Any) -> socket.socket:
        family, kind, protocol, _, address = found
        host, port = address[0], address[1]
        if (host, port) not in self.trusted and not is_public(host):
            raise OSError(NOT_PUBLIC)
        return socket.socket(family=family, type=kind, proto=protocol)


def is_public(host: str) -> bool:
    """Whether an IP address is one of the public network; those wrapped into IPv6 are unwrapped first."""
    address = ipaddress.ip_address(host.split("%", 1)[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is not None:
            address = inner
        elif address in _NAT64:
            address = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        elif address in _SITE_LOCAL:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_SITE_LOCAL = ipaddress.IPv6Network("fec0::/10")
"""Deprecated (RFC 3879), and yet `is_global` says yes; translated addresses (RFC 2765, RFC 8215) are reserved ones."""


async def _read_bounded(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for part in response.content.iter_chunked(2**16):
        content += part
        if len(content) > LARGEST_BYTES:
            raise RetrievalError(f"The file at {response.host} is larger than {LARGEST_BYTES // 2**20} MB.")
        await asyncio.sleep(0)
    return bytes(content)
