"""The composition root: the only file that names concrete classes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from bot.commands.briefs import LIBRARY, ONLINE, Defaults
from bot.serving.bundled import BUNDLED
from bot.serving.libraries import Libraries, OwnLibrary
from bot.serving.online_sources import downloader, list_publishers, online_sources, open_access, text_of, wikipedia
from bot.serving.templates import find_template
from bot.settings import Settings, load_settings
from engine.errors import UserError
from engine.llm.meter import Throttle
from engine.llm.model import LanguageModel, Provider
from engine.naming.grouping import GroupingOptions
from engine.reading.open_access import OpenAccess, TextFolder
from engine.reading.trees.forests import Forest, JointForest
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.recipes.cluster import ClusterRecipe
from engine.recipes.naive import NaiveRagRecipe
from engine.recipes.organiser import OrganiserRecipe
from engine.recipes.quick import QuickRecipe
from engine.recipes.storm import StormRecipe
from engine.recipes.surveyx import SurveyXRecipe
from engine.retrieval.embedding import Embedder, FittedOnTopic, ready
from engine.retrieval.libraries.combined import ExcludingLibrary, JointLibrary
from engine.retrieval.libraries.library import EmptyLibrary, Library
from engine.retrieval.online.transport import OnlineCache, OnlineTransport
from engine.run import Recipe, RunContext
from engine.session.state import State, SurveySession
from engine.values import Brief, PaperKey
from engine.writing.drafting import Steps

FIRST_CALLS = 50
"""Calls to the language model at once until its answers show that it takes more: a machine of a lab may not."""


class App:
    """Libraries, recipes and settings, put together."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.prices = settings.price_list()
        expands = "keyword expansion" not in settings.without
        self.recipes: dict[str, Recipe] = {
            "cluster": ClusterRecipe(
                expand_keywords=expands,
                selector=settings.keyword_selector,
                options=GroupingOptions(
                    None if settings.cluster_algorithm == "random" else settings.cluster_algorithm,
                    published_k=settings.cluster_count == "published",
                    random_groups="clustering" in settings.without,
                    reduction=settings.cluster_reduction,
                    formula=settings.cluster_terms,
                ),
            ),
            "autosurvey": AutoSurveyRecipe(
                expand_keywords=expands,
                selector=settings.keyword_selector,
                candidates=settings.candidates,
                retrieve="retrieval" not in settings.without,
                writing=Steps(
                    check="check" not in settings.without,
                    review="coherence" not in settings.without,
                    judges=settings.judges,
                ),
                whole_abstracts=settings.outline_text == "abstracts",
                cite_known=settings.cite_known,
            ),
            "surveyx": SurveyXRecipe(
                expand_keywords=expands,
                grow_trees="attribute trees" not in settings.without,
                optimise_outline="outline optimisation" not in settings.without,
                rewrite="rewriting" not in settings.without,
                draw_tables="tables" not in settings.without,
                selector=settings.keyword_selector,
                candidates=settings.candidates,
                planned_from=settings.planned_from,
                paper_figures=settings.paper_figures,
                look=settings.look_at_figures,
            ),
            "naive": NaiveRagRecipe(),
            "organiser": OrganiserRecipe(),
            "storm": StormRecipe(),
            "quick": QuickRecipe(),
        }
        self.libraries = Libraries(settings)
        limits = settings.concurrent_calls, settings.requests_per_minute, settings.tokens_per_minute
        self.throttle = Throttle(*limits, first=FIRST_CALLS)
        self._provider: Provider | None = None
        self._web: OnlineTransport | None = None
        self.downloader = downloader(settings)

    def default_library(self) -> str:
        """The library used when none is named: the one of the settings, or the bundled one."""
        known = (ONLINE, *self.libraries.names())
        return self.settings.library if self.settings.library in known else BUNDLED

    async def open_library(self, name: str = "") -> OwnLibrary:
        """The library of that name, else the default one; the bundled one is made where it is missing."""
        name = name or self.default_library()
        if name == BUNDLED:
            await self.libraries.install_bundled()
        return await self.libraries.library(name)

    def provider(self) -> Provider | None:
        if self._provider is None and self.settings.has_model():
            self._provider = make_provider(self.settings)
        return self._provider

    def web(self, cache: OnlineCache) -> OnlineTransport:
        self._web = self._web or OnlineTransport(cache, self.settings.contact)
        return self._web

    async def build_run_context(
        self, session: SurveySession, workspace: str, model: LanguageModel | None, cache: OnlineCache
    ) -> RunContext:
        """What the session's job works with: the library it names, its workspace's papers, online sources."""
        brief = session.state.brief
        if brief is None:
            raise UserError("Name a topic first.")
        named = await self.libraries.library(brief.library) if brief.library else None
        searched = not brief.places or LIBRARY in brief.places
        library = await self.join_papers(named, workspace) if searched else named or EmptyLibrary()
        embedder = await self._embedder(session.state, named)
        found = [item.paper.key for item in session.state.papers.found] if session.state.papers else []
        web, texts = self.web(cache), None
        sources = replace(online_sources(self.settings, web), only=brief.places, kinds=brief.kinds)
        if self.settings.full_texts:
            uploaded = self.libraries.texts_of(workspace)
            fetches = self.settings.fetches_texts(online=brief.online)
            texts = open_access(self.settings, web, self.downloader, uploaded, online=fetches)
        return RunContext(
            ExcludingLibrary(library, brief),
            embedder,
            self.settings.limits(),
            model=model,
            online=sources if brief.online else None,
            judge=self.settings.judging(online=brief.online),
            cross_encoder=await asyncio.to_thread(self.libraries.cross_encoder),
            texts=texts,
            forest=await self.forest(brief, workspace, found),
            wikipedia=wikipedia(self.settings, web),
            seed=self.settings.seed,
        )

    async def join_papers(self, named: OwnLibrary | None, workspace: str) -> Library:
        """What the workspace added, before the papers of the library that is named."""
        if not await self.libraries.has_papers(workspace):
            return named or EmptyLibrary()
        own = await self.libraries.workspace_library(workspace)
        return JointLibrary(own, named) if named else own

    async def forest(self, brief: Brief, workspace: str, keys: Sequence[PaperKey]) -> Forest:
        """The attribute trees that a survey may use: the workspace's own where it sent the paper or the text."""
        shared = await self.libraries.forest(brief.library)
        texts = self.libraries.texts_of(workspace)
        uploaded = {key for key in keys if texts.holds(key)}
        if await self.libraries.has_papers(workspace):
            own = await self.libraries.workspace_library(workspace)
            uploaded |= {paper.key for paper in await own.get(keys)} if keys else set()
        if not uploaded:
            return shared
        return JointForest(await self.libraries.forest(workspace=workspace), shared, uploaded.__contains__)

    def open_shared_texts(self, web: OnlineTransport) -> OpenAccess:
        """Full texts that are openly there, and those read before; nothing that a workspace uploaded."""
        nobodys = TextFolder(self.settings.home / "texts")
        return open_access(self.settings, web, self.downloader, nobodys, online=True)

    async def _embedder(self, state: State, named: OwnLibrary | None) -> Embedder:
        """The library's; where papers come from online too, one fitted on those found, unless a model is set."""
        if neural := self.libraries.neural_embedder():
            return neural
        embedder: Embedder = FittedOnTopic()
        if named is not None and not (state.brief and state.brief.online):
            embedder = await named.embedder()
        found = [item.paper for item in state.papers.found] if state.papers else []
        return await asyncio.to_thread(ready, embedder, found) if found else embedder

    async def close(self) -> None:
        await self.libraries.close()
        await self.downloader.close()
        if self._web is not None:
            await self._web.close()
        if self._provider is not None:
            await self._provider.close()

    def defaults(self) -> Defaults:
        return Defaults(
            self.settings,
            self.recipes,
            self.libraries.names,
            self.default_library,
            self.settings.output,
            tuple(publisher.name.lower() for publisher, _ in list_publishers(self.settings)),
            partial(find_template, self.settings.home / "templates"),
        )

    def defaults_for(self, library: str, output: Path) -> Defaults:
        """The defaults with another library and another folder for files."""
        read = partial(find_template, self.settings.home / "templates", may_be_path=True)
        return replace(self.defaults(), library=lambda: library, output=output, apart=False, read_template=read)


@asynccontextmanager
async def open_app() -> AsyncIterator[App]:
    """An app of the settings that knows which libraries there are, while the block runs."""
    app = App(load_settings())
    try:
        await app.libraries.discover()
        yield app
    finally:
        await app.close()


def make_provider(settings: Settings, service: str = "") -> Provider:
    """The client of a service; of the one configured where none is named. Raises `UserError` without its key."""
    if service == "openai" or (settings.uses_openai() and not service):
        if not settings.uses_openai():
            raise UserError("Judges of OpenAI need OPENAI_API_KEY or OPENAI_BASE_URL.")
        from engine.llm.openai import OpenAIProvider  # the clients take seconds to load

        # A local server asks for no key, but the client insists on one.
        key = text_of(settings.openai_api_key) or "none"
        return OpenAIProvider(key, settings.openai_base_url, settings.call_seconds)
    if settings.anthropic_api_key is None:
        raise UserError("Judges of Anthropic need ANTHROPIC_API_KEY.")
    from engine.llm.anthropic import AnthropicProvider

    key = text_of(settings.anthropic_api_key)
    return AnthropicProvider(key, settings.anthropic_base_url, settings.call_seconds)
