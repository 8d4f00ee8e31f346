"""The only place that reads, checks, numbers and formats citations.

While a text is made, a citation is ``[@key]`` or ``[@key; @key]``. A draft also names the sentences of the paper that
it rests on, by their numbers: ``[@key:3]``, ``[@key:3,5]``. Everything else in square brackets is ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from engine.survey import Section, Survey, SurveyWarning, walk
from engine.text import list_words
from engine.values import Paper, PaperKey

_CITATION = re.compile(r"\[(@[^\s\[\]@;]+(?:\s*;\s*@[^\s\[\]@;]+)*)\]")
_ADDRESSED = re.compile(r"@?(?P<key>\w+:.+?)(?::(?P<numbers>\d{1,3}(?:,\d{1,3})*))?")

_RANGE = re.compile(r"(\d+)(?:\s*[-–—]\s*(\d+))?")


@dataclass(frozen=True, slots=True)
class Address:
    """A cited paper and the numbers of its sentences (from 1, see `engine.addresses`) that carry what is said."""

    key: PaperKey
    sentences: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.key}:{','.join(map(str, self.sentences))}" if self.sentences else str(self.key)


def cite_sentences(addresses: Iterable[Address]) -> str:
    """``[@a:3,5; @b]`` for the addresses, each paper once, in order; empty for none."""
    cited = "; ".join(f"@{address}" for address in _join(addresses))
    return f"[{cited}]" if cited else ""


def list_addresses(text: str) -> tuple[Address, ...]:
    """Papers cited in a text with the sentences named, each paper once, in order of first appearance."""
    return _join(address for match in _CITATION.finditer(text) for address in _addresses(match))


def _join(addresses: Iterable[Address]) -> tuple[Address, ...]:
    joined: dict[PaperKey, set[int]] = {}
    for address in addresses:
        joined.setdefault(address.key, set()).update(address.sentences)
    return tuple(Address(key, tuple(sorted(numbers))) for key, numbers in joined.items())


def remove_addresses(text: str) -> str:
    """The text with its citations as people see them: ``[@key]``."""
    return _CITATION.sub(lambda match: cite(_keys(match)), text)


def cite(keys: Iterable[PaperKey]) -> str:
    """``[@a; @b]`` for the keys, each once, in order; empty for none."""
    return cite_sentences(map(Address, keys))


@lru_cache(maxsize=10_000)
def list_cited_keys(text: str) -> tuple[PaperKey, ...]:
    """Keys cited in a text, each once, in order of first appearance."""
    return tuple(dict.fromkeys(key for match in _CITATION.finditer(text) for key in _keys(match)))


def replace_citations(
    text: str, render: Callable[[tuple[PaperKey, ...]], str], plain: Callable[[str], str] = str
) -> str:
    """The text with each citation given to ``render`` and everything between given to ``plain``."""
    parts: list[str] = []
    end = 0
    for match in _CITATION.finditer(text):
        parts += [plain(text[end : match.start()]), render(_keys(match))]
        end = match.end()
    parts.append(plain(text[end:]))
    return "".join(parts)


def remove_citations(text: str) -> str:
    """The text on one line without its citations, and without the spaces that they leave before punctuation."""
    return re.sub(r"\s+([.,;:!?)])", r"\1", " ".join(replace_citations(text, lambda _: "").split()))


def keep_allowed_citations(text: str, allowed: Collection[PaperKey]) -> str:
    """The text without citations of other papers; nothing is matched to the nearest."""
    kept = _CITATION.sub(lambda match: cite_sentences(a for a in _addresses(match) if a.key in allowed), text)
    if all(key in allowed for key in list_cited_keys(text)):
        return kept
    return re.sub(r"[ \t]+(?=[.,;:!?]|$)", "", kept, flags=re.M)


def with_references(survey: Survey, papers: Mapping[PaperKey, Paper]) -> Survey:
    """The survey with every citation resolved: unknown ones removed and reported, references in order.

    Afterwards every cited key has a reference, every reference is cited, and its number is its place
    (AutoSurvey, "Merge"): no orphan, no gap.
    """
    warnings = dict.fromkeys(survey.warnings)

    def keep(text: str, place: str = "") -> str:
        """The text with known citations; what a text that stands in a ``place`` loses is reported."""
        if place:
            unknown = (key for key in list_cited_keys(text) if key not in papers)
            warnings.update((SurveyWarning("unknown citation", place, key), None) for key in unknown)
        return keep_allowed_citations(remove_addresses(text), papers)

    def resolve(section: Section, number: str) -> Section:
        text = keep(section.text, number)
        tables = tuple(
            replace(table, rows=tuple(tuple(keep(cell, number) for cell in row) for row in table.rows))
            for table in section.tables
        )
        claims = tuple(
            replace(claim, text=keep(claim.text), citations=kept)
            for claim in section.claims
            if (kept := tuple(c for c in claim.citations if c.key in papers)) or claim.common
        )
        below = tuple(resolve(s, f"{number}.{i}") for i, s in enumerate(section.sections, start=1))
        return replace(section, text=text, tables=tables, claims=claims, sections=below)

    sections = tuple(resolve(section, str(i)) for i, section in enumerate(survey.sections, start=1))
    abstract, overview = keep(survey.abstract, "abstract"), survey.overview
    if overview:
        lines = tuple(replace(line, text=keep(line.text)) for line in overview.lines)
        start = tuple(point for point in overview.start if point.key in papers)
        overview = replace(overview, lines=lines, start=start)
    resolved = replace(survey, abstract=abstract, sections=sections, overview=overview, warnings=tuple(warnings))
    return replace(resolved, references=tuple(papers[key] for key in citation_order(resolved)))


def citation_order(survey: Survey) -> tuple[PaperKey, ...]:
    """Every cited key once, in reading order: abstract, overview, then each section's text and its tables."""
    keys = dict.fromkeys(list_cited_keys(survey.abstract))
    if survey.overview:
        keys.update(dict.fromkeys(key for line in survey.overview.lines for key in list_cited_keys(line.text)))
        keys.update(dict.fromkeys(point.key for point in survey.overview.start))
    for _, section in walk(survey.sections):
        keys.update(dict.fromkeys(list_section_keys(section)))
    return tuple(keys)


def list_section_keys(section: Section) -> tuple[PaperKey, ...]:
    """Every key cited once: by the section's text, then by its tables; the sections below it are left out."""
    cells = (cell for table in section.tables for row in table.rows for cell in row)
    return tuple(dict.fromkeys(key for text in (section.text, *cells) for key in list_cited_keys(text)))


def numbers(survey: Survey) -> dict[PaperKey, int]:
    """The number of each reference, from 1, as printed in the survey."""
    return {paper.key: number for number, paper in enumerate(survey.references, start=1)}


def number_ranges(values: Iterable[int]) -> str:
    """``1, 3–5`` for 1, 3, 4, 5: three or more in a row become a range."""
    placed = enumerate(sorted(set(values)))
    runs = [[value for _, value in run] for _, run in groupby(placed, key=lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def read_ranges(said: str, most: int = 50) -> list[int]:
    """The inverse of `number_ranges`: 1, 3, 4, 5 of ``1, 3–5``; of a range of more than ``most`` only its ends."""
    found: dict[int, None] = {}
    for first, last in _RANGE.findall(said):
        low, high = int(first), int(last or first)
        found.update(dict.fromkeys(range(low, high + 1) if low <= high < low + most else (low, high)))
    return list(found)


def reference_text(paper: Paper) -> str:
    """Authors. Title. Venue, year. A missing part is left out, never invented."""
    many = len(paper.authors) > 6
    people = f"{', '.join(paper.authors[:6])}, et al" if many else list_words(paper.authors)
    where = ", ".join(part for part in (paper.venue, str(paper.year) if paper.year else "") if part)
    parts = [part.rstrip(".") for part in (people, paper.title, where) if part]
    return ". ".join(parts) + "."


def _addresses(match: re.Match[str]) -> tuple[Address, ...]:
    found = []
    for part in match.group(1).split(";"):
        named = _ADDRESSED.fullmatch(part.strip())
        key = named["key"] if named else part.strip().removeprefix("@")
        numbers = named["numbers"] if named else None
        found.append(Address(PaperKey(key), tuple(map(int, numbers.split(","))) if numbers else ()))
    return tuple(found)


def _keys(match: re.Match[str]) -> tuple[PaperKey, ...]:
    return tuple(address.key for address in _addresses(match))
