"""The Web API and the sockets of a stand-in Slack, written from its documentation; its rules are in `slack_rules`."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.stand_ins.slack_agents import Message, SlackAgents
from tests.stand_ins.slack_rules import Json, No, check_message, check_view, need, pings

TIERS = {
    "canvases.create": 20,
    "canvases.edit": 50,
    "chat.update": 50,
    "views.publish": 100,
    "views.open": 100,
    "agents.sessions.setStatus": 50,
    "agents.sessions.rename": 50,
}
"""Calls a minute; chat.postMessage has one a second for each channel, and a short burst."""

BURST = 4
SCOPES = {
    "files.getUploadURLExternal": "files:write",
    "files.completeUploadExternal": "files:write",
    "canvases.create": "canvases:write",
    "canvases.edit": "canvases:write",
    "agents.sessions.setStatus": "assistant:write",
    "assistant.threads.setSuggestedPrompts": "assistant:write",
}
CANVAS_CHARACTERS = 2**20
APP_TOKEN = "xapp-1"


@dataclass
class Canvas:
    """A canvas in a channel's tab as it stands now."""

    channel: str
    title: str
    text: str
    edits: int = 0


@dataclass
class SlackApi(SlackAgents):
    """``minute_s`` is how long a minute of its rate limits takes.

    ``acknowledge_s`` is how long it waits for an acknowledgement, and how long a trigger opens a form.
    """

    minute_s: float = 60.0
    acknowledge_s: float = 3.0
    has_agents: bool = True
    has_canvases: bool = True
    is_free: bool = False
    url: str = ""
    messages: list[Message] = field(default_factory=list)
    views: dict[str, Json] = field(default_factory=dict)
    homes: dict[str, Json] = field(default_factory=dict)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    canvases: dict[str, Canvas] = field(default_factory=dict)
    shared: list[tuple[str, str, str]] = field(default_factory=list)
    statuses: list[tuple[str, str]] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    prompts: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    calls: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    refused: list[tuple[str, str]] = field(default_factory=list)
    pinged: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    members: set[str] = field(default_factory=lambda: {"C1", "C2"})
    teams: dict[str, str] = field(default_factory=lambda: {"xoxb-T1": "T1"})
    revoked: set[str] = field(default_factory=set)
    archived: set[str] = field(default_factory=set)
    missing_scopes: set[str] = field(default_factory=set)
    next_errors: deque[str] = field(default_factory=deque)
    target: str = ""
    """Where signed requests are posted; empty: through sockets."""

    def __post_init__(self) -> None:
        self.sockets: list[web.WebSocketResponse] = []
        self.changed = asyncio.Condition()
        self._numbers = itertools.count(1)
        self._triggers: dict[str, float] = {}
        self._waiting: dict[str, tuple[web.WebSocketResponse, asyncio.Future[Json]]] = {}
        self._recent: defaultdict[str, deque[float]] = defaultdict(deque)
        self._uploads: dict[str, str] = {}
        self._said: set[str] = set()
        self._codes: dict[str, str] = {"code-T2": "T2"}

    def stamp(self) -> str:
        return f"1700000000.{next(self._numbers):06d}"

    def trigger(self) -> str:
        name = f"trigger{next(self._numbers)}"
        self._triggers[name] = time.monotonic()
        return name

    # The Web API.

    async def api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        body = await _body(request)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.calls[method] += 1
        try:
            if method not in {"oauth.v2.access", "apps.connections.open"}:
                need(token in self.teams and token not in self.revoked, "invalid_auth")
            need(SCOPES.get(method, "") not in self.missing_scopes, "missing_scope")
            if self.next_errors and method in {"chat.postMessage", "chat.update"}:
                raise No(self.next_errors.popleft())
            wait = self._limit_rate(method, self.teams.get(token, ""), body)
            if wait:
                raise No("ratelimited")
            answer = await getattr(self, f"_{method.replace('.', '_')}")(self.teams.get(token, ""), body, token)
        except No as no:
            self.refused.append((method, str(no)))
            async with self.changed:
                self.changed.notify_all()
            headers = {"Retry-After": "1"} if str(no) == "ratelimited" else {}
            status = 429 if str(no) == "ratelimited" else 200
            needed = {"needed": SCOPES[method]} if str(no) == "missing_scope" else {}
            return web.json_response({"ok": False, "error": str(no), **needed}, status=status, headers=headers)
        async with self.changed:
            self.changed.notify_all()
        return web.json_response({"ok": True, **answer})

    def _limit_rate(self, method: str, team: str, body: Json) -> bool:
        now = time.monotonic()
        if method == "chat.postMessage":
            name, most, window = f"{team}:{body['channel']}", BURST, BURST * self.minute_s / 60
        elif method in TIERS:
            name, most, window = f"{team}:{method}", TIERS[method], self.minute_s
        else:
            return False
        recent = self._recent[name]
        while recent and recent[0] <= now - window:
            recent.popleft()
        if len(recent) >= most:
            return True
        recent.append(now)
        return False

    async def _auth_test(self, team: str, _: Json, __: str) -> Json:
        return {"team_id": team, "user_id": "UBOT", "bot_id": "BBOT", "url": self.url, "team": team, "user": "scholium"}

    async def _chat_postMessage(self, team: str, body: Json, _: str) -> Json:
        self._reachable(body["channel"], body.get("thread_ts") or "")
        check_message(body)
        need(body.get("unfurl_links") is False, "unfurls")
        self.pinged += pings(body)
        made = Message(team, body["channel"], self.stamp(), body)
        self.messages.append(made)
        return {"ts": made.ts, "channel": made.channel, "message": {"text": body.get("text", "")}}

    def _reachable(self, channel: str, thread: str) -> None:
        need(channel in self.members or channel.startswith("D"), "not_in_channel")
        need(channel not in self.archived, "is_archived")
        need(not thread or self._thread_exists(thread), "thread_not_found")

    def _thread_exists(self, thread: str) -> bool:
        return any(m.ts == thread for m in self.messages) or thread in self._said

    async def _chat_update(self, team: str, body: Json, _: str) -> Json:
        found = self._find(team, body)
        check_message(body)
        self.pinged += pings(body)
        # A text alone leaves the blocks where they are.
        found.body = {**found.body, **{k: v for k, v in body.items() if k in {"text", "blocks"}}}
        found.edits += 1
        return {"ts": body["ts"], "channel": body["channel"]}

    async def _chat_delete(self, team: str, body: Json, _: str) -> Json:
        found = self._find(team, body)
        self.messages.remove(found)
        return {"ts": body["ts"], "channel": body["channel"]}

    async def _chat_postEphemeral(self, team: str, body: Json, _: str) -> Json:
        need(body["channel"] in self.members or body["channel"].startswith("D"), "channel_not_found")
        self._reachable(body["channel"], body.get("thread_ts") or "")
        check_message(body)
        self.messages.append(Message(team, body["channel"], self.stamp(), body, only_for=body["user"]))
        return {"message_ts": self.messages[-1].ts}

    async def _chat_getPermalink(self, _: str, body: Json, __: str) -> Json:
        return {"permalink": f"https://lab.slack.com/archives/{body['channel']}/p{body['message_ts']}"}

    async def _conversations_open(self, _: str, body: Json, __: str) -> Json:
        return {"channel": {"id": f"D{body['users']}"}}

    async def _views_open(self, _: str, body: Json, __: str) -> Json:
        made = self._triggers.pop(body["trigger_id"], None)
        need(made is not None, "invalid_trigger_id")
        need(time.monotonic() - (made or 0) <= self.acknowledge_s, "expired_trigger_id")
        check_view(body["view"])
        name = f"V{next(self._numbers)}"
        self.views[name] = {**body["view"], "id": name}
        return {"view": self.views[name]}

    async def _views_publish(self, _: str, body: Json, __: str) -> Json:
        check_view(body["view"])
        self.homes[body["user_id"]] = body["view"]
        return {}

    async def _canvases_create(self, _: str, body: Json, __: str) -> Json:
        need(self.has_canvases, "canvas_disabled_user_team")
        channel = str(body.get("channel_id") or "")
        need(not self.is_free or bool(channel), "free_teams_cannot_create_non_tabbed_canvases")
        tabbed = any(canvas.channel == channel for canvas in self.canvases.values())
        need(not (self.is_free and tabbed), "free_team_canvas_tab_already_exists")
        self._reachable(channel, "")
        name = f"F{next(self._numbers)}"
        self.canvases[name] = Canvas(channel, body["title"], check_canvas(body["document_content"]))
        return {"canvas_id": name}

    async def _canvases_edit(self, _: str, body: Json, __: str) -> Json:
        canvas = self.canvases.get(body["canvas_id"])
        need(canvas is not None, "canvas_not_found")
        (change,) = body["changes"]  # Slack takes one a call
        need(change["operation"] == "replace", "invalid_arguments")
        canvas.text = check_canvas(change["document_content"])
        canvas.edits += 1
        return {}

    async def _files_info(self, _: str, body: Json, __: str) -> Json:
        need(body["file"] in self.canvases, "file_not_found")
        return {"file": {"id": body["file"], "permalink": f"https://lab.slack.com/docs/T1/{body['file']}"}}

    async def _files_getUploadURLExternal(self, _: str, body: Json, __: str) -> Json:
        need(int(body["length"]) > 0, "invalid_arguments")
        name = f"F{next(self._numbers)}"
        self._uploads[name] = body["filename"]
        return {"upload_url": f"{self.url}/upload/{name}", "file_id": name}

    async def _files_completeUploadExternal(self, _: str, body: Json, __: str) -> Json:
        files = json.loads(body["files"]) if isinstance(body["files"], str) else body["files"]
        need(all(f["id"] in self.files for f in files), "file_not_found")
        channel, thread = str(body.get("channel_id") or body.get("channels")), str(body.get("thread_ts") or "")
        self._reachable(channel, thread)
        self.shared += [(channel, thread, f["id"]) for f in files]
        shown = {"text": body.get("initial_comment") or "", **({"thread_ts": thread} if thread else {})}
        self.messages.append(Message(_, channel, self.stamp(), shown, files=[self.files[f["id"]][0] for f in files]))
        return {"files": [{"id": f["id"], "title": f.get("title", "")} for f in files]}

    async def _apps_connections_open(self, _: str, __: Json, token: str) -> Json:
        need(token == APP_TOKEN, "invalid_auth")
        need(len(self.sockets) < 10, "too_many_websockets")
        return {"url": f"{self.url.replace('http', 'ws')}/socket"}

    async def _oauth_v2_access(self, _: str, body: Json, __: str) -> Json:
        team = self._codes.pop(body["code"], None)
        need(team is not None, "invalid_code")
        self.teams[f"xoxb-{team}"] = str(team)
        who = {"id": "UADMIN"}
        bot = {"access_token": f"xoxb-{team}", "bot_user_id": "UBOT", "scope": "chat:write", "token_type": "bot"}
        return {"app_id": "A1", "team": {"id": team, "name": team}, "authed_user": who, "enterprise": None, **bot}

    async def upload(self, request: web.Request) -> web.Response:
        content = b""
        if request.content_type.startswith("multipart/"):
            async for part in await request.multipart():
                content = bytes(await part.read())  # type: ignore[union-attr]
        else:
            content = await request.read()
        name = request.match_info["name"]
        self.files[name] = (self._uploads[name], content)
        return web.Response(text="OK")

    async def download(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.teams:
            return web.Response(status=302, headers={"Location": "/login"})
        return web.Response(body=self.files[request.match_info["name"]][1])

    # Sockets.

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        made = web.WebSocketResponse(autoping=True)
        await made.prepare(request)
        await made.send_json({"type": "hello", "num_connections": len(self.sockets) + 1})
        self.sockets.append(made)
        async with self.changed:
            self.changed.notify_all()
        async for frame in made:
            if frame.type is WSMsgType.TEXT:
                answer = json.loads(frame.data)
                _, waiting = self._waiting.get(answer.get("envelope_id", ""), (made, None))
                if waiting and not waiting.done():
                    waiting.set_result(answer.get("payload") or {})
        self.forget_socket(made)
        return made

    def forget_socket(self, socket: web.WebSocketResponse) -> None:
        """A socket has ended: what it has not acknowledged has to be sent again."""
        if socket in self.sockets:
            self.sockets.remove(socket)
        for through, waiting in self._waiting.values():
            if through is socket and not waiting.done():
                waiting.set_exception(ConnectionResetError("the socket ended"))

    async def drop_sockets(self) -> None:
        """End every socket without a word."""
        for socket in list(self.sockets):
            if socket._req and socket._req.transport:
                socket._req.transport.abort()
            self.forget_socket(socket)


def check_canvas(content: Json) -> str:
    """The text of a canvas: Markdown within Slack's limit, with headings of three levels."""
    text = str(content["markdown"])
    need(content["type"] == "markdown" and len(text) <= CANVAS_CHARACTERS, "invalid_arguments")
    need(not any(line.startswith("####") for line in text.split("\n")), "canvas_creation_failed")
    return text


async def _body(request: web.Request) -> Json:
    if request.content_type == "application/json":
        return dict(await request.json())
    return {**request.query, **dict(await request.post())}
