"""Going back to an earlier proposal, and what can be asked for there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.views.actions import list_actions
from engine.errors import UserError
from engine.session.events import Control, Job, MorePapers
from engine.session.state import Phase, SurveySession, advance
from tests.engine.session.test_state import AT


@pytest.mark.parametrize(
    ("phase", "before"),
    [
        ("keywords", "topic"),
        ("papers", "keywords"),
        ("outline", "papers"),
        ("writing", "outline"),
        ("discussion", "outline"),
    ],
)
def test_back_leads_to_the_proposal_before(phase: Phase, before: Phase) -> None:
    session, actions = advance(SurveySession("s", 0, AT[phase]), Control.GO_BACK)
    assert session.state.phase == before
    assert actions == ("propose",)
    if phase == "papers":  # they came from a list
        listed = replace(AT[phase], keywords=None)
        assert advance(SurveySession("s", 0, listed), Control.GO_BACK)[0].state.phase == "topic"


def test_papers_of_a_list_are_joined_by_no_others() -> None:
    listed = SurveySession("s", 0, replace(AT["papers"], keywords=None))
    with pytest.raises(UserError, match="of your list"):
        advance(listed, MorePapers(5))
    assert "more" in {action.command for action in list_actions(AT["papers"])}
    assert "more" not in {action.command for action in list_actions(listed.state)}


@pytest.mark.parametrize("phase", ["topic", "keywords"])
def test_gaps_are_looked_for_among_approved_papers_alone(phase: Phase) -> None:
    gone_back = replace(AT["papers"], phase=phase)
    after, _ = advance(SurveySession("s", 0, gone_back), Job("gaps"))
    assert after.job is None
