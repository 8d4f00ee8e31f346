"""The budget reached while an outline is made: calls in flight finish, what is there is kept, and the rest is said."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from engine.errors import LimitExceeded
from engine.limits import Limits
from engine.llm.model import A, Request
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.recipes.cluster import ClusterRecipe
from engine.recipes.organiser import OrganiserRecipe
from engine.recipes.surveyx import SurveyXRecipe
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import Recipe, RunContext
from engine.values import Brief, FoundPaper, Outline, PaperSelection
from tests.engine.recipes.test_surveyx import Abstracts
from tests.fakes import FakeModel, WordEmbedder, papers
from tests.stand_ins.simulation import simulate_answer

USED_UP = "The budget of $1.00 for this survey is used up."
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in [*papers(14), *papers(12, "graph", 101)]))


@dataclass
class SpentModel(FakeModel):
    """Refuses the second call of a step as over the budget, while the others of that step are under way."""

    step: str = ""
    refused: asyncio.Event = field(default_factory=asyncio.Event)
    begun: list[str] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)

    async def answer_typed(self, request: Request, kind: type[A]) -> A:
        if not request.step.startswith(self.step):
            return await super().answer_typed(request, kind)
        self.begun.append(request.step)
        if len(self.begun) == 2:
            self.refused.set()
            raise LimitExceeded(USED_UP)
        await self.refused.wait()
        await asyncio.sleep(0)
        answer = await super().answer_typed(request, kind)
        self.finished.append(request.step)
        return answer


async def plan(recipe: Recipe, model: FakeModel, library: LocalLibrary, selection: PaperSelection) -> Outline:
    brief, limits = Brief("dense retrieval", recipe.name, sections=5), Limits(full_texts=len(selection.found))
    context = RunContext(library, WordEmbedder(), limits, model)
    context = replace(context, texts=Abstracts() if recipe.name == "surveyx" else None)
    outline = await recipe.outline(brief, selection, context)
    return await recipe.headings(brief, selection, outline, context) if "headings" in recipe.steps else outline


@pytest.mark.parametrize(
    ("recipe", "step"),
    [
        (AutoSurveyRecipe(), "subsections/"),
        (OrganiserRecipe(), "parts/"),
        (ClusterRecipe(), "heading/"),
        (SurveyXRecipe(), "kinds/"),
        (SurveyXRecipe(), "trees/"),
        (SurveyXRecipe(), "mount/"),
        (SurveyXRecipe(), "divide/"),
    ],
)
async def test_calls_in_flight_finish_and_the_outline_says_what_is_missing(
    library: LocalLibrary, recipe: Recipe, step: str
) -> None:
    model = SpentModel(simulate_answer, step=step)
    outline = await plan(recipe, model, library, SELECTION)
    assert len(model.finished) == len(model.begun) - 1 > 0
    assert [note for note in outline.notes if USED_UP in note]
