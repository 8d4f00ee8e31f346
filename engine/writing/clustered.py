"""A survey from groups of papers with a language model (Li et al., NLPCC 2024, stages 2 to 4)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.citations import with_references
from engine.errors import LanguageModelError, LimitExceeded, ScholiumError
from engine.llm.attempts import try_all, try_work
from engine.llm.model import LanguageModel, Prompt, Request, Task, TypedAnswer
from engine.llm.prompting import data, fill
from engine.naming.clustering import project
from engine.quoting.abstracts import show_gists
from engine.quoting.reading_map import SET_APART
from engine.retrieval.embedding import Vectors, embed_papers, nearest
from engine.run import CallChain, PlannedCall, Progress, RunContext, WritingTask
from engine.session.kept_text import leaves_of
from engine.survey import FieldMap, MapPoint, Section, Survey, SurveyWarning, walk
from engine.text import list_words, shorten
from engine.values import Brief, Outline, OutlineNode, Paper, PaperKey
from engine.writing.assembly import add_warnings, assign, frame_outline, supply_papers, tell_years
from engine.writing.composing import Composition, with_bodies
from engine.writing.drafting import Assignment, Draft, Steps, read_draft, verify_citations
from engine.writing.estimates import (
    FINDING_TOKENS,
    HEADING_TOKENS,
    PROMPT_OVERHEAD,
    TOKENS_PER_FRAME_WORD,
    with_checks,
)
from engine.writing.field_views import compose_survey
from engine.writing.model_text import HeadingText
from engine.writing.notices import with_notice
from engine.writing.planning import HEADING_CHARACTERS, PartsAnswer, Plan, outline_text

METHOD = (
    "This survey was written by a language model from groups of papers that a program found by their likeness, each "
    "section from the papers of its group."
)

TEMPERATURE, MAX_TOKENS, TOP_P = 0.6, 8_192, 0.95
"""The published parameters of the model (4.1)."""

ROUNDS = 2
"""Abstract, conclusion and title are written, then made better once."""

SHOWN_PAPERS = 40
"""Papers of a group shown for its headings; those nearest to its middle come first."""

LARGEST_PART = 12
"""A group gets one subsection for so many papers, from two to five."""

SHARED_MORE = 4 / 3
"""Papers of a subsection, as a multiple of an equal share: some speak to more than one of them."""

REFINED_WORDS, TITLE_TOKENS = 150, 20
"""Usual length of an abstract or a conclusion, and of a title."""

SENTENCES_EACH = 2
"""Of each subsection, what abstract and conclusion are written from."""

FEWEST_PLACED = 3

CONCLUSION = OutlineNode(
    "Conclusion", "What the sections show together, and what remains to be done", role="conclusion"
)


class HeadingAnswer(PartsAnswer[Plan], Plan):  # a model writes the fields of the last base first
    """A section's heading and its subsections."""


class NewHeading(TypedAnswer):
    """Another heading for the section of that number."""

    number: int
    heading: HeadingText


class OrderAnswer(TypedAnswer):
    """The sections in order, and new headings where one is needed."""

    order: list[int]
    renamed: list[NewHeading]


class TitleAnswer(TypedAnswer):
    """The survey's title."""

    title: HeadingText


def place_papers(papers: Sequence[Paper], vectors: Vectors) -> tuple[tuple[PaperKey, float, float], ...]:
    """The papers in the plane by their first two principal components; empty for fewer than three."""
    if len(papers) < FEWEST_PLACED:
        return ()
    flat = project(vectors, 2)
    return tuple((paper.key, float(x), float(y)) for paper, (x, y) in zip(papers, flat, strict=True))


def draw_groups(grouping: Outline) -> FieldMap | None:
    """The map of the groups as they are now; ``None`` where there is none."""
    group = {key: f"{i} {node.title}" for i, node in enumerate(grouping.nodes, start=1) for key in node.all_papers()}
    points = tuple(MapPoint(x, y, group[key], key) for key, x, y in grouping.places if key in group)
    return FieldMap("Groups of papers; those close together are about similar things.", points) if points else None


async def write_headings(
    brief: Brief, grouping: Outline, papers: Mapping[PaperKey, Paper], context: RunContext
) -> Outline:
    """The outline of approved groups, headings and order by the model; a group without any keeps the program's name."""
    model = context.require_model()
    nodes = [node for node in grouping.nodes if node.role == "body"]
    groups = "\n".join(
        f"{i}. {data(node.title)} ({len(node.all_papers())} papers): {data(_terms(node))}"
        for i, node in enumerate(nodes, 1)
    )
    notes: list[str] = list(grouping.notes)

    async def headed(number: int, node: OutlineNode) -> OutlineNode:
        own = [papers[key] for key in node.all_papers() if key in papers]
        parts = max(2, min(5, round(len(own) / LARGEST_PART)))
        prompt = fill(
            "cluster/heading",
            topic=data(brief.topic),
            count=str(len(nodes)),
            groups=groups,
            number=str(number),
            called=data(node.title),
            terms=data(_terms(node)),
            papers=await asyncio.to_thread(show_gists, own[:SHOWN_PAPERS]),
            parts=f"{parts}",
        )
        try:
            answer = await model.answer_typed(_request("outline", f"heading/{number}", prompt), HeadingAnswer)
        except (LanguageModelError, LimitExceeded) as error:
            notes.append(f"“{node.title}” keeps the program's name: {error}")
            return replace(node, papers=node.all_papers(), children=())
        made = [part.node() for part in answer.subsections[:parts]]
        return replace(answer.node(), children=await asyncio.to_thread(_supply_within, made, own, context))

    await context.progress(Progress("outlining", 0, len(nodes)))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(headed(i, node)) for i, node in enumerate(nodes, start=1)]
    ordered = await _order(brief, [task.result() for task in tasks], model, notes)
    return replace(
        grouping,
        nodes=(*frame_outline(ordered, brief.topic), CONCLUSION),
        is_grouping=False,
        places=(),
        notes=tuple(notes),
    )


def _supply_within(
    parts: Sequence[OutlineNode], papers: Sequence[Paper], context: RunContext
) -> tuple[OutlineNode, ...]:
    """Each subsection with the papers of the group that are nearest to it; every paper is in one of them at least."""
    if not papers:
        return tuple(parts)
    vectors = embed_papers(context.embedder, papers)
    count = min(context.limits.papers_per_node, max(3, round(SHARED_MORE * len(papers) / len(parts))))
    about = context.embedder.embed([part.describe() for part in parts])
    keys = [[paper.key for paper in nearest(papers, vectors, one, count)] for one in about]
    placed = {key for own in keys for key in own}
    for paper, closeness in zip(papers, vectors @ about.T, strict=True):
        if paper.key not in placed:
            keys[int(closeness.argmax())].append(paper.key)
    return tuple(replace(part, papers=tuple(own)) for part, own in zip(parts, keys, strict=True))


async def _order(brief: Brief, nodes: list[OutlineNode], model: LanguageModel, notes: list[str]) -> list[OutlineNode]:
    """The sections in the order of a reader; those that the answer does not name come last, in theirs."""
    prompt = fill("cluster/order", topic=data(brief.topic), outline=outline_text(Outline("", tuple(nodes))))
    try:
        answer = await model.answer_typed(_request("outline", "order", prompt), OrderAnswer)
    except (LanguageModelError, LimitExceeded) as error:
        notes.append(f"The order is the program's: {error}")
        return nodes
    for item in answer.renamed:
        if 1 <= item.number <= len(nodes):
            nodes[item.number - 1] = replace(nodes[item.number - 1], title=shorten(item.heading, HEADING_CHARACTERS))
    named = [n for n in dict.fromkeys(answer.order) if 1 <= n <= len(nodes)]
    return [nodes[n - 1] for n in (*named, *(n for n in range(1, len(nodes) + 1) if n not in named))]


async def _refine(
    survey: Survey, conclusion: str, topic: str, papers: Mapping[PaperKey, Paper], context: RunContext
) -> Survey:
    """The survey with abstract, title and conclusion, made better in rounds; what fails is reported."""
    model = context.require_model()
    warnings: list[SurveyWarning] = []
    found: dict[str, Draft] = {}
    gist: list[str] = []
    for place, section in walk(survey.sections):
        gist.append(f"{place} {data(section.title)}")
        gist += [f"- {data(claim.text)}" for claim in section.claims_in_text()[:SENTENCES_EACH]]

    async def write(name: str) -> Draft:
        prompt = fill(
            f"cluster/{name}",
            topic=data(topic),
            count=str(len(survey.references)),
            draft="\n".join(gist),
            former=data(found[name].text) if name in found else "(none)",
        )
        answer = await model.text(_request("drafting", f"{name}/{number}", prompt))
        draft = read_draft(answer, OutlineNode(name.capitalize()), survey.references)
        return await verify_citations(model, draft, topic, papers.values())

    parts = ("abstract", "conclusion") if conclusion else ("abstract",)
    for number in range(1, ROUNDS + 1):
        await context.progress(Progress("refining", number, ROUNDS))
        came: dict[str, Draft | ScholiumError] = dict(zip(parts, await try_all(map(write, parts)), strict=True))
        found |= {name: draft for name, draft in came.items() if isinstance(draft, Draft)}
        prompt = fill(
            "cluster/title",
            topic=data(topic),
            sections=data("; ".join(section.title for section in survey.sections)),
            former=data(survey.title) or "(none)",
            abstract=data(found["abstract"].text if "abstract" in found else "(none)"),
        )
        answer = await try_work(model.answer_typed(_request("drafting", f"title/{number}", prompt), TitleAnswer))
        if isinstance(answer, TitleAnswer):
            survey = replace(survey, title=shorten(answer.title, HEADING_CHARACTERS))
        for name, result in {**came, "title": answer}.items():
            if isinstance(result, ScholiumError):
                warnings.append(SurveyWarning("unfinished", name.capitalize(), f"round {number}: {result}"))
    if "abstract" in found and found["abstract"].text:
        survey = replace(survey, abstract=found["abstract"].text, tally=found["abstract"].tally)
    if (ending := found.get("conclusion")) and ending.text:
        section = Section(conclusion, ending.text, ending.claims, tally=ending.tally)
        survey = replace(survey, sections=(*survey.sections, section))
    elif ending:
        warnings.append(SurveyWarning("unfinished", conclusion, "nothing that was written held against the papers"))
    return add_warnings(with_notice(with_references(survey, papers)), warnings)


def _request(task: Task, step: str, prompt: Prompt) -> Request:
    return Request(task, step, prompt, MAX_TOKENS, TEMPERATURE, top_p=TOP_P)


def _terms(node: OutlineNode) -> str:
    return node.description.removeprefix(SET_APART)


def _introduce(node: OutlineNode, brief: Brief, outline: Outline, papers: Mapping[PaperKey, Paper]) -> Section:
    body = [(i, n) for i, n in enumerate(outline.nodes, start=1) if n.role == "body"]
    used = {key: papers[key] for _, n in body for key in n.all_papers() if key in papers}
    order = list_words(f"{n.title} (Section {i})" for i, n in body)
    return Section(
        node.title,
        f"This survey covers {brief.topic}. It draws on {len(used)} papers{tell_years(used.values())}, which fall into "
        f"{len(body)} groups by what they are about: {order}.",
    )


def plan_refinement(task: Assignment) -> list[CallChain]:
    """The calls that write abstract, conclusion and title in rounds, each with its check."""
    leaves = sum(1 for _, node in leaves_of(task.outline.nodes) if node.role == "body")
    read = leaves * (SENTENCES_EACH * FINDING_TOKENS + HEADING_TOKENS) + PROMPT_OVERHEAD
    text = PlannedCall("drafting", read, round(REFINED_WORDS * TOKENS_PER_FRAME_WORD))
    title = PlannedCall("drafting", PROMPT_OVERHEAD, TITLE_TOKENS)
    parts = 1 + any(node.role == "conclusion" for node in task.outline.nodes)
    return [*with_checks([text], REFINED_WORDS) * parts, (title,)] * ROUNDS


async def write_clustered(task: WritingTask, context: RunContext) -> Survey:
    """Sections from within each group, put together; then abstract, conclusion and title, refined in rounds."""
    included = task.selection.list_included()
    papers, outline = await with_bodies(included, context), await supply_papers(task.outline, included, context)
    nodes = outline.nodes
    first, last = nodes[0], nodes[-1]
    concludes = last.role == "conclusion"  # it is written from the finished sections
    body = replace(outline, nodes=nodes[:-1] if concludes else nodes)
    ready = {at: section for at, section in task.kept.sections if at < len(body.nodes)}
    if first.role == "introduction" and 0 not in ready:
        ready[0] = _introduce(first, task.brief, body, papers)
        await context.section_finished(ready[0], 0)
    common = assign(task.brief, body, context.attempt)
    assignment = replace(common, prompt="cluster/section", temperature=TEMPERATURE, top_p=TOP_P)
    composition = Composition(assignment, papers, context, Steps(frame=False))
    kept = replace(task.kept, sections=tuple(ready.items()))
    survey = await compose_survey(composition, replace(task, outline=body, kept=kept), METHOD)
    return await _refine(survey, last.title if concludes else "", task.brief.topic, papers, context)
