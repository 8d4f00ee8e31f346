"""Files of paper records from anybody: what is unpacked is counted, and they are read in a process of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from engine.bounded_process import ProcessLimits, stream_bounded
from engine.errors import LimitExceeded, RecordError
from engine.retrieval.records.record_files import FileLimits, OnBytes, read_papers
from engine.values import Paper

BATCH = 100
"""Records that the process answers with at once."""

ReadingLimits = tuple[FileLimits, ProcessLimits]
"""What may be read of one file, and what the process that reads it may use."""

SENT: ReadingLimits = (FileLimits(64 * 2**20, 20_000), ProcessLimits(2**30, 60, 60.0))
"""Of a file that somebody sends into a chat, and waits for."""

GIVEN: ReadingLimits = (FileLimits(200 * 2**30), ProcessLimits(8 * 2**30, 0, 900.0))
"""Of a file that whoever runs the installation reads in; nothing but a bomb is so large."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some records in order, the bytes read so far, the bytes of the file, and which fields were dropped how often."""

    items: tuple[Paper | RecordError, ...]
    done: int
    size: int
    dropped: dict[str, int]


def read_bounded(
    path: Path, on_bytes: OnBytes, limits: ReadingLimits, dropped: Counter[str] | None = None
) -> Iterator[Paper | RecordError]:
    """The papers of one file, in order, as `read_papers` gives them; blocks, so iterate it in a thread.

    A file that goes over a limit gives what stood before it, and a `RecordError` that says so. Raises `UserError` where
    the file as a whole cannot be read.
    """
    file, process = limits
    arguments = (str(path), str(file.bytes), str(file.records))
    try:
        for batch in stream_bounded(read_batches, process, *arguments):
            on_bytes(batch.done, batch.size)
            if dropped is not None:
                dropped.update(batch.dropped)
            yield from batch.items
    except LimitExceeded:
        yield RecordError(
            path.name,
            "from here on it takes too much time or memory to read, as damaged and hostile files do. "
            "Split it into smaller files.",
        )


def read_batches(_: bytes, path: str, most_bytes: str, most_records: str) -> Iterator[Batch]:
    """What `read_papers` gives, in batches."""
    read, dropped = (0, 0), Counter[str]()

    def count(done: int, size: int) -> None:
        nonlocal read
        read = done, size

    records = read_papers(Path(path), count, FileLimits(int(most_bytes), int(most_records)), dropped)
    while items := tuple(islice(records, BATCH)):
        yield Batch(items, *read, dict(dropped))
        dropped.clear()
