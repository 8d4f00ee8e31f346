"""Files whose lines begin with a tag: PubMed's `.nbib` and the plain text of Web of Science."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

Fields = Mapping[str, list[str]]

_PUBMED = re.compile(r"([A-Z]{2,4}) *- (.*)")
_WEB_OF_SCIENCE = re.compile(r"([A-Z][A-Z0-9])(?: (.*))?")


def is_pubmed(text: str) -> bool:
    """Whether a text begins as an export of PubMed does."""
    return bool(re.match(r"\s*PMID ?- ", text))


def is_web_of_science(text: str) -> bool:
    """Whether a text begins as the plain text of Web of Science does."""
    return bool(re.match(r"\s*(?:FN |VR |PT [A-Z]\n)", text))


def read_pubmed(text: str) -> Iterator[Mapping[str, Any]]:
    """Records as `engine.retrieval.records` names their fields."""
    for block in re.split(r"\n\s*\n(?=PMID ?- )", text.strip()):
        fields = _read_fields(block, _PUBMED)
        dois = [v.split(" ")[0] for v in (*fields["LID"], *fields["AID"]) if v.endswith("[doi]")]
        pubmed = _first(fields, "PMID")
        yield {
            "title": _first(fields, "TI", "BTI"),
            "abstract": _first(fields, "AB"),
            "authors": fields["FAU"] or fields["AU"] or fields["CN"],
            "year": _first(fields, "DP", "DEP"),
            "venue": _first(fields, "JT", "TA"),
            "doi": dois[0] if dois else "",
            "pmid": pubmed,
            "pmcid": _first(fields, "PMC"),
            "url": f"https://pubmed.ncbi.nlm.nih.gov/{pubmed}/" if pubmed.isdigit() else "",
        }


def read_web_of_science(text: str) -> Iterator[Mapping[str, Any]]:
    """Records as `engine.retrieval.records` names their fields."""
    for block in re.split(r"\nER\s*(?:\n|$)", text):
        fields = _read_fields(block, _WEB_OF_SCIENCE)
        if not (fields["PT"] or fields["TI"]):
            continue  # what stands before the first record and after the last
        yield {
            "title": " ".join(fields["TI"]),
            "abstract": " ".join(fields["AB"]),
            "authors": fields["AF"] or fields["AU"] or fields["CA"],
            "year": _first(fields, "PY", "EY"),
            "venue": " ".join(fields["SO"]),
            "doi": _first(fields, "DI"),
            "citations": _first(fields, "Z9", "TC"),
            "pmid": _first(fields, "PM"),
        }


_LISTED = frozenset({"AU", "AF", "FAU", "CA", "CN"})
"""Tags whose further lines are further values in Web of Science, rather than the rest of the first."""


def _read_fields(block: str, tagged: re.Pattern[str]) -> defaultdict[str, list[str]]:
    fields: defaultdict[str, list[str]] = defaultdict(list)
    tag = ""
    for line in block.splitlines():
        if match := tagged.fullmatch(line.rstrip()):
            tag = match[1]
            fields[tag].append((match[2] or "").strip())
        elif line.startswith(" ") and tag:
            if tag in _LISTED and tagged is _WEB_OF_SCIENCE:
                fields[tag].append(line.strip())
            else:
                fields[tag][-1] = f"{fields[tag][-1]} {line.strip()}"
    return fields


def _first(fields: Fields, *tags: str) -> str:
    return next((fields[tag][0] for tag in tags if fields.get(tag)), "")
