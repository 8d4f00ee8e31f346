"""Files of paper records → `Paper`: JSON Lines, the arXiv snapshot, BibTeX, RIS, CSV; plain or gzip.

A record that cannot be read is yielded as a `RecordError`; the others go on.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
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
from bibtexparser.model import Block

from engine.errors import RecordError, UserError
from engine.retrieval.identity import arxiv_key, choose_key, doi_key, paper_key
from engine.retrieval.paper_text import clean_abstract, clean_name, clean_title
from engine.text import clean, fold
from engine.values import Paper, PaperKey

OnBytes = Callable[[int, int], None]
"""Called with the bytes read so far and the bytes of the file."""

FORMATS = ".jsonl, .json, .bib, .ris or .csv, each also as .gz"


def read_papers(path: Path, on_bytes: OnBytes) -> Iterator[Paper | RecordError]:
    """The papers of one file, in order. Raises `UserError` where the file as a whole cannot be read."""
    if not path.is_file():
        raise UserError(f"There is no file {path}. Check the path.")
    size = path.stat().st_size
    kind = path.with_suffix("").suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    reader = _READERS.get(kind)
    if reader is None:
        raise UserError(f"{path.name}: I can read {FORMATS}. Rename or convert the file.")
    with path.open("rb") as raw:
        plain = io.BufferedReader(gzip.GzipFile(fileobj=raw)) if path.suffix.lower() == ".gz" else raw

        def counted() -> Iterator[bytes]:
            for line in plain:
                on_bytes(raw.tell(), size)
                yield line

        try:
            yield from reader(path.name, counted(), plain)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            yield RecordError(
                path.name,
                f"the compressed file is damaged ({error}); what stood before the damage was read. "
                "Fetch the file again and repeat the command; nothing will be doubled.",
            )
    on_bytes(size, size)


def _json_lines(name: str, lines: Iterable[bytes], _: BinaryIO) -> Iterator[Paper | RecordError]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield RecordError(place, f"not valid JSON ({error})")
            continue
        if not isinstance(record, dict):
            yield RecordError(place, "not a JSON object")
            continue
        yield _paper(place, record)


def _bibtex(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[Paper | RecordError]:
    # The parser logs each broken block; we report them ourselves.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    library = parse_string(_text(name, stream), append_middleware=[LatexDecodingMiddleware()])
    for block in library.failed_blocks:
        yield RecordError(_line(name, block), f"not a valid BibTeX entry ({_reason(block)})")
    for entry in library.entries:
        fields = {key.lower(): str(field.value) for key, field in entry.fields_dict.items()}
        authors = [a for a in re.split(r"\s+and\s+", fields.get("author", "").strip()) if a and a != "others"]
        eprint = fields.get("eprint", "") if fields.get("archiveprefix", "arxiv").lower() == "arxiv" else ""
        record = {
            **fields,
            "id": "",
            "authors": authors,
            "venue": fields.get("journal") or fields.get("booktitle") or fields.get("publisher", ""),
            "year": fields.get("year") or fields.get("date", ""),
            "arxiv": eprint,
        }
        yield _paper(f"{_line(name, entry)}, entry {entry.key}", record)


def _ris(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[Paper | RecordError]:
    try:
        entries = rispy.loads(_text(name, stream))
    except OSError as error:  # rispy's parse errors are OSErrors
        yield RecordError(name, f"not valid RIS ({error})")
        return
    for number, entry in enumerate(entries, start=1):
        record = {
            "title": entry.get("title") or entry.get("primary_title", ""),
            "abstract": entry.get("abstract") or entry.get("notes_abstract", ""),
            "authors": entry.get("authors") or entry.get("first_authors", []),
            "year": entry.get("year") or entry.get("publication_year", ""),
            "venue": entry.get("journal_name") or entry.get("secondary_title", ""),
            "doi": entry.get("doi", ""),
            "url": next(iter(entry.get("urls", [])), ""),
        }
        yield _paper(f"{name}, record {number}", record)


def _csv(name: str, _: Iterable[bytes], stream: BinaryIO) -> Iterator[Paper | RecordError]:
    rows = csv.DictReader(io.StringIO(_text(name, stream)), strict=True)
    if rows.fieldnames is None or "title" not in {(f or "").strip().lower() for f in rows.fieldnames}:
        raise UserError(f"{name}: the first line must name the columns, one of them “title”.")
    try:
        for row in rows:
            record: dict[str, Any] = {(k or "").strip().lower(): v for k, v in row.items() if isinstance(v, str)}
            people = record.get("authors") or record.get("author") or ""
            record["authors"] = people.split(";")
            yield _paper(f"{name}, line {rows.line_num}", record)
    except csv.Error as error:
        yield RecordError(f"{name}, line {rows.line_num}", f"not valid CSV from here on ({error})")


_READERS: Mapping[str, Callable[[str, Iterable[bytes], BinaryIO], Iterator[Paper | RecordError]]] = {
    ".jsonl": _json_lines,
    ".json": _json_lines,
    ".ndjson": _json_lines,
    ".bib": _bibtex,
    ".bibtex": _bibtex,
    ".ris": _ris,
    ".csv": _csv,
}


def _paper(place: str, record: Mapping[str, Any]) -> Paper | RecordError:
    """One record, whatever its source, as a `Paper`; field names are those of the formats above."""
    title = clean_title(_to_text(record.get("title")))
    if not title:
        return RecordError(place, "it has no title")
    authors = _authors(record)
    year = _year(record)
    identifiers = _identifiers(record)
    if not identifiers:
        described = f"{fold(title)}|{year}|{fold(authors[0]) if authors else ''}"
        identifiers = (PaperKey(f"title:{hashlib.sha256(described.encode()).hexdigest()[:16]}"),)
    return Paper(
        key=choose_key(identifiers),
        title=title,
        abstract=clean_abstract(_to_text(record.get("abstract"))),
        summary=clean_abstract(_to_text(record.get("summary"))),
        counted=_to_day(record.get("counted")),
        authors=authors,
        year=year,
        venue=clean_title(_to_text(record.get("venue") or record.get("journal-ref"))),
        citations=_count(record.get("citations")),
        url=link_of(_to_text(record.get("url")).strip(), identifiers),
        identifiers=identifiers,
    )


def _identifiers(record: Mapping[str, Any]) -> tuple[PaperKey, ...]:
    own = _to_text(record.get("id"))
    candidates = [
        doi_key(_to_text(record.get("doi"))),
        arxiv_key(_to_text(record.get("arxiv"))),
        arxiv_key(_to_text(record.get("doi"))),
        arxiv_key(_to_text(record.get("url"))),
        arxiv_key(own),
        doi_key(own),
    ]
    if ":" in own and not doi_key(own):
        try:
            candidates.append(paper_key(own))
        except UserError:
            candidates.append(None)  # an id we cannot use; the title identifies the paper
    return tuple(dict.fromkeys(key for key in candidates if key))


def _authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    parsed = record.get("authors_parsed")
    if isinstance(parsed, list):  # the arXiv snapshot: [family, given, suffix]
        names = [" ".join(reversed([str(part) for part in person[:2]])) for person in parsed if person]
    else:
        given = record.get("authors") or []
        names = [str(n) for n in given] if isinstance(given, list) else re.split(r"\s*;\s*|\s+and\s+", str(given))
    return tuple(name for name in (clean_name(_given_name_first(n)) for n in names) if name)


def _given_name_first(name: str) -> str:
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family.strip()}" if comma else name


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


def _text(name: str, stream: BinaryIO) -> str:
    try:
        return stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{name} is not UTF-8 text ({error.reason} at byte {error.start}). Save it as UTF-8."
        ) from error


def _line(name: str, block: Block) -> str:
    return f"{name}, line {(block.start_line or 0) + 1}"


def _reason(block: Block) -> str:
    error = getattr(block, "error", None)
    return clean(str(getattr(error, "abort_reason", "") or error or "unreadable"))[:160]
