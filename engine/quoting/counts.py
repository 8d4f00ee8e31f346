"""What is counted of a section or of the field: how many papers, since when, where, what sets it apart."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from engine.citations import cite
from engine.text import inert, list_words, terms
from engine.values import Paper

TERMS_SHOWN = 5
"""Terms that set a section apart, of those that its papers say."""


def years_of(papers: Sequence[Paper]) -> list[int]:
    """The papers' years of publication, in order, those that are known."""
    return sorted(paper.year for paper in papers if paper.year)


def find_most_cited(papers: Sequence[Paper]) -> Paper | None:
    """A paper cited most; ``None`` where no count is above 0 or one is not known: then nobody can tell."""
    counts = [paper.citations for paper in papers]
    return max(papers, key=lambda p: p.citations or 0) if any(counts) and None not in counts else None


def frame_section(papers: Sequence[Paper], terms_apart: Sequence[str], central: Sequence[Paper] = ()) -> str:
    """How many papers of which years, where they appeared, what sets them apart, and the most ``central`` of them."""
    told = [_count(papers)]
    if frequent := _list_frequent(papers, 2, max(2, len(papers) // 8)):
        told.append(f"Most frequent {'venues' if len(frequent) > 1 else 'venue'}: {list_words(frequent)}.")
    said = [set(terms(f"{paper.title} {paper.content}")) for paper in papers]
    counted = [(term, sum(set(terms(term)) <= one for one in said)) for term in terms_apart[:TERMS_SHOWN]]
    if apart := [f"“{inert(term)}” ({count} of {len(papers)} papers)" for term, count in counted if count]:
        told.append(f"More frequent here than in the other sections: {list_words(apart)}.")
    if central:
        named = list_words([f"“{inert(paper.title)}” {cite([paper.key])}" for paper in central])
        told.append(f"Closest to the middle of the section: {named}.")
    return " ".join(told)


def _count(papers: Sequence[Paper]) -> str:
    return f"{f'{len(papers):,} papers' if len(papers) != 1 else 'One paper'}{_span(years_of(papers))}."


def _span(years: Sequence[int]) -> str:
    """From when to when, and since when half of them are; nothing where no year is known."""
    if not years:
        return ""
    if years[0] == years[-1]:
        return f" from {years[0]}"
    middle = statistics.median_high(years)
    since = f", {sum(year >= middle for year in years)} of them since {middle}" if middle > years[0] else ""
    return f" from {years[0]} to {years[-1]}{since}"


def _list_frequent(papers: Sequence[Paper], most: int, least: int = 2) -> list[str]:
    """The most frequent venues with their counts, none that ties with one left out.

    None where the first has fewer papers than ``least``.
    """
    venues = Counter(paper.venue for paper in papers if paper.venue).most_common()
    if not venues or venues[0][1] < least:
        return []
    left_out = venues[most][1] if len(venues) > most else 0
    return [f"{venue} ({count})" for venue, count in venues[:most] if count > max(1, left_out)]


def frame_field(papers: Sequence[Paper], sections: int, surveys: int) -> str:
    """The paragraph of counts on the first page, of papers in so many groups."""
    venues = Counter(paper.venue for paper in papers if paper.venue)
    named = list_words(_list_frequent(papers, 4))
    known = venues.total()
    they = "They come" if known == len(papers) else f"The {known:,} whose venue is known come"
    places = f" {they} from {len(venues)} venues" + (f", most often {named}." if named else ".")
    if len(venues) == 1:
        places = f" {they} from one venue, {named or next(iter(venues))}."
    places = places if known > len(papers) / 2 else ""
    lines = f" They fall into {sections} groups." if sections > 1 else ""
    few = {0: " None of the papers is itself a survey.", 1: " One of the papers is itself a survey."}
    return f"{_count(papers)}{places}{lines}{few.get(surveys, f' {surveys} of the papers are surveys.')}"
