"""Who may start, change and read a survey. Pure; the sentences for refusals are in `bot.wording.sentences`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from adapters.chat import Conversation
from bot.commands.commands import (
    ArchiveSurvey,
    Command,
    Export,
    FollowUp,
    Forget,
    FreeText,
    Invite,
    ListSurveys,
    NameSurvey,
    NewSurvey,
    OpenSurvey,
    RaiseBudget,
    SearchOnline,
    Show,
    StartSurvey,
)
from bot.settings import Settings
from engine.session.events import Job, Start

Act = Literal["start", "open", "read", "ask", "change", "own", "administer"]


@dataclass(frozen=True, slots=True)
class Participant:
    """A person in a conversation: whose survey it is, and who was invited to it; no owner before there is one."""

    conversation: Conversation
    person: str
    owner: str = ""
    invited: frozenset[str] = frozenset()

    def is_among(self, entries: frozenset[str]) -> bool:
        """Whether the person, the channel, the workspace or the platform is named."""
        at = self.conversation
        workspace = f"{at.platform}:{at.tenant}"
        return bool(entries & {at.platform, workspace, f"{workspace}:{at.channel}", f"{workspace}:{self.person}"})


def act_of(command: Command) -> Act:
    """What a person has to be allowed for a command."""
    match command:
        case StartSurvey() | Start() | FollowUp() | SearchOnline():
            return "start"
        case Show() | Export() | FreeText():
            return "read"
        case Job("answer" | "gaps" | "evaluate"):
            return "ask"
        case ListSurveys() | OpenSurvey() | NewSurvey():
            return "open"
        case Invite() | Forget() | NameSurvey() | ArchiveSurvey():
            return "own"
        case RaiseBudget(scope="survey"):  # how far, is for the budget that is set for all surveys to say
            return "own"
        case RaiseBudget():
            return "administer"
        case _:
            return "change"


def takes_part(settings: Settings, who: Participant) -> bool:
    """Whether the survey is this person's too: what they ask is its owner's cost, and nobody's way."""
    return who.owner in {"", who.person} or who.person in who.invited or settings.changed_by == "channel"


def refusal(settings: Settings, who: Participant, act: Act) -> Act | None:
    """Why the person may not do this, or ``None`` where they may."""
    if who.is_among(settings.administrators):
        return None
    is_owner = who.owner in {"", who.person}
    invited = is_owner or who.person in who.invited
    match act:
        case "start":
            allowed = not settings.may_start or who.is_among(settings.may_start)
            if not allowed:
                return "start"
            return None if takes_part(settings, who) else "change"
        case "open":  # a person's own surveys, in their own conversation
            return None if invited else "own"
        case "read":
            return None if invited or settings.read_by == "channel" else "read"
        case "ask":
            allowed = takes_part(settings, who) or "channel" == settings.read_by == settings.asked_by
            return None if allowed else "ask"
        case "change":
            return None if takes_part(settings, who) else "change"
        case "own":
            return None if is_owner else "own"
        case "administer":
            return "administer"
        case _:
            assert_never(act)
