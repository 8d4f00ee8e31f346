from __future__ import annotations

import asyncio
import gc
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

# Before numpy is loaded: threads of two workers on two cores only wait for each other.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import psycopg
import pytest
from hypothesis import HealthCheck, settings

from engine.retrieval.libraries.local import LocalLibrary, create_library, open_library
from tests.fakes import papers
from tests.servers import WITHOUT, WITHOUT_WEAVIATE, WeaviateAt, postgres, weaviate

# No example is judged by its time: the machine may be busy. A search for new faults: --hypothesis-profile=thorough
settings.register_profile("quick", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=1_000)
settings.load_profile("quick")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: searches for garbage, fewer ones, leave it out."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """One search for garbage at the end; pytest's own two then find nothing to look at."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the settings, the keys or the libraries of the person who runs it."""
    for name in list(os.environ):
        if name.startswith(("SCHOLIUM_", "WEAVIATE_")) or name.endswith(("_API_KEY", "_TOKEN", "_BASE_URL")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SCHOLIUM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def indexed_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a library that tests copy: thirty papers of three subjects, indexed."""

    async def make(folder: Path) -> None:
        made = await create_library(folder)
        await made.add([*papers(12), *papers(10, "graph", 101), *papers(8, "vision", 201)])
        await made.index(lambda _: None)

    folder = tmp_path_factory.mktemp("libraries") / "main"
    asyncio.run(make(folder))
    return folder


@pytest.fixture
async def library(indexed_library: Path, tmp_path: Path) -> LocalLibrary:
    """Thirty papers of three subjects, indexed."""
    folder = tmp_path / "home" / "libraries" / "main"
    shutil.copytree(indexed_library, folder)
    return await open_library(folder)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str | None]:
    with postgres() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str | None) -> Iterator[str]:
    """A new database on a real Postgres."""
    if postgres_server is None:
        pytest.skip(WITHOUT)
    name = f"t{secrets.token_hex(6)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
    yield postgres_server.rsplit("/", 1)[0] + f"/{name}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[call-overload]


@pytest.fixture(scope="session")
def weaviate_server() -> Iterator[WeaviateAt | None]:
    with weaviate() as found:
        yield found


@pytest.fixture
def weaviate_at(weaviate_server: WeaviateAt | None) -> Iterator[WeaviateAt]:
    """A real Weaviate without collections of ours, before and after."""
    if weaviate_server is None:
        pytest.skip(WITHOUT_WEAVIATE)
    weaviate_server.empty()
    yield weaviate_server
    weaviate_server.empty()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.sqlite'}"
    return str(request.getfixturevalue("postgres_url"))
