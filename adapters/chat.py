"""What every chat platform gives and takes, whatever it is called there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass
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
    """A file a person sent; where it is not fetched yet, ``source`` is what the platform fetches it by."""

    name: str
    content: bytes = b""
    source: str = ""


Place = Literal["direct", "thread", "mentioned"]
"""Where words were said: to the bot alone, among people in a survey's thread, or with the bot's name."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """Something a person did: words, or a pressed button (``verb:session:revision``); ``key`` tells repeats.

    ``values`` are the fields of a form that was filled in for the button. ``opens`` says that it was said where a
    survey gets a thread of its own, which has to be opened first. ``place`` is where words were said; what is pressed,
    filled in or commanded is always said to the bot. ``alone`` says that only this
    person sees what it is answered with, as with a pressed button. ``left_out``: so many characters of the text were
    cut off, because nobody has to read them.
    """

    conversation: Conversation
    person: str
    key: str
    text: str = ""
    button: str = ""
    attachments: tuple[Attachment, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    opens: bool = False
    place: Place = "direct"
    alone: bool = False
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Button:
    """A label and what pressing it sends; ``typed`` is the plain word that does the same.

    One that ``asks`` wants a form filled in first, which platforms without forms leave out.
    """

    label: str
    action: str
    typed: str
    asks: bool = False


FieldKind = Literal["line", "text", "choice"]


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form: a line, a longer text, or a choice among ``choices`` (value and label)."""

    name: str
    label: str
    value: str = ""
    hint: str = ""
    kind: FieldKind = "line"
    choices: tuple[tuple[str, str], ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What is asked; sent as `Incoming` with ``action`` as its button."""

    title: str
    action: str
    submit: str
    fields: tuple[FormField, ...]


@dataclass(frozen=True, slots=True)
class FormPlace:
    """Where a form or a list of surveys belongs, and what it does: kept in what a platform gives back with it."""

    channel: str = ""
    thread: str = ""
    action: str = ""
    opens: bool = False

    def pack(self) -> str:
        """As a text."""
        return json.dumps(astuple(self), separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> FormPlace:
        """The inverse of `pack`; raises `ValueError` for anything else."""
        values = json.loads(text)
        if not isinstance(values, list) or len(values) != 4:
            raise ValueError("this is no place")
        return cls(*values)


@dataclass(frozen=True, slots=True)
class FormFault:
    """What is wrong with a filled form: the field's name, and a sentence."""

    field: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ProgressBar:
    """How far a long step is; ``total`` 0 means unknown."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Document:
    """A text in Markdown that people read beside the conversation; the next of one ``name`` takes its place."""

    name: str
    title: str
    text: str


Kind = Literal["message", "started", "progress", "ended", "growing"]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Something to show.

    ``text`` is Markdown in which everything not written by us is escaped. A job is ``started``, its ``progress`` or its
    ``growing`` result replaces that (never worth waiting for; ``facts`` are counts, time, money), and it is ``ended``,
    or a ``message`` with its ``job`` takes the place of all that. Messages with one ``slot`` stand in one place: the
    next is put where the one before stands, which is edited, or, ``anew``, at the end instead of that; one that
    ``closes`` is the slot's last, and is left out where nothing stands there. ``hints`` are words that can be typed
    here; each platform says them in its way. ``awaits`` says it is the person's turn. ``only_for`` is the person it is
    meant for alone; ``people`` are those its text names. ``document`` is what the message is about: a platform that
    keeps documents shows it in place of text and files, and where it comes without them, changes what it shows.
    ``title`` is what the conversation is about, said as a job begins. ``rating`` are labels of good and not good, where
    people may say which it is. ``key`` is the same each time a message is sent again, so that a platform can drop
    repeats.
    """

    conversation: Conversation
    text: str
    kind: Kind = "message"
    buttons: tuple[Button, ...] = ()
    files: tuple[Path, ...] = ()
    job: str = ""
    slot: str = ""
    closes: bool = False
    anew: bool = False
    hints: tuple[str, ...] = ()
    bar: ProgressBar | None = None
    facts: tuple[str, ...] = ()
    awaits: bool = False
    only_for: str = ""
    people: tuple[str, ...] = ()
    document: Document | None = None
    title: str = ""
    rating: tuple[str, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class SurveyList:
    """A person's surveys, the latest first, each in its conversation, and the texts around them."""

    title: str
    start: Button
    open_label: str
    nothing: str
    surveys: tuple[Outgoing, ...]


class PlatformError(Exception):
    """A platform does not do what it was asked for; the text can be shown to a person.

    ``gone`` says that nothing at all can be written in that conversation any more.
    """

    def __init__(self, message: str, *, retryable: bool = False, gone: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.gone = gone


class AccessRefused(PlatformError):
    """A platform does not let us in, whenever we ask: a token or the app's settings there have to be changed."""


@dataclass(frozen=True, slots=True)
class AdapterTexts:
    """What an adapter has to say by itself."""

    not_here: str  # a survey was asked for in a channel that we cannot write in
    begun: str  # a survey that was asked for gets a thread
    noted: str  # what was asked for is answered in the thread
    directly: str  # what was asked for goes on between the person and us
    missing: str  # permissions are missing, ``{}``
    failed: str  # something could not be taken; it has to be done again
    too_large: str  # files cannot be sent, ``{}``
    nothing_here: str  # there is no survey where something was said about one
    more_options: str  # the field of a form in which several stand that are too many, a line for each
    document: str  # a document can be read at the address ``{}``
    examples: tuple[str, ...]  # what can be said to begin
    say: str  # words that can be typed instead, ``{}``
    mention: str  # words that can be typed where only what mentions us is read, ``{}``
    refusals: Mapping[str, str]  # what a platform's refusal means and what to do about it, by its name for it


class ChatBackend(Protocol):
    """What stands behind an adapter."""

    async def handle(self, incoming: Incoming) -> None:
        """Take it. Returns once it is stored, and raises where it is not; what came before is dropped."""

    async def knows(self, conversation: Conversation) -> bool:
        """Whether something was said to us there already."""

    async def form(self, incoming: Incoming, characters: int) -> Form | Outgoing:
        """The form that the pressed button asks for, its text as a suggestion; a message where there is none.

        No field holds more ``characters``: cut, a text would lose its end when it is handed in.
        """

    async def fault(self, incoming: Incoming) -> FormFault | None:
        """What is wrong with a filled form, before it is handed in."""

    async def overview(self, platform: str, tenant: str, person: str) -> SurveyList:
        """A person's surveys."""

    async def remember(self, conversation: Conversation, name: str, value: str) -> None:
        """Keep a small note beyond this process, until the conversation is forgotten; an empty one is removed."""

    async def recall(self, conversation: Conversation, name: str) -> str:
        """The note; empty where there is none."""

    async def rate(self, conversation: Conversation, message: str, person: str, *, good: bool) -> None:
        """Keep what a person thinks of a message, by the platform's name for it."""

    async def note_listening(self) -> None:
        """From now on everything that is said comes in."""

    async def close_conversation(self, conversation: Conversation, why: str = "") -> None:
        """Nobody can write there any more: what runs is stopped, and its owner told alone; ``why`` it is gone."""

    async def left(self, platform: str, tenant: str) -> None:
        """The workspace has removed us: nothing is done there any more."""


class ChatAdapter:
    """One platform, or one conversation of it; what is defined here suits one without threads or files of its own."""

    platform: str
    """Its name, as in `Conversation`."""
    only: Conversation | None = None
    """The one conversation it shows; ``None`` for all of the platform."""
    keeps_documents = False
    """Whether it can show a `Document`; where not, it is given none."""
    backend: ChatBackend

    async def open(self, backend: ChatBackend) -> None:
        """Get ready to send. Raises `PlatformError` where the platform does not let us in."""
        self.backend = backend

    async def run(self) -> None:
        """Give everything that comes in to the backend until the platform or the person ends it."""

    async def close(self) -> None:
        """Let go of the platform; nothing is sent after it."""

    async def send(self, outgoing: Outgoing) -> None:
        """Show it; progress and growing texts are shown when there is time, and never raise.

        Raises `PlatformError` where the platform does not take it: ``retryable`` where it may take it later.
        """
        raise NotImplementedError

    async def open_thread(self, incoming: Incoming, starter: Outgoing) -> Conversation:
        """A thread for a survey that was asked for, begun with a message; the same one for the same ``key``."""
        return incoming.conversation

    async def fetch(self, conversation: Conversation, attachment: Attachment) -> bytes:
        """The contents of a file, of a very large one a part. Raises `PlatformError`."""
        return attachment.content
