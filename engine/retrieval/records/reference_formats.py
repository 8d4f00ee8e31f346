"""Tagged exports of references (RIS, PubMed, Web of Science, EndNote) as fields by their tags; all values are lists."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from engine.errors import UserError

Fields = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class TaggedFormat:
    """How a format writes records: each line has a tag and a value, or goes on with the one before."""

    begins: str
    """A pattern: the line with which each record begins."""
    line: re.Pattern[str]
    complete: Callable[[Fields], Fields] = lambda _: {}
    """Gives the fields that are put together of several tags."""
    preamble: str = "(?!)"
    """A pattern: lines before the first record by which the format is known, too."""
    listed: frozenset[str] = frozenset()
    """Tags whose further lines are further values, rather than the rest of the first."""

    def is_that_of(self, text: str) -> bool:
        """Whether a text begins so, whatever its file is called."""
        return bool(re.match(rf"\s*(?:{self.begins}|{self.preamble})", text))

    def read(self, text: str) -> Iterator[Fields]:
        """The records of a text."""
        _, *records = re.split(rf"(?m)^(?={self.begins})", "\n".join(text.splitlines()))
        for record in records:
            fields = self._read_fields(record)
            yield {**fields, **self.complete(fields)}

    def _read_fields(self, lines: str) -> Fields:
        fields: Fields = defaultdict(list)
        tag = ""
        for line in filter(None, map(str.rstrip, lines.splitlines())):
            if match := self.line.fullmatch(line):
                tag = match[1]
                fields[tag].append((match[2] or "").strip())
            elif tag in self.listed:
                fields[tag].append(line.strip())
            elif tag:
                fields[tag][-1] = f"{fields[tag][-1]} {line.strip()}"
        return fields


def _complete_pubmed(fields: Fields) -> Fields:
    return {
        "title": [title.removesuffix(".") for title in (*fields["TI"], *fields["BTI"])],
        "authors": [*(fields["FAU"] or fields["AU"]), *_bodies(fields["CN"])],
        "doi": [v.split(" ")[0] for v in (*fields["LID"], *fields["AID"]) if v.endswith("[doi]")],
    }


def _complete_ris(fields: Fields) -> Fields:
    from_nlm = {"NLM", "PubMed"} & {*fields["DP"], *fields["DB"]}
    return {"pmid": fields["AN"]} if from_nlm else {}


def _bodies(names: list[str]) -> list[str]:
    return [f"{{{name}}}" for name in names]


RIS = TaggedFormat("TY {0,2}- ", re.compile(r"([A-Z][A-Z0-9]) {0,2}- ?(.*)"), _complete_ris)
TAGGED = (
    TaggedFormat("%0 ", re.compile(r"(%[0-9A-Z?@!#$\]&()*+^><\[=~f]) ?(.*)")),  # EndNote's
    TaggedFormat("PMID ?- ", re.compile(r"([A-Z]{2,4}) *- (.*)"), _complete_pubmed),
    TaggedFormat(  # Web of Science's
        r"PT [A-Z]\s*?\n",
        re.compile(r"([A-Z][A-Z0-9])(?: (.*))?"),
        lambda fields: {"authors": [*(fields["AF"] or fields["AU"]), *_bodies(fields["CA"])]},
        "FN |VR ",
        frozenset({"AU", "AF", "CA"}),
    ),
)


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
        others = {
            part.tag: _texts(record, (part.tag,)) for part in record.iterchildren("*") if part.tag not in _XML_READ
        }
        yield {**others, **{field: _texts(record, paths) for field, paths in _XML.items()}}


_XML = {
    "title": ("titles/title",),
    "abstract": ("abstract",),
    "authors": ("contributors/authors/author",),
    "editor": ("contributors/secondary-authors/author",),
    "year": ("dates/year", "dates/pub-dates/date"),
    "venue": ("periodical/full-title", "titles/secondary-title", "periodical/abbr-1", "publisher"),
    "doi": ("electronic-resource-num",),
    "url": ("urls/related-urls/url", "urls/web-urls/url"),
    "extra": ("notes", "custom2"),
}
_XML_READ = {path.partition("/")[0] for paths in _XML.values() for path in paths}.union(
    ("ref-type", "database", "source-app", "rec-number", "foreign-keys")
)


def _texts(record: Any, paths: tuple[str, ...]) -> list[str]:
    """The texts, which EndNote wraps in styles."""
    return [" ".join("".join(part.itertext()).split()) for path in paths for part in record.iterfind(path)]
