"""EndNote's own files: the tagged text (`.enw`, which Google Scholar and publishers offer too) and its XML.

Records come as `engine.retrieval.records` names their fields.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from engine.errors import UserError
from engine.retrieval.identity import find_arxiv

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
        fields: defaultdict[str, list[str]] = defaultdict(list)
        tag = ""
        for line in block.splitlines():
            if match := _LINE.fullmatch(line.rstrip()):
                tag = match[1]
                fields[tag].append(match[2].strip())
            elif line.strip() and tag:
                fields[tag][-1] = f"{fields[tag][-1]} {line.strip()}"
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
    pmcid = _first(record, "custom2")
    return {
        **others,
        "title": _first(record, "titles/title"),
        "abstract": _first(record, "abstract"),
        "authors": [_person(_text(author)) for author in authors],
        "year": _first(record, "dates/year", "dates/pub-dates/date"),
        "venue": _first(record, *venues),
        "doi": _first(record, "electronic-resource-num"),
        "arxiv": find_arxiv(*(_first(record, path) for path in (*venues, "notes"))),
        "url": _first(record, "urls/related-urls/url", "urls/web-urls/url"),
        "pmcid": pmcid if re.fullmatch(r"PMC\d+", pmcid) else "",
    }


def _first(record: Any, *paths: str) -> str:
    """The text of the first of the paths that has one; EndNote wraps texts in styles."""
    return next((text for path in paths if (part := record.find(path)) is not None and (text := _text(part))), "")


def _text(part: Any) -> str:
    return " ".join("".join(part.itertext()).split())


def _person(name: str) -> str:
    """A name that ends in a comma is a body's."""
    return f"{{{name.rstrip(', ')}}}" if name.rstrip().endswith(",") else name
