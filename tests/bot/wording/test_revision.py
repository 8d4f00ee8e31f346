from __future__ import annotations

from bot.wording.revisions import word_revision
from engine.survey import Section, SectionChange, Survey, Table


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
