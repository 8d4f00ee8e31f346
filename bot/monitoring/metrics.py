"""What a service shows to those who watch it: health, readiness, and figures for Prometheus, on a port of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from engine.errors import ScholiumError

if TYPE_CHECKING:  # a terminal serves no figures
    from aiohttp import web

_JOB_BUCKETS_S = (0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800)


class Metrics:
    """The figures of one service; nothing in them names a person or a topic."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self.received = Counter("scholium_events", "Events received.", ["repeated"], registry=registry)
        self.stored_s = Histogram("scholium_event_stored_seconds", "Until an event is stored.", registry=registry)
        self.answered_s = Histogram("scholium_event_answered_seconds", "Until it is answered.", registry=registry)
        self.jobs = Counter("scholium_jobs", "Jobs that ended.", ["kind", "outcome"], registry=registry)
        self.job_s = Histogram(
            "scholium_job_seconds", "How long jobs took.", ["kind"], buckets=_JOB_BUCKETS_S, registry=registry
        )
        self.running = Gauge("scholium_jobs_running", "Jobs that run in this process.", registry=registry)
        self.waiting = Gauge("scholium_jobs_wanted", "Jobs that sessions wait for.", registry=registry)
        self.queued = Gauge("scholium_jobs_queued", "Jobs that wait for a place.", registry=registry)
        self.set_aside = Gauge(
            "scholium_events_set_aside", "Events that failed each time and are not tried again.", registry=registry
        )
        self.tokens = Counter("scholium_tokens", "Tokens.", ["model", "direction"], registry=registry)
        self.money = Counter("scholium_dollars", "Dollars spent.", ["model"], registry=registry)
        self.errors = Counter("scholium_errors", "Errors.", ["kind"], registry=registry)

    def count_failure(self, error: BaseException | None) -> None:
        """Count an error by its kind; ``None`` is one of ours that has no kind."""
        self.errors.labels(type(error).__name__ if isinstance(error, ScholiumError) else "bug").inc()


READY_S = 5.0
"""So long the database may take to answer: whoever asks whether the service is ready gives up soon after."""

Check = Callable[[], Awaitable[Sequence[str]]]
"""Sentences about what is not ready; none where all is well."""


@asynccontextmanager
async def serve_metrics(metrics: Metrics, host: str, port: int, ready: Check) -> AsyncIterator[int]:
    """``/healthz``, ``/readyz`` and ``/metrics`` while the block runs; the port, a free one for 0."""
    from aiohttp import web

    from adapters.http_server import ConnectionLimits, serve_http

    async def health(_: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def readiness(_: web.Request) -> web.Response:
        try:
            async with asyncio.timeout(READY_S):
                problems = await ready()
        except TimeoutError:
            problems = [f"The database does not answer within {READY_S:.0f} seconds."]
        return web.Response(text="\n".join(problems or ["ok"]) + "\n", status=503 if problems else 200)

    async def figures(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(metrics.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    application = web.Application()
    application.router.add_get("/healthz", health)
    application.router.add_get("/readyz", readiness)
    application.router.add_get("/metrics", figures)
    async with serve_http(application, host, port, limits=ConnectionLimits()) as bound:
        yield bound
