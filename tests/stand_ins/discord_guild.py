"""A stand-in Discord server with people in it, who write, press, choose and fill in."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from discord import gateway, http
from yarl import URL

from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.discord_gateway import DiscordGateway, serve_gateway
from tests.stand_ins.discord_rules import Json, Message
from tests.stand_ins.discord_server import (
    APPLICATION,
    BOT,
    CHANNEL,
    FOREIGN,
    GUILD,
    NOW,
    Interaction,
    _user,
    message_json,
)


class Discord(DiscordGateway):
    """What people do there."""

    async def say(self, text: str, channel: str = CHANNEL, user: str = "1", **more: Any) -> str:
        """Write a message; returns its id. Without the intent only mentions and direct messages have a content."""
        name = more.pop("id", None) or self.snowflake()
        mentions = [_user(BOT, bot=True)] if f"<@{BOT}>" in text else []
        is_direct = channel.startswith("7")
        seen = text if self.content_asked or mentions or is_direct else ""
        made = message_json(name, channel, seen, _user(user, bot=more.pop("bot", False))) | {"mentions": mentions}
        if not is_direct:
            made |= {"guild_id": more.pop("guild", GUILD)}
            made |= {"member": {"roles": [], "joined_at": NOW, "flags": 0, "deaf": False, "mute": False}}
        files = more.pop("files", [])
        made["attachments"] = [
            {"id": self.snowflake(), "filename": f, "size": 1, "url": url, "proxy_url": url} for f, url in files
        ]
        self.dispatch("MESSAGE_CREATE", {**made, **more})
        return str(name)

    async def interact(
        self, kind: int, data: Json, channel: str, user: str = "1", *, answered: bool = True, **more: Any
    ) -> Interaction:
        """Something done by a click or a command; waits until it is answered."""
        name = self.snowflake()
        made = Interaction(name, f"itoken{name}", kind, time.monotonic(), user)
        self.interactions[name] = made
        self.dispatch("INTERACTION_CREATE", self._interaction(made, data, channel, more))
        if answered:
            await self.until(lambda: made.callback is not None)
        return made

    def _interaction(self, made: Interaction, data: Json, channel: str, more: Json) -> Json:
        is_direct = channel.startswith("7")
        where: Json = {"id": channel, "type": 1 if is_direct else 0, "name": "c", "position": 0}
        where |= {"permission_overwrites": [], "permissions": "0"}
        if channel in self.threads:
            where = {**self.thread_json(channel), "permissions": "0"}
        who: Json = {"user": _user(made.user)}
        guild, made.is_member = more.pop("guild", GUILD), channel != FOREIGN
        if not is_direct:
            who = {"member": {**who, "roles": [], "joined_at": NOW, "permissions": "0", "flags": 0}}
            who |= {"guild_id": guild, "guild": {"id": guild, "features": [], "locale": "en-US"}}
            who |= {"guild_locale": "en-US"}
        return {
            "id": made.id,
            "token": made.token,
            "application_id": APPLICATION,
            "type": made.kind,
            "version": 1,
            "data": data,
            "channel_id": channel,
            "channel": where,
            "locale": "en-US",
            "app_permissions": str(self.permissions.value),
            "attachment_size_limit": self.file_limit,
            "entitlements": [],
            "authorizing_integration_owners": {"0": "0" if is_direct else guild}
            if made.is_member
            else {"1": made.user},
            "context": 1 if is_direct else 0,
            **who,
            **more,
        }

    async def command(self, name: str, channel: str = CHANNEL, user: str = "1", **options: str | int) -> Interaction:
        given = [
            {"name": option, "type": 4 if isinstance(value, int) else 3, "value": value}
            for option, value in options.items()
        ]
        data = {"id": "1", "name": "survey", "type": 1, "options": [{"name": name, "type": 1, "options": given}]}
        return await self.interact(2, data, channel, user)

    async def type_option(self, name: str, option: str, value: str, user: str = "1") -> list[str]:
        """What is offered while an option is being typed."""
        given = [{"name": option, "type": 3, "value": value, "focused": True}]
        data = {"id": "1", "name": "survey", "type": 1, "options": [{"name": name, "type": 1, "options": given}]}
        made = await self.interact(4, data, CHANNEL, user)
        return [choice["value"] for choice in (made.callback or {})["data"]["choices"]]

    async def menu(self, message: str, content: str, user: str = "1") -> Interaction:
        found = message_json(message, CHANNEL, content, _user("2"))
        resolved = {"messages": {message: found}}
        data = {"id": "2", "name": "Survey this", "type": 3, "target_id": message, "resolved": resolved}
        return await self.interact(2, data, CHANNEL, user)

    async def press(self, message: Message, label: str, user: str = "1") -> Interaction:
        data = {"custom_id": message.buttons[label], "component_type": 2}
        return await self.interact(3, data, message.channel, user, message=self._message_json(message))

    async def submit(self, shown: Interaction, channel: str, user: str = "1", **values: str) -> Interaction:
        """Hand in a form with its own values, but for those given."""
        form = (shown.callback or {})["data"]
        components = []
        for number, label in enumerate(form["components"]):
            item = label["component"]
            name = item["custom_id"]
            if item["type"] == 4:
                value: Json = {"value": values.get(name, item.get("value") or "")}
            else:
                default = [o["value"] for o in item["options"] if o.get("default")]
                value = {"values": [values[name]] if name in values else default}
            filled = {"type": item["type"], "custom_id": name, "id": number + 50, **value}
            components.append({"type": 18, "id": number, "component": filled})
        data = {"custom_id": form["custom_id"], "components": components}
        return await self.interact(5, data, channel, user)

    async def find_offer(self, label: str, after: Message | None = None) -> Message:
        """The last message with such a button, after another one."""

        def found() -> Message | None:
            later = [m for m in self.messages if after is None or int(m.id) > int(after.id)]
            return next((m for m in reversed(later) if label in m.buttons), None)

        return await self.until(found)  # type: ignore[no-any-return]

    @staticmethod
    def values(shown: Interaction) -> dict[str, str]:
        """What stands in the fields of a form that is shown."""
        fields = [label["component"] for label in (shown.callback or {})["data"]["components"]]
        return {field["custom_id"]: field.get("value") or "" for field in fields}

    def lock(self, thread: str) -> None:
        self.threads[thread] |= {"locked": True, "archived": True}
        self.dispatch("THREAD_UPDATE", self.thread_json(thread))

    async def drop(self) -> None:
        """End the connection without a word."""
        socket = self.sockets.pop("now")
        if socket._req and socket._req.transport:
            socket._req.transport.abort()

    async def message(self, part: str, channel: str | None = None, within_s: float = PATIENCE_S) -> Message:
        """The last message that holds the words, once there is one."""

        def found() -> Message | None:
            of = [m for m in self.messages if channel in {None, m.channel}]
            return next((m for m in reversed(of) if part in m.content.replace("\\", "")), None)

        return await self.until(found, within_s)  # type: ignore[no-any-return]


@asynccontextmanager
async def serve_discord(server: Discord) -> AsyncIterator[Discord]:
    """The stand-in, with the real library pointed at it, while the block runs."""

    def files(application: web.Application) -> None:
        async def download(request: web.Request) -> web.Response:
            return web.Response(body=b"@misc{x, title={Our Own Dense Retrieval}, abstract={We retrieve.}, year={2026}}")

        application.router.add_get("/files/{name}", download)

    base, default = http.Route.BASE, gateway.DiscordWebSocket.DEFAULT_GATEWAY
    async with serve_gateway(server, files):
        http.Route.BASE = f"{server.url}/api"
        gateway.DiscordWebSocket.DEFAULT_GATEWAY = URL(server.url.replace("http", "ws") + "/gateway")
        try:
            yield server
        finally:
            http.Route.BASE, gateway.DiscordWebSocket.DEFAULT_GATEWAY = base, default
