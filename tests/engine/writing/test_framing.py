from dataclasses import replace

import pytest

from engine.values import Brief, OutlineNode
from engine.writing.field_overview import Line, choose_starting_points, draw_time_line, write_overview
from engine.writing.framing import frame_field, frame_section
from engine.writing.paper_tables import tabulate_papers, whose_words
from engine.writing.reading_map import collect_material, write_introduction
from tests.fakes import WordEmbedder, paper


def test_where_one_count_of_citations_is_missing_none_is_called_the_best_known() -> None:
    papers = (paper(1, citations=130), paper(2, citations=None))
    (shown,) = write_overview("retrieval", [Line("2", "Dense Retrieval", (), papers)]).lines
    assert shown.text.startswith("For example: ")
    assert "cited" not in frame_section(papers, (), 0)
    assert "most cited" in frame_section([paper(1, citations=130), paper(2, citations=0)], (), 0)


def test_the_venues_of_a_field_are_counted_among_the_papers_whose_venue_is_known() -> None:
    papers = [paper(i, venue="ACL") for i in range(3)]
    assert " They come from one venue, ACL (3)." in frame_field(papers, 1, 0)
    unknown = paper(3, venue="")
    assert " The 3 whose venue is known come from one venue, ACL (3)." in frame_field([*papers, unknown], 1, 0)
    assert "come from" not in frame_field([papers[0], unknown], 1, 0)


def test_words_of_summaries_are_not_called_the_papers_own() -> None:
    own, told = paper(1, abstract="We parse."), paper(2, abstract="", summary="They parse.")
    assert whose_words([own]) == "in their own words"
    assert whose_words([own], "the papers'") == "in the papers' own words"
    assert whose_words([own, told]) == "in their own words or those of summaries"
    assert whose_words([told]) == "in the words of summaries"


def test_the_caption_of_the_time_line_names_what_it_marks() -> None:
    papers = (paper(1, year=2015, citations=9), paper(2, year=2021, citations=40))
    shown = draw_time_line([Line("2", "Parsing", (), papers)])
    assert shown is not None
    assert shown.caption == "Papers of each line of work by year, with its first paper and its most cited paper."
    uncounted = (papers[0], paper(2, year=2021, citations=None))
    shown = draw_time_line([Line("2", "Parsing", (), uncounted)])
    assert shown is not None
    assert shown.caption == "Papers of each line of work by year, with its first paper."


def test_one_term_sets_a_section_apart_in_the_singular() -> None:
    assert frame_section([paper(1)], ("late interaction",), 1).endswith("Its distinctive term is “late interaction”.")


PARSING = "Semantic parsing maps sentences to programs."


def test_a_famous_paper_that_does_not_name_the_topic_is_read_last() -> None:
    chosen = [
        paper(1, abstract="Parsing is old.", title="Semantic Networks", year=2012, citations=9_000),
        paper(2, abstract=PARSING, title="Semantic Parsing with Trees", year=2013, citations=20),
        paper(3, abstract=PARSING, title="Semantic Parsing of Tables", year=2024, citations=10),
    ]
    points = choose_starting_points("semantic parsing", chosen)
    assert [point.key for point in points] == [chosen[i].key for i in (1, 2, 0)]


def test_lines_of_work_are_counted_as_they_are_listed() -> None:
    lines = [
        Line(str(i), name, (), (paper(i),), parts)
        for i, (name, parts) in enumerate(
            [("Trees", ()), ("Safety and Privacy", ("Safety", "Privacy")), ("Data Sets and Evaluation", ())], start=2
        )
    ]
    overview = write_overview("parsing", [*lines, Line("5", "Other Work", (), (paper(9),))])
    assert "They fall into 3 lines of work and other work." in overview.text
    assert overview.lines[1].text.startswith(("For example", "Best known"))


@pytest.mark.parametrize(("begun", "told"), [(2018, ""), (2019, "Of the lines of work, Charts begins first, in 2018")])
def test_lines_of_work_that_begin_together_are_not_ordered(begun: int, told: str) -> None:
    chosen = [
        Line("2", "Charts", (), (paper(1, year=2018),)),
        Line("3", "Trees", (), (paper(2, year=begun), paper(3, year=2022))),
    ]
    text = write_introduction(
        OutlineNode("Introduction", role="introduction"), collect_material(Brief("parsing"), []), chosen, WordEmbedder()
    ).text
    assert ("begins first" in text) == bool(told) and told in text


def test_no_line_of_work_is_called_first_where_a_heading_without_a_subject_begins_earlier() -> None:
    chosen = [
        Line("2", "Charts", (), (paper(1, year=2019), paper(2, year=2020))),
        Line("3", "Trees", (), (paper(3, year=2021), paper(4, year=2022))),
        Line("4", "Foundations", (), (paper(5, year=2017),)),
    ]
    text = write_introduction(
        OutlineNode("Introduction", role="introduction"), collect_material(Brief("parsing"), []), chosen, WordEmbedder()
    ).text
    assert "begins first" not in text
    assert "Of the lines of work, the youngest is Trees" in text


def test_venues_that_tie_with_one_left_out_are_not_called_the_most_frequent() -> None:
    venues = ["ACL", "ACL", "ACL", "ICLR", "ICLR", "NAACL", "NAACL"]
    papers = [paper(n, venue=venue) for n, venue in enumerate(venues)]
    assert "ACL (3)" in frame_section(papers, (), 0)
    assert "ICLR" not in frame_section(papers, (), 0)


def test_a_row_of_a_table_says_which_paper_it_is() -> None:
    titled = replace(paper(1, title="TSC: Chart Parsing"), authors=("Ada Byron", "Alan Turing"))
    (row,) = tabulate_papers([titled], {}, "Papers.").table.rows
    assert row[0] == f"“TSC: Chart Parsing”, Byron and Turing [@{titled.key}]"
