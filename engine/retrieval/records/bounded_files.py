"""Files of paper records from anybody: what is unpacked is counted, and they are read in a process of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from pydantic import TypeAdapter

from engine.bounded_process import ProcessLimits, stream_bounded
from engine.errors import LimitExceeded, RecordError, UserError
from engine.retrieval.records.record_files import FileLimits, OnBytes, read_papers
from engine.values import Paper

BATCH = 100
"""Records that one line of the process's answer holds."""


ReadingLimits = tuple[FileLimits, ProcessLimits]
"""What may be read of one file, and what the process that reads it may use."""

SENT: ReadingLimits = (FileLimits(64 * 2**20, 20_000), ProcessLimits(2**30, 60, 60.0))
"""Of a file that somebody sends into a chat, and waits for."""

GIVEN: ReadingLimits = (FileLimits(200 * 2**30), ProcessLimits(8 * 2**30, 0, 900.0))
"""Of a file that whoever runs the installation reads in; nothing but a bomb is so large."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some records in order, the bytes read so far and the bytes of the file; ``wrong`` where it cannot be read."""

    items: tuple[Paper | tuple[str, str, bool], ...]
    """A paper, or what a `RecordError` is made of."""
    done: int = 0
    size: int = 0
    wrong: str = ""
    dropped: dict[str, int] = field(default_factory=dict)


_BATCH = TypeAdapter(Batch)


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
        for line in stream_bounded("engine.retrieval.records.bounded_files", process, *arguments):
            batch = _BATCH.validate_json(line)
            if batch.wrong:
                raise UserError(batch.wrong)
            on_bytes(batch.done, batch.size)
            if dropped is not None:
                dropped.update(batch.dropped)
            for item in batch.items:
                if isinstance(item, Paper):
                    yield item
                else:
                    place, why, was_read = item
                    yield RecordError(place, why, was_read=was_read)
    except LimitExceeded:
        yield RecordError(
            path.name,
            "from here on it takes too much time or memory to read, as damaged and hostile files do. "
            "Split it into smaller files.",
        )


def serve(arguments: Sequence[str], _: BinaryIO, answer: BinaryIO) -> None:
    """The process: batches of records, each as a line of JSON."""
    path, *bounds = arguments
    read = (0, 0)

    def count(done: int, size: int) -> None:
        nonlocal read
        read = done, size

    def write(batch: Batch) -> None:
        answer.write(_BATCH.dump_json(batch) + b"\n")
        answer.flush()

    dropped = Counter[str]()
    records = read_papers(Path(path), count, FileLimits(*map(int, bounds)), dropped)
    try:
        while items := tuple(islice(records, BATCH)):
            sent = tuple(i if isinstance(i, Paper) else (i.place, i.why, i.was_read) for i in items)
            write(Batch(sent, *read, dropped=dict(dropped)))
            dropped.clear()
    except UserError as error:
        write(Batch((), wrong=str(error)))
