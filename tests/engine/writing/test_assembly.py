"""A survey put together from its sections."""

from __future__ import annotations

from engine.citations import cite
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext, WritingTask
from engine.survey import UNWRITTEN, Section, SurveyWarning
from engine.values import Brief, FoundPaper, Outline, OutlineNode, PaperSelection
from engine.writing.assembly import assemble_survey, fail_with_nothing, supply_papers
from tests.fakes import WordEmbedder, papers


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


async def test_thin_evidence_is_counted_when_it_is_written_not_when_it_was_planned(library: LocalLibrary) -> None:
    found = papers(12)
    rare = OutlineNode("Rare", papers=(found[0].key,))
    planned = Outline("Dense Retrieval", (OutlineNode(found[0].title), rare))
    assert [node.is_thin for node in planned.nodes] == [False, True]  # the first gets its papers later
    outline = await supply_papers(planned, found, RunContext(library, WordEmbedder()))
    assert len(outline.nodes[0].papers) > 3
    task = WritingTask(Brief("dense retrieval"), PaperSelection(tuple(FoundPaper(p, 1.0) for p in found)), outline)
    written = {at: Section(node.title, f"It is said {cite([found[0].key])}.") for at, node in enumerate(outline.nodes)}
    warnings = assemble_survey(task, written, "A method.").warnings
    assert [(w.place, w.detail) for w in warnings if w.kind == "thin evidence"] == [("2", "1 papers")]


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
