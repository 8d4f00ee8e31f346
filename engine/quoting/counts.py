"""What is counted of a section or of the field: how many papers, since when, where, what sets it apart."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

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


def frame_section(papers: Sequence[Paper], terms_apart: Sequence[str]) -> str:
    """How many papers of which years, where they appeared, and what sets them apart."""
    told = [_count(papers)]
    if frequent := _list_frequent(papers, 2):
        told.append(f"Frequent {'venues' if len(frequent) > 1 else 'venue'}: {list_words(frequent)}.")
    said = [set(terms(f"{paper.title} {paper.content}")) for paper in papers]
    counted = [(term, sum(set(terms(term)) <= one for one in said)) for term in terms_apart[:TERMS_SHOWN]]
    if apart := [f"“{inert(term)}” ({count} of {len(papers)} papers)" for term, count in counted if count]:
        told.append(f"More frequent here than in the other sections: {list_words(apart)}.")
    return " ".join(told)


def frame_field(papers: Sequence[Paper], sections: int, surveys: int) -> str:
    """The paragraph of counts on the first page, of papers in so many groups."""
    venues = Counter(paper.venue for paper in papers if paper.venue)
    told = [_count(papers)]
    if (known := venues.total()) > len(papers) / 2:
        whose = "They come" if known == len(papers) else f"The {known:,} whose venue is known come"
        often = f", most often {list_words(frequent)}" if (frequent := _list_frequent(papers, 4)) else ""
        told.append(f"{whose} from {len(venues)} {'venue' if len(venues) == 1 else 'venues'}{often}.")
    if sections > 1:
        told.append(f"They fall into {sections} groups.")
    told.append(f"{surveys or 'None'} of the papers {'are surveys' if surveys > 1 else 'is itself a survey'}.")
    return " ".join(told)


def _count(papers: Sequence[Paper]) -> str:
    """How many papers, from when to when, and since when half of them are."""
    told = f"{len(papers):,} papers" if len(papers) != 1 else "One paper"
    years = years_of(papers)
    if not years or years[0] == years[-1]:
        return f"{told} from {years[0]}." if years else f"{told}."
    middle = statistics.median_high(years)
    since = f", {sum(year >= middle for year in years)} of them since {middle}" if middle > years[0] else ""
    return f"{told} from {years[0]} to {years[-1]}{since}."


def _list_frequent(papers: Sequence[Paper], most: int) -> list[str]:
    venues = Counter(paper.venue for paper in papers if paper.venue).most_common(most)
    return [f"{venue} ({count})" for venue, count in venues if count > 1]
