"""The command ``worker`` as a process of its own, beside one that only talks, against the platforms' stand-ins."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.retrieval.libraries.local import LocalLibrary
from tests.platforms import on_discord, on_slack
from tests.stand_ins.discord_guild import Discord
from tests.stand_ins.discord_server import BOT
from tests.stand_ins.slack_workspace import Slack

AT_THE_STAND_IN = """
import sys
from discord import http
http.Route.BASE = sys.argv.pop(1)
from bot.__main__ import main
main()
"""
"""The command ``scholium`` with another address of Discord, which has no setting for it."""


@asynccontextmanager
async def working(folder: Path, *command: str) -> AsyncIterator[None]:
    """A worker, while the block runs; at its end it is asked to end, and does so without a failure."""
    log = folder / "worker.log"
    with log.open("wb") as to:
        worker = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=folder, stdout=to, stderr=to)
    try:
        yield
        assert worker.returncode is None, log.read_text()
        worker.terminate()
        assert await worker.wait() == 0, log.read_text()
    finally:
        if worker.returncode is None:
            worker.kill()
            await worker.wait()
    assert "Traceback" not in log.read_text()


@pytest.mark.slow
async def test_a_worker_does_what_people_ask_in_slack_of_a_process_that_only_talks(
    library: LocalLibrary, slack: Slack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_JOBS", "2")
    async with working(tmp_path, "-m", "bot", "worker", "slack"):
        monkeypatch.setenv("SCHOLIUM_JOBS", "0")
        async with on_slack(slack) as talking:
            thread = await slack.say("<@UBOT> survey dense retrieval sections=3")
            await slack.press(await slack.message("(your topic)", thread), "Search with these")
            await slack.press(await slack.message("Make an outline", thread), "Make an outline")
            await slack.press(await slack.message("Write it", thread), "Write it")
            done = await slack.message("Change a section", thread)
            assert talking.jobs.running == {}
        assert "Dense Retrieval: A Survey" in done.text
        assert len(slack.sockets) <= 2  # the worker listens to nobody


@pytest.mark.slow
async def test_a_worker_does_what_people_ask_in_discord_of_a_process_that_only_talks(
    library: LocalLibrary, discord: Discord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_JOBS", "2")
    async with working(tmp_path, "-c", AT_THE_STAND_IN, f"{discord.url}/api", "worker", "discord"):
        monkeypatch.setenv("SCHOLIUM_JOBS", "0")
        async with on_discord(discord) as talking:
            await discord.say(f"<@{BOT}> survey dense retrieval sections=3")
            await discord.press(await discord.find_offer("Search with these"), "Search with these")
            await discord.press(await discord.find_offer("Make an outline"), "Make an outline")
            await discord.press(await discord.find_offer("Write it"), "Write it")
            done = await discord.find_offer("Change a section")
            assert talking.jobs.running == {}
        assert "Dense Retrieval: A Survey" in done.content
        assert discord.identified == 1  # the worker listens to nobody
    assert (discord.refused, discord.unsafe) == ([], [])
