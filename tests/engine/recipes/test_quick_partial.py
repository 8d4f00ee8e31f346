"""A quick review that a budget or a failing service ends early: what is finished is delivered, and that is said."""

from __future__ import annotations

import json
from collections import Counter
from typing import get_args

import pytest

from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import Task
from engine.retrieval.libraries.local import LocalLibrary
from engine.retrieval.online.queries import BooleanQuery
from engine.reviews.review_search import weigh_papers
from engine.survey import walk
from engine.values import FoundPaper
from tests.engine.recipes.test_quick import review, support_all, thinking
from tests.engine.recipes.test_surveyx import Killed, Recorded
from tests.fakes import FakeModel, paper, papers
from tests.stand_ins.simulation import simulate_answer


async def test_what_was_read_before_the_budget_ended_is_delivered(library: LocalLibrary) -> None:
    read: list[str] = []

    def until_three(prompt: str) -> str:
        read.append(prompt)
        if len(read) > 1:
            raise LimitExceeded("The budget of this survey is used up.")
        return simulate_answer(prompt, "StudiesAnswer")

    found = await review(library, thinking(StudiesAnswer=until_three), share=90)
    assert 1 <= len(found.papers.list_included()) <= 4
    assert found.survey.references
    limits = next(s.text for s in found.survey.sections if "Limits" in s.title)
    assert "Reading ended early: The budget of this survey is used up." in limits
    assert "model failed" not in limits

    def never(_: str) -> str:
        raise LimitExceeded("The budget of this survey is used up.")

    with pytest.raises(LimitExceeded, match="used up"):
        await review(library, thinking(StudiesAnswer=never))


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


def test_the_weights_are_those_of_jarvis() -> None:
    found = [
        FoundPaper(paper(1, citations=0, identifiers=()), 1.0),
        FoundPaper(paper(1, citations=100, identifiers=(), year=2020), 0.5),
        FoundPaper(paper(1, citations=0), 0.0),
    ]
    assert weigh_papers(found, 2024) == pytest.approx([0.6, 0.3 + 0.25, 0.15])


def test_a_query_names_a_paper_that_has_a_phrase_of_each_group() -> None:
    asked = BooleanQuery((("dense retrieval", "passage index"), ("variant3",)))
    assert [n for n, own in enumerate(papers(5), start=1) if asked.names(own)] == [3]


async def test_conclusions_that_disagree_stand_side_by_side(library: LocalLibrary) -> None:
    def conclude(prompt: str) -> str:
        answer = json.loads(simulate_answer(prompt, "ConclusionsAnswer"))
        first, second, *_ = answer["conclusions"]
        first.update(otherwise=second["statement"], others=second["papers"])
        return json.dumps({**answer, "conclusions": [first]})

    found = await review(library, thinking(CheckAnswer=support_all, ConclusionsAnswer=conclude))
    conclusions = next(s for s in found.survey.sections if s.title == "Conclusions")
    one, other = conclusions.claims
    assert conclusions.text == f"- {one.text} Against that: {other.text}"
