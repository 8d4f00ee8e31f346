"""Batches of papers that are written to Weaviate: some at once, repeated where they fail, and then said."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from tenacity import wait_none
from weaviate.exceptions import WeaviateBaseError

from engine.errors import RetrievalError
from engine.retrieval.libraries.adding import StoredPaper
from engine.retrieval.weaviate import weaviate_papers
from engine.retrieval.weaviate.weaviate_papers import store
from tests.fakes import papers

STORED = [StoredPaper(paper) for paper in papers(10)]


@dataclass
class FailingCollection:
    """Takes batches; the next ones fail as often as ``failures`` says."""

    failures: deque[Exception] = field(default_factory=deque)
    sizes: list[int] = field(default_factory=list)
    under_way: int = 0
    most: int = 0

    @property
    def data(self) -> FailingCollection:
        return self

    async def insert_many(self, objects: list[Any]) -> Any:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        if self.failures:
            raise self.failures.popleft()
        self.sizes.append(len(objects))
        return SimpleNamespace(errors={})


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weaviate_papers._insert.retry, "wait", wait_none())


async def test_batches_are_written_at_once() -> None:
    server = FailingCollection()
    assert await store(server, STORED, None, 5) == []
    assert (sorted(server.sizes), server.most) == ([5, 5], 2)


async def test_a_failed_batch_is_repeated() -> None:
    server = FailingCollection(deque([WeaviateBaseError("unavailable"), WeaviateBaseError("unavailable")]))
    assert await store(server, STORED, None, 10) == []
    assert server.sizes == [10]


async def test_a_batch_that_keeps_failing_is_said() -> None:
    server = FailingCollection(deque(WeaviateBaseError("connection refused") for _ in range(9)))
    with pytest.raises(RetrievalError, match="failed to store papers: connection refused") as failure:
        await store(server, STORED, None, 10)
    assert failure.value.retryable and len(server.failures) == 6


async def test_a_full_disk_is_not_tried_again() -> None:
    server = FailingCollection(deque([WeaviateBaseError("no space left on device")]))
    with pytest.raises(RetrievalError, match="takes no writes"):
        await store(server, STORED, None, 500)
    assert not server.failures and not server.sizes
