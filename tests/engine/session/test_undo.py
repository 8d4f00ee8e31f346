"""What undo and redo bring back."""

from __future__ import annotations

from engine.session.events import Control, EditKeywords, EditPapers, Undo
from engine.session.state import SurveySession, advance
from tests.engine.session.test_state import AT


def test_an_edit_that_changes_nothing_is_not_what_undo_takes_back() -> None:
    at_papers = SurveySession("s", state=AT["papers"])
    first, _ = advance(at_papers, EditPapers(exclude=(1,)))
    second, actions = advance(first, EditPapers(exclude=(1,)))
    assert actions == ("propose",) and second.revision == first.revision
    undone, _ = advance(second, Undo())
    assert undone.state == AT["papers"]


def test_redo_brings_back_one_step_after_the_other_until_something_else_is_done() -> None:
    session = SurveySession("s", state=AT["keywords"])
    states = []
    for word in ("one", "two", "three"):
        session, _ = advance(session, EditKeywords(add=(word,)))
        states.append(session.state)
    session, _ = advance(session, Undo(3))
    assert session.state == AT["keywords"]
    for state in states:
        before, (session, _) = session, advance(session, Control.REDO)
        assert session.state == state
    assert advance(session, Control.REDO)[1] == ("nothing to redo",)
    other, _ = advance(before, EditKeywords(add=("four",)))
    assert advance(other, Control.REDO)[1] == ("nothing to redo",)
