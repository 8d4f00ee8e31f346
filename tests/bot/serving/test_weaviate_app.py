"""Scholium with its libraries in a real Weaviate: commands, conversations, workspaces apart."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.chat import Attachment, Incoming
from bot.app import open_app
from bot.serving import service
from engine.retrieval.online.transport import ProcessCache
from engine.session.state import State, SurveySession
from engine.values import Brief, Query
from tests.bot.cli.test_cli import command, jsonl
from tests.fakes import HERE, papers
from tests.lab import opened
from tests.servers import WeaviateAt, free_ports
from tests.stand_ins.changes import PATIENCE_S

BIB = "@article{x, title={Secret Plans of Graph Attention}, author={Mara Meier}, year={2024}, doi={10.1000/secret}}"


@pytest.fixture(autouse=True)
def _named(weaviate_at: WeaviateAt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEAVIATE_URL", weaviate_at.url)
    monkeypatch.setenv("WEAVIATE_GRPC_PORT", str(weaviate_at.grpc_port))


def test_ingest_move_find_and_doctor(tmp_path: Path) -> None:
    file = jsonl(tmp_path, "a.jsonl", [*papers(12), *papers(10, "graph", 101)])
    done = command(tmp_path, "ingest", str(file), "--to", "weaviate", "--library", "far")
    assert "22 papers added" in done.stdout and done.returncode == 0
    again = command(tmp_path, "ingest", str(file), "--library", "far")  # where it is already
    assert "0 papers added" in again.stdout and "22 already there" in again.stdout
    command(tmp_path, "ingest", str(file), "--library", "near")
    moved = command(tmp_path, "move", "near")
    assert "22 papers moved" in moved.stdout and moved.returncode == 0
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps({"graph attention": [papers(1, "graph", 101)[0].key]}))
    for at in ("local", "weaviate"):
        found = command(tmp_path, "bench", "gather", "--gold", str(gold), "--library", "near", "--at", at, "--json")
        assert json.loads(found.stdout)["mean"]["search @100"] == 1.0
    doctor = command(tmp_path, "doctor")
    assert "Weaviate at" in doctor.stdout and "library “far”, 22 papers" in doctor.stdout
    assert command(tmp_path, "bench", "gather", "--gold", str(gold), "--at", "nowhere").returncode == 2


def test_a_weaviate_that_is_away_is_said_and_no_other_library_taken(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    done = command(tmp_path, "write", "graph attention", WEAVIATE_URL=f"http://127.0.0.1:{port}")
    assert done.returncode == 1 and "Weaviate" in done.stdout + done.stderr
    doctor = command(tmp_path, "doctor", WEAVIATE_URL=f"http://127.0.0.1:{port}")
    assert "✗ Weaviate" in doctor.stdout and doctor.returncode == 1


async def test_a_conversation_and_papers_of_one_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "DISCOVERY_S", 0.1)
    async with opened() as lab:
        async with open_app() as app:
            library = await app.libraries.new_library("main", "weaviate")
            await library.add([*papers(12), *papers(10, "graph", 101)])
        async with asyncio.timeout(PATIENCE_S):
            while "main" not in lab.service.app.libraries.names():  # noqa: ASYNC110 - as of another process, nothing tells
                await asyncio.sleep(0.05)
        await lab.chat.backend.handle(Incoming(HERE, "mara", "u1", attachments=(Attachment("own.bib", BIB.encode()),)))
        await lab.settled()
        assert "1 paper added" in lab.chat.last
        await lab.talk("survey graph attention library=main", "ok")
        state = await lab.state()
        assert state.papers
        titles = [f.paper.title for f in state.papers.found]
        assert "Secret Plans of Graph Attention" in titles and len(titles) > 10
    async with open_app() as app:
        for workspace, sees in ((HERE.workspace, True), (replace(HERE, tenant="rivals").workspace, False)):
            session = SurveySession("s", state=State(brief=Brief("graph attention", library="main")))
            context = await app.build_run_context(session, workspace, None, ProcessCache())
            found = await context.library.search(Query("secret plans graph attention", 20))
            assert any("Secret" in item.paper.title for item in found) is sees
        assert not await app.libraries.remove_workspace(replace(HERE, tenant="rivals").workspace)
        assert await app.libraries.remove_workspace(HERE.workspace)
        assert not await app.libraries.has_papers(HERE.workspace)
