"""Messages that are edited in place: the status of a job, and cards, which are one message for as long as they matter.

Which messages they are outlives the process. An answer never waits for an edit: where the rate has no room for it, it
is posted and what stood there is removed later. Of what is edited later only the newest counts.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from typing import Generic, TypeVar

import structlog
from aiolimiter import AsyncLimiter

from adapters.chat import ChatAdapter, Conversation, Incoming, Outgoing, PlatformError

log = structlog.get_logger()

_OVER = "over:"
"""Begins a note that stands where a job ended before its start was shown."""

_Change = Callable[[], Awaitable[object]]
_Page = TypeVar("_Page")


class MessageSender(ChatAdapter, ABC, Generic[_Page]):
    """Sends to a platform on which one outgoing message is shown as one or more of its own, here called pages."""

    def __init__(self) -> None:
        self._locks: defaultdict[tuple[Conversation, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._latest: dict[tuple[Conversation, str], _Change] = {}
        self._workers: dict[tuple[Conversation, str], asyncio.Task[None]] = {}
        self._running: dict[tuple[Conversation, str], Outgoing] = {}
        """What the status of each job says."""
        self._posted: dict[str, int] = {}
        """Pages of each message that was broken off in the middle."""

    @abstractmethod
    def draw_pages(self, outgoing: Outgoing) -> list[_Page]:
        """The messages that it takes, at least one."""

    @abstractmethod
    async def post_page(self, at: Conversation, page: _Page, key: str = "") -> str:
        """Post one of them; its name. What is posted again has the same ``key``."""

    @abstractmethod
    async def edit_page(self, at: Conversation, name: str, page: _Page) -> bool:
        """Put it into the message of that name; whether that could be edited."""

    @abstractmethod
    async def delete_page(self, conversation: Conversation, name: str) -> None:
        """Delete a message; nothing where it is gone."""

    @abstractmethod
    async def post(self, outgoing: Outgoing) -> None:
        """Post what stands by itself, with its files."""

    @abstractmethod
    async def begin_thread(self, incoming: Incoming, starter: Outgoing) -> Conversation:
        """Open a thread for a survey."""

    @abstractmethod
    async def wait_for_edit(self, conversation: Conversation) -> None:
        """Wait until one more edit that nobody waits for is within the rate."""

    async def may_edit(self, conversation: Conversation) -> bool:
        """Whether an answer may be edited in at once; where not, it is posted. One that may is counted."""
        return True

    async def send(self, outgoing: Outgoing) -> None:
        await self.show(outgoing)

    async def show(self, outgoing: Outgoing) -> bool:
        """Show it, or note it as the latest; whether it says that a job begins or has ended."""
        at, status = outgoing.conversation, _status(outgoing)
        match outgoing.kind:
            case "started":
                return await self._begin(outgoing)
            case "ended":
                await self._end(outgoing)
            case "progress" | "growing":
                former = self._running.get((at, status), outgoing)
                if outgoing.kind == "growing":  # beside how far it is, and the button that stops it
                    outgoing = replace(former, text=outgoing.text, kind="growing")
                elif former.kind == "growing":
                    outgoing = replace(outgoing, text=former.text, kind="growing")
                self._running[at, status] = outgoing
                self.do_later(at, status, partial(self._edit_status, at, status, outgoing))
            case "message" if outgoing.slot or outgoing.job:
                await self._place(outgoing)
            case "message":
                await self.post(outgoing)
                self._posted.pop(outgoing.key, None)
        return outgoing.kind == "ended" or (outgoing.kind == "message" and bool(outgoing.job))

    async def open_thread(self, incoming: Incoming, starter: Outgoing) -> Conversation:
        at, note = incoming.conversation, f"opened:{incoming.key}"
        if known := await self.backend.recall(at, note):
            channel, _, thread = known.partition(" ")
            return replace(at, channel=channel, thread=thread)
        opened = await self.begin_thread(incoming, starter)
        await self.backend.remember(at, note, f"{opened.channel} {opened.thread}")
        return opened

    async def post_pages(self, outgoing: Outgoing, pages: Sequence[_Page]) -> None:
        """Post its pages, but those that were posted before the message was broken off."""
        for number in range(self._posted.get(outgoing.key, 0), len(pages)):
            await self._post_numbered(outgoing, number, pages[number])
            if outgoing.key:
                self._posted[outgoing.key] = number + 1

    async def _post_numbered(self, outgoing: Outgoing, number: int, page: _Page) -> str:
        return await self.post_page(outgoing.conversation, page, f"{outgoing.key}-{number}" if outgoing.key else "")

    async def _edit(self, name: str, outgoing: Outgoing) -> None:
        """Put it into one message."""
        await self.edit_page(outgoing.conversation, name, self.draw_pages(outgoing)[0])

    async def close(self) -> None:
        workers = list(self._workers.values())
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

    # Messages that have a slot, or take the place of a status.

    async def _place(self, outgoing: Outgoing) -> None:
        """Put it into its job's status, else into the slot's messages, else post it."""
        at, slot = outgoing.conversation, outgoing.slot or f"result:{outgoing.job}"
        names = await self._names(outgoing, slot)
        if outgoing.closes:
            await self.backend.remember(at, slot, "")
            for name in names[:1]:
                await self._do_soon(at, name, partial(self._edit, name, outgoing))
            await self._delete_soon(at, names[1:])
            return
        shown: list[str] = []
        for number, page in enumerate(self.draw_pages(outgoing)):
            stands = number < len(names) and not outgoing.anew and await self.may_edit(at)
            edited = stands and await self.edit_page(at, names[number], page)
            shown.append(names[number] if edited else await self._post_numbered(outgoing, number, page))
            await self.backend.remember(at, slot, " ".join([*shown, *names[number + 1 :]]))
        await self._delete_soon(at, [name for name in names if name not in shown])
        await self.backend.remember(at, slot, " ".join(shown) if outgoing.slot else "")

    async def _delete_soon(self, at: Conversation, names: Sequence[str]) -> None:
        for name in names:
            await self._do_soon(at, name, partial(self.delete_page, at, name))

    async def _do_soon(self, at: Conversation, key: str, change: _Change) -> None:
        """Make a change that nobody waits for: at once where the rate has room, else later."""
        if await self.may_edit(at):
            await change()
        else:
            self.do_later(at, key, change)

    async def _names(self, outgoing: Outgoing, slot: str) -> list[str]:
        """The messages that it takes the place of."""
        at, status = outgoing.conversation, _status(outgoing)
        names = (await self.backend.recall(at, slot)).split()
        if not outgoing.job:
            return names
        async with self._locks[at, status]:
            if name := await self._forget(at, status):
                names = [name]
                await self.backend.remember(at, slot, name)
            # Where nothing is shown yet, whoever is about to show it must know.
            await self.backend.remember(at, status, "" if names else _OVER)
        return names

    # The status of a job.

    def do_later(self, at: Conversation, key: str, change: _Change) -> None:
        """Make the change when there is time, unless there is a newer one under its key by then; never raises."""
        self._latest[at, key] = change
        if (at, key) not in self._workers:
            self._workers[at, key] = asyncio.create_task(self._make_latest(at, key))

    async def _begin(self, outgoing: Outgoing) -> bool:
        """Post it; ``False`` where the job has ended before, which another process may have said."""
        at, status = outgoing.conversation, _status(outgoing)
        if (await self.backend.recall(at, status)).startswith(_OVER):
            await self.backend.remember(at, status, "")
            return False
        name = await self._post_numbered(outgoing, 0, self.draw_pages(outgoing)[0])
        over = await self.backend.recall(at, status)
        is_over = over.startswith(_OVER)
        if is_over:  # meanwhile
            text = over.removeprefix(_OVER) or outgoing.text
            await self._edit(name, replace(outgoing, text=text, buttons=()))
        await self.backend.remember(at, status, "" if is_over else name)
        return not is_over

    async def _end(self, outgoing: Outgoing) -> None:
        at, status = outgoing.conversation, _status(outgoing)
        async with self._locks[at, status]:
            name = await self._forget(at, status)
            await self.backend.remember(at, status, "" if name else f"{_OVER}{outgoing.text}")
        if name:
            await self._do_soon(at, name, partial(self._edit, name, outgoing))

    async def _forget(self, at: Conversation, status: str) -> str:
        """A job is over; the message that shows its status."""
        self._latest.pop((at, status), None)
        self._running.pop((at, status), None)
        return await self._find_status(at, status)

    async def _find_status(self, at: Conversation, status: str) -> str:
        """The message that shows it; empty where none does."""
        name = await self.backend.recall(at, status)
        return "" if name.startswith(_OVER) else name

    async def _make_latest(self, at: Conversation, key: str) -> None:
        try:
            while (at, key) in self._latest:
                await self.wait_for_edit(at)
                async with self._locks[at, key]:
                    if change := self._latest.pop((at, key), None):
                        try:
                            await change()
                        except Exception as error:  # what nobody waits for is not worth a job
                            level = logging.INFO if isinstance(error, PlatformError) else logging.ERROR
                            log.log(level, "a message could not be edited", exc_info=error)
        finally:
            del self._workers[at, key]

    async def _edit_status(self, at: Conversation, status: str, outgoing: Outgoing) -> None:
        """A status is begun by its start, or not shown at all."""
        if name := await self._find_status(at, status):
            await self._edit(name, outgoing)


def _status(outgoing: Outgoing) -> str:
    return f"status:{outgoing.job}"


ANSWERS_AT_ONCE = 8
ANSWERS_SHARE, LATER_SHARE = 1 / 2, 1 / 3
"""Of the edits of a workspace; the rest is the room for `ANSWERS_AT_ONCE`."""


MESSAGE_S, EDIT_S = 1.0, 60 / 45
"""Seconds between two messages in a channel, and between two edits in a workspace, for all jobs together.

Slack allows one message a second in a channel, and in a workspace 50 edits a minute (tier 3).
"""


class PacedSender(MessageSender[_Page]):
    """Keeps the rates of each channel's posts and each workspace's edits; progress never takes an answer's room."""

    def __init__(self, message_s: float = MESSAGE_S, edit_s: float = EDIT_S) -> None:
        super().__init__()
        at_once, answers_s = ANSWERS_AT_ONCE, ANSWERS_AT_ONCE * edit_s / ANSWERS_SHARE
        self._posts: defaultdict[tuple[str, str], AsyncLimiter] = defaultdict(lambda: AsyncLimiter(1, message_s))
        self._answers: defaultdict[str, AsyncLimiter] = defaultdict(lambda: AsyncLimiter(at_once, answers_s))
        self._later: defaultdict[str, AsyncLimiter] = defaultdict(lambda: AsyncLimiter(1, edit_s / LATER_SHARE))

    def pace_post(self, at: Conversation) -> AbstractAsyncContextManager[None]:
        """Entered once there is room for a message in the channel."""
        return self._posts[at.tenant, at.channel]

    async def may_edit(self, conversation: Conversation) -> bool:
        """Whether the workspace has room for an answer's edit now; then it is counted. Never waits."""
        lane = self._answers[conversation.tenant]
        if is_free := lane.has_capacity():
            await lane.acquire()
        return is_free

    async def wait_for_edit(self, conversation: Conversation) -> None:
        """Wait until the workspace has room for an edit that nobody waits for."""
        await self._later[conversation.tenant].acquire()
