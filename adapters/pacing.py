"""How often a platform lets us write: posts in a channel, edits in a workspace, in lanes of their own for answers."""

from __future__ import annotations

from collections import defaultdict
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from aiolimiter import AsyncLimiter

from adapters.chat import Conversation

ANSWERS_AT_ONCE = 8
ANSWERS_SHARE, LATER_SHARE = 1 / 2, 1 / 3
"""Of the edits of a workspace; the rest is the room for `ANSWERS_AT_ONCE`."""


@dataclass(frozen=True, slots=True)
class SendingPace:
    """Seconds between two messages in a channel, and between two edits in a workspace, for all jobs together.

    Slack allows one message a second in a channel, and 50 edits a minute in a workspace (tier 3).
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

    def post(self, at: Conversation) -> AbstractAsyncContextManager[None]:
        """Entered once there is room for a message in the channel."""
        return self._posts[at.tenant, at.channel]

    async def may_edit(self, at: Conversation) -> bool:
        """Whether an answer may be edited in now; then it is counted. Never waits."""
        lane = self._answers[at.tenant]
        if not lane.has_capacity():
            return False
        await lane.acquire()
        return True

    async def wait_for_edit(self, at: Conversation) -> None:
        """Wait until there is room for an edit that nobody waits for."""
        await self._later[at.tenant].acquire()
