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
class SurveyCommand:
    """What is done with several surveys: listed, the latest on the first page; opened, begun, named or archived.

    ``number`` is the page, or the survey in the list: 0 opens the last and archives the one at hand. Archived ones are
    listed only where ``everything`` is wanted.
    """

    kind: Literal["list", "open", "new", "name", "archive"]
    number: int = 0
    name: str = ""
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Choose:
    """One of the readings that were asked back, from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class Continuation:
    """What goes on from the topic or the quick review at hand.

    The next quick review, on the follow-up question of that ``number`` (from 1); a full survey of its papers with the
    ``options`` that were named; the topic once more with online sources.
    """

    kind: Literal["follow up", "full survey", "search online"]
    number: int = 0
    options: dict[str, str] = field(default_factory=dict)


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


NOT_FOR_THE_SESSION = SurveyCommand | Continuation | Show | Export | Invite | RaiseBudget | Forget | Choose | FreeText
"""Commands that are carried out around the session."""

Command = NOT_FOR_THE_SESSION | StartSurvey | Event
