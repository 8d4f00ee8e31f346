"""The only stand-ins: small classes that behave like the real thing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from adapters.chat import Button, ChatAdapter, Conversation, Form, FormFault, Incoming, Outgoing, SurveyList
from engine.clock import Clock
from engine.llm.model import A, Request, TypedAnswer
from engine.local_models import Entailment
from engine.retrieval.embedding import Vectors
from engine.survey import Citation, Claim, Section
from engine.values import Paper, PaperKey
from tests.stand_ins.changes import PATIENCE_S

HERE = Conversation("fake", "lab", "general", "1")


@dataclass
class MovedClock(Clock):
    """A clock that only sleeping moves, so that waiting costs no time; ``slept`` is how long each wait was."""

    at_s: float = 1_000.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.at_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        until_s = self.at_s + max(0.0, seconds)
        await asyncio.sleep(0)
        self.at_s = max(self.at_s, until_s)


_SUBJECTS = {
    "retrieval": ("dense retrieval", "passage index", "query encoder"),
    "graph": ("graph attention", "message passing", "node classification"),
    "vision": ("image segmentation", "object detection", "pixel labels"),
}


def paper(number: int, subject: str = "retrieval", **changes: object) -> Paper:
    """A believable paper; the same number gives the same paper."""
    first, second, third = _SUBJECTS[subject]
    key = PaperKey(f"arxiv:20{number % 25:02d}.{number:05d}")
    values: dict[str, object] = {
        "key": key,
        "title": f"{first.title()} with {second.title()} Number{number}",
        "abstract": (
            f"Systems for {first} often ignore the {second} that variant{number} depends on. "
            f"We propose a {third} called Model{number} that learns {first} from the {second} itself. "
            f"Experiments show that Model{number} outperforms earlier {first} systems by {number % 9 + 1} points. "
            f"However, handling a changing {second} remains an open problem for Model{number}."
        ),
        "authors": (f"Ada Author{number}", "Ben Buddy", "Cleo van der Clue"),
        "year": 2000 + number % 25,
        "venue": "ACL",
        "citations": number * 3 % 500,
        "url": f"https://arxiv.org/abs/{key.removeprefix('arxiv:')}",
        "identifiers": (key,),
    }
    return Paper(**{**values, **changes})  # type: ignore[arg-type]


def papers(count: int, subject: str = "retrieval", start: int = 1) -> list[Paper]:
    """So many different papers of one subject."""
    return [paper(number, subject) for number in range(start, start + count)]


def claim(cited: Paper, quote: str) -> Claim:
    """A quoted claim."""
    return Claim(f"They say “{quote}” [@{cited.key}].", (Citation(cited.key, quote, "quoted"),))


def section(title: str, text: str, *below: Section) -> Section:
    """A section with its parts."""
    return Section(title, text, sections=below)


class WordEmbedder:
    """Hashes words into 64 dimensions: texts that share words are close."""

    name = "words-64"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), 64), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, sum(map(ord, word.strip(".,“”"))) % 64] += 1.0
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)


@dataclass
class FakeBackend:
    """What stands behind an adapter, in memory: remembers what came in, and answers as it is told to."""

    answer: Callable[[Incoming], Awaitable[None]] | None = None
    asked: Form | Outgoing | None = None
    wrong: FormFault | None = None
    known: set[Conversation] = field(default_factory=set)
    surveys: list[Outgoing] = field(default_factory=list)
    notes: dict[tuple[Conversation, str], str] = field(default_factory=dict)
    received: list[Incoming] = field(default_factory=list)
    left_by: list[str] = field(default_factory=list)
    closed_places: list[Conversation] = field(default_factory=list)
    ratings: list[tuple[str, str, bool]] = field(default_factory=list)
    is_listening: bool = False

    async def handle(self, incoming: Incoming) -> None:
        self.received.append(incoming)
        self.known.add(incoming.conversation)
        if self.answer:
            await self.answer(incoming)

    async def knows(self, conversation: Conversation) -> bool:
        return conversation in self.known

    async def form(self, incoming: Incoming, characters: int) -> Form | Outgoing:
        assert self.asked is not None
        return self.asked

    async def fault(self, incoming: Incoming) -> FormFault | None:
        return self.wrong

    async def overview(self, platform: str, tenant: str, person: str) -> SurveyList:
        return SurveyList("Your surveys", Button("New", "start", "", asks=True), "Open", "None", tuple(self.surveys))

    async def remember(self, conversation: Conversation, name: str, value: str) -> None:
        self.notes[conversation, name] = value

    async def recall(self, conversation: Conversation, name: str) -> str:
        return self.notes.get((conversation, name), "")

    async def rate(self, conversation: Conversation, message: str, person: str, *, good: bool) -> None:
        self.ratings.append((message, person, good))

    async def note_listening(self) -> None:
        self.is_listening = True

    async def close_conversation(self, conversation: Conversation, why: str = "") -> None:
        self.closed_places.append(conversation)

    async def left(self, platform: str, tenant: str) -> None:
        self.left_by.append(tenant)


def written(count: int) -> Callable[[Outgoing], bool]:
    """Whether it is the progress of writing, so far on."""
    return lambda o: o.text.startswith("Writing") and o.bar is not None and o.bar.done >= count


@dataclass
class FakeChat(ChatAdapter):
    """A platform in memory: remembers what was sent, and lets a test wait for its turn.

    What ``holds`` says yes to is not taken before ``release``: whoever sends it waits. A job waits for its progress.
    """

    platform = "fake"
    only = HERE
    sent: list[Outgoing] = field(default_factory=list)
    turn: asyncio.Event = field(default_factory=asyncio.Event)
    holds: Callable[[Outgoing], bool] = lambda _: False
    stored: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    said: int = 0

    async def open_thread(self, incoming: Incoming, starter: Outgoing) -> Conversation:
        self.sent.append(starter)
        return incoming.conversation

    async def send(self, outgoing: Outgoing) -> None:
        self.sent.append(outgoing)
        if self.holds(outgoing):
            self.stored.set()
            await self.release.wait()
        if outgoing.awaits:
            self.turn.set()

    async def say(self, text: str = "", button: str = "", person: str = "mara") -> list[Outgoing]:
        """Say or press something and return the messages up to the person's next turn."""
        before = len(self.sent)
        self.turn.clear()
        self.said += 1
        await self.backend.handle(Incoming(HERE, person, f"k{id(self)}-{self.said}", text, button))
        async with asyncio.timeout(PATIENCE_S):
            await self.turn.wait()
        return self.messages(before)

    def messages(self, start: int = 0) -> list[Outgoing]:
        return [
            outgoing
            for outgoing in self.sent[start:]
            if outgoing.kind in {"message", "started"} and not outgoing.closes
        ]

    @property
    def last(self) -> str:
        return self.messages()[-1].text


@dataclass
class FakeModel:
    """A language model that answers by a function of prompt and schema, and remembers what it was asked."""

    reply: Callable[[str, str], str]
    requests: list[Request] = field(default_factory=list)
    entailment: Entailment | None = None

    async def text(self, request: Request) -> str:
        self.requests.append(request)
        return self.reply(whole(request), "")

    async def stream(self, request: Request) -> AsyncIterator[str]:
        yield await self.text(request)

    async def answer_typed(self, request: Request, kind: type[A]) -> A:
        self.requests.append(request)
        return kind.model_validate_json(self.reply(whole(request), kind.__name__))

    async def forget(self, request: Request, kind: type[TypedAnswer] | None = None) -> None:
        """Nothing is recorded here."""

    def asked(self, step: str) -> list[Request]:
        return [request for request in self.requests if request.step.startswith(step)]


def whole(request: Request) -> str:
    """Everything the model would read."""
    return "\n".join((request.prompt.system, request.prompt.shared, request.prompt.question))
