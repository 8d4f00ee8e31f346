"""Sending to Slack: within its rates, one status message for each job, rich text or, where it is refused, plain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import structlog
from aiolimiter import AsyncLimiter
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.chat import AdapterTexts, ChatBackend, Conversation, Incoming, Outgoing, PlatformError
from adapters.editing import GROWING, EditedMessages
from adapters.slack.blocks import Rendered, messages

log = structlog.get_logger()

LATER = frozenset({"ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"})
"""Errors after which the same call may succeed."""

TOO_RICH = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "block_mismatch"}
)
GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"})
NO_AGENTS = frozenset({"unknown_method", "missing_scope", "not_allowed_token_type", "feature_not_enabled"})


@dataclass(frozen=True, slots=True)
class SendingPace:
    """Seconds between two messages in a channel, and between two edits in a workspace, for all jobs together.

    Slack allows one message a second in a channel, and 50 edits a minute in a workspace (tier 3).
    """

    message_s: float = 1.0
    edit_s: float = 60 / 45


class SlackRefusal(PlatformError):
    """Slack answered with an error; ``code`` is its name for it."""

    def __init__(self, code: str) -> None:
        super().__init__(f"Slack refused ({code}).", retryable=code in LATER)
        self.code = code


class SlackSender:
    """Shows what is outgoing. ``client`` gives a workspace's client, with its token."""

    def __init__(
        self, client: Callable[[str], Awaitable[AsyncWebClient]], words: AdapterTexts, pace: SendingPace
    ) -> None:
        self._client = client
        self._words = words
        self._posts: defaultdict[tuple[str, str], AsyncLimiter] = defaultdict(lambda: AsyncLimiter(1, pace.message_s))
        self._edits: defaultdict[str, AsyncLimiter] = defaultdict(lambda: AsyncLimiter(1, pace.edit_s))
        self._edited = EditedMessages(self._edit, self._begin, self._turn)
        self._parts: dict[str, int] = {}
        self._without_agents: set[str] = set()
        self.backend: ChatBackend

    async def send(self, outgoing: Outgoing) -> None:
        """Show it, or note it as the latest."""
        if outgoing.kind == "message":
            await self._message(outgoing)
        elif await self._edited.show(outgoing):
            await self._agent(outgoing.conversation, "processing" if outgoing.kind == "started" else "active")

    def meet(self, backend: ChatBackend) -> None:
        """Whom to ask what was shown by former processes."""
        self.backend = self._edited.backend = backend

    async def close(self) -> None:
        """Stop editing."""
        await self._edited.close()

    async def call(self, tenant: str, method: str, **arguments: Any) -> dict[str, Any]:
        """Call the Web API. Raises `SlackRefusal`, or `PlatformError` where Slack cannot be reached."""
        return await self.answer((await self._client(tenant)).api_call(method, json=arguments))

    async def read(self, tenant: str, method: str, **arguments: Any) -> dict[str, Any]:
        """Call a method that takes no JSON; as `call`."""
        client = await self._client(tenant)
        return await self.answer(client.api_call(method, http_verb="GET", params=arguments))

    async def answer(self, asked: Awaitable[AsyncSlackResponse]) -> dict[str, Any]:
        """Slack's answer to something that is being asked; errors as in `call`."""
        try:
            response = await asked
        except SlackApiError as error:
            raise SlackRefusal(_code(error)) from error
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            why = f"Slack could not be reached ({type(error).__name__})."
            raise PlatformError(why, retryable=True) from error
        return dict(response.data) if isinstance(response.data, dict) else {}

    # Messages.

    async def _message(self, outgoing: Outgoing) -> None:
        at, rendered = outgoing.conversation, messages(outgoing)
        if outgoing.only_for:
            for part in rendered:
                await self._alone(at, outgoing.only_for, part)
            return
        done = self._parts.get(outgoing.key, 0)  # of a message that was broken off in the middle
        if done == 0 and await self._edited.end(at, GROWING, outgoing):
            done = 1
        for number, part in enumerate(rendered[done:], start=done):
            await self._post(at, part)
            self._parts[outgoing.key] = number + 1
        if outgoing.files:
            await self._upload(outgoing)
        self._parts.pop(outgoing.key, None)

    async def _post(self, at: Conversation, part: Rendered) -> str:
        """Post it; returns its time stamp, which is its name."""
        where = {"channel": at.channel, "unfurl_links": False, "unfurl_media": False}
        where |= {"thread_ts": at.thread} if at.thread else {}
        async with self._posts[at.tenant, at.channel]:
            try:
                posted = await self.call(
                    at.tenant, "chat.postMessage", text=part.notification, blocks=list(part.blocks), **where
                )
                return str(posted["ts"])
            except SlackRefusal as error:
                if error.code not in TOO_RICH:
                    raise
                log.warning("Slack refused rich text, so it is sent as plain text", code=error.code)
        stamps = []
        for text in part.plainly():
            async with self._posts[at.tenant, at.channel]:
                stamps.append(await self.call(at.tenant, "chat.postMessage", text=text, mrkdwn=False, **where))
        return str(stamps[-1]["ts"])

    async def _alone(self, at: Conversation, person: str, part: Rendered) -> None:
        """To one person: in the channel where we can, else directly."""
        where = {"channel": at.channel, "user": person} | ({"thread_ts": at.thread} if at.thread else {})
        try:
            await self.call(at.tenant, "chat.postEphemeral", text=part.notification, blocks=list(part.blocks), **where)
        except SlackRefusal as error:
            if error.retryable:
                raise
            await self._post(await self._direct(at, person), part)

    async def _direct(self, at: Conversation, person: str) -> Conversation:
        opened = await self.call(at.tenant, "conversations.open", users=person)
        return replace(at, channel=str(opened["channel"]["id"]), thread="")

    async def _upload(self, outgoing: Outgoing) -> None:
        at = outgoing.conversation
        client = await self._client(at.tenant)
        files = [{"file": str(path), "filename": path.name, "title": path.name} for path in outgoing.files]
        try:
            await self.answer(
                client.files_upload_v2(file_uploads=files, channel=at.channel, thread_ts=at.thread or None)
            )
        except OSError as error:  # not Slack: a file is gone
            raise PlatformError("The files could not be uploaded.") from error

    async def open_thread(self, incoming: Incoming, starter: Outgoing) -> Conversation:
        """Begin a thread with a message: in the channel, or, where we cannot write there, with the person."""
        at, name = incoming.conversation, f"opened:{incoming.key}"
        known = await self.backend.recall(at, name)
        if known:
            channel, _, thread = known.partition(" ")
            return replace(at, channel=channel, thread=thread)
        (rendered,) = messages(starter)
        try:
            there = at if at.channel else await self._direct(at, incoming.person)
            stamp = await self._post(there, rendered)
        except SlackRefusal as error:
            if error.retryable:
                raise
            there = await self._direct(at, incoming.person)
            note = Outgoing(there, f"{starter.text}\n\n{self._words.not_here}", people=starter.people)
            stamp = await self._post(there, messages(note)[0])
        opened = there if there.thread else replace(there, thread=stamp)
        await self.backend.remember(at, name, f"{opened.channel} {opened.thread}")
        return opened

    # What is edited.

    async def _turn(self, at: Conversation, _: bool) -> None:  # noqa: FBT001
        await self._edits[at.tenant].acquire()

    async def _begin(self, at: Conversation, outgoing: Outgoing) -> str:
        return await self._post(at, messages(outgoing)[0])

    async def _edit(self, at: Conversation, stamp: str, outgoing: Outgoing) -> bool:
        """Put the first part of the text into a message; ``False`` where it is gone."""
        part, where = messages(outgoing)[0], {"channel": at.channel, "ts": stamp}
        try:
            # Blocks always: with a text alone the old buttons would stay.
            await self.call(at.tenant, "chat.update", text=part.notification, blocks=list(part.blocks), **where)
        except SlackRefusal as error:
            if error.code in GONE:
                return False
            if error.code not in TOO_RICH:
                raise
            await self.call(at.tenant, "chat.update", text=part.plainly()[0], blocks=[], **where)
            return len(part.plainly()) == 1
        return True

    async def _agent(self, at: Conversation, status: str) -> None:
        """Slack's own sign that an agent is at work, with its stop button, where the workspace has it."""
        if at.tenant in self._without_agents or not at.thread:
            return
        try:
            await self.call(
                at.tenant, "agents.sessions.setStatus", channel_id=at.channel, thread_ts=at.thread, status=status
            )
        except SlackRefusal as error:
            if error.code in NO_AGENTS:
                self._without_agents.add(at.tenant)
        except PlatformError as error:
            log.info("the agent's status could not be set", error=str(error))


def _code(error: SlackApiError) -> str:
    data = error.response if isinstance(error.response, dict) else getattr(error.response, "data", None)
    status = getattr(error.response, "status_code", 0)
    if status == 429:
        return "ratelimited"
    code = data.get("error") if isinstance(data, dict) else None
    return str(code) if code else ("service_unavailable" if status >= 500 else "unknown_error")
