"""What is counted of a section and of a field."""

from engine.quoting.attribution import whose_words
from engine.quoting.counts import frame_field, frame_section
from engine.quoting.field_overview import Line, choose_starting_points, draw_time_line, write_overview
from tests.fakes import paper


def test_where_one_count_of_citations_is_missing_none_is_called_the_best_known() -> None:
    papers = (paper(1, citations=130), paper(2, citations=None))
    (shown,) = write_overview("retrieval", [Line("2", "Dense Retrieval", papers)]).lines
    assert shown.text.startswith("For example: ")


def test_terms_are_told_with_how_many_papers_say_them() -> None:
    said = [paper(i, abstract="Late interaction ranks." if i < 3 else "Trees grow.") for i in range(5)]
    assert "“late interaction” (3 of 5 papers)" in frame_section(said, ("late interaction", "absent"))
    assert "absent" not in frame_section(said, ("late interaction", "absent"))


def test_the_venues_of_a_field_are_counted_among_the_papers_whose_venue_is_known() -> None:
    papers = [paper(i, venue="ACL") for i in range(3)]
    assert " They come from 1 venue, most often ACL (3)." in frame_field(papers, 1, 0)
    unknown = paper(3, venue="")
    assert " The 3 whose venue is known come from 1 venue, most often ACL (3)." in frame_field([*papers, unknown], 1, 0)
    assert "come from" not in frame_field([papers[0], unknown], 1, 0)


def test_words_of_summaries_are_not_called_the_papers_own() -> None:
    own, told = paper(1, abstract="We parse."), paper(2, abstract="", summary="They parse.")
    assert whose_words([own]) == "in their own words"
    assert whose_words([own], "the papers'") == "in the papers' own words"
    assert whose_words([own, told]) == "in their own words or those of summaries"
    assert whose_words([told]) == "in the words of summaries"


def test_the_caption_of_the_time_line_names_what_it_marks() -> None:
    papers = (paper(1, year=2015, citations=9), paper(2, year=2021, citations=40))
    shown = draw_time_line([Line("2", "Parsing", papers)])
    assert shown is not None
    assert shown.caption == "Papers of each section by year, with its first paper and its most cited paper."
    uncounted = (papers[0], paper(2, year=2021, citations=None))
    shown = draw_time_line([Line("2", "Parsing", uncounted)])
    assert shown is not None
    assert shown.caption == "Papers of each section by year, with its first paper."


PARSING = "Semantic parsing maps sentences to programs."


def test_a_famous_paper_that_does_not_name_the_topic_is_read_last() -> None:
    chosen = [
        paper(1, abstract="Parsing is old.", title="Semantic Networks", year=2012, citations=9_000),
        paper(2, abstract=PARSING, title="Semantic Parsing with Trees", year=2013, citations=20),
        paper(3, abstract=PARSING, title="Semantic Parsing of Tables", year=2024, citations=10),
    ]
    points = choose_starting_points("semantic parsing", chosen)
    assert [point.key for point in points] == [chosen[i].key for i in (1, 2, 0)]
