"""Tables of references by the column names of Zotero, Scopus and Web of Science, and CSL-JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.retrieval.identity import find_arxiv
from engine.retrieval.names import write_name

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "article title", "document title", "ti", "display_name"),
    "abstract": ("abstract", "abstract note", "ab"),
    "authors": ("author full names", "authors", "author", "author/s", "af", "au", "book authors"),
    "year": (
        "year", "publication year", "publication_year", "pubyear", "py", "date", "publication date", "date published",
    ),
    "venue": (
        "venue", "source title", "publication title", "journal", "journal title", "journal/book", "publication",
        "source", "so", "conference name",
        "proceedings title", "conference title", "book title", "series title", "university", "school", "institution",
        "publisher",
    ),
    "citations": (
        "citations", "cited by", "times cited, all databases", "times cited, wos core", "times cited", "cites",
        "cited_by_count", "citing works count", "article citation count", "z9", "tc",
    ),
    "doi": ("doi", "di"),
    "url": ("url", "link", "doi link", "pdf link", "articleurl", "source url", "external url"),
    "arxiv": ("arxiv", "arxiv id"),
    "pmid": ("pmid", "pubmed id", "pm"),
    "pmcid": ("pmcid", "pmc id"),
    "id": ("id",),
}  # fmt: skip
"""Names of a field's column, the best first; lower case."""

TITLES = frozenset(_COLUMNS["title"])


def read_row(row: Mapping[str, str]) -> dict[str, Any]:
    """One line of a table as a record; other columns stay as they are named."""
    known = {name.strip().lower(): value for name, value in row.items() if value and value.strip()}
    read = {name for names in _COLUMNS.values() for name in names}
    record: dict[str, Any] = {name: value for name, value in known.items() if name not in read}
    for field, names in _COLUMNS.items():
        record[field] = next((known[name] for name in names if name in known), "")
    record["authors"] = _split_authors(str(record["authors"]))
    for name, value in _find_pubmed(known.get("extra", "")).items():
        record[name] = record[name] or value
    noted = (known.get(name, "") for name in ("extra", "publication", "source", "archive location", "number"))
    record["arxiv"] = record["arxiv"] or find_arxiv(*noted)
    return record


def _find_pubmed(note: str) -> dict[str, str]:
    """PubMed's identifiers in what Zotero notes: “PMID: 31234567”, “PMCID: PMC6543210”."""
    pmid, pmcid = re.search(r"\bpmid:\s*(\d+)", note, re.I), re.search(r"\bpmcid:\s*(PMC\d+)", note, re.I)
    return {"pmid": pmid[1] if pmid else "", "pmcid": pmcid[1] if pmcid else ""}


_FAMILY_FIRST = re.compile(r"([^,;]+) ((?:[A-Z]\.?-?){1,4})")
_INITIALS_FIRST = re.compile(r"[A-Z]{1,3} [^,;]+(?:, [A-Z]{1,3} [^,;]+)+")


def _split_authors(text: str) -> list[str]:
    """Names divided by semicolons, bars or “and”, or by commas where each has initials, as in PubMed's tables."""
    bare = re.sub(r"\s*\(\d{6,}\)", "", text).strip()  # Scopus puts its own numbers behind the names
    if not re.search(r"[A-Z]\.[,;]", bare):
        bare = bare.removesuffix(".")  # PubMed ends its list so
    names = [name.strip() for name in re.split(r"[;|]" if ";" in bare or "|" in bare else r"\s+and\s+", bare)]
    if len(names) == 1:
        parts = names[0].split(", ")
        if _INITIALS_FIRST.fullmatch(names[0]) or all(map(_FAMILY_FIRST.fullmatch, parts)):
            names = parts
    initials = [_FAMILY_FIRST.fullmatch(name) for name in names if name]
    return [f"{name[1]}, {name[2]}" for name in initials if name] if all(initials) else names


def read_csl(item: Mapping[str, Any]) -> dict[str, Any]:
    """One item of CSL-JSON as a record."""
    issued = item.get("issued")
    parts = issued.get("date-parts") if isinstance(issued, dict) else None
    year = str(parts[0][0]) if isinstance(parts, list) and parts and parts[0] else ""
    raw = issued.get("raw") or issued.get("literal") if isinstance(issued, dict) else ""
    venues = ("container-title", "event-title", "collection-title", "publisher")
    pubmed = _find_pubmed(str(item.get("note", "")))
    others = {name: value for name, value in item.items() if name not in _CSL}
    return {
        **others,
        "arxiv": item.get("arxiv", "") or find_arxiv(*(str(item.get(name, "")) for name in ("note", "number"))),
        "title": item.get("title", ""),
        "abstract": item.get("abstract", ""),
        "authors": [name for name in map(write_name, _list(item.get("author"))) if name],
        "year": year or str(raw or ""),
        "venue": next((item[name] for name in venues if item.get(name)), ""),
        "doi": item.get("DOI", ""),
        "pmid": item.get("PMID") or pubmed["pmid"],
        "pmcid": item.get("PMCID") or pubmed["pmcid"],
        "url": item.get("URL", ""),
    }


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


_CSL = frozenset(
    {
        "id", "type", "title", "abstract", "author", "issued", "DOI", "URL", "PMID", "PMCID", "container-title",
        "event-title", "collection-title", "publisher", "arxiv",
    }
)  # fmt: skip


def is_csl(item: Mapping[str, Any]) -> bool:
    """Whether a JSON object is an item of CSL-JSON rather than one of ours."""
    return "type" in item and bool({"issued", "container-title", "DOI", "URL"} & item.keys())
