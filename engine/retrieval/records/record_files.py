"""Files of paper records, plain or gzip → `Paper` or `RecordError`: what reference managers and databases export."""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO

from engine.errors import LimitExceeded, RecordError, UserError
from engine.retrieval.records.bibtex import read_bibtex
from engine.retrieval.records.record_fields import TITLES, Fields, RawRecord, find_dropped, make_paper
from engine.retrieval.records.reference_formats import RIS, TAGGED, read_endnote_xml
from engine.values import Paper

LINE_BYTES = 8 * 2**20
"""No record of a paper is so long."""

OnBytes = Callable[[int, int], None]
"""Called with the bytes read so far and the bytes of the file."""

FORMATS = (
    "BibTeX, RIS, EndNote (.enw, .xml), PubMed (.nbib), Web of Science (.txt, .ciw), CSV, CSL-JSON and JSON Lines, "
    "each also as .gz"
)
_SPLIT = "Split it into smaller files."

Read = Iterator[RawRecord | RecordError]


@dataclass(frozen=True, slots=True)
class FileLimits:
    """At most so many bytes after unpacking, and so many records."""

    bytes: int = sys.maxsize
    records: int = sys.maxsize


UNLIMITED = FileLimits()
"""For files that come with the program."""


@dataclass(frozen=True, slots=True)
class _File:
    """An opened file, unpacked as it is read; raises `LimitExceeded` where more than so many bytes come out of it."""

    name: str
    stream: BinaryIO | gzip.GzipFile
    most_bytes: int
    on_line: Callable[[], None]

    def lines(self) -> Iterator[bytes]:
        """The lines; of one that is longer than `LINE_BYTES` its beginning, one byte longer than that."""
        whole = True
        for line in self._bound(iter(lambda: self.stream.readline(LINE_BYTES + 1), b"")):
            if whole:
                self.on_line()
                yield line
            whole = line.endswith(b"\n") or len(line) <= LINE_BYTES

    def content(self) -> bytes:
        """All of it."""
        return b"".join(self._bound(iter(lambda: self.stream.read(2**20), b"")))

    def _bound(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        left = self.most_bytes
        for part in parts:
            if (left := left - len(part)) < 0:
                raise LimitExceeded("the file has more bytes than are read")
            yield part


def _decode(content: bytes) -> str:
    """UTF-8 and UTF-16 by their marks, else what Windows writes."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def read_papers(
    path: Path, on_bytes: OnBytes, limits: FileLimits = UNLIMITED, dropped: Counter[str] | None = None
) -> Iterator[Paper | RecordError]:
    """The papers of one file in order; a `RecordError` says what a limit left out. Raises `UserError` for the whole.

    ``dropped`` counts by field in how many records it was not kept, or could not be read.
    """
    counts = Counter[str]() if dropped is None else dropped
    if not path.is_file():
        raise UserError(f"There is no file {path}. Check the path.")
    size = path.stat().st_size
    reader = _READERS.get(_kind_of(path))
    if reader is None:
        raise UserError(f"{path.name}: I can read {FORMATS}. Rename or convert the file.")
    with path.open("rb") as raw:
        unpacked = gzip.GzipFile(fileobj=raw) if path.suffix.lower() == ".gz" else raw
        file = _File(path.name, unpacked, limits.bytes, lambda: on_bytes(raw.tell(), size))
        try:
            for number, item in enumerate(reader(file)):
                if number == limits.records:
                    why = f"it has more than {number:,} records; the others were not read. {_SPLIT}"
                    yield RecordError(path.name, why)
                    break
                if isinstance(item, RecordError):
                    yield item
                    continue
                place, fields = item
                yield (paper := make_paper(place, fields))
                if isinstance(paper, Paper):
                    counts.update(find_dropped(fields, paper))
                    if isinstance(fields.get("TY"), list) and "ER" not in fields:  # RIS's
                        yield RecordError(place, "its end (ER) is missing, so it may be cut off", was_read=True)
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


def _read_json_lines(file: _File) -> Read:
    for number, line in enumerate(file.lines(), start=1):
        place = f"{file.name}, line {number}"
        if len(line) > LINE_BYTES:
            yield RecordError(place, f"the line is longer than {LINE_BYTES // 2**20} MB")
        elif line.strip():
            try:
                yield _take_json(place, json.loads(line))
            except (ValueError, RecursionError) as error:
                yield RecordError(place, f"not valid JSON ({error})")


def _read_json(file: _File) -> Read:
    """A list of records, ours or CSL-JSON, or else one record a line."""
    beginning = file.stream.peek(1)  # type: ignore[union-attr]
    if not beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        yield from _read_json_lines(file)
        return
    try:
        items = json.loads(file.content().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file.name} is not valid JSON ({error}).") from error
    for number, item in enumerate(items, start=1):
        yield _take_json(f"{file.name}, record {number}", item)


def read_record(place: str, record: Fields) -> Paper:
    """One record as JSON has it, ours or CSL-JSON. Raises `UserError` with its ``place`` where it cannot be read."""
    raw = _take_json(place, record)
    paper = make_paper(*raw) if isinstance(raw, tuple) else raw
    if isinstance(paper, RecordError):
        raise UserError(str(paper))
    return paper


def _take_json(place: str, record: object) -> RawRecord | RecordError:
    if not isinstance(record, dict):
        return RecordError(place, "not a JSON object")
    is_csl = "type" in record and bool({"issued", "container-title", "DOI", "URL"} & record.keys())
    return place, ({**record, "id": ""} if is_csl else record)  # an item's id is the program's own


FIRST_LINES = 5
"""Lines among which the names of a table's columns are looked for."""

FIRST_CHARACTERS = 500
"""Where the first entry of a BibTeX file begins at the latest, if it is called .txt."""

LEAST_COLUMNS = 4
"""Of a first line with tabs, to be the names of a table's columns."""


def _read_table(name: str, text: str) -> Read:
    csv.field_size_limit(LINE_BYTES)
    lines = StringIO(text).readlines()
    for at in range(min(len(lines), FIRST_LINES)):  # some programs say first where the table is from
        delimiter = max(",\t;", key=lines[at].count)
        header = csv.DictReader(lines[at:], strict=True, delimiter=delimiter)
        try:
            columns = [column or "" for column in header.fieldnames or ()]
        except csv.Error as error:
            raise UserError(f"{name}: the first line is not valid CSV ({error}).") from error
        if TITLES & {column.strip().lower() for column in columns}:
            yield from _read_rows(name, columns, lines, at + header.line_num, delimiter)
            return
    raise UserError(f"{name}: the first line must name the columns, one of them “title”.")


def _read_rows(name: str, columns: Sequence[str], lines: Sequence[str], at: int, delimiter: str) -> Read:
    """The rows from a line on; after one that is no CSV it goes on with the next line."""
    while at < len(lines):
        rows = csv.DictReader(lines[at:], columns, strict=True, delimiter=delimiter)
        good = at
        try:
            for row in rows:
                good = at + rows.line_num
                yield f"{name}, line {good}", {k: v for k, v in row.items() if isinstance(v, str)}
            return
        except csv.Error as error:
            at = next(n for n in range(good, len(lines)) if lines[n].strip()) + 1
            yield RecordError(f"{name}, line {at}", f"not valid CSV ({error})")


def _read_tagged(name: str, text: str) -> Read:
    """A text by what it begins with: PubMed's, Web of Science's or EndNote's export, RIS, BibTeX, a table with tabs."""
    if RIS.is_that_of(text):
        yield from _number(name, RIS.read(text))
    elif re.search(r"(?m)^\s*@\w+\s*\{", text[:FIRST_CHARACTERS]):
        yield from read_bibtex(name, text)
    elif tagged := next((one for one in TAGGED if one.is_that_of(text)), None):
        yield from _number(name, tagged.read(text))
    elif "\t" in text.partition("\n")[0]:
        yield from _read_table(name, text)
    else:
        raise UserError(f"{name} is no list of references that I know. I can read {FORMATS}.")


def _number(name: str, records: Iterable[Mapping[str, Any]]) -> Read:
    return ((f"{name}, record {number}", record) for number, record in enumerate(records, start=1))


def begins_as_list(content: bytes) -> bool:
    """Whether a text, whatever it is called, begins as a list of references that databases and programs export."""
    text = _decode(content)
    known = any(one.is_that_of(text) for one in (RIS, *TAGGED))
    return known or text.partition("\n")[0].count("\t") >= LEAST_COLUMNS - 1


def _read_text(reader: Callable[[str, str], Read], file: _File) -> Read:
    return reader(file.name, _decode(file.content()))


_TEXT_READERS: Mapping[str, Callable[[str, str], Read]] = {
    **dict.fromkeys((".bib", ".bibtex"), read_bibtex),
    **dict.fromkeys((".csv", ".tsv"), _read_table),
    **dict.fromkeys((".nbib", ".ciw", ".txt", ".enw"), _read_tagged),
    ".ris": lambda name, text: _number(name, RIS.read(text)),
}
_READERS: Mapping[str, Callable[[_File], Read]] = {
    **{kind: partial(_read_text, read) for kind, read in _TEXT_READERS.items()},
    **dict.fromkeys((".jsonl", ".ndjson"), _read_json_lines),
    ".json": _read_json,
    ".xml": lambda file: _number(file.name, read_endnote_xml(file.name, file.content())),
}


def find_files(folder: Path) -> list[Path]:
    """The files of a folder, and of those below it, that hold references; in order of their names."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and _kind_of(path) in _READERS)


def _kind_of(path: Path) -> str:
    return path.with_suffix("").suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
