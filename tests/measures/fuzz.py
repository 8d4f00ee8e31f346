"""The command `bench fuzz`: what the longest and oddest messages cost, at every step and from every rank of person."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from rich.console import Console
from rich.table import Table

from adapters.chat import ChatAdapter, Conversation, Incoming, Outgoing, Place
from bot.app import App
from bot.serving.service import Service, run_service
from bot.settings import load_settings
from bot.store.sessions import StoredConversation
from bot.wording.sentences import OUR_FAULT
from engine.session.events import Approve, JobDone, Start
from engine.session.state import SurveySession, advance
from engine.survey import Section, Survey
from engine.values import (
    Brief,
    FoundPaper,
    Keyword,
    KeywordPool,
    Outline,
    OutlineNode,
    Paper,
    PaperKey,
    PaperSelection,
)

MOST_CPU_S = 0.2
"""CPU seconds that a message may cost before its answer begins."""

MOST_STALL_S = 0.5
"""Seconds for which nobody else is served meanwhile."""

TICK_S = 0.01
SIZES = (300, 2_000, 40_000)
PAPERS = 60
BEGINNINGS = (
    "", "add ", "drop ", "survey ", "quick ", "search ", "rename 1.", "rename 2 to ", "move 1.", "merge 1.", "papers: ",
    "use these papers: ", "exclude ", "cite ", "remove the claim about ", "add a paragraph on ", "ask ", "translate 1.",
    "budget ", "invite ", "why ", "describe 1: ", "export ",
)  # fmt: skip
PIECES = (
    "x,", "1.", "9", " ", "\n", "the ", "and 1 ", "please ", "ok. ", "[", "(((", "“", "x-", "to 1 ", "about 2 from ",
    "budget=", "<@U1> ", "http://a/", "é", "\u200b", "😀", "?", "\t\t", "10.1234/a ", "what about ",
)  # fmt: skip
PEOPLE = ("owner", "guest", "stranger", "chief")


@dataclass(frozen=True, slots=True)
class OddMessage:
    """A message at a step of a survey (0 to 4), and who says it where."""

    step: int
    person: str
    place: Place
    beginning: str
    piece: str
    size: int

    @property
    def text(self) -> str:
        """What is said."""
        return (self.beginning + self.piece * (self.size // len(self.piece) + 1))[: self.size]


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds up to the answer, the longest pause of the event loop, and whether the answer was our fault."""

    message: OddMessage
    cpu_s: float
    stall_s: float
    is_fault: bool


@dataclass
class AnswerClock(ChatAdapter):
    """A chat that notes how much CPU time the process had used when an answer began."""

    platform: str = "bench"
    only: Conversation | None = None
    answered: float = 0.0
    texts: list[str] = field(default_factory=list)

    async def send(self, outgoing: Outgoing) -> None:
        """Note it."""
        self.answered = self.answered or time.process_time()
        self.texts.append(outgoing.text)


def list_messages(seed: int) -> list[OddMessage]:
    """Every beginning with every piece, and every step, person, place and size in turn, in random order."""
    others = itertools.cycle(itertools.product(range(5), PEOPLE, SIZES))
    places: Iterator[Place] = itertools.cycle(("direct", "thread", "mentioned"))
    found = [
        OddMessage(step, person, next(places), beginning, piece, size)
        for beginning, piece in itertools.product(BEGINNINGS, PIECES)
        for step, person, size in itertools.islice(others, 4)
    ]
    random.Random(seed).shuffle(found)
    return found


def make_steps() -> list[SurveySession]:
    """A session at each step, with as many papers as a small survey has."""
    found = tuple(_make_paper(number) for number in range(PAPERS))
    results: tuple[KeywordPool | PaperSelection | Outline | Survey, ...] = (
        KeywordPool(tuple(Keyword(f"dense retrieval {number}", "topic") for number in range(12))),
        PaperSelection(tuple(FoundPaper(paper, 1.0) for paper in found)),
        Outline("A Survey", tuple(OutlineNode(f"Part {n}", papers=(found[n].key,)) for n in range(6))),
        Survey("A Survey", "", tuple(Section(f"Part {n}", "Words are here. " * 50) for n in range(6)), ()),
    )
    session, _ = advance(SurveySession("abc"), Start(Brief("dense retrieval"), 200))
    made = [SurveySession("abc")]
    for number, result in enumerate(results, start=1):
        session, _ = advance(session, JobDone(f"abc-{number}", result))
        made.append(session)
        if number < len(results):
            session, _ = advance(session, Approve())
    return made


def _make_paper(number: int) -> Paper:
    key = PaperKey(f"arxiv:2001.{number:05d}")
    return Paper(key=key, title=f"Dense Retrieval Number {number}", abstract="We retrieve passages. " * 20, year=2020)


async def measure(messages: Sequence[OddMessage]) -> AsyncIterator[Cost]:
    """The cost of each message, said in a conversation of its own to a service that begins no jobs."""
    with tempfile.TemporaryDirectory(prefix="scholium-fuzz-") as home:
        chief = '["bench:lab:chief"]'
        os.environ.update({"SCHOLIUM_HOME": home, "SCHOLIUM_JOBS": "0", "SCHOLIUM_ADMINISTRATORS": chief})
        chat, steps = AnswerClock(), make_steps()
        async with run_service(App(load_settings()), chat) as service:
            warm = OddMessage(1, "owner", "direct", "status", " ", 7)
            for number, message in enumerate((warm, replace(warm, step=2, beginning="ok"), *messages)):
                cost = await _say(service, chat, steps[message.step], message, number)
                if number > 1:
                    yield cost


async def _say(service: Service, chat: AnswerClock, session: SurveySession, message: OddMessage, number: int) -> Cost:
    at = Conversation("bench", "lab", "general", str(number))
    owner = "owner" if message.step else ""
    own = replace(session, id=f"s{number}")
    await service.store.commit(StoredConversation(at, own, owner, frozenset({"guest"})), [])
    incoming = Incoming(at, message.person, f"k{number}", message.text, place=message.place)
    chat.answered, chat.texts = 0.0, []
    async with _watch_loop() as longest:
        began = time.process_time()
        await service.dispatcher.handle(incoming)
        await service.dispatcher.drain()
        await service.outbox.drain()
        cpu_s = (chat.answered or time.process_time()) - began
    return Cost(message, cpu_s, max(longest), any(OUR_FAULT in text for text in chat.texts))


@asynccontextmanager
async def _watch_loop() -> AsyncIterator[list[float]]:
    """The seconds by which the loop came later than asked, while the block runs."""
    late = [0.0]

    async def tick() -> None:
        while True:
            asked = time.monotonic()
            await asyncio.sleep(TICK_S)
            late.append(time.monotonic() - asked - TICK_S)

    ticking = asyncio.create_task(tick())
    try:
        yield late
    finally:
        ticking.cancel()
        await asyncio.wait([ticking])


async def fuzz(console: Console, count: int, seed: int) -> int:
    """Say so many odd messages; 1 where one of them cost too much or was answered with a fault of ours."""
    costs = [cost async for cost in measure(list_messages(seed)[:count])]
    table = Table("", "CPU s", "Loop s", title=f"{len(costs)} messages of 300, 2,000 and 40,000 characters")
    for cost in sorted(costs, key=lambda cost: -cost.cpu_s)[:10]:
        said = cost.message
        named = f"{said.beginning!r} {said.piece!r} × {said.size:,}, step {said.step}, {said.person}, {said.place}"
        table.add_row(named, f"{cost.cpu_s:.3f}", f"{cost.stall_s:.3f}")
    slow = sum(cost.cpu_s > MOST_CPU_S for cost in costs)
    stalled = sum(cost.stall_s > MOST_STALL_S for cost in costs)
    faults = sum(cost.is_fault for cost in costs)
    table.add_row(f"Over {MOST_CPU_S} CPU s, over {MOST_STALL_S} s of the loop", str(slow), str(stalled))
    table.add_row("Answered with a fault of ours", str(faults), "")
    console.print(table)
    return int(bool(slow or stalled or faults))
