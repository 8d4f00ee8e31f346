"""Sentences that frame a section or the field from figures: how many papers, since when, where, what sets it apart."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

from engine.text import list_words
from engine.values import Paper
from engine.writing.paper_tables import name_work

MANY_CITATIONS = 100
RECENT_YEARS = 3


def years_of(papers: Sequence[Paper]) -> list[int]:
    """The papers' years of publication, in order, those that are known."""
    return sorted(paper.year for paper in papers if paper.year)


def find_most_cited(papers: Sequence[Paper]) -> Paper | None:
    """A paper cited most; ``None`` where no count is above 0 or one is not known: then nobody can tell."""
    counts = [paper.citations for paper in papers]
    return max(papers, key=lambda p: p.citations or 0) if any(counts) and None not in counts else None


def frame_section(papers: Sequence[Paper], terms: Sequence[str], position: int) -> str:
    """Two to four sentences from figures; ``position`` of the section in the survey varies how they are put."""
    sentences = [_count(papers, position), *_venues(papers, position), *_most_cited(papers, position)]
    if terms:
        shown = list_words([f"“{term}”" for term in terms[:4]])
        one = len(terms) == 1
        sentences.append(
            (
                f"More frequent here than in the other sections: {shown}.",
                f"Its distinctive {'term is' if one else 'terms are'} {shown}.",
                f"What sets the section apart {'is the term' if one else 'are the terms'} {shown}.",
            )[position % 3]
        )
    return " ".join(sentences)


def _count(papers: Sequence[Paper], position: int) -> str:
    years, count = years_of(papers), len(papers)
    papers_ = f"{count} papers" if count != 1 else "One paper"
    if not years:
        return f"{papers_}."
    if years[0] == years[-1]:
        return f"{papers_}, {'all ' if count > 1 else ''}from {years[0]}."
    median = statistics.median_high(years)
    since = sum(year >= median for year in years)
    recent = sum(year > years[-1] - RECENT_YEARS for year in years)
    if recent == count:
        return f"{papers_} from {years[0]} to {years[-1]}."
    if recent >= 0.6 * count:
        return (
            f"{papers_} since {years[0]}, {recent} of them from {years[-1] - RECENT_YEARS + 1} or later.",
            f"Of the {papers_} from {years[0]} to {years[-1]}, {recent} appeared since {years[-1] - RECENT_YEARS + 1}.",
        )[position % 2]
    if since == count:
        return f"{papers_} from {years[0]} to {years[-1]}."
    return (
        f"{papers_} from {years[0]} to {years[-1]}, {since} of them since {median}.",
        f"The {papers_} appeared between {years[0]} and {years[-1]}, {since} of them since {median}.",
    )[position % 2]


def _venues(papers: Sequence[Paper], position: int) -> Iterator[str]:
    frequent = _list_frequent(papers, 2, max(2, len(papers) // 8))
    if not frequent:
        return
    named = list_words(frequent)
    yield (
        f"The most frequent {'venues are' if len(frequent) > 1 else 'venue is'} {named}.",
        f"They appeared most often at {named}.",
    )[position % 2]


def _list_frequent(papers: Sequence[Paper], most: int, least: int = 2) -> list[str]:
    """The most frequent venues with their counts, none that ties with one left out.

    None where the first has fewer papers than ``least``.
    """
    venues = Counter(paper.venue for paper in papers if paper.venue).most_common()
    if not venues or venues[0][1] < least:
        return []
    left_out = venues[most][1] if len(venues) > most else 0
    return [f"{venue} ({count})" for venue, count in venues[:most] if count > max(1, left_out)]


def _most_cited(papers: Sequence[Paper], position: int) -> Iterator[str]:
    top = find_most_cited(papers)
    if top is None or (top.citations or 0) < MANY_CITATIONS:
        return
    if sum(paper.citations == top.citations for paper in papers) > 1:
        return  # none of those that tie is the one
    work, times = name_work(top), f"{top.citations:,}"
    yield (
        f"The most cited is {work}, {times} times.",
        f"{work} is cited most ({times} times).",
        f"With {times} citations, {work} is the best known.",
    )[position % 3]


def frame_field(papers: Sequence[Paper], sections: int, surveys: int, *, has_rest: bool = False) -> str:
    """The paragraph of counts on the first page; it ``has_rest`` where papers lie in no line of work."""
    years = years_of(papers)
    span = f" from {years[0]}" if years else ""
    if years and years[0] != years[-1]:
        median = statistics.median_high(years)
        span = f" from {years[0]} to {years[-1]}, {sum(year >= median for year in years)} of them since {median}"
    venues = Counter(paper.venue for paper in papers if paper.venue)
    named = list_words(_list_frequent(papers, 4))
    known = venues.total()
    they = "They come" if known == len(papers) else f"The {known:,} whose venue is known come"
    places = f" {they} from {len(venues)} venues" + (f", most often {named}." if named else ".")
    if len(venues) == 1:
        places = f" {they} from one venue, {named or next(iter(venues))}."
    places = places if known > len(papers) / 2 else ""
    rest = " and other work" if has_rest else ""
    lines = f" They fall into {sections} lines of work{rest}." if sections > 1 else ""
    few = {0: " None of the papers is itself a survey.", 1: " One of the papers is itself a survey."}
    noun = "paper" if len(papers) == 1 else "papers"
    return f"{len(papers):,} {noun}{span}.{places}{lines}{few.get(surveys, f' {surveys} of the papers are surveys.')}"
