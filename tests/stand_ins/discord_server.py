"""The API of a stand-in Discord, written from its documentation.

Lengths, components, permissions, archived and locked threads, rate limits and nonces are enforced.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

import discord
from aiohttp import web

from tests.stand_ins.changes import ObservedChanges
from tests.stand_ins.discord_rules import COMPONENTS_V2, Json, Message, No, check_message, need

GUILD, OTHER_GUILD, CHANNEL, APPLICATION, BOT = "100", "101", "200", "900", "900"
FORUM, TAG, FOREIGN = "290", "291", "800"
"""A forum and its tag; a channel of a server that has not invited us, where a person uses our commands."""

NOW = "2026-11-21T00:00:00+00:00"


@dataclass
class Interaction:
    """Something that was done by a click or a command, and how it was answered."""

    id: str
    token: str
    kind: int
    made: float
    user: str
    callback: Json | None = None
    content: str | None = None
    deleted: bool = False
    followups: list[tuple[str, bool]] = field(default_factory=list)
    is_member: bool = True
    """Whether we are in the server that it was done in, or it was done in direct messages."""

    @property
    def answers(self) -> list[str]:
        """Everything that the person who did it was shown by it."""
        first = (self.callback or {}).get("data", {}).get("content") if (self.callback or {}).get("type") == 4 else None
        return [text for text in (first, self.content, *(text for text, _ in self.followups)) if text]


@dataclass
class DiscordApi(ObservedChanges):
    """``token_s`` is how long an interaction lives after its answer, ``acknowledge_s`` before it.

    ``window_s`` is what five seconds of its rate limits take.
    """

    token_s: float = 900.0
    window_s: float = 0.25
    acknowledge_s: float = 3.0
    allows_content: bool = True
    permissions: discord.Permissions = field(default_factory=discord.Permissions.all)
    url: str = ""
    messages: list[Message] = field(default_factory=list)
    threads: dict[str, Json] = field(default_factory=dict)
    interactions: dict[str, Interaction] = field(default_factory=dict)
    commands: list[Json] = field(default_factory=list)
    syncs: int = 0
    calls: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    refused: list[str] = field(default_factory=list)
    closed_dms: set[str] = field(default_factory=set)
    unsafe: list[str] = field(default_factory=list)
    identified: int = 0
    resumed: int = 0
    next_errors: deque[No] = field(default_factory=deque)
    file_limit: int = 10 * 2**20
    requires_tag: bool = False
    """Whether each post of the forum needs a tag."""

    def _callback(self, name: str, body: Json) -> Json:
        raise NotImplementedError

    def _webhook(self, method: str, token: str, rest: list[str], body: Json) -> Json | None:
        raise NotImplementedError

    def dispatch(self, name: str, data: Json) -> None:
        """Send an event."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        self.changed = asyncio.Condition()
        self.sockets: dict[str, web.WebSocketResponse] = {}
        self._events: list[Json] = []
        self._numbers = itertools.count(1)
        self._recent: defaultdict[str, deque[float]] = defaultdict(deque)
        self.content_asked = False

    def snowflake(self) -> str:
        return str((int(time.time() * 1000) - 1_420_070_400_000 << 22) + next(self._numbers))

    # The API.

    async def api(self, request: web.Request) -> web.Response:
        path = request.path.removeprefix("/api").strip("/").split("/")
        body, files = await _body(request)
        headers: dict[str, str] = {}
        try:
            headers = self._limit_rate(request.method, path)
            if self.next_errors and path[0] == "channels":
                raise self.next_errors.popleft()
            if request.headers.get("Authorization") != "Bot token" and path[0] not in {"webhooks", "interactions"}:
                raise No(401, 0)
            answer = self._route(request.method, path, body, files)
        except No as no:
            self.refused.append(f"{request.method} {path[0]} {no}")
            error: Json = {"code": no.code, "message": str(no)}
            if no.status == 429:
                error |= {"retry_after": self.window_s, "global": False}
            return _json(error, no.status, {"Via": "1.1 google", **headers})
        async with self.changed:
            self.changed.notify_all()
        return _json(answer, 200 if answer is not None else 204, headers)

    def _limit_rate(self, method: str, path: list[str]) -> dict[str, str]:
        """Five a window for each channel, as headers say it; more are refused."""
        if path[0] != "channels" or method not in {"POST", "PATCH"}:
            return {}
        now, recent = time.monotonic(), self._recent[f"{method} {path[1]}"]
        while recent and recent[0] <= now - self.window_s:
            recent.popleft()
        full = len(recent) >= 5
        recent.append(now) if not full else None
        after = recent[0] + self.window_s - now
        left = max(0, 5 - len(recent))
        made = {"X-RateLimit-Limit": "5", "X-RateLimit-Remaining": str(left), "X-RateLimit-Bucket": f"{method}-c"}
        made |= {"X-RateLimit-Reset": str(time.time() + after), "X-RateLimit-Reset-After": f"{after:.3f}"}
        if full:
            raise No(429, 0)
        return made

    def _route(self, method: str, path: list[str], body: Json, files: list[tuple[str, bytes]]) -> Any:
        self.calls[f"{method} {path[0]}"] += 1
        if path[0] in {"channels", "interactions", "webhooks"}:
            return self._talk(method, path, body, files)
        match method, path:
            case "GET", ["users", "@me"]:
                return _user(BOT, bot=True)
            case "GET", ["users", who]:
                return _user(who)
            case "POST", ["users", "@me", "channels"]:
                return {"id": f"7{body['recipient_id']}", "type": 1, "recipients": [_user(str(body["recipient_id"]))]}
            case "GET", ["oauth2", "applications", "@me"]:
                return _application()
            case "PUT", ["applications", _, "commands"]:
                self.commands, self.syncs = list(body), self.syncs + 1  # type: ignore[arg-type]
                for command in self.commands:
                    installs, contexts = set(command["integration_types"]), set(command["contexts"])
                    need(bool(installs) and installs <= {0, 1} and contexts <= {0, 1, 2}, 400, 50035)
                    need(2 not in contexts or 1 in installs, 400, 50035)
                sent: list[Json] = self.commands
                return [
                    {
                        "description": "",
                        **dict(c),
                        "id": self.snowflake(),
                        "application_id": APPLICATION,
                        "version": "1",
                    }
                    for c in sent
                ]
        raise No(404, 0)

    def _talk(self, method: str, path: list[str], body: Json, files: list[tuple[str, bytes]]) -> Any:
        match method, path:
            case "POST", ["channels", channel, "messages"]:
                return self._post(channel, body, files)
            case (("PATCH" | "DELETE"), ["channels", channel, "messages", name]):
                return self._change(method, channel, name, body)
            case "POST", ["channels", channel, "messages", name, "threads"]:
                need(channel != FORUM, 404, 10008)
                self._need("create_public_threads", channel)
                return self._thread(channel, name, body)
            case "POST", ["channels", channel, "threads"] if channel == FORUM:
                return self._post_in_forum(body)
            case "POST", ["interactions", name, _, "callback"]:
                return self._callback(name, body)
            case _, ["webhooks", _, token, *rest]:
                return self._webhook(method, token, rest, body)
        raise No(404, 0)

    def _post(self, channel: str, body: Json, files: list[tuple[str, bytes]]) -> Json:
        if channel.startswith("7") and channel[1:] in self.closed_dms:
            raise No(403, 50007)
        thread = self.threads.get(channel)
        need(channel != FORUM, 400, 50008)
        need(channel != FOREIGN, 403, 50001)
        self._need("send_messages_in_threads" if thread else "send_messages", channel)
        if thread and thread["locked"]:
            raise No(403, 160005)
        if files:
            self._need("attach_files", channel)
            need(len(files) <= 10 and sum(len(c) for _, c in files) <= 25 * 2**20, 413, 40005)
            need(all(len(content) <= self.file_limit for _, content in files), 413, 40005)
        self._check(body, has_files=bool(files))
        nonce = str(body.get("nonce") or "")
        need(len(nonce) <= 25, 400, 50035)
        known = [m for m in self.messages if nonce and body.get("enforce_nonce") and m.nonce == nonce]
        if known:
            return self._message_json(known[0])
        if thread:
            thread["archived"] = False  # posting brings it back
        made = Message(self.snowflake(), channel, "", files=files, nonce=nonce)
        made.take(body)
        self.messages.append(made)
        return self._message_json(made)

    def _change(self, method: str, channel: str, name: str, body: Json) -> Json | None:
        found = next((m for m in self.messages if m.channel == channel and m.id == name), None)
        if found is None:
            raise No(404, 10008)
        if method == "DELETE":
            self.messages.remove(found)
            return None
        thread = self.threads.get(channel)
        if thread and thread["archived"]:
            raise No(400, 50083)
        if thread and thread["locked"]:
            raise No(403, 160005)
        self._check(body if found.is_v2 else {"content": found.content, **body}, was_v2=found.is_v2)
        found.take(body)
        found.edits += 1
        return self._message_json(found)

    def _check(self, body: Json, *, has_files: bool = False, was_v2: bool = False) -> None:
        content = check_message(body, has_files=has_files, was_v2=was_v2)
        allowed = body.get("allowed_mentions")
        pings = allowed is None or allowed.get("parse") or allowed.get("users") or allowed.get("roles")
        if pings and any(name in content for name in ("@everyone", "@here", "<@")):
            self.unsafe.append(content)

    def _post_in_forum(self, body: Json) -> Json:
        """A post is a thread, and its first message has its name."""
        self._need("send_messages", FORUM)
        tags = body.get("applied_tags") or []
        need(bool(tags) or not self.requires_tag, 400, 40067)
        need(set(map(str, tags)) <= {TAG}, 400, 50035)
        self._check(body["message"])
        made = Message(self.snowflake(), "", "")
        made.channel = made.id
        made.take(body["message"])
        thread = self._thread(FORUM, made.id, body)
        self.messages.append(made)
        return {**thread, "message": self._message_json(made)}

    def _thread(self, channel: str, name: str, body: Json) -> Json:
        need(1 <= len(body["name"]) <= 100, 400, 50035)
        need(body.get("auto_archive_duration", 1440) in {60, 1440, 4320, 10080}, 400, 50035)
        if name in self.threads:
            raise No(400, 160004)
        self.threads[name] = {"id": name, "parent": channel, "name": body["name"], "archived": False, "locked": False}
        made = self.thread_json(name)
        self.dispatch("THREAD_CREATE", {**made, "newly_created": True})
        return made

    def thread_json(self, name: str) -> Json:
        thread = self.threads[name]
        state = {"archived": thread["archived"], "locked": thread["locked"], "auto_archive_duration": 10080}
        return {
            "id": name,
            "guild_id": GUILD,
            "parent_id": thread["parent"],
            "owner_id": BOT,
            "name": thread["name"],
            "type": 11,
            "message_count": 0,
            "member_count": 1,
            "thread_metadata": {**state, "archive_timestamp": NOW},
        }

    def _need(self, permission: str, channel: str) -> None:
        if not channel.startswith("7") and not getattr(self.permissions, permission):
            raise No(403, 50013)

    def _message_json(self, message: Message) -> Json:
        files = [
            {"id": self.snowflake(), "filename": name, "size": len(content), "url": "x", "proxy_url": "x"}
            for name, content in message.files
        ]
        content, flags = ("", COMPONENTS_V2) if message.is_v2 else (message.content, 0)
        return message_json(message.id, message.channel, content, _user(BOT, bot=True)) | {
            "flags": flags,
            "components": message.components,
            "attachments": files,
            "nonce": message.nonce or None,
        }


def _user(name: str, *, bot: bool = False) -> Json:
    who = {"id": name, "username": f"user{name}", "discriminator": "0", "avatar": None}
    return {**who, "bot": bot, "global_name": None}


def _application() -> Json:
    return {
        "id": APPLICATION,
        "name": "Scholium",
        "description": "",
        "icon": None,
        "bot_public": True,
        "bot_require_code_grant": False,
        "owner": _user("1"),
        "verify_key": "00",
        "flags": 0,
        "summary": "",
        "team": None,
        "interactions_endpoint_url": None,
    }


def message_json(name: str, channel: str, content: str, author: Json) -> Json:
    return {
        "id": name,
        "channel_id": channel,
        "content": content,
        "author": author,
        "timestamp": NOW,
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "components": [],
        "pinned": False,
        "type": 0,
        "flags": 0,
    }


async def _body(request: web.Request) -> tuple[Any, list[tuple[str, bytes]]]:
    files: list[tuple[str, bytes]] = []
    if request.content_type.startswith("multipart/"):
        body: Any = {}
        async for part in await request.multipart():
            content = bytes(await part.read())  # type: ignore[union-attr]
            if part.name == "payload_json":  # type: ignore[union-attr]
                body = json.loads(content)
            else:
                files.append((str(part.filename), content))  # type: ignore[union-attr]
        return body, files
    text = await request.text()
    return (json.loads(text) if text else {}), files


def _json(value: Any, status: int, headers: dict[str, str]) -> web.Response:
    # With a charset beside it, discord.py would take it for text.
    if value is None:
        return web.Response(status=status, headers=headers)
    kind = {"Content-Type": "application/json"}
    return web.Response(body=json.dumps(value).encode(), status=status, headers={**headers, **kind})
