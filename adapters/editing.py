"""Messages that are edited in place: the status of a job, and cards, which are one message for as long as they matter.

Which messages they are outlives the process. An answer never waits for an edit: where the rate has no room for it, it
is posted and what stood there is removed later. Of what is edited later only the newest counts.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import structlog
from aiolimiter import AsyncLimiter

from adapters.chat import ChatBackend, Conversation, Outgoing, PlatformError

log = structlog.get_logger()

_OVER = "over:"
"""Begins a note that stands where a job ended before its start was shown."""


class Pages(Protocol):
    """A platform on which one outgoing message is shown as one or more of its own, here called pages."""

    def count_pages(self, outgoing: Outgoing) -> int:
        """How many messages it takes."""

    async def post_page(self, outgoing: Outgoing, page: int) -> str:
        """Post one of them; its name."""

    async def edit_page(self, name: str, outgoing: Outgoing, page: int) -> str:
        """Put it into the message of that name; the one it stands in now, empty where that cannot be edited any more.

        A text that is ``growing`` may stand in another one from now on.
        """

    async def delete_page(self, conversation: Conversation, name: str) -> None:
        """Delete a message; nothing where it is gone."""

    async def may_edit(self, conversation: Conversation) -> bool:
        """Whether an answer may be edited in at once; where not, it is posted. One that may is counted."""

    async def wait_for_edit(self, conversation: Conversation) -> None:
        """Wait until one more edit that nobody waits for is within the rate."""


class EditedMessages:
    """The messages of a platform's conversations that can still change, each by its slot."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._locks: defaultdict[tuple[Conversation, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._latest: dict[tuple[Conversation, str], Callable[[], Awaitable[object]]] = {}
        self._workers: dict[tuple[Conversation, str], asyncio.Task[None]] = {}
        self._running: dict[tuple[Conversation, str], Outgoing] = {}
        """What the status of each job says."""
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
                at, slot = outgoing.conversation, _status(outgoing)
                former = self._running.get((at, slot), outgoing)
                if outgoing.kind == "growing":  # beside how far it is, and the button that stops it
                    outgoing = replace(former, text=outgoing.text, kind="growing")
                elif former.kind == "growing":
                    outgoing = replace(outgoing, text=former.text, kind="growing")
                self._running[at, slot] = outgoing
                self.do_later(at, slot, partial(self._edit_status, at, slot, outgoing))
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
        if outgoing.closes:
            await self.backend.remember(at, slot, "")
            for name in names[:1]:
                await self._edit_soon(name, outgoing)
            await self._delete_soon(at, names[1:])
            return
        count, shown = self._pages.count_pages(outgoing), list[str]()
        for page in range(count):
            stands = page < len(names) and not outgoing.anew and await self._pages.may_edit(at)
            edited = await self._pages.edit_page(names[page], outgoing, page) if stands else ""
            shown.append(edited or await self._pages.post_page(outgoing, page))
            await self.backend.remember(at, slot, " ".join([*shown, *names[page + 1 :]]))
        await self._delete_soon(at, [name for name in names if name not in shown])
        await self.backend.remember(at, slot, " ".join(shown) if outgoing.slot else "")

    async def _edit_soon(self, name: str, outgoing: Outgoing) -> None:
        """Put it into a message that nobody waits for: at once where the rate has room, else later."""
        if await self._pages.may_edit(outgoing.conversation):
            await self._pages.edit_page(name, outgoing, 0)
        else:
            self.do_later(outgoing.conversation, name, partial(self._pages.edit_page, name, outgoing, 0))

    async def _delete_soon(self, at: Conversation, names: Sequence[str]) -> None:
        for name in names:
            if await self._pages.may_edit(at):
                await self._pages.delete_page(at, name)
            else:
                self.do_later(at, name, partial(self._pages.delete_page, at, name))

    async def _names(self, outgoing: Outgoing, slot: str) -> list[str]:
        """The messages that it takes the place of."""
        at = outgoing.conversation
        names = (await self.backend.recall(at, slot)).split()
        if not outgoing.job:
            return names
        status = _status(outgoing)
        async with self._locks[at, status]:
            self._forget(at, status)
            name = await self.backend.recall(at, status)
            if name and not name.startswith(_OVER):
                names = [name]
                await self.backend.remember(at, slot, name)
            # Where nothing is shown yet, whoever is about to show it must know.
            await self.backend.remember(at, status, "" if names else _OVER)
        return names

    # The status of a job.

    def do_later(self, at: Conversation, key: str, change: Callable[[], Awaitable[object]]) -> None:
        """Make the change when there is time, unless there is a newer one under its key by then; never raises."""
        self._latest[at, key] = change
        if (at, key) not in self._workers:
            self._workers[at, key] = asyncio.create_task(self._make_latest(at, key))

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
            self._forget(at, slot)
            name = await self.backend.recall(at, slot)
            await self.backend.remember(at, slot, "" if name else f"{_OVER}{outgoing.text}")
        if name:
            await self._edit_soon(name, outgoing)

    def _forget(self, at: Conversation, slot: str) -> None:
        """A job is over."""
        self._latest.pop((at, slot), None)
        self._running.pop((at, slot), None)

    async def _make_latest(self, at: Conversation, key: str) -> None:
        try:
            while (at, key) in self._latest:
                await self._pages.wait_for_edit(at)
                async with self._locks[at, key]:
                    change = self._latest.pop((at, key), None)
                    if change is not None:
                        await self._make(change)
        finally:
            del self._workers[at, key]

    async def _make(self, change: Callable[[], Awaitable[object]]) -> None:
        try:
            await change()
        except PlatformError as error:
            log.info("a message could not be edited", error=str(error))
        except Exception:  # what nobody waits for is not worth a job
            log.exception("a message could not be edited")

    async def _edit_status(self, at: Conversation, slot: str, outgoing: Outgoing) -> None:
        """A status is begun by its start, or not shown at all."""
        name = await self.backend.recall(at, slot)
        if not name or name.startswith(_OVER):
            return
        stands = await self._pages.edit_page(name, outgoing, 0)
        if stands and stands != name:
            await self.backend.remember(at, slot, stands)
            await self._pages.delete_page(at, name)


def _status(outgoing: Outgoing) -> str:
    return f"status:{outgoing.job}"


ANSWERS_AT_ONCE = 8
ANSWERS_SHARE, LATER_SHARE = 1 / 2, 1 / 3
"""Of the edits of a workspace; the rest is the room for `ANSWERS_AT_ONCE`."""


@dataclass(frozen=True, slots=True)
class SendingPace:
    """Seconds between two messages in a channel, and between two edits in a workspace, for all jobs together.

    Slack allows one message a second in a channel, and in a workspace 50 edits a minute (tier 3), 20 streams to be
    begun (tier 2) and 100 pieces to be added to streams (tier 4).
    """

    message_s: float = 1.0
    edit_s: float = 60 / 45


class Lanes:
    """The posts of each channel, and the edits of each workspace; progress never takes the room of an answer."""

    def __init__(self, pace: SendingPace) -> None:
        at_once, answers_s = ANSWERS_AT_ONCE, ANSWERS_AT_ONCE * pace.edit_s / ANSWERS_SHARE
        self._posts: defaultdict[tuple[str, str], AsyncLimiter] = defaultdict(lambda: AsyncLimiter(1, pace.message_s))
        self._answers: defaultdict[str, AsyncLimiter] = defaultdict(lambda: AsyncLimiter(at_once, answers_s))
        self._later: defaultdict[str, AsyncLimiter] = defaultdict(lambda: AsyncLimiter(1, pace.edit_s / LATER_SHARE))
        self._streams: defaultdict[str, AsyncLimiter] = defaultdict(lambda: AsyncLimiter(1, pace.edit_s * 50 / 20))
        self._pieces: defaultdict[str, AsyncLimiter] = defaultdict(lambda: AsyncLimiter(1, pace.edit_s * 50 / 100))

    def post(self, at: Conversation) -> AbstractAsyncContextManager[None]:
        """Entered once there is room for a message in the channel."""
        return self._posts[at.tenant, at.channel]

    async def may_edit(self, at: Conversation) -> bool:
        """Whether an answer may be edited in now; then it is counted. Never waits."""
        return await _enter(self._answers[at.tenant])

    async def may_stream(self, at: Conversation) -> bool:
        """Whether a stream may begin now; then it is counted. Never waits."""
        return await _enter(self._streams[at.tenant])

    async def wait_for_edit(self, at: Conversation, *, streams: bool = False) -> None:
        """Wait until there is room for an edit that nobody waits for, or to add something to what ``streams``."""
        await (self._pieces if streams else self._later)[at.tenant].acquire()


async def _enter(lane: AsyncLimiter) -> bool:
    """Whether there is room now; then it is taken."""
    if not lane.has_capacity():
        return False
    await lane.acquire()
    return True
