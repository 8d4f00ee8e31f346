"""Tagged exports of references: RIS, PubMed's, Web of Science's and EndNote's."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from engine.errors import UserError
from engine.retrieval.paper_keys import find_arxiv

Fields = defaultdict[str, list[str]]


@dataclass(frozen=True, slots=True)
class TaggedFormat:
    """How a format writes records: each line has a tag and a value, or goes on with the one before.

    ``tags`` names for a field (of `engine.retrieval.records.record_fields`) the tags that may hold it, the best first;
    ``complete`` gives the fields that are put together otherwise, from those that are ``also`` read.
    """

    begins: str
    """A pattern: the line with which each record begins."""
    line: re.Pattern[str]
    tags: Mapping[str, tuple[str, ...]]
    also: frozenset[str]
    complete: Callable[[Fields], Mapping[str, Any]]
    preamble: str = "(?!)"
    """A pattern: lines before the first record by which the format is known, too."""
    listed: frozenset[str] = frozenset()
    """Tags whose further lines are further values, rather than the rest of the first."""
    prefix: str = ""
    """What stands before a tag when it is named to a person."""

    def is_that_of(self, text: str) -> bool:
        """Whether a text begins so, whatever its file is called."""
        return bool(re.match(rf"\s*(?:{self.begins}|{self.preamble})", text))

    def divide(self, text: str) -> list[str]:
        """What stands before the first record, and each record's lines."""
        return re.split(rf"(?m)^(?={self.begins})", "\n".join(text.splitlines()))

    def read(self, text: str) -> Iterator[Mapping[str, Any]]:
        """The records of a text."""
        return map(self.read_record, self.divide(text)[1:])

    def read_record(self, lines: str) -> Mapping[str, Any]:
        """One record; fields that are not read stand there under their tags, so that they can be counted."""
        fields = self._read_fields(lines)
        known = self.also.union(*self.tags.values())
        return {
            **{f"{self.prefix}{tag}": " ".join(values) for tag, values in fields.items() if tag not in known},
            **{field: _first(fields, *tags) for field, tags in self.tags.items()},
            **self.complete(fields),
        }

    def _read_fields(self, lines: str) -> Fields:
        fields: Fields = defaultdict(list)
        tag = ""
        for line in lines.splitlines():
            if match := self.line.fullmatch(line.rstrip()):
                tag = match[1]
                fields[tag].append((match[2] or "").strip())
            elif line.strip() and tag in self.listed:
                fields[tag].append(line.strip())
            elif line.strip() and tag:
                fields[tag][-1] = f"{fields[tag][-1]} {line.strip()}"
        return fields


def _first(fields: Fields, *tags: str) -> str:
    return next((fields[tag][0] for tag in tags if fields[tag]), "")


def _bodies(names: list[str]) -> list[str]:
    return [f"{{{name}}}" for name in names]


def _complete_pubmed(fields: Fields) -> Mapping[str, Any]:
    dois = [v.split(" ")[0] for v in (*fields["LID"], *fields["AID"]) if v.endswith("[doi]")]
    pubmed = _first(fields, "PMID")
    return {
        "title": _first(fields, "TI", "BTI").removesuffix("."),
        "authors": [*(fields["FAU"] or fields["AU"]), *_bodies(fields["CN"])],
        "doi": dois[0] if dois else "",
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{pubmed}/" if pubmed.isdigit() else "",
    }


PUBMED = TaggedFormat(
    begins="PMID ?- ",
    line=re.compile(r"([A-Z]{2,4}) *- (.*)"),
    tags={"abstract": ("AB",), "year": ("DP", "DEP"), "venue": ("JT", "TA"), "pmid": ("PMID",), "pmcid": ("PMC",)},
    also=frozenset({"OWN", "SO", "TI", "BTI", "FAU", "AU", "CN", "LID", "AID"}),
    complete=_complete_pubmed,
)

WEB_OF_SCIENCE = TaggedFormat(
    begins=r"PT [A-Z]\s*?\n",
    preamble="FN |VR ",
    line=re.compile(r"([A-Z][A-Z0-9])(?: (.*))?"),
    tags={
        "title": ("TI",), "abstract": ("AB",), "year": ("PY", "EY"), "venue": ("SO",), "doi": ("DI",),
        "citations": ("Z9", "TC"), "pmid": ("PM",),
    },
    also=frozenset({"PT", "AU", "AF", "CA", "ER", "EF"}),
    complete=lambda fields: {"authors": [*(fields["AF"] or fields["AU"]), *_bodies(fields["CA"])]},
    listed=frozenset({"AU", "AF", "CA"}),
)  # fmt: skip

ENDNOTE = TaggedFormat(
    begins="%0 ",
    line=re.compile(r"%([0-9A-Z?@!#$\]&()*+^><\[=~f]) ?(.*)"),
    tags={
        "title": ("T",), "abstract": ("X",), "year": ("D", "8"), "venue": ("J", "B", "I"), "doi": ("R",), "url": ("U",),
    },
    also=frozenset({"0", "A", "E", "2"}),
    complete=lambda fields: {
        "authors": [*map(_person, fields["A"])] or [*map(_person, fields["E"])],
        "extra": " ".join((*fields["Z"], *fields["2"])),
    },
    prefix="%",
)  # fmt: skip

_RIS_VENUES = ("JO", "JF", "T2", "BT", "C3", "JA", "J2", "J1", "T3", "PB")


def _complete_ris(fields: Fields) -> Mapping[str, Any]:
    kind = _first(fields, "TY")
    title = _first(fields, "TI", "T1", "CT", *(("BT", "T2") if kind in {"BOOK", "EDBOOK"} else ()))
    venues = ("PB", "T2") if kind == "THES" else _RIS_VENUES
    from_nlm = bool({"NLM", "PubMed"} & {*fields["DP"], *fields["DB"]})
    return {
        "title": title,
        "authors": [*fields["AU"], *fields["A1"]] or fields["A2"] or fields["ED"],
        "venue": _first(fields, *(tag for tag in venues if _first(fields, tag) != title)),
        "arxiv": find_arxiv(*(value for values in list(fields.values()) for value in values)),
        "pmid": _first(fields, "PM", *(("AN",) if from_nlm else ())),
        "extra": " ".join((*fields["N1"], *fields["C2"], *fields["AN"])),
    }


RIS = TaggedFormat(
    begins="TY {0,2}- ",
    line=re.compile(r"([A-Z][A-Z0-9]) {0,2}- ?(.*)"),
    tags={
        "abstract": ("AB", "N2"),
        "year": ("PY", "Y1", "DA"),
        "doi": ("DO",),
        "url": ("UR", "L2"),
        "citations": ("TC",),
    },
    also=frozenset({"TY", "TI", "T1", "CT", "AU", "A1", "PM", "N1", "C2", "AN", *_RIS_VENUES}),
    complete=_complete_ris,
)
_RIS_END = re.compile(r"(?m)^ER {0,2}-.*$")


def read_ris(text: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each record, cut off or not, and what is odd about it: it has no end, or text before it belongs to none.

    Text that belongs to no record and stands before none comes with an empty one.
    """
    stray, *records = RIS.divide(text)
    for record in records:
        lines, *behind = _RIS_END.split(record, maxsplit=1)
        yield RIS.read_record(lines), _describe_stray(stray) if behind else _NO_END
        stray = "".join(behind)
    if stray.strip():
        yield {}, _describe_stray(stray)


_NO_END = "its end (ER) is missing, so it may be cut off; it was read as far as it goes"


def _describe_stray(text: str) -> str:
    lines = len([line for line in text.splitlines() if line.strip()])
    return (
        f"{lines} {'line' if lines == 1 else 'lines'} before it belong to no record and were not read" if lines else ""
    )


TAGGED = (ENDNOTE, PUBMED, WEB_OF_SCIENCE)

_PARTS_READ = frozenset(
    {"contributors", "titles", "periodical", "dates", "abstract", "electronic-resource-num", "urls", "custom2",
     "publisher", "ref-type"}
)  # fmt: skip
_BOOKKEEPING = frozenset({"database", "source-app", "rec-number", "foreign-keys"})


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
    return {
        **others,
        "title": _first_text(record, "titles/title"),
        "abstract": _first_text(record, "abstract"),
        "authors": [_person(_text(author)) for author in authors],
        "year": _first_text(record, "dates/year", "dates/pub-dates/date"),
        "venue": _first_text(record, *venues),
        "doi": _first_text(record, "electronic-resource-num"),
        "url": _first_text(record, "urls/related-urls/url", "urls/web-urls/url"),
        "extra": " ".join(_first_text(record, path) for path in ("notes", "custom2")),
    }


def _first_text(record: Any, *paths: str) -> str:
    """The text of the first of the paths that has one; EndNote wraps texts in styles."""
    return next((text for path in paths if (part := record.find(path)) is not None and (text := _text(part))), "")


def _text(part: Any) -> str:
    return " ".join("".join(part.itertext()).split())


def _person(name: str) -> str:
    """A name that ends in a comma is a body's."""
    return f"{{{name.rstrip(', ')}}}" if name.rstrip().endswith(",") else name
