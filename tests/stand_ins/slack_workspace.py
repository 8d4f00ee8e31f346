"""A stand-in Slack workspace: people who write, press and fill in, and the delivery of what they do.

What is not acknowledged within three seconds is sent again, as Slack does it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

from aiohttp import ClientSession, web

from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.slack_agents import Message
from tests.stand_ins.slack_rules import Json
from tests.stand_ins.slack_server import SlackApi

SECRET = "shhh"


class Slack(SlackApi):
    """A workspace, or several."""

    # Delivery.

    async def deliver(self, kind: str, payload: Json, *, times: int = 1) -> Json:
        """Deliver as Slack does: again, up to three times more, where it is not acknowledged; then so often more."""
        answer: Json | None = None
        for attempt in range(4):
            answer = await self._deliver(kind, payload, attempt)
            if answer is not None:
                break
            self.late.append(f"{kind} {attempt}")
            if kind != "events_api":
                raise AssertionError(f"Slack says that this failed: {kind}")
        assert answer is not None, "not acknowledged in four attempts"
        for _ in range(times - 1):
            await self._deliver(kind, payload, 1)
        return answer

    async def _deliver(self, kind: str, payload: Json, attempt: int) -> Json | None:
        try:
            async with asyncio.timeout(self.acknowledge_s):
                if self.target:
                    return await self._insert_message(kind, payload, attempt)
                return await self._through_socket(kind, payload, attempt)
        except TimeoutError:
            return None

    async def _insert_message(self, kind: str, payload: Json, attempt: int) -> Json | None:
        if kind == "events_api":
            body, content = json.dumps(payload), "application/json"
        elif kind == "slash_commands":
            body, content = urlencode(payload), "application/x-www-form-urlencoded"
        else:
            body, content = urlencode({"payload": json.dumps(payload)}), "application/x-www-form-urlencoded"
        headers = {"Content-Type": content, **sign_request(body)}
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": "http_timeout"}
        async with ClientSession() as session, session.post(self.target, data=body, headers=headers) as response:
            text = await response.text()
            if response.status != 200:
                return None
            return dict(json.loads(text)) if text.startswith("{") else {}

    async def _through_socket(self, kind: str, payload: Json, attempt: int) -> Json:
        """Deliver through one of the sockets; through another where that one ends before the acknowledgement."""
        retry = {"retry_attempt": attempt, "retry_reason": "timeout"} if attempt else {}
        while True:
            async with self.changed:
                await self.changed.wait_for(lambda: self.sockets)
            number = next(self._numbers)
            envelope = f"env{number}"
            socket = self.sockets[number % len(self.sockets)]  # each event goes to one of them
            acknowledged: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
            self._waiting[envelope] = socket, acknowledged
            try:
                await socket.send_json({"type": kind, "envelope_id": envelope, "payload": payload, **retry})
                return await acknowledged
            except ConnectionResetError:
                self.forget_socket(socket)
            finally:
                self._waiting.pop(envelope, None)

    # People.

    async def say(self, text: str, channel: str = "C1", thread: str = "", **more: Any) -> str:
        """A person writes; a mention in a channel comes twice, as Slack sends it. Returns the time stamp."""
        team, user, times = more.pop("team", "T1"), more.pop("user", "U1"), more.pop("times", 1)
        event: Json = {"type": "message", "channel": channel, "user": user, "text": text, "ts": self.stamp()}
        event |= {"thread_ts": thread} if thread else {}
        event |= {"channel_type": "im" if channel.startswith("D") else "channel", **more}
        self._said.add(event["ts"])
        if "<@UBOT>" in text and not channel.startswith("D"):
            await self.deliver("events_api", _event(team, {**event, "type": "app_mention"}), times=times)
        await self.deliver("events_api", _event(team, event), times=times)
        return str(event["ts"])

    async def event(self, event: Json, team: str = "T1") -> None:
        await self.deliver("events_api", _event(team, event))

    async def command(self, text: str, channel: str = "C1", user: str = "U1", team: str = "T1") -> Json:
        body = {"command": "/survey", "text": text, "channel_id": channel, "user_id": user, "team_id": team}
        body |= {"trigger_id": self.trigger(), "response_url": f"{self.url}/response"}
        return await self.deliver("slash_commands", body)

    async def press(self, message: Message, label: str, user: str = "U1", times: int = 1) -> None:
        button = message.buttons[label]
        container = {"message_ts": message.ts, "channel_id": message.channel, "is_ephemeral": bool(message.only_for)}
        body = _interaction("block_actions", message.team, user, self.trigger())
        body |= {"channel": {"id": message.channel}, "container": container}
        if not message.only_for:  # what one person alone sees comes back without its message and its thread
            body |= {"message": {"ts": message.ts, **({"thread_ts": message.thread} if message.thread else {})}}
        actions = [b for b in message.body["blocks"] if b["type"] == "actions"]
        block = next(b.get("block_id", "b") for b in actions if button in b["elements"])
        body |= {"actions": [{**button, "action_ts": self.stamp(), "block_id": block}]}
        await self.deliver("interactive", body, times=times)

    async def rate(self, message: Message, name: str, user: str = "U1") -> None:
        """Press one of the buttons under an answer: ``positive_button`` or ``negative_button``."""
        (block,) = (b for b in message.body["blocks"] if b["type"] == "context_actions")
        (element,) = block["elements"]
        body = _interaction("block_actions", message.team, user, self.trigger())
        body |= {"channel": {"id": message.channel}, "container": {"message_ts": message.ts}}
        body |= {"message": {"ts": message.ts, **({"thread_ts": message.thread} if message.thread else {})}}
        pressed = {"type": "feedback_buttons", "action_id": element["action_id"], "value": element[name]["value"]}
        body |= {"actions": [{**pressed, "block_id": "b", "action_ts": self.stamp()}]}
        await self.deliver("interactive", body)

    async def press_at_home(self, label: str, number: int = 0, user: str = "U1") -> None:
        actions = [b for b in self.homes[user]["blocks"] if b["type"] == "actions"]
        found = [(b, e) for b in actions for e in b["elements"] if e["text"]["text"] == label]
        block, button = found[number]
        body = _interaction("block_actions", "T1", user, self.trigger())
        body |= {"container": {"type": "view"}}
        body |= {"actions": [{**button, "action_ts": self.stamp(), "block_id": block["block_id"]}]}
        await self.deliver("interactive", body)

    async def shortcut(self, text: str, channel: str, ts: str, user: str = "U1") -> None:
        body = _interaction("message_action", "T1", user, self.trigger())
        body |= {"callback_id": "survey_this", "channel": {"id": channel}, "message": {"text": text, "ts": ts}}
        await self.deliver("interactive", body)

    async def submit(self, view: Json, user: str = "U1", **values: str) -> Json:
        """Hand in a form with its own values, but for those given."""
        filled = {
            block["block_id"]: {"value": _value(block["element"], values.get(block["block_id"]))}
            for block in view["blocks"]
        }
        body = _interaction("view_submission", "T1", user, self.trigger())
        body |= {"view": {**view, "state": {"values": filled}}}
        return await self.deliver("interactive", body)

    def in_thread(self, thread: str) -> list[Message]:
        return [m for m in self.messages if m.thread == thread]

    async def message(self, part: str, thread: str | None = None, within_s: float = PATIENCE_S) -> Message:
        """The last message that holds the words, once there is one."""

        def found() -> Message | None:
            of = self.messages if thread is None else self.in_thread(thread)
            return next((m for m in reversed(of) if part in m.text), None)

        return await self.until(found, within_s)  # type: ignore[no-any-return]


def sign_request(body: str, secret: str = SECRET, stamp: str = "") -> dict[str, str]:
    stamp = stamp or str(int(time.time()))
    digest = hmac.new(secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


def _event(team: str, event: Json) -> Json:
    name = hashlib.sha256(json.dumps(event, sort_keys=True).encode()).hexdigest()[:10]
    whose = [{"team_id": team, "user_id": "UBOT", "is_bot": True, "enterprise_id": None}]
    return {
        "type": "event_callback",
        "team_id": team,
        "api_app_id": "A1",
        "event_id": f"Ev{name}",
        "event": {"event_ts": event.get("ts", "1.1"), **event},
        "authorizations": whose,
    }


def _interaction(kind: str, team: str, user: str, trigger: str) -> Json:
    who = {"id": user, "team_id": team}
    return {"type": kind, "team": {"id": team}, "user": who, "trigger_id": trigger, "api_app_id": "A1"}


def _value(element: Json, given: str | None) -> Json:
    if element["type"] == "static_select":
        chosen = [o for o in element["options"] if o["value"] == given]
        return {"type": "static_select", "selected_option": chosen[0] if chosen else element.get("initial_option")}
    return {"type": "plain_text_input", "value": element.get("initial_value") if given is None else given or None}


@asynccontextmanager
async def serve_slack(slack: Slack) -> AsyncIterator[Slack]:
    """The stand-in on a free port while the block runs."""
    application = web.Application()
    application.router.add_route("*", "/api/{method}", slack.api)
    application.router.add_get("/socket", slack.socket)
    application.router.add_post("/upload/{name}", slack.upload)
    application.router.add_get("/files/{name}", slack.download)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield slack
    finally:
        await slack.drop_sockets()
        await runner.cleanup()
