"""A lab that talks to a whole service in a chat in memory: store, jobs and dispatcher are the real ones."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.chat import Conversation
from bot.app import App
from bot.bench.platforms.changes import PATIENCE_S
from bot.jobs.queue import DurableJobs, JobQueues
from bot.jobs.sharing import JobLimits
from bot.serving.service import Service, run_service
from bot.settings import load_settings
from bot.store.wanted_jobs import WantedJob
from engine.session.state import State, SurveySession
from engine.survey import Survey
from tests.fakes import HERE, FakeChat


class Lab:
    """A chat with everything behind it."""

    def __init__(self, service: Service, chat: FakeChat) -> None:
        self.service = service
        self.chat = chat

    async def session(self) -> SurveySession:
        return (await self.service.dispatcher.load_conversation(HERE)).session

    async def state(self) -> State:
        return (await self.session()).state

    async def survey(self) -> Survey:
        survey = (await self.state()).survey
        assert survey is not None
        return survey

    async def settled(self) -> None:
        """Everything that came in is answered."""
        async with asyncio.timeout(PATIENCE_S):
            await self.service.dispatcher.settled()
            await self.service.outbox.settled()

    async def talk(self, *lines: str) -> None:
        for line in lines:
            await self.chat.say(line)


_EMPTY_QUEUE: list[bytes] = []


async def _empty_queue() -> bytes:
    """A database with the queue of this chat and no job in it: making it takes a second, which once is enough."""
    if not _EMPTY_QUEUE:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "jobs.sqlite"

            async def nothing(_: Conversation, __: str) -> None:
                """There is no job."""

            async def alone(job: WantedJob) -> list[WantedJob]:
                return [job]

            queues = JobQueues("fake", HERE)
            jobs = DurableJobs(f"sqlite:///{file}", queues, "template", JobLimits(), nothing, alone)
            await jobs.launch()
            await jobs.close()
            _EMPTY_QUEUE.append(file.read_bytes())
    return _EMPTY_QUEUE[0]


@asynccontextmanager
async def opened(chat: FakeChat | None = None) -> AsyncIterator[Lab]:
    """A lab with the settings of the environment while the block runs."""
    talking = chat or FakeChat()
    jobs = load_settings().home / "jobs.sqlite"
    if not jobs.exists():
        jobs.parent.mkdir(parents=True, exist_ok=True)
        jobs.write_bytes(await _empty_queue())
    async with run_service(App(load_settings()), talking) as service:
        yield Lab(service, talking)
