"""What is said where a survey gets a thread of its own: what begins one, or an answer to the person alone."""

from __future__ import annotations

from dataclasses import replace

from adapters.chat import Incoming, Outgoing
from bot.commands.access import Participant, refusal
from bot.commands.briefs import Defaults, brief_of
from bot.commands.commands import Command, FreeText, ListSurveys, Show, StartSurvey
from bot.commands.grammar import read_start
from bot.conversation.intake import compute
from bot.conversation.services import ConversationServices
from bot.conversation.understanding import command_of
from bot.settings import Rules
from bot.store.talk import Talk
from bot.wording import replies, views
from bot.wording import sentences as wording
from engine.errors import UserError
from engine.session.state import SurveySession


async def read_opening(
    incoming: Incoming, services: ConversationServices, defaults: Defaults, rules: Rules
) -> Incoming | Outgoing:
    """What was said where a survey gets a thread of its own: what begins one, or an answer to the person alone."""
    at, alone = incoming.conversation, incoming.person
    try:
        command = await compute(command_of, incoming, None, Talk())
        if isinstance(command, Show) and command.view in {"help", "hello", "thanks"}:
            return Outgoing(at, views.view(SurveySession(""), command).text, hints=("survey TOPIC",), only_for=alone)
        if isinstance(command, ListSurveys):
            found = await services.list_surveys(at, alone)
            return Outgoing(at, replies.list_surveys(found, "", command), only_for=alone)
        if isinstance(command, FreeText) and incoming.place != "direct":
            return Outgoing(at, replies.ask_meaning(command.text, command.offers), only_for=alone)
        start = _read_start(command)
        if start is None:
            return Outgoing(at, wording.BELONGS_INTO_A_THREAD, only_for=alone)
        if refused := refusal(rules, Participant(at, alone), "start"):
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
