"""Who may start, change and read a survey. Pure; the sentences for refusals are in `bot.wording.sentences`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from adapters.chat import Conversation
from bot.commands import commands
from bot.commands.commands import Command
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


def takes_part(settings: Settings, who: Participant) -> bool:
    """Whether the survey is this person's too: what they ask is its owner's cost, and nobody's way."""
    return who.owner in {"", who.person} or who.person in who.invited or settings.changed_by == "channel"


def refusal(settings: Settings, who: Participant, act: Act) -> Act | None:
    """Why the person may not do this, or ``None`` where they may."""
    if who.is_among(settings.administrators):
        return None
    is_owner, may_change = who.owner in {"", who.person}, takes_part(settings, who)
    invited = is_owner or who.person in who.invited
    if act == "start" and (not settings.may_start or who.is_among(settings.may_start)):
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
