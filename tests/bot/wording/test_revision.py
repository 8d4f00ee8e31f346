from __future__ import annotations

from bot.wording.survey import word_revision
from engine.survey import Section, SectionChange, Survey, Table


def survey(*rows: str) -> Survey:
    table = Table("Papers", ("paper",), tuple((row,) for row in rows))
    return Survey("T", "A", (Section("Introduction", "Two papers."), Section("Methods", "Some.", tables=(table,))), ())


def test_a_table_that_lost_rows_is_a_change() -> None:
    said = word_revision(survey("one", "two", "three"), survey("one"), SectionChange("2", "shorten"))
    assert "### 2 Methods, changed: 1 → 1 words, 3 → 1 rows" in said


def test_what_is_the_same_is_as_it_was() -> None:
    assert word_revision(survey("one"), survey("one"), SectionChange("2", "shorten")) == "Section 2 is as it was."
