"""The libraries of an installation: folders on this machine, and, where a server is named, collections in Weaviate."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from bot.commands.briefs import ONLINE
from bot.serving.bundled import BUNDLED, install
from bot.serving.online_sources import text_of
from bot.settings import Settings
from engine.errors import ServiceError, UserError
from engine.local_models import CrossEncoder, Entailment, LocalCrossEncoder, LocalEmbedder, LocalEntailment
from engine.reading.open_access import TextFolder
from engine.reading.trees.forests import FOREST_FILE, LocalForest
from engine.retrieval.embedding import Embedder
from engine.retrieval.libraries.library import WORKSPACES, OnIndexProgress
from engine.retrieval.libraries.local import (
    LocalLibrary,
    check_name,
    create_library,
    erase_papers,
    finish_erasing,
    open_library,
)
from engine.values import Paper, PaperKey

if TYPE_CHECKING:  # Weaviate's client takes seconds to load; only an installation with a Weaviate waits for it
    from engine.reading.trees.weaviate_forest import WeaviateForest
    from engine.retrieval.weaviate.weaviate_library import WeaviateLibrary
    from engine.retrieval.weaviate.weaviate_schema import WeaviateServer

Place = Literal["local", "weaviate"]
OwnLibrary: TypeAlias = "LocalLibrary | WeaviateLibrary"
Model = TypeVar("Model")

SAMPLE = 200
"""Papers that tell how long a library's abstracts are."""


class Libraries:
    """Opens each library once. With a Weaviate named, a library that is in both places is taken from there."""

    def __init__(self, settings: Settings) -> None:
        self.notes: list[str] = []
        self._settings = settings
        self._open: dict[str, OwnLibrary] = {}
        self._samples: dict[str, Sequence[Paper]] = {}
        self._remote: list[str] = []
        self._client: Any = None
        self._refitting: dict[Path, asyncio.subprocess.Process] = {}
        self._models: dict[Callable[..., Any], Any] = {}

    async def discover(self) -> None:
        """Learn which libraries are in Weaviate. Raises `RetrievalError` where it is named and away."""
        if self._settings.weaviate_url:
            from engine.retrieval.weaviate.weaviate_state import names

            self._remote = await names(await self._weaviate())

    async def weaviate_cluster(self) -> Mapping[str, bool]:
        """Whether each server of the Weaviate that is named is well. Raises `RetrievalError` where none answers."""
        from engine.retrieval.weaviate.weaviate_state import read_cluster

        return await read_cluster(await self._weaviate())

    def names(self) -> Sequence[str]:
        local = (p.parent.name for p in (self._settings.home / "libraries").glob("*/papers.lance"))
        return sorted({*local, *self._remote})

    def folder(self, name: str) -> Path:
        """Where a library of that name is kept on this machine."""
        return self._settings.home / "libraries" / name

    def place_of(self, name: str) -> Place:
        """Where a library is, or would be made."""
        return "weaviate" if name in self._remote else "local"

    async def library(self, name: str, place: Place | None = None) -> OwnLibrary:
        """The library of that name, opened once; raises `UserError` where there is none."""
        if name not in (self._remote if place == "weaviate" else self.names()):
            await self.discover()  # another process may have made it since
        where = place or self.place_of(name)
        if (known := f"{where}:{name}") not in self._open:
            if where == "weaviate":
                if name not in self._remote:
                    raise UserError(
                        f"There is no library “{name}” in Weaviate. "
                        f"Make one with: scholium ingest FILE --library {name} --to weaviate"
                    )
                library: OwnLibrary = await self._in_weaviate(name)
            else:
                library = await open_library(self.folder(name), self.neural_embedder())
                await library.index(lambda _: None)
                await self.refit_beside(library)
            self._open[known] = library
        return self._open[known]

    async def sample_papers(self, name: str) -> Sequence[Paper]:
        """Some papers of a library, read once; an index that is due is not made for them."""
        if name not in self._samples:
            is_local = self.place_of(name) == "local"
            library = await open_library(self.folder(name)) if is_local else await self.library(name)
            self._samples[name] = await library.sample(SAMPLE)
        return self._samples[name]

    async def new_library(self, name: str, place: Place) -> OwnLibrary:
        """The library of that name, made where there is none."""
        if name in {ONLINE, WORKSPACES}:
            raise UserError(f"A library cannot be called “{name}”. Give it another name.")
        check_name(name)  # the whole name: the last part of a path is one that may be
        if place == "local":
            return await create_library(self.folder(name), self.neural_embedder())
        library = await self._in_weaviate(name)
        self._remote = sorted({*self._remote, name})
        return library

    async def install_bundled(self, on_progress: OnIndexProgress = lambda _: None) -> None:
        await install(self.folder(BUNDLED), self.neural_embedder(), on_progress)

    async def workspace_library(self, workspace: str) -> OwnLibrary:
        """The papers that one workspace added, made where there are none; no other workspace's job opens it."""
        if (known := f"/{workspace}") not in self._open:  # no library of a person is called so
            if self._settings.weaviate_url:
                self._open[known] = await self._in_weaviate(WORKSPACES, workspace)
            else:
                self._open[known] = await create_library(self._workspace_folder(workspace), self.neural_embedder())
        return self._open[known]

    async def refit_beside(self, library: OwnLibrary) -> None:
        """Where another embedding of a local library is due, let another process make it, which ends with this one.

        Until then searches go by the one before; the library's next opening goes on with what was not finished.
        """
        if not isinstance(library, LocalLibrary) or not await library.is_outgrown():
            return
        running = self._refitting.get(library.folder)
        if running is None or running.returncode is not None:
            command = [sys.executable, "-I", "-m", "engine.retrieval.libraries.local", str(library.folder)]
            if self.neural_embedder():
                folder = self._settings.models_dir
                command += [self._settings.embedder, *([str(folder)] if folder else [])]
            quiet = asyncio.subprocess.DEVNULL
            self._refitting[library.folder] = await asyncio.create_subprocess_exec(*command, stdout=quiet, stderr=quiet)

    async def finish_refits(self) -> None:
        for process in self._refitting.values():
            await process.wait()

    async def forest(self, name: str = "", *, workspace: str = "") -> LocalForest | WeaviateForest:
        """The attribute trees of a library's papers, or of those that one workspace added; else of online sources'."""
        if self._settings.weaviate_url and (workspace or self.place_of(name) == "weaviate"):
            from engine.reading.trees.weaviate_forest import open_forest

            return await open_forest(await self._weaviate(), self.server(), name or WORKSPACES, _tenant(workspace))
        folder = self.folder(name) if name else self._settings.home / "online"
        folder = self._workspace_folder(workspace) if workspace else folder
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        return LocalForest(folder / FOREST_FILE)

    def texts_of(self, workspace: str) -> TextFolder:
        return TextFolder(self._workspace_folder(workspace).parent / "texts")

    def unknown_texts_of(self, workspace: str) -> TextFolder:
        """Full texts that one workspace uploaded of papers that nobody knows yet, by `title_key`."""
        return TextFolder(self.texts_of(workspace).folder / "unknown")

    async def has_papers(self, workspace: str) -> bool:
        """Whether the workspace has added papers of its own."""
        if not self._settings.weaviate_url:
            return self._workspace_folder(workspace).exists()
        from engine.retrieval.weaviate.weaviate_schema import tenant_exists

        return await tenant_exists(await self._weaviate(), _tenant(workspace))

    async def remove_papers(self, workspace: str, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """Delete papers that a workspace added, with their trees and texts, also of unknown ones; which there were."""
        for key in keys:
            await asyncio.to_thread(self.unknown_texts_of(workspace).take, key)
        if not await self.has_papers(workspace):
            return []
        library = await self.workspace_library(workspace)
        found = await library.get(keys) if await library.count() else []
        if found:
            gone = [paper.key for paper in found]
            await (await self.forest(workspace=workspace)).remove(gone)
            for key in gone:
                await asyncio.to_thread(self.texts_of(workspace).take, key)
            if isinstance(library, LocalLibrary):
                await erase_papers(self._workspace_folder(workspace), gone, self.neural_embedder(), [FOREST_FILE])
                self._open.pop(f"/{workspace}", None)
            else:
                await library.remove(gone)
                await library.index(lambda _: None)
        return found

    async def remove_workspace(self, workspace: str) -> bool:
        """Delete the papers, texts and attribute trees that a workspace added; whether there were any."""
        folder = self._workspace_folder(workspace).parent
        found = await self.has_papers(workspace) or folder.exists()
        if self._settings.weaviate_url:
            from engine.retrieval.weaviate.weaviate_schema import remove_tenant

            await remove_tenant(await self._weaviate(), _tenant(workspace))
        if folder.exists():
            await asyncio.to_thread(shutil.rmtree, folder)
        self._open.pop(f"/{workspace}", None)
        return found

    def neural_embedder(self) -> Embedder | None:
        """The embedder of the settings; ``None`` for LSA, and, said once, where it cannot be loaded."""
        name = "" if self._settings.embedder == "lsa" else self._settings.embedder
        return self._load_once(LocalEmbedder, name, "Latent semantic analysis is used instead.")

    def cross_encoder(self) -> CrossEncoder | None:
        """The cross-encoder of the settings where no language model judges; said once where it cannot be loaded."""
        name = "" if self._settings.has_model() else self._settings.cross_encoder
        return self._load_once(LocalCrossEncoder, name, "Papers in doubt are not judged once more.")

    def entailment(self) -> Entailment | None:
        """The entailment model of the settings, which doubts claims; said once where it cannot be loaded."""
        return self._load_once(LocalEntailment, self._settings.entailment_model, "Claims are checked without it.")

    def _load_once(self, load: Callable[[str, Path | None], Model], name: str, otherwise: str) -> Model | None:
        """A model of this machine; ``None`` without a name, and, noted with what happens ``otherwise``, if it fails."""
        if name and load not in self._models:
            try:
                self._models[load] = load(name, self._settings.models_dir)
            except ServiceError as error:
                self._models[load] = None
                self.notes.append(f"{error} {otherwise}")
        found: Model | None = self._models.get(load)
        return found

    async def list_failed_models(self) -> Sequence[str]:
        for load in (self.neural_embedder, self.cross_encoder, self.entailment):
            await asyncio.to_thread(load)
        return self.notes

    async def close(self) -> None:
        """Let go of the connection, and end what still fits a library anew."""
        for process in self._refitting.values():
            if process.returncode is None:
                process.terminate()
        await self.finish_refits()
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _workspace_folder(self, workspace: str) -> Path:
        folder = self._settings.home / "workspaces" / _tenant(workspace) / "papers"
        finish_erasing(folder)
        return folder

    def server(self) -> WeaviateServer:
        """The Weaviate of the settings. Raises `UserError` where none is named."""
        from engine.retrieval.weaviate.weaviate_schema import WeaviateServer

        settings = self._settings
        if not settings.weaviate_url:
            raise UserError("Set WEAVIATE_URL, for example http://localhost:8080, and start Weaviate there.")
        names = ("grpc_port", "grpc_host", "quantisation", "vectoriser", "replicas", "shards", "batch", "parallel")
        values = {name: getattr(settings, f"weaviate_{name}") for name in names}
        return WeaviateServer(settings.weaviate_url, key=text_of(settings.weaviate_api_key), **values)

    async def _weaviate(self) -> Any:
        if self._client is None:
            from engine.retrieval.weaviate.weaviate_schema import connect

            self._client = await connect(self.server())
        return self._client

    async def _in_weaviate(self, name: str, workspace: str = "") -> WeaviateLibrary:
        from engine.retrieval.weaviate import weaviate_library

        client, server, tenant = await self._weaviate(), self.server(), _tenant(workspace)
        return await weaviate_library.open_library(client, server, name, neural=self.neural_embedder(), tenant=tenant)


def _tenant(workspace: str) -> str:
    return hashlib.sha256(workspace.encode()).hexdigest()[:24] if workspace else ""
