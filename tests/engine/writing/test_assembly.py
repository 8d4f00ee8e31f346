"""A survey put together from its sections."""

from __future__ import annotations

from engine.survey import SurveyWarning
from engine.writing.assembly import fail_with_nothing


def test_where_nothing_was_written_the_reason_is_why_a_section_stayed_unfinished() -> None:
    warnings = [
        SurveyWarning("unknown citation", "Lenses", "removed: @a:1"),
        SurveyWarning("unfinished", "Lenses", "no claim of it holds"),
    ]
    assert str(fail_with_nothing(warnings)) == "Nothing could be written: no claim of it holds"
