"""Groups with a language model: approved, headed, written from within, framed; and the baselines beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from engine.citations import list_cited_keys
from engine.llm.model import Request, strict_schema
from engine.naming.grouping import GroupingOptions
from engine.recipes.cluster import ClusterRecipe
from engine.recipes.organiser import OrganiserRecipe
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext, WritingTask
from engine.session.outline_edits import add, merge, place_paper
from engine.survey import Survey, walk
from engine.values import Brief, FoundPaper, Outline, OutlineNode, PaperKey, PaperSelection, walk_outline
from engine.writing.clustered import HeadingAnswer, draw_groups
from engine.writing.division import divide_section
from tests.fakes import FakeModel, WordEmbedder, papers
from tests.stand_ins.simulation import simulate_answer

GATHERED = [*papers(14), *papers(12, "graph", 101), *papers(12, "vision", 201)]
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in GATHERED))
BRIEF = Brief("learned representations", "cluster", "main", subsection_words=60)


def thinking() -> FakeModel:
    return FakeModel(simulate_answer)


def context(library: LocalLibrary, model: FakeModel, **changes: Any) -> RunContext:
    return RunContext(library, WordEmbedder(), model=model, **changes)


async def grouped(library: LocalLibrary, model: FakeModel, recipe: ClusterRecipe | None = None) -> Outline:
    return await (recipe or ClusterRecipe()).outline(BRIEF, SELECTION, context(library, model))


async def test_groups_are_proposed_before_any_heading_is_written(library: LocalLibrary) -> None:
    model = thinking()
    grouping = await grouped(library, model)
    assert grouping.is_grouping
    assert not model.requests
    assert {k for node in grouping.nodes for k in node.all_papers()} == {p.key for p in GATHERED}
    figure = draw_groups(grouping)
    assert figure and len(figure.points) == len(GATHERED)


def test_a_heading_is_asked_for_before_what_it_is_divided_into() -> None:
    assert list(strict_schema(HeadingAnswer)["properties"]) == ["title", "description", "subsections"]


async def test_a_section_that_a_person_adds_gets_its_papers_when_it_is_written(library: LocalLibrary) -> None:
    run = context(library, thinking())
    outline = await ClusterRecipe().headings(BRIEF, SELECTION, await grouped(library, thinking()), run)
    longer = add("Graph attention for retrieval").apply(outline)
    survey = await ClusterRecipe().write(WritingTask(BRIEF, SELECTION, longer), run)
    added = next(section for section in survey.sections if section.title == "Graph attention for retrieval")
    assert list_cited_keys(added.text)


async def test_people_merge_and_move_papers(library: LocalLibrary) -> None:
    grouping = await grouped(library, thinking())
    count = len(grouping.nodes)
    merged = merge("1", "2").apply(grouping)
    assert len(merged.nodes) == count - 1
    stranger = grouping.nodes[0].all_papers()[0]
    moved = place_paper(grouping, next(paper for paper in GATHERED if paper.key == stranger), "2")
    assert stranger not in moved.nodes[0].all_papers()
    assert stranger in moved.nodes[1].all_papers()
    assert draw_groups(moved) != draw_groups(grouping)


@pytest.mark.parametrize("approved", [False, True])
async def test_a_section_without_parts_is_divided_by_its_papers(library: LocalLibrary, *, approved: bool) -> None:
    graphs, images = (tuple(p.key for p in group) for group in (GATHERED[14:26], GATHERED[26:]))
    hints = (graphs[0], images[0], graphs[0], PaperKey("gone"), images[1])
    nodes = (OutlineNode("Graphs; Images", papers=(*graphs, *images), hint_papers=hints), OutlineNode("Retrieval"))
    outline = Outline("A Survey", nodes, is_grouping=not approved)
    divided = divide_section(outline, "1", SELECTION, BRIEF.topic, context(library, thinking()))
    assert {frozenset(node.papers) for node in divided.nodes} == {frozenset(graphs), frozenset(images), frozenset()}
    assert divided.nodes[-1].title == "Retrieval"
    assert len({node.title for node in divided.nodes}) == 3
    assert divided.is_grouping == outline.is_grouping
    assert {node.hint_papers for node in divided.nodes} == {(graphs[0],) * 2, images[:2], ()}


async def test_papers_that_are_all_alike_are_divided_too(library: LocalLibrary) -> None:
    same = tuple(replace(paper, title="Graphs", abstract="Of graphs.") for paper in GATHERED[:7])
    selection = PaperSelection(tuple(FoundPaper(paper, 1.0) for paper in same))
    outline = Outline("A Survey", (OutlineNode("Graphs", papers=tuple(p.key for p in same)),), is_grouping=True)
    divided = divide_section(outline, "1", selection, BRIEF.topic, context(library, thinking()))
    assert sorted(len(node.papers) for node in divided.nodes) == [3, 4]


async def test_headings_come_from_terms_and_papers_of_the_approved_groups(library: LocalLibrary) -> None:
    model = thinking()
    grouping = await grouped(library, model)
    outline = await ClusterRecipe().headings(BRIEF, SELECTION, grouping, context(library, model))
    assert not outline.is_grouping
    asked = model.asked("heading/")
    assert len(asked) == len(grouping.nodes)
    for request in asked:  # side by side, in any order
        group = grouping.nodes[int(request.step.split("/")[1].partition("#")[0]) - 1]
        shown = set(re.findall(r'<paper key="([^"]+)">', request.prompt.question))
        assert shown <= set(group.all_papers())  # retrieval stays within the group
        assert group.description.removeprefix("Set apart by: ").split(", ")[0] in request.prompt.question
    bodies = [node for node in outline.nodes if node.role == "body"]
    assert all(node.children for node in bodies)
    assert {k for node in bodies for k in node.all_papers()} == {p.key for p in GATHERED}


async def test_prompts_have_the_four_parts_and_the_published_parameters(library: LocalLibrary) -> None:
    model = thinking()
    await written(library, model)
    for step in ("heading/", "abstract/", "conclusion/", "title/", "draft/"):
        assert model.asked(step)
        for request in model.asked(step):
            text = f"{request.prompt.shared}\n{request.prompt.question}"
            assert all(f"## {part}" in text for part in ("Question", "Note", "Structure", "Guideline"))
            assert (request.temperature, request.top_p) == (0.6, 0.95)
            assert request.max_tokens == 8_192 or step == "draft/"


async def written(library: LocalLibrary, model: FakeModel) -> Survey:
    recipe, at = ClusterRecipe(), context(library, model)
    grouping = await recipe.outline(BRIEF, SELECTION, at)
    outline = await recipe.headings(BRIEF, SELECTION, grouping, at)
    return await recipe.write(WritingTask(BRIEF, SELECTION, outline), at)


async def test_sections_are_written_from_their_group_and_the_frame_is_refined_in_rounds(library: LocalLibrary) -> None:
    model = thinking()
    survey = await written(library, model)
    assert [request.step for request in model.asked("title/")] == ["title/1", "title/2"]
    assert "(none)" in model.asked("abstract/1")[0].prompt.question
    assert "(none)" not in model.asked("abstract/2")[0].prompt.question
    assert survey.title == "A Survey of learned representations"
    known = {p.key for p in survey.references}
    assert set(list_cited_keys(survey.abstract)) <= known
    claims = [claim for _, section in walk(survey.sections) for claim in section.claims]
    assert claims
    assert {c.verdict for claim in claims for c in claim.citations} <= {"supported", "quoted", "unchecked"}
    assert [w.place for w in survey.warnings if w.kind == "unfinished"] == []
    assert survey.sections[-1].title == "Conclusion"
    assert next(value for name, value in survey.facts if name == "Grouping").startswith("4 groups by k-means.")


async def test_random_grouping_keeps_the_number_of_groups(library: LocalLibrary) -> None:
    real = await grouped(library, thinking())
    chance = await grouped(library, thinking(), ClusterRecipe(options=GroupingOptions(random_groups=True)))
    assert len(chance.nodes) == len(real.nodes)
    assert "drawn at random" in " ".join(chance.notes)
    assert "drawn at random" not in " ".join(real.notes)
    assert "drawn at random" in chance.method and real.method.startswith(f"{len(real.nodes)} groups by k-means.")

    def sets(outline: Outline) -> set[frozenset[PaperKey]]:
        return {frozenset(node.all_papers()) for node in outline.nodes}

    assert sets(chance) != sets(real)


async def test_the_organisers_baseline_has_its_five_steps(library: LocalLibrary) -> None:
    model = thinking()
    recipe, at = OrganiserRecipe(), context(library, model)
    brief = replace(BRIEF, recipe="organiser", sections=3)
    outline = await recipe.outline(brief, SELECTION, at)
    titles = model.asked("outline")[0].prompt.shared
    assert all(p.title in titles for p in GATHERED)
    assert not any(p.abstract in titles for p in GATHERED)  # titles only
    survey = await recipe.write(WritingTask(brief, SELECTION, outline), at)
    assert len(model.asked("parts/")) == 3
    assert len(model.asked("frame")) == 1
    assert not model.asked("check")
    assert survey.sections[-1].title == "Summary"
    assert survey.abstract.startswith("This survey follows")
    drafts: dict[str, Request] = {r.step.split("/")[-1]: r for r in model.asked("draft/")}
    for _, node in walk_outline(outline.nodes):
        if not node.children and node.title in drafts:
            shown = set(re.findall(r'<paper key="([^"]+)">', drafts[node.title].prompt.question))
            assert shown <= set(node.papers)


async def test_a_reading_map_has_as_many_sections_as_were_asked_for(library: LocalLibrary) -> None:
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers(60)))
    context = RunContext(library, WordEmbedder())
    outline = await ClusterRecipe().outline(replace(BRIEF, sections=6), selection, context)
    assert len(outline.nodes) == 6


async def test_papers_that_dbscan_tells_nothing_apart_of_are_clustered_by_k_means_and_that_is_said(
    library: LocalLibrary,
) -> None:
    alike = [replace(p, title="Bee dances in colonies", abstract="Bee dances tell where food is.") for p in papers(60)]
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in alike))
    recipe = ClusterRecipe(options=GroupingOptions("dbscan"))
    outline = await recipe.outline(BRIEF, selection, RunContext(library, WordEmbedder()))
    assert "groups by k-means." in outline.method
    assert "DBSCAN told no groups apart here; these are by k-means." in outline.method
    assert "by DBSCAN" not in outline.method
