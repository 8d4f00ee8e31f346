"""Messages that are edited while something goes on: the status of a job, an answer that grows.

Which message it is outlives the process; of what is to be shown only the newest counts.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace

import structlog

from adapters.chat import ChatBackend, Conversation, Outgoing, PlatformError

log = structlog.get_logger()

GROWING = "growing"
"""The slot of an answer that grows; every job has one for its status."""

Edit = Callable[[Conversation, str, Outgoing], Awaitable[bool]]
"""Edits the message of that name; ``False`` where it cannot be edited any more."""

Post = Callable[[Conversation, Outgoing], Awaitable[str]]
"""Posts a message; its name."""


Turn = Callable[[Conversation, bool], Awaitable[None]]
"""Waits until one more edit in the conversation is within the rate; says whether it is the slot's last."""


_OVER = "over:"


def _is_over(note: str) -> bool:
    """Whether the job has ended before its start was shown."""
    return note.startswith(_OVER)


class EditedMessages:
    """One message for each slot of a conversation."""

    def __init__(self, edit: Edit, post: Post, turn: Turn) -> None:
        self._edit = edit
        self._post = post
        self._turn = turn
        self._locks: defaultdict[tuple[Conversation, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._latest: dict[tuple[Conversation, str], Outgoing] = {}
        self._workers: dict[tuple[Conversation, str], asyncio.Task[None]] = {}
        self.backend: ChatBackend

    async def show(self, outgoing: Outgoing) -> bool:
        """Everything but a message; whether it says that a job begins or has ended."""
        at, slot = outgoing.conversation, f"status:{outgoing.job}"
        match outgoing.kind:
            case "started":
                return await self.begin(at, slot, outgoing)
            case "ended":
                await self.end(at, slot, outgoing)
                return True
            case "progress":
                self.note(at, slot, outgoing)
            case "growing":
                self.note(at, GROWING, outgoing)
            case "message":
                raise ValueError("a message is not edited")
        return False

    def note(self, at: Conversation, slot: str, outgoing: Outgoing) -> None:
        """Show it when there is time, unless there is something newer by then; never raises."""
        self._latest[at, slot] = outgoing
        if (at, slot) not in self._workers:
            self._workers[at, slot] = asyncio.create_task(self._shown(at, slot))

    async def begin(self, at: Conversation, slot: str, outgoing: Outgoing) -> bool:
        """Post the slot's message; ``False`` where the job has ended before, which another process may have said."""
        if _is_over(await self.backend.recall(at, slot)):
            await self.backend.remember(at, slot, "")
            return False
        name = await self._post(at, outgoing)
        over = await self.backend.recall(at, slot)
        if _is_over(over):  # meanwhile
            await self._edit(at, name, replace(outgoing, text=over.removeprefix(_OVER), buttons=()))
        await self.backend.remember(at, slot, "" if _is_over(over) else name)
        return not _is_over(over)

    async def end(self, at: Conversation, slot: str, outgoing: Outgoing) -> bool:
        """Put the last text into the slot's message and let go of it; ``False`` where there is none to edit."""
        async with self._locks[at, slot]:
            name = await self._taken(at, slot)
            if name:
                await self._turn(at, True)
                edited = await self._edit(at, name, outgoing)
            # Where nothing is shown yet, whoever is about to show it must know.
            is_status = outgoing.kind == "ended"
            await self.backend.remember(at, slot, "" if name or not is_status else f"{_OVER}{outgoing.text}")
        return bool(name) and edited

    async def let_go(self, at: Conversation, slot: str) -> str:
        """The name of the slot's message, which is nobody's from now on; empty where there is none."""
        async with self._locks[at, slot]:
            name = await self._taken(at, slot)
            if name:
                await self.backend.remember(at, slot, "")
        return name

    async def close(self) -> None:
        """Stop editing."""
        workers = list(self._workers.values())
        for worker in workers:
            worker.cancel()
        if workers:
            await asyncio.wait(workers)

    async def _taken(self, at: Conversation, slot: str) -> str:
        self._latest.pop((at, slot), None)
        return await self.backend.recall(at, slot)

    async def _shown(self, at: Conversation, slot: str) -> None:
        try:
            while (at, slot) in self._latest:
                await self._turn(at, False)
                async with self._locks[at, slot]:
                    outgoing = self._latest.pop((at, slot), None)
                    if outgoing is not None:
                        await self._show(at, slot, outgoing)
        finally:
            del self._workers[at, slot]

    async def _show(self, at: Conversation, slot: str, outgoing: Outgoing) -> None:
        try:
            name = await self.backend.recall(at, slot)
            if name and not _is_over(name):
                await self._edit(at, name, outgoing)
            elif slot == GROWING:  # a status is begun by its start, or not shown at all
                await self.begin(at, slot, outgoing)
        except PlatformError as error:
            log.info("progress could not be shown", error=str(error))
        except Exception:  # progress is not worth a job
            log.exception("progress could not be shown")
