"""Whoever asks whether the service is ready has an answer, also while the database hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import aiohttp
import pytest

from bot.monitoring import metrics
from bot.monitoring.metrics import Metrics, serve_metrics


async def test_a_database_that_hangs_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang() -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    monkeypatch.setattr(metrics, "READY_S", 0.05)
    async with serve_metrics(Metrics(), "127.0.0.1", 0, hang) as port, aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{port}/readyz") as answer:
            assert answer.status == 503 and "does not answer" in await answer.text()
        async with session.get(f"http://127.0.0.1:{port}/healthz") as answer:
            assert answer.status == 200
