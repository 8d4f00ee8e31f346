"""One cheap question to each service that is configured, with a time limit, and what to do where it does not answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

from bot.app import App
from bot.serving.sources import online_sources
from bot.settings import Settings
from engine.errors import ScholiumError
from engine.llm.model import CallFailed, Request
from engine.llm.prompting import fill
from engine.retrieval.online.sources import Online
from engine.retrieval.online.transport import ProcessCache

MODEL_S = 20.0
ONLINE_S = 10.0
PROBE_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at."""

    state: Literal["works", "absent", "broken"]
    what: str
    advice: str = ""


async def probe_models(app: App) -> AsyncIterator[Diagnosis]:
    """Each language model that is named, by one call of a few tokens."""
    provider = app.provider()
    if provider is None:
        yield Diagnosis(
            "absent",
            "no language model; surveys quote or retell papers",
            "set OPENAI_API_KEY or ANTHROPIC_API_KEY",
        )
        return
    settings = app.settings
    address = settings.openai_base_url or settings.anthropic_base_url or ""
    where = address or "the provider's own address"
    for model in dict.fromkeys(settings.models().values()):
        request = Request("reading", "probe", fill("common/probe"), PROBE_TOKENS)
        try:
            async with asyncio.timeout(MODEL_S):
                await provider.complete(model, request, None)
        except TimeoutError:
            why = f"no answer within {MODEL_S:.0f} seconds"
            yield Diagnosis("broken", f"language model {model} at {where}: {why}", "check the address and the network")
        except CallFailed as error:
            cut_off = error.cut_off  # it spoke, which is all that was asked
            yield (
                _model_works(model, where)
                if cut_off
                else Diagnosis(
                    "broken",
                    f"language model {model} at {where}: {error}",
                    _advise(error, address, is_openai=settings.uses_openai()),
                )
            )
        else:
            yield _model_works(model, where)


def _advise(error: CallFailed, address: str, *, is_openai: bool) -> str:
    """What to change where a model does not answer."""
    if not (error.is_misdirected and address):
        return "check the key, the address and SCHOLIUM_MODEL; recipe=cluster needs no model"
    bare = re.sub(r"(?:/v1)?(?:/chat/completions|/messages)?/*$", "", address)
    if is_openai:
        return f"set OPENAI_BASE_URL to what stands before /chat/completions, most often {bare}/v1"
    return f"set ANTHROPIC_BASE_URL to what stands before /v1/messages, most often {bare}"


def _model_works(model: str, where: str) -> Diagnosis:
    return Diagnosis("works", f"language model {model} at {where} answers")


async def probe_sources(app: App) -> AsyncIterator[Diagnosis]:
    """Each source that is searched online, all at once; one that is away is no fault of the installation."""
    settings = app.settings
    if settings.online == "never":
        yield Diagnosis("absent", "online sources are switched off", "SCHOLIUM_ONLINE=auto switches them on")
        return
    online = online_sources(settings, app.web(ProcessCache()), ONLINE_S)
    sources = online.places(life_sciences=True)

    async def ask(place: int) -> str:
        """Why the source cannot be searched; empty where it can."""
        try:
            async with asyncio.timeout(ONLINE_S):
                await sources[place].search("survey", 1)
        except TimeoutError:
            return f"no answer within {ONLINE_S:.0f} seconds"
        except ScholiumError as error:
            return str(error)
        return ""

    when = "every survey" if settings.searches_online() else "surveys that say online=yes"
    for source, why in zip(sources, await asyncio.gather(*map(ask, range(len(sources)))), strict=True):
        if why:
            yield Diagnosis("absent", f"{source.name} cannot be searched: {why}", "check the network, or try later")
        else:
            yield Diagnosis("works", f"{source.name} answers; it is searched for {when}")
    yield await _open_alex(settings, online)
    if not settings.contact:
        yield Diagnosis("absent", "online services are not told who asks", "set SCHOLIUM_CONTACT to your address")


async def _open_alex(settings: Settings, online: Online) -> Diagnosis:
    """Its key and what is left of its allowance, which the search a moment ago has told."""
    left = await online.open_alex.allowance() if online.open_alex else None
    today = f"; ${left.left:.2f} of ${left.limit:.2f} are left of today" if left else ""
    if settings.openalex_api_key is not None:
        return Diagnosis("works", f"OpenAlex is asked with a key{today}")
    why = "without one it answers a few dozen searches a day"
    return Diagnosis(
        "absent", f"OpenAlex has no key{today}; {why}", "get one at openalex.org/settings/api, set OPENALEX_API_KEY"
    )
