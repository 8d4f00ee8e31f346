"""What a survey's figures come to in plain words."""

from __future__ import annotations

from dataclasses import replace

from engine.evaluation.documents import from_survey
from engine.evaluation.measures import EvaluationTools, evaluate_document
from engine.evaluation.quality import entail_by_rule
from engine.evaluation.report import card, write_verdict
from engine.evaluation.scores import Score
from engine.retrieval.libraries.local import LocalLibrary
from engine.values import PaperKey
from tests.engine.evaluation.test_documents import own_survey
from tests.fakes import WordEmbedder, papers


async def test_the_topic_is_not_judged_by_too_few_known_references(library: LocalLibrary) -> None:
    tools = EvaluationTools(library, WordEmbedder(), entail_by_rule(WordEmbedder()))
    survey = own_survey()
    told = card(await evaluate_document(from_survey(survey), "dense retrieval", tools))
    assert "of the closeness to “dense retrieval” that the library's nearest papers have" in told
    assert "; 2 of its 2 references are known here." in told
    unknown = tuple(
        replace(p, key=PaperKey(f"doi:10.1/{n}"), title=f"Unheard {n}", url="") for n, p in enumerate(papers(9))
    )
    few = replace(survey, references=(*survey.references, *unknown))
    told = card(await evaluate_document(from_survey(few), "dense retrieval", tools))
    assert "cannot be told: only 2 of its 11 references are known here, and at least 5 must be." in told
    none = card(await evaluate_document(from_survey(replace(survey, references=unknown)), "dense retrieval", tools))
    assert "cannot be told: none of its 9 references are known here." in none


def test_claims_are_told_with_their_number() -> None:
    recall = {"citation recall": Score("citation recall", 0.5, "asked"), "claims": Score("claims", 4.0, "")}
    assert "supports 2 of its 4 sentences with citations (50%)." in write_verdict(recall, "bees")
    known = Score("citation recall, sources known", 1.0, "approximation: half of the terms")
    share = Score("claims whose sources are all known", 0.25, "")
    told = write_verdict({**recall, known.name: known, share.name: share}, "bees")
    assert "1 of its 1 sentences with citations whose sources are known (100%), as far as a rule" in told
