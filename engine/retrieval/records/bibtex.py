"""BibTeX and biblatex → records; what an entry lacks it has from another: `crossref`, and biblatex's `xdata`."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bibtexparser.entrypoint import parse_string
from bibtexparser.library import Library
from bibtexparser.middlewares import RemoveEnclosingMiddleware, ResolveStringReferencesMiddleware
from bibtexparser.model import Block, Entry

from engine.errors import RecordError
from engine.retrieval.names import split_bibtex_names
from engine.retrieval.records.latex_text import unicode_text
from engine.retrieval.records.record_fields import RawRecord
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
    fields = {entry.key: {field.key.lower(): str(field.value) for field in entry.fields} for entry in library.entries}
    _inherit_fields(fields.values(), {_file_key(key).lower(): own for key, own in reversed(fields.items())})
    for entry in library.entries:
        if entry.entry_type.lower() != "xdata":  # holds what others share, and is no paper
            yield f"{_line(name, entry)}, entry {_file_key(entry.key)}", _name_fields(fields[entry.key])


def _file_key(key: str) -> str:
    """As the file has it, without the number that tells two entries of one key apart."""
    return key.rpartition("#")[0]


def _name_fields(fields: Mapping[str, str]) -> dict[str, Any]:
    read = {name: _read_latex(value) for name, value in fields.items()}
    people = split_bibtex_names(fields.get("author") or fields.get("editor", ""))
    source = (fields.get("archiveprefix") or fields.get("eprinttype") or "arxiv").lower()
    name = {"arxiv": "arxiv", "pubmed": "pmid"}.get(source, "eprint")
    return {**read, "id": "", name: read.get("eprint", ""), "authors": people}


def _read_latex(text: str) -> str:
    """In Unicode; braces are text only where they are escaped, a tilde also in an address."""
    hidden = text.replace("\\{", "\ue010").replace("\\}", "\ue011")
    hidden = re.sub(r"\\textasciitilde(?:\{\}|\s+|\b)", "\ue012", hidden)
    return re.sub(r"(?<!/)~", " ", unicode_text(hidden)).translate(_SHOWN)


_SHOWN = str.maketrans({"{": "", "}": "", "\ue010": "{", "\ue011": "}", "\ue012": "~"})


def _line(name: str, block: Block) -> str:
    return f"{name}, line {(block.start_line or 0) + 1}"


def _reason(block: Block) -> str:
    error = getattr(block, "error", None)
    return clean(str(getattr(error, "abort_reason", "") or error or "unreadable"))[:160]


_FROM_PARENT = ("year", "date", "publisher", "series", "school", "institution", "eventtitle", "journal", "journaltitle")
"""What a chapter shares with its book; its title, authors and identifiers are its own."""


def _inherit_fields(entries: Collection[dict[str, str]], by_key: Mapping[str, dict[str, str]]) -> None:
    """Give each entry, in place, the fields that it lacks and the entries that it names have; in their order."""
    for entry in entries:
        for key in f"{entry.get('crossref', '')},{entry.get('xdata', '')}".lower().split(","):
            if (parent := by_key.get(key.strip(), entry)) is not entry:
                shared = {name: parent[name] for name in _FROM_PARENT if name in parent}
                shared["booktitle"] = parent.get("booktitle") or parent.get("title", "")
                entry |= {name: value for name, value in shared.items() if value and not entry.get(name)}
