"""A survey put together from its sections."""

from __future__ import annotations

from engine.citations import cite
from engine.run import WritingTask
from engine.survey import UNWRITTEN, Section, SurveyWarning
from engine.values import Brief, FoundPaper, Outline, OutlineNode, PaperSelection
from engine.writing.assembly import assemble_survey, fail_with_nothing
from tests.fakes import papers


def test_where_nothing_was_written_the_reason_is_why_a_section_stayed_unfinished() -> None:
    warnings = [
        SurveyWarning("unknown citation", "Lenses", "removed: @a:1"),
        SurveyWarning("unfinished", "Lenses", "no claim of it holds"),
    ]
    assert str(fail_with_nothing(warnings)) == "Nothing could be written: no claim of it holds"


def test_the_first_papers_that_no_sentence_cites_are_named() -> None:
    found = papers(25)
    text = " ".join(cite([p.key]) for p in found if p not in found[2:4])
    task = WritingTask(
        Brief("dense retrieval"),
        PaperSelection(tuple(FoundPaper(p, 1.0) for p in found)),
        Outline("Dense Retrieval", (OutlineNode("Indexes"),)),
    )
    told = dict(assemble_survey(task, {0: Section("Indexes", f"Indexes are built {text}.")}, "A method.").facts)
    assert told["Not cited, of the first 20 papers"] == f"{found[2].title}; {found[3].title}"


def test_a_section_that_misses_a_part_says_which() -> None:
    found = papers(3)
    parts = (OutlineNode("Exact"), OutlineNode("Approximate"))
    outline = Outline("Dense Retrieval", (OutlineNode("Encoders"), OutlineNode("Indexes", children=parts)))
    task = WritingTask(Brief("dense retrieval"), PaperSelection(tuple(FoundPaper(p, 1.0) for p in found)), outline)
    exact = Section("Exact", f"Exact search is slow {cite([found[0].key])}.")
    survey = assemble_survey(task, {1: Section("Indexes", "", sections=(exact,))}, "A method.")
    assert [(w.place, w.detail) for w in survey.warnings if w.kind == "unfinished"] == [
        ("1 Encoders", UNWRITTEN),
        ("2.2 Approximate", UNWRITTEN),
    ]
