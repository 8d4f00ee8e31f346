"""What a program sees of a claim that its source does not say."""

from __future__ import annotations

import pytest

from engine.checking.faults import Source, Vocabulary, find_faults
from engine.checking.quantities import quantities
from tests.fakes import paper

ABSTRACT = (
    "Retrieval-augmented generation (RAG) grounds large language models (LLMs) in documents. "
    "We present DenseRAG, which may reduce hallucination on two data sets, TriviaQA and NaturalQuestions. "
    "DenseRAG outperforms BM25 by 9%-19% in accuracy and needs 1.5 million passages. "
    "It does not improve answers to questions about dates. "
    "Training takes half of the time that earlier retrievers take."
)
PAPER = paper(
    1, title="Dense Retrieval for Generation", abstract=ABSTRACT, authors=("Ada Karpukhin", "B. Oguz"), year=2020
)
VOCABULARY = Vocabulary.of([PAPER])


def kinds(claim: str) -> set[str]:
    return {fault.kind for fault in find_faults(claim, [Source(PAPER)], VOCABULARY)}


@pytest.mark.parametrize(
    "claim",
    [
        "DenseRAG outperforms BM25 by 9 to 19 percent in accuracy.",
        "Karpukhin et al. (2020) present DenseRAG, which may reduce hallucination.",
        "With 1,500,000 passages DenseRAG outperforms BM25.",
        "LLMs are grounded in documents by RAG.",
        "On TriviaQA, DenseRAG improves over BM25 in accuracy.",
        "Training takes 50% of the time of earlier retrievers.",
        "Retrieval can ground language models in documents.",
        "Answers to questions about dates are not improved by DenseRAG.",
    ],
)
def test_what_the_source_says_in_other_words_has_no_fault(claim: str) -> None:
    assert kinds(claim) == set()


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("DenseRAG outperforms BM25 by 29% in accuracy.", "number"),
        ("DenseRAG needs 1.5 billion passages.", "number"),
        ("DenseRAG may reduce hallucination on three data sets.", "number"),
        ("In 2018, DenseRAG may have reduced hallucination.", "number"),
        ("DenseRAG outperforms BM25 by 9x in accuracy.", "number"),
        ("DenseRAG outperforms ColBERT in accuracy.", "name"),
        ("On HotpotQA, DenseRAG may reduce hallucination.", "name"),
        ("Smith et al. present DenseRAG, which may reduce hallucination.", "name"),
        ("DenseRAG is the first method that may reduce hallucination.", "strength"),
        ("DenseRAG always outperforms BM25 in accuracy.", "strength"),
        ("DenseRAG may fully reduce hallucination on two data sets.", "strength"),
        ("DenseRAG outperforms all methods in accuracy.", "strength"),
        ("DenseRAG eliminates hallucination on two data sets.", "strength"),
        ("DenseRAG is proven to reduce hallucination on two data sets.", "strength"),
        ("It does improve answers to questions about dates.", "polarity"),
        ("DenseRAG underperforms BM25 by 9%-19% in accuracy.", "polarity"),
        ("DenseRAG reduces hallucination on two data sets, TriviaQA and NaturalQuestions.", "hedge"),
        ("BM25 outperforms DenseRAG by 9%-19% in accuracy.", "order"),
        ("Bridges of steel corrode under salt water and heavy load.", "subject"),
    ],
)
def test_what_the_source_does_not_say_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds(claim)


def test_a_claim_that_is_its_source_word_for_word_has_no_fault() -> None:
    for sentence in ABSTRACT.split(". "):
        assert kinds(sentence.removesuffix(".") + ".") == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("improves by 9%-19% absolute", [(9.0, "percent"), (19.0, "percent")]),
        ("1.5 million of 21M", [(1.5e6, ""), (2.1e7, "")]),
        ("twenty-five tasks, one of the first", [(25.0, "")]),
        ("twice as fast, a 3-fold gain", [(3.0, "times"), (2.0, "times")]),
        ("two thirds of the questions", [(2 / 3, "times")]),
        ("on the 3rd of May", []),
        ("one hundred thousand questions", [(100_000.0, "")]),
    ],
)
def test_numbers_are_read_however_they_are_written(text: str, found: list[tuple[float, str]]) -> None:
    assert [(q.value, q.unit) for q in quantities(text) if q.words != "two"] == found
