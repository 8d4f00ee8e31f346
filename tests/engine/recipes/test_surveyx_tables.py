"""Tables and figures of a survey by SurveyX: values, traced to papers, in the formats."""

from __future__ import annotations

import json
import re
from itertools import combinations

import pytest

from engine.addresses import number_sentences
from engine.citations import list_cited_keys
from engine.reading.trees.attribute_trees import AttributeValue, TreeKind, complete_tree
from engine.reading.trees.forests import MemoryForest
from engine.reading.trees.tree_making import take_text
from engine.recipes.surveyx import SurveyXRecipe
from engine.recipes.surveyx_material import Material
from engine.recipes.surveyx_tables import TablePlan, fill_table, plan_benchmarks, plan_comparison, section_taxonomy
from engine.rendering.figures.drawing import Box
from engine.rendering.figures.pictures import draw_taxonomy
from engine.rendering.markdown import render_markdown
from engine.survey import Branch, Citation, Claim, Section, Survey, Taxonomy, walk
from engine.values import Paper, PaperKey
from tests.engine.recipes.test_surveyx import EVERYTHING, context, whole_survey
from tests.fakes import FakeModel, papers, whole
from tests.stand_ins.simulation import simulate_answer


async def survey_with_forest() -> tuple[Survey, MemoryForest, FakeModel]:
    model, forest = FakeModel(simulate_answer), MemoryForest()
    _, survey = await whole_survey(context(model, forest))
    return survey, forest, model


async def test_tables_and_figures_are_values_traced_to_papers() -> None:
    survey, forest, _ = await survey_with_forest()
    tables = [table for _, section in walk(survey.sections) for table in section.tables]
    trees = await forest.get([p.key for p in EVERYTHING])
    assert tables
    for table in tables:
        assert "{}" in table.introduction
        assert len(table.rows) >= 3
        assert all(len(row) == len(table.header) for row in table.rows)
        for item in table.evidence:
            cell = table.rows[item.row][item.column]
            assert list_cited_keys(table.rows[item.row][0]) == (item.citation.key,)
            assert item.citation.quote in {v.quote for _, v in trees[item.citation.key].list_known()}
            assert cell.rstrip("…") in " ".join(v.text for _, v in trees[item.citation.key].list_known())
        filled = sum(cell != "–" for row in table.rows for cell in row[1:])
        assert len(table.evidence) == filled
    figures = [f for _, s in walk(survey.sections) for f in s.figures if isinstance(f, Taxonomy)]
    assert figures[0].root.label == survey.title
    assert [b.label for b in figures[0].root.children] == [s.title for s in survey.sections if s.sections]


async def test_a_table_is_introduced_by_its_number_and_a_taxonomy_is_a_nested_list() -> None:
    survey, _, _ = await survey_with_forest()
    document = render_markdown(survey)
    introduced = [line for line in document.split("\n") if line.startswith("Table 1 compares ")]
    assert len(introduced) == 1
    assert document.index(introduced[0]) < document.index("**Table 1.**")
    assert "Figure 1 shows how this survey divides the field." in document
    assert f"\n- {survey.title}\n  - " in document
    assert "{}" not in document


async def test_without_tables_none_are_asked_for() -> None:
    model = FakeModel(simulate_answer)
    _, survey = await whole_survey(context(model), SurveyXRecipe(draw_tables=False))
    assert model.asked("cells/") == []
    assert not any(section.tables or section.figures for _, section in walk(survey.sections))


def material_of(kinds: dict[TreeKind, list[Paper]], fields: tuple[str, ...]) -> Material:
    trees = {}
    for kind, some in kinds.items():
        for paper in some:
            read = number_sentences(take_text(paper, None, 1_000))
            texts = {name: read[i].text for i, name in enumerate(fields)}
            values = {name: AttributeValue(text, text, "abstract", "Abstract") for name, text in texts.items()}
            trees[paper.key] = complete_tree(paper, kind, values)
    return Material({p.key: p for some in kinds.values() for p in some}, trees)


def section_citing(keys: list[PaperKey]) -> Section:
    claims = tuple(Claim(f"A claim [@{k}].", (Citation(k, "", "supported"),)) for k in keys)
    return Section("Part", " ".join(claim.text for claim in claims), claims)


def test_a_comparison_has_the_kind_that_most_papers_are_and_the_columns_that_most_have() -> None:
    methods, surveys = papers(4), papers(2, "graph", 101)
    material = material_of({"method": methods}, ("method.description", "conclusion"))
    other = material_of({"survey": surveys}, ("background.scope",))
    both = Material({**material.papers, **other.papers}, {**material.trees, **other.trees})
    plan = plan_comparison(section_citing([p.key for p in (*surveys, *methods)]), "2", both)
    assert plan is not None
    assert plan.keys == tuple(p.key for p in methods)
    assert plan.columns == {"Approach": ("method.description",), "Finding": ("conclusion",)}
    assert plan_comparison(section_citing([p.key for p in methods[:2]]), "2", both) is None
    one_column = material_of({"method": methods}, ("method.description",))
    assert plan_comparison(section_citing([p.key for p in methods]), "2", one_column) is None


async def test_benchmarks_get_a_table_from_eight_on_where_most_are_cited() -> None:
    known = papers(9)
    material = material_of({"benchmark": known}, ("dataset.desc", "problem.definition"))
    sections = [section_citing([known[0].key]), section_citing([p.key for p in known])]
    plan = plan_benchmarks(sections, material)
    assert plan is not None
    assert (plan.place, len(plan.keys)) == ("2", 9)
    table = await fill_table(FakeModel(lambda _, __: json.dumps({"cells": []})), plan, material, [])
    assert table.header == ("Benchmark", "Size", "Domain", "Task", "Metric")
    assert {item.column for item in table.evidence} == {1, 2, 3}
    assert plan_benchmarks([section_citing([p.key for p in known[:7]])], material) is None


async def test_a_cell_that_the_paper_does_not_bear_is_not_taken() -> None:
    known = papers(3)
    material = material_of({"method": known}, ("method.description",))
    said = {known[0].key: "ignores the passage index", known[1].key: "wins by 99 points", "other:1": "x"}
    cells = [{"key": key, "column": "Approach", "text": text} for key, text in said.items()]
    model = FakeModel(lambda _, __: json.dumps({"cells": cells}))
    plan = TablePlan("1", "C", "{} c.", tuple(p.key for p in known), {"Approach": ("method.description",)})
    table = await fill_table(model, plan, material, [])
    assert table.rows[0][1] == "ignores the passage index"
    assert table.rows[1][1].startswith("Systems for dense retrieval often ignore")
    assert "99" not in table.rows[1][1]
    assert {key in whole(model.requests[0]) for key in (p.key for p in known)} == {True}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("requires labelled passages and a query encoder", "The query encoder requires no labelled passages."),
        ("the query encoder lowers recall on passages", "The query encoder raises recall on passages."),
        ("always outperforms BM25 in passage recall", "It is often close to BM25 in passage recall."),
    ],
)
async def test_a_cell_whose_value_says_otherwise_than_its_sentences_is_their_words(said: str, words: str) -> None:
    known = papers(1)
    read = AttributeValue(said, words, "abstract", "Abstract")
    tree = complete_tree(take_text(known[0], None, 1_000), "method", {"conclusion": read})
    model = FakeModel(lambda _, __: json.dumps({"cells": []}))
    plan = TablePlan("1", "C", "{} c.", (known[0].key,), {"Finding": ("conclusion",)})
    table = await fill_table(model, plan, Material({known[0].key: known[0]}, {known[0].key: tree}), [])
    assert table.rows[0][1] == f"“{words.rstrip('.')}”"
    assert table.evidence[0].citation.verdict == "quoted"


@pytest.mark.parametrize(
    ("said", "value", "shown"),
    [
        ("Up to 2.70x over Medusa", "Up to 1.31x over Medusa and 2.70x over plain decoding.", ""),
        ("2.70x over plain decoding", "Up to 1.31x over Medusa and 2.70x over plain decoding.", "it"),
        ("Medusa: 2.70x", "Up to 1.31x over Medusa and 2.70x over plain decoding.", ""),
        ("70% lower latency", "A 70% reduction in FLOPs; latency is not measured.", ""),
        ("70% fewer FLOPs", "A 70% reduction in FLOPs.", ""),
        ("Speedup of 2.04x on Alpaca", "Speedup of 2.04x on Alpaca and 2.26x on GSM8K.", "it"),
        ("13B language models", "Tested on 7B and 13B language models.", "it"),
    ],
)
async def test_a_figure_in_a_cell_stands_by_the_words_it_stands_by_in_the_paper(
    said: str, value: str, shown: str
) -> None:
    known = papers(1)
    tree = complete_tree(
        take_text(known[0], None, 1_000), "method", {"conclusion": AttributeValue(value, value, "abstract", "Abstract")}
    )
    cell = {"key": known[0].key, "column": "Finding", "text": said}
    model = FakeModel(lambda _, __: json.dumps({"cells": [cell]}))
    plan = TablePlan("1", "C", "{} c.", (known[0].key,), {"Finding": ("conclusion",)})
    table = await fill_table(model, plan, Material({known[0].key: known[0]}, {known[0].key: tree}), [])
    assert table.rows[0][1] == (said if shown else value.rstrip("."))


def test_a_large_section_shows_the_works_it_cites_most() -> None:
    known = papers(8)
    parts = tuple(
        Section(f"Part {i}", "", section_citing([known[i].key, known[i].key, known[i + 3].key]).claims)
        for i in range(3)
    )
    drawn = section_taxonomy(Section("Whole", "", sections=parts), {p.key: p for p in known})
    assert drawn is not None
    assert [[work.key for work in branch.children] for branch in drawn.root.children] == [
        [known[i].key, known[i + 3].key] for i in range(3)
    ]
    assert section_taxonomy(Section("Whole", "", sections=parts[:2]), {}) is None


def test_headings_stand_whole_in_a_taxonomy_and_no_box_covers_another() -> None:
    heading = "Knowledge Distillation and Model-Agnostic Aggregation Across Heterogeneous Clients"
    parts = tuple(Branch(f"{heading} {i}") for i in range(4))
    root = Branch(f"A Survey of {heading}", children=tuple(Branch(f"{i} {heading}", children=parts) for i in range(3)))
    drawn = draw_taxonomy(Taxonomy("Caption.", root), {}).svg()
    assert "…" not in drawn
    edges = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', drawn)
    boxes = [Box(*map(float, edge)) for edge in edges]
    assert len(boxes) == 16
    assert not any(a.overlap(b) for a, b in combinations(boxes, 2))
    assert all(box.x >= 0 and box.x + box.width <= 720 for box in boxes)
