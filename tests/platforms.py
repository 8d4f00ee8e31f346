"""The whole service on a platform: the real adapter over the real wire, the platform a stand-in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapters.slack.slack_adapter import SlackAdapter
from bot.app import App
from bot.cli.platforms import make_discord, slack_access
from bot.serving.service import Service, run_service
from bot.settings import load_settings
from bot.store.sessions import open_store
from bot.wording.labels import WORDS
from tests.empty_databases import prepare_databases
from tests.stand_ins.discord_guild import Discord
from tests.stand_ins.slack_workspace import Slack

MINUTE_S = 1.5
"""A minute of the stand-in's rate limits, and of the adapter's."""


@asynccontextmanager
async def on_slack(slack: Slack) -> AsyncIterator[Service]:
    """The command ``slack``, while the block runs."""
    await prepare_databases()
    app = App(load_settings())
    async with open_store(app.settings.store_url()) as store:
        pace_s = MINUTE_S / 40  # some air: at this pace a late packet would break a rule
        adapter = SlackAdapter(slack_access(app.settings, store), WORDS, pace_s, pace_s)
        async with run_service(app, adapter, store=store) as service:
            running = asyncio.create_task(service.run())
            await slack.until(lambda: len(slack.sockets) == 2)
            yield service
            running.cancel()
            await asyncio.wait([running])


@asynccontextmanager
async def on_discord(discord: Discord) -> AsyncIterator[Service]:
    """The command ``discord``, while the block runs."""
    await prepare_databases()
    app = App(load_settings())
    async with open_store(app.settings.store_url()) as store:
        adapter = make_discord(app.settings, edit_s=0.3)
        before = discord.identified
        async with run_service(app, adapter, store=store) as service:
            running = asyncio.create_task(service.run())
            await discord.until(lambda: discord.identified > before)
            yield service
            running.cancel()
            await asyncio.wait([running])
