from __future__ import annotations

import pytest

from bot.app import App
from bot.bench.simulation import SimulatedService, run_simulated_service
from bot.cli.probes import probe_models
from bot.settings import load_settings


async def test_each_model_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        monkeypatch.setenv("SCHOLIUM_MODEL_CHECKING", "another")
        app = App(load_settings())
        found = [finding async for finding in probe_models(app)]
        await app.close()
        assert [finding.state for finding in found] == ["works", "works"]
        assert len(service.calls) == 2
