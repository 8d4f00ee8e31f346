"""Questions after a survey, answered without a language model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.wording.discussion import answer as word_answer
from engine.citations import cite
from engine.retrieval.libraries.local import LocalLibrary
from engine.revising.extractive_answers import answer_by_quotation
from engine.revising.paper_records import answer_from_records
from engine.run import Answer, RunContext
from engine.session.events import Exchange
from engine.survey import Section, Survey
from engine.values import FoundPaper, PaperSelection
from tests.fakes import WordEmbedder, paper

DENSE = paper(
    1,
    title="DualRank: Dense Passage Retrieval",
    authors=("Vladimir Karpukhin", "Ada Stone"),
    year=2020,
    venue="EMNLP",
    citations=90,
    abstract=(
        "Question answering relies on efficient passage retrieval. We propose a dual encoder of passages, DualRank. "
        "Experiments show that the dual encoder outperforms sparse retrieval by 9 points of accuracy."
    ),
)
DRUG = paper(
    2,
    title="Headache after two drugs",
    authors=("Ida Shaw",),
    year=2002,
    venue="Headache",
    abstract=(
        "OBJECTIVE: To compare relapse of headache after almotriptan and after placebo. "
        "METHODS: A hundred patients took one of the two. "
        "RESULTS: Headache relapsed in 28% of the patients who took almotriptan and in 41% of the others."
    ),
)
SPARSE = paper(
    3,
    title="ScanRank: Ranking by Scans",
    authors=("Ada Stone",),
    year=2020,
    venue="Proceedings of EMNLP",
    abstract="ScanRank reads all texts twice. It needs no vectors and stays slow on large collections.",
)
GATHERED = (DENSE, DRUG, SPARSE)
SURVEY = Survey("S", "", (Section("Drugs", f"Drugs {cite([DRUG.key])}."),), (DENSE, DRUG))


def ask(question: str, library: LocalLibrary, *asked: Exchange) -> Answer:
    selection = PaperSelection(tuple(FoundPaper(one, 1.0) for one in GATHERED))
    return answer_by_quotation(question, selection, SURVEY, RunContext(library, WordEmbedder(), asked=asked))


def cited(answer: Answer) -> list[str]:
    return [citation.key for claim in answer.claims for citation in claim.citations]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how many papers are there?", "There are 3 papers here"),
        ("how many papers are from 2020?", "2 of the 3 papers here are from 2020"),
        ("which papers appeared before 2010?", f"1 of the 3 papers here is before 2010 {cite([DRUG.key])}"),
        ("How many papers are from EMNLP since 2020?", "2 of the 3 papers here are since 2020"),
        ("how many papers are in section 1?", "1 of the 3 papers here is cited in section 1"),
        ("how many papers mention headache?", "1 of the 3 papers here is with “headache”"),
        ("who wrote most?", f"by Ada Stone {cite([DENSE.key, SPARSE.key])}: 2"),
        ("which author has the most papers?", "by Ada Stone"),
        ("which venue has most papers?", "from EMNLP"),
        ("what is the oldest paper?", "The oldest, of 2002: “Headache after two drugs”"),
        ("which paper is cited most?", "Cited most, 90 times: “DualRank"),
        ("when was DualRank published?", "is of 2020"),
        ("who wrote ScanRank?", "is by Ada Stone"),
        ("where and when was [2] published?", "is of 2002 and appeared at Headache"),
        ("how often does headache relapse?", ""),
        ("which drugs are from plants?", ""),
        ("why are papers retracted?", ""),
    ],
)
def test_what_the_records_know_is_told_by_them(question: str, told: str) -> None:
    said = answer_from_records(question, GATHERED, SURVEY)
    assert told in said if told else not said


def test_records_without_venues_say_so() -> None:
    bare = [replace(one, venue="") for one in GATHERED]
    assert "names a venue" in answer_from_records("which journal appears most often?", bare, SURVEY)


def test_the_sentence_that_answers_is_quoted_without_the_label_of_its_part(library: LocalLibrary) -> None:
    found = ask("how often does headache relapse after almotriptan?", library)
    assert set(cited(found)) == {DRUG.key}
    assert "“Headache relapsed in 28%" in found.claims[0].text
    assert not found.faint


def test_papers_that_do_not_speak_of_it_do_not_say(library: LocalLibrary) -> None:
    assert not ask("what do the papers say about the price of coffee?", library).claims


def test_what_only_comes_near_is_called_so(library: LocalLibrary) -> None:
    found = ask("is the dual encoder for tables and numbers?", library)
    assert found.faint
    assert "comes nearest" in word_answer(found)


def test_what_is_compared_is_named_in_what_is_quoted(library: LocalLibrary) -> None:
    found = ask("compare almotriptan and placebo", library)
    assert "almotriptan and after placebo" in found.claims[0].text
    apart = ask("what is the difference between DualRank and ScanRank?", library)
    assert set(cited(apart)) == {DENSE.key, SPARSE.key}
    assert apart.apart
    missing = ask("compare almotriptan and aspirin", library)
    assert missing.unmentioned == ("aspirin",)
    assert "No paper here names “aspirin”" in word_answer(missing)


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("what did Karpukhin et al. find?", DENSE.key),
        ("what is DualRank?", DENSE.key),
        ("what is [2] about?", DRUG.key),
        ("what does Ranking by Scans do?", SPARSE.key),
    ],
)
def test_a_work_that_is_named_is_told_in_its_own_words(question: str, key: str, library: LocalLibrary) -> None:
    assert set(cited(ask(question, library))) == {key}


def test_a_question_that_refers_to_the_last_answer_is_asked_of_its_papers(library: LocalLibrary) -> None:
    before = Exchange("which rankers read texts?", f"ScanRank reads all texts twice {cite([SPARSE.key])}.")
    assert cited(ask("are they slow?", library, before)) == [SPARSE.key]
    assert "is of 2020" in ask("when was it published?", library, before).records
