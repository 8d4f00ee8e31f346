"""How much is read of one file: bytes after unpacking, bytes of a line, records."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from engine.errors import LimitExceeded

LINE_BYTES = 8 * 2**20
"""No record of a paper is so long."""


@dataclass(frozen=True, slots=True)
class FileLimits:
    """At most so many bytes after unpacking, and so many records."""

    bytes: int = sys.maxsize
    records: int = sys.maxsize


UNLIMITED = FileLimits()
"""For files that come with the program."""


class BoundedStream(io.RawIOBase):
    """A stream out of which no more than so many bytes come; then it raises `LimitExceeded`."""

    def __init__(self, plain: BinaryIO | gzip.GzipFile, most_bytes: int) -> None:
        self._plain = plain
        self._left = most_bytes

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As `io.RawIOBase` has it."""
        part = self._plain.read(len(buffer))
        self._left -= len(part)
        if self._left < 0:
            raise LimitExceeded("the file has more bytes than are read")
        buffer[: len(part)] = part
        return len(part)


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines; of one that is longer than `LINE_BYTES` its beginning, one byte longer than that."""
    while line := stream.readline(LINE_BYTES + 1):
        yield line
        while len(line) > LINE_BYTES and not line.endswith(b"\n"):
            line = stream.readline(LINE_BYTES + 1)
