"""The databases of a new installation, made once: making them costs a second, which each test would pay."""

from __future__ import annotations

import tempfile
from pathlib import Path

from adapters.chat import Conversation
from bot.jobs.queue import DurableJobs
from bot.settings import Settings, load_settings
from bot.store.database import open_database
from bot.store.surveys import WantedJob
from tests.fakes import HERE

_MADE: dict[str, bytes] = {}
"""The content of each file, once it was made."""


async def prepare_databases() -> None:
    """Give the home of the environment its store and its queue of jobs, without a row, where it has none."""
    home = load_settings().home
    home.mkdir(parents=True, exist_ok=True)
    if not _MADE:
        with tempfile.TemporaryDirectory() as folder:
            for name, make in (("store.sqlite", _make_store), ("jobs.sqlite", _make_queue)):
                await make(Path(folder) / name)
                _MADE[name] = (Path(folder) / name).read_bytes()
    for name, content in _MADE.items():
        if not (home / name).exists():
            (home / name).write_bytes(content)


async def _make_store(file: Path) -> None:
    await (await open_database(f"sqlite:///{file}")).close()


async def _make_queue(file: Path) -> None:
    async def nothing(_: Conversation, __: str) -> None:
        """There is no job."""

    async def wanted() -> list[WantedJob]:
        return []

    jobs = DurableJobs(f"sqlite:///{file}", "fake", HERE, (), "template", Settings(), nothing, wanted)
    await jobs.launch()
    await jobs.close()
