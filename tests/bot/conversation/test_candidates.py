"""Several surveys for one brief: both are kept, can be looked at, and another one can be taken."""

from __future__ import annotations

import pytest

from engine.llm.prompting import prompt_digests
from engine.retrieval.libraries.local import LocalLibrary
from tests.lab import opened
from tests.stand_ins.simulation import SimulatedService, run_simulated_service


async def test_the_candidates_are_shown_and_another_one_is_taken(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        monkeypatch.setenv("SCHOLIUM_CANDIDATES", "2")
        async with opened() as lab:
            await lab.talk("survey dense retrieval recipe=autosurvey sections=3 words=60", "ok", "ok", "ok")
            state = await lab.state()
            assert len(state.candidates) == 2
            assert state.survey and dict(state.survey.prompts) == prompt_digests()
            assert dict(state.survey.facts)["Length"].endswith("(under 8k)")
            other = 3 - state.chosen
            await lab.talk("candidates")
            assert "coverage" in lab.chat.last
            assert lab.chat.last.count("this is the survey") == 1
            await lab.talk(f"choose {other}")
            chosen = await lab.state()
            assert chosen.survey == state.candidates[other - 1].survey
            assert chosen.outline == state.candidates[other - 1].outline
            said = (
                f"Candidate {other} is the survey now: {len(chosen.survey.sections)} sections" if chosen.survey else ""
            )
            assert any(message.text.startswith(said) for message in lab.chat.sent)
            await lab.talk("undo")
            assert (await lab.state()).survey == state.survey
            said_before = len(lab.chat.sent)
            await lab.talk(f"choose {state.chosen}")
            assert any(
                m.text == "Nothing to change: that is how it stands already." for m in lab.chat.sent[said_before:]
            )
            await lab.talk("choose candidate 7")
            assert "There is no candidate 7" in lab.chat.last
