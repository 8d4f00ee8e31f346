"""The field at a glance: its groups, where to start reading, the time line, the map, what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.citations import cite
from engine.naming.clustering import clusters, labels, lay_out
from engine.overview import LineOfWork, NearbyGroup, Overview, StartingPoint, TimeLane, TimeLine, Turn, TurnKind
from engine.paper_kinds import is_survey
from engine.quoting.attribution import name_people
from engine.quoting.counts import find_most_cited, frame_field, years_of
from engine.retrieval.embedding import Embedder, embed_papers
from engine.survey import BarChart, FieldMap, MapPoint
from engine.text import inert, list_words, shorten, stem, words
from engine.values import FoundPaper, Paper, PaperKey

FIRST_READ = 6
"""Papers to read first."""

OFTEN = 10
"""Citations from which a paper is cited often."""

YEARS_SHOWN = 15
"""Bars of the growth; what is older stands in one more."""

RECENT_YEARS = 3
FOUNDATION_YEARS = 5
"""A foundation is at least so many years older than the newest paper."""

NEAR = 0.5
"""Share of the topic's words beyond which a title that has them is about it."""

LABEL_CHARACTERS = 24
LABELLED = 10
"""Papers whose names are printed on the map."""

FEWEST_ON_MAP, FEWEST_NEARBY = 8, 3
"""Papers that make a map, and a group of papers near the topic."""

BURST_PAPERS, BURST_GROWTH = 4, 2.0
"""Papers in a year, and how often those of the year before, that make a burst."""


@dataclass(frozen=True, slots=True)
class Line:
    """A group of papers as it was written: its section's number and title, and its papers."""

    number: str
    title: str
    papers: tuple[Paper, ...]


def write_overview(topic: str, lines: Sequence[Line]) -> Overview:
    """The field at a glance."""
    papers = [paper for line in lines for paper in line.papers]
    shown = []
    for line in lines:
        years: Sequence[int | None] = years_of(line.papers) or [None]
        shown.append(LineOfWork(line.number, line.title, _name_best_known(line), len(line.papers), years[0], years[-1]))
    text = frame_field(papers, len(lines), sum(map(is_survey, papers)))
    return Overview(text, tuple(shown), choose_starting_points(topic, papers))


def _name_best_known(line: Line) -> str:
    """The most cited of its papers that say its name."""
    named = [p for p in line.papers if _stems(line.title) <= _stems(f"{p.title} {p.content}")] or line.papers
    best, top = max(named, key=lambda p: p.citations or 0), find_most_cited(line.papers)
    dated = f" ({best.year})" if best.year else ""
    called = "Best known" if top and best.citations == top.citations else "For example"
    return f"{called}: “{inert(best.title)}”{dated} {cite([best.key])}"


def choose_starting_points(topic: str, papers: Sequence[Paper]) -> tuple[StartingPoint, ...]:
    """Six papers to read first, each with the reason in figures; fewer where there are fewer."""
    wanted, newest = _stems(topic), max((paper.year or 0 for paper in papers), default=0)
    oldest, recent = newest - FOUNDATION_YEARS, newest - RECENT_YEARS + 1
    ranked = sorted(papers, key=lambda p: -(p.citations or 0))
    near = [p for p in ranked if len(wanted & _stems(p.title)) > NEAR * len(wanted)]
    often = [p for p in near if (p.citations or 0) >= OFTEN]
    most = "among the most cited" if find_most_cited(papers) else "cited often"
    kinds = (
        (1, filter(is_survey, near), "a survey of the field"),
        (2, (p for p in often if p.year and p.year <= oldest), f"{most}, published up to {oldest}"),
        (3, (p for p in often if p.year and p.year >= recent), f"{most}, published since {recent}"),
        (FIRST_READ, often, f"{most}, on the topic"),
        (FIRST_READ, (p for p in ranked if (p.citations or 0) >= OFTEN), most),
    )
    chosen: dict[PaperKey, str] = {}
    for count, candidates, reason in kinds:
        fresh = [paper for paper in candidates if paper.key not in chosen]
        for paper in fresh[: min(count, FIRST_READ - len(chosen))]:
            times = "once" if paper.citations == 1 else f"{paper.citations:,} times" if paper.citations else ""
            figures = ", ".join(filter(None, (str(paper.year or ""), times and f"cited {times}")))
            chosen[paper.key] = f"{reason}; {figures}" if figures else reason
    return tuple(StartingPoint(key, reason) for key, reason in chosen.items())


def draw_growth(found: Sequence[FoundPaper]) -> BarChart | None:
    """Papers of the core by year (all where none was told apart); ``None`` where fewer than two years are known."""
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
    flat = lay_out(embed_papers(embedder, [paper for paper, _ in placed]), 0)
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
    """Papers near the topic that a survey leaves out, in at most five groups, none named as one of its ``lines``."""
    if len(papers) < FEWEST_ON_MAP:
        return ()
    vectors = embed_papers(embedder, papers)
    found = clusters(papers, labels(vectors, "k-means", min(5, len(papers) // 4), seed), topic, avoid=lines)
    groups: list[NearbyGroup] = []
    for cluster in found:
        wanted = _stems(cluster.name)
        saying = [paper for paper in cluster.papers if wanted <= _stems(f"{paper.title} {paper.content}")]
        saying.sort(key=lambda p: (not wanted <= _stems(p.title), -(p.citations or 0)))
        if len(saying) >= FEWEST_NEARBY and wanted <= _stems(saying[0].title):
            named = (f"{p.title} ({p.year})" if p.year else p.title for p in saying[:3])
            groups.append(NearbyGroup(cluster.name, len(saying), tuple(named)))
    return tuple(groups)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text)}
