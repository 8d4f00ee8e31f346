"""What follows from one event, as a value that the dispatcher commits as one transaction and then carries out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from adapters.chat import Button, Outgoing
from bot.store.sessions import StoredConversation
from bot.wording import sentences as wording
from engine.session.events import Job
from engine.session.state import SurveySession


@dataclass
class Turn:
    """What follows from one event. ``stored`` is the session afterwards."""

    stored: StoredConversation
    messages: list[Outgoing] = field(default_factory=list)
    starts: list[Job] = field(default_factory=list)
    stops: list[Job] = field(default_factory=list)
    forgets: bool = False

    @property
    def is_silent(self) -> bool:
        """Whether nothing follows: what was said was not for us."""
        return not (self.messages or self.starts or self.stops or self.forgets)

    @property
    def session(self) -> SurveySession:
        """The session as it is by now."""
        return self.stored.session

    def say(self, text: str, *, more: str = "", buttons: tuple[Button, ...] = (), files: tuple[Path, ...] = ()) -> None:
        """Something for everybody in the conversation."""
        self.messages.append(Outgoing(self.stored.conversation, text, more=more, buttons=buttons, files=files))

    def propose(self, text: str, more: str = "") -> None:
        """The current proposal, with its buttons, and what belongs below it."""
        self.say(text, more=more, buttons=wording.buttons(self.session))

    def mention(self, text: str, person: str, only_for: str = "") -> None:
        """Something that names a person, perhaps for one alone."""
        people = (person,) if person else ()
        self.messages.append(Outgoing(self.stored.conversation, text, only_for=only_for, people=people))

    def outgoing(self) -> list[Outgoing]:
        """The messages; the last says whether it is the person's turn now."""
        waiting = self.session.job is None
        return [replace(m, awaits=waiting and i == len(self.messages)) for i, m in enumerate(self.messages, start=1)]
