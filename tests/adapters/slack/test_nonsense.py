"""Signed nonsense: whatever stands in a payload of Slack's shape, the answer is never an internal error."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import urlencode

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.app.async_app import AsyncApp

from adapters.chat import Form, FormField
from adapters.http_server import ConnectionLimits
from adapters.slack.http import serve_slack
from tests.adapters.slack.test_adapter import connected
from tests.fakes import FakeBackend
from tests.stand_ins.slack_workspace import Slack, sign_request

ODD: tuple[object, ...] = (None, True, 7, -1.5, "", "x", "\0", [], [None], {}, {"id": []}, "9" * 5_000)
WHO = {"team": {"id": "T1", "domain": "lab"}, "user": {"id": "U1", "team_id": "T1"}, "api_app_id": "A1"}
EVENT = {"type": "message", "channel": "D1", "user": "U1", "text": "hi", "ts": "1.5", "channel_type": "im"}
FILE = {"name": "a.bib", "url_private_download": "http://127.0.0.1:1/a"}
ACTION = {"type": "button", "action_id": "act_0", "block_id": "b", "value": "ok:s:1", "action_ts": "1.6"}
STATE = {"values": {"topic": {"topic": {"type": "plain_text_input", "value": "graphs"}}}}
VIEW = {"id": "V1", "callback_id": "form", "private_metadata": "{}", "state": STATE, "type": "modal"}
EVENTS = (
    {**EVENT, "files": [FILE]},
    {"type": "app_home_opened", "tab": "home", "user": "U1"},
    {"type": "tokens_revoked", "tokens": {"bot": ["U"]}},
    {"type": "agent_session_stopped", "channel_id": "C1"},
)
COMMAND = {"command": "/survey", "text": "x", "channel_id": "C1", "user_id": "U1", "team_id": "T1", "trigger_id": "t"}
PRESS = {"type": "block_actions", **WHO, "channel": {"id": "C1"}, "message": {"ts": "1"}, "actions": [ACTION]}
SHORTCUT = {"type": "message_action", **WHO, "callback_id": "survey", "trigger_id": "t", "message": {"text": "x"}}
PAYLOADS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("event", {"type": "event_callback", "team_id": "T1", "event_id": "E1", "event": event}) for event in EVENTS),
    ("command", COMMAND),
    *(("action", body) for body in (PRESS, SHORTCUT, {"type": "view_submission", **WHO, "view": VIEW})),
)


def list_places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in the payload something stands."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inner:
        yield (*path, name)
        yield from list_places(part, (*path, name))


def replace_at(payload: dict[str, Any], path: tuple[Any, ...], odd: object) -> dict[str, Any]:
    changed = json.loads(json.dumps(payload))
    at = changed
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = odd
    return dict(changed)


def encode(kind: str, payload: dict[str, Any]) -> tuple[str, str]:
    if kind == "event":
        return json.dumps(payload), "application/json"
    fields = payload if kind == "command" else {"payload": json.dumps(payload)}
    return urlencode(fields), "application/x-www-form-urlencoded"


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
async def test_signed_nonsense_is_no_internal_error(slack: Slack, number: int) -> None:
    kind, payload = PAYLOADS[number]
    form = Form("New survey", "start", "Begin", (FormField("topic", "Topic"),))
    chance = random.Random(number)
    async with connected(slack, FakeBackend(asked=form), http=True), aiohttp.ClientSession() as session:
        for path in list_places(payload):
            for odd in chance.sample(ODD, 4):
                body, content = encode(kind, replace_at(payload, path, odd))
                headers = {"Content-Type": content, **sign_request(body)}
                async with session.post(slack.target, data=body, headers=headers) as response:
                    assert response.status < 500, (path, odd)


async def test_a_fault_of_ours_in_a_page_is_not_called_malformed() -> None:
    class Faulty:
        def web_app(self) -> web.Application:
            async def install(_: web.Request) -> web.Response:
                raise KeyError("ours")

            made = web.Application()
            made.router.add_get("/slack/install", install)
            return made

    async with (
        serve_slack(cast(AsyncApp, Faulty()), "127.0.0.1", 0, ConnectionLimits()) as port,
        aiohttp.ClientSession() as browser,
        browser.get(f"http://127.0.0.1:{port}/slack/install") as answer,
    ):
        assert answer.status == 500
