"""The field at a glance: its groups, where to start reading, the time line, the map, what is left out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from engine.citations import cite
from engine.naming.clustering import clusters, labels
from engine.overview import LineOfWork, NearbyGroup, Overview, StartingPoint, TimeLane, TimeLine, Turn, TurnKind
from engine.paper_kinds import is_survey
from engine.quoting.attribution import name_people
from engine.quoting.counts import find_most_cited, frame_field, years_of
from engine.retrieval.embedding import Embedder, embed_papers
from engine.survey import BarChart, FieldMap, MapPoint
from engine.text import inert, list_words, shorten, stem, words
from engine.values import FoundPaper, Paper, PaperKey

START_SURVEYS, START_FOUNDATIONS, START_FIRST, START_RECENT = 1, 2, 1, 3
"""Papers to read first: the survey nearest to the topic, what the field rests on, the most cited recent ones.

Where no count of citations tells what the field rests on: the oldest paper named after the topic.
"""

OFTEN = 10
"""Citations from which a paper is cited often."""

YEARS_SHOWN = 15
"""Bars of the growth; what is older stands in one more."""

RECENT_YEARS = 3
FOUNDATION_YEARS = 5
"""A foundation is at least so many years older than the newest paper."""

NEAR, WHOLE = 0.5, 0.99
"""Share of the topic, rare words counting more, that a title needs to be about it, and to name all of it."""

NAMED_IN_TITLE = 3.0
"""How much more often a paper must be cited than one whose title names a line of work to stand for it."""

LABEL_CHARACTERS = 24
LABELLED = 10
"""Papers whose names are printed on the map."""

FEWEST_ON_MAP, FEWEST_NEARBY = 8, 3
"""Papers that make a map, and a group of papers near the topic."""

BURST_PAPERS, BURST_GROWTH = 4, 2.0
"""Papers in a year, and how often those of the year before, that make a burst."""

PERPLEXITY = 30.0


@dataclass(frozen=True, slots=True)
class Line:
    """A group of papers as it was written: its section's number and title, terms that set it apart, papers."""

    number: str
    title: str
    terms: tuple[str, ...]
    papers: tuple[Paper, ...]


def write_overview(topic: str, lines: Sequence[Line]) -> Overview:
    """The field at a glance."""
    papers = [paper for line in lines for paper in line.papers]
    shown = tuple(
        LineOfWork(line.number, line.title, _describe(line, topic), len(line.papers), *_span(line.papers))
        for line in lines
    )
    text = frame_field(papers, len(lines), sum(map(is_survey, papers)))
    return Overview(text, shown, choose_starting_points(topic, papers))


def _span(papers: Sequence[Paper]) -> tuple[int | None, int | None]:
    years = years_of(papers)
    return (years[0], years[-1]) if years else (None, None)


def _describe(line: Line, topic: str) -> str:
    """The best known of its papers that say its name and the topic."""
    named = [p for p in line.papers if _stems(line.title) <= _stems(f"{p.title} {p.content}")] or line.papers
    on_topic = [p for p in named if _stems(topic) <= _stems(f"{p.title} {p.content}")] or named
    # Its citations count more where its title has the name.
    best = max(on_topic, key=lambda p: (p.citations or 0.5) * NAMED_IN_TITLE ** (_stems(line.title) <= _stems(p.title)))
    top = find_most_cited(line.papers)
    is_known = top is not None and best.citations == top.citations
    dated = f" ({best.year})" if best.year else ""
    return f"{'Best known' if is_known else 'For example'}: “{inert(best.title)}”{dated} {cite([best.key])}"


def choose_starting_points(topic: str, papers: Sequence[Paper]) -> tuple[StartingPoint, ...]:
    """Six papers to read first, each with the reason in figures; fewer where there are fewer."""
    newest = max((paper.year or 0 for paper in papers), default=0)
    held = {paper.key: _stems(paper.title) for paper in papers}
    # A word of the topic that every title holds says little.
    weight = {
        term: math.log(1 + len(papers) / (1 + sum(term in terms for terms in held.values()))) for term in _stems(topic)
    }

    def nearness(paper: Paper) -> float:
        return sum(weight[term] for term in held[paper.key] if term in weight) / (sum(weight.values()) or 1.0)

    cited = sorted(papers, key=lambda p: -(p.citations or 0))
    surveys = sorted(filter(is_survey, cited), key=lambda p: -nearness(p))
    near = [paper for paper in surveys if nearness(paper) >= NEAR]
    chosen: dict[PaperKey, str] = {}

    def take(candidates: Iterable[Paper], count: int, reason: str) -> None:
        fresh = [paper for paper in candidates if paper.key not in chosen]
        for paper in fresh[:count]:
            figures = [str(paper.year)] if paper.year else []
            if paper.citations:
                figures.append(f"cited {paper.citations:,} times" if paper.citations > 1 else "cited once")
            chosen[paper.key] = f"{reason}; {', '.join(figures)}" if figures else reason

    take(near, START_SURVEYS, "a survey of the field")
    most = "among the most cited" if find_most_cited(papers) else "cited often"
    cited = [paper for paper in cited if (paper.citations or 0) >= OFTEN]
    oldest = newest - FOUNDATION_YEARS
    named = [p for p in cited if nearness(p) >= NEAR and not is_survey(p) and p.year and p.year <= oldest]
    take(named, START_FOUNDATIONS, f"{most}, published up to {oldest}")
    if not named:
        titled = [p for p in papers if p.year and nearness(p) >= WHOLE and not is_survey(p)]
        take(sorted(titled, key=lambda p: p.year or 0), START_FIRST, "the oldest here whose title names the topic")
    recent = [p for p in cited if nearness(p) >= NEAR and p.year and p.year > newest - RECENT_YEARS]
    take(recent, START_RECENT, f"{most}, published since {newest - RECENT_YEARS + 1}")
    take((p for p in cited if nearness(p) >= NEAR), 6 - len(chosen), f"{most}, on the topic")
    take(cited, 6 - len(chosen), most)
    return tuple(StartingPoint(key, reason) for key, reason in chosen.items())


def draw_growth(found: Sequence[FoundPaper]) -> BarChart | None:
    """Papers on the topic by year, as the search gathered them; ``None`` where fewer than two years are known.

    Where the search told a core from the rest, it alone is on the topic. Nothing is said of years to come.
    """
    core = [item.paper for item in found if item.tier == "core"] or [item.paper for item in found]
    years = years_of(core)
    if not years or years[0] == years[-1]:
        return None
    first = max(years[0], years[-1] - YEARS_SHOWN + 1)
    counts = Counter(max(year, first - 1) for year in years)
    earlier = [(f"before {first}", counts[first - 1])] if counts[first - 1] else []
    bars = (*earlier, *((str(year), counts[year]) for year in range(first, years[-1] + 1)))
    half = years[len(years) // 2]
    caption = f"Papers on the topic by year: {len(years):,} that were gathered, half of them since {half}."
    return BarChart(caption, "Year", "Papers", bars)


def draw_time_line(lines: Sequence[Line]) -> TimeLine | None:
    """The lines of work over the same years, with their turns; ``None`` where fewer than two years are known."""
    years = years_of([paper for line in lines for paper in line.papers])
    if not years or years[0] == years[-1]:
        return None
    lanes = tuple(_lane(line, range(years[0], years[-1] + 1)) for line in lines)
    marked = {turn.kind for lane in lanes for turn in lane.turns}
    told = list_words([name for kind, name in _MARKS.items() if kind in marked])
    return TimeLine(f"Papers of each section by year, with {told}.", lanes)


_MARKS: dict[TurnKind, str] = {
    "first": "its first paper",
    "most cited": "its most cited paper",
    "burst": "its steepest rise",
}


def _lane(line: Line, span: range) -> TimeLane:
    counts = Counter(years_of(line.papers))
    dated = [paper for paper in line.papers if paper.year]
    turns: list[Turn] = []
    if dated:
        first = min(dated, key=lambda p: (p.year or 0, -(p.citations or 0)))
        turns.append(Turn(first.year or 0, "first", _label(first), first.key))
        top = find_most_cited(dated)
        if top and top.key != first.key:
            turns.append(Turn(top.year or 0, "most cited", _label(top), top.key))
    bursts = [y for y in span if counts[y] >= BURST_PAPERS and counts[y] >= BURST_GROWTH * max(1, counts[y - 1])]
    if bursts:
        year = max(bursts, key=lambda y: counts[y] - counts[y - 1])
        turns.append(Turn(year, "burst", f"{year}: {counts[year]} papers"))
    return TimeLane(
        line.title, tuple((year, counts[year]) for year in span), tuple(sorted(turns, key=lambda t: t.year))
    )


def _label(paper: Paper) -> str:
    return name_people(paper) or shorten(inert(paper.title), LABEL_CHARACTERS)


def draw_map(lines: Sequence[Line], embedder: Embedder) -> FieldMap | None:
    """Papers laid out by what they are about (t-SNE), the ten to know named; ``None`` where there are too few."""
    placed = [(paper, line.title) for line in lines for paper in line.papers]
    if len(placed) < FEWEST_ON_MAP:
        return None
    from sklearn.manifold import TSNE

    vectors = np.asarray(embed_papers(embedder, [paper for paper, _ in placed]))
    perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)
    with threadpool_limits(1):
        flat = TSNE(2, perplexity=perplexity, init="pca", random_state=0).fit_transform(vectors)
    # The most cited paper of each line of work, then the most cited of all.
    best = [max(line.papers, key=lambda p: p.citations or 0) for line in lines if line.papers]
    rest = sorted((paper for paper, _ in placed), key=lambda p: -(p.citations or 0))
    known = list(dict.fromkeys(paper.key for paper in (*best, *rest)))[:LABELLED]
    points = tuple(
        MapPoint(float(x), float(y), group, paper.key, _label(paper) if paper.key in known else "")
        for (x, y), (paper, group) in zip(flat, placed, strict=True)
    )
    return FieldMap("Papers of this survey, near one another where they are about similar things.", points)


def group_nearby(
    papers: Sequence[Paper], topic: str, embedder: Embedder, seed: int, lines: Collection[str] = ()
) -> tuple[NearbyGroup, ...]:
    """Papers near the topic that are not in the survey, in at most five groups named by what each of them says.

    A group named as one of the survey's ``lines`` of work would contradict it and is left out.
    """
    if len(papers) < FEWEST_ON_MAP:
        return ()
    vectors = embed_papers(embedder, papers)
    found = clusters(papers, labels(vectors, "k-means", min(5, len(papers) // 4), seed), topic, avoid=lines)
    covered = [_stems(line) for line in lines]
    groups: list[NearbyGroup] = []
    for cluster in found:
        wanted = _stems(cluster.name)
        saying = [paper for paper in cluster.papers if wanted <= _stems(f"{paper.title} {paper.content}")]
        saying.sort(
            key=lambda p: (not wanted <= _stems(p.title), -(p.citations or 0))
        )  # those whose title says it first
        named = [f"{p.title} ({p.year})" if p.year else p.title for p in saying[:3]]
        is_named = len(saying) >= FEWEST_NEARBY and wanted <= _stems(saying[0].title)
        if is_named and not any(wanted <= line for line in covered):
            groups.append(NearbyGroup(cluster.name, len(saying), tuple(named)))
    return tuple(groups)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text)}
