"""Sending to Slack: within its rates, one status message for each job, rich text or, where it is refused, plain."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.chat import AdapterTexts, ChatBackend, Conversation, Document, Incoming, Outgoing, PlatformError
from adapters.editing import EditedMessages, Lanes, SendingPace
from adapters.markup import Block, blocks
from adapters.slack.blocks import STREAM_BLOCKS, Rendered, draw_chunks, messages

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
STREAMED = frozenset({"streaming_state_conflict", "cant_delete_message"})


class SlackRefusal(PlatformError):
    """Slack answered with an error; ``code`` is its name for it, ``meaning`` what a person should know of it."""

    def __init__(self, code: str, meaning: str = "") -> None:
        super().__init__(meaning or f"Slack refused ({code}).", retryable=code in LATER, gone=code in NO_PLACE)
        self.code = code


class SlackSender:
    """Shows what is outgoing. ``client`` gives a workspace's client, with its token."""

    def __init__(
        self, client: Callable[[str], Awaitable[AsyncWebClient]], words: AdapterTexts, pace: SendingPace
    ) -> None:
        self._client = client
        self._words = words
        self._lanes = Lanes(pace)
        self.may_edit = self._lanes.may_edit
        self._edited = EditedMessages(self)
        self._parts: dict[str, int] = {}
        self._without_agents: set[tuple[str, str]] = set()
        self._growing: dict[Conversation, bool] = {}
        """Direct conversations in which a text grows; whether room for its stream is taken."""
        self._streams: dict[Conversation, tuple[str, tuple[Block, ...]]] = {}
        self._offered: dict[Conversation, list[tuple[str, str]]] = {}
        self.backend: ChatBackend

    async def send(self, outgoing: Outgoing) -> None:
        """Show it, or note it as the latest."""
        at = outgoing.conversation
        if outgoing.kind == "growing" and at.channel.startswith("D") and at.thread:
            self._growing.setdefault(at, False)
        elif outgoing.kind != "progress":
            self._growing.pop(at, None)
        if outgoing.kind == "message" and not (outgoing.slot or outgoing.job):
            await self._message(outgoing)
        elif await self._edited.show(outgoing) and at.thread:
            status = "processing" if outgoing.kind == "started" else "suspended"
            self._edited.do_later(at, "agent", partial(self._show_work, at, status, outgoing.title[:TITLE_CHARACTERS]))
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
        telling = partial(self._tell_agent, at, "assistant.threads.setSuggestedPrompts", **asked)
        self._edited.do_later(replace(at, thread=""), "prompts", telling)

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
            code = _code(error)
            needed = error.response.get("needed") if code == "missing_scope" else ""
            why = self._words.refusals.get(code, "").format(f" ({needed})" if needed else "")
            raise SlackRefusal(code, why) from error
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            why = f"Slack could not be reached ({type(error).__name__})."
            raise PlatformError(why, retryable=True) from error
        return dict(response.data) if isinstance(response.data, dict) else {}

    # Messages.

    async def _message(self, outgoing: Outgoing) -> None:
        if outgoing.document:
            address = await self._show_document(outgoing.conversation, outgoing.document, new=bool(outgoing.files))
            if address:
                outgoing = replace(outgoing, text=self._words.document.format(address), files=())
            if not outgoing.text:
                return
        at, rendered = outgoing.conversation, messages(outgoing, self._words.say)
        if outgoing.only_for:
            for part in rendered:
                await self._alone(at, outgoing.only_for, part)
            return
        is_comment = len(rendered) == 1 and len(rendered[0].text) <= COMMENT_CHARACTERS and not outgoing.buttons
        if outgoing.files and is_comment:  # nothing is said of files that do not come
            await self._upload(outgoing, rendered[0])
            return
        done = self._parts.get(outgoing.key, 0)  # of a message that was broken off in the middle
        for number, part in enumerate(rendered[done:], start=done):
            await self._post(at, part)
            self._parts[outgoing.key] = number + 1
        if outgoing.files:
            await self._upload(outgoing)
        self._parts.pop(outgoing.key, None)

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

    async def _post(self, at: Conversation, part: Rendered) -> str:
        """Post it; returns its time stamp, which is its name."""
        where = {"channel": at.channel, "unfurl_links": False, "unfurl_media": False}
        where |= {"thread_ts": at.thread} if at.thread else {}
        async with self._lanes.post(at):
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
            async with self._lanes.post(at):
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

    async def _upload(self, outgoing: Outgoing, comment: Rendered | None = None) -> None:
        at = outgoing.conversation
        client = await self._client(at.tenant)
        files = [{"file": str(path), "filename": path.name, "title": path.name} for path in outgoing.files]
        where = {"channel": at.channel, "thread_ts": at.thread or None}
        where |= {"initial_comment": "\n".join(comment.plainly())} if comment and outgoing.text else {}
        try:
            await self.answer(client.files_upload_v2(file_uploads=files, **where))  # type: ignore[arg-type]
        except OSError as error:  # not Slack: a file is gone
            raise PlatformError(self._words.refusals["file gone"]) from error

    async def open_thread(self, incoming: Incoming, starter: Outgoing) -> Conversation:
        """Begin a thread with a message: in the channel, or, where we cannot write there, with the person."""
        at, name = incoming.conversation, f"opened:{incoming.key}"
        known = await self.backend.recall(at, name)
        if known:
            channel, _, thread = known.partition(" ")
            return replace(at, channel=channel, thread=thread)
        rendered = messages(starter, self._words.say)[0]
        try:
            there = at if at.channel else await self._direct(at, incoming.person)
            stamp = await self._post(there, rendered)
        except SlackRefusal as error:
            if error.retryable:
                raise
            there = await self._direct(at, incoming.person)
            note = Outgoing(there, f"{starter.text}\n\n{self._words.not_here}", people=starter.people)
            stamp = await self._post(there, messages(note, self._words.say)[0])
        opened = there if there.thread else replace(there, thread=stamp)
        await self.backend.remember(at, name, f"{opened.channel} {opened.thread}")
        return opened

    # What is edited; see `adapters.editing.Pages`.

    def count_pages(self, outgoing: Outgoing) -> int:
        """How many messages it takes."""
        return len(messages(outgoing, self._words.say))

    async def post_page(self, outgoing: Outgoing, page: int) -> str:
        """Post one of them."""
        return await self._post(outgoing.conversation, messages(outgoing, self._words.say)[page])

    async def wait_for_edit(self, conversation: Conversation) -> None:
        """Wait for room in the workspace, not where a stream may begin."""
        at, streams = conversation, conversation in self._streams
        if self._growing.get(at) is False and not streams and await self._lanes.may_stream(at):
            self._growing[at] = True
        else:
            await self._lanes.wait_for_edit(at, streams=streams)

    async def edit_page(self, name: str, outgoing: Outgoing, page: int) -> str:
        """Put it into a message; empty where that is gone."""
        at, part = outgoing.conversation, messages(outgoing, self._words.say)[page]
        if outgoing.kind == "growing" and (streamed := await self._stream(name, outgoing)):
            return streamed
        try:
            # Blocks always: with a text alone the old buttons would stay.
            await self._change(at, "chat.update", name, text=part.notification, blocks=list(part.blocks))
        except SlackRefusal as error:
            if error.code in GONE:
                return ""
            if error.code not in TOO_RICH:
                raise
            await self._change(at, "chat.update", name, text=part.plainly()[0], blocks=[])
            return name if len(part.plainly()) == 1 else ""
        return name

    async def delete_page(self, conversation: Conversation, name: str) -> None:
        """Delete a message; nothing where it is gone."""
        try:
            await self._change(conversation, "chat.delete", name)
        except SlackRefusal as error:
            if error.code not in GONE:
                raise

    # Streams: in direct messages only, because in a channel one person alone would see a text grow.

    def _find_stream(self, at: Conversation, name: str) -> tuple[Block, ...]:
        """What the message holds, if it is streamed."""
        streamed, shown = self._streams.get(at, ("", ()))
        return shown if streamed == name else ()

    async def _stream(self, name: str, outgoing: Outgoing) -> str:
        """Add what is new to a stream, begun where there is room for one; its name, empty where it does not go on.

        It ends after five minutes, or when somebody stops it in Slack's own view.
        """
        at, shown = outgoing.conversation, self._find_stream(outgoing.conversation, name)
        new = [block for block in blocks(outgoing.text) if block not in shown][: STREAM_BLOCKS - len(shown)]
        told = {"channel": at.channel, "chunks": draw_chunks(new)}
        if not shown:
            may = self._growing.get(at) or (at in self._growing and await self._lanes.may_stream(at))
            self._growing |= {at: False} if may else {}
            begun = await self._tell_agent(at, "chat.startStream", thread_ts=at.thread, **told) if may else None
            name = str(begun["ts"]) if begun else ""
        elif new and await self._tell_agent(at, "chat.appendStream", ts=name, **told) is None:
            name = ""
        if name:
            self._streams[at] = name, (*shown, *new)
        return name

    async def _change(self, at: Conversation, method: str, name: str, **arguments: Any) -> None:
        """Edit or delete a message, which cannot be done while it is streamed, by whichever process."""
        where = {"channel": at.channel, "ts": name}
        stopping = partial(self._tell_agent, at, "chat.stopStream", session_status="suspended", **where)
        if self._find_stream(at, name):
            del self._streams[at]
            await stopping()
        try:
            await self.call(at.tenant, method, **where, **arguments)
        except SlackRefusal as error:
            if error.code not in STREAMED:
                raise
            await stopping()
            await self.call(at.tenant, method, **where, **arguments)

    # Slack's view of agents.

    async def _show_work(self, at: Conversation, status: str, title: str) -> None:
        """In Slack's own list: whether we work there, and on what; a name that a person gave stays for that topic."""
        where = {"channel_id": at.channel, "thread_ts": at.thread}
        told = await self._tell_agent(at, "agents.sessions.setStatus", status=status, **where)
        if told is not None and title and await self.backend.recall(at, TITLE) != title:
            await self._tell_agent(at, "agents.sessions.rename", title=title, **where)
            await self.backend.remember(at, TITLE, title)

    async def _tell_agent(self, at: Conversation, method: str, **arguments: Any) -> dict[str, Any] | None:
        """Slack's answer to what it has for agents only; ``None`` where the workspace has not, or it fails."""
        if (at.tenant, method) in self._without_agents:
            return None
        try:
            return await self.call(at.tenant, method, **arguments)
        except PlatformError as error:
            if isinstance(error, SlackRefusal) and error.code in NO_AGENTS:
                self._without_agents.add((at.tenant, method))
            log.info("the view of agents could not be changed", method=method, error=str(error))
            return None


def _code(error: SlackApiError) -> str:
    data = error.response if isinstance(error.response, dict) else getattr(error.response, "data", None)
    status = getattr(error.response, "status_code", 0)
    if status == 429:
        return "ratelimited"
    code = data.get("error") if isinstance(data, dict) else None
    return str(code) if code else ("service_unavailable" if status >= 500 else "unknown_error")
