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
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import rispy
from bibtexparser.entrypoint import parse_string
from bibtexparser.middlewares import LatexDecodingMiddleware
from bibtexparser.model import Block, Entry

from engine.errors import LimitExceeded, RecordError, UserError
from engine.retrieval.columns import TITLES, is_csl, read_csl, read_row
from engine.retrieval.file_limits import LINE_BYTES, UNLIMITED, BoundedStream, FileLimits, read_lines
from engine.retrieval.identity import arxiv_key, choose_key, described_key, doi_key, paper_key
from engine.retrieval.merging.titles import is_generic
from engine.retrieval.names import read_names, split_names
from engine.retrieval.paper_text import clean_abstract, clean_title
from engine.retrieval.tagged import is_pubmed, is_web_of_science, read_pubmed, read_web_of_science
from engine.text import clean
from engine.values import Paper, PaperKey

OnBytes = Callable[[int, int], None]
"""Called with the bytes read so far and the bytes of the file."""

FORMATS = "BibTeX, RIS, PubMed (.nbib), Web of Science (.txt, .ciw), CSV, CSL-JSON and JSON Lines, each also as .gz"


def read_papers(path: Path, on_bytes: OnBytes, limits: FileLimits = UNLIMITED) -> Iterator[Paper | RecordError]:
    """The papers of one file, in order; what goes over a limit is left out, and a `RecordError` says so.

    Raises `UserError` where the file as a whole cannot be read.
    """
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
                yield item
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


def _json_lines(name: str, lines: Iterable[bytes], _: BinaryIO) -> Iterator[Paper | RecordError]:
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
        yield read_record(place, record)


def _json(name: str, lines: Iterable[bytes], stream: io.BufferedReader[Any]) -> Iterator[Paper | RecordError]:
    """A list of records, ours or CSL-JSON, or else one record a line."""
    if not stream.peek(1).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        yield from _json_lines(name, lines, stream)
        return
    try:
        items = json.loads(stream.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name} is not valid JSON ({error}).") from error
    for number, item in enumerate(items, start=1):
        yield read_record(f"{name}, record {number}", item)


def read_record(place: str, record: object) -> Paper | RecordError:
    """One record as JSON has it, ours or CSL-JSON; ``place`` says where it stands."""
    if not isinstance(record, dict):
        return RecordError(place, "not a JSON object")
    return _paper(place, read_csl(record) if is_csl(record) else record)


def _bibtex(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[Paper | RecordError]:
    """BibTeX and biblatex."""
    # The parser logs each broken block; we report them ourselves.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    library = parse_string(_text(stream))
    people = [
        _bibtex_authors(entry) for entry in library.entries
    ]  # before braces go, which hold a body's name together
    library = LatexDecodingMiddleware().transform(library)
    for block in library.failed_blocks:
        yield RecordError(_line(name, block), f"not a valid BibTeX entry ({_reason(block)})")
    for entry, authors in zip(library.entries, people, strict=True):
        fields = {key.lower(): str(field.value) for key, field in entry.fields_dict.items()}
        eprint = fields.get("eprint", "")
        from_arxiv = (fields.get("archiveprefix") or fields.get("eprinttype") or "arxiv").lower() == "arxiv"
        record = {
            **fields,
            "id": "",
            "authors": authors,
            "venue": next((fields[field] for field in _BIBTEX_VENUES if fields.get(field)), ""),
            "year": fields.get("year") or fields.get("date", ""),
            "arxiv": eprint if from_arxiv else "",
        }
        yield _paper(f"{_line(name, entry)}, entry {entry.key}", record)


def _bibtex_authors(entry: Entry) -> list[str]:
    fields = {key.lower(): str(field.value) for key, field in entry.fields_dict.items()}
    return split_names(fields.get("author") or fields.get("editor", ""))


_BIBTEX_VENUES = ("journal", "journaltitle", "booktitle", "eventtitle", "school", "institution", "publisher", "series")


def _ris(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[Paper | RecordError]:
    try:
        entries = rispy.loads(_text(stream))
    except OSError as error:  # rispy's parse errors are OSErrors
        yield RecordError(name, f"not valid RIS ({error})")
        return
    for number, entry in enumerate(entries, start=1):
        record = {
            "title": entry.get("title") or entry.get("primary_title", ""),
            "abstract": entry.get("abstract") or entry.get("notes_abstract", ""),
            "authors": entry.get("authors") or entry.get("first_authors", []),
            "year": entry.get("year") or entry.get("publication_year") or entry.get("date", ""),
            "venue": next((entry[field] for field in _RIS_VENUES if entry.get(field)), ""),
            "doi": entry.get("doi", ""),
            "url": next(iter(entry.get("urls", [])), ""),
        }
        yield _paper(f"{name}, record {number}", record)


_RIS_VENUES = (
    "journal_name",
    "secondary_title",
    "alternate_title3",
    "alternate_title2",
    "alternate_title1",
    "publisher",
)


def _table(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[Paper | RecordError]:
    text = _text(stream)
    first = text.partition("\n")[0]
    delimiter = max(",\t;", key=first.count)
    rows = csv.DictReader(io.StringIO(text), strict=True, delimiter=delimiter)
    if not TITLES & {(column or "").strip().lower() for column in rows.fieldnames or ()}:
        raise UserError(f"{name}: the first line must name the columns, one of them “title”.")
    try:
        for row in rows:
            record = read_row({k or "": v for k, v in row.items() if isinstance(v, str)})
            yield _paper(f"{name}, line {rows.line_num}", record)
    except csv.Error as error:
        yield RecordError(f"{name}, line {rows.line_num}", f"not valid CSV from here on ({error})")


def _tagged(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[Paper | RecordError]:
    """PubMed's export, Web of Science's plain text, or its table with tabs."""
    text = _text(stream)
    if is_pubmed(text):
        records = read_pubmed(text)
    elif is_web_of_science(text):
        records = read_web_of_science(text)
    elif "\t" in text.partition("\n")[0]:
        yield from _table(name, (), io.BytesIO(text.encode()))
        return
    else:
        raise UserError(f"{name} is no list of references that I know. I can read {FORMATS}.")
    for number, record in enumerate(records, start=1):
        yield _paper(f"{name}, record {number}", record)


_READERS: Mapping[str, Callable[[str, Iterable[bytes], io.BufferedReader[Any]], Iterator[Paper | RecordError]]] = {
    ".jsonl": _json_lines,
    ".json": _json,
    ".ndjson": _json_lines,
    ".bib": _bibtex,
    ".bibtex": _bibtex,
    ".ris": _ris,
    ".csv": _table,
    ".tsv": _table,
    ".nbib": _tagged,
    ".ciw": _tagged,
    ".txt": _tagged,
}


def find_files(folder: Path) -> list[Path]:
    """The files of a folder, and of those below it, that hold references; in order of their names."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and _kind_of(path) in _READERS)


def _kind_of(path: Path) -> str:
    return path.with_suffix("").suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def _paper(place: str, record: Mapping[str, Any]) -> Paper | RecordError:
    """One record, whatever its source, as a `Paper`; field names are those of the formats above."""
    title = clean_title(_to_text(record.get("title")))
    if not title:
        return RecordError(place, "it has no title")
    authors = _authors(record)
    year = _year(record)
    identifiers = _identifiers(record)
    if not identifiers:
        further = _GENERIC_FIELDS if is_generic(title) else ()  # there are many editorials of one editor and year
        facts = (authors[0] if authors else "", *(_to_text(record.get(field)) for field in further))
        identifiers = (described_key(title, *facts, year=year),)
    return Paper(
        key=choose_key(identifiers),
        title=title,
        abstract=_abstract(record),
        summary=clean_abstract(_to_text(record.get("summary"))),
        counted=_to_day(record.get("counted")),
        authors=authors,
        year=year,
        venue=clean_title(_to_text(record.get("venue") or record.get("journal-ref"))),
        citations=_count(record.get("citations")),
        url=link_of(_to_text(record.get("url")).strip(), identifiers),
        identifiers=identifiers,
    )


_GENERIC_FIELDS = ("venue", "volume", "number", "issue", "pages", "url", "abstract")
"""What tells two works of one generic title apart."""


def _abstract(record: Mapping[str, Any]) -> str:
    abstract = clean_abstract(_to_text(record.get("abstract")))
    return "" if abstract.lower().strip("[]. ") in _NO_ABSTRACT else abstract


_NO_ABSTRACT = frozenset({"no abstract available", "no abstract", "abstract not available", "n/a", "not available"})
"""What programs write where there is none."""


def _identifiers(record: Mapping[str, Any]) -> tuple[PaperKey, ...]:
    own = _to_text(record.get("id"))
    candidates = [
        doi_key(_to_text(record.get("doi"))),
        arxiv_key(_to_text(record.get("arxiv"))),
        arxiv_key(_to_text(record.get("doi"))),
        arxiv_key(_to_text(record.get("url"))),
        arxiv_key(own),
        doi_key(own),
        _numbered_key("pmid", record.get("pmid")),
        _numbered_key("pmcid", record.get("pmcid")),
    ]
    if ":" in own and not doi_key(own):
        try:
            candidates.append(paper_key(own))
        except UserError:
            candidates.append(None)  # an id we cannot use; the title identifies the paper
    return tuple(dict.fromkeys(key for key in candidates if key))


def _numbered_key(namespace: str, value: object) -> PaperKey | None:
    match = re.fullmatch(rf"(?:{namespace}\W*)?((?:PMC)?\d{{1,9}})(?:\.0)?", _to_text(value).strip(), re.I)
    return paper_key(f"{namespace}:{match[1].lower()}") if match else None


def _authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    parsed = record.get("authors_parsed")
    if isinstance(parsed, list):  # the arXiv snapshot: [family, given, suffix]
        names = [
            ", ".join(str(part) for part in (person[0], *person[2:3], *person[1:2]) if part)
            for person in parsed
            if person
        ]
    else:
        given = record.get("authors") or []
        names = [str(name) for name in given] if isinstance(given, list) else split_names(str(given))
    return read_names(names)


def _year(record: Mapping[str, Any]) -> int | None:
    versions = record.get("versions")
    first = versions[0].get("created", "") if isinstance(versions, list) and versions else ""
    for value in (record.get("year"), record.get("date"), first, record.get("update_date")):
        match = re.search(r"\b(1[5-9]\d\d|20\d\d)\b", _to_text(value))
        if match:
            return int(match.group(1))
    return None


def _count(value: object) -> int | None:
    text = _to_text(value).strip()
    return int(text) if text.isascii() and text.isdigit() else None


def link_of(url: str, identifiers: tuple[PaperKey, ...]) -> str:
    """The address where it is one, else that of the DOI or of arXiv's page; empty where there is none."""
    if re.fullmatch(r"https?://[^\s<>\"']+", url):
        return url
    for identifier in identifiers:
        namespace, _, rest = identifier.partition(":")
        if namespace == "doi":
            return f"https://doi.org/{rest}"
        if namespace == "arxiv":
            return f"https://arxiv.org/abs/{rest}"
    return ""


def _to_day(value: object) -> str:
    text = _to_text(value).strip()
    return text if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else ""


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


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
