"""Messages that are edited while something goes on: the status of a job, an answer that grows.

Which message it is outlives the process; of what is to be shown only the newest counts.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Literal

import structlog

from adapters.chat import Conversation, Desk, Outgoing, PlatformError

log = structlog.get_logger()

Slot = Literal["status", "growing"]

Edit = Callable[[Conversation, str, Outgoing], Awaitable[bool]]
"""Edits the message of that name; ``False`` where it cannot be edited any more."""

Post = Callable[[Conversation, Outgoing], Awaitable[str]]
"""Posts a message; its name."""


Turn = Callable[[Conversation, bool], Awaitable[None]]
"""Waits until one more edit in the conversation is within the rate; says whether it is the slot's last."""


class EditedMessages:
    """One message for each slot of a conversation."""

    def __init__(self, edit: Edit, post: Post, turn: Turn) -> None:
        self._edit = edit
        self._post = post
        self._turn = turn
        self._locks: defaultdict[tuple[Conversation, Slot], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._latest: dict[tuple[Conversation, Slot], Outgoing] = {}
        self._workers: dict[tuple[Conversation, Slot], asyncio.Task[None]] = {}
        self.desk: Desk

    def note(self, at: Conversation, slot: Slot, outgoing: Outgoing) -> None:
        """Show it when there is time, unless there is something newer by then; never raises."""
        self._latest[at, slot] = outgoing
        if (at, slot) not in self._workers:
            self._workers[at, slot] = asyncio.create_task(self._shown(at, slot))

    async def begin(self, at: Conversation, slot: Slot, outgoing: Outgoing) -> None:
        """Post the slot's message."""
        await self.desk.remember(at, slot, await self._post(at, outgoing))

    async def end(self, at: Conversation, slot: Slot, outgoing: Outgoing) -> bool:
        """Put the last text into the slot's message and let go of it; ``False`` where there is none to edit."""
        async with self._locks[at, slot]:
            name = await self._taken(at, slot)
            if not name:
                return False
            await self._turn(at, True)
            edited = await self._edit(at, name, outgoing)
            await self.desk.remember(at, slot, "")
        return edited

    async def let_go(self, at: Conversation, slot: Slot) -> str:
        """The name of the slot's message, which is nobody's from now on; empty where there is none."""
        async with self._locks[at, slot]:
            name = await self._taken(at, slot)
            if name:
                await self.desk.remember(at, slot, "")
        return name

    async def close(self) -> None:
        """Stop editing."""
        workers = list(self._workers.values())
        for worker in workers:
            worker.cancel()
        if workers:
            await asyncio.wait(workers)

    async def _taken(self, at: Conversation, slot: Slot) -> str:
        self._latest.pop((at, slot), None)
        return await self.desk.recall(at, slot)

    async def _shown(self, at: Conversation, slot: Slot) -> None:
        try:
            while (at, slot) in self._latest:
                await self._turn(at, False)
                async with self._locks[at, slot]:
                    outgoing = self._latest.pop((at, slot), None)
                    if outgoing is not None:
                        await self._show(at, slot, outgoing)
        finally:
            del self._workers[at, slot]

    async def _show(self, at: Conversation, slot: Slot, outgoing: Outgoing) -> None:
        try:
            name = await self.desk.recall(at, slot)
            if name:
                await self._edit(at, name, outgoing)
            elif slot == "growing":
                await self.begin(at, slot, outgoing)
        except PlatformError as error:
            log.info("progress could not be shown", error=str(error))
        except Exception:  # progress is not worth a job
            log.exception("progress could not be shown")
