"""Files of paper records → `Paper`: what reference managers and databases export, and JSON Lines; plain or gzip.

A record that cannot be read is yielded as a `RecordError`; the others go on.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from engine.errors import DoubtfulRecord, LimitExceeded, RecordError, UserError
from engine.retrieval.records.bibtex import read_bibtex
from engine.retrieval.records.record_fields import TITLES, RawRecord, make_paper
from engine.retrieval.records.reference_formats import RIS, TAGGED, read_endnote_xml, read_ris
from engine.values import Paper

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


OnBytes = Callable[[int, int], None]
"""Called with the bytes read so far and the bytes of the file."""

FORMATS = (
    "BibTeX, RIS, EndNote (.enw, .xml), PubMed (.nbib), Web of Science (.txt, .ciw), CSV, CSL-JSON and JSON Lines, "
    "each also as .gz"
)


def read_papers(
    path: Path, on_bytes: OnBytes, limits: FileLimits = UNLIMITED, dropped: Counter[str] | None = None
) -> Iterator[Paper | RecordError]:
    """The papers of one file, in order; what goes over a limit is left out, and a `RecordError` says so.

    Raises `UserError` where the file as a whole cannot be read.
    """
    counts = Counter() if dropped is None else dropped
    if not path.is_file():
        raise UserError(f"There is no file {path}. Check the path.")
    size = path.stat().st_size
    reader = _READERS.get(_kind_of(path))
    if reader is None:
        raise UserError(f"{path.name}: I can read {FORMATS}. Rename or convert the file.")
    with path.open("rb") as raw:
        unpacked = gzip.GzipFile(fileobj=raw) if path.suffix.lower() == ".gz" else raw
        plain = io.BufferedReader(BoundedStream(unpacked, limits.bytes))

        def counted() -> Iterator[bytes]:
            for line in read_lines(plain):
                on_bytes(raw.tell(), size)
                yield line

        try:
            for number, item in enumerate(reader(path.name, counted(), plain)):
                if number == limits.records:
                    yield RecordError(
                        path.name, f"it has more than {number:,} records; the others were not read. {_SPLIT}"
                    )
                    break
                yield make_paper(item, counts) if isinstance(item, RawRecord) else item
        except LimitExceeded:
            most = f"{limits.bytes / 2**20:,.0f} MB"
            yield RecordError(path.name, f"it unpacks to more than {most}; what stood before was read. {_SPLIT}")
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            yield RecordError(
                path.name,
                f"the compressed file is damaged ({error}); what stood before the damage was read. "
                "Fetch the file again and repeat the command; nothing will be doubled.",
            )
    on_bytes(size, size)


_SPLIT = "Split it into smaller files."


def _json_lines(name: str, lines: Iterable[bytes], _: BinaryIO) -> Iterator[RawRecord | RecordError]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        if len(line) > LINE_BYTES:
            yield RecordError(place, f"the line is longer than {LINE_BYTES // 2**20} MB")
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield RecordError(place, f"not valid JSON ({error})")
            continue
        yield _json_record(place, record)


def _json(name: str, lines: Iterable[bytes], stream: io.BufferedReader[Any]) -> Iterator[RawRecord | RecordError]:
    """A list of records, ours or CSL-JSON, or else one record a line."""
    if not stream.peek(1).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        yield from _json_lines(name, lines, stream)
        return
    try:
        items = json.loads(stream.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name} is not valid JSON ({error}).") from error
    for number, item in enumerate(items, start=1):
        yield _json_record(f"{name}, record {number}", item)


def read_record(place: str, record: object) -> Paper | RecordError:
    """One record as JSON has it, ours or CSL-JSON; ``place`` says where it stands."""
    raw = _json_record(place, record)
    return make_paper(raw, Counter()) if isinstance(raw, RawRecord) else raw


def _json_record(place: str, record: object) -> RawRecord | RecordError:
    if not isinstance(record, dict):
        return RecordError(place, "not a JSON object")
    is_csl = "type" in record and bool({"issued", "container-title", "DOI", "URL"} & record.keys())
    return RawRecord(place, {**record, "id": ""} if is_csl else record)  # an item's id is the program's own


def _bibtex(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[RawRecord | RecordError]:
    yield from read_bibtex(name, _text(stream))


def _ris(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[RawRecord | RecordError]:
    for number, (record, odd) in enumerate(read_ris(_text(stream)), start=1):
        place = f"{name}, record {number}"
        if record:
            yield RawRecord(place, record)
        if odd:
            yield DoubtfulRecord(place, odd) if record else RecordError(place, odd)


FIRST_LINES = 5
"""Lines among which the names of a table's columns are looked for."""


FIRST_CHARACTERS = 500
"""Where the first entry of a BibTeX file begins at the latest, if it is called .txt."""


def _table(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[RawRecord | RecordError]:
    csv.field_size_limit(LINE_BYTES)
    lines = io.StringIO(_text(stream)).readlines()
    for at in range(min(len(lines), FIRST_LINES)):  # some programs say first where the table is from
        delimiter = max(",\t;", key=lines[at].count)
        header = csv.DictReader(lines[at:], strict=True, delimiter=delimiter)
        try:
            columns = [column or "" for column in header.fieldnames or ()]
        except csv.Error as error:
            raise UserError(f"{name}: the first line is not valid CSV ({error}).") from error
        if TITLES & {column.strip().lower() for column in columns}:
            yield from _rows(name, columns, lines, at + header.line_num, delimiter)
            return
    raise UserError(f"{name}: the first line must name the columns, one of them “title”.")


def _rows(
    name: str, columns: Sequence[str], lines: Sequence[str], at: int, delimiter: str
) -> Iterator[RawRecord | RecordError]:
    """The rows from a line on; after one that is no CSV it goes on with the next line."""
    while at < len(lines):
        rows = csv.DictReader(lines[at:], columns, strict=True, delimiter=delimiter)
        good = at
        try:
            for row in rows:
                good = at + rows.line_num
                yield RawRecord(f"{name}, line {good}", {k: v for k, v in row.items() if isinstance(v, str)})
            return
        except csv.Error as error:
            at = next(n for n in range(good, len(lines)) if lines[n].strip()) + 1
            yield RecordError(f"{name}, line {at}", f"not valid CSV ({error})")


def _endnote_xml(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[RawRecord | RecordError]:
    for number, record in enumerate(read_endnote_xml(name, stream.read()), start=1):
        yield RawRecord(f"{name}, record {number}", record)


def _read_tagged(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[RawRecord | RecordError]:
    """A text by what it begins with: PubMed's, Web of Science's or EndNote's export, RIS, BibTeX, a table with tabs."""
    text = _text(stream)
    if RIS.is_that_of(text):
        yield from _ris(name, (), io.BytesIO(text.encode()))
    elif re.search(r"(?m)^\s*@\w+\s*\{", text[:FIRST_CHARACTERS]):
        yield from read_bibtex(name, text)
    elif tagged := next((one for one in TAGGED if one.is_that_of(text)), None):
        for number, record in enumerate(tagged.read(text), start=1):
            yield RawRecord(f"{name}, record {number}", record)
    elif "\t" in text.partition("\n")[0]:
        yield from _table(name, (), io.BytesIO(text.encode()))
    else:
        raise UserError(f"{name} is no list of references that I know. I can read {FORMATS}.")


LEAST_COLUMNS = 4
"""Of a first line with tabs, to be the names of a table's columns."""


def begins_as_list(content: bytes) -> bool:
    """Whether a text, whatever it is called, begins as a list of references that databases and programs export."""
    text = _text(io.BytesIO(content))
    known = any(one.is_that_of(text) for one in (RIS, *TAGGED))
    return known or text.partition("\n")[0].count("\t") >= LEAST_COLUMNS - 1


_READERS: Mapping[str, Callable[[str, Iterable[bytes], io.BufferedReader[Any]], Iterator[RawRecord | RecordError]]] = {
    ".jsonl": _json_lines,
    ".json": _json,
    ".ndjson": _json_lines,
    ".bib": _bibtex,
    ".bibtex": _bibtex,
    ".ris": _ris,
    ".csv": _table,
    ".tsv": _table,
    ".nbib": _read_tagged,
    ".ciw": _read_tagged,
    ".txt": _read_tagged,
    ".enw": _read_tagged,
    ".xml": _endnote_xml,
}


def find_files(folder: Path) -> list[Path]:
    """The files of a folder, and of those below it, that hold references; in order of their names."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and _kind_of(path) in _READERS)


def _kind_of(path: Path) -> str:
    return path.with_suffix("").suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def _text(stream: BinaryIO) -> str:
    """The text, whatever it is encoded in: UTF-8 and UTF-16 by their marks, else what Windows writes."""
    content = stream.read()
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
