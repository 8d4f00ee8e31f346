"""What a person can want, as values; how it is said is in `grammar`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engine.session.events import Event

Evidence = Literal["why section", "why reference", "why float", "references", "tree"]
BudgetScope = Literal["survey", "person", "workspace"]
View = Evidence | Literal["help", "hello", "thanks", "status", "sources", "history", "show", "cost", "budget"]


@dataclass(frozen=True, slots=True)
class StartSurvey:
    """A topic with the options that were named."""

    topic: str
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Show:
    """Something to be shown; nothing changes. ``target`` is a section or reference number."""

    view: View
    target: str = ""


@dataclass(frozen=True, slots=True)
class Export:
    """Files to be made; no formats means the usual ones."""

    formats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class More:
    """More papers, as many as a setting says."""


@dataclass(frozen=True, slots=True)
class Invite:
    """Somebody who may change the survey too."""

    person: str


@dataclass(frozen=True, slots=True)
class RaiseBudget:
    """Dollars or tokens more for this survey, or dollars more today for a person or the workspace.

    ``in_all`` says that the amount is what the budget becomes, not what is added to it.
    """

    scope: BudgetScope
    money: float
    person: str = ""
    tokens: int = 0
    in_all: bool = False


@dataclass(frozen=True, slots=True)
class Forget:
    """Delete the survey with all that belongs to it; asked back unless ``sure``."""

    sure: bool


@dataclass(frozen=True, slots=True)
class ListSurveys:
    """A person's surveys, the latest on the first page; archived ones only where ``everything`` is wanted."""

    everything: bool = False
    page: int = 1


@dataclass(frozen=True, slots=True)
class OpenSurvey:
    """A survey by its number in the list; 0 is the last."""

    number: int


@dataclass(frozen=True, slots=True)
class NewSurvey:
    """A survey beside the one at hand."""


@dataclass(frozen=True, slots=True)
class NameSurvey:
    """Another name for the survey at hand."""

    name: str


@dataclass(frozen=True, slots=True)
class ArchiveSurvey:
    """Out of the list with a survey, by its number; 0 is the one at hand."""

    number: int = 0


@dataclass(frozen=True, slots=True)
class Choose:
    """One of the readings that were asked back, from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The next quick review, on the follow-up question of that number (from 1)."""

    number: int


@dataclass(frozen=True, slots=True)
class FullSurvey:
    """A whole survey of the papers of a quick review, with the options that were named."""

    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchOnline:
    """The topic at hand once more, with online sources."""


@dataclass(frozen=True, slots=True)
class FreeText:
    """Words that are no command: what they likeliest mean is offered, or done where a ``guess`` shows or stops.

    ``private``: they are perhaps said to somebody else, so that only the person is asked; ``quiet``: they probably are,
    so that nobody is, unless a language model reads them otherwise. ``likely``: the first of the offers is what they
    mean, as far as can be told.
    """

    text: str
    offers: tuple[str, ...] = ()
    guess: str = ""
    private: bool = False
    quiet: bool = False
    likely: bool = False


SurveyCommand = ListSurveys | OpenSurvey | NewSurvey | NameSurvey | ArchiveSurvey
"""What is done with several surveys."""

Continuation = FollowUp | FullSurvey | SearchOnline
"""What goes on from the topic or the quick review that is there."""

NOT_FOR_THE_SESSION = (
    SurveyCommand | Continuation | Show | Export | More | Invite | RaiseBudget | Forget | Choose | FreeText
)
"""Commands that are carried out around the session."""

Command = NOT_FOR_THE_SESSION | StartSurvey | Event
