"""What every chat platform gives and takes, whatever it is called there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where a conversation is: platform, workspace or server, channel, thread."""

    platform: str
    tenant: str
    channel: str
    thread: str = ""

    @property
    def workspace(self) -> str:
        """The workspace or server, named the same on no other platform."""
        return f"{self.platform}:{self.tenant}"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file a person sent, already fetched."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Incoming:
    """Something a person did: words, or a pressed button (``verb:session:revision``); ``key`` tells repeats."""

    conversation: Conversation
    person: str
    key: str
    text: str = ""
    button: str = ""
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Button:
    """A label and what pressing it sends; ``typed`` is the plain word that does the same."""

    label: str
    action: str
    typed: str


@dataclass(frozen=True, slots=True)
class Bar:
    """How far a long step is; ``total`` 0 means unknown."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Something to show.

    ``text`` is Markdown in which everything not written by us is escaped. A ``progress`` replaces the one
    before and is never worth waiting for; a ``growing`` text replaces the one before and is itself replaced by the
    next ``message``, which is never dropped. ``awaits`` says it is the person's turn. ``only_for`` is the person it
    is meant for alone. ``key`` is the same each time a message is sent again, so that a platform can drop repeats.
    """

    conversation: Conversation
    text: str
    kind: Literal["message", "progress", "growing"] = "message"
    buttons: tuple[Button, ...] = ()
    files: tuple[Path, ...] = ()
    bar: Bar | None = None
    awaits: bool = False
    only_for: str = ""
    key: str = ""


Handler = Callable[[Incoming], Awaitable[None]]


class ChatAdapter(Protocol):
    """One platform, or one conversation of it."""

    @property
    def platform(self) -> str:
        """The platform's name, as in `Conversation`."""
        ...

    @property
    def only(self) -> Conversation | None:
        """The one conversation it shows; ``None`` for all of the platform."""
        ...

    async def run(self, handle: Handler) -> None:
        """Give everything that comes in to ``handle`` until the platform or the person ends it."""
        ...

    async def send(self, outgoing: Outgoing) -> None:
        """Show it. Raises an error where the platform does not take it now; it is sent again later."""
        ...
