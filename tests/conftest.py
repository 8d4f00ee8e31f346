from __future__ import annotations

from pathlib import Path

import pytest

from engine.retrieval.local import LocalLibrary, create_library
from tests.fakes import papers


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the settings, the keys or the libraries of the person who runs it."""
    import os

    for name in list(os.environ):
        if name.startswith("SCHOLIUM_") or name.endswith(("_API_KEY", "_TOKEN", "_BASE_URL")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SCHOLIUM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
async def library(tmp_path: Path) -> LocalLibrary:
    """Thirty papers of three subjects, indexed."""
    made = await create_library(tmp_path / "home" / "libraries" / "main")
    await made.add([*papers(12), *papers(10, "graph", 101), *papers(8, "vision", 201)])
    await made.index(lambda _: None)
    return made
