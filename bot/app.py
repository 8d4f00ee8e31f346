"""The composition root: the only file that names concrete classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from adapters.chat import ChatAdapter
from bot.briefs import Defaults
from bot.dispatcher import Dispatcher
from bot.runner import Bench, Listener, Runner
from bot.settings import Settings
from engine.errors import ServiceError
from engine.recipes.cluster import ClusterRecipe
from engine.retrieval.embedding import Embedder, LocalNeuralEmbedder
from engine.retrieval.library import OnIndexProgress
from engine.retrieval.local import LocalLibrary, create_library, open_library
from engine.retrieval.records import read_papers
from engine.run import Recipe, RunContext
from engine.values import Brief, Paper

BUNDLED = "demo"
"""Name of the library that comes with Scholium."""


class App:
    """Libraries, recipes and settings, put together."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.recipes: dict[str, Recipe] = {"cluster": _cluster_recipe(settings)}
        self.notes: list[str] = []
        self._libraries: dict[str, LocalLibrary] = {}
        self._neural: Embedder | None = None
        self._neural_tried = False

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
        return self.settings.library if self.settings.library in self.library_names() else BUNDLED

    async def bench(self, brief: Brief, listener: Listener) -> Bench:
        """What a job for this brief works with."""
        library = await self.library(brief.library)
        context = RunContext(
            library,
            await library.embedder(),
            self.settings.limits(),
            progress=listener.progressed,
            section_finished=listener.section_finished,
            seed=self.settings.seed,
        )
        return Bench(self.recipes[brief.recipe], context)

    def dispatcher(self, adapter: ChatAdapter, defaults: Defaults | None = None) -> Dispatcher:
        """Everything between an adapter and the engine."""
        return Dispatcher(adapter, Runner(self.settings.limits()), self.bench, defaults or self.defaults())

    def defaults(self) -> Defaults:
        """What a survey is when the person does not say otherwise."""
        settings = self.settings
        return Defaults(
            recipes=tuple(self.recipes),
            libraries=self.library_names,
            library=self.default_library(),
            recipe=settings.recipe,
            length=settings.length,
            papers=settings.survey_papers,
            more_papers=settings.more_papers,
            output=settings.output,
            topic_characters=settings.limits().topic_characters,
        )

    def defaults_for(self, library: str, output: Path) -> Defaults:
        """The defaults with another library and another folder for files."""
        return replace(self.defaults(), library=library, output=output)


def bundled_papers() -> resources.abc.Traversable:
    """The file with the bundled papers."""
    return resources.files("bot").joinpath("data/retrieval_augmented_generation.jsonl")


def _cluster_recipe(settings: Settings) -> ClusterRecipe:
    return ClusterRecipe(
        algorithm=None if settings.cluster_algorithm == "random" else settings.cluster_algorithm,
        published_k=settings.cluster_count == "published",
        selector=settings.keyword_selector,
    )
