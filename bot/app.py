"""The composition root: the only file that names concrete classes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from bot.briefs import ONLINE, Defaults
from bot.runner import Bench, Listener
from bot.settings import Settings
from bot.sources import online_sources
from engine.errors import ServiceError, UserError
from engine.llm.anthropic import AnthropicProvider
from engine.llm.metering import Throttle
from engine.llm.model import LanguageModel, Provider
from engine.llm.openai import OpenAIProvider
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.recipes.cluster import ClusterRecipe
from engine.recipes.naive import NaiveRagRecipe
from engine.retrieval.embedding import Embedder, FittedOnTopic, LocalNeuralEmbedder, ready
from engine.retrieval.joint import JointLibrary
from engine.retrieval.library import EmptyLibrary, Library, OnIndexProgress
from engine.retrieval.local import LocalLibrary, create_library, open_library
from engine.retrieval.records import read_papers
from engine.retrieval.web import OnlineMemory, Web
from engine.run import Recipe, RunContext
from engine.session import State, SurveySession
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
        self.notes: list[str] = []
        self._libraries: dict[str, LocalLibrary] = {}
        self._neural: Embedder | None = None
        self._neural_tried = False
        self._provider: Provider | None = None
        self._throttle: Throttle | None = None
        self._web: Web | None = None

    def library_folder(self, name: str) -> Path:
        """Where a library of that name is kept."""
        return self.settings.home / "libraries" / name

    def library_names(self) -> Sequence[str]:
        """Libraries that exist."""
        return sorted(p.parent.name for p in (self.settings.home / "libraries").glob("*/papers.lance"))

    async def library(self, name: str) -> LocalLibrary:
        """The library of that name, opened once; raises `UserError` where there is none."""
        if name not in self._libraries:
            library = await open_library(self.library_folder(name), self.neural_embedder())
            if not await library.is_current():
                await library.index(lambda _: None)
            self._libraries[name] = library
        return self._libraries[name]

    async def new_library(self, name: str) -> LocalLibrary:
        """The library of that name, made where there is none."""
        if name == ONLINE:
            raise UserError("“online” stands for online sources. Give the library another name.")
        return await create_library(self.library_folder(name), self.neural_embedder())

    def neural_embedder(self) -> Embedder | None:
        """The embedder of the settings; ``None`` for LSA, and, said once, where it cannot be loaded."""
        if not self._neural_tried and self.settings.embedder != "lsa":
            try:
                self._neural = LocalNeuralEmbedder(self.settings.embedder)
            except ServiceError as error:
                self.notes.append(f"{error} Latent semantic analysis is used instead.")
        self._neural_tried = True
        return self._neural

    async def install_bundled(self, on_progress: OnIndexProgress) -> str:
        """Make the bundled library where it is missing; returns its name."""
        folder = self.library_folder(BUNDLED)
        library = await create_library(folder, self.neural_embedder())
        if await library.count() == 0 or not await library.is_current():
            with resources.as_file(bundled_papers()) as path:
                await library.add(p for p in read_papers(path, lambda _, __: None) if isinstance(p, Paper))
            await library.index(on_progress)
        return BUNDLED

    def default_library(self) -> str:
        """The library used when none is named: the one of the settings, or the bundled one."""
        known = (ONLINE, *self.library_names())
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

    async def workspace_library(self, workspace: str) -> LocalLibrary:
        """The papers that one workspace added, made where there are none; no other workspace's job opens it."""
        name = f"/{hashlib.sha256(workspace.encode()).hexdigest()[:24]}"  # no library of a person is called so
        if name not in self._libraries:
            self._libraries[name] = await create_library(self._workspace_folder(workspace), self.neural_embedder())
        return self._libraries[name]

    def _workspace_folder(self, workspace: str) -> Path:
        return self.settings.home / "workspaces" / hashlib.sha256(workspace.encode()).hexdigest()[:24] / "papers"

    def web(self, memory: OnlineMemory) -> Web:
        """The connections to online services."""
        self._web = self._web or Web(memory, self.settings.contact)
        return self._web

    async def bench(self, session: SurveySession, means: Means, listener: Listener) -> Bench:
        """What the session's job works with: the library it names, its workspace's papers, online sources."""
        brief = session.state.brief
        if brief is None:
            raise UserError("Name a topic first.")
        shared: Library = await self.library(brief.library) if brief.library else EmptyLibrary()
        library = shared
        if self._workspace_folder(means.workspace).exists():
            own = await self.workspace_library(means.workspace)
            library = JointLibrary(own, shared) if brief.library else own
        context = RunContext(
            library,
            await self._embedder(session.state, shared),
            self.settings.limits(),
            model=means.model,
            online=online_sources(self.settings, self.web(means.memory)) if brief.online else None,
            judge=self.settings.judges(online=brief.online),
            progress=listener.progressed,
            section_finished=listener.section_finished,
            answering=listener.answering,
            seed=self.settings.seed,
        )
        return Bench(self.recipes[brief.recipe], context)

    async def _embedder(self, state: State, shared: Library) -> Embedder:
        """The library's; where papers come from online too, one fitted on those found, unless a model is set."""
        if neural := self.neural_embedder():
            return neural
        if isinstance(shared, LocalLibrary) and not (state.brief and state.brief.online):
            return await shared.embedder()
        found = [item.paper for item in state.papers.found] if state.papers else []
        return await asyncio.to_thread(ready, FittedOnTopic(), found) if found else FittedOnTopic()

    async def close(self) -> None:
        """Let go of the connections."""
        if self._web is not None:
            await self._web.close()
        if self._provider is not None:
            await self._provider.close()

    def defaults(self) -> Defaults:
        """What a survey is when the person does not say otherwise."""
        settings = self.settings
        return Defaults(
            recipes=tuple(self.recipes),
            libraries=self.library_names,
            library=self.default_library(),
            recipe=settings.recipe,
            length=settings.length,
            papers=settings.papers_for,
            more_papers=settings.more_papers,
            output=settings.output,
            topic_characters=settings.limits().topic_characters,
            models=dict.fromkeys(("autosurvey", "naive"), settings.models()) if settings.has_model() else {},
            concurrent_calls=settings.concurrent_calls,
            online=settings.searches_online(),
        )

    def defaults_for(self, library: str, output: Path) -> Defaults:
        """The defaults with another library and another folder for files."""
        return replace(self.defaults(), library=library, output=output, apart=False)


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
