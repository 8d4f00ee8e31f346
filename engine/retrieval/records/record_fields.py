"""The fields of one record, whatever file it stood in → a `Paper`, and what of the record was not kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from engine.errors import RecordError
from engine.retrieval.merging.titles import is_generic
from engine.retrieval.names import read_names, split_names, write_name
from engine.retrieval.paper_keys import (
    arxiv_key,
    choose_key,
    doi_key,
    find_key,
    identifiers_in,
    make_described_key,
    write_doi_link,
)
from engine.retrieval.paper_text import clean_abstract, clean_title
from engine.values import Paper, PaperKey

_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "article title", "document title", "ti", "t1", "ct", "bti", "bt", "%t", "display_name"),
    "abstract": ("abstract", "abstract note", "ab", "n2", "%x"),
    "summary": ("summary",),
    "authors": (
        "author full names", "authors", "author", "author/s", "fau", "af", "au", "a1", "%a", "book authors", "editor",
        "a2", "ed", "%e",
    ),
    "year": (
        "year", "publication year", "publication_year", "pubyear", "py", "y1", "ey", "date", "da", "dp", "dep", "%d",
        "%8", "publication date", "date published", "issued", "versions", "update_date",
    ),
    "venue": (
        "venue", "source title", "publication title", "journal", "journaltitle", "journal-ref", "journal_ref",
        "container-title", "journal title", "journal/book", "booktitle", "eventtitle", "event-title",
        "collection-title", "publication", "source", "jt", "ta", "so", "jo", "jf", "t2", "bt", "c3", "ja", "j2", "j1",
        "%j", "%b", "conference name", "proceedings title", "conference title", "book title", "series title",
        "university", "school", "institution", "publisher", "pb", "%i", "series", "t3",
    ),
    "citations": (
        "citations", "citation_count", "citationcount", "cited by", "cited_by", "times cited, all databases",
        "times cited, wos core", "times cited", "times-cited", "times_cited", "cites", "cited_by_count",
        "citing works count", "article citation count", "n_citation", "z9", "tc",
    ),
    "counted": ("counted",),
    "doi": ("doi", "di", "do", "%r"),
    "url": ("url", "link", "doi link", "pdf link", "articleurl", "source url", "external url", "ur", "l2", "%u"),
    "pdf": ("pdf",),
    "arxiv": ("arxiv", "arxiv id", "arxiv_id"),
    "pmid": ("pmid", "pubmed id", "pm"),
    "pmcid": ("pmcid", "pmc id", "pmc"),
    "id": ("id",),
}  # fmt: skip
"""Names and tags that programs give to a field, the best first; lower case."""

TITLES = frozenset(_NAMES["title"])

_NOTES = ("extra", "note", "howpublished", "number", "volume", "archive location", "n1", "c2", "an", "%z", "%2")
"""Where programs note identifiers and counts: “PMID: 31234567”, “arXiv:1706.03762 [cs]”, “Cited by: 312”."""

Fields = Mapping[str, Any]


RawRecord = tuple[str, Fields]
"""Where a record stands, and its fields by the names that its file gives them."""


def make_paper(place: str, fields: Fields) -> Paper | RecordError:
    """The paper that a record describes, by the names that its file gives to the fields; ``place``: where it stands."""
    paper = _read_paper({name.strip().lower(): value for name, value in fields.items()})
    return paper or RecordError(place, "it has no title")


UNREADABLE = " (unreadable)"
"""Ends the name of a field that a record has and that could not be read."""

_ALSO_READ = (
    "extra", "authors_parsed", "month", "eprint", "archiveprefix", "eprinttype", "type", "ty", "er", "ef", "pt", "%0",
    "ca", "cn", "lid", "aid", "db", "own", "n1", "c2", "an", "%z", "%2",
)  # fmt: skip
_READ = frozenset(_ALSO_READ).union(*_NAMES.values())


def find_dropped(fields: Fields, paper: Paper) -> list[str]:
    """Fields of a paper's record that are not kept, and those that could not be read (“doi (unreadable)”)."""
    record = {name.strip().lower(): value for name, value in fields.items()}
    found = [name for name, value in record.items() if name not in _READ and value not in (None, "", [], [""], {})]
    kinds = {identifier.partition(":")[0] for identifier in paper.identifiers}
    unreadable = {
        "doi": not kinds & {"doi", "arxiv"},
        "pmid": "pmid" not in kinds,
        "arxiv": "arxiv" not in kinds,
        "year": paper.year is None,
        "authors": not paper.authors,
        "citations": paper.citations is None,
    }
    return found + [f"{name}{UNREADABLE}" for name, lost in unreadable.items() if lost and _text_of(record, name)]


def make_found_paper(fields: Fields, keys: Iterable[PaperKey | None], source: str, page: str = "") -> Paper | None:
    """The paper that an online service describes, whose every known field remembers the ``source`` it came from.

    Beside the identifiers among its fields it has those of the ``keys`` that are any; ``None`` where it has none, or no
    title. Its link, where the fields have none, is that of its DOI or arXiv id, else the source's ``page``. A PDF
    without https is not known.
    """
    paper = _read_paper(fields, keys)
    if paper is None or paper.key.startswith("title:"):
        return None
    known = replace(
        paper,
        url=paper.url or page,
        pdf=paper.pdf if paper.pdf.startswith("https://") else "",
        retracted=bool(fields.get("retracted")),
        kinds=fields.get("kinds", ()),
    )
    origins = tuple((name, source) for name in _WITH_ORIGIN if getattr(known, name) not in ("", (), None, False))
    return replace(known, origins=origins)


_WITH_ORIGIN = ("title", "abstract", "authors", "year", "venue", "citations", "url", "pdf", "retracted", "kinds")


def _read_paper(record: Fields, keys: Iterable[PaperKey | None] = ()) -> Paper | None:
    title = clean_title(_text_of(record, "title"))
    if not title:
        return None
    authors = read_names(_list_authors(record))
    year = next((int(m[1]) for name in _NAMES["year"] if (m := _YEAR.search(str(record.get(name) or "")))), None)
    identifiers = tuple(dict.fromkeys(key for key in (*_identifiers(record), *keys) if key))
    if not identifiers:
        further = _GENERIC_FIELDS if is_generic(title) else ()  # there are many editorials of one editor and year
        facts = (authors[0] if authors else "", *(_to_words(record.get(field)) for field in further))
        identifiers = (make_described_key(title, *facts, year=year),)
    abstract = clean_abstract(_text_of(record, "abstract"))
    counted, url = _text_of(record, "counted"), _text_of(record, "url")
    return Paper(
        key=choose_key(identifiers),
        title=title,
        abstract="" if abstract.lower().strip("[]. ") in _NO_ABSTRACT else abstract,
        summary=clean_abstract(_text_of(record, "summary")),
        counted=counted if re.fullmatch(r"\d{4}-\d\d-\d\d", counted) else "",
        authors=authors,
        year=year,
        venue="" if (venue := clean_title(_text_of(record, "venue"))) == title else venue,
        citations=_count(_text_of(record, "citations") or ((said := _CITED.search(_notes(record))) and said[1]) or ""),
        url=_link_of(url, identifiers, _text_of(record, "doi")),
        identifiers=identifiers,
        pdf=_link_of_text(_text_of(record, "pdf"), url),
    )


_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_CITED = re.compile(r"(?:cited by|times cited)\D{0,20}(\d[\d,]*)", re.I)
_ADDRESS = re.compile(r"https?://[^\s<>\"']{1,2000}")


def _text_of(record: Fields, field: str) -> str:
    return next((text for name in _NAMES[field] if (text := _to_words(record.get(name)))), "")


def _notes(record: Fields) -> str:
    values = (record.get(name) for name in _NOTES)
    return " ".join(_to_words(part) for value in values for part in (value if isinstance(value, list) else [value]))


_FAMILY_FIRST = re.compile(r"([^,;]+) ((?:[A-Z]\.?-?){1,4})")


def _list_authors(record: Fields) -> list[str]:
    parsed = record.get("authors_parsed")
    if isinstance(parsed, list):  # the arXiv snapshot: [family, given, suffix]
        people = (person for person in parsed if person and isinstance(person, list))
        return [", ".join(str(part) for part in (p[0], *p[2:3], *p[1:2]) if part) for p in people]
    given: Any = next((value for name in _NAMES["authors"] if (value := record.get(name))), [])
    if isinstance(given, list):
        return [write_name(name) for name in given]
    bare = re.sub(r"\s*\(\d{6,}\)", "", _to_text(given)).replace("|", ";").strip()  # Scopus numbers its authors
    if not re.search(r"[A-Z]\.[,;]", bare):
        bare = bare.removesuffix(".")  # PubMed ends its list so
    names = [name.strip() for name in split_names(bare)]
    initials = [_FAMILY_FIRST.fullmatch(name) for name in names if name]
    # Where each ends in initials, as in PubMed's tables, the family name stands first.
    return [f"{name[1]}, {name[2]}" for name in initials if name] if all(initials) else names


def _to_words(value: object) -> str:
    """A field's text, also where it is an object with a name or a list of one, as journals are in some exports."""
    if isinstance(value, dict):
        value = value.get("name") or value.get("title")
    if isinstance(value, list):
        value = value[0] if value else ""
        return _to_words(value) if isinstance(value, str | dict) else ""
    return _to_text(value).strip()


def _to_text(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


_GENERIC_FIELDS = ("venue", "volume", "number", "issue", "pages", "url", "abstract")
"""What tells two works of one generic title apart."""

_NO_ABSTRACT = frozenset({"no abstract available", "no abstract", "abstract not available", "n/a", "not available"})
"""What programs write where there is none."""


def _identifiers(record: Fields) -> list[PaperKey | None]:
    doi, url, own, notes = _text_of(record, "doi"), _text_of(record, "url"), _text_of(record, "id"), _notes(record)
    noted_in = " ".join((notes, *(_to_words(record.get(name)) for name in _NAMES["venue"])))
    candidates = [
        doi_key(doi),
        arxiv_key(_text_of(record, "arxiv")),
        doi_key(url),
        arxiv_key(doi),
        arxiv_key(url),
        next((key for key in identifiers_in(noted_in) if key.startswith("arxiv:")), None),
        arxiv_key(own),
        doi_key(own),
    ]
    for kind, noted in (("pmid", r"\bpmid\W*(\d+)"), ("pmcid", r"\b(PMC\d+)")):
        given = _text_of(record, kind) or ((said := re.search(noted, notes, re.I)) and said[1]) or ""
        match = re.fullmatch(rf"(?:{kind}\W*)?((?:PMC)?\d{{1,9}})(?:\.0)?", given, re.I)
        candidates.append(find_key(kind, match[1].lower()) if match else None)
    namespace, _, rest = own.partition(":")
    return [*candidates, None if doi_key(own) else find_key(namespace, rest)]


def _count(text: str) -> int | None:
    """``1,234`` and ``12.0`` too. A number that no count can be is none."""
    match = re.fullmatch(r"([0-9]{1,9})(?:\.0*)?", re.sub(r"(?<=\d)[,.  '’](?=\d{3}(?!\d))", "", text))
    return int(match[1]) if match else None


def _link_of_text(pdf: str, url: str) -> str:
    """Where the paper's PDF is: the field of that name (PMLR and CVF have it), else the address where it is one's."""
    if _ADDRESS.fullmatch(pdf):
        return pdf
    return url if _ADDRESS.fullmatch(url) and urlsplit(url).path.lower().endswith(".pdf") else ""


_PAGES = {"arxiv": "https://arxiv.org/abs/{}", "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/"}


def _link_of(url: str, identifiers: tuple[PaperKey, ...], doi: str) -> str:
    """The address where it is one, else the DOI's with its capitals, else arXiv's or PubMed's page; else empty."""
    if _ADDRESS.fullmatch(url):
        return url
    for identifier in identifiers:
        namespace, _, rest = identifier.partition(":")
        if namespace == "doi":
            return write_doi_link(doi) if doi_key(doi) == identifier else f"https://doi.org/{rest}"
        if namespace in _PAGES:
            return _PAGES[namespace].format(rest)
    return ""
