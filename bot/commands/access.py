"""Who may start, change and read a survey. Pure; the sentences for refusals are in `bot.wording.sentences`."""

from __future__ import annotations

from typing import Literal

from adapters.chat import Conversation
from bot.commands import commands
from bot.commands.commands import Command
from bot.settings import Settings
from bot.store.sessions import StoredConversation
from engine.session.events import Job, Start

Act = Literal["start", "open", "read", "ask", "change", "own", "administer"]


def is_among(entries: frozenset[str], at: Conversation, person: str) -> bool:
    """Whether the person, the channel, the workspace or the platform is named."""
    return bool(entries & {at.platform, at.workspace, f"{at.workspace}:{at.channel}", f"{at.workspace}:{person}"})


def act_of(command: Command) -> Act:
    """What a person has to be allowed for a command."""
    match command:
        case commands.StartSurvey() | Start() | commands.Continuation("follow up" | "search online"):
            return "start"
        case commands.Show() | commands.Export() | commands.FreeText():
            return "read"
        case Job("answer" | "gaps" | "evaluate"):
            return "ask"
        case commands.SurveyCommand("list" | "open" | "new"):
            return "open"
        case commands.Invite() | commands.Forget() | commands.SurveyCommand("name" | "archive"):
            return "own"
        case commands.RaiseBudget(scope="survey"):  # how far, is for the budget that is set for all surveys to say
            return "own"
        case commands.RaiseBudget():
            return "administer"
        case _:
            return "change"


def takes_part(settings: Settings, stored: StoredConversation, person: str) -> bool:
    """Whether the survey is this person's too: what they ask is its owner's cost, and nobody's way."""
    return stored.owner in {"", person} or person in stored.invited or settings.changed_by == "channel"


def refusal(settings: Settings, stored: StoredConversation, person: str, act: Act) -> Act | None:
    """Why the person may not do this, or ``None`` where they may."""
    at = stored.conversation
    if is_among(settings.administrators, at, person):
        return None
    is_owner, may_change = stored.owner in {"", person}, takes_part(settings, stored, person)
    invited = is_owner or person in stored.invited
    if act == "start" and (not settings.may_start or is_among(settings.may_start, at, person)):
        act = "change"  # beside what is there
    allowed = {
        "open": invited,  # a person's own surveys, in their own conversation
        "read": invited or settings.read_by == "channel",
        "ask": may_change or "channel" == settings.read_by == settings.asked_by,
        "change": may_change,
        "own": is_owner,
    }
    if allowed.get(act):
        return None
    return "own" if act == "open" else act
