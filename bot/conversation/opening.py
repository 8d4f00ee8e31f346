"""What begins: a survey in a thread of its own, a quick review, what goes on from one; or why nothing does."""

from __future__ import annotations

from dataclasses import replace

from adapters.chat import Incoming, Outgoing
from bot.commands.access import refusal
from bot.commands.briefs import ONLINE, Defaults, brief_of, check_topic
from bot.commands.commands import Continuation, FreeText, Show, StartSurvey, SurveyCommand
from bot.commands.grammar import read_start
from bot.conversation.intake import compute
from bot.conversation.services import ConversationServices
from bot.conversation.showing import view
from bot.conversation.understanding import command_of
from bot.store.notes import Talk
from bot.store.sessions import StoredConversation
from bot.store.surveys import list_surveys
from bot.wording import replies, reviews
from bot.wording import sentences as wording
from engine.errors import UserError, pick
from engine.session.events import Start
from engine.session.state import State, SurveySession


async def read_opening(incoming: Incoming, services: ConversationServices, defaults: Defaults) -> Incoming | Outgoing:
    """What begins a survey in a thread, or is answered in one (a mention); else what the person alone is told."""
    at, alone = incoming.conversation, incoming.person
    try:
        command = await compute(command_of, incoming, None, Talk())
        if incoming.place == "mentioned" and not isinstance(command, StartSurvey):
            return incoming
        if isinstance(command, Show) and command.view in {"help", "hello", "thanks"}:
            return Outgoing(at, view(SurveySession(""), command).text, hints=("survey TOPIC",), only_for=alone)
        if isinstance(command, SurveyCommand) and command.kind == "list":
            found = await list_surveys(services.store, at, alone)
            return Outgoing(at, replies.list_surveys(found, "", command), only_for=alone)
        if isinstance(command, FreeText):  # what follows the slash command is its topic as it stands
            command = read_start(command.text)
        if not isinstance(command, StartSurvey):
            return Outgoing(at, wording.BELONGS_INTO_A_THREAD, only_for=alone)
        if refused := refusal(defaults.settings, StoredConversation(at, SurveySession(""), ""), alone, "start"):
            return Outgoing(at, wording.word_refusal(refused, ""), only_for=alone)
        brief_of(command, defaults)
    except UserError as error:
        return Outgoing(at, wording.failure(error), only_for=alone)
    if incoming.values:
        return incoming
    return replace(incoming, button="start", values=(("topic", command.topic), *command.options.items()))


def start_event(command: StartSurvey | Continuation, state: State, defaults: Defaults) -> Start:
    """The event that the command is. Raises `UserError` where it names nothing, or there is no review to go on from."""
    was = state.brief
    match command:
        case StartSurvey(topic, options) if was and topic and not options and state.phase == "topic":
            # Other words for a topic without papers: library and options stay.
            brief = replace(was, topic=check_topic(topic, defaults.limits.topic_characters))
        case StartSurvey(topic):
            if not (topic or was):
                raise UserError(reviews.NO_TOPIC)
            brief = brief_of(replace(command, topic=topic or state.topic), defaults)
        case Continuation("search online"):
            if was is None or was.online:
                raise UserError(reviews.SEARCHED_ONLINE if was else reviews.NO_TOPIC)
            brief = replace(was, online=True, places=())
        case Continuation(kind, number, options):
            if not (was and was.quick and state.survey):
                raise UserError(reviews.NO_REVIEW)
            if kind == "full survey":
                new = brief_of(StartSurvey(was.topic, {"library": was.library or ONLINE, **options}), defaults)
                brief = replace(new, years=was.years, online=was.online, kinds=was.kinds, places=was.places)
            else:
                asked = pick("follow-up question", state.survey.follow_up, number, "the review")
                brief = replace(was, topic=asked)
    carries = isinstance(command, Continuation) and command.kind != "search online"
    return Start(brief, defaults.recipes[brief.recipe].paper_count(defaults.limits), carries=carries)
