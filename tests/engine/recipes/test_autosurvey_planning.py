"""AutoSurvey's planning: how many sections, from how much of each paper, without which papers, and not from nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.app import App
from bot.commands.briefs import brief_of
from bot.commands.commands import StartSurvey
from bot.commands.grammar import parse
from bot.serving.templates import read_template
from bot.settings import load_settings
from engine.errors import UserError
from engine.llm.model import tokens_of
from engine.llm.prompting import ABSTRACT_TOKENS, GIST_TOKENS, paper_tokens
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.retrieval.libraries.combined import ExcludingLibrary
from engine.retrieval.libraries.library import EmptyLibrary
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext, WritingTask
from engine.values import Brief, FoundPaper, Keyword, KeywordPool, PaperSelection, Query
from engine.writing.planning import CHUNK_TOKENS, divide_into_chunks
from tests.fakes import FakeModel, WordEmbedder, paper, papers, whole
from tests.stand_ins.simulation import simulate_answer

BRIEF = Brief("dense retrieval", "autosurvey", sections=5, subsection_words=80)
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers(12)))


def outline_of(prompt: str, schema: str, counts: list[int]) -> str:
    if schema != "OutlineAnswer[Plan]":
        return simulate_answer(prompt, schema)
    sections = [{"title": f"Section {i}", "description": "It says."} for i in range(counts.pop(0))]
    return json.dumps({"title": "A Survey", "sections": sections})


@pytest.mark.parametrize(("counts", "made", "notes"), [([7, 5], 5, 0), ([3, 4, 4], 4, 1), ([5], 5, 0)])
async def test_exactly_the_sections_asked_for_or_it_is_said(
    library: LocalLibrary, counts: list[int], made: int, notes: int
) -> None:
    model = FakeModel(lambda prompt, schema: outline_of(prompt, schema, counts))
    outline = await AutoSurveyRecipe().outline(BRIEF, SELECTION, RunContext(library, WordEmbedder(), model=model))
    assert len(outline.nodes) == made
    assert sum("5 sections were asked for" in note for note in outline.notes) == notes
    assert counts == []


async def test_whole_abstracts_are_planned_from_as_published(library: LocalLibrary) -> None:
    for whole_abstracts in (False, True):
        model = FakeModel(simulate_answer)
        recipe = AutoSurveyRecipe(whole_abstracts=whole_abstracts)
        await recipe.outline(BRIEF, SELECTION, RunContext(library, WordEmbedder(), model=model))
        (request,) = model.asked("outline/")
        assert ("remains an open problem" in whole(request)) is whole_abstracts
    chunks = divide_into_chunks(papers(400), 0, each=ABSTRACT_TOKENS)
    assert all(sum(paper_tokens(p, ABSTRACT_TOKENS) for p in chunk) <= CHUNK_TOKENS for chunk in chunks)
    assert len(chunks) > len(divide_into_chunks(papers(400), 0, each=GIST_TOKENS))


@given(st.integers(0, 60), st.integers(0, 5), st.integers(200, 2_000))
def test_chunks_hold_every_paper_once_within_their_size(count: int, seed: int, size: int) -> None:
    chosen = papers(count)
    chunks = divide_into_chunks(chosen, seed, size)
    assert sorted(p.key for chunk in chunks for p in chunk) == sorted(p.key for p in chosen)
    filled = [sum(paper_tokens(p, GIST_TOKENS) for p in chunk) for chunk in chunks]
    assert max(filled, default=0) <= size
    assert max(filled, default=0) - min(filled, default=0) <= max(
        (paper_tokens(p, GIST_TOKENS) for p in chosen), default=0
    )
    assert chunks == divide_into_chunks(chosen, seed, size)
    assert CHUNK_TOKENS == 30_000


@pytest.mark.parametrize("recipe", [AutoSurveyRecipe(), AutoSurveyRecipe(whole_abstracts=True)])
async def test_another_outline_costs_about_what_the_last_one_did(
    library: LocalLibrary, recipe: AutoSurveyRecipe
) -> None:
    answers: list[str] = []

    def reply(prompt: str, schema: str) -> str:
        answers.append(simulate_answer(prompt, schema))
        return answers[-1]

    model, own = FakeModel(reply), papers(400)
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in own))
    outline = await recipe.outline(BRIEF, selection, RunContext(library, WordEmbedder(), model=model))
    chains = recipe.plan_outline(WritingTask(BRIEF, selection, outline))
    calls = [call for chain in chains for call in chain]
    assert len(calls) == len(chains) == len(model.requests)
    assert {call.task for call in calls} == {"outline"}
    read = sum(request.prompt.tokens() for request in model.requests)
    assert sum(call.input_tokens for call in calls) == pytest.approx(read, rel=0.1)
    assert sum(call.output_tokens for call in calls) == pytest.approx(sum(map(tokens_of, answers)), rel=0.4)


async def test_subsections_that_repeat_others_are_left_out_and_no_section_is_emptied(library: LocalLibrary) -> None:
    asked: list[str] = []

    def reply(repeated: list[str]) -> FakeModel:
        def answer(prompt: str, schema: str) -> str:
            if schema != "DuplicatesAnswer":
                return simulate_answer(prompt, schema)
            asked.append(prompt)
            return json.dumps({"repeated": repeated})

        return FakeModel(answer)

    async def parts(repeated: list[str]) -> list[tuple[str, ...]]:
        context = RunContext(library, WordEmbedder(), model=reply(repeated))
        outline = await AutoSurveyRecipe().outline(BRIEF, SELECTION, context)
        return [tuple(part.title for part in node.children) for node in outline.nodes]

    whole_outline = await parts([])
    fewer = await parts(["2.2", "3.1", *(f"4.{n}" for n in range(1, 9))])
    assert len(whole_outline[1]) > 1
    assert fewer[1] == (whole_outline[1][0], *whole_outline[1][2:])
    assert fewer[2] == whole_outline[2][1:]
    assert fewer[3] == whole_outline[3][:1]
    assert f"2.2 {whole_outline[1][1]}" in asked[0] and "dense retrieval" in asked[0]


async def test_what_is_left_out_is_found_by_no_search(library: LocalLibrary) -> None:
    hidden, survey = papers(2)[1], paper(300, title="Dense Retrieval: A Survey")
    await library.add([survey])
    await library.index(lambda _: None)
    brief = Brief("dense retrieval", without=(hidden.key, "surveys"))
    within = ExcludingLibrary(library, brief)
    for ranking in ("survey", "relevance", "title"):
        found = await within.search(Query(hidden.title, 20, ranking))
        assert not {hidden.key, survey.key} & {item.paper.key for item in found}
        assert found
    assert await within.get([hidden.key]) == []
    selection = await AutoSurveyRecipe().papers(
        brief, KeywordPool((Keyword("dense retrieval", "topic"),)), 30, RunContext(library, WordEmbedder())
    )
    assert not {hidden.key, survey.key} & {paper.key for paper in selection.list_included()}


def test_identifiers_left_out_are_read_and_anything_else_is_refused(library: LocalLibrary) -> None:
    defaults = App(load_settings()).defaults()
    said = parse("survey dense retrieval without=10.1145/3397271.3401075,arXiv:2005.11401,surveys")
    assert isinstance(said, StartSurvey)
    brief = brief_of(said, defaults)
    assert brief.without == ("doi:10.1145/3397271.3401075", "arxiv:2005.11401", "surveys")
    assert brief.topic == "dense retrieval"
    with pytest.raises(UserError, match="no identifier of a paper"):
        brief_of(StartSurvey("dense retrieval", {"without": "that one"}), defaults)


async def test_papers_without_a_word_of_content_are_no_survey(library: LocalLibrary) -> None:
    bare = PaperSelection(tuple(FoundPaper(paper(n, abstract=""), 1.0) for n in range(4)))
    model = FakeModel(simulate_answer)
    with pytest.raises(UserError, match=re.escape("0 of these 4 have one")):
        await AutoSurveyRecipe().outline(BRIEF, bare, RunContext(library, WordEmbedder(), model=model))
    assert model.requests == []


async def test_what_repeats_another_part_is_judged_by_what_the_parts_are_to_say(library: LocalLibrary) -> None:
    model = FakeModel(simulate_answer)
    outline = await AutoSurveyRecipe().outline(BRIEF, SELECTION, RunContext(library, WordEmbedder(), model=model))
    asked = model.asked("duplicates")[0].prompt.question
    parts = [part for top in outline.nodes for part in top.children]
    assert parts and all(f"{part.title}: {part.description}" in asked for part in parts)


TEMPLATE = """# Our group's reviews

## Introduction
## Retrievers
How queries and passages are encoded.
### Dense encoders
Two towers and their training.
### Dense indexes
## Evaluation
Benchmarks and measures, with figures.
"""


async def test_a_template_decides_the_sections_and_the_model_divides_what_it_leaves_whole() -> None:
    brief = Brief("dense retrieval", "autosurvey", audience="a panel", style="short", template=read_template(TEMPLATE))
    model = FakeModel(simulate_answer)
    outline = await AutoSurveyRecipe().outline(
        brief, SELECTION, RunContext(EmptyLibrary(), WordEmbedder(), model=model)
    )
    assert [node.title for node in outline.nodes] == ["Introduction", "Retrievers", "Evaluation"]
    assert [node.role for node in outline.nodes] == ["introduction", "body", "body"]
    introduction, retrievers, evaluation = outline.nodes
    assert not introduction.children
    assert [part.title for part in retrievers.children] == ["Dense encoders", "Dense indexes"]
    assert all(part.papers for part in retrievers.children)
    assert retrievers.description == "How queries and passages are encoded."
    assert evaluation.children
    assert [request.step for request in model.requests] == ["subsections/Evaluation"]
    assert "dense retrieval (written for a panel; in this style: short)" in whole(model.requests[0])


@pytest.mark.parametrize("text", ["", "no heading", "# One", "# One\n## Two", "#\n#\n#", "# A\n" * 31])
def test_a_file_that_is_no_template_is_refused_with_what_one_looks_like(text: str) -> None:
    with pytest.raises(UserError, match="A template has 2 to 30 headings"):
        read_template(text)


@pytest.mark.parametrize("text", ["# One\n# " + "a" * 201, "# One\n" + "word " * 121 + "\n# Two"])
def test_what_is_too_long_for_a_template_is_said_and_not_cut(text: str) -> None:
    with pytest.raises(UserError, match="characters; a template takes"):
        read_template(text)


def test_templates_have_names_in_chat_and_may_be_files_in_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    app, home = App(load_settings()), load_settings().home / "templates"
    home.mkdir(parents=True)
    (home / "review.md").write_text(TEMPLATE)
    (tmp_path / "own.md").write_text("# A\n# B")
    words = "survey bees recipe=autosurvey library=online template={}"
    started = parse(words.format("review"))
    assert isinstance(started, StartSurvey)
    assert len(brief_of(started, app.defaults()).template) == 3
    path = parse(words.format(tmp_path / "own.md"))
    assert isinstance(path, StartSurvey)
    with pytest.raises(UserError, match=r"There is no template .* there are: review"):
        brief_of(path, app.defaults())
    assert len(brief_of(path, app.defaults_for("rag", tmp_path)).template) == 2
    other = parse(words.format("review").replace("autosurvey", "surveyx"))
    assert isinstance(other, StartSurvey)
    with pytest.raises(UserError, match="template= works with recipe=autosurvey; surveyx plans"):
        brief_of(other, app.defaults())
