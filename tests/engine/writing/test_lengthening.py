"""A survey that would miss its length class is written on, in its shortest parts and from their own papers."""

from __future__ import annotations

import re

import pytest

from bot.bench.simulation import simulate_answer
from engine.limits import length_class
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext, WritingTask
from engine.session.kept_text import find_texts, leaves_of
from engine.survey import Section
from engine.values import Brief, FoundPaper, Outline, OutlineNode, PaperSelection
from engine.writing.lengthening import FEWEST_WORDS, share_out
from engine.writing.notices import count_tokens, state_length
from tests.fakes import FakeModel, WordEmbedder, claim, papers, whole

PAPERS = papers(300)
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in PAPERS))
BRIEF = Brief("dense retrieval", "autosurvey", length="8k")
OUTLINE = Outline(
    "A Survey",
    tuple(
        OutlineNode(f"Part {at}", f"About {at}", tuple(p.key for p in PAPERS[at * 25 : at * 25 + 25]))
        for at in range(12)
    ),
)


def brief_at_first(prompt: str, schema: str) -> str:
    """A model whose drafts are little more than half as long as asked for, and which writes on as asked."""
    if not schema and "Write on from there" not in prompt:
        prompt = re.sub(r"more than (\d+) words", lambda m: f"more than {int(m[1]) * 11 // 20} words", prompt)
    return simulate_answer(prompt, schema)


async def test_drafts_that_are_too_short_together_are_written_on_and_checked(library: LocalLibrary) -> None:
    model = FakeModel(brief_at_first)
    finished: dict[int, list[Section]] = {}

    async def see(section: Section, position: int) -> None:
        finished.setdefault(position, []).append(section)

    context = RunContext(library, WordEmbedder(), model=model, section_finished=see)
    survey = await AutoSurveyRecipe().write(WritingTask(BRIEF, SELECTION, OUTLINE), context)
    added = model.asked("lengthen/")
    assert added
    titles = {node.title: node for _, node in leaves_of(OUTLINE.nodes)}
    for request in added:
        shown = re.findall(r'<paper key="([^"]+)">', whole(request))
        assert set(shown) == set(titles[request.step.split("/")[-1]].papers)
    assert length_class(count_tokens(survey.sections)) == "8k"
    assert not [w for w in state_length(BRIEF, survey).warnings if w.kind == "length"]
    parts = find_texts(OUTLINE, dict(enumerate(survey.sections)))
    longer = [
        parts[number]
        for number, node in leaves_of(OUTLINE.nodes)
        if f"lengthen/0/0/{node.title}" in {r.step for r in added}
    ]
    assert all(part.tally and part.tally.unchecked == 0 for part in longer)
    assert all(finished[position][-1].text == section.text for position, section in enumerate(survey.sections))


async def test_what_was_finished_before_is_not_written_on(library: LocalLibrary) -> None:
    model = FakeModel(brief_at_first)
    own = {i: Section(node.title, "Short.", (claim(PAPERS[i * 25], "x"),)) for i, node in enumerate(OUTLINE.nodes[:11])}
    context = RunContext(library, WordEmbedder(), model=model)
    survey = await AutoSurveyRecipe().write(WritingTask(BRIEF, SELECTION, OUTLINE, own), context)
    assert {request.step.split("/")[-1] for request in model.asked("lengthen/")} == {"Part 11"}
    assert [section.text for section in survey.sections[:11]] == ["Short."] * 11
    assert any("8k was asked for" in w.detail for w in state_length(BRIEF, survey).warnings)


async def test_where_it_is_asked_how_long_each_part_is_nothing_is_written_on(library: LocalLibrary) -> None:
    model = FakeModel(brief_at_first)
    brief = Brief("dense retrieval", "autosurvey", subsection_words=200)
    await AutoSurveyRecipe().write(
        WritingTask(brief, SELECTION, OUTLINE), RunContext(library, WordEmbedder(), model=model)
    )
    assert model.asked("lengthen/") == []


@pytest.mark.parametrize(
    ("tokens", "parts", "most", "added"),
    [
        (0, 5, 300, []),
        (1_000, 0, 300, []),
        (10, 5, 300, [FEWEST_WORDS]),
        (900, 5, 300, [250] * 3),
        (90_000, 2, 300, [300] * 2),
    ],
)
def test_what_is_missing_is_shared_out_among_few_parts(tokens: int, parts: int, most: int, added: list[int]) -> None:
    assert share_out(tokens, parts, most) == added
