"""Changes by quotation: what has parts, and what quotes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import UserError
from engine.revising.extractive_changes import change_by_quotation, divide_change
from engine.survey import Claim, SectionChange, Survey
from engine.values import FoundPaper, PaperSelection
from tests.fakes import WordEmbedder, paper, section

FRAME = section("Introduction", "This reading map has one section.")
QUOTED = replace(section("Lenses", "Soft lenses bend."), claims=(Claim("Soft lenses bend.", ()),))
CHAPTER = section("Optics", "", FRAME, QUOTED, replace(QUOTED, title="Gels"))
SURVEY = Survey("S", "", (FRAME, CHAPTER), ())


def test_a_whole_chapter_is_shortened_in_each_part_that_quotes() -> None:
    parts = divide_change(SURVEY, SectionChange("2", "shorten", ""))
    assert [(part.place, part.way) for part in parts] == [("2.2", "shorten"), ("2.3", "shorten")]


@pytest.mark.parametrize(
    "change",
    [SectionChange("2.2", "shorten", ""), SectionChange("2", "rewrite", "gels"), SectionChange("1", "expand", "")],
)
def test_another_change_is_one(change: SectionChange) -> None:
    assert divide_change(SURVEY, change) == [change]


def test_a_section_without_quotations_is_not_shortened_and_says_why() -> None:
    papers = PaperSelection((FoundPaper(paper(1), 1.0),))
    with pytest.raises(UserError, match="Section 1 quotes no paper"):
        change_by_quotation(papers, SURVEY, SectionChange("1", "shorten", ""), WordEmbedder())
