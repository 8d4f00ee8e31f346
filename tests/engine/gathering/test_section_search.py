"""Each subsection is written from the whole library: papers that its description finds, within the topic (A26)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.gathering.subsection_papers import search_sections
from engine.limits import Limits
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.retrieval.libraries.local import LocalLibrary, create_library
from engine.run import RunContext, WritingTask
from engine.values import Brief, FoundPaper, LeftOut, Outline, OutlineNode, Paper, PaperKey, PaperSelection
from tests.fakes import FakeModel, WordEmbedder, paper, papers
from tests.stand_ins.simulation import simulate_answer

BRIEF = Brief("dense retrieval", "autosurvey", sections=4, subsection_words=80)
PROPOSED = papers(30)
BEYOND = [paper(n, title=f"Dense Retrieval for Zebra Crossings {n}") for n in range(500, 506)]
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0, tier="core") for p in PROPOSED))


@pytest.fixture
async def wide(tmp_path: Path) -> LocalLibrary:
    """A library with more on the topic than was proposed, and papers of other subjects."""
    made = await create_library(tmp_path / "wide", WordEmbedder())
    await made.add([*PROPOSED, *BEYOND, *papers(20, "vision", 201)])
    await made.index(lambda _: None)
    return made


def plan(*papers: Paper) -> Outline:
    crossings = OutlineNode("Zebra Crossings", "dense retrieval of zebra crossings", tuple(p.key for p in papers))
    labels = OutlineNode("Pixel Labels", "image segmentation and pixel labels", tuple(p.key for p in PROPOSED[:4]))
    return Outline("Dense Retrieval", (OutlineNode("Uses", children=(crossings, labels)),))


async def test_a_section_gets_papers_of_the_library_that_were_not_proposed(wide: LocalLibrary) -> None:
    context = RunContext(wide, WordEmbedder(), Limits(papers_per_node=8))
    outline, brought = await search_sections(plan(*PROPOSED[:4]), BRIEF, SELECTION, context)
    crossings, labels = outline.nodes[0].children
    assert {p.key for p in BEYOND} <= set(crossings.papers) and len(crossings.papers) == 8
    assert [r.keyword for item in brought for r in item.reasons if item.paper in BEYOND].count(crossings.title) == 6
    # No paper about images was proposed, and the description of a section brings none: they are far from the topic.
    assert all(item.paper.key not in {p.key for p in papers(20, "vision", 201)} for item in brought)
    assert set(labels.papers) >= {p.key for p in PROPOSED[:4]}


async def test_what_was_excluded_stays_so(wide: LocalLibrary) -> None:
    out, refused, old = BEYOND[0], BEYOND[1], BEYOND[2]
    selection = replace(
        SELECTION,
        found=(*SELECTION.found, FoundPaper(out, 1.0)),
        excluded=(out.key,),
        left_out=(LeftOut(refused, "not relevant", "of another road"),),
    )
    await wide.add([replace(old, retracted=True)])
    await wide.index(lambda _: None)
    outline, _ = await search_sections(plan(out), BRIEF, selection, RunContext(wide, WordEmbedder()))
    given = set(outline.nodes[0].children[0].papers)
    assert given.isdisjoint({out.key, refused.key, old.key}) and BEYOND[3].key in given


async def test_what_a_section_brought_in_is_cited_and_stands_among_the_surveys_papers(wide: LocalLibrary) -> None:
    context = RunContext(wide, WordEmbedder(), Limits(papers_per_node=6), FakeModel(simulate_answer))
    written = await AutoSurveyRecipe().write_candidates(WritingTask(BRIEF, SELECTION, plan()), context)
    (candidate,) = written.candidates
    cited: set[PaperKey] = {p.key for p in candidate.survey.references}
    brought = {item.paper.key for item in candidate.papers.found} - {p.key for p in PROPOSED}
    assert brought and brought <= cited and brought <= {p.key for p in BEYOND}
    assert candidate.outline == plan()
