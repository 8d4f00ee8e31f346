"""The composition root: the only file that names concrete classes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from bot.commands.briefs import ONLINE, Defaults
from bot.jobs.runner import Bench, Listener
from bot.serving.libraries import OwnLibrary, Shelf
from bot.serving.sources import downloader, online_sources, open_access, wikipedia
from bot.settings import Settings, load_settings
from engine.errors import UserError
from engine.llm.anthropic import AnthropicProvider
from engine.llm.meter import Throttle
from engine.llm.model import LanguageModel, Provider
from engine.llm.openai import OpenAIProvider
from engine.reading.open_access import OpenAccess
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.recipes.cluster import ClusterRecipe
from engine.recipes.naive import NaiveRagRecipe
from engine.retrieval.embedding import Embedder, FittedOnTopic, ready
from engine.retrieval.libraries.joint import JointLibrary
from engine.retrieval.libraries.library import EmptyLibrary, Library, OnIndexProgress
from engine.retrieval.online.transport import OnlineMemory, Web
from engine.retrieval.records import read_papers
from engine.run import Recipe, RunContext
from engine.session.state import State, SurveySession
from engine.values import Paper

BUNDLED = "demo"
"""Name of the library that comes with Scholium."""


@dataclass(frozen=True)
class Means:
    """What a job is given by its conversation: whose papers it may see, the model it pays for, what is known."""

    workspace: str
    model: LanguageModel | None
    memory: OnlineMemory


class App:
    """Libraries, recipes and settings, put together."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.recipes: dict[str, Recipe] = {
            "cluster": _cluster_recipe(settings),
            "autosurvey": AutoSurveyRecipe(
                candidates=settings.candidates,
                retrieve="retrieval" not in settings.without,
                check="check" not in settings.without,
                connect="coherence" not in settings.without,
            ),
            "naive": NaiveRagRecipe(),
        }
        self.shelf = Shelf(settings)
        self._provider: Provider | None = None
        self._throttle: Throttle | None = None
        self._web: Web | None = None
        self.downloader = downloader(settings)

    async def install_bundled(self, on_progress: OnIndexProgress) -> str:
        """Make the bundled library where it is missing; returns its name."""
        library, is_due = await self.shelf.install(BUNDLED)
        if is_due:
            with resources.as_file(bundled_papers()) as path:
                await library.add(p for p in read_papers(path, lambda _, __: None) if isinstance(p, Paper))
            await library.index(on_progress)
        return BUNDLED

    def default_library(self) -> str:
        """The library used when none is named: the one of the settings, or the bundled one."""
        known = (ONLINE, *self.shelf.names())
        return self.settings.library if self.settings.library in known else BUNDLED

    def provider(self) -> Provider | None:
        """The language model's service; ``None`` where none is configured."""
        if self._provider is None and self.settings.has_model():
            self._provider = _provider(self.settings)
        return self._provider

    def throttle(self) -> Throttle:
        """The one limit of calls for the whole process."""
        settings = self.settings
        self._throttle = self._throttle or Throttle(
            settings.concurrent_calls, settings.requests_per_minute, settings.tokens_per_minute
        )
        return self._throttle

    def web(self, memory: OnlineMemory) -> Web:
        """The connections to online services."""
        self._web = self._web or Web(memory, self.settings.contact)
        return self._web

    async def bench(self, session: SurveySession, means: Means, listener: Listener) -> Bench:
        """What the session's job works with: the library it names, its workspace's papers, online sources."""
        brief = session.state.brief
        if brief is None:
            raise UserError("Name a topic first.")
        shared: Library = await self.shelf.library(brief.library) if brief.library else EmptyLibrary()
        library = shared
        if await self.shelf.has_papers(means.workspace):
            own = await self.shelf.workspace_library(means.workspace)
            library = JointLibrary(own, shared) if brief.library else own
        context = RunContext(
            library,
            await self._embedder(session.state, shared),
            self.settings.limits(),
            model=means.model,
            online=online_sources(self.settings, self.web(means.memory)) if brief.online else None,
            judge=self.settings.judges(online=brief.online),
            texts=self._texts(means, online=brief.online),
            progress=listener.progressed,
            section_finished=listener.section_finished,
            answering=listener.answering,
            seed=self.settings.seed,
        )
        return Bench(self.recipes[brief.recipe], context, wikipedia(self.settings, self.web(means.memory)))

    def _texts(self, means: Means, *, online: bool) -> OpenAccess | None:
        if not self.settings.full_texts:
            return None
        own, web = self.shelf.texts_of(means.workspace), self.web(means.memory)
        return open_access(self.settings, web, self.downloader, own, online=online)

    async def _embedder(self, state: State, shared: Library) -> Embedder:
        """The library's; where papers come from online too, one fitted on those found, unless a model is set."""
        if neural := self.shelf.neural_embedder():
            return neural
        embedder: Embedder = FittedOnTopic()
        if isinstance(shared, OwnLibrary) and not (state.brief and state.brief.online):
            embedder = await shared.embedder()
        found = [item.paper for item in state.papers.found] if state.papers else []
        return await asyncio.to_thread(ready, embedder, found) if found else embedder

    async def close(self) -> None:
        """Let go of the connections."""
        await self.shelf.close()
        await self.downloader.close()
        if self._web is not None:
            await self._web.close()
        if self._provider is not None:
            await self._provider.close()

    def defaults(self) -> Defaults:
        """What a survey is when the person does not say otherwise."""
        settings = self.settings
        return Defaults(
            recipes=tuple(self.recipes),
            libraries=self.shelf.names,
            library=self.default_library(),
            recipe=settings.recipe,
            length=settings.length,
            papers=settings.papers_for,
            more_papers=settings.more_papers,
            output=settings.output,
            topic_characters=settings.limits().topic_characters,
            models=dict.fromkeys(("autosurvey", "naive"), settings.models()) if settings.has_model() else {},
            concurrent_calls=settings.concurrent_calls,
            full_texts=settings.full_texts,
            online=settings.searches_online(),
        )

    def defaults_for(self, library: str, output: Path) -> Defaults:
        """The defaults with another library and another folder for files."""
        return replace(self.defaults(), library=library, output=output, apart=False)


@asynccontextmanager
async def opened_app() -> AsyncIterator[App]:
    """An app of the settings that knows which libraries there are, while the block runs."""
    app = App(load_settings())
    try:
        await app.shelf.discover()
        yield app
    finally:
        await app.close()


def bundled_papers() -> resources.abc.Traversable:
    """The file with the bundled papers."""
    return resources.files("bot").joinpath("data/retrieval_augmented_generation.jsonl")


def _provider(settings: Settings) -> Provider:
    if settings.uses_openai():
        # A local server asks for no key, but the client insists on one.
        key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
        return OpenAIProvider(key, settings.openai_base_url, settings.call_seconds)
    key = settings.anthropic_api_key.get_secret_value() if settings.anthropic_api_key else ""
    return AnthropicProvider(key, settings.anthropic_base_url, settings.call_seconds)


def _cluster_recipe(settings: Settings) -> ClusterRecipe:
    return ClusterRecipe(
        algorithm=None if settings.cluster_algorithm == "random" else settings.cluster_algorithm,
        published_k=settings.cluster_count == "published",
        selector=settings.keyword_selector,
    )
