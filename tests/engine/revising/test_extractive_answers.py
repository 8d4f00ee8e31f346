"""Questions after a survey, answered without a language model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.retrieval.libraries.local import LocalLibrary
from engine.revising.extractive_answers import answer_by_quotation, answer_by_record, list_works_of
from engine.revising.question_kinds import fits_question
from engine.run import RunContext
from engine.survey import Survey
from engine.values import FoundPaper, PaperSelection
from tests.fakes import WordEmbedder, paper

DENSE = (
    "Open-domain question answering relies on efficient passage retrieval. We propose a dual encoder that learns from "
    "questions and passages. Experiments show that our encoder outperforms BM25 by 9 points in accuracy. However, long "
    "questions remain an open problem."
)
ONE, TWO = (
    paper(1, authors=("Vladimir Karpukhin", "Barlas Oğuz"), abstract=DENSE),
    paper(2, authors=("Ada Stone", "V. Karpukhin")),
)
THREE = paper(3, authors=("Jan van den Berg", "Ida Shaw"), year=2019)
GATHERED = (ONE, TWO, THREE)
NEWEST = replace(ONE, key=THREE.key, year=2019, citations=40)


@pytest.mark.parametrize(
    ("question", "works"),
    [
        ("What did Karpukhin et al. find?", [ONE]),
        ("what did karpukhin find", [ONE]),
        ("What did Stone and Karpukhin propose?", [TWO]),
        ("What did van den Berg (2019) show?", [THREE]),
        ("What did van den Berg et al. 2021 show?", []),
        ("What did Oguz find?", [ONE]),
        ("What did the authors find?", []),
        ("What did Karpukhin find about the price of tea?", []),
    ],
)
def test_the_works_of_those_who_are_named_are_found(question: str, works: list[object]) -> None:
    assert list_works_of(question, GATHERED) == works


def test_what_somebody_found_is_quoted_from_their_paper(library: LocalLibrary) -> None:
    selection = PaperSelection(tuple(FoundPaper(one, 1.0) for one in GATHERED))
    context = RunContext(library, WordEmbedder())
    found = answer_by_quotation("What did Karpukhin et al. find?", selection, Survey("S", "", (), ()), context)
    assert [citation.key for claim in found.claims for citation in claim.citations] == [ONE.key]
    assert "outperforms" in found.claims[0].text


def test_what_goes_on_from_a_sentence_before_is_not_quoted_alone(library: LocalLibrary) -> None:
    leaning = paper(
        4,
        authors=("Lea Moss",),
        abstract="We propose a retriever for all scripts. It also achieves an accuracy of 81.5% across languages.",
    )
    selection = PaperSelection((FoundPaper(leaning, 1.0),))
    context = RunContext(library, WordEmbedder())
    found = answer_by_quotation("What did Moss find?", selection, Survey("S", "", (), ()), context)
    assert "a retriever for all scripts" in found.claims[0].text


@pytest.mark.parametrize(
    ("question", "key", "said"),
    [
        ("Which is the oldest?", ONE.key, "The oldest, of 2001, of 2 papers here: "),
        ("What is the newest paper?", NEWEST.key, "The newest, of 2019, of 2 papers here: "),
        ("which of them is cited most?", NEWEST.key, "Cited most, 40 times, of 2 papers here: "),
        ("which of them is the oldest about birds?", "", ""),
    ],
)
def test_the_oldest_the_newest_and_the_most_cited_are_told_by_the_records(question: str, key: str, said: str) -> None:
    found = answer_by_record(question, (replace(ONE, citations=7), NEWEST))
    assert [claim.citations[0].key for claim in found] == ([key] if key else [])
    assert all(claim.text.startswith(said) for claim in found)


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        ("Which data sets are used?", "We test on the PeakQA dataset.", True),
        ("Which data sets are used?", "It is trivial to evaluate the model.", False),
        ("How many questions does PeakQA hold?", "PeakQA holds 113,000 pairs of questions.", True),
        ("How many questions does PeakQA hold?", "Three models answer these questions.", False),
        ("What is the best result on PeakQA?", "On PeakQA it outperforms others by 14 points.", True),
        ("What is the best result on PeakQA?", "PeakQA is built from pages.", False),
        ("What are the limits of retrieval?", "Retrieval fails on long texts.", True),
        ("What are the limits of retrieval?", "We propose retrieval for long texts.", False),
        ("Who proposed voting?", "We propose voting among answers.", True),
        ("Who proposed voting?", "With voting, answers improve.", False),
    ],
)
def test_a_sentence_answers_the_kind_of_question(question: str, text: str, fits: bool) -> None:  # noqa: FBT001
    assert fits_question(question, text, "Peaks") == fits


SPARSE = paper(
    6,
    title="ScanRank: Ranking by Scans",
    authors=("Ida Moss",),
    abstract=(
        "Rankers forget rare words because their training sets are small. Previous scans were slow. "
        "We propose a ranking by scans. ScanRank is a ranker that reads texts twice. "
        "We evaluate ScanRank on the ScanBench data set."
    ),
)
HYPERBOLIC = paper(
    7,
    title="Trees in Hyperbolic Space",
    authors=("Jo Lind",),
    abstract="Rankers of trees are large. We place trees in hyperbolic space, where they need few dimensions.",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Why do rankers forget rare words?", "because their training sets are small"),
        ("Why are rankers of trees in hyperbolic space?", ""),
        ("What is ScanRank?", "is a ranker that reads texts twice"),
        ("Who introduced ScanRank?", "We propose a ranking by scans"),
        ("Which data sets is ScanRank evaluated on?", "ScanBench"),
        ("Which papers deal with hyperbolic space?", "We place trees in hyperbolic space"),
        ("What are the weaknesses of ScanRank?", ""),
    ],
)
def test_an_answer_is_what_was_asked_for_or_none(question: str, answer: str, library: LocalLibrary) -> None:
    selection = PaperSelection(tuple(FoundPaper(one, 1.0) for one in (*GATHERED, SPARSE, HYPERBOLIC)))
    context = RunContext(library, WordEmbedder())
    found = answer_by_quotation(question, selection, Survey("S", "", (), ()), context)
    said = found.claims[0].text if found.claims else ""
    assert answer in said
    assert bool(said) == bool(answer)
