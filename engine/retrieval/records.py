"""Files of paper records → `Paper`: what reference managers and databases export, and JSON Lines; plain or gzip.

A record that cannot be read is yielded as a `RecordError`; the others go on.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import logging
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from bibtexparser.entrypoint import parse_string
from bibtexparser.library import Library
from bibtexparser.middlewares import (
    LatexDecodingMiddleware,
    RemoveEnclosingMiddleware,
    ResolveStringReferencesMiddleware,
)
from bibtexparser.model import Block, Entry

from engine.errors import DoubtfulRecord, LimitExceeded, RecordError, UserError
from engine.retrieval.biblatex_inheritance import inherit_fields
from engine.retrieval.file_limits import LINE_BYTES, UNLIMITED, BoundedStream, FileLimits, read_lines
from engine.retrieval.identity import find_arxiv
from engine.retrieval.names import split_bibtex_names
from engine.retrieval.record_fields import TITLES, RawRecord, is_csl, make_paper, read_csl, read_row
from engine.retrieval.reference_formats import (
    is_endnote,
    is_pubmed,
    is_ris,
    is_web_of_science,
    read_endnote,
    read_endnote_xml,
    read_pubmed,
    read_ris,
    read_web_of_science,
)
from engine.text import clean
from engine.values import Paper

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
    return RawRecord(place, read_csl(record) if is_csl(record) else record)


def _bibtex(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[RawRecord | RecordError]:
    """BibTeX and biblatex."""
    # The parser logs each broken block; we report them ourselves.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    parsed = parse_string(_text(stream), parse_stack=[])
    repeated = {id(block): block.ignore_error_block for block in parsed.failed_blocks}
    again = [entry for entry in repeated.values() if isinstance(entry, Entry)]
    entries = sorted([*parsed.entries, *again], key=lambda entry: entry.start_line or 0)
    for number, entry in enumerate(entries):  # two entries of one key are two papers
        entry.key = f"{entry.key}#{number}"
    for block in parsed.failed_blocks:
        if not isinstance(repeated[id(block)], Entry):
            yield RecordError(_line(name, block), f"not a valid BibTeX entry ({_reason(block)})")
    library = ResolveStringReferencesMiddleware().transform(Library([*parsed.strings, *entries]))
    library = RemoveEnclosingMiddleware().transform(library)
    inherit_fields(library.entries, {_bibtex_key(entry).lower(): entry for entry in reversed(library.entries)})
    # Before braces go, which hold a body's name together.
    people = {entry.key: _bibtex_authors(entry) for entry in library.entries}
    library = LatexDecodingMiddleware().transform(library)
    for block in library.failed_blocks:
        yield RecordError(_line(name, block), f"not a valid BibTeX entry ({_reason(block)})")
    for entry in library.entries:
        if entry.entry_type.lower() != "xdata":  # holds what others share, and is no paper
            place = f"{_line(name, entry)}, entry {_bibtex_key(entry)}"
            yield RawRecord(place, _bibtex_fields(entry, people[entry.key]))


def _bibtex_key(entry: Entry) -> str:
    """As the file has it, without the number that tells two entries of one key apart."""
    return entry.key.rpartition("#")[0]


def _bibtex_fields(entry: Entry, authors: list[str]) -> dict[str, Any]:
    fields = {key.lower(): str(field.value) for key, field in entry.fields_dict.items()}
    eprint = fields.get("eprint", "")
    from_arxiv = (fields.get("archiveprefix") or fields.get("eprinttype") or "arxiv").lower() == "arxiv"
    if fields.get("eprinttype", "").lower() == "pubmed":
        fields["pmid"] = eprint
    noted = _CITED.search(fields.get("note", ""))
    cited = fields.pop("times-cited", "") or (noted[1] if noted else "")
    return {
        **fields,
        "id": "",
        "citations": cited,
        "authors": authors,
        "venue": next((fields[field] for field in _BIBTEX_VENUES if fields.get(field)), ""),
        "year": fields.get("year") or fields.get("date", ""),
        "arxiv": (eprint if from_arxiv else "") or find_arxiv(*(fields.get(name, "") for name in _WITH_ARXIV)),
    }


_CITED = re.compile(r"cited by:? (\d[\d,]*)", re.I)
_WITH_ARXIV = ("journal", "note", "howpublished", "number", "volume", "publisher")
"""Fields in which an arXiv id stands: “arXiv preprint arXiv:1706.03762”, as Google Scholar writes it."""


def _bibtex_authors(entry: Entry) -> list[str]:
    fields = {key.lower(): str(field.value) for key, field in entry.fields_dict.items()}
    return split_bibtex_names(fields.get("author") or fields.get("editor", ""))


_BIBTEX_VENUES = ("journal", "journaltitle", "booktitle", "eventtitle", "school", "institution", "publisher", "series")


def _ris(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[RawRecord | RecordError]:
    for number, record in enumerate(read_ris(_text(stream)), start=1):
        place = f"{name}, record {number}"
        if record.fields:
            yield RawRecord(place, record.fields)
        for odd in record.oddities:
            yield DoubtfulRecord(place, odd) if record.fields else RecordError(place, odd)


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
                yield RawRecord(f"{name}, line {good}", read_row({k: v for k, v in row.items() if isinstance(v, str)}))
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
    if is_ris(text):
        yield from _ris(name, (), io.BytesIO(text.encode()))
        return
    if re.search(r"(?m)^\s*@\w+\s*\{", text[:FIRST_CHARACTERS]):
        yield from _bibtex(name, (), io.BytesIO(text.encode()))
        return
    if is_endnote(text):
        records = read_endnote(text)
    elif is_pubmed(text):
        records = read_pubmed(text)
    elif is_web_of_science(text):
        records = read_web_of_science(text)
    elif "\t" in text.partition("\n")[0]:
        yield from _table(name, (), io.BytesIO(text.encode()))
        return
    else:
        raise UserError(f"{name} is no list of references that I know. I can read {FORMATS}.")
    for number, record in enumerate(records, start=1):
        yield RawRecord(f"{name}, record {number}", record)


LEAST_COLUMNS = 4
"""Of a first line with tabs, to be the names of a table's columns."""


def begins_as_list(content: bytes) -> bool:
    """Whether a text, whatever it is called, begins as a list of references that databases and programs export."""
    text = _text(io.BytesIO(content))
    begins = (is_ris, is_endnote, is_pubmed, is_web_of_science)
    return any(is_it(text) for is_it in begins) or text.partition("\n")[0].count("\t") >= LEAST_COLUMNS - 1


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


def _line(name: str, block: Block) -> str:
    return f"{name}, line {(block.start_line or 0) + 1}"


def _reason(block: Block) -> str:
    error = getattr(block, "error", None)
    return clean(str(getattr(error, "abort_reason", "") or error or "unreadable"))[:160]
