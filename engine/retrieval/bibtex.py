"""BibTeX and biblatex → records; what an entry lacks it has from another: `crossref`, and biblatex's `xdata`."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bibtexparser.entrypoint import parse_string
from bibtexparser.library import Library
from bibtexparser.middlewares import (
    LatexDecodingMiddleware,
    RemoveEnclosingMiddleware,
    ResolveStringReferencesMiddleware,
)
from bibtexparser.model import Block, Entry, Field

from engine.errors import RecordError
from engine.retrieval.names import split_bibtex_names
from engine.retrieval.paper_keys import find_arxiv
from engine.retrieval.record_fields import RawRecord
from engine.text import clean


def read_bibtex(name: str, text: str) -> Iterator[RawRecord | RecordError]:
    """BibTeX and biblatex."""
    # The parser logs each broken block; we report them ourselves.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    parsed = parse_string(text, parse_stack=[])
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


def _line(name: str, block: Block) -> str:
    return f"{name}, line {(block.start_line or 0) + 1}"


def _reason(block: Block) -> str:
    error = getattr(block, "error", None)
    return clean(str(getattr(error, "abort_reason", "") or error or "unreadable"))[:160]


MOST_SOURCES = 20
"""Entries that one takes fields from: real ones name one to three."""

_FROM_PARENT = ("year", "date", "publisher", "series", "school", "institution", "eventtitle", "journal", "journaltitle")
"""What a chapter shares with its book; its title, authors and identifiers are its own."""
_FROM_XDATA = frozenset({*_FROM_PARENT, "author", "editor", "booktitle", "url"})
LONGEST_INHERITED = 500
"""Characters: what many entries take from one must not make a small file a huge one."""


def inherit_fields(entries: Sequence[Entry], by_key: Mapping[str, Entry]) -> None:
    """Give each entry, in place, the fields that it lacks and the entries that it names have.

    ``by_key``: all entries by their keys in lower case. A key that no entry has leaves its field as it is.
    """
    for entry in entries:
        _inherit_xdata(entry, by_key)
    for entry in entries:
        parent = by_key.get(_value(entry, "crossref").lower())
        if parent is None or parent is entry:
            continue
        for name in _FROM_PARENT:
            _give(entry, name, _value(parent, name))
        _give(entry, "booktitle", _value(parent, "booktitle") or _value(parent, "title"))
        entry.pop("crossref")


def _inherit_xdata(entry: Entry, by_key: Mapping[str, Entry]) -> None:
    wanted = _xdata_keys(entry)
    for key in wanted:  # grows by what those name in turn
        source = by_key.get(key)
        if source is None:
            continue
        for field in source.fields:
            if field.key.lower() in _FROM_XDATA:
                _give(entry, field.key, str(field.value))
        wanted += [named for named in _xdata_keys(source) if named not in wanted][: MOST_SOURCES - len(wanted)]
    if wanted and all(key in by_key for key in wanted):
        entry.pop("xdata")


def _xdata_keys(entry: Entry) -> list[str]:
    keys = (key.strip().lower() for key in _value(entry, "xdata").split(",")[:MOST_SOURCES])
    return [key for key in keys if key]


def _value(entry: Entry, name: str) -> str:
    return next((str(field.value) for field in entry.fields if field.key.lower() == name), "")


def _give(entry: Entry, name: str, value: str) -> None:
    if 0 < len(value) <= LONGEST_INHERITED and not _value(entry, name):
        entry.set_field(Field(name, value))
