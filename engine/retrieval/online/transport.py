"""Asking scholarly services over HTTP: one pace for the whole installation, bounded retries, answers with an age.

A service that cannot be used is an error, never an empty answer. What a service answered before is used, and said
to be old, where it fails now.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit

from engine.clock import SYSTEM_CLOCK, Clock
from engine.errors import RetrievalError
from engine.retry_after import read_retry_after
from engine.text import clean
from engine.tracing import trace_step

if TYPE_CHECKING:  # it takes a tenth of the time until a terminal's prompt, which asks nobody
    import httpx

DAY_S = 86_400.0
LARGEST_ANSWER_BYTES = 30 * 2**20
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 20.0
OUTAGE_S, PROBE_S = 600.0, 5.0
"""A service that failed with all retries is tried once for each question for so long, and so long may a try take."""
LONGEST_REST_S = 6 * 3600.0
"""Bound on the seconds that a service asks to be left alone."""
ARXIV, ARXIV_S = "arXiv", 3.0
"""Its search and its files stand in one queue, with so many seconds between calls."""
LONGEST_REASON = 240
"""Characters of what a service says about a question that it refuses."""
T = TypeVar("T")
MOST_ATTEMPTS_TO_REACH = 3
"""Where there is no connection at all, as on a machine without a network, waiting longer seldom helps."""


class OnlineCache(Protocol):
    """What all processes of an installation know together about online services."""

    async def turn(self, service: str, interval_s: float) -> float:
        """Take the next place in the queue of calls to the service; seconds until it may be made."""

    async def pause(self, service: str, seconds: float) -> None:
        """Nobody calls the service for so long: it asked for that."""

    async def recall(self, key: str) -> tuple[str, float] | None:
        """What was kept under the key and its age in seconds."""

    async def keep(self, key: str, content: str) -> None:
        """Keep an answer."""


@dataclass
class ProcessCache:
    """An `OnlineCache` of one process, for scripts."""

    clock: Clock = SYSTEM_CLOCK
    _next: dict[str, float] = field(default_factory=dict)
    _kept: dict[str, tuple[str, float]] = field(default_factory=dict)

    async def turn(self, service: str, interval_s: float) -> float:
        """Take the next place; seconds until then."""
        now = self.clock.now()
        at = max(now, self._next.get(service, 0.0))
        self._next[service] = at + interval_s
        return at - now

    async def pause(self, service: str, seconds: float) -> None:
        """Push everybody's place back."""
        self._next[service] = max(self._next.get(service, 0.0), self.clock.now() + seconds)

    async def recall(self, key: str) -> tuple[str, float] | None:
        """What was kept, and its age."""
        found = self._kept.get(key)
        return (found[0], self.clock.now() - found[1]) if found else None

    async def keep(self, key: str, content: str) -> None:
        """Keep an answer as long as the process lives."""
        self._kept[key] = (content, self.clock.now())


@dataclass(frozen=True, slots=True)
class ServicePolicy:
    """How a service is asked; times in seconds. ``patience_s`` bounds one question with all its retries."""

    interval_s: float | None = None
    """Between two calls; ``None``: what the service's client knows."""
    patience_s: float = 60.0
    call_s: float = 30.0
    fresh_s: float = 7 * DAY_S
    """An answer younger than this is not asked for again."""
    absent_s: float = DAY_S
    """Likewise the answer that there is no such paper: it may come to be known."""
    busy: frozenset[int] = frozenset({408, 425, 429})
    """Statuses by which it says that it is asked too often; every 5xx is tried again likewise."""
    away: tuple[str, ...] = ()
    """Words, in small letters, of an answer of status 400 that a server behind it is away: that is tried again too."""

    def with_interval(self, interval_s: float) -> ServicePolicy:
        """With so many seconds between calls where it names none."""
        return self if self.interval_s is not None else replace(self, interval_s=interval_s)


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """One question to a service."""

    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    """Sent as JSON; a question with a body is a POST where no ``method`` is named."""
    may_be_absent: bool = False
    """Whether 404 is an answer: there is no such paper. Elsewhere it means that the address is wrong."""
    absent_words: str = ""
    """Words, in small letters, of a refusal with 400 that is this answer, too."""
    method: str = ""


@dataclass
class _Retry(Exception):
    """A call failed in a way that may pass; ``after_s`` was asked for; ``only_this``: the service itself is there."""

    why: str
    after_s: float | None = None
    unreachable: bool = False
    only_this: bool = False


@dataclass
class OnlineTransport:
    """The connections of one process and what the installation remembers; close it."""

    memory: OnlineCache = field(default_factory=ProcessCache)
    contact: str = ""
    """An e-mail or web address of the people who run this, which services ask for."""
    clock: Clock = SYSTEM_CLOCK
    _client: httpx.AsyncClient | None = None

    def client(self) -> httpx.AsyncClient:
        """The connections, made when first needed."""
        import httpx

        if self._client is None or self._client.is_closed:
            self._client = httpx.AsyncClient(headers={"User-Agent": user_agent(self.contact)}, timeout=None)
        return self._client

    async def wait_for_host(self, url: str) -> None:
        """Wait for our turn at a host that wants a pace whatever is fetched; others are not waited for."""
        if f".{urlsplit(url).hostname}".endswith(".arxiv.org"):
            await self.clock.sleep(await self.memory.turn(ARXIV, ARXIV_S))

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.aclose()


def user_agent(contact: str) -> str:
    """How we name ourselves to services: with the address of those who run this, where they gave one."""
    address = contact if contact.startswith(("https://", "http://")) or not contact else f"mailto:{contact}"
    return "Scholium/0.1 (writes literature surveys" + (f"; {address})" if address else ")")


class ScholarlyService:
    """One scholarly service. Secrets go into ``headers`` and ``secret_params``, never kept, logged or shown."""

    def __init__(
        self,
        name: str,
        url: str,
        web: OnlineTransport,
        policy: ServicePolicy,
        headers: Mapping[str, str] | None = None,
        secret_params: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._url = url.rstrip("/")
        self._web = web
        self._policy = policy
        self._headers = dict(headers or {})
        self._secret_params = dict(secret_params or {})

    async def read_pages(
        self, ask: Callable[[int], ServiceRequest], read: Callable[[str], Sequence[T | None]], page: int, limit: int
    ) -> tuple[list[T], float]:
        """At most ``limit`` things that a reader makes of pages' items, ``None`` of one that is to be left out.

        A page is asked for by the place of its first item, from 0; none follows one that is not full. See `ask`.
        """
        found: list[T | None] = []
        age = 0.0
        while len(found) < limit:
            items, answered = await self.ask(ask(len(found)), read)
            found += items
            age = max(age, answered)
            if len(items) < page:
                break
        return [one for one in found if one is not None][:limit], age

    async def ask(self, ask: ServiceRequest, read: Callable[[str], Any] = json.loads) -> tuple[Any, float]:
        """What ``read`` makes of the answer, from memory where it is fresh there, and its age in seconds, 0 for now.

        ``None`` where there is no such paper. An answer that cannot be read is asked for again, and never kept: a
        `ValueError` says what the service did; one of JSON, and what a wrong shape raises, that it cannot be read.

        Raises `RetrievalError` where the service is away, refuses, or asks for more patience than we have, and
        nothing was kept of an earlier answer. One that failed with all retries is tried once each time for a while.
        """
        described = json.dumps([self._url, ask.path, dict(ask.params), ask.body], sort_keys=True)
        key = hashlib.sha256(described.encode()).hexdigest()
        # For the answer that there is no such paper, an empty text is kept; every other answer has text.
        kept = await self._web.memory.recall(key)
        text, age_s = kept or ("", math.inf)
        if age_s >= (self._policy.fresh_s if text else min(self._policy.fresh_s, self._policy.absent_s)):
            try:
                text, age_s = await self._patiently(ask, read), 0.0
                await self._web.memory.keep(key, text)
            except RetrievalError as error:
                if not (text and error.retryable):
                    raise
        return (read(text) if text else None), age_s

    async def allowance(self) -> tuple[float, float] | None:
        """Dollars left of today's allowance, and all of it, as the last answer said; ``None`` where none did today."""
        kept = await self._web.memory.recall(f"allowance {self.name}")
        left, limit, resets_s = json.loads(kept[0]) if kept else (0.0, 0.0, 0.0)
        return (left, limit) if kept and kept[1] < resets_s else None

    async def _patiently(self, ask: ServiceRequest, read: Callable[[str], Any]) -> str:
        clock, memory = self._web.clock, self._web.memory
        kept = await memory.recall(f"outage {self.name}")
        outage = kept[0] if kept and kept[1] < OUTAGE_S else ""
        ends = clock.now() + min(self._policy.patience_s, PROBE_S if outage else math.inf)
        pause, attempt = FIRST_PAUSE_S, 0
        while True:
            attempt += 1
            wait_s = await memory.turn(self.name, self._policy.interval_s or 0.0)
            if clock.now() + wait_s > ends:
                why = outage or f"{self.name} is asked by too many at once."
                raise RetrievalError(f"{why} It can be asked again in {wait_s:,.0f} seconds.", retryable=True)
            await clock.sleep(wait_s)
            try:
                with trace_step("ask a service", {"scholium.service": self.name}):
                    text = await self._once(ask, read, min(self._policy.call_s, ends - clock.now()))
                if outage:
                    await memory.keep(f"outage {self.name}", "")
                return text
            except _Retry as failed:
                asked = failed.after_s
                delay = asked if asked is not None else pause * random.uniform(0.7, 1.3)
                if asked:
                    await memory.pause(self.name, min(asked, LONGEST_REST_S))
                hopeless = outage or (failed.unreachable and attempt == MOST_ATTEMPTS_TO_REACH)
                if hopeless or clock.now() + delay >= ends:
                    later = f"; it asks to wait {asked:,.0f} seconds" if asked else ""
                    why = f"{self.name} {failed.why}{later}."
                    if not failed.only_this:
                        await memory.keep(f"outage {self.name}", why)
                    raise RetrievalError(why, retryable=True) from failed
                await clock.sleep(0 if asked else delay)  # what was asked for is in everybody's turn
                pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _once(self, ask: ServiceRequest, read: Callable[[str], Any], seconds: float) -> str:
        import httpx

        method = ask.method or ("GET" if ask.body is None else "POST")
        params = {**ask.params, **self._secret_params}
        try:
            async with (
                asyncio.timeout(max(0.1, seconds)),
                self._web.client().stream(
                    method, f"{self._url}{ask.path}", params=params, json=ask.body, headers=self._headers
                ) as response,
            ):
                text = await _read(response)
        except TimeoutError as error:
            raise _Retry("did not answer in time") from error
        except httpx.ConnectError as error:
            raise _Retry("could not be reached", unreachable=True) from error
        except (httpx.HTTPError, OSError) as error:
            raise _Retry(f"could not be reached ({type(error).__name__})") from error
        with suppress(KeyError, ValueError):  # most services say nothing of an allowance
            said = [float(response.headers[f"X-RateLimit-{name}"]) for name in ("Remaining-USD", "Limit-USD", "Reset")]
            await self._web.memory.keep(f"allowance {self.name}", json.dumps(said))
        if not self._is_there(ask, response, text):
            return ""
        try:
            read(text)
        except (json.JSONDecodeError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise _Retry("gave an answer that cannot be read", only_this=True) from error
        except ValueError as error:
            raise _Retry(str(error), only_this=True) from error
        return text

    def _is_there(self, ask: ServiceRequest, response: httpx.Response, text: str) -> bool:
        """Whether there is such a paper; raises where the answer does not say."""
        status, refused = response.status_code, text.lower() if response.status_code == 400 else ""
        if (status == 404 and ask.may_be_absent) or (ask.absent_words and ask.absent_words in refused):
            return False
        if status in self._policy.busy or status >= 500:
            raise _Retry(f"answered {status}", read_retry_after(response.headers.get("Retry-After", "")))
        if any(words in refused for words in self._policy.away):
            raise _Retry("could not reach a server behind it")
        if status in {401, 403} or "api key invalid" in refused[:500]:  # NCBI says it so
            raise RetrievalError(f"{self.name} refused the call ({status}); check its key.")
        if status != 200:
            reason = reason_of(text) or "no reason"
            raise RetrievalError(f"{self.name} did not accept the question ({status}): {reason}")
        return True


def read_xml(text: str, root: str) -> Any:
    """The element of an answer. Raises `ValueError`, saying what came instead, where it is not a ``root``."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        found = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError("gave an answer that cannot be read") from error
    if found.tag != root:
        raise ValueError("gave an answer that is no list of papers")
    return found


def reason_of(text: str) -> str:
    """Why a service refused, in its own words, shortened; empty for an answer that is no JSON, or says nothing."""
    try:
        answer = json.loads(text)
    except ValueError:
        return ""
    said = (answer.get("error"), answer.get("message")) if isinstance(answer, dict) else ()
    return ". ".join(clean(part)[:LONGEST_REASON] for part in said if isinstance(part, str) and part.strip())


async def _read(response: httpx.Response) -> str:
    content = bytearray()
    async for part in response.aiter_bytes(2**16):
        content += part
        if len(content) > LARGEST_ANSWER_BYTES:
            raise RetrievalError(f"An answer of {response.url.host} is larger than {LARGEST_ANSWER_BYTES // 2**20} MB.")
    return content.decode("utf-8", errors="replace")
