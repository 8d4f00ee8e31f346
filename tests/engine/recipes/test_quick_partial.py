"""A quick review that a budget or a failing service ends early: what is finished is delivered, and that is said."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest

from bot.bench.simulation import simulate_answer
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import Task
from engine.retrieval.libraries.local import LocalLibrary
from engine.survey import walk
from tests.engine.recipes.test_quick import review, thinking
from tests.engine.recipes.test_surveyx import Killed, Recorded
from tests.fakes import FakeModel


async def test_what_was_read_before_the_budget_ended_is_delivered(library: LocalLibrary) -> None:
    read: list[str] = []

    def until_three(prompt: str) -> str:
        read.append(prompt)
        if len(read) > 3:
            raise LimitExceeded("The budget of this survey is used up.")
        return simulate_answer(prompt, "StudyAnswer")

    found = await review(library, thinking(StudyAnswer=until_three), share=90)
    assert 1 <= len(found.papers.list_included()) <= 3
    assert found.survey.references
    limits = next(s.text for s in found.survey.sections if "Limits" in s.title)
    assert "Reading ended early: The budget of this survey is used up." in limits

    def never(_: str) -> str:
        raise LimitExceeded("The budget of this survey is used up.")

    with pytest.raises(LimitExceeded, match="used up"):
        await review(library, thinking(StudyAnswer=never))


@pytest.mark.parametrize(
    "failure", [LimitExceeded("The budget is used up."), LanguageModelError("The service failed.")]
)
async def test_studies_and_answers_that_are_there_stay_where_others_fail(
    library: LocalLibrary, failure: Exception
) -> None:
    def answer(prompt: str) -> str:
        if "Answer research question 1" not in prompt:
            raise failure
        return simulate_answer(prompt, "")

    found = await review(library, FakeModel(lambda p, s: simulate_answer(p, s) if s else answer(p)))
    assert any(section.tables for _, section in walk(found.survey.sections))
    assert {w.detail for w in found.survey.warnings if w.kind == "unfinished"} == {str(failure)}


async def test_a_review_that_dies_in_three_steps_pays_for_no_call_twice(library: LocalLibrary) -> None:
    record, models = MemoryRecord(), dict.fromkeys(get_args(Task), "simulated")

    def model(provider: Recorded) -> MeteredModel:
        return MeteredModel(provider, models, Throttle(4), Account(), record, "job")  # type: ignore[arg-type]

    runs = [Recorded("study"), Recorded("answer"), Recorded("check"), Recorded()]
    for dying in runs[:-1]:
        with pytest.raises((Killed, ExceptionGroup)):
            await review(library, model(dying))
    found = await review(library, model(runs[-1]))
    assert found.survey.references
    paid = Counter(step for run in runs for step in run.asked)
    assert max(paid.values()) == 1
