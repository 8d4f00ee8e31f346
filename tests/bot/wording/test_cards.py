"""A card offers only what can be done with what is on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.wording.cards import make_card
from bot.wording.sentences import word_kept
from engine.session.events import Job
from engine.session.state import SurveySession
from engine.survey import Section
from engine.values import FoundPaper, Keyword, KeywordPool, Outline, OutlineNode, PaperSelection
from tests.fakes import papers


def session(**parts: object) -> SurveySession:
    made = SurveySession("abc")
    return replace(made, state=replace(made.state, **parts))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("titles", "hints"),
    [
        (1, ()),
        (3, ("rename 2 to …", "drop 3", "add section … after 2")),
        (4, ("rename 2 to …", "drop 3", "move 4 before 2", "merge 3 4", "add section … after 2")),
    ],
)
def test_hints_of_an_outline_name_sections_that_are_there(titles: int, hints: tuple[str, ...]) -> None:
    nodes = tuple(OutlineNode(f"Part {n}") for n in range(titles))
    assert make_card(session(phase="outline", outline=Outline("A survey", nodes))).hints == hints


def test_hints_of_papers_and_keywords_name_what_is_there() -> None:
    found = tuple(FoundPaper(paper, 1.0) for paper in papers(3))
    selection = PaperSelection(found)
    assert make_card(session(phase="papers", papers=selection)).hints == ("exclude 1",)
    out = replace(selection, excluded=(found[1].paper.key,))
    assert make_card(session(phase="papers", papers=out)).hints == ("exclude 1", "include 2")
    one = KeywordPool((Keyword("graphs", "topic"),))
    assert make_card(session(phase="keywords", keywords=one)).hints == ("add WORDS",)


def test_what_is_kept_is_said_only_of_what_was_made() -> None:
    nothing, part = session(phase="writing"), session(phase="writing", sections=((0, Section("Graphs", "Text.")),))
    assert word_kept(nothing.state, Job("1", "write")) == ""
    assert word_kept(nothing.state, Job("1", "papers")) == ""
    assert word_kept(part.state, Job("1", "write")) == "1 finished section is kept."
