"""What a person can ask to be shown. Nothing here changes anything."""

from __future__ import annotations

from typing import Literal, assert_never

from bot.commands.grammar import Show
from bot.wording import floats, proposals, replies
from bot.wording import sentences as wording
from engine.errors import UserError
from engine.evidence import evidence_of_reference, evidence_of_section, figure_at, section_at, table_at
from engine.session.state import State, SurveySession
from engine.survey import Survey
from engine.writing.assembly import assemble_survey


def view(session: SurveySession, look: Show) -> str:
    """What a person asked to be shown; money is shown elsewhere. Raises `UserError` where it is not there."""
    state = session.state
    match look.view:
        case "help":
            return wording.HELP
        case "hello" | "thanks" | "status" | "history":
            return _word_standing(session, look.view)
        case "sources":
            return proposals.sources(state)
        case "show":
            return _show_section(state, look.target)
        case "why section":
            survey = require_survey(state)
            title = section_at(survey, look.target).title
            return proposals.why_section(survey, look.target, title, evidence_of_section(survey, look.target))
        case "why reference":
            survey = require_survey(state)
            paper, items = evidence_of_reference(survey, int(look.target))
            return proposals.why_reference(survey, paper, int(look.target), items)
        case "why float":
            return _why_float(require_survey(state), look.target)
        case "cost" | "budget" | "tree":
            raise ValueError(f"{look.view} is not in the session")
        case _:
            assert_never(look.view)


def _why_float(survey: Survey, target: str) -> str:
    """``table 2`` or ``figure 1``."""
    kind, _, place = target.partition(" ")
    number = int(place)
    if kind == "table":
        return floats.why_table(survey, table_at(survey, number), number)
    return floats.why_figure(figure_at(survey, number), number)


def _show_section(state: State, place: str) -> str:
    if place:
        survey = require_survey(state)
        return proposals.section(survey, place, section_at(survey, place))
    if state.phase == "papers" and state.papers:
        return proposals.all_papers(state.papers)
    return proposals.proposal(state)


def _word_standing(session: SurveySession, view: Literal["hello", "thanks", "status", "history"]) -> str:
    match view:
        case "hello":
            return replies.hello(session)
        case "thanks":
            return replies.THANKS
        case "status":
            return wording.status(session)
        case "history":
            return wording.history(session)
        case _:
            assert_never(view)


def survey_so_far(state: State) -> Survey | None:
    """The survey, or what is finished of it."""
    if state.survey or not (state.brief and state.outline and state.papers and state.sections):
        return state.survey
    return assemble_survey(state.brief, state.outline, dict(state.sections), state.papers, wording.UNFINISHED)


def require_survey(state: State) -> Survey:
    """The survey or what is finished of it; raises `UserError` where nothing is."""
    survey = survey_so_far(state)
    if survey is None:
        raise UserError(wording.NO_SURVEY_YET)
    return survey
