from __future__ import annotations

from dataclasses import replace

from bot.wording.discussion import word_revision
from engine.survey import ClaimTally, Section, SectionChange, Survey, Table


def survey(*rows: str) -> Survey:
    table = Table("Papers", ("paper",), tuple((row,) for row in rows))
    return Survey("T", "A", (Section("Introduction", "Two papers."), Section("Methods", "Some.", tables=(table,))), ())


def test_a_table_that_lost_rows_is_a_change() -> None:
    said = word_revision(survey("one", "two", "three"), survey("one"), SectionChange("2", "shorten"))
    assert "### 2 Methods, changed: 1 → 1 words, 3 → 1 rows" in said


def test_what_is_the_same_is_as_it_was() -> None:
    assert word_revision(survey("one"), survey("one"), SectionChange("2", "shorten")) == "Section 2 is as it was."


def _written(text: str) -> Survey:
    return Survey("T", "A", (Section("Methods", text),), ())


def test_a_reworded_sentence_stands_below_what_it_was() -> None:
    before = _written("Lenses of gel focus light well. They cost little. Nobody has measured how long they last.")
    after = _written("Lenses of gel focus light better than glass. They cost little. A new paper is about colours.")
    said = word_revision(before, after, SectionChange("1", "rewrite", "more exact"))
    assert "- was: Lenses of gel focus light well. → now: Lenses of gel focus light better than glass." in said
    assert "- added: A new paper is about colours." in said
    assert "- removed: Nobody has measured how long they last." in said
    assert "cost little" not in said


def test_a_sentence_that_only_moved_is_no_change() -> None:
    before = _written("Lenses of gel focus light. They cost little. Glass is heavy.")
    after = _written("They cost little. Glass is heavy. Some are coloured. Lenses of gel focus light.")
    said = word_revision(before, after, SectionChange("1", "rewrite", "another order"))
    assert "- added: Some are coloured." in said
    assert "focus light" not in said


def test_it_is_said_what_of_a_new_text_was_left_out_or_not_checked() -> None:
    before = replace(
        _written("Gel is soft."),
        sections=(Section("M", "Gel is soft.", tally=ClaimTally(claims=3, kept=1, removed=2)),),
    )
    new = Section("M", "Gel is very soft.", tally=ClaimTally(claims=4, kept=1, removed=1, unchecked=2))
    said = word_revision(before, replace(before, sections=(new,)), SectionChange("1", "rewrite", "longer"))
    assert "- left out of the new text: 1 sentence that the papers were not found to say" in said
    assert "- 2 sentences of the new text were not checked against the papers" in said
    more = Section("M", "Gel is soft.\n\nIt bends.", tally=ClaimTally(claims=8, kept=2, removed=6))
    said = word_revision(before, replace(before, sections=(more,)), SectionChange("1", "paragraph", "bending"))
    assert "- left out of the new text: 4 sentences that the papers were not found to say" in said
    shorter = Section("M", "Gel.", tally=ClaimTally(claims=2, removed=2))
    said = word_revision(before, replace(before, sections=(shorter,)), SectionChange("1", "remove", "2"))
    assert "left out" not in said


def test_a_translated_sentence_stands_below_what_it_was() -> None:
    change = SectionChange("1", "translate", "German")
    said = word_revision(_written("Gel is soft. It bends."), _written("Gel ist weich. Es biegt sich."), change)
    assert "- was: Gel is soft. → now: Gel ist weich." in said
    assert "- was: It bends. → now: Es biegt sich." in said
