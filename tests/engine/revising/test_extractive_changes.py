"""Changes by quotation: what has parts, and what quotes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.citations import list_cited_keys
from engine.errors import UserError
from engine.evidence import is_quoted
from engine.revising.extractive_changes import change_by_quotation, divide_change, open_revision
from engine.survey import Claim, Section, SectionChange, Survey
from engine.text import clean
from engine.values import FoundPaper, Paper, PaperSelection
from tests.fakes import WordEmbedder, paper, papers, section

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
        change_by_quotation(open_revision(papers, SURVEY, SectionChange("1", "shorten", "")), WordEmbedder())


def _rewrite(gathered: Sequence[Paper], wish: str) -> Section:
    selection = PaperSelection(tuple(FoundPaper(one, 1.0) for one in gathered))
    revision = open_revision(selection, SURVEY, SectionChange("2.2", "rewrite", wish))
    return change_by_quotation(revision, WordEmbedder())


def test_every_claim_quotes_its_paper_word_for_word() -> None:
    chosen = papers(12)
    by_key = {p.key: p for p in chosen}
    written = _rewrite(chosen, "dense retrieval")
    assert len(written.claims) >= 3
    for claim in written.claims:
        assert list_cited_keys(claim.text) == tuple(dict.fromkeys(c.key for c in claim.citations))
        for citation in claim.citations:
            assert is_quoted(citation.quote, by_key[citation.key])
            assert f"“{citation.quote}”" in claim.text
    assert "".join(written.text.split()) == "".join("".join(c.text for c in written.claims).split())


@given(st.lists(st.text(max_size=300), min_size=1, max_size=6), st.text(max_size=40))
def test_whatever_abstracts_hold_quotes_are_exact(abstracts: list[str], wish: str) -> None:
    chosen = [paper(i, abstract=clean(text)) for i, text in enumerate(abstracts)]
    by_key = {p.key: p for p in chosen}
    with suppress(UserError):
        for claim in _rewrite(chosen, wish).claims:
            assert all(is_quoted(c.quote, by_key[c.key]) for c in claim.citations)
            assert set(list_cited_keys(claim.text)) == {c.key for c in claim.citations}
