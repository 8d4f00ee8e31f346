"""A reading map: which words are quoted where, what is counted, what is left out."""

from __future__ import annotations

from typing import Any

import pytest

from engine.citations import list_cited_keys
from engine.evidence import is_quoted
from engine.overview import Turn
from engine.paper_kinds import is_survey
from engine.quoting.abstracts import quote_finding, quote_gist
from engine.quoting.field_overview import Line, choose_starting_points, draw_growth, draw_time_line, write_overview
from engine.quoting.paper_tables import NOTHING, is_papers_table, tabulate_papers
from engine.quoting.reading_map import SET_APART, lines_of, write_group, write_introduction
from engine.values import Brief, FoundPaper, Outline, OutlineNode, Paper, PaperKey
from tests.fakes import WordEmbedder, paper

PROBLEM = "Semantic parsing is the task of mapping sentences to logical forms."
GAP = "However, earlier parsers still struggle with unseen schemas."
PROPOSES = "In this paper, we propose TreeParse, a parser that reads the schema before the question."
FINDS = "Experiments show that TreeParse outperforms the best published parser on the WikiSQL dataset by 4.2%."

TRIAL = (
    "BACKGROUND: Migraine is common and disabling. "
    "METHODS: We randomised 120 adults to oral sumatriptan 100 mg or placebo for one attack. "
    "RESULTS: Two hours after the dose, 58% of the patients on sumatriptan and 26% on placebo had relief. "
    "CONCLUSIONS: Oral sumatriptan is effective in the acute treatment of migraine attacks in adults."
)


def about_parsing(number: int, *sentences: str, title: str = "", **fields: Any) -> Paper:
    chosen = sentences or (PROBLEM, GAP, PROPOSES, FINDS)
    return paper(number, title=title or f"Semantic Parsing {number}", abstract=" ".join(chosen), **fields)


def by_key(papers: list[Paper]) -> dict[PaperKey, Paper]:
    return {p.key: p for p in papers}


def section_of(papers: list[Paper], title: str = "Semantic Parsing") -> OutlineNode:
    return OutlineNode(title, SET_APART + "logical forms, schemas", tuple(p.key for p in papers))


def test_a_table_quotes_the_finding_that_the_text_beside_rests_on() -> None:
    """Of trials it quoted the patients' average age, which stood in their results too."""
    said = (
        "RESULTS: The average age of the patients was 74 years, and two-thirds were female.",
        "Intervention physicians prescribed inappropriate medications significantly less often, in 2.6% of visits.",
    )
    trial = paper(1, abstract=f"METHODS: We conducted a randomized trial. {' '.join(said)} CONCLUSIONS: Alerts help.")
    for cited in said:
        table = tabulate_papers([trial], "Alerts", {cited})[0]
        assert cited.removeprefix("RESULTS: ").rstrip(".") in table.rows[0][-1]


def test_what_stands_under_a_heading_is_verbatim_in_its_papers_and_each_quotation_is_a_claim() -> None:
    chosen = [about_parsing(2, year=2021), about_parsing(1, year=2019)]
    section = write_group(section_of(chosen), by_key(chosen))
    assert "“logical forms” (2 of 2 papers)" in section.text
    (table,) = section.tables
    assert is_papers_table(table)
    assert [row[1] for row in table.rows] == ["2019", "2021"]
    assert len(table.evidence) == len(section.claims) == 4
    for cell in table.evidence:
        assert f"“{cell.citation.quote}”" == table.rows[cell.row][cell.column]
    for claim in section.claims:
        assert list_cited_keys(claim.text) == tuple(c.key for c in claim.citations)
        assert all(is_quoted(c.quote, by_key(chosen)[c.key]) for c in claim.citations)


def test_a_trial_is_told_by_its_result_without_the_name_of_its_part() -> None:
    trial = paper(1, title="Oral sumatriptan in the acute treatment of migraine", abstract=TRIAL)
    found = quote_finding(trial)
    assert found is not None
    assert found.words.startswith(("Two hours after", "Oral sumatriptan is effective"))
    assert is_quoted(found.words, trial)
    gist = quote_gist(trial)
    assert gist is not None
    assert gist.words != found.words


def test_a_column_that_is_empty_in_most_rows_is_not_shown_and_no_paper_is_left_out() -> None:
    silent = [paper(i, abstract="", summary="") for i in range(1, 41)]
    table = tabulate_papers([*silent, about_parsing(50)], "Parsing")[0]
    assert table.header == ("Work", "Year")
    assert len(table.rows) == 41
    assert table.caption == "Papers on Parsing, oldest first."
    told = tabulate_papers([about_parsing(i) for i in range(1, 4)] + silent[:1], "Parsing")[0]
    assert len(told.header) == 4
    assert sum(cell == NOTHING for row in told.rows for cell in row) == 2


def test_the_words_of_a_summary_stand_without_quotation_marks() -> None:
    told = quote_gist(paper(1, abstract="", summary=" ".join((PROBLEM, PROPOSES, FINDS))))
    assert told is not None
    assert "“" not in told.cell
    assert told.claim.citations[0].verdict == "summarised"


@pytest.mark.parametrize("count", [0, 1])
def test_a_section_of_hardly_any_papers_is_still_written(count: int) -> None:
    chosen = [about_parsing(i) for i in range(1, count + 1)]
    assert write_group(section_of(chosen), by_key(chosen)).text


def test_the_introduction_names_each_section_and_counts_the_papers() -> None:
    chosen = [about_parsing(i) for i in range(1, 4)]
    outline = Outline("Parsing", (OutlineNode("Introduction", role="introduction"), section_of(chosen)))
    lines = lines_of(outline, by_key(chosen))
    text = write_introduction(outline.nodes[0], Brief("parsing"), lines, WordEmbedder()).text
    assert "3 papers" in text
    assert "Semantic Parsing (Section 2)" in text


@pytest.mark.parametrize(("citations", "word"), [(12, "Best known"), (None, "For example")])
def test_only_a_paper_whose_citations_are_counted_is_called_the_best_known(citations: int | None, word: str) -> None:
    line = Line("2", "Neural Rendering", (about_parsing(1, citations=citations),))
    (shown,) = write_overview("rendering", [line]).lines
    assert shown.text.startswith(f"{word}: ")


def test_a_line_is_shown_by_its_best_known_paper_that_says_its_name() -> None:
    famous = about_parsing(1, title="A World", citations=900, year=2020)
    named = about_parsing(2, "Neural rendering is hard.", title="Rendering Trees", citations=9, year=2021)
    (line,) = write_overview("rendering", [Line("2", "Neural Rendering", (famous, named))]).lines
    assert line.text.startswith("For example: “Rendering Trees” (2021)")


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


def test_without_all_counts_of_citations_nothing_is_called_the_most_cited() -> None:
    chosen = [
        about_parsing(1, title="Semantic Parsing at Scale", year=2024, citations=70),
        about_parsing(2, title="Semantic Parsing with Trees", year=2019, citations=None),
        about_parsing(3, title="A Survey of Semantic Parsing", year=2023, citations=None),
        about_parsing(4, title="Parsing", year=2015, citations=None),
    ]
    points = choose_starting_points("semantic parsing", chosen)
    assert [(p.key, p.reason) for p in points] == [
        (chosen[2].key, "a survey of the field; 2023"),
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


def test_the_time_line_marks_the_first_paper_the_most_cited_and_the_burst() -> None:
    years = [2015, 2018, 2020, 2021, 2021, 2021, 2021]
    chosen = tuple(about_parsing(i, year=year, citations=i) for i, year in enumerate(years, start=1))
    figure = draw_time_line([Line("2", "Semantic Parsing", chosen)])
    assert figure is not None
    (lane,) = figure.lanes
    assert lane.counts[0] == (2015, 1)
    assert [(turn.kind, turn.year) for turn in lane.turns] == [("first", 2015), ("most cited", 2021), ("burst", 2021)]
    assert lane.turns[2] == Turn(2021, "burst", "2021: 4 papers")
    assert draw_time_line([Line("2", "Semantic Parsing", chosen[:1])]) is None


def test_the_growth_counts_the_core_of_what_was_found_and_puts_what_is_old_together() -> None:
    years = [1998, 2001, 2020, 2023, 2024, 2024, 2024]
    core = [FoundPaper(about_parsing(i, year=year), 1.0, tier="core") for i, year in enumerate(years, start=1)]
    figure = draw_growth([*core, FoundPaper(about_parsing(9, year=2025), 0.5, tier="near")])
    assert figure is not None
    assert figure.caption == "Papers on the topic by year: 7 that were gathered, half of them since 2023."
    assert figure.bars[0] == ("before 2010", 2) and len(figure.bars) == 16 and figure.bars[-1] == ("2024", 3)
    assert draw_growth(core[:1]) is None
