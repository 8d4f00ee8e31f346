"""Slack over HTTP, two processes behind a load balancer, Postgres and Weaviate: one is killed in mid-survey."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import psycopg
import pytest
from aiohttp import web

from bot.app import open_app
from tests.fakes import papers
from tests.servers import WeaviateAt, free_ports
from tests.stand_ins import slack_workspace
from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.simulation import SimulatedService, run_simulated_service
from tests.stand_ins.slack_agents import Message
from tests.stand_ins.slack_workspace import SECRET, Slack

MINUTE_S = 6.0
"""A minute of the stand-in's rate limits: the processes keep to Slack's own, which are slower."""


@dataclass
class Balancer:
    """Gives each request to the next process, and to the one after where that is gone."""

    ports: Sequence[int]
    turns: itertools.count[int] = field(default_factory=itertools.count)
    taken: Counter[int] = field(default_factory=Counter)

    async def forward(self, request: web.Request) -> web.Response:
        body, first = await request.read(), next(self.turns)
        headers = {name: value for name, value in request.headers.items() if name not in {"Host", "Content-Length"}}
        async with aiohttp.ClientSession() as session:
            for number in range(len(self.ports)):
                port = self.ports[(first + number) % len(self.ports)]
                try:
                    async with session.post(
                        f"http://127.0.0.1:{port}{request.path}", data=body, headers=headers
                    ) as got:
                        self.taken[port] += 1
                        return web.Response(body=await got.read(), status=got.status, content_type=got.content_type)
                except aiohttp.ClientError:
                    continue
        return web.Response(status=502)


@asynccontextmanager
async def balanced(ports: Sequence[int]) -> AsyncIterator[tuple[str, Balancer]]:
    balancer, application = Balancer(ports), web.Application()
    application.router.add_post("/slack/events", balancer.forward)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events", balancer
    finally:
        await runner.cleanup()


@asynccontextmanager
async def serving(ports: Sequence[int], folder: Path) -> AsyncIterator[None]:
    """The command ``slack`` on each port, each with a home of its own, while the block runs."""
    processes = []
    for port in ports:
        own = (f"SCHOLIUM_HOME={folder / str(port)}", f"SCHOLIUM_HTTP_PORT={port}")
        with (folder / f"{port}.log").open("wb") as log:
            command = ("env", *own, sys.executable, "-m", "bot", "slack")
            processes.append(await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=log, stderr=log))
    try:
        async with asyncio.timeout(PATIENCE_S), aiohttp.ClientSession() as session:
            for port, process in zip(ports, processes, strict=True):
                while not await is_up(session, port):
                    assert process.returncode is None, (folder / f"{port}.log").read_text()
                    await asyncio.sleep(0.1)
        yield
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def is_up(session: aiohttp.ClientSession, port: int) -> bool:
    try:
        async with session.get(f"http://127.0.0.1:{port}/healthz") as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


def find_working_process(database: str) -> int | None:
    """The process that runs the survey's job."""
    query = (
        "SELECT p.pid FROM dbos.workflow_status w JOIN processes p ON p.id = w.executor_id WHERE w.status = 'PENDING'"
    )
    with psycopg.connect(database) as connection:
        row = connection.execute(query).fetchone()
    return int(row[0]) if row else None


def count(database: str, table: str, where: str) -> int:
    with psycopg.connect(database) as connection:
        row = connection.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()  # type: ignore[call-overload]
    assert row is not None
    return int(row[0])


async def find_card(slack: Slack, words: str) -> tuple[Message, str]:
    """The card that holds the words, and its button that says yes."""

    def found() -> tuple[Message, str] | None:
        for message in slack.messages:
            for label, button in message.buttons.items():
                if words in message.text and str(button.get("value", "")).startswith("ok:"):
                    return message, label
        return None

    card: tuple[Message, str] = await slack.until(found)
    return card


async def approve(slack: Slack, words: str) -> None:
    """Say yes to the card that holds the words."""
    await slack.press(*(await find_card(slack, words)))


class Alarm:
    """Rings when the model is asked for the call of a number; at first it is set to none."""

    def __init__(self) -> None:
        self.number, self.rings = sys.maxsize, asyncio.Event()

    def heard(self, number: int) -> None:
        if number >= self.number:
            self.rings.set()


@pytest.mark.slow
async def test_a_process_is_killed_in_mid_survey_and_nothing_is_lost_or_doubled(
    tmp_path: Path, postgres_url: str, weaviate_at: WeaviateAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEAVIATE_URL", weaviate_at.url)
    monkeypatch.setenv("WEAVIATE_GRPC_PORT", str(weaviate_at.grpc_port))
    async with open_app() as app:
        library = await app.libraries.new_library("main", "weaviate")
        await library.add([*papers(12), *papers(10, "graph", 101)])
    ports, alarm = free_ports(2), Alarm()
    async with (
        run_simulated_service(SimulatedService(pace=0.1, fault=alarm.heard)) as model,
        slack_workspace.serve_slack(Slack(minute_s=MINUTE_S, acknowledge_s=PATIENCE_S)) as slack,
        balanced(ports) as (slack.target, balancer),
    ):
        monkeypatch.setenv("SCHOLIUM_DATABASE_URL", postgres_url)
        monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        monkeypatch.setenv("SLACK_API_URL", f"{slack.url}/api/")
        monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-T1")
        monkeypatch.setenv("SLACK_SIGNING_SECRET", SECRET)
        async with serving(ports, tmp_path):
            thread = await slack.say("<@UBOT> survey dense retrieval sections=3 words=80")
            await approve(slack, "Keywords")
            await approve(slack, "papers from")
            outline = await find_card(slack, "A Survey of")
            alarm.number = len(model.calls) + 3
            await slack.press(*outline)
            async with asyncio.timeout(PATIENCE_S):
                await alarm.rings.wait()
            working = find_working_process(postgres_url)
            assert working is not None
            os.kill(working, signal.SIGKILL)
            await slack.say("status", thread=thread)
            await slack.message("3 sections · ", thread)
            await slack.say("<@UBOT> why 2", thread=thread)
            await slack.message("2.1", thread)
            await slack.until(lambda: count(postgres_url, "outbox", "sent_at IS NULL") == 0)
    assert min(balancer.taken[port] for port in ports) > 0
    assert count(postgres_url, "spending", "state = 'paid'") <= count(postgres_url, "calls", "true")
    shown = Counter(m.text for m in slack.messages if not m.only_for)
    assert [text for text, times in shown.items() if times > 1] == []
    assert len(slack.canvases) == 1 and not any(m.files for m in slack.messages)
    assert count(postgres_url, "events", "handled_at IS NULL") == 0
    assert count(postgres_url, "sessions", "job_id IS NOT NULL") == 0
    assert slack.refused == []
