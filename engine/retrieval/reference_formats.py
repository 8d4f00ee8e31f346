"""Tagged exports of references: RIS, PubMed's, Web of Science's and EndNote's."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from engine.errors import UserError
from engine.retrieval.paper_keys import find_arxiv

Fields = Mapping[str, list[str]]

_PUBMED = re.compile(r"([A-Z]{2,4}) *- (.*)")
_WEB_OF_SCIENCE = re.compile(r"([A-Z][A-Z0-9])(?: (.*))?")


def is_pubmed(text: str) -> bool:
    """Whether a text begins as an export of PubMed does."""
    return bool(re.match(r"\s*PMID ?- ", text))


def is_ris(text: str) -> bool:
    """Whether a text begins as RIS does, whatever its file is called."""
    return bool(re.match(r"\s*TY {0,2}- ", text))


def is_web_of_science(text: str) -> bool:
    """Whether a text begins as the plain text of Web of Science does."""
    return bool(re.match(r"\s*(?:FN |VR |PT [A-Z]\n)", text))


def read_pubmed(text: str) -> Iterator[Mapping[str, Any]]:
    """Records as `engine.retrieval.record_files` names their fields."""
    for block in re.split(r"\n\s*\n(?=PMID ?- )", text.strip()):
        fields = _read_fields(block, _PUBMED)
        dois = [v.split(" ")[0] for v in (*fields["LID"], *fields["AID"]) if v.endswith("[doi]")]
        pubmed = _first(fields, "PMID")
        yield {
            **_others(fields, _PUBMED_READ),
            "title": _first(fields, "TI", "BTI").removesuffix("."),
            "abstract": _first(fields, "AB"),
            "authors": [*(fields["FAU"] or fields["AU"]), *_bodies(fields["CN"])],
            "year": _first(fields, "DP", "DEP"),
            "venue": _first(fields, "JT", "TA"),
            "doi": dois[0] if dois else "",
            "pmid": pubmed,
            "pmcid": _first(fields, "PMC"),
            "url": f"https://pubmed.ncbi.nlm.nih.gov/{pubmed}/" if pubmed.isdigit() else "",
        }


def read_web_of_science(text: str) -> Iterator[Mapping[str, Any]]:
    """Records as `engine.retrieval.record_files` names their fields."""
    for block in re.split(r"\nER\s*(?:\n|$)", text):
        fields = _read_fields(block, _WEB_OF_SCIENCE)
        if not (fields["PT"] or fields["TI"]):
            continue  # what stands before the first record and after the last
        yield {
            **_others(fields, _WEB_OF_SCIENCE_READ),
            "title": " ".join(fields["TI"]),
            "abstract": " ".join(fields["AB"]),
            "authors": [*(fields["AF"] or fields["AU"]), *_bodies(fields["CA"])],
            "year": _first(fields, "PY", "EY"),
            "venue": " ".join(fields["SO"]),
            "doi": _first(fields, "DI"),
            "citations": _first(fields, "Z9", "TC"),
            "pmid": _first(fields, "PM"),
        }


@dataclass(frozen=True, slots=True)
class RisRecord:
    """The fields of one record, and what is odd about it: it has no end, or text stands before it that is none."""

    fields: Mapping[str, Any]
    oddities: tuple[str, ...] = ()


def read_ris(text: str) -> Iterator[RisRecord]:
    """Records as `engine.retrieval.record_files` names their fields, those that were cut off among them."""
    fields: defaultdict[str, list[str]] = defaultdict(list)
    tag, stray = "", 0
    for line in text.splitlines():
        match = _RIS.fullmatch(line.rstrip())
        if match and match[1] == "TY" and fields:
            yield RisRecord(_ris_fields(fields), (_NO_END,))
            fields.clear()
        if match and match[1] == "ER":
            if fields:
                yield RisRecord(_ris_fields(fields), (_describe_stray(stray),) if stray else ())
            fields.clear()
            tag, stray = "", 0
        elif match:
            tag = match[1]
            fields[tag].append((match[2] or "").strip())
        elif line.strip() and tag:
            fields[tag][-1] = f"{fields[tag][-1]} {line.strip()}"
        elif line.strip():
            stray += 1
    if fields:
        yield RisRecord(_ris_fields(fields), (_NO_END,))
    elif stray:
        yield RisRecord({}, (_describe_stray(stray),))


_RIS = re.compile(r"([A-Z][A-Z0-9]) {0,2}- ?(.*)")
_NO_END = "its end (ER) is missing, so it may be cut off; it was read as far as it goes"


def _describe_stray(lines: int) -> str:
    return f"{lines} {'line' if lines == 1 else 'lines'} before it belong to no record and were not read"


_RIS_VENUES = ("JO", "JF", "T2", "BT", "C3", "JA", "J2", "J1", "T3", "PB")


def _ris_fields(fields: Fields) -> dict[str, Any]:
    notes = " ".join(fields.get("N1", ()))
    cited = re.search(r"(?:cited by|times cited)\D{0,20}(\d[\d,]*)", notes, re.I)
    from_nlm = bool({"NLM", "PubMed"} & {*fields.get("DP", ()), *fields.get("DB", ())})
    pubmed = re.search(r"pmid\W*(\d+)", " ".join((notes, *fields.get("C2", ()), *fields.get("AN", ()))), re.I)
    kind = _first(fields, "TY")
    venues = ("PB", "T2") if kind == "THES" else _RIS_VENUES
    title = _first(fields, "TI", "T1", "CT") or ("" if kind not in {"BOOK", "EDBOOK"} else _first(fields, "BT", "T2"))
    return {
        **_others(fields, _RIS_READ),
        "title": title,
        "abstract": _first(fields, "AB", "N2"),
        "authors": [*fields.get("AU", ()), *fields.get("A1", ())] or list(fields.get("A2", fields.get("ED", ()))),
        "year": _first(fields, "PY", "Y1", "DA"),
        "venue": _first(fields, *(tag for tag in venues if _first(fields, tag) != title)),
        "doi": _first(fields, "DO"),
        "url": _first(fields, "UR", "L2"),
        "arxiv": find_arxiv(*(value for values in fields.values() for value in values)),
        "citations": _first(fields, "TC") or (cited[1] if cited else ""),
        "pmid": pubmed[1] if pubmed else _first(fields, "PM", *(("AN",) if from_nlm else ())),
        "pmcid": next((value for value in fields.get("C2", ()) if re.fullmatch(r"PMC\d+", value)), ""),
    }


_RIS_READ = frozenset(
    ["TY", "TI", "T1", "CT", "AB", "N2", "AU", "A1", "PY", "Y1", "DA", "DO", "UR", "TC", "PM", "N1", "C2", "AN"]
) | {*_RIS_VENUES}
_PUBMED_READ = frozenset(
    ["PMID", "OWN", "TI", "BTI", "AB", "FAU", "AU", "CN", "DP", "DEP", "JT", "TA", "LID", "AID", "PMC"]
)
_WEB_OF_SCIENCE_READ = frozenset(
    ["FN", "VR", "PT", "TI", "AB", "AU", "AF", "CA", "PY", "EY", "SO", "DI", "Z9", "TC", "PM", "ER", "EF"]
)


def _others(fields: Fields, read: frozenset[str]) -> dict[str, str]:
    """Fields that are not read, under their tags, so that they can be counted."""
    return {tag: " ".join(values) for tag, values in fields.items() if tag not in read}


def _bodies(names: list[str]) -> list[str]:
    return [f"{{{name}}}" for name in names]


_LISTED = frozenset({"AU", "AF", "FAU", "CA", "CN"})
"""Tags whose further lines are further values in Web of Science, rather than the rest of the first."""


def _read_fields(block: str, tagged: re.Pattern[str]) -> defaultdict[str, list[str]]:
    fields: defaultdict[str, list[str]] = defaultdict(list)
    tag = ""
    for line in block.splitlines():
        if match := tagged.fullmatch(line.rstrip()):
            tag = match[1]
            fields[tag].append((match[2] or "").strip())
        elif line.strip() and tag:
            if tag in _LISTED and tagged is _WEB_OF_SCIENCE:
                fields[tag].append(line.strip())
            else:
                fields[tag][-1] = f"{fields[tag][-1]} {line.strip()}"
    return fields


def _first(fields: Fields, *tags: str) -> str:
    return next((fields[tag][0] for tag in tags if fields.get(tag)), "")


_LINE = re.compile(r"%([0-9A-Z?@!#$\]&()*+^><\[=~f]) ?(.*)")
_TAGS_READ = frozenset("0ATJBDRUXEI82")
_PARTS_READ = frozenset(
    {"contributors", "titles", "periodical", "dates", "abstract", "electronic-resource-num", "urls", "custom2",
     "publisher", "ref-type"}
)  # fmt: skip
_BOOKKEEPING = frozenset({"database", "source-app", "rec-number", "foreign-keys"})


def is_endnote(text: str) -> bool:
    """Whether a text begins as EndNote's tagged export does."""
    return bool(re.match(r"\s*%0 ", text))


def read_endnote(text: str) -> Iterator[Mapping[str, Any]]:
    """The records of a tagged export, each of which begins with its kind (%0)."""
    for block in re.split(r"(?m)^(?=%0 )", text):
        fields = _read_fields(block, _LINE)
        if not fields:
            continue
        yield {
            **{f"%{name}": " ".join(values) for name, values in fields.items() if name not in _TAGS_READ},
            "title": "".join(fields["T"][:1]),
            "abstract": "".join(fields["X"][:1]),
            "authors": [*map(_person, fields["A"])] or [*map(_person, fields["E"])],
            "year": "".join([*fields["D"], *fields["8"]][:1]),
            "venue": "".join([*fields["J"], *fields["B"], *fields["I"]][:1]),
            "doi": "".join(fields["R"][:1]),
            "arxiv": find_arxiv(*fields["J"], *fields["Z"]),
            "url": "".join(fields["U"][:1]),
            "pmcid": next((value for value in fields["2"] if re.fullmatch(r"PMC\d+", value)), ""),
        }


def read_endnote_xml(name: str, content: bytes) -> Iterator[Mapping[str, Any]]:
    """The records of an XML export. Raises `UserError` where it is none."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        document = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UserError(f"{name} is not valid XML ({error}).") from error
    records = list(document.iter("record"))
    if not any(record.find("titles") is not None for record in records):
        raise UserError(f"{name} is no list of references that I know: of XML files I read those of EndNote.")
    for record in records:
        yield _read_xml(record)


def _read_xml(record: Any) -> dict[str, Any]:
    others = {part.tag: _text(part) for part in record if part.tag not in _PARTS_READ | _BOOKKEEPING}
    authors = record.findall("contributors/authors/author") or record.findall("contributors/secondary-authors/author")
    venues = ("periodical/full-title", "titles/secondary-title", "periodical/abbr-1", "publisher")
    pmcid = _first_text(record, "custom2")
    return {
        **others,
        "title": _first_text(record, "titles/title"),
        "abstract": _first_text(record, "abstract"),
        "authors": [_person(_text(author)) for author in authors],
        "year": _first_text(record, "dates/year", "dates/pub-dates/date"),
        "venue": _first_text(record, *venues),
        "doi": _first_text(record, "electronic-resource-num"),
        "arxiv": find_arxiv(*(_first_text(record, path) for path in (*venues, "notes"))),
        "url": _first_text(record, "urls/related-urls/url", "urls/web-urls/url"),
        "pmcid": pmcid if re.fullmatch(r"PMC\d+", pmcid) else "",
    }


def _first_text(record: Any, *paths: str) -> str:
    """The text of the first of the paths that has one; EndNote wraps texts in styles."""
    return next((text for path in paths if (part := record.find(path)) is not None and (text := _text(part))), "")


def _text(part: Any) -> str:
    return " ".join("".join(part.itertext()).split())


def _person(name: str) -> str:
    """A name that ends in a comma is a body's."""
    return f"{{{name.rstrip(', ')}}}" if name.rstrip().endswith(",") else name
