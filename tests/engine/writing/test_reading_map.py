"""A survey without a language model: which words are quoted where, what is counted, what is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.citations import list_cited_keys
from engine.evidence import is_quoted
from engine.overview import Turn
from engine.paper_kinds import is_evaluation, is_survey
from engine.values import Brief, Outline, OutlineNode, Paper
from engine.writing.definitions import find_definition
from engine.writing.field_overview import (
    Line,
    choose_starting_points,
    draw_time_line,
    write_overview,
)
from engine.writing.open_problems import find_open_problems
from engine.writing.quotation import quote_contribution, quote_finding
from engine.writing.reading_map import SET_APART, collect_material, lines_of, write_line, write_open_problems
from tests.fakes import paper

PROBLEM = "Semantic parsing is the task of mapping sentences to logical forms."
GAP = "However, earlier parsers still struggle with unseen schemas."
PROPOSES = "In this paper, we propose TreeParse, a parser that reads the schema before the question."
LONG = (
    "We introduce a framework that links tables to questions with a graph encoder trained on pairs of questions and "
    "schemas, which allows the decoder to copy column names directly, and we study how much each part of it helps."
)
FINDS = "Experiments show that TreeParse outperforms the best published parser on the WikiSQL dataset by 4.2%."
FAILS = "Human evaluation shows that even the best parsers still struggle with nested questions."


def about_parsing(number: int, *sentences: str, title: str = "", **fields: Any) -> Paper:
    chosen = sentences or (PROBLEM, GAP, PROPOSES, FINDS)
    return paper(number, title=title or f"Semantic Parsing {number}", abstract=" ".join(chosen), **fields)


def test_the_contribution_is_quoted_without_its_opening_formula() -> None:
    quotation = quote_contribution(about_parsing(1))
    assert quotation is not None
    assert quotation.cell == "“… we propose TreeParse, a parser that reads the schema before the question”"
    assert is_quoted(quotation.words, about_parsing(1))


def test_a_long_opening_is_never_cut_inside_a_clause() -> None:
    basis = (
        "Based on the finding that parsers of new schemas often give columns names that are unlike the former columns'"
    )
    quotation = quote_contribution(about_parsing(1, PROBLEM, f"{basis} names, we propose TreeParse.", FINDS))
    assert quotation is not None
    assert quotation.shown.removeprefix("… ").startswith(("Based on", "we propose"))


def test_where_more_is_to_be_read_is_no_finding() -> None:
    quotation = quote_finding(about_parsing(1, PROBLEM, PROPOSES, "See our project page for all results and details."))
    assert quotation is None


def test_an_abstract_in_quotation_marks_is_read_sentence_by_sentence() -> None:
    quotation = quote_contribution(about_parsing(1, f'"{PROBLEM}', GAP, PROPOSES, f'{FINDS}"'))
    assert quotation is not None
    assert quotation.words.startswith("we propose TreeParse")


def test_a_long_sentence_is_cut_at_the_end_of_a_clause_with_an_ellipsis() -> None:
    quotation = quote_contribution(about_parsing(1, PROBLEM, LONG, FINDS))
    assert quotation is not None
    assert quotation.shown.endswith("copy column names directly …")
    assert is_quoted(quotation.words, about_parsing(1, PROBLEM, LONG, FINDS))


def test_the_finding_keeps_its_number() -> None:
    quotation = quote_finding(about_parsing(1))
    assert quotation is not None
    assert "4.2%" in quotation.shown


def test_an_abstract_that_says_neither_is_not_quoted() -> None:
    silent = about_parsing(1, "Parsing has a long history in linguistics.")
    assert quote_contribution(silent) is None
    assert quote_finding(silent) is None


def test_the_words_of_a_summary_stand_without_quotation_marks() -> None:
    told = paper(1, abstract="", summary=f"{PROBLEM} {PROPOSES} {FINDS}")
    quotation = quote_finding(told)
    assert quotation is not None
    assert "“" not in quotation.cell
    assert (quotation.citation.verdict, quotation.citation.source) == ("summarised", "summary")


def test_the_gap_that_a_paper_closes_is_no_open_problem() -> None:
    closing, reporting = about_parsing(1), about_parsing(2, PROBLEM, GAP, PROPOSES, FAILS)
    assert [s.text for s in find_open_problems([closing, reporting])] == [FAILS]


@pytest.mark.parametrize(
    "said",
    [
        "On the schemas where existing parsers fail to scale, TreeParse gives order-of-magnitude improvements.",
        "To drive future research on nested questions, we make new benchmarks available, and they need more parsers.",
        "Larger models improve at generating logical forms that are far from the pre-training distribution.",
        "The results point to interesting directions for future work on nested questions.",
        "TreeParse converges, when many of the former parsers fail to end.",
        "We prove that this large gap in the utilities is required.",
    ],
)
def test_what_a_paper_gains_or_gives_is_no_open_problem(said: str) -> None:
    assert find_open_problems([about_parsing(1, PROBLEM, PROPOSES, FINDS, said)]) == []


OUTLINE = Outline(
    "Parsing: A Survey",
    (
        OutlineNode("Introduction", role="introduction"),
        OutlineNode("Semantic Parsing", SET_APART + "logical forms, schemas", tuple(paper(i).key for i in (1, 2))),
        OutlineNode("Open Problems", role="conclusion"),
    ),
)


def test_a_section_shows_its_papers_in_their_words_and_each_quotation_is_a_claim() -> None:
    chosen = [about_parsing(2, year=2021), about_parsing(1, year=2019)]
    material = collect_material(Brief("parsing"), chosen)
    section = write_line(OUTLINE.nodes[1], material, 1)
    assert section.text.startswith(f"“{PROBLEM.removesuffix('.')}” — ")
    assert "“logical forms” and “schemas”" in section.text
    papers, numbers = section.tables
    assert papers.header == ("Work", "Year", "Contributes", "Data and metrics", "Result")
    assert [row[1] for row in papers.rows] == ["2019", "2021"]
    assert "WikiSQL" in papers.rows[0][3]
    assert [row[0] for row in numbers.rows] == ["WikiSQL", "WikiSQL"]
    by_key = {p.key: p for p in chosen}
    assert [(cell.row, cell.column) for cell in papers.evidence] == [(0, 2), (0, 4), (1, 2), (1, 4)]
    assert all(cell.citation.quote.split()[0] in papers.rows[cell.row][cell.column] for cell in papers.evidence)
    assert len(section.claims) == 7
    for claim in section.claims:
        assert list_cited_keys(claim.text) == tuple(c.key for c in claim.citations)
        assert all(is_quoted(c.quote, by_key[c.key]) for c in claim.citations)


def test_a_section_opens_with_nothing_whose_subject_is_cut_away() -> None:
    long = (
        "Many systems that answer questions of people still fail on long and nested questions about tables, although "
        "such questions are asked every day in companies and hospitals and schools, so that semantic parsing is needed."
    )
    chosen = [about_parsing(i, long, PROPOSES, FINDS) for i in (1, 2)]
    section = write_line(OUTLINE.nodes[1], collect_material(Brief("parsing"), chosen), 1)
    assert "“" not in section.text.split("Its distinctive")[0].split("terms")[0]


def test_no_paper_of_a_large_section_is_left_out() -> None:
    chosen = [about_parsing(i, PROBLEM, PROPOSES, FINDS) for i in range(1, 71)]
    node = replace(OUTLINE.nodes[1], papers=tuple(p.key for p in chosen))
    table = write_line(node, collect_material(Brief("parsing"), chosen), 1).tables[0]
    assert len(table.rows) == 70


def test_without_open_problems_their_section_holds_nothing() -> None:
    material = collect_material(Brief("parsing"), [about_parsing(1), about_parsing(2)])
    assert write_open_problems(OUTLINE.nodes[2], lines_of(OUTLINE, material)).text == ""


def test_the_definition_of_a_line_of_work_is_a_paper_s_own() -> None:
    line = Line("2", "Semantic Parsing", (), (about_parsing(1),))
    assert find_definition("Semantic Parsing", line.papers) is not None
    assert find_definition("Neural Rendering", line.papers) is None
    (shown,) = write_overview("parsing", [line]).lines
    assert shown.text == f"“{PROBLEM.removesuffix('.')}” [@{paper(1).key}]"


@pytest.mark.parametrize(("citations", "word"), [(12, "Best known"), (None, "For example")])
def test_only_a_paper_whose_citations_are_counted_is_called_the_best_known(citations: int | None, word: str) -> None:
    line = Line("2", "Neural Rendering", (), (about_parsing(1, citations=citations),))
    (shown,) = write_overview("rendering", [line]).lines
    assert shown.text.startswith(f"{word}: ")


@pytest.mark.parametrize(
    ("others", "shown"),
    [
        (9, "Best known: “Neural Rendering of Trees”"),
        (20, "For example: “Neural Rendering of Trees”"),
        (900, "Best known: “A World”"),
    ],
)
def test_a_line_is_shown_by_a_paper_that_names_it_unless_another_is_far_better_known(others: int, shown: str) -> None:
    words = ("Neural rendering is hard.", PROPOSES, FINDS)
    famous = about_parsing(1, *words, title="A World", citations=others, year=2020)
    named = about_parsing(2, *words, title="Neural Rendering of Trees", citations=9, year=2021)
    (line,) = write_overview("rendering", [Line("2", "Neural Rendering", ("trees",), (famous, named))]).lines
    assert line.text.startswith(shown)


@pytest.mark.parametrize(
    "said",
    [
        "Existing semantic parsing still struggles.",
        "Semantic parsing has attracted attention.",
        "We address semantic parsing.",
    ],
)
def test_a_section_opens_with_no_complaint_and_no_announcement(said: str) -> None:
    chosen = [about_parsing(i, f"{said[:-1]} in large databases of many companies.", PROPOSES, FINDS) for i in (1, 2)]
    section = write_line(OUTLINE.nodes[1], collect_material(Brief("parsing"), chosen), 1)
    assert "“Existing" not in section.text and said[:20] not in section.text


def test_a_group_of_aspects_is_told_by_its_parts() -> None:
    line = Line("2", "Applications", (), (about_parsing(1, citations=9),), ("Medicine", "Games"))
    (shown,) = write_overview("parsing", [line]).lines
    assert shown.text.startswith("Medicine and Games. Best known: “Semantic Parsing 1”")


def test_a_part_does_not_open_with_the_words_of_its_section() -> None:
    below = OutlineNode("Semantic Parsing", papers=(paper(1).key,))
    material = collect_material(Brief("Parsing", "cluster", "main"), [about_parsing(1), about_parsing(2)])
    section = write_line(OutlineNode("Semantic Parsing", children=(below,)), material, 1)
    assert PROBLEM.removesuffix(".") in section.text
    assert PROBLEM.removesuffix(".") not in section.sections[0].text


def test_of_a_paper_that_says_no_contribution_none_is_told() -> None:
    silent = about_parsing(1, "Parsing has a long history in linguistics.", title="On Parsing")
    material = collect_material(Brief("Parsing", "cluster", "main"), [silent])
    table = write_line(OUTLINE.nodes[1], material, 1).tables[0]
    assert table.rows[0][2] == "–"


def test_a_sentence_about_two_data_sets_is_one_row() -> None:
    said = "TreeParse achieves 71.3% accuracy on the WikiSQL dataset and 60.0% on the SParC dataset."
    material = collect_material(Brief("Parsing", "cluster", "main"), [reports(1, said), reports(2, said)])
    compared = write_line(OUTLINE.nodes[1], material, 1).tables[-1]
    assert [row[0] for row in compared.rows] == ["SParC, WikiSQL", "SParC, WikiSQL"]


def test_the_release_of_a_data_set_is_no_number_reported_on_it() -> None:
    counts = "Experiments show that TreeParse outperforms the best published parser on WikiSQL 2.0 and WikiSQL 2.1."
    said = "TreeParse achieves 71.3% accuracy on the WikiSQL dataset."
    material = collect_material(Brief("Parsing", "cluster", "main"), [reports(1, said), reports(2, counts)])
    assert len(write_line(OUTLINE.nodes[1], material, 1).tables) == 1


def test_where_to_start_names_a_survey_foundations_and_recent_papers_with_reasons() -> None:
    chosen = [
        about_parsing(1, title="A Survey of Semantic Parsing", year=2023, citations=50),
        about_parsing(2, title="Semantic Parsing with Trees", year=2010, citations=900),
        about_parsing(3, title="Semantic Parsing at Scale", year=2024, citations=70),
        about_parsing(4, title="Cooking", year=2024, citations=10),
    ]
    points = choose_starting_points("semantic parsing", chosen)
    assert [point.key for point in points] == [chosen[i].key for i in (0, 1, 2, 3)]
    assert points[0].reason == "a survey of the field; 2023, cited 50 times"
    assert points[1].reason.startswith("among the most cited, published up to 2019")


def test_without_counts_of_citations_a_survey_and_the_first_paper_named_after_the_topic_come_first() -> None:
    chosen = [
        about_parsing(1, title="Semantic Parsing at Scale", year=2024, citations=70),
        about_parsing(2, title="Semantic Parsing with Trees", year=2019, citations=None),
        about_parsing(3, title="A Survey of Semantic Parsing", year=2023, citations=None),
        about_parsing(4, title="Parsing", year=2015, citations=None),
    ]
    points = choose_starting_points("semantic parsing", chosen)
    assert [(p.key, p.reason) for p in points] == [
        (chosen[2].key, "a survey of the field; 2023"),
        (chosen[1].key, "the oldest here whose title names the topic; 2019"),
        (chosen[0].key, "cited often, published since 2022; 2024, cited 70 times"),
    ]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Bayesian Federated Learning: A Survey", True),
        ("A Systematic Survey on Federated Semi-supervised Learning", True),
        ("Review of Parsing", True),
        ("Knowledge Distillation in Federated Learning: An Overview", True),
        ("The State of the Art in Parsing", True),
        ("Parsing: Taxonomy and Open Problems", True),
        ("Preview, Attend and Review: Schema-Aware Curriculum Learning for Dialogue State Tracking", False),
        ("Mining Product Reviews with Trees", False),
        ("Taxonomy Expansion with Parsers", False),
        ("Parsing the Biomedical Literature", False),
        ("Improving the State of the Art in Parsing", False),
        ("Learning to Review Parsers", False),
        ("Repetition Roadmap for Motion Planning", False),
        ("Generating Product Reviews", False),
    ],
)
def test_a_survey_is_told_by_its_title(title: str, *, expected: bool) -> None:
    assert is_survey(about_parsing(1, title=title)) is expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("ParseBench: A Benchmark for Parsing", True),
        ("A Large Corpus of Parse Trees", True),
        ("The Parsing Data Set", True),
        ("Evaluating Parsers on Long Sentences", True),
        ("Benchmarking Parsers", True),
        ("Automated Evaluation of Parsers", True),
        ("Parsing across Data Sets", False),
        ("Data Set Distillation for Parsers", False),
        ("Learning from a Large Corpus", False),
        ("A Cross-Corpus Parser", False),
        ("Design and Evaluation of a Parser", False),
        ("Corpus-Based Parsing", False),
    ],
)
def test_a_data_set_or_evaluation_is_told_by_its_title(title: str, *, expected: bool) -> None:
    assert is_evaluation(about_parsing(1, title=title)) is expected


def test_the_time_line_marks_the_first_paper_the_most_cited_and_the_burst() -> None:
    years = [2015, 2018, 2020, 2021, 2021, 2021, 2021]
    chosen = tuple(about_parsing(i, year=year, citations=i) for i, year in enumerate(years, start=1))
    figure = draw_time_line([Line("2", "Semantic Parsing", (), chosen)])
    assert figure is not None
    (lane,) = figure.lanes
    assert lane.counts[0] == (2015, 1)
    assert [(turn.kind, turn.year) for turn in lane.turns] == [("first", 2015), ("most cited", 2021), ("burst", 2021)]
    assert lane.turns[2] == Turn(2021, "burst", "2021: 4 papers")
    assert draw_time_line([Line("2", "Semantic Parsing", (), chosen[:1])]) is None


@pytest.mark.parametrize("count", [0, 1])
def test_a_section_of_hardly_any_papers_is_still_written(count: int) -> None:
    material = collect_material(Brief("parsing"), [about_parsing(i) for i in range(1, count + 1)])
    assert write_line(OUTLINE.nodes[1], material, 1).text


def reports(number: int, sentence: str) -> Paper:
    return about_parsing(number, PROBLEM, PROPOSES, sentence)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            "TreeParse achieves 71.3% accuracy on the WikiSQL dataset.",
            "Our parser reaches an accuracy of 84.0% on the WikiSQL dataset.",
            "On WikiSQL, by accuracy, the values differ: 84.0 % ",
        ),
        (
            "TreeParse achieves 83.8% accuracy on the WikiSQL dataset.",
            "Our parser reaches an accuracy of 84.0% on the WikiSQL dataset.",
            "On WikiSQL, by accuracy, the values are close: 84.0 % ",
        ),
    ],
)
def test_a_section_says_where_papers_agree_or_differ_on_the_same_data(first: str, second: str, said: str) -> None:
    material = collect_material(Brief("Parsing", "cluster", "main"), [reports(1, first), reports(2, second)])
    section = write_line(OUTLINE.nodes[1], material, 1)
    assert said in section.text
    claim = next(claim for claim in section.claims if claim.text.startswith("On WikiSQL"))
    assert [citation.key for citation in claim.citations] == [paper(2).key, paper(1).key]


@pytest.mark.parametrize(
    "second",
    [
        "Our parser improves accuracy by 84.0% on the WikiSQL dataset.",
        "Our parser reaches an F1 of 84.0% on the WikiSQL dataset.",
        "Our parser reaches an accuracy of 84.0% and then 85.0% on the WikiSQL dataset.",
        "Our parser achieves accuracy gains of 84.0% on the WikiSQL dataset.",
    ],
)
def test_what_cannot_be_compared_is_not_compared(second: str) -> None:
    first = reports(1, "TreeParse achieves 71.3% accuracy on the WikiSQL dataset.")
    material = collect_material(Brief("Parsing", "cluster", "main"), [first, reports(2, second)])
    assert "On WikiSQL" not in write_line(OUTLINE.nodes[1], material, 1).text


def test_papers_of_no_line_of_work_are_called_none() -> None:
    def line(number: str, title: str, year: int) -> Line:
        return Line(number, title, ("chart parsing",), tuple(about_parsing(year * 10 + i, year=year) for i in range(3)))

    overview = write_overview("parsing", [line("2", "Work up to 2018", 2018), line("3", "Work since 2020", 2020)])
    assert "lines of work" not in overview.text
    outline = Outline("T", (OutlineNode("Work up to 2018", "", (about_parsing(1).key,)),))
    material = collect_material(Brief("parsing"), [about_parsing(1)])
    assert write_line(outline.nodes[0], material, 0).tables[0].caption == "Work up to 2018, oldest first."


def test_a_section_does_not_open_with_an_objection() -> None:
    title, objection = "Chart Parsing", "However, chart parsing is a hard problem of many ambiguous sentences."
    papers = [about_parsing(i, objection, PROPOSES, FINDS) for i in (1, 2)]
    node = OutlineNode(title, "", tuple(p.key for p in papers))
    assert objection not in write_line(node, collect_material(Brief("parsing"), papers), 0).text
