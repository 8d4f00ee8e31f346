"""The command `doctor`: what is configured, what works, and what to do about what does not; each service is asked."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from rich.console import Console

from bot.app import App
from bot.cli.administration import word_way_back
from bot.cli.conversations import load_terminal_person
from bot.cli.platforms import check_slack
from bot.commands.briefs import ONLINE
from bot.jobs.queue import check_queue
from bot.serving.bundled import BUNDLED
from bot.serving.online_sources import online_sources
from bot.settings import Settings, load_settings
from bot.store.database import StoreDamaged, check_file
from bot.store.left_over import list_set_aside
from bot.store.notes import count_ratings
from bot.store.sessions import open_store
from engine.errors import ScholiumError, UserError
from engine.llm.model import CallFailed, Request
from engine.llm.prompting import fill
from engine.retrieval.online.queries import query_of
from engine.retrieval.online.transport import ProcessCache
from engine.values import Query

_MARKS = {"works": "✓", "absent": "–", "broken": "✗"}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at."""

    state: Literal["works", "absent", "broken"]
    what: str
    advice: str = ""


async def doctor(console: Console) -> int:
    """Print the findings; 1 where something that is configured does not work."""
    app = App(load_settings())
    try:
        findings = [*_places(app), await _store(app), *_services(app.settings)]
        for look in (_weaviate, _libraries, probe_models, probe_sources):
            findings += [finding async for finding in look(app)]
    finally:
        await app.close()
    for finding in findings:
        advice = f" — {finding.advice}" if finding.advice else ""
        console.print(f"{_MARKS[finding.state]} {finding.what}{advice}")
    return 1 if any(f.state == "broken" for f in findings) else 0


async def _store(app: App) -> Diagnosis:
    """The database of conversations and jobs; a file is not made just to be looked at."""
    settings = app.settings
    where = "Postgres" if settings.database_url else f"{settings.home / 'store.sqlite'}"
    try:
        await asyncio.to_thread(check_queue, settings.jobs_url())
        if not settings.database_url and not (settings.home / "store.sqlite").exists():
            return Diagnosis("works", f"conversations will be kept in {where}")
        async with open_store(settings.store_url()) as store:
            await asyncio.to_thread(check_file, settings.store_url())
            failed, (good, bad) = len(await list_set_aside(store)), await count_ratings(store)
    except StoreDamaged as error:
        what = f"the store in {where}" if error.kept == "store" else f"the {error.kept} beside {where}"
        return Diagnosis("broken", f"{what} is damaged", word_way_back(settings, error.kept))
    except ScholiumError as error:
        advice = "" if isinstance(error, UserError) else "check SCHOLIUM_DATABASE_URL"
        return Diagnosis("broken", f"the store in {where}: {error}", advice)
    if failed:
        aside = f"{failed:,} of what was said failed and was set aside"
        return Diagnosis("broken", f"conversations are kept in {where}; {aside}", "scholium set-aside lists it")
    rated = f"; answers were called good {good:,} times, not good {bad:,} times" if good or bad else ""
    here = f"here you are {load_terminal_person(settings.home).name}"
    return Diagnosis("works", f"conversations are kept in {where}; {here}{rated}")


def _places(app: App) -> Iterator[Diagnosis]:
    home = app.settings.home
    existing = next(p for p in (home, *home.parents) if p.exists())
    if not os.access(existing, os.W_OK):
        yield Diagnosis("broken", f"home {home} cannot be written", "set SCHOLIUM_HOME to a folder of yours")
        return
    free = shutil.disk_usage(existing).free / 1e9
    what = f"home {home}, {free:.0f} GB free"
    yield Diagnosis("works", what) if free > 1 else Diagnosis("broken", what, "free some space")


async def _weaviate(app: App) -> AsyncIterator[Diagnosis]:
    if not app.settings.weaviate_url:
        return
    try:
        await app.libraries.discover()
        yield judge_cluster(app.settings.weaviate_url, await app.libraries.weaviate_cluster())
    except ScholiumError as error:
        yield Diagnosis("broken", f"Weaviate: {error}", "check WEAVIATE_URL, WEAVIATE_GRPC_PORT and WEAVIATE_API_KEY")


def judge_cluster(url: str, is_well: Mapping[str, bool]) -> Diagnosis:
    where, total, away = f"Weaviate at {url}", len(is_well), [name for name in is_well if not is_well[name]]
    if away:
        names, verb = ", ".join(away), "is" if len(away) == 1 else "are"
        advice = "start what is away again; meanwhile libraries without replicas lack its papers"
        return Diagnosis("broken", f"{where}: {len(away)} of its {total} servers {verb} away: {names}", advice)
    return Diagnosis("works", f"{where}, {total} servers" if total > 1 else where)


async def _libraries(app: App) -> AsyncIterator[Diagnosis]:
    names = app.libraries.names()
    if app.settings.library == ONLINE:
        yield Diagnosis("works", "no library is used where none is named; papers come from online sources")
    elif app.settings.library not in names:
        what = f"library “{app.settings.library}” does not exist; the bundled one, “{BUNDLED}”, is used"
        yield Diagnosis("absent", what, "scholium ingest FILE makes it")
    for name in names:
        try:
            library = await app.libraries.library(name)
            await library.search(Query("test", 1))
            yield Diagnosis("works", f"library “{name}”, {await library.count():,} papers")
        except ScholiumError as error:
            yield Diagnosis("broken", f"library “{name}”: {error}", "ingest its files again")
    advice = "or leave SCHOLIUM_EMBEDDER, SCHOLIUM_CROSS_ENCODER and SCHOLIUM_ENTAILMENT_MODEL out"
    for note in await app.libraries.list_failed_models():
        yield Diagnosis("broken", note, advice)


def _services(settings: Settings) -> Iterator[Diagnosis]:
    """The embedding, and the chat platforms, which are asked when they are served."""
    if settings.embedder == "lsa":
        installed = importlib.util.find_spec("fastembed") is not None
        hint = "" if installed else "for a neural model: install scholium[neural] and set SCHOLIUM_EMBEDDER"
        yield Diagnosis("works", "embedding by latent semantic analysis, no download", hint)
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


MODEL_S = 20.0
ONLINE_S = 10.0
PROBE_TOKENS = 16


async def probe_models(app: App) -> AsyncIterator[Diagnosis]:
    """Each language model that is named, by one call of a few tokens."""
    provider = app.provider()
    if provider is None:
        missing = "no language model; surveys quote or retell papers"
        yield Diagnosis("absent", missing, "set OPENAI_API_KEY or ANTHROPIC_API_KEY")
        return
    settings = app.settings
    address = settings.openai_base_url or settings.anthropic_base_url or ""
    where = address or "the provider's own address"
    for model in dict.fromkeys(settings.models().values()):
        request = Request("reading", "probe", fill("common/probe"), PROBE_TOKENS)
        named = f"language model {model} at {where}"
        found = Diagnosis("works", f"{named} answers")
        try:
            async with asyncio.timeout(MODEL_S):
                await provider.complete(model, request, None)
        except TimeoutError:
            why = f"no answer within {MODEL_S:.0f} seconds"
            found = Diagnosis("broken", f"{named}: {why}", "check the address and the network")
        except CallFailed as error:
            if not error.cut_off:  # else it spoke, which is all that was asked
                advice = _advise(error, address, is_openai=settings.uses_openai())
                found = Diagnosis("broken", f"{named}: {error}", advice)
        yield found


def _advise(error: CallFailed, address: str, *, is_openai: bool) -> str:
    if not (error.is_misdirected and address):
        return "check the key, the address and SCHOLIUM_MODEL; recipe=cluster needs no model"
    bare = re.sub(r"(?:/v1)?(?:/chat/completions|/messages)?/*$", "", address)
    if is_openai:
        return f"set OPENAI_BASE_URL to what stands before /chat/completions, most often {bare}/v1"
    return f"set ANTHROPIC_BASE_URL to what stands before /v1/messages, most often {bare}"


async def probe_sources(app: App) -> AsyncIterator[Diagnosis]:
    """Each source that is searched online, all at once; one that is away is no fault of the installation."""
    settings = app.settings
    if settings.online == "never":
        yield Diagnosis("absent", "online sources are switched off", "SCHOLIUM_ONLINE=auto switches them on")
        return
    online = online_sources(settings, app.web(ProcessCache()), ONLINE_S)
    sources = online.places(life_sciences=True)

    when = "every survey" if settings.searches_online() else "surveys that say online=yes"

    async def ask(place: int) -> Diagnosis:
        name = sources[place].name
        try:
            async with asyncio.timeout(ONLINE_S):
                await sources[place].find(query_of("survey"), 1)
        except (TimeoutError, ScholiumError) as error:
            why = str(error) if isinstance(error, ScholiumError) else f"no answer within {ONLINE_S:.0f} seconds"
            return Diagnosis("absent", f"{name} cannot be searched: {why}", "check the network, or try later")
        return Diagnosis("works", f"{name} answers; it is searched for {when}")

    for found in await asyncio.gather(*map(ask, range(len(sources)))):
        yield found
    left = await online.open_alex.allowance() if online.open_alex else None
    today = f"; ${left[0]:.2f} of ${left[1]:.2f} are left of today" if left else ""
    if settings.openalex_api_key is not None:
        yield Diagnosis("works", f"OpenAlex is asked with a key{today}")
    else:
        what = f"OpenAlex has no key{today}; without one it answers a few dozen searches a day"
        yield Diagnosis("absent", what, "get one at openalex.org/settings/api, set OPENALEX_API_KEY")
    if not settings.contact:
        yield Diagnosis("absent", "online services are not told who asks", "set SCHOLIUM_CONTACT to your address")
