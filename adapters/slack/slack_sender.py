"""Sending to Slack: within its rates, one status message for each job, rich text or, where it is refused, plain."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.chat import AdapterTexts, Conversation, Document, Incoming, Outgoing, PlatformError
from adapters.editing import PacedSender
from adapters.slack.blocks import Rendered, messages

log = structlog.get_logger()

LATER = frozenset({"ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"})
"""Errors after which the same call may succeed."""

TOO_RICH = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "block_mismatch"}
)
GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"})
NO_PLACE = frozenset(
    {
        "account_inactive",
        "cannot_reply_to_message",
        "channel_not_found",
        "invalid_auth",
        "is_archived",
        "not_in_channel",
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
        "thread_not_found",
        "token_revoked",
    }
)
"""Errors after which nothing can be written in that conversation."""

COMMENT_CHARACTERS, TITLE_CHARACTERS = 3_000, 150
TITLE = "title"
"""The note of the name that Slack shows of a conversation, as we gave it."""

PROMPTS = 4
CANVAS_CHARACTERS = 2**20
CANVAS_GONE = frozenset({"canvas_not_found", "canvas_deleted"})
NO_AGENTS = frozenset({"unknown_method", "missing_scope", "not_allowed_token_type", "feature_not_enabled"})


class SlackRefusal(PlatformError):
    """Slack answered with an error; ``code`` is its name for it, ``meaning`` what a person should know of it."""

    def __init__(self, code: str, meaning: str = "") -> None:
        super().__init__(meaning or f"Slack refused ({code}).", retryable=code in LATER, gone=code in NO_PLACE)
        self.code = code


class SlackSender(PacedSender[Rendered]):
    """Shows what is outgoing."""

    def __init__(self, words: AdapterTexts, message_s: float, edit_s: float) -> None:
        super().__init__(message_s, edit_s)
        self._words = words
        self._without_agents: set[tuple[str, str]] = set()
        """Workspaces, each with a method for agents that it has not."""
        self._offered: dict[Conversation, list[tuple[str, str]]] = {}

    @abstractmethod
    async def client(self, tenant: str) -> AsyncWebClient:
        """The workspace's client. Raises `PlatformError` where it has not installed us, or has removed us."""

    async def send(self, outgoing: Outgoing) -> None:
        """Show it, in Slack's view of agents what is at work, and in direct messages what can be said now."""
        at = outgoing.conversation
        if await self.show(outgoing) and at.thread:
            status = "processing" if outgoing.kind == "started" else "suspended"
            self.do_later(at, "agent", partial(self._show_work, at, status, outgoing.title[:TITLE_CHARACTERS]))
        if at.channel.startswith("D") and not outgoing.only_for and outgoing.kind not in {"progress", "growing"}:
            self._suggest_next(outgoing)

    def _suggest_next(self, outgoing: Outgoing) -> None:
        """While a job runs what its status offers, then what the card offers that it has made or that stands."""
        at, words = outgoing.conversation, [(b.label, b.typed) for b in outgoing.buttons if b.typed]
        if outgoing.kind == "message" and words:
            self._offered[at] = words
        if words or outgoing.job:
            self.suggest(at, words or self._offered.get(at) or [(said, said) for said in self._words.examples])

    def suggest(self, at: Conversation, words: Sequence[tuple[str, str]]) -> None:
        """Offer words to be said in direct messages, each with its label, when there is time."""
        prompts = [{"title": label, "message": said} for label, said in words[:PROMPTS]]
        # With a thread, which the older kind of assistants has, Slack does nothing and says so to nobody.
        asked = {"channel_id": at.channel, "prompts": prompts}
        telling = partial(self._tell_agent, at.tenant, "assistant.threads.setSuggestedPrompts", **asked)
        self.do_later(replace(at, thread=""), "prompts", telling)

    async def call(self, tenant: str, method: str, **arguments: Any) -> dict[str, Any]:
        """Call the Web API. Raises `SlackRefusal`, or `PlatformError` where Slack cannot be reached."""
        return await self.answer((await self.client(tenant)).api_call(method, json=arguments))

    async def read(self, tenant: str, method: str, **arguments: Any) -> dict[str, Any]:
        """Call a method that takes no JSON; as `call`."""
        client = await self.client(tenant)
        return await self.answer(client.api_call(method, http_verb="GET", params=arguments))

    async def answer(self, asked: Awaitable[AsyncSlackResponse]) -> dict[str, Any]:
        """Slack's answer to something that is being asked; errors as in `call`."""
        try:
            response = await asked
        except SlackApiError as error:
            code = _code(error)
            needed = error.response.get("needed") if code == "missing_scope" else ""
            why = self._words.refusals.get(code, "").format(f" ({needed})" if needed else "")
            raise SlackRefusal(code, why) from error
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            why = f"Slack could not be reached ({type(error).__name__})."
            raise PlatformError(why, retryable=True) from error
        return dict(response.data) if isinstance(response.data, dict) else {}

    # Messages.

    async def post(self, outgoing: Outgoing) -> None:
        """Post its document's address, or its text, and its files."""
        if outgoing.document:
            address = await self._show_document(outgoing.conversation, outgoing.document, new=bool(outgoing.files))
            if address:
                outgoing = replace(outgoing, text=self._words.document.format(address), files=())
            if not outgoing.text:
                return
        at, rendered = outgoing.conversation, self.draw_pages(outgoing)
        if outgoing.only_for:
            for part in rendered:
                await self._alone(at, outgoing.only_for, part)
            return
        is_comment = len(rendered) == 1 and len(rendered[0].text) <= COMMENT_CHARACTERS and not outgoing.buttons
        if outgoing.files and is_comment:  # nothing is said of files that do not come
            await self._upload(outgoing, rendered[0])
            return
        await self.post_pages(outgoing, rendered)
        if outgoing.files:
            await self._upload(outgoing)

    async def _show_document(self, at: Conversation, document: Document, *, new: bool) -> str:
        """Put it into its canvas, which is made where ``new`` asks for it; the canvas's address, empty without one."""
        note, content = f"canvas:{document.name}", {"type": "markdown", "markdown": document.text}
        if len(document.text) > CANVAS_CHARACTERS:
            return ""
        canvas = await self.backend.recall(at, note)
        try:
            if canvas:
                change = {"operation": "replace", "document_content": content}
                await self.call(at.tenant, "canvases.edit", canvas_id=canvas, changes=[change])
            elif new:
                asked = {"title": document.title, "document_content": content, "channel_id": at.channel}
                canvas = str((await self.call(at.tenant, "canvases.create", **asked))["canvas_id"])
                await self.backend.remember(at, note, canvas)
            if not new:
                return ""
            found = await self.read(at.tenant, "files.info", file=canvas)
            return str(found["file"]["permalink"])
        except SlackRefusal as error:
            if error.retryable:
                raise
            log.info("a survey is not shown as a canvas", code=error.code)
            if error.code in CANVAS_GONE:
                await self.backend.remember(at, note, "")
            return ""

    async def post_page(self, at: Conversation, page: Rendered, key: str = "") -> str:
        """Post it; its time stamp is its name."""
        where = _place(at) | {"unfurl_links": False, "unfurl_media": False}
        async with self.pace_post(at):
            try:
                return str((await self.call(at.tenant, "chat.postMessage", **page.content, **where))["ts"])
            except SlackRefusal as error:
                if error.code not in TOO_RICH:
                    raise
                log.warning("Slack refused rich text, so it is sent as plain text", code=error.code)
        stamps = []
        for text in page.plainly():
            async with self.pace_post(at):
                stamps.append(await self.call(at.tenant, "chat.postMessage", text=text, mrkdwn=False, **where))
        return str(stamps[-1]["ts"])

    async def _alone(self, at: Conversation, person: str, part: Rendered) -> None:
        """To one person: in the channel where we can, else directly."""
        try:
            await self.call(at.tenant, "chat.postEphemeral", user=person, **part.content, **_place(at))
        except SlackRefusal as error:
            if error.retryable:
                raise
            await self.post_page(await self._direct(at, person), part)

    async def _direct(self, at: Conversation, person: str) -> Conversation:
        opened = await self.call(at.tenant, "conversations.open", users=person)
        return replace(at, channel=str(opened["channel"]["id"]), thread="")

    async def _upload(self, outgoing: Outgoing, comment: Rendered | None = None) -> None:
        at = outgoing.conversation
        client = await self.client(at.tenant)
        files = [{"file": str(path), "filename": path.name, "title": path.name} for path in outgoing.files]
        where = {"channel": at.channel, "thread_ts": at.thread or None}
        where |= {"initial_comment": "\n".join(comment.plainly())} if comment and outgoing.text else {}
        try:
            await self.answer(client.files_upload_v2(file_uploads=files, **where))  # type: ignore[arg-type]
        except OSError as error:  # not Slack: a file is gone
            raise PlatformError(self._words.refusals["file gone"]) from error

    async def begin_thread(self, incoming: Incoming, starter: Outgoing) -> Conversation:
        """Begin a thread with a message: in the channel, or, where we cannot write there, with the person."""
        at = incoming.conversation
        rendered = self.draw_pages(starter)[0]
        try:
            there = at if at.channel else await self._direct(at, incoming.person)
            stamp = await self.post_page(there, rendered)
        except SlackRefusal as error:
            if error.retryable:
                raise
            there = await self._direct(at, incoming.person)
            note = Outgoing(there, f"{starter.text}\n\n{self._words.not_here}", people=starter.people)
            stamp = await self.post_page(there, self.draw_pages(note)[0])
        return there if there.thread else replace(there, thread=stamp)

    # What is edited; see `adapters.editing.MessageSender`.

    def draw_pages(self, outgoing: Outgoing) -> list[Rendered]:
        return messages(outgoing, self._words.say)

    async def edit_page(self, at: Conversation, name: str, page: Rendered) -> bool:
        try:
            # Blocks always: with a text alone the old buttons would stay.
            await self.call(at.tenant, "chat.update", **page.content, channel=at.channel, ts=name)
        except SlackRefusal as error:
            if error.code in GONE | TOO_RICH:  # what is too rich is posted anew, as plain text
                return False
            raise
        return True

    async def delete_page(self, conversation: Conversation, name: str) -> None:
        try:
            await self.call(conversation.tenant, "chat.delete", channel=conversation.channel, ts=name)
        except SlackRefusal as error:
            if error.code not in GONE:
                raise

    # Slack's view of agents.

    async def _show_work(self, at: Conversation, status: str, title: str) -> None:
        """In Slack's own list: whether we work there, and on what; a name that a person gave stays for that topic."""
        where = {"channel_id": at.channel, "thread_ts": at.thread}
        told = await self._tell_agent(at.tenant, "agents.sessions.setStatus", status=status, **where)
        if told and title and await self.backend.recall(at, TITLE) != title:
            await self._tell_agent(at.tenant, "agents.sessions.rename", title=title, **where)
            await self.backend.remember(at, TITLE, title)

    async def _tell_agent(self, tenant: str, method: str, **arguments: Any) -> bool:
        """Call what Slack has for agents only; ``False`` where a workspace is known not to have it."""
        if (tenant, method) in self._without_agents:
            return False
        try:
            await self.call(tenant, method, **arguments)
        except SlackRefusal as error:
            if error.code in NO_AGENTS:
                self._without_agents.add((tenant, method))
            raise
        return True


def _place(at: Conversation) -> dict[str, Any]:
    return {"channel": at.channel} | ({"thread_ts": at.thread} if at.thread else {})


def _code(error: SlackApiError) -> str:
    data = error.response if isinstance(error.response, dict) else getattr(error.response, "data", None)
    status = getattr(error.response, "status_code", 0)
    if status == 429:
        return "ratelimited"
    code = data.get("error") if isinstance(data, dict) else None
    return str(code) if code else ("service_unavailable" if status >= 500 else "unknown_error")
