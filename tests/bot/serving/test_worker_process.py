"""The command ``worker`` as a process of its own, beside one that only talks, against the stand-in of Slack."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from bot.bench.platforms.slack_workspace import Slack
from engine.retrieval.libraries.local import LocalLibrary
from tests.platforms import on_slack


@pytest.mark.slow
async def test_a_worker_does_what_people_ask_of_a_process_that_only_talks(
    library: LocalLibrary, slack: Slack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_JOBS", "2")
    with (tmp_path / "worker.log").open("wb") as log:
        worker = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "worker", "slack", cwd=tmp_path, stdout=log, stderr=log
        )
    try:
        monkeypatch.setenv("SCHOLIUM_JOBS", "0")
        async with on_slack(slack) as talking:
            thread = await slack.say("<@UBOT> survey dense retrieval sections=3")
            await slack.press(await slack.message("(your topic)", thread), "Search with these")
            await slack.press(await slack.message("Make an outline", thread), "Make an outline")
            await slack.press(await slack.message("Write it", thread), "Write it")
            done = await slack.message("Change a section", thread)
            assert talking.jobs.running() == []
            assert worker.returncode is None, (tmp_path / "worker.log").read_text()
        assert "Dense Retrieval: A Survey" in done.text
        assert len(slack.sockets) <= 2  # the worker listens to nobody
        worker.terminate()
        assert await worker.wait() == 0, (tmp_path / "worker.log").read_text()
    finally:
        if worker.returncode is None:
            worker.kill()
            await worker.wait()
    assert "Traceback" not in (tmp_path / "worker.log").read_text()
