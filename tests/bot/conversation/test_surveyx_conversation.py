"""A whole survey by recipe=surveyx in a conversation, with the simulated language model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bot.app import open_app
from engine.survey import walk
from engine.values import walk_outline
from tests.fakes import papers
from tests.lab import opened
from tests.stand_ins.simulation import SimulatedService, run_simulated_service


@pytest.fixture
async def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCHOLIUM_HOME", str(tmp_path))
    monkeypatch.setenv("SCHOLIUM_LIBRARY", "main")
    async with open_app() as app:
        made = await app.libraries.new_library("main", "local")
        await made.add([*papers(24), *papers(16, "graph", 101)])
        await made.index(lambda _: None)
    return tmp_path


async def test_a_survey_from_topic_to_text_and_a_second_one_from_the_same_forest(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened() as lab:
            await lab.talk("survey dense retrieval recipe=surveyx sections=4 words=80", "ok", "ok")
            assert "hints" in lab.chat.last
            await lab.chat.say("ok")
            survey = await lab.survey()
            approved = (await lab.state()).outline
            assert approved is not None
            missing = {n.title for _, n in walk_outline(approved.nodes)} - {s.title for _, s in walk(survey.sections)}
            assert missing <= {w.place for w in survey.warnings if w.kind == "unfinished"}
            assert survey.references
            assert any(section.claims for _, section in walk(survey.sections))
            await lab.chat.say("tree 1")
            assert "No attribute tree" in lab.chat.last  # no full text is read here
            await lab.chat.say("why figure 1")
            assert "as they were approved" in lab.chat.last
            await lab.chat.say("why table 99")
            assert "There is no table 99; the survey has none" in lab.chat.last
            first = Counter(call.kind for call in service.calls)
            await lab.talk("start over", "survey dense retrieval recipe=surveyx sections=3 words=80", "ok", "ok")
            second = Counter(call.kind for call in service.calls) - first
            assert first["TreesAnswer"] == 0 < first["MountAnswer"]
            assert second["MountAnswer"] > 0
            assert second["TreesAnswer"] == 0
