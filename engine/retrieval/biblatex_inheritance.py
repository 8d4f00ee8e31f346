"""Fields that an entry of BibTeX or biblatex has from another: `crossref`, and biblatex's `xdata`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bibtexparser.model import Entry, Field

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
