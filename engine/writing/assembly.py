"""Steps that recipes share: how long each part becomes, the parts every survey has, and putting it together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.citations import cite, with_references
from engine.gathering.search_record import search_flow
from engine.limits import LENGTH_CLASSES_TOKENS, TOKENS_PER_WORD, Limits
from engine.retrieval.embedding import Embedder, Vectors, embed_papers, nearest
from engine.survey import (
    BarChart,
    FieldMap,
    MapPoint,
    Section,
    Survey,
    SurveyWarning,
    Table,
)
from engine.text import list_words
from engine.values import (
    Brief,
    Outline,
    OutlineNode,
    Paper,
    PaperKey,
    PaperSelection,
    walk_outline,
)
from engine.writing.extractive import AbstractSentence, quotable, quote_sentence
from engine.writing.notices import with_notice

MARGIN = 1.25
"""A survey aims this far above the lower end of its length class, so that it surely reaches it."""

FRAME_WORDS = 500
"""Words of introduction, tables and conclusion together."""

OPEN_PROBLEMS = 12

SET_APART = "Set apart by: "
"""How the description of a cluster begins."""


def words_for_each(brief: Brief, outline: Outline) -> int:
    """Words for one leaf of the outline, so that the survey reaches its length class."""
    if brief.subsection_words is not None:
        return brief.subsection_words
    leaves = sum(1 for _, node in walk_outline(outline.nodes) if node.role == "body" and not node.children)
    total = LENGTH_CLASSES_TOKENS[brief.length] * MARGIN / TOKENS_PER_WORD - FRAME_WORDS
    return max(80, round(total / max(1, leaves)))


def frame_outline(body: Sequence[OutlineNode], topic: str) -> tuple[OutlineNode, ...]:
    """The body between an introduction and a conclusion."""
    introduction = OutlineNode(
        "Introduction",
        f"What this survey covers of {topic}, from which papers and how it is ordered",
        role="introduction",
    )
    conclusion = OutlineNode(
        "Conclusion and Open Problems", "What the papers leave open, in their own words", role="conclusion"
    )
    return (introduction, *body, conclusion)


def mark_thin(node: OutlineNode, limits: Limits) -> OutlineNode:
    """The node and those below, marked where there are too few papers to stand on."""
    children = tuple(mark_thin(child, limits) for child in node.children)
    thin = node.role == "body" and len(node.all_papers()) < limits.thin_evidence
    return replace(node, thin=thin, children=children)


def introduction(node: OutlineNode, brief: Brief, outline: Outline, papers: Mapping[PaperKey, Paper]) -> Section:
    """Scope, number of papers, years, order of the sections, and a table of the clusters."""
    body = [n for n in outline.nodes if n.role == "body"]
    used = [papers[k] for n in body for k in n.all_papers() if k in papers]
    years = sorted(p.year for p in used if p.year)
    span = f", published from {years[0]} to {years[-1]}," if years and years[0] != years[-1] else ""
    venues = [v for v, _ in Counter(p.venue for p in used if p.venue).most_common(3)]
    places = f" The venues seen most often are {list_words(venues)}." if venues else ""
    limits = "" if str(brief.years) == ".." else f" Only papers of the years {brief.years} were considered."
    order = list_words(f"{n.title} (Section {i})" for i, n in enumerate(outline.nodes, start=1) if n.role == "body")
    text = (
        f"This survey covers {brief.topic}. It draws on {len(used)} papers{span} that were gathered for it "
        f"and grouped by what they are about.{places}{limits}\n\n"
        f"The literature falls into {len(body)} main lines: {order}. Table 1 shows them with the terms that set "
        "each apart and the papers of each that are cited most."
    )
    rows = tuple(
        (n.title, str(len(n.all_papers())), n.description.removeprefix(SET_APART), cite(_most_cited(n, papers)))
        for n in body
    )
    table = Table(
        "The lines of work in this survey.",
        ("Line of work", "Papers", "What sets it apart", "Cited most"),
        rows,
    )
    counts = Counter(years)
    bars = tuple((str(y), counts.get(y, 0)) for y in range(years[0], years[-1] + 1)) if years else ()
    figures = (BarChart("Papers in this survey by year of publication.", "Year", "Papers", bars),) if bars else ()
    return Section(node.title, text, tables=(table,), figures=figures)


def _most_cited(node: OutlineNode, papers: Mapping[PaperKey, Paper]) -> list[PaperKey]:
    ranked = sorted((papers[k] for k in node.all_papers() if k in papers), key=lambda p: -(p.citations or 0))
    return [paper.key for paper in ranked[:3]]


def conclusion(node: OutlineNode, outline: Outline, papers: Mapping[PaperKey, Paper]) -> Section:
    """What was surveyed, and the open problems that the abstracts themselves name."""
    body = [n for n in outline.nodes if n.role == "body"]
    lines: list[tuple[str, AbstractSentence]] = []
    for place in body:
        named = [s for k in place.all_papers() if k in papers for s in quotable(papers[k]) if s.role == "limit"]
        share = max(1, OPEN_PROBLEMS // max(1, len(body)))
        lines += [(place.title, s) for s in sorted(named, key=lambda s: -(s.paper.year or 0))[:share]]
    opening = f"This survey has followed {len(body)} lines of work on the topic: {list_words(n.title for n in body)}."
    if not lines:
        return Section(node.title, f"{opening} What was gathered of the papers names no open problem in so many words.")
    claims = tuple(quote_sentence([s], f"On {title}, {{who}}:") for title, s in lines)
    listing = "\n".join(f"- {claim.text}" for claim in claims)
    quoted = all(c.verdict == "quoted" for claim in claims for c in claim.citations)
    whose = "The papers themselves" if quoted else "The papers, or summaries of them,"
    return Section(node.title, f"{opening} {whose} name these open problems:\n\n{listing}", claims)


def field_map(vectors: Vectors, groups: Sequence[str]) -> FieldMap | None:
    """Papers laid out in the plane by their first two principal components; ``None`` under three papers."""
    if len(groups) < 3:
        return None
    from sklearn.decomposition import PCA

    flat = PCA(2, random_state=0).fit_transform(vectors)
    points = tuple(MapPoint(float(x), float(y), group) for (x, y), group in zip(flat, groups, strict=True))
    return FieldMap("Papers of this survey; those close together are about similar things.", points)


def nearest_papers(
    node: OutlineNode, papers: Sequence[Paper], vectors: Vectors, about: Vectors, count: int
) -> tuple[PaperKey, ...]:
    """The node's own papers, or, where it has none yet, those nearest to its heading."""
    if node.papers or node.children:
        return node.papers
    return tuple(paper.key for paper in nearest(papers, vectors, about, count))


def supply_papers(outline: Outline, papers: Sequence[Paper], embedder: Embedder, count: int) -> Outline:
    """The outline with papers for the sections that the person added without any."""
    bare = [
        node for _, node in walk_outline(outline.nodes) if node.role == "body" and not (node.papers or node.children)
    ]
    if not bare:
        return outline
    vectors = embed_papers(embedder, papers)
    about = embedder.embed([f"{node.title}. {node.description}" for node in bare])
    keys = {id(n): nearest_papers(n, papers, vectors, v, count) for n, v in zip(bare, about, strict=True)}

    def filled(node: OutlineNode) -> OutlineNode:
        children = tuple(filled(child) for child in node.children)
        return replace(node, papers=keys.get(id(node), node.papers), children=children)

    return replace(outline, nodes=tuple(filled(node) for node in outline.nodes))


def with_same_papers(outline: Outline, keys: Sequence[PaperKey]) -> Outline:
    """The outline with the same papers for every subsection: writing without retrieval for each."""

    def given(node: OutlineNode) -> OutlineNode:
        below = tuple(given(child) for child in node.children)
        return replace(node, children=below, papers=() if below else tuple(keys))

    return replace(outline, nodes=tuple(given(node) for node in outline.nodes))


ALWAYS_TOLD = frozenset({"Records found", "Left out as off topic", "Left out by the reader", "Papers gathered"})
"""What is told of the search even where it is none."""


def assemble_survey(
    brief: Brief, outline: Outline, sections: Mapping[int, Section], selection: PaperSelection, method: str
) -> Survey:
    """The survey of the sections that are there, in outline order, citations resolved, gaps reported."""
    papers = {paper.key: paper for paper in selection.included()}
    missing = [n.title for i, n in enumerate(outline.nodes) if i not in sections]
    warnings = [SurveyWarning("unfinished", title, "not written") for title in missing]
    warnings += [
        SurveyWarning("thin evidence", number, f"{len(n.all_papers())} papers")
        for number, n in walk_outline(outline.nodes)
        if n.thin
    ]
    survey = Survey(
        title=outline.title,
        abstract="",
        sections=tuple(sections[i] for i in sorted(sections)),
        references=(),
        method=method,
        searches=selection.searches,
        left_out=selection.all_left_out(),
        warnings=tuple(warnings),
    )
    resolved = with_references(survey, papers)
    facts = (
        *((name, f"{count:,}") for name, count in search_flow(selection) if count or name in ALWAYS_TOLD),
        ("Papers cited", str(len(resolved.references))),
    )
    return with_notice(replace(resolved, abstract=_abstract(brief, outline, resolved), facts=facts))


def add_warnings(survey: Survey, warnings: Sequence[SurveyWarning]) -> Survey:
    """The survey with more warnings, each once."""
    return replace(survey, warnings=tuple(dict.fromkeys((*survey.warnings, *warnings))))


def _abstract(brief: Brief, outline: Outline, survey: Survey) -> str:
    """What the survey covers and from how many papers; only what can be counted."""
    years = sorted(p.year for p in survey.references if p.year)
    span = f" published between {years[0]} and {years[-1]}" if years else ""
    body = list_words(node.title for node in outline.nodes if node.role == "body")
    ending = " It ends with the problems the papers leave open." if outline.nodes[-1].role == "conclusion" else ""
    return f"A survey of {brief.topic} that cites {len(survey.references)} papers{span}. It covers {body}.{ending}"
