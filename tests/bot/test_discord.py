"""Surveys in Discord: the whole service and the real discord.py against the stand-in, over the real wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.discord import DiscordAdapter
from bot.app import App
from bot.labels import WORDS
from bot.platforms import discord_access
from bot.service import Service, serving, stored
from bot.settings import load_settings
from engine.retrieval.local import LocalLibrary
from tests.discord_guild import Discord, running
from tests.discord_server import BOT


@pytest.fixture
async def discord(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Discord]:
    async with running(Discord(), monkeypatch) as made:
        monkeypatch.setenv("DISCORD_TOKEN", "token")
        yield made


@asynccontextmanager
async def scholium(discord: Discord) -> AsyncIterator[Service]:
    """The command ``discord``, while the block runs."""
    app = App(load_settings())
    async with stored(app) as store:
        adapter = DiscordAdapter(discord_access(app.settings), WORDS, edit_s=0.3)
        before = discord.identified
        async with serving(app, adapter, store=store) as service:
            running = asyncio.create_task(service.run())
            await discord.until(lambda: discord.identified > before)
            yield service
            running.cancel()
            await asyncio.wait([running])


async def test_the_demonstration_from_command_to_files(library: LocalLibrary, discord: Discord) -> None:
    async with scholium(discord):
        begun = await discord.command("start", topic="dense retrieval", recipe="cluster")
        thread = (await discord.message("A literature survey on")).id
        await discord.until(lambda: discord.threads.get(thread, {}).get("name") == "dense retrieval")
        await discord.until(lambda: begun.answers == [WORDS.begun])
        keywords = await discord.offered("Search with these")
        form = await discord.press(keywords, "Edit")
        await discord.submit(form, thread, keywords="dense retrieval\nquery encoder")
        await discord.message("(added by you)", thread)
        await discord.press(await discord.offered("Search with these", keywords), "Search with these")
        papers = await discord.offered("Make an outline")
        await discord.say(f"<@{BOT}> exclude 1", channel=thread)
        await discord.message("excluded", thread)
        await discord.press(await discord.offered("Make an outline", papers), "Make an outline")
        outline = await discord.offered("Write it")
        form = await discord.press(outline, "Edit")
        lines = discord.values(form)["outline"].splitlines()
        await discord.submit(form, thread, outline="\n".join([lines[0], "2 Learning to Retrieve", *lines[2:]]))
        await discord.press(await discord.offered("Write it", outline), "Write it")
        await discord.message("✓ 2 Learning to Retrieve", thread)
        await discord.message("is written", thread)
        await discord.say(f"<@{BOT}> which systems outperform earlier dense retrieval systems?", channel=thread)
        await discord.message("in their own words", thread)
        await discord.press(await discord.offered("Export"), "Export")
        await discord.until(lambda: sum(len(m.files) for m in discord.messages) == 6)
    assert {name.split(".")[-1] for m in discord.messages for name, _ in m.files} >= {"md", "pdf", "bib"}
    status = [m.content.split("\n")[1] for m in discord.messages if m.edits]
    assert status[:2] == ["✓ Keywords found", "✓ Papers gathered"]
    assert not any("Stop" in m.buttons for m in discord.messages)
    assert (discord.refused, discord.unsafe, discord.syncs) == ([], [], 1)
