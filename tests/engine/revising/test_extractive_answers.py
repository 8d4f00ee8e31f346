"""Questions after a survey, answered without a language model."""

from __future__ import annotations

import asyncio

import pytest

from bot.wording.discussion import answer as word_answer
from engine.citations import cite
from engine.retrieval.libraries.local import LocalLibrary
from engine.revising.answers import answer_question
from engine.revising.paper_records import answer_count
from engine.run import Answer, RunContext
from engine.session.events import Exchange
from engine.survey import Section, Survey
from engine.values import Brief, FoundPaper, PaperSelection
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
    context = RunContext(library, WordEmbedder(), asked=asked)
    return asyncio.run(answer_question(Brief("x"), question, selection, SURVEY, context))


def cited(answer: Answer) -> list[str]:
    return [citation.key for claim in answer.claims for citation in claim.citations]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "when was DualRank published?",
            "Retrieval”: by Vladimir Karpukhin and Ada Stone, 2020, EMNLP, cited 90 times",
        ),
        ("who wrote ScanRank?", "“ScanRank: Ranking by Scans”: by Ada Stone, 2020, Proceedings of EMNLP"),
        ("where and when was [2] published?", "“Headache after two drugs”: by Ida Shaw, 2002, Headache"),
        ("who wrote [1–3]?", "“Headache after two drugs”: by Ida Shaw, 2002, Headache"),
    ],
)
def test_what_is_named_is_told_with_its_record(question: str, told: str, library: LocalLibrary) -> None:
    assert told in word_answer(ask(question, library)).partition("By the papers’ records: ")[2]


def test_a_number_that_no_reference_can_have_is_read_as_a_word(library: LocalLibrary) -> None:
    assert "do not say" in word_answer(ask(f"what of [{'9' * 5_000}]?", library))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how many papers are there?", "3 papers; of 2002 (1) and 2020 (2); most by Ada Stone (2)"),
        ("How many studies are from 2020?", "2 papers; of 2020 (2)"),
        ("how many papers were published before 2020?", "1 paper; of 2002 (1)"),
        ("how many papers are from 1999?", "0 papers."),
    ],
)
def test_papers_are_counted_from_the_records(question: str, told: str) -> None:
    assert answer_count(question, GATHERED).startswith(told)


@pytest.mark.parametrize("question", ["how many patients took almotriptan?", "how many papers use vectors?"])
def test_a_question_of_what_papers_say_is_none_of_their_records(question: str) -> None:
    assert not answer_count(question, GATHERED)


def test_where_no_sentence_answers_the_records_of_all_are_counted(library: LocalLibrary) -> None:
    said = word_answer(ask("who wrote most of it?", library)).partition(" \\[")[0]
    assert said == (
        "The papers gathered here do not say. Say `more` to search for further papers.\n\n"
        "If you asked about the papers themselves: 3 papers; of 2002 (1) and 2020 (2); most by Ada Stone (2), "
        "Vladimir Karpukhin (1) and Ida Shaw (1); most in "
        "EMNLP (1), Headache (1) and Proceedings of EMNLP (1); cited most, 90 times, “DualRank: Dense Passage "
        "Retrieval”"
    )


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
    assert "almotriptan and after placebo" in ask("compare almotriptan and placebo", library).claims[0].text
    assert set(cited(ask("what is the difference between DualRank and ScanRank?", library))) == {DENSE.key, SPARSE.key}
    assert ask("compare almotriptan and aspirin", library).faint


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
    assert "by Ada Stone, 2020" in ask("when was it published?", library, before).records
