"""Messages that are edited in place: the status of a job, and cards, which are one message for as long as they matter.

Which messages they are outlives the process; of progress only the newest counts.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import replace
from typing import Protocol

import structlog

from adapters.chat import ChatBackend, Conversation, Outgoing, PlatformError

log = structlog.get_logger()

_OVER = "over:"
"""Begins a note that stands where a job ended before its start was shown."""


class Pages(Protocol):
    """A platform on which one outgoing message is shown as one or more of its own, here called pages."""

    def count_pages(self, outgoing: Outgoing) -> int:
        """How many messages it takes."""
        ...

    async def post_page(self, outgoing: Outgoing, page: int) -> str:
        """Post one of them; its name."""
        ...

    async def edit_page(self, name: str, outgoing: Outgoing, page: int) -> bool:
        """Put it into the message of that name; ``False`` where that cannot be edited any more."""
        ...

    async def delete_page(self, conversation: Conversation, name: str) -> None:
        """Delete a message; nothing where it is gone."""
        ...

    async def wait_for_edit(self, conversation: Conversation, *, is_last: bool) -> None:
        """Wait until one more edit in the conversation is within the rate."""
        ...


class EditedMessages:
    """The messages of a platform's conversations that can still change, each by its slot."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._locks: defaultdict[tuple[Conversation, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._latest: dict[tuple[Conversation, str], Outgoing] = {}
        self._workers: dict[tuple[Conversation, str], asyncio.Task[None]] = {}
        self.backend: ChatBackend

    async def show(self, outgoing: Outgoing) -> bool:
        """Show it; whether it says that a job begins or has ended."""
        match outgoing.kind:
            case "started":
                return await self._begin(outgoing)
            case "ended":
                await self._end(outgoing)
                return True
            case "progress" | "growing":
                self._note(outgoing)
                return False
            case "message":
                await self._place(outgoing)
                return bool(outgoing.job)

    async def close(self) -> None:
        """Stop editing."""
        workers = list(self._workers.values())
        for worker in workers:
            worker.cancel()
        if workers:
            await asyncio.wait(workers)

    # Messages that have a slot, or take the place of a status.

    async def _place(self, outgoing: Outgoing) -> None:
        """Put it into its job's status, else into the slot's messages, else post it."""
        at, slot = outgoing.conversation, outgoing.slot or f"result:{outgoing.job}"
        names = await self._names(outgoing, slot)
        if outgoing.closes and not names:
            return
        count = self._pages.count_pages(outgoing)
        for page in range(count):
            if page < len(names):
                await self._pages.wait_for_edit(at, is_last=True)
                if await self._pages.edit_page(names[page], outgoing, page):
                    continue
                names[page] = await self._pages.post_page(outgoing, page)
            else:
                names.append(await self._pages.post_page(outgoing, page))
            await self.backend.remember(at, slot, " ".join(names))
        for name in names[count:]:
            await self._pages.delete_page(at, name)
        keeps = outgoing.slot and not outgoing.closes
        await self.backend.remember(at, slot, " ".join(names[:count]) if keeps else "")

    async def _names(self, outgoing: Outgoing, slot: str) -> list[str]:
        """The messages that it takes the place of."""
        at = outgoing.conversation
        names = (await self.backend.recall(at, slot)).split()
        if not outgoing.job:
            return names
        status = _status(outgoing)
        async with self._locks[at, status]:
            self._latest.pop((at, status), None)
            name = await self.backend.recall(at, status)
            if name and not name.startswith(_OVER):
                names = [name]
                await self.backend.remember(at, slot, name)
            # Where nothing is shown yet, whoever is about to show it must know.
            await self.backend.remember(at, status, "" if names else _OVER)
        return names

    # The status of a job.

    def _note(self, outgoing: Outgoing) -> None:
        """Show it when there is time, unless there is something newer by then; never raises."""
        key = outgoing.conversation, _status(outgoing)
        self._latest[key] = outgoing
        if key not in self._workers:
            self._workers[key] = asyncio.create_task(self._show_latest(*key))

    async def _begin(self, outgoing: Outgoing) -> bool:
        """Post it; ``False`` where the job has ended before, which another process may have said."""
        at, slot = outgoing.conversation, _status(outgoing)
        if (await self.backend.recall(at, slot)).startswith(_OVER):
            await self.backend.remember(at, slot, "")
            return False
        name = await self._pages.post_page(outgoing, 0)
        over = await self.backend.recall(at, slot)
        is_over = over.startswith(_OVER)
        if is_over:  # meanwhile
            text = over.removeprefix(_OVER) or outgoing.text
            await self._pages.edit_page(name, replace(outgoing, text=text, buttons=()), 0)
        await self.backend.remember(at, slot, "" if is_over else name)
        return not is_over

    async def _end(self, outgoing: Outgoing) -> None:
        at, slot = outgoing.conversation, _status(outgoing)
        async with self._locks[at, slot]:
            self._latest.pop((at, slot), None)
            name = await self.backend.recall(at, slot)
            if name:
                await self._pages.wait_for_edit(at, is_last=True)
                await self._pages.edit_page(name, outgoing, 0)
            await self.backend.remember(at, slot, "" if name else f"{_OVER}{outgoing.text}")

    async def _show_latest(self, at: Conversation, slot: str) -> None:
        try:
            while (at, slot) in self._latest:
                await self._pages.wait_for_edit(at, is_last=False)
                async with self._locks[at, slot]:
                    outgoing = self._latest.pop((at, slot), None)
                    if outgoing is not None:
                        await self._edit_status(at, slot, outgoing)
        finally:
            del self._workers[at, slot]

    async def _edit_status(self, at: Conversation, slot: str, outgoing: Outgoing) -> None:
        """A status is begun by its start, or not shown at all."""
        try:
            name = await self.backend.recall(at, slot)
            if name and not name.startswith(_OVER):
                await self._pages.edit_page(name, outgoing, 0)
        except PlatformError as error:
            log.info("progress could not be shown", error=str(error))
        except Exception:  # progress is not worth a job
            log.exception("progress could not be shown")


def _status(outgoing: Outgoing) -> str:
    return f"status:{outgoing.job}"
