"""What goes out: one queue for each conversation, in order, each message kept until the platform has taken it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from weakref import WeakValueDictionary

import structlog
from tenacity import AsyncRetrying, retry_if_exception, wait_exponential

from adapters.chat import ChatAdapter, Conversation, Outgoing, PlatformError
from bot.store.sessions import Store
from engine.errors import ScholiumError, ServiceError

log = structlog.get_logger()

LONGEST_WAIT_S = 60.0
"""Between two tries to send a message; they go on until the platform takes it, or this process ends."""


class Outbox:
    """Sends what is stored. A message is its process's until it is sent; then the next process's."""

    def __init__(self, adapter: ChatAdapter, store: Store) -> None:
        self._adapter = adapter
        self._store = store
        self._order: WeakValueDictionary[Conversation, asyncio.Lock] = WeakValueDictionary()
        self._tasks: set[asyncio.Task[None]] = set()
        self._held: defaultdict[Conversation, list[Outgoing]] = defaultdict(list)
        """What waits where nothing can be written, until that is possible again."""
        self._awaited: set[Conversation] = set()
        """Where what is posted next says that it can be."""
        self.on_refusal: Callable[[Outgoing, PlatformError], Awaitable[bool]] | None = None
        """Set by whoever makes both: hears of a message that the platform never takes, and says whether it is kept."""
        self.on_return: Callable[[Conversation], Awaitable[None]] | None = None
        """Set likewise: hears that a conversation can be written in again."""

    def give(self, stored_messages: Sequence[Outgoing]) -> None:
        """Send these after what waits already; returns at once."""
        for stored_message in stored_messages:
            task = asyncio.create_task(self._send(stored_message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def retry(self, at: Conversation) -> None:
        """Send what waits there, before all that is given later."""
        self._awaited.add(at)
        self.give(self._held.pop(at, []))

    async def drain(self, within_s: float | None = None) -> None:
        """Wait until everything is sent, or so long."""
        async with asyncio.timeout(within_s):
            while self._tasks:
                await asyncio.wait(set(self._tasks))

    async def close(self) -> None:
        """Leave what is not sent to the next process."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _send(self, stored_message: Outgoing) -> None:
        # A lock lets in whoever asked first.
        async with self._order.setdefault(stored_message.conversation, asyncio.Lock()):
            later = retry_if_exception(lambda error: isinstance(error, PlatformError) and error.retryable)
            again = AsyncRetrying(retry=later, wait=wait_exponential(max=LONGEST_WAIT_S), reraise=True)
            try:
                await again(self._adapter.send, stored_message)
                await self._note_return(stored_message)
            except PlatformError as error:
                log.warning("the platform refused a message for good", error=str(error))
                if await self._tell(stored_message, error):
                    self._awaited.discard(stored_message.conversation)
                    self._held[stored_message.conversation].append(stored_message)
                    return
            except Exception:  # one message that we cannot show must not hold up those after it
                log.exception("a message could not be shown")
            try:
                await self._store.mark_sent(stored_message)
            except ServiceError as error:
                log.warning("a message was sent, but that could not be stored", error=str(error))

    async def _note_return(self, outgoing: Outgoing) -> None:
        """An edit may be taken where no post is, and what one person alone is told may have gone another way."""
        at, may_be_edit = outgoing.conversation, bool(outgoing.slot or outgoing.job)
        if at in self._awaited and not (may_be_edit or outgoing.only_for) and self.on_return is not None:
            self._awaited.discard(at)
            await self.on_return(at)

    async def _tell(self, outgoing: Outgoing, error: PlatformError) -> bool:
        """Whose survey it is has to know what was refused; whether it is kept."""
        try:
            return self.on_refusal is not None and await self.on_refusal(outgoing, error)
        except ScholiumError as failure:
            log.warning("nobody could be told of a refusal", error=str(failure))
            return False
