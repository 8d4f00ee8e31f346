"""The fields of one record, whatever file it stood in → a `Paper`, and what of the record was not kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from engine.errors import RecordError, UserError
from engine.retrieval.merging.titles import is_generic
from engine.retrieval.names import read_names, split_names, write_name
from engine.retrieval.paper_keys import (
    arxiv_key,
    choose_key,
    doi_key,
    find_arxiv,
    make_described_key,
    paper_key,
    write_doi_link,
)
from engine.retrieval.paper_text import ABSTRACT_CHARACTERS, TITLE_CHARACTERS, clean_abstract, clean_title
from engine.values import Paper, PaperKey

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


def _split_authors(text: str) -> list[str]:
    """The names of a table's cell; where each ends in initials, as in PubMed's, the family name stands first."""
    bare = re.sub(r"\s*\(\d{6,}\)", "", text).replace("|", ";").strip()  # Scopus puts its numbers behind the names
    if not re.search(r"[A-Z]\.[,;]", bare):
        bare = bare.removesuffix(".")  # PubMed ends its list so
    names = [name.strip() for name in split_names(bare)]
    initials = [_FAMILY_FIRST.fullmatch(name) for name in names if name]
    return [f"{name[1]}, {name[2]}" for name in initials if name] if all(initials) else names


def read_csl(item: Mapping[str, Any]) -> dict[str, Any]:
    """One item of CSL-JSON as a record: its id is the program's own, its date has parts, its note may hold numbers."""
    given = item.get("issued")
    issued: Mapping[str, Any] = given if isinstance(given, dict) else {}
    parts = issued.get("date-parts")
    year = str(parts[0][0]) if isinstance(parts, list) and parts and parts[0] else ""
    pubmed = _find_pubmed(str(item.get("note", "")))
    return {
        **item,
        "id": "",
        "arxiv": item.get("arxiv", "") or find_arxiv(*(str(item.get(name, "")) for name in ("note", "number"))),
        "year": year or issued.get("raw") or issued.get("literal"),
        "PMID": item.get("PMID") or pubmed["pmid"],
        "PMCID": item.get("PMCID") or pubmed["pmcid"],
    }


def is_csl(item: Mapping[str, Any]) -> bool:
    """Whether a JSON object is an item of CSL-JSON rather than one of ours."""
    return "type" in item and bool({"issued", "container-title", "DOI", "URL"} & item.keys())


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A record as its file has it: its place there, its fields by the names of `make_paper`, others by their own."""

    place: str
    fields: Mapping[str, Any]


UNREADABLE = " (unreadable)"
"""Ends the name of a field that a record has and that could not be read."""

_VENUES = (
    "venue", "journal", "journaltitle", "journal-ref", "journal_ref", "container-title", "booktitle", "eventtitle",
    "event-title", "collection-title", "publication", "school", "institution", "publisher", "series",
)  # fmt: skip
_CITATIONS = ("citations", "citation_count", "citationcount", "cited_by", "cited_by_count", "times_cited", "n_citation")
_READ = frozenset(
    {
        *_VENUES, *_CITATIONS, "id", "title", "abstract", "summary", "counted", "author", "authors", "authors_parsed",
        "editor", "year", "date", "issued", "month", "versions", "update_date", "doi", "arxiv", "arxiv_id", "eprint",
        "archiveprefix", "eprinttype", "url", "pdf", "pmid", "pmcid", "type", "extra",
    }
)  # fmt: skip
"""Fields that are looked at; a record's others are not kept."""


def make_paper(raw: RawRecord, dropped: Counter[str]) -> Paper | RecordError:
    """The paper that a record describes; what of it is not kept, or could not be read, is counted by field."""
    place, record = raw.place, {name.lower(): value for name, value in raw.fields.items()}
    title = clean_title(_to_text(record.get("title")))
    if not title:
        return RecordError(place, "it has no title")
    authors = _authors(record)
    year = _year(record)
    identifiers = _identifiers(record)
    if not identifiers:
        further = _GENERIC_FIELDS if is_generic(title) else ()  # there are many editorials of one editor and year
        facts = (authors[0] if authors else "", *(_to_text(record.get(field)) for field in further))
        identifiers = (make_described_key(title, *facts, year=year),)
    paper = Paper(
        key=choose_key(identifiers),
        title=title,
        abstract=_abstract(record),
        summary=clean_abstract(_to_text(record.get("summary"))),
        counted=_to_day(record.get("counted")),
        authors=authors,
        year=year,
        venue=clean_title(_first_text(record, _VENUES)),
        citations=_count(_first_text(record, _CITATIONS)),
        url=link_of(_to_text(record.get("url")).strip(), identifiers, _to_text(record.get("doi"))),
        identifiers=identifiers,
        pdf=_link_of_text(record),
    )
    dropped.update(_find_dropped(record, paper))
    return paper


def _find_dropped(record: Mapping[str, Any], paper: Paper) -> list[str]:
    """Fields of a record that are not kept, and those that could not be read (“doi (unreadable)”)."""
    found = [name for name, value in record.items() if name not in _READ and value not in (None, "", [], {})]
    unreadable = {
        "doi": not any(i.startswith(("doi:", "arxiv:")) for i in paper.identifiers),
        "pmid": not any(i.startswith("pmid:") for i in paper.identifiers),
        "arxiv": not any(i.startswith("arxiv:") for i in paper.identifiers),
        "year": paper.year is None,
        "authors": not paper.authors,
    }
    found += [f"{name}{UNREADABLE}" for name, lost in unreadable.items() if lost and _to_words(record.get(name))]
    bounds = {"title": TITLE_CHARACTERS, "abstract": ABSTRACT_CHARACTERS, "summary": ABSTRACT_CHARACTERS}
    longer = {name: most for name, most in bounds.items() if len(_to_text(record.get(name))) > most}
    found += [f"{name} (after {most:,} characters)" for name, most in longer.items()]
    if _first_text(record, _CITATIONS) and paper.citations is None:
        found.append(f"citations{UNREADABLE}")
    return found


def _first_text(record: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := _to_words(record.get(name)))), "")


def _to_words(value: object) -> str:
    """A field's text, also where it is an object with a name or a list of one, as journals are in some exports."""
    if isinstance(value, dict):
        value = value.get("name") or value.get("title")
    if isinstance(value, list):
        value = value[0] if value else ""
        return _to_words(value) if isinstance(value, str | dict) else ""
    return _to_text(value).strip()


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
        arxiv_key(_to_text(record.get("arxiv") or record.get("arxiv_id"))),
        doi_key(_to_text(record.get("url"))),
        arxiv_key(_to_text(record.get("doi"))),
        arxiv_key(_to_text(record.get("url"))),
        arxiv_key(find_arxiv(*(_to_words(record.get(name)) for name in _VENUES))),
        arxiv_key(own),
        doi_key(own),
        _make_numbered_key("pmid", record.get("pmid")),
        _make_numbered_key("pmcid", record.get("pmcid")),
    ]
    if ":" in own and not doi_key(own):
        try:
            candidates.append(paper_key(own))
        except UserError:
            candidates.append(None)  # an id we cannot use; the title identifies the paper
    return tuple(dict.fromkeys(key for key in candidates if key))


def _make_numbered_key(namespace: str, value: object) -> PaperKey | None:
    match = re.fullmatch(rf"(?:{namespace}\W*)?((?:PMC)?\d{{1,9}})(?:\.0)?", _to_text(value).strip(), re.I)
    return paper_key(f"{namespace}:{match[1].lower()}") if match else None


def _authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    parsed = record.get("authors_parsed")
    if isinstance(parsed, list):  # the arXiv snapshot: [family, given, suffix]
        names = [
            ", ".join(str(part) for part in (person[0], *person[2:3], *person[1:2]) if part)
            for person in parsed
            if person and isinstance(person, list)
        ]
    else:
        given = record.get("authors") or record.get("author") or record.get("editor") or []
        names = [write_name(name) for name in given] if isinstance(given, list) else split_names(_to_text(given))
    return read_names(names)


def _year(record: Mapping[str, Any]) -> int | None:
    versions = record.get("versions")
    version = versions[0] if isinstance(versions, list) and versions else None
    first = version.get("created", "") if isinstance(version, dict) else ""
    for value in (record.get("year"), record.get("date"), first, record.get("update_date")):
        match = re.search(r"\b(1[5-9]\d\d|20\d\d)\b", _to_text(value))
        if match:
            return int(match.group(1))
    return None


def _count(value: object) -> int | None:
    """``1,234`` and ``12.0`` too. A number that no count can be is none."""
    text = re.sub(r"(?<=\d)[,.  '’](?=\d{3}(?!\d))", "", _to_text(value).strip())
    match = re.fullmatch(r"([0-9]{1,9})(?:\.0*)?", text)
    return int(match[1]) if match else None


_ADDRESS = re.compile(r"https?://[^\s<>\"']{1,2000}")


def _link_of_text(record: Mapping[str, Any]) -> str:
    """Where the paper's PDF is: the field of that name (PMLR and CVF have it), else the address where it is one's."""
    pdf, url = _to_text(record.get("pdf")).strip(), _to_text(record.get("url")).strip()
    if _ADDRESS.fullmatch(pdf):
        return pdf
    return url if _ADDRESS.fullmatch(url) and urlsplit(url).path.lower().endswith(".pdf") else ""


def link_of(url: str, identifiers: tuple[PaperKey, ...], doi: str = "") -> str:
    """The address where it is one, else that of the DOI or of arXiv's page; empty where there is none.

    ``doi`` as the record writes it keeps its capitals in the link, from which exports take it.
    """
    if _ADDRESS.fullmatch(url):
        return url
    for identifier in identifiers:
        namespace, _, rest = identifier.partition(":")
        if namespace == "doi":
            return write_doi_link(doi) if doi_key(doi) == identifier else f"https://doi.org/{rest}"
        if namespace == "arxiv":
            return f"https://arxiv.org/abs/{rest}"
    return ""


def _to_day(value: object) -> str:
    text = _to_text(value).strip()
    return text if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else ""


def _to_text(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
