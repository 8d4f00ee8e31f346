"""The gateway and the interactions of a stand-in Discord, written from its documentation.

The three seconds and the fifteen minutes of interactions, forms, intents, resuming, invalid sessions and close codes
are enforced.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import WSMsgType, web

from tests.stand_ins.discord_rules import Json, No, need
from tests.stand_ins.discord_server import (
    APPLICATION,
    BOT,
    CHANNEL,
    FORUM,
    GUILD,
    NOW,
    OTHER_GUILD,
    TAG,
    DiscordApi,
    _user,
    message_json,
)

CONTENT_INTENT = 1 << 15


class DiscordGateway(DiscordApi):
    """The API with its gateway."""

    # Interactions.

    def _callback(self, name: str, body: Json) -> Json:
        made = self.interactions[name]
        if time.monotonic() - made.made > self.acknowledge_s:
            raise No(404, 10062)
        if made.callback is not None:
            raise No(400, 40060)
        if body["type"] == 9:
            need(made.kind in {2, 3}, 400, 50035)
            _check_modal(body["data"])
        if body["type"] == 4:
            need(1 <= len(body["data"].get("content") or "") <= 2_000, 400, 50035)
        if body["type"] == 8:
            choices = body["data"]["choices"]
            need(len(choices) <= 25, 400, 50035)
            need(all(1 <= len(c["name"]) <= 100 and len(c["value"]) <= 100 for c in choices), 400, 50035)
        made.callback = body
        return {"interaction": {"id": name, "type": made.kind, "response_message_ephemeral": True}}

    def _webhook(self, method: str, token: str, rest: list[str], body: Json) -> Json | None:
        made = next(i for i in self.interactions.values() if i.token == token)
        if time.monotonic() - made.made > self.token_s:
            raise No(401, 50027)
        if made.callback is None:
            raise No(404, 10015)
        if method == "DELETE":
            made.deleted = True
            return None
        self._check(body)
        content = body.get("content") or ""
        if rest:
            made.content = content
        elif made.callback["type"] == 5 and made.content is None:
            made.content = content  # the first one fills the “thinking” message
        else:
            need(made.is_member or len(made.followups) < 5, 400, 40094)
            made.followups.append((content, bool(body.get("flags", 0) & 64)))
        return message_json(self.snowflake(), CHANNEL, content, _user(BOT, bot=True))

    # The gateway.

    async def gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41_250}, "s": None, "t": None})
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                break
            said = json.loads(frame.data)
            if said["op"] == 1:
                await socket.send_json({"op": 11, "d": None})
            elif said["op"] == 2:
                await self._identify(socket, said["d"])
            elif said["op"] == 6:
                await self._resume(socket, said["d"])
        return socket

    async def _identify(self, socket: web.WebSocketResponse, said: Json) -> None:
        if said["token"] != "token":
            await socket.close(code=4004)
            return
        self.content_asked = bool(said["intents"] & CONTENT_INTENT)
        if self.content_asked and not self.allows_content:
            await socket.close(code=4014)
            return
        self.identified += 1
        self._events.clear()
        self.sockets["now"] = socket
        ready = {
            "v": 10,
            "user": _user(BOT, bot=True),
            "guilds": [{"id": GUILD, "unavailable": True}, {"id": OTHER_GUILD, "unavailable": True}],
            "session_id": f"session{self.identified}",
            "resume_gateway_url": self.url.replace("http", "ws") + "/gateway",
            "application": {"id": APPLICATION, "flags": 0},
            "shard": said.get("shard", [0, 1]),
        }
        self.dispatch("READY", ready)
        for guild in (GUILD, OTHER_GUILD):
            self.dispatch("GUILD_CREATE", self._guild(guild))
        async with self.changed:
            self.changed.notify_all()

    async def _resume(self, socket: web.WebSocketResponse, said: Json) -> None:
        if said["session_id"] != f"session{self.identified}":
            await socket.send_json({"op": 9, "d": False})
            return
        self.resumed += 1
        self.sockets["now"] = socket
        for event in self._events[said["seq"] :]:
            await socket.send_json(event)
        self.dispatch("RESUMED", {})
        async with self.changed:
            self.changed.notify_all()

    def dispatch(self, name: str, data: Json) -> None:
        """Send an event; where nobody listens it waits for who resumes."""
        event = {"op": 0, "t": name, "s": len(self._events) + 1, "d": data}
        self._events.append(event)
        socket = self.sockets.get("now")
        if socket is not None and not socket.closed:
            task = asyncio.ensure_future(socket.send_json(event))
            task.add_done_callback(lambda t: t.exception())

    def _guild(self, name: str) -> Json:
        everyone = {"id": name, "name": "@everyone", "permissions": str(self.permissions.value), "position": 0}
        everyone |= {"color": 0, "colors": {"primary_color": 0}, "hoist": False, "managed": False, "mentionable": False}
        channels = [
            {"id": str(int(CHANNEL) + i), "type": 0, "name": f"c{i}", "position": i, "permission_overwrites": []}
            for i in range(60)
        ]
        tags = [{"id": "292", "name": "Decided", "moderated": True}, {"id": TAG, "name": "Survey", "moderated": False}]
        forum = {"id": FORUM, "type": 15, "name": "papers", "position": 60, "permission_overwrites": []}
        forum |= {"available_tags": [{**tag, "emoji_id": None, "emoji_name": None} for tag in tags]}
        channels.append({**forum, "flags": 1 << 4 if self.requires_tag else 0})
        return {
            "id": name,
            "name": f"Lab {name}",
            "owner_id": "1",
            "roles": [everyone],
            "channels": channels if name == GUILD else [],
            "threads": [self.thread_json(t) for t in self.threads] if name == GUILD else [],
            "members": [{"user": _user(BOT, bot=True), "roles": [], "joined_at": NOW, "flags": 0}],
            "member_count": 2,
            "premium_tier": 0,
            "emojis": [],
            "features": [],
            "unavailable": False,
        }


def _check_modal(data: Json) -> None:
    need(1 <= len(data["title"]) <= 45 and 1 <= len(data["custom_id"]) <= 100, 400, 50035)
    need(1 <= len(data["components"]) <= 5, 400, 50035)
    for label in data["components"]:
        need(label["type"] == 18 and 1 <= len(label["label"]) <= 45, 400, 50035)
        item = label["component"]
        need(1 <= len(item["custom_id"]) <= 100, 400, 50035)
        need(len(item.get("value") or "") <= item.get("max_length", 4_000) <= 4_000, 400, 50035)
        need(len(item.get("placeholder") or "") <= 100 and len(item.get("options", ())) <= 25, 400, 50035)


@asynccontextmanager
async def serve_gateway(server: DiscordGateway, more: Callable[[web.Application], None]) -> AsyncIterator[None]:
    """The stand-in on a free port while the block runs."""
    application = web.Application(client_max_size=64 * 2**20)
    application.router.add_get("/gateway", server.gateway)
    application.router.add_get("/gateway/", server.gateway)
    application.router.add_route("*", "/api/{path:.*}", server.api)
    more(application)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield
    finally:
        await runner.cleanup()
