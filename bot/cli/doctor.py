"""The command `doctor`: what is configured, what works, and what to do about what does not."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Literal

from rich.console import Console

from bot.app import App
from bot.cli.damaged_store import word_new_queue, word_way_back
from bot.cli.platforms import check_slack
from bot.cli.probes import Diagnosis, probe_models, probe_sources
from bot.cli.terminal_person import load_terminal_person
from bot.commands.briefs import ONLINE
from bot.jobs.queue import check_queue
from bot.serving.bundled import BUNDLED
from bot.settings import Settings, load_settings
from bot.store.database import StoreDamaged, open_database
from bot.store.left_over import count_set_aside
from bot.store.sessions import Store
from engine.errors import ScholiumError, UserError
from engine.values import Query

if TYPE_CHECKING:  # it loads Weaviate's client
    from engine.retrieval.libraries.weaviate_cluster import Cluster

_MARKS = {"works": "✓", "absent": "–", "broken": "✗"}


async def doctor(console: Console) -> int:
    """Print the findings; 1 where something that is configured does not work."""
    app = App(load_settings())
    try:
        remote = [finding async for finding in _weaviate(app)]
        libraries = [finding async for finding in _libraries(app)]
        models = [finding async for finding in probe_models(app)]
        sources = [finding async for finding in probe_sources(app)]
        findings = [*_places(app), await _store(app), *remote, *libraries, *models, *sources, *_services(app)]
    finally:
        await app.close()
    for finding in findings:
        advice = f" — {finding.advice}" if finding.advice else ""
        console.print(f"{_MARKS[finding.state]} {finding.what}{advice}", markup=False, highlight=False)
    return 1 if any(f.state == "broken" for f in findings) else 0


async def _store(app: App) -> Diagnosis:
    """The database of conversations and jobs; a file is not made just to be looked at."""
    settings = app.settings
    where = "Postgres" if settings.database_url else f"{settings.home / 'store.sqlite'}"
    try:
        await asyncio.to_thread(check_queue, settings.jobs_url())
        if not settings.database_url and not (settings.home / "store.sqlite").exists():
            return Diagnosis("works", f"conversations will be kept in {where}")
        store = Store(await open_database(settings.store_url()), "doctor")
        try:
            await store.check()
            failed = await count_set_aside(store)
        finally:
            await store.close()
    except StoreDamaged as error:
        if error.kept == "store":
            return Diagnosis("broken", f"the store in {where} is damaged", word_way_back(settings))
        return Diagnosis("broken", f"the queue of jobs beside {where} is damaged", word_new_queue(settings))
    except UserError as error:
        return Diagnosis("broken", f"the store in {where}: {error}")
    except ScholiumError as error:
        return Diagnosis("broken", f"the store in {where}: {error}", "check SCHOLIUM_DATABASE_URL")
    if failed:
        return Diagnosis(
            "broken",
            f"conversations are kept in {where}; {failed:,} of what was said failed and was set aside",
            "scholium set-aside lists it",
        )
    return Diagnosis(
        "works", f"conversations are kept in {where}; here you are {load_terminal_person(settings.home).name}"
    )


def _places(app: App) -> Iterator[Diagnosis]:
    home = app.settings.home
    existing = next(p for p in (home, *home.parents) if p.exists())
    if not os.access(existing, os.W_OK):
        yield Diagnosis("broken", f"home {home} cannot be written", "set SCHOLIUM_HOME to a folder of yours")
        return
    free = shutil.disk_usage(existing).free / 1e9
    state: Literal["works", "broken"] = "works" if free > 1 else "broken"
    yield Diagnosis(state, f"home {home}, {free:.0f} GB free", "" if free > 1 else "free some space")


async def _weaviate(app: App) -> AsyncIterator[Diagnosis]:
    """The server of shared libraries, where one is named."""
    if not app.settings.weaviate_url:
        return
    try:
        await app.libraries.discover()
        yield judge_cluster(app.settings.weaviate_url, await app.libraries.weaviate_cluster())
    except ScholiumError as error:
        yield Diagnosis("broken", f"Weaviate: {error}", "check WEAVIATE_URL, WEAVIATE_GRPC_PORT and WEAVIATE_API_KEY")


def judge_cluster(url: str, cluster: Cluster) -> Diagnosis:
    """Whether all servers of a Weaviate are there."""
    where, total = f"Weaviate at {url}", len(cluster.servers)
    if cluster.away:
        names, verb = ", ".join(cluster.away), "is" if len(cluster.away) == 1 else "are"
        return Diagnosis(
            "broken",
            f"{where}: {len(cluster.away)} of its {total} servers {verb} away: {names}",
            "start what is away again; meanwhile libraries without replicas lack its papers",
        )
    return Diagnosis("works", f"{where}, {total} servers" if total > 1 else where)


async def _libraries(app: App) -> AsyncIterator[Diagnosis]:
    names = app.libraries.names()
    if app.settings.library == ONLINE:
        yield Diagnosis("works", "no library is used where none is named; papers come from online sources")
    elif app.settings.library not in names:
        yield Diagnosis(
            "absent",
            f"library “{app.settings.library}” does not exist; the bundled one, “{BUNDLED}”, is used",
            "scholium ingest FILE makes it",
        )
    for name in names:
        try:
            library = await app.libraries.library(name)
            await library.search(Query("test", 1))
            yield Diagnosis("works", f"library “{name}”, {await library.count():,} papers")
        except ScholiumError as error:
            yield Diagnosis("broken", f"library “{name}”: {error}", "ingest its files again")
    for note in await app.libraries.list_failed_models():
        yield Diagnosis(
            "broken", note, "or leave SCHOLIUM_EMBEDDER, SCHOLIUM_CROSS_ENCODER and SCHOLIUM_ENTAILMENT_MODEL out"
        )


def _services(app: App) -> Iterator[Diagnosis]:
    settings = app.settings
    if settings.embedder == "lsa":
        installed = importlib.util.find_spec("fastembed") is not None
        hint = "" if installed else "for a neural model: install scholium[neural] and set SCHOLIUM_EMBEDDER"
        yield Diagnosis("works", "embedding by latent semantic analysis, no download", hint)
    yield from _platforms(settings)


def _platforms(settings: Settings) -> Iterator[Diagnosis]:
    """What is configured of the chat platforms; they are asked when they are served."""
    if settings.slack_bot_token or settings.slack_app_token or settings.slack_client_id:
        try:
            many = check_slack(settings)
        except ScholiumError as error:
            yield Diagnosis("broken", "Slack is configured in part", str(error))
        else:
            how = "Socket Mode" if settings.slack_app_token else "HTTP"
            workspaces = "many workspaces" if many else "one workspace"
            yield Diagnosis("works", f"Slack is configured: {how}, {workspaces}", "scholium slack serves it")
    if settings.discord_token:
        words = "with" if settings.discord_messages else "without"
        yield Diagnosis("works", f"Discord is configured, {words} plain words in threads", "scholium discord serves it")
