"""What every store of papers can do, and what it reports."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from engine.errors import RecordError
from engine.values import FoundPaper, Paper, PaperKey, Query


@dataclass(frozen=True, slots=True)
class AddReport:
    """What became of the papers given: new, changed, already there (nothing new in them)."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: tuple[RecordError, ...] = ()
    """Papers that the store refused, and why."""

    def __add__(self, other: AddReport) -> AddReport:
        return AddReport(
            self.added + other.added,
            self.updated + other.updated,
            self.unchanged + other.unchanged,
            self.rejected + other.rejected,
        )


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """A long step of a library: its name, how much is done, and of how much (0: unknown)."""

    stage: str
    done: int
    total: int = 0


WORKSPACES = "workspaces"
"""The library whose tenants are the workspaces' own papers; no library of a person is called so here."""

OnIndexProgress = Callable[[IndexProgress], None]


@dataclass(frozen=True, slots=True)
class TopicCounts:
    """How many papers a library has, and how many have each word of a topic (`read_topic`), in order."""

    topic: str
    papers: int = 0
    papers_with: tuple[int, ...] = ()
    spellings: tuple[tuple[str, str], ...] = ()
    """A word of the topic that no paper has → the library's word that is spelt most like it."""


class EmptyLibrary:
    """No library: the papers come from online sources alone."""

    name = "no library"

    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """Nothing."""
        return []

    async def get(self, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """Nothing."""
        return []

    async def count_topic(self, topic: str) -> TopicCounts:
        """Nothing."""
        return TopicCounts(topic)


T = TypeVar("T")


async def in_batches(items: AsyncIterator[T], size: int) -> AsyncIterator[list[T]]:
    """The items in lists of that size, the last one shorter."""
    batch: list[T] = []
    async for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


class Library(Protocol):
    """A searchable store of papers."""

    name: str

    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """At most ``query.limit`` papers, best first. Raises `RetrievalError` when it cannot answer."""

    async def get(self, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """The papers that exist among the keys (or other known identifiers), in the order asked."""

    async def count_topic(self, topic: str) -> TopicCounts:
        """How common the words of a topic are here."""
