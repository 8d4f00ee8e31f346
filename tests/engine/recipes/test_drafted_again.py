"""What follows the draft of a subsection: its check beside its transitions, and another draft where little is left."""

from __future__ import annotations

import asyncio
import re
from typing import ClassVar

from bot.bench.simulation import simulate_answer
from engine.llm.model import A, Request
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import WritingTask
from engine.survey import walk
from engine.values import walk_outline
from tests.engine.recipes.test_autosurvey import BRIEF, SELECTION, context
from tests.fakes import FakeModel


async def test_a_draft_that_the_check_empties_is_asked_for_again_with_what_it_lost(library: LocalLibrary) -> None:
    def reply(prompt: str, schema: str) -> str:
        if schema or "Write the subsection" not in prompt or "was not used" in prompt:
            return simulate_answer(prompt, schema)
        key = re.findall(r'<paper key="([^"]+)">', prompt)[0]
        return " ".join(f"It reaches {90 + i} percent on the tasks of MarsBench{i} [@{key}]." for i in range(9))

    model = FakeModel(reply)
    recipe = AutoSurveyRecipe()
    outline = await recipe.outline(BRIEF, SELECTION, context(library, model))
    survey = await recipe.write(WritingTask(BRIEF, SELECTION, outline), context(library, model))
    again = [request.prompt.question for request in model.asked("draft/") if "/again" in request.step]
    assert len(again) == sum(not n.children and n.role == "body" for _, n in walk_outline(outline.nodes))
    for question in again:
        assert "- It reaches 93 percent on the tasks of MarsBench3" in question
        assert "(“93 percent” stands in none of its sources; “MarsBench3” is named in none of its sources" in question
    assert "MarsBench" not in " ".join(section.text for _, section in walk(survey.sections))


async def test_a_conclusion_that_the_check_empties_is_written_again_with_what_it_lost(library: LocalLibrary) -> None:
    def reply(prompt: str, schema: str) -> str:
        if schema or "It concludes the survey" not in prompt or "was not used" in prompt:
            return simulate_answer(prompt, schema)
        key = re.findall(r"\[@([^\]]+)\]", prompt)[0]
        return " ".join(f"It reaches {90 + i} percent on the tasks of MarsBench{i} [@{key}]." for i in range(9))

    model, recipe = FakeModel(reply), AutoSurveyRecipe()
    outline = await recipe.outline(BRIEF, SELECTION, context(library, model))
    survey = await recipe.write(WritingTask(BRIEF, SELECTION, outline), context(library, model))
    asked = model.asked(f"frame/0/{outline.nodes[-1].title}")
    assert [request.step.endswith("/again") for request in asked] == [False, True]
    assert "- It reaches 93 percent on the tasks of MarsBench3" in asked[1].prompt.question
    assert survey.sections[-1].title == outline.nodes[-1].title
    assert "MarsBench" not in survey.sections[-1].text
    assert len(model.asked("frame/0/Abstract")) == 1


class ConnectsLast(FakeModel):
    """A model that answers the first request for transitions only when a check was asked for."""

    checking: ClassVar[asyncio.Event]

    async def answer_typed(self, request: Request, kind: type[A]) -> A:
        if request.step.startswith("check/"):
            self.checking.set()
        elif request.step.startswith("coherence/"):
            await asyncio.wait_for(self.checking.wait(), 10)
        return await super().answer_typed(request, kind)


async def test_a_check_does_not_wait_for_the_transitions(library: LocalLibrary) -> None:
    ConnectsLast.checking = asyncio.Event()
    model, recipe = ConnectsLast(simulate_answer), AutoSurveyRecipe()
    outline = await recipe.outline(BRIEF, SELECTION, context(library, model))
    survey = await recipe.write(WritingTask(BRIEF, SELECTION, outline), context(library, model))
    assert any("Seen from what came before" in section.text for _, section in walk(survey.sections))
    assert model.asked("check/") and not [w for w in survey.warnings if w.kind == "unfinished"]
