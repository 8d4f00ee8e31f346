"""A lab that talks to a whole service in a chat in memory: store, jobs and dispatcher are the real ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.app import App
from bot.serving.service import Service, run_service
from bot.settings import load_settings
from engine.session.state import State, SurveySession
from engine.survey import Survey
from tests.empty_databases import prepare_databases
from tests.fakes import HERE, FakeChat
from tests.stand_ins.changes import PATIENCE_S


class Lab:
    """A chat with everything behind it."""

    def __init__(self, service: Service, chat: FakeChat) -> None:
        self.service = service
        self.chat = chat

    async def session(self) -> SurveySession:
        return (await self.service.store.load_conversation(HERE)).session

    async def state(self) -> State:
        return (await self.session()).state

    async def survey(self) -> Survey:
        survey = (await self.state()).survey
        assert survey is not None
        return survey

    async def settled(self) -> None:
        """Everything that came in is answered."""
        async with asyncio.timeout(PATIENCE_S):
            await self.service.dispatcher.drain()
            await self.service.outbox.drain()

    async def talk(self, *lines: str) -> None:
        for line in lines:
            await self.chat.say(line)


@asynccontextmanager
async def opened(chat: FakeChat | None = None) -> AsyncIterator[Lab]:
    """A lab with the settings of the environment while the block runs."""
    talking = chat or FakeChat()
    await prepare_databases()
    async with run_service(App(load_settings()), talking) as service:
        yield Lab(service, talking)
