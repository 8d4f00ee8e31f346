"""What stands in SurveyX's sections that no check sees: nothing but what was approved."""

from __future__ import annotations

import json

from tests.engine.recipes.test_surveyx import context, whole_survey
from tests.fakes import FakeModel
from tests.stand_ins.simulation import simulate_answer

FALSE = "It reaches 99.9 percent on ImageNet"


async def test_a_section_of_parts_names_them_and_not_what_its_plan_says() -> None:
    def reply(prompt: str, schema: str) -> str:
        answer = simulate_answer(prompt, schema)
        if schema not in {"OutlineAnswer[Plan]", "OutlineAnswer[DividedPlan[Plan]]", "PartsAnswer[HintedPart]"}:
            return answer
        return json.dumps(_describe(json.loads(answer)))

    _, survey = await whole_survey(context(FakeModel(reply)))
    divided = [section for section in survey.sections if section.sections]
    assert divided
    for section in divided:
        assert FALSE not in section.text
        assert all(part.title in section.text for part in section.sections)


def _describe(answer: object) -> object:
    """The answer with a falsehood in every description."""
    if isinstance(answer, dict):
        return {k: f"{FALSE}." if k == "description" else _describe(v) for k, v in answer.items()}
    return [_describe(item) for item in answer] if isinstance(answer, list) else answer
