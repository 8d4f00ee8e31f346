"""Surveys in Slack: the whole service and the real Bolt against the stand-in, over the real wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.slack import SlackAdapter
from adapters.slack_sending import Pace
from bot.app import App
from bot.labels import WORDS
from bot.platforms import slack_access
from bot.service import Service, serving, stored
from bot.settings import load_settings
from engine.retrieval.local import LocalLibrary
from tests.slack_server import APP_TOKEN
from tests.slack_workspace import Slack, running

MINUTE_S = 1.5
"""A minute of the stand-in's rate limits, and of the adapter's."""


@pytest.fixture
async def slack(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Slack]:
    async with running(Slack(minute_s=MINUTE_S)) as made:
        monkeypatch.setenv("SLACK_API_URL", f"{made.url}/api/")
        monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-T1")
        monkeypatch.setenv("SLACK_APP_TOKEN", APP_TOKEN)
        yield made


@asynccontextmanager
async def scholium(slack: Slack) -> AsyncIterator[Service]:
    """The command ``slack``, while the block runs."""
    app = App(load_settings())
    pace = Pace(MINUTE_S / 40, MINUTE_S / 40)  # some air: at this pace a late packet would break a rule
    async with stored(app) as store:
        adapter = SlackAdapter(slack_access(app.settings, store), WORDS, pace)
        async with serving(app, adapter, store=store) as service:
            running = asyncio.create_task(service.run())
            await slack.until(lambda: len(slack.sockets) == 2)
            yield service
            running.cancel()
            await asyncio.wait([running])


async def test_the_demonstration_from_slash_command_to_files(library: LocalLibrary, slack: Slack) -> None:
    async with scholium(slack):
        assert await slack.command("dense retrieval") == {}
        starter = await slack.message("A literature survey on")
        assert starter.thread == ""
        thread = starter.ts
        keywords = await slack.message("(your topic)", thread)
        await slack.say("add query encoder", thread=thread)
        keywords = await slack.message("(added by you)", thread)
        await slack.press(keywords, "Search with these")
        papers = await slack.message("found by", thread)
        await slack.press(papers, "Edit")
        await slack.submit(next(iter(slack.views.values())), excluded="1 2")
        papers = await slack.message("excluded", thread)
        await slack.press(papers, "Make an outline")
        await slack.message("writes it", thread)
        await slack.say("rename 2 to Learning to Retrieve", thread=thread)
        outline = await slack.message("2 Learning to Retrieve (", thread)
        await slack.press(outline, "Write it")
        done = await slack.message("is written", thread)
        section = await slack.message("✓ 2 Learning to Retrieve", thread)
        assert section.ts < done.ts
        whole = await slack.message("2.1", thread)
        assert "Author" in whole.text
        await slack.say("which systems outperform earlier dense retrieval systems?", thread=thread)
        await slack.message("in their own words", thread)
        await slack.press(done, "Export")
        await slack.until(lambda: len(slack.shared) == 6)
        assert {slack.files[name][0].split(".")[-1] for _, _, name in slack.shared} >= {"md", "pdf", "bib"}
        assert {(channel, at) for channel, at, _ in slack.shared} == {("C1", thread)}
        status = [m for m in slack.in_thread(thread) if m.edits]
        assert [m.text.splitlines()[0] for m in status][:2] == ["✓ Keywords found", "✓ Papers gathered"]
        assert not any("Stop" in m.buttons for m in slack.messages)
        assert slack.refused == []
        assert slack.pinged == []
        assert slack.late == []
        assert ("processing" in dict(slack.statuses).values()) is False  # the last word is that it waits
