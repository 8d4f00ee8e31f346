"""Slack: Socket Mode or signed HTTP, one workspace or many. A thread is a conversation; see `adapters.slack.blocks`.

Everything is acknowledged after it is stored and before it is worked on.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import structlog
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.web.async_client import AsyncWebClient

from adapters.attachments import fetch_file
from adapters.chat import (
    AccessRefused,
    AdapterTexts,
    Attachment,
    ChatBackend,
    Conversation,
    FormPlace,
    Incoming,
    Outgoing,
    Place,
    PlatformError,
)
from adapters.editing import EDIT_S, MESSAGE_S
from adapters.http_server import ConnectionLimits
from adapters.slack.blocks import (
    FIELD_CHARACTERS,
    FORM,
    GOOD,
    RATING,
    Json,
    home,
    modal,
    read_filled_form,
    to_incoming,
    to_incoming_press,
)
from adapters.slack.http import answer_failure, serve_slack
from adapters.slack.slack_sender import SlackRefusal, SlackSender

log = structlog.get_logger()

COMMAND = "/survey"
SHORTCUT = "survey_this"
BOT_SCOPES = (
    "app_mentions:read",
    "assistant:write",
    "canvases:write",
    "channels:history",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "im:history",
    "im:write",
    "mpim:history",
)
"""What the manifest has to name; a test compares."""

CONNECTIONS = 2
PING_S = 2.0
"""A dropped socket is seen after so long; what happens in the gap goes through the other one."""

RETRIES = 4
TOKEN_ERRORS = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "not_allowed_token_type"})
LINKS = 10  # to threads, asked for when the home page is opened


@dataclass(frozen=True)
class SlackAccess:
    """Tokens and addresses: Socket Mode with an app token, else HTTP with a signing secret.

    One workspace has a bot token; several install us by OAuth with a client's id and secret, and have theirs in
    ``installations``.
    """

    bot_token: str = ""
    app_token: str = ""
    signing_secret: str = ""
    client_id: str = ""
    client_secret: str = ""
    installations: AsyncInstallationStore | None = None
    states: AsyncOAuthStateStore | None = None
    host: str = "127.0.0.1"
    port: int = 3000
    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    api_url: str = "https://slack.com/api/"


class SlackAdapter(SlackSender):
    """All of Slack that has installed us."""

    platform = "slack"
    keeps_documents = True

    def __init__(
        self, access: SlackAccess, words: AdapterTexts, message_s: float = MESSAGE_S, edit_s: float = EDIT_S
    ) -> None:
        super().__init__(words, message_s, edit_s)
        self._access = access
        self._session: aiohttp.ClientSession
        self.app: AsyncApp
        self.port = 0
        """Where HTTP is listened on, once it is."""

    async def open(self, backend: ChatBackend) -> None:
        self.backend = backend
        self._session = aiohttp.ClientSession()
        self.app = self._application(self._new_client(self._access.bot_token))
        try:
            if self._access.bot_token:
                await self._check("SLACK_BOT_TOKEN", self.call("", "auth.test"))
            if token := self._access.app_token:  # asked here, because Slack's client would ask again for ever
                asking = self._new_client(token).apps_connections_open(app_token=token)
                await self._check("SLACK_APP_TOKEN", self.answer(asking))
        except PlatformError:
            await self.close()
            raise

    async def _check(self, name: str, asking: Awaitable[Any]) -> None:
        try:
            await asking
        except SlackRefusal as error:
            if error.code in TOKEN_ERRORS:
                raise AccessRefused(self._words.refusals["slack token"].format(name)) from error
            raise

    async def run(self) -> None:
        access = self._access
        async with AsyncExitStack() as stack:
            for _ in range(CONNECTIONS if access.app_token else 0):
                socket = AsyncSocketModeHandler(self.app, access.app_token, ping_interval=PING_S).client
                stack.push_async_callback(socket.close)
                await socket.connect()  # type: ignore[no-untyped-call]
            if not access.app_token:
                serving = serve_slack(self.app, access.host, access.port, access.limits)
                self.port = await stack.enter_async_context(serving)
            await self.backend.note_listening()
            await asyncio.Event().wait()

    async def close(self) -> None:
        await super().close()
        await self._session.close()

    async def fetch(self, conversation: Conversation, attachment: Attachment) -> bytes:
        token = (await self.client(conversation.tenant)).token
        headers, base = {"Authorization": f"Bearer {token}"}, self._access.api_url
        is_theirs = (urlsplit(attachment.source).hostname or "").endswith(".slack.com")
        return await fetch_file(self._session, attachment, "Slack", is_theirs=is_theirs, base=base, headers=headers)

    async def client(self, tenant: str) -> AsyncWebClient:
        if self._access.installations is None:
            return self._new_client(self._access.bot_token)
        enterprise = await self.backend.recall(_workspace(tenant), "enterprise")
        found = await self._access.installations.async_find_bot(
            enterprise_id=enterprise or None, team_id=tenant, is_enterprise_install=bool(enterprise)
        )
        if found is None or not found.bot_token:
            raise PlatformError("This workspace has not installed Scholium, or has removed it.")
        return self._new_client(found.bot_token)

    def _new_client(self, token: str) -> AsyncWebClient:
        retries = [
            AsyncRateLimitErrorRetryHandler(max_retry_count=RETRIES),
            AsyncServerErrorRetryHandler(max_retry_count=2),
            AsyncConnectionErrorRetryHandler(max_retry_count=1),
        ]
        return AsyncWebClient(token, self._access.api_url, session=self._session, retry_handlers=retries)

    # What comes in.

    def _application(self, client: AsyncWebClient) -> AsyncApp:
        access = self._access
        oauth = None
        if access.installations is not None:
            oauth = AsyncOAuthSettings(
                client_id=access.client_id,
                client_secret=access.client_secret,
                scopes=list(BOT_SCOPES),
                installation_store=access.installations,
                installation_store_bot_only=True,
                state_store=access.states,
            )
        quiet = logging.getLogger("scholium.slack")
        quiet.setLevel(logging.ERROR)  # it warns of settings that it finds in the environment by itself
        app = AsyncApp(
            logger=quiet,
            client=client,
            signing_secret=access.signing_secret or None,
            request_verification_enabled=bool(access.signing_secret),
            process_before_response=True,  # acknowledged when the listener is done, which is when it is stored
            oauth_settings=oauth,
        )
        app.error(answer_failure)
        app.event("message")(self._handle_message)
        app.event("app_mention")(self._handle_message)
        app.event("app_home_opened")(self._home_opened)
        app.event("agent_session_stopped")(self._handle_stop)
        app.event("app_uninstalled")(self._handle_removal)
        app.event("tokens_revoked")(self._handle_removal)
        app.command(COMMAND)(self._handle_command)
        app.message_shortcut(SHORTCUT)(self._shortcut)
        app.action(re.compile(r"act_\d+"))(self._handle_button)
        app.action(re.compile(r"ask_\d+"))(self._open_form)
        app.action(RATING)(self._handle_rating)
        app.action("open")(_acknowledge_link)
        app.view(FORM)(self._handle_form)
        return app

    async def _handle_message(self, event: Json, context: AsyncBoltContext) -> None:
        """A message or a mention: ours where it is direct, names us, or is in a thread that we know."""
        incoming = to_incoming(event, context.team_id or "", context.bot_user_id or "")
        if incoming is None:
            return
        is_mention = event["type"] == "app_mention" or f"<@{context.bot_user_id}>" in event.get("text", "")
        is_direct = event.get("channel_type") == "im" or event["channel"].startswith("D")
        if is_mention or is_direct or await self.backend.knows(incoming.conversation):
            place: Place = "mentioned" if is_mention else "direct" if is_direct else "thread"
            await self._handle(replace(incoming, place=place), context)

    async def _handle_stop(self, event: Json, context: AsyncBoltContext) -> None:
        """The stop button of Slack's own agent status."""
        channel = str(event.get("channel_id") or event.get("channel") or "")
        at = _place(context, channel, str(event.get("thread_ts") or ""))
        key = f"stop:{channel}:{event.get('event_ts')}"
        await self._handle(Incoming(at, str(event.get("user_id") or event.get("user") or ""), key, "stop"), context)

    async def _handle_removal(self, body: Json, context: AsyncBoltContext) -> None:
        """The workspace has removed us, or has taken back our token."""
        tenant = context.team_id or ""
        if body["event"]["type"] == "tokens_revoked" and not (body["event"].get("tokens") or {}).get("bot"):
            return
        if self._access.installations is not None:
            await self._access.installations.async_delete_all(enterprise_id=context.enterprise_id, team_id=tenant)
        await self.backend.left(self.platform, tenant)

    async def _handle_command(self, ack: AsyncAck, body: Json, context: AsyncBoltContext) -> None:
        """The slash command: with words it begins, without it asks."""
        at = _place(context, body["channel_id"])
        text = unescape(body.get("text") or "").strip()
        key = f"command:{body['trigger_id']}"
        asked = Incoming(at, body["user_id"], key, text, "" if text else "start", opens=True)
        if text:
            await self._handle(asked, context)
            await ack()
        else:
            await ack()
            await self._ask(asked, body["trigger_id"])

    async def _shortcut(self, ack: AsyncAck, body: Json, context: AsyncBoltContext) -> None:
        """“Survey this” on a message: its text is the suggestion, its thread the place."""
        await ack()
        message = body["message"]
        thread = message.get("thread_ts") or message.get("ts") or ""
        at = _place(context, body["channel"]["id"], thread)
        text = unescape(message.get("text") or "")
        await self._ask(Incoming(at, body["user"]["id"], "", text, "start", opens=True), body["trigger_id"])

    async def _handle_button(self, ack: AsyncAck, body: Json, context: AsyncBoltContext) -> None:
        await self._handle(to_incoming_press(body, context.team_id or ""), context)
        await ack()

    async def _open_form(self, ack: AsyncAck, body: Json, context: AsyncBoltContext) -> None:
        await ack()
        await self._ask(to_incoming_press(body, context.team_id or ""), body["trigger_id"])

    async def _ask(self, incoming: Incoming, trigger: str) -> None:
        """Open the form within the three seconds that the trigger lives; where there is none, say why."""
        at = incoming.conversation
        form = await self.backend.form(incoming, FIELD_CHARACTERS)
        if isinstance(form, Outgoing):
            await self.send(form)
            return
        place = FormPlace(at.channel, at.thread, form.action, incoming.opens)
        await self.call(at.tenant, "views.open", trigger_id=trigger, view=modal(form, place))

    async def _handle_rating(self, ack: AsyncAck, body: Json, context: AsyncBoltContext) -> None:
        message, action = body["message"], body["actions"][0]
        at = _place(context, body["channel"]["id"], message.get("thread_ts") or "")
        await self.backend.rate(at, message["ts"], body["user"]["id"], good=action["value"] == GOOD)
        await ack()

    async def _handle_form(self, ack: AsyncAck, body: Json, context: AsyncBoltContext) -> None:
        view = body["view"]
        place = FormPlace.read(view["private_metadata"])
        at = _place(context, place.channel, place.thread)
        values, key = read_filled_form(view), f"form:{view['id']}"
        incoming = Incoming(at, body["user"]["id"], key, "", place.action, values=values, opens=place.opens, alone=True)
        if fault := await self.backend.fault(incoming):
            await ack(response_action="errors", errors={fault.field: fault.sentence})
            return
        await self._handle(incoming, context)
        await ack()

    async def _home_opened(self, event: Json, context: AsyncBoltContext) -> None:
        tenant, person = context.team_id or "", str(event["user"])
        if event.get("tab") != "home":
            if channel := event.get("channel"):
                self.suggest(_place(context, str(channel)), [(words, words) for words in self._words.examples])
            return
        overview = await self.backend.overview(self.platform, tenant, person)
        places = [survey.conversation for survey in overview.surveys if survey.conversation.thread][:LINKS]
        links = dict(zip(places, await asyncio.gather(*map(self._link, places)), strict=True))
        await self.call(tenant, "views.publish", user_id=person, view=home(overview, links))

    async def _link(self, at: Conversation) -> str:
        """The address of a thread; empty where Slack gives none."""
        try:
            found = await self.read(at.tenant, "chat.getPermalink", channel=at.channel, message_ts=at.thread)
        except PlatformError:
            return ""
        return str(found.get("permalink") or "")

    async def _handle(self, incoming: Incoming, context: AsyncBoltContext) -> None:
        if context.is_enterprise_install and context.enterprise_id:
            workspace = _workspace(incoming.conversation.tenant)
            if await self.backend.recall(workspace, "enterprise") != context.enterprise_id:
                await self.backend.remember(workspace, "enterprise", context.enterprise_id)
        await self.backend.handle(incoming)


def _place(context: AsyncBoltContext, channel: str, thread: str = "") -> Conversation:
    return Conversation("slack", context.team_id or "", channel, thread)


def _workspace(tenant: str) -> Conversation:
    return Conversation("slack", tenant, "")


async def _acknowledge_link(ack: Callable[[], Awaitable[Any]]) -> None:
    """A button that only opens a link."""
    await ack()
