"""What begins: a survey in a thread of its own, a quick review, what goes on from one; or why nothing does."""

from __future__ import annotations

from dataclasses import replace

from adapters.chat import Incoming, Outgoing
from bot.commands.access import Participant, refusal
from bot.commands.briefs import ONLINE, Defaults, brief_of, check_topic
from bot.commands.commands import Command, Continuation, FreeText, Show, StartSurvey, SurveyCommand
from bot.commands.grammar import read_start
from bot.conversation.intake import compute
from bot.conversation.services import ConversationServices
from bot.conversation.understanding import command_of
from bot.store.notes import Talk
from bot.store.surveys import list_surveys
from bot.wording import replies, reviews, showing
from bot.wording import sentences as wording
from engine.errors import UserError
from engine.session.events import Start
from engine.session.state import State, SurveySession
from engine.values import Brief


async def read_opening(incoming: Incoming, services: ConversationServices, defaults: Defaults) -> Incoming | Outgoing:
    """What was said where a survey gets a thread of its own: what begins one, or an answer to the person alone.

    A mention is answered in a thread in any case, where it can be talked about.
    """
    at, alone = incoming.conversation, incoming.person
    try:
        command = await compute(command_of, incoming, None, Talk())
        if incoming.place == "mentioned" and not isinstance(command, StartSurvey):
            return incoming
        if isinstance(command, Show) and command.view in {"help", "hello", "thanks"}:
            return Outgoing(at, showing.view(SurveySession(""), command).text, hints=("survey TOPIC",), only_for=alone)
        if isinstance(command, SurveyCommand) and command.kind == "list":
            found = await list_surveys(services.store, at, alone)
            return Outgoing(at, replies.list_surveys(found, "", command), only_for=alone)
        start = _read_start(command)
        if start is None:
            return Outgoing(at, wording.BELONGS_INTO_A_THREAD, only_for=alone)
        if refused := refusal(defaults.settings, Participant(at, alone), "start"):
            return Outgoing(at, wording.word_refusal(refused, ""), only_for=alone)
        brief_of(start, defaults)
    except UserError as error:
        return Outgoing(at, wording.failure(error), only_for=alone)
    if incoming.values:
        return incoming
    return replace(incoming, button="start", values=(("topic", start.topic), *start.options.items()))


def _read_start(command: Command | None) -> StartSurvey | None:
    """The survey that is to be begun; what follows the slash command is its topic as it stands."""
    if isinstance(command, FreeText):
        command = read_start(command.text)
    return command if isinstance(command, StartSurvey) else None


def start_event(command: StartSurvey | Continuation, state: State, defaults: Defaults) -> Start:
    """The event that the command is. Raises `UserError` where it names nothing, or there is no review to go on from."""
    if isinstance(command, StartSurvey):
        if state.phase == "topic" and state.brief and command.topic and not command.options:
            # Other words for a topic without papers: library and options stay.
            brief = replace(state.brief, topic=check_topic(command.topic, defaults.limits.topic_characters))
        else:
            brief = brief_of(_name_topic(command, state), defaults)
        return Start(brief, _paper_count(brief, defaults))
    if command.kind == "search online":
        if state.brief is None:
            raise UserError(reviews.NO_TOPIC)
        if state.brief.online:
            raise UserError(reviews.SEARCHED_ONLINE)
        return Start(replace(state.brief, online=True, places=()), _paper_count(state.brief, defaults))
    if not (state.brief and state.brief.quick and state.survey):
        raise UserError(reviews.NO_REVIEW)
    if command.kind == "full survey":
        start = StartSurvey(state.brief.topic, {"library": state.brief.library or ONLINE, **command.options})
        was = state.brief
        new = brief_of(start, defaults)
        brief = replace(new, years=was.years, online=was.online, kinds=was.kinds, places=was.places)
        return Start(brief, _paper_count(brief, defaults), carries=True)
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
