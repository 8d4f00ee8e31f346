"""The first page and what a survey leaves out, as Markdown."""

from __future__ import annotations

from engine.citations import with_references
from engine.overview import (
    LineOfWork,
    NearbyGroup,
    Overview,
    StartingPoint,
    TimeLane,
    TimeLine,
    Turn,
)
from engine.rendering.figures.pictures import svg
from engine.rendering.files import as_json, from_json
from engine.rendering.markdown import render_markdown
from engine.survey import Section, Survey
from tests.fakes import paper

ONE, TWO, GONE = paper(1, title="First *Steps*"), paper(2), paper(3)
LINE = TimeLine(
    "Over time.", (TimeLane("Parsing", ((2001, 1), (2002, 4)), (Turn(2001, "first", "Ada et al.", ONE.key),)),)
)


def survey() -> Survey:
    written = Survey(
        "Parsing: A Survey",
        "",
        (Section("Parsing", f"Text [@{TWO.key}].", figures=(LINE,)),),
        (),
        overview=Overview(
            "2 papers from 2001 to 2002.",
            (LineOfWork("1", "Parsing", f"On trees [@{TWO.key}; @{GONE.key}].", 2, 2001, 2002),),
            (StartingPoint(ONE.key, "a foundation"), StartingPoint(GONE.key, "gone")),
        ),
        not_covered=(NearbyGroup("Speech", 12, ("Hearing (2003)",)),),
    )
    return with_references(written, {p.key: p for p in (ONE, TWO)})


def test_what_the_first_page_cites_has_a_reference_and_nothing_else_is_cited() -> None:
    resolved = survey()
    assert [p.key for p in resolved.references] == [TWO.key, ONE.key]
    assert resolved.overview is not None
    assert [point.key for point in resolved.overview.start] == [ONE.key]


def test_the_first_page_and_what_is_left_out_are_in_the_markdown() -> None:
    text = render_markdown(survey())
    assert "## At a Glance\n\n2 papers from 2001 to 2002." in text
    assert "- **1 Parsing** (2 papers, 2001–2002): On trees [1]." in text
    assert "1. First \\*Steps\\* [2]: a foundation" in text
    assert "- **Speech** (12 papers), for example Hearing (2003)" in text
    assert "| Parsing | first: Ada et al. (2001) |" in text


def test_the_new_parts_are_saved_and_drawn() -> None:
    assert from_json(as_json(survey())) == survey()
    assert svg(LINE).startswith("<svg")
