"""Where a field lacks surveys: its papers in clusters, by their share of surveys (AutoSurvey, fig. 1c)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import UserError
from engine.naming.clustering import best_cluster_count, clusters, labels, lay_out
from engine.paper_kinds import is_survey
from engine.retrieval.embedding import Embedder, embed_papers
from engine.survey import FieldMap, MapPoint
from engine.values import Paper

FEWEST_PAPERS = 20
MOST_CLUSTERS = 12
SURVEYS = "surveys"


@dataclass(frozen=True, slots=True)
class Gap:
    """A line of work, how many papers it has here, and how many of them are surveys."""

    name: str
    papers: int
    surveys: int


@dataclass(frozen=True, slots=True)
class FieldGaps:
    """Lines of work, those with the smallest share of surveys first, and their map."""

    gaps: tuple[Gap, ...]
    map: FieldMap


def find_field_gaps(papers: Sequence[Paper], topic: str, embedder: Embedder, seed: int) -> FieldGaps:
    """Clusters of the papers by share of surveys; raises `UserError` where there are too few papers."""
    if len(papers) < FEWEST_PAPERS:
        raise UserError(f"{len(papers)} papers are too few for a map of the field; it takes {FEWEST_PAPERS}.")
    vectors = embed_papers(embedder, papers)
    found = labels(vectors, "k-means", best_cluster_count(vectors, (4, MOST_CLUSTERS), seed), seed)
    named = clusters(papers, found, topic)
    gaps = [Gap(c.name, len(c.papers), sum(map(is_survey, c.papers))) for c in named]
    group = {paper.key: c.name for c in named for paper in c.papers}
    points = tuple(
        MapPoint(float(x), float(y), SURVEYS if is_survey(p) else group[p.key])
        for p, (x, y) in zip(papers, lay_out(vectors, seed), strict=True)
    )
    caption = "Papers by what they are about; existing surveys are a group of their own."
    return FieldGaps(tuple(sorted(gaps, key=lambda g: (g.surveys / g.papers, -g.papers))), FieldMap(caption, points))
