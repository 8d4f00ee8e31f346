"""What the check does to SurveyX's sections: too great a loss is drafted once more, and nothing goes past it."""

from __future__ import annotations

import json
import re

from bot.bench.simulation import simulate_answer
from engine.survey import walk
from tests.engine.recipes.test_surveyx import context, whole_survey
from tests.fakes import FakeModel

FALSE = "It reaches 99.9 percent on ImageNet"


async def test_a_draft_that_loses_its_claims_is_written_once_more_and_told_which() -> None:
    def reply(prompt: str, schema: str) -> str:
        is_draft = not schema and "Write the subsection" in prompt
        if is_draft and "Your last draft was not used" not in prompt:
            keys = re.findall(r'<paper key="([^"]+)">', prompt)
            return " ".join(f"{FALSE} in setting {at} [@{key}]." for at, key in enumerate((keys * 20)[:15]))
        return simulate_answer(prompt, schema)

    model = FakeModel(reply)
    _, survey = await whole_survey(context(model))
    drafts = model.asked("draft/")
    again = [request for request in drafts if "/again" in request.step]
    assert len(again) == len(drafts) / 2
    assert all(FALSE in request.prompt.question for request in again)
    assert all(FALSE not in section.text for _, section in walk(survey.sections))
    assert sum(bool(section.claims) for _, section in walk(survey.sections)) >= len(again)


async def test_a_section_of_parts_names_them_and_not_what_its_plan_says() -> None:
    def reply(prompt: str, schema: str) -> str:
        answer = simulate_answer(prompt, schema)
        if schema not in {"OutlineAnswer", "WholeOutlineAnswer", "DivideAnswer"}:
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
