"""What a changed outline leaves of a text: only what it touches is written again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from engine.session import outline_edits
from engine.session.events import Approve, Control, EditOutline, JobDone
from engine.session.kept_text import KeptText, keep_text, parts_to_write
from engine.session.state import State, SurveySession, advance, find_kept_text
from engine.survey import Section, Survey, walk
from engine.values import Brief, FoundPaper, Keyword, KeywordPool, Outline, OutlineNode, PaperSelection
from tests.fakes import claim, papers

PAPERS = papers(12)
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in PAPERS))


def part(at: int) -> OutlineNode:
    return OutlineNode(f"Part {at}", f"About {at}", (PAPERS[at].key,))


OUTLINE = Outline(
    "A Survey",
    (
        OutlineNode("Introduction", role="introduction"),
        OutlineNode("One", children=(part(1), part(2))),
        OutlineNode("Two", children=(part(3), part(4))),
        OutlineNode("Three", children=(part(5), part(6))),
        OutlineNode("Conclusion", role="conclusion"),
    ),
)


def written(node: OutlineNode) -> Section:
    own = tuple(claim(p, p.title) for p in PAPERS if p.key in node.papers)
    return Section(node.title, f"Text of {node.title}.", own, tuple(written(child) for child in node.children))


SECTIONS = {i: written(node) for i, node in enumerate(OUTLINE.nodes)}
EVERYTHING = {p.key for p in PAPERS}


def kept_after(change: EditOutline) -> tuple[KeptText, Outline]:
    after = change.apply(OUTLINE)
    return keep_text(OUTLINE, SECTIONS, after, EVERYTHING), after


def due(kept: KeptText, after: Outline) -> list[str]:
    return [node.title for _, node in parts_to_write(after, kept)]


@pytest.mark.parametrize(
    ("change", "written_anew"),
    [
        (outline_edits.drop("3"), ["Introduction", "Conclusion"]),
        (outline_edits.rename("3.1", "Other"), ["Introduction", "Other", "Conclusion"]),
        (outline_edits.rename("3", "Other"), ["Introduction", "Conclusion"]),
        (outline_edits.move("4", "2", after=False), ["Introduction", "Conclusion"]),
        (outline_edits.add("New", "2"), ["Introduction", "New", "Conclusion"]),
        (
            EditOutline(partial(outline_edits.place_paper, paper=PAPERS[9], place="4.1")),
            ["Introduction", "Part 5", "Conclusion"],
        ),
        (outline_edits.rename("2.1", "Part 1"), []),
    ],
)
def test_only_what_an_edit_touches_is_written_anew(change: EditOutline, written_anew: list[str]) -> None:
    kept, after = kept_after(change)
    assert due(kept, after) == written_anew
    for p in kept.parts:
        assert p.section == dict(walk(tuple(SECTIONS.values())))[_place_before(p.section.title)]


def _place_before(title: str) -> str:
    return next(number for number, section in walk(tuple(SECTIONS.values())) if section.title == title)


def test_a_part_that_rests_on_a_paper_left_out_since_is_written_anew() -> None:
    kept = keep_text(OUTLINE, SECTIONS, OUTLINE, EVERYTHING - {PAPERS[4].key})
    assert "Part 4" in due(kept, OUTLINE)
    assert "Part 3" not in due(kept, OUTLINE)


def test_parts_kept_before_a_stop_are_kept_after_it() -> None:
    first, after = kept_after(outline_edits.drop("3"))
    again = keep_text(after, dict(first.sections), after, EVERYTHING, first.parts)
    assert due(again, after) == due(first, after)


def test_a_part_whose_claims_could_not_be_checked_stays_and_is_only_checked() -> None:
    kept = keep_text(OUTLINE, SECTIONS, OUTLINE, EVERYTHING, unchecked={"Part 3"})
    assert due(kept, OUTLINE) == ["Introduction", "Conclusion"]
    assert [(p.place, p.is_checked) for p in kept.parts] == [("3.1", False), ("3.2", True)]
    after = outline_edits.drop("4").apply(OUTLINE)
    again = keep_text(OUTLINE, dict(kept.sections), after, EVERYTHING, kept.parts)
    assert [p.place for p in again.parts if not p.is_checked] == ["3.1"]
    frame = keep_text(OUTLINE, SECTIONS, OUTLINE, EVERYTHING, unchecked={"Conclusion"})
    assert due(frame, OUTLINE) == ["Conclusion"]


def test_a_revised_section_stays_revised_and_rewrite_all_keeps_nothing() -> None:
    survey = Survey("A Survey", "", tuple(SECTIONS.values()), ())
    pool = KeywordPool((Keyword("x", "topic"),))
    state = State("outline", Brief("x"), pool, SELECTION, 4, OUTLINE)
    session, _ = advance(SurveySession("s", 0, state), Approve())
    assert session.job is not None
    session, _ = advance(session, JobDone(session.job.id, survey))
    revised = replace(survey, sections=(*survey.sections[:3], _revise(survey.sections[3]), survey.sections[4]))
    session = replace(session, state=replace(session.state, survey=revised))
    session, _ = advance(session, outline_edits.drop("3"))
    assert session.state.phase == "outline"
    session, _ = advance(session, Approve())
    stays = [part for _, section in session.state.sections for _, part in walk((section,))]
    assert "Revised." in {part.text for part in stays}
    session, _ = advance(replace(session, job=None), Control.GO_BACK)
    session, _ = advance(session, Control.REWRITE_ALL)
    assert find_kept_text(session.state) == KeptText()
    assert session.state.attempt == 1


def _revise(section: Section) -> Section:
    first, *rest = section.sections
    return replace(section, sections=(replace(first, text="Revised."), *rest))
