from engine.writing.field_overview import Line, write_overview
from engine.writing.framing import frame_section
from tests.fakes import paper


def test_where_one_count_of_citations_is_missing_none_is_called_the_best_known() -> None:
    papers = (paper(1, citations=130), paper(2, citations=None))
    (shown,) = write_overview("retrieval", [Line("2", "Dense Retrieval", (), papers)]).lines
    assert shown.text.startswith("For example: ")
    assert "cited" not in frame_section(papers, (), 0)
    assert "most cited" in frame_section([paper(1, citations=130), paper(2, citations=0)], (), 0)
