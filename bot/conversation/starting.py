"""What begins: a survey, a quick review, the next review after one, or a whole survey of a review's papers. Pure."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.briefs import ONLINE, Defaults, brief_of
from bot.commands.commands import Continuation, FullSurvey, SearchOnline, StartSurvey
from bot.wording import reviews
from engine.errors import UserError
from engine.session.events import Start, WriteFull
from engine.session.state import State
from engine.values import Brief


def start_event(command: StartSurvey | Continuation, state: State, defaults: Defaults) -> Start | WriteFull:
    """The event that the command is. Raises `UserError` where it names nothing, or there is no review to go on from."""
    if isinstance(command, StartSurvey):
        brief = brief_of(_name_topic(command, state), defaults)
        return Start(brief, _paper_count(brief, defaults))
    if isinstance(command, SearchOnline):
        if state.brief is None:
            raise UserError(reviews.NO_TOPIC)
        if state.brief.online:
            raise UserError(reviews.SEARCHED_ONLINE)
        return Start(replace(state.brief, online=True), _paper_count(state.brief, defaults))
    if not (state.brief and state.brief.quick and state.survey):
        raise UserError(reviews.NO_REVIEW)
    if isinstance(command, FullSurvey):
        start = StartSurvey(state.brief.topic, {"library": state.brief.library or ONLINE, **command.options})
        brief = replace(brief_of(start, defaults), years=state.brief.years, online=state.brief.online)
        return WriteFull(brief, _paper_count(brief, defaults))
    asked = state.survey.follow_up
    if not 1 <= command.number <= len(asked):
        raise UserError(reviews.NO_FOLLOW_UP.format(command.number, len(asked)))
    brief = replace(state.brief, topic=asked[command.number - 1])
    return Start(brief, _paper_count(brief, defaults), carries=True)


def _name_topic(command: StartSurvey, state: State) -> StartSurvey:
    """The command with the topic at hand where it names none."""
    if command.topic:
        return command
    if state.brief is None:
        raise UserError(reviews.NO_TOPIC)
    return replace(command, topic=state.brief.topic)


def _paper_count(brief: Brief, defaults: Defaults) -> int:
    return defaults.recipes[brief.recipe].paper_count(defaults.limits)
