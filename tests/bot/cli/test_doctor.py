from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.app import App
from bot.cli.doctor import probe_models, probe_sources
from bot.settings import load_settings
from tests.fakes import papers
from tests.scholarly_server import scholarly
from tests.stand_ins.simulation import SimulatedService, run_simulated_service


async def test_each_model_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        monkeypatch.setenv("SCHOLIUM_MODEL_CHECKING", "another")
        app = App(load_settings())
        found = [finding async for finding in probe_models(app)]
        await app.close()
        assert [finding.state for finding in found] == ["works", "works"]
        assert len(service.calls) == 2


@pytest.mark.parametrize("name", ["OPENAI", "ANTHROPIC"])
@pytest.mark.parametrize("status", [200, 404])
async def test_of_a_wrong_address_the_right_one_is_said(
    monkeypatch: pytest.MonkeyPatch, name: str, status: int
) -> None:
    async def greet(_: web.Request) -> web.Response:
        return web.Response(status=status, text="Ollama is running")

    application = web.Application()
    application.router.add_route("*", "/{tail:.*}", greet)
    async with TestServer(application, host="127.0.0.1") as server:
        url = str(server.make_url("")).rstrip("/")
        monkeypatch.setenv(f"{name}_BASE_URL", f"{url}/")
        monkeypatch.setenv(f"{name}_API_KEY", "k")
        app = App(load_settings())
        (finding,) = [finding async for finding in probe_models(app)]
        await app.close()
    assert finding.state == "broken" and url in finding.what
    assert finding.advice.endswith(f"{url}/v1" if name == "OPENAI" else url)


async def test_what_is_left_of_open_alexs_allowance_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    async with scholarly(papers(5)) as site:
        for name, place in (
            ("SEMANTIC_SCHOLAR", ""),
            ("OPENALEX", "/openalex"),
            ("ARXIV", "/arxiv"),
            ("PUBMED", "/none"),
        ):
            monkeypatch.setenv(f"{name}_API_URL", f"{site.url}{place}")
        monkeypatch.setenv("OPENALEX_API_KEY", "k")
        site.left = 0.25
        app = App(load_settings())
        said = [finding.what async for finding in probe_sources(app)]
        await app.close()
    assert "OpenAlex is asked with a key; $0.25 of $1.00 are left of today" in said
