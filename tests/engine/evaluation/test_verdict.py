"""What a survey's figures come to in plain words."""

from __future__ import annotations

from dataclasses import replace

from engine.evaluation.documents import from_survey
from engine.evaluation.entailment import RuleEntailment
from engine.evaluation.measures import EvaluationTools, evaluate_document
from engine.evaluation.report import card, write_verdict
from engine.evaluation.scores import Score
from engine.retrieval.libraries.local import LocalLibrary
from engine.values import PaperKey
from tests.engine.evaluation.test_documents import own_survey
from tests.fakes import WordEmbedder, papers


async def test_the_topic_is_not_judged_by_too_few_known_references(library: LocalLibrary) -> None:
    tools = EvaluationTools(library, WordEmbedder(), RuleEntailment(WordEmbedder()))
    survey = own_survey()
    told = card(await evaluate_document(from_survey(survey), "dense retrieval", tools))
    assert "This survey keeps to its topic" in told and "; 2 of its 2 references are known here)." in told
    unknown = tuple(
        replace(p, key=PaperKey(f"doi:10.1/{n}"), title=f"Unheard {n}", url="") for n, p in enumerate(papers(9))
    )
    few = replace(survey, references=(*survey.references, *unknown))
    told = card(await evaluate_document(from_survey(few), "dense retrieval", tools))
    assert "cannot be judged: only 2 of its 11 references are known here, and at least 5 must be." in told
    none = card(await evaluate_document(from_survey(replace(survey, references=unknown)), "dense retrieval", tools))
    assert "cannot be judged: none of its 9 references are known here." in none


def test_a_share_of_few_claims_is_no_verdict() -> None:
    recall = {"citation recall": Score("citation recall", 1.0, "asked")}
    assert "Only 1 sentence has citations, too few" in write_verdict(
        {**recall, "claims": Score("claims", 1.0, "")}, "bees"
    )
    assert "Only 4 sentences have citations, too few" in write_verdict(
        {**recall, "claims": Score("claims", 4.0, "")}, "bees"
    )
    assert "100% of the sentences" in write_verdict({**recall, "claims": Score("claims", 5.0, "")}, "bees")
