"""A survey of ours, judged by what it was made from."""

from __future__ import annotations

from dataclasses import replace

from engine.evaluation.documents import from_survey
from engine.evaluation.measures import EvaluationTools, evaluate_document
from engine.evaluation.quality import entail_by_rule
from engine.retrieval.libraries.library import EmptyLibrary
from tests.engine.evaluation.test_documents import own_survey
from tests.fakes import WordEmbedder


async def test_our_own_survey_is_judged_by_its_own_references_wherever_they_came_from() -> None:
    survey = own_survey()
    tools = EvaluationTools(EmptyLibrary(), WordEmbedder(), entail_by_rule(WordEmbedder()))
    scores = (await evaluate_document(from_survey(survey), "retrieval", replace(tools, survey=survey))).scores()
    assert scores["claims whose sources are all known"].value == 1.0
    unknown = (await evaluate_document(from_survey(survey), "retrieval", tools)).scores()
    assert unknown["claims whose sources are all known"].value == 0.0
