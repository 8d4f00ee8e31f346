"""Questions after a survey, answered without a language model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.citations import cite
from engine.errors import UserError
from engine.retrieval.libraries.local import LocalLibrary
from engine.revising.extractive_answers import answer_by_quotation, list_works_of
from engine.revising.named_works import find_named
from engine.revising.paper_records import rank_by_records, tell_by_records
from engine.revising.question_kinds import fits_question
from engine.run import Answer, RunContext
from engine.session.exchanges import Exchange
from engine.survey import Section, Survey
from engine.values import FoundPaper, PaperKey, PaperSelection
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
        ("When was the oldest paper published?", ONE.key, "The oldest, of 2001, of 2 papers here"),
        ("Which is the oldest?", ONE.key, "The oldest, of 2001, of 2 papers here"),
        ("What is the newest paper?", NEWEST.key, "The newest, of 2019, of 2 papers here"),
        ("which of them is cited most?", NEWEST.key, "Cited most, 40 times, of 2 papers here"),
        ("which of them is the oldest about birds?", "", ""),
    ],
)
def test_the_oldest_the_newest_and_the_most_cited_are_told_by_the_records(question: str, key: str, said: str) -> None:
    head, first = rank_by_records(question, (replace(ONE, citations=7), NEWEST))
    assert [paper.key for paper in first] == ([key] if key else [])
    assert head == said


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        ("Which data sets are used?", "We test on the PeakQA dataset.", True),
        ("Which data sets are used?", "It is trivial to evaluate the model.", False),
        ("How many questions does PeakQA hold?", "PeakQA holds 113,000 pairs of questions.", True),
        ("How many questions does PeakQA hold?", "Three models answer these questions.", False),
        ("What is the best result on PeakQA?", "On PeakQA it outperforms others by 14 points.", True),
        ("What is the best result on PeakQA?", "PeakQA is built from pages.", False),
        ("how is retrieval solved by maps?", "Maps find texts.", True),
        ("is retrieval solved?", "Maps find texts.", False),
        ("are there issues of privacy?", "Privacy is at risk.", True),
        ("are there issues of privacy?", "We study privacy.", False),
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


ROADS = (
    paper(
        8,
        title="RowLane: Lanes by Rows",
        authors=("Eva Kern", "Tom Ray"),
        year=2020,
        abstract=(
            "Lane detection remains a largely unsolved problem at night. We propose RowLane, which treats lanes as "
            "rows of an image. RowLane reaches 300 frames per second on one graphics card. RowLane fails on wet "
            "roads because reflections look like markings."
        ),
    ),
    paper(
        9,
        title="Curves for Lanes",
        authors=("Ida Moss",),
        year=2022,
        abstract=(
            "Lane detection from images needs many labels. We propose to represent lanes as polynomial curves without "
            "any segmentation of images. Experiments show that curves improve accuracy on hyperbolic embeddings of "
            "roads. The curve model is trained with synthetic images only."
        ),
    ),
    paper(
        10,
        title="Lanes from Laser Scans",
        authors=("Ula Berg",),
        year=2022,
        abstract=(
            "Lane detection in the dark is hard for cameras. We introduce a graph neural network (GNN) that reads "
            "laser scans of lanes. Results show that our GNN finds lanes on wet roads."
        ),
    ),
)


def _answer(library: LocalLibrary, question: str, *before: Exchange) -> Answer:
    selection = PaperSelection(tuple(FoundPaper(one, 1.0) for one in ROADS))
    survey = Survey("S", "", (Section("One", f"Rows. {cite([ROADS[0].key])}", ()),), ROADS)
    context = RunContext(library, WordEmbedder(), asked=before)
    return answer_by_quotation(question, selection, survey, context)


def _cited(answer: Answer) -> list[PaperKey]:
    return [citation.key for claim in answer.claims for citation in claim.citations]


@pytest.mark.parametrize(
    ("question", "cited", "said"),
    [
        ("What is RowLane?", {8}, "which treats lanes as rows"),
        ("what does [2] say about training?", {9}, "synthetic images only"),
        ("summarise section 1", {8}, "RowLane"),
        ("How fast is RowLane?", {8}, "300 frames per second"),
        ("What is Lanes from Laser Scans?", {10}, "graph neural network"),
        ("Which papers do without segmentation?", {9}, "without any segmentation"),
        ("is lane detection solved?", {8}, "unsolved"),
        ("Compare RowLane with curves for lanes", {8, 9}, "rows"),
        ("How do graph neural networks read scans?", {10}, "laser scans"),
        ("What do they do with hyprbolic embeddings?", {9}, "hyperbolic"),
        ("Wie funktioniert RowLane?", {8}, "rows"),
    ],
)
def test_questions_are_answered_from_the_papers_that_they_mean(
    question: str, cited: set[int], said: str, library: LocalLibrary
) -> None:
    found = _answer(library, question)
    assert set(_cited(found)) == {ROADS[number - 8].key for number in cited}
    assert said in found.text


@pytest.mark.parametrize(
    "question",
    [
        "Who won the 1998 football world cup?",
        "How fast is the curve model?",
        "which methods need segmentation?",
        "Which lane detector does my car have?",
        "Which papers do without labels?",
        "What is the carbon footprint of lane detection?",
        "why?",
        "what does [7] say?",
    ],
)
def test_what_the_papers_do_not_say_is_not_answered(question: str, library: LocalLibrary) -> None:
    assert _answer(library, question).text == ""


def test_other_papers_answer_where_those_of_the_answer_before_do_not(library: LocalLibrary) -> None:
    before = Exchange("Which are from 2022?", _answer(library, "which papers are from 2022?").text)
    found = _answer(library, "and how fast are they?", before)
    assert found.beyond
    assert _cited(found) == [ROADS[0].key]
    assert not _answer(library, "which of them are fast?", before).claims


def test_a_question_goes_on_from_the_answer_before(library: LocalLibrary) -> None:
    asked = Exchange("What is RowLane?", _answer(library, "What is RowLane?").text)
    assert "wet roads because" in _answer(library, "why does it fail?", asked).text
    assert _answer(library, "and how is it trained?", asked).text == ""
    assert "2 of the 3" in _answer(library, "which of these papers are from 2022?", asked).text
    both = Exchange("Which are from 2022?", _answer(library, "which papers are from 2022?").text)
    assert _cited(_answer(library, "which of them use laser scans?", both)) == [ROADS[2].key]
    alone = _answer(library, "which of them use laser scans?", Exchange("Who won?", ""))
    assert alone.read_as == "which of the papers here use laser scans?"
    assert _cited(alone) == [ROADS[2].key]


EXPANSION = (
    paper(
        11,
        title="Experts in Search",
        abstract=(
            "Query expansion systems are programs that add words to queries. Search engines use MaxiBench often in "
            "their tests of query expansion. To address these gaps in search, we propose a query expansion by trees "
            "of words."
        ),
    ),
    paper(
        13,
        title="Search Everywhere",
        abstract="We search documents in twelve languages at once. Results show that our zero-shot search is quick.",
    ),
    paper(
        14, abstract="We train language models of the kind that search engines have. They outperform zero-shot ones."
    ),
    paper(
        15,
        abstract="Dense indexing is the task of placing texts near each other. We build an index search of pages "
        "in Finnish. Experiments on ManyBench-2K show gains over all other indexes. We do not require oracles, "
        "which were never trained for oracles.",
    ),
    paper(17, abstract="Training raises zero-shot accuracy on all texts. Idle ranking is a critical issue in search."),
    paper(16, abstract="Oracles that were never trained on oracles tell nothing new to any of their readers at all."),
    paper(12, abstract="Expansion of trees is slow. We report 12.5 EER on MaxiBench for documents with queries."),
)


@pytest.mark.parametrize(
    ("question", "undefined", "unmentioned", "said"),
    [
        ("what is query expansion?", "", (), "are programs that add words"),
        ("which work covers multilingual search?", "", (), "in twelve languages"),
        ("which language is searched?", "", (), "in twelve languages"),
        ("which works need no training?", "", (), "zero-shot"),
        ("what is index search and who made it?", "index search", (), "an index search"),
        ("what is the difference between dense and sparse indexing?", "", ("sparse indexing",), "Dense indexing is"),
        ("which languages are covered?", "", (), "in Finnish"),
        ("which data sets are used?", "", (), "Experiments on ManyBench-2K"),
        ("which of them do without oracles?", "", (), "not require oracles"),
        ("What is MaxiBench?", "MaxiBench", (), "on MaxiBench for documents"),
        ("what are query trees on Mars?", "", (), ""),
        ("compare query expansion with document expansion", "", ("document expansion",), "are programs that add words"),
        ("what EER is reached?", "", (), "12.5 EER"),
        ("what is idle ranking?", "idle ranking", (), "is a critical issue"),
        ("which metrics are used besides accuracy?", "", (), "12.5 EER"),
        ("tldr of [1] pls", "", (), "we propose a query expansion by trees of words”"),
    ],
)
def test_what_no_paper_defines_or_mentions_is_said(
    question: str, undefined: str, unmentioned: tuple[str, ...], said: str, library: LocalLibrary
) -> None:
    selection = PaperSelection(tuple(FoundPaper(one, 1.0) for one in EXPANSION))
    found = answer_by_quotation(
        question, selection, Survey("S", "", (), EXPANSION), RunContext(library, WordEmbedder())
    )
    assert (found.undefined, found.unmentioned) == (undefined, unmentioned)
    assert said in found.text
    assert bool(said) == bool(found.text)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how many papers are from 2022?", f"2 of the 3 papers here are from 2022 {cite([p.key for p in ROADS[1:]])}."),
        (
            "how many of the papers are about wet roads?",
            "2 of the 3 papers here are with “wet, roads” in title or abstract",
        ),
        ("how many papers are there?", "There are 3 papers here."),
        ("when was RowLane published?", f"“RowLane: Lanes by Rows” is of 2020 {cite([ROADS[0].key])}."),
        ("who wrote [1]?", f"“RowLane: Lanes by Rows” is by Eva Kern and Tom Ray {cite([ROADS[0].key])}."),
        ("how many lanes does a road have?", ""),
        (
            "how many papers does section 1 cite?",
            f"1 of the 3 papers here is cited in section 1 {cite([ROADS[0].key])}.",
        ),
        ("how many are from ICLR?", "None of the papers here is in the proceedings or issues of ICLR."),
        ("list all papers of 2020", f"1 of the 3 papers here is of 2020 {cite([ROADS[0].key])}."),
    ],
)
def test_what_records_say_is_told_by_them(question: str, told: str) -> None:
    survey = Survey("S", "", (Section("One", f"Rows. {cite([ROADS[0].key])}", ()),), ROADS)
    assert tell_by_records(question, ROADS, survey, ROADS).startswith(told)


def test_a_question_in_another_language_that_names_no_paper_is_refused(library: LocalLibrary) -> None:
    with pytest.raises(UserError, match="in English"):
        _answer(library, "Welche Verfahren funktionieren bei Nacht?")


def test_a_misspelt_word_is_read_as_the_papers_write_it(library: LocalLibrary) -> None:
    assert _answer(library, "which papers use polynomal curves?").read_as == "which papers use polynomial curves?"


def test_a_title_that_is_the_subject_of_many_papers_names_none_of_them() -> None:
    many = [paper(n, title=f"Road {n}", abstract="Lane marking detection on roads is slow.") for n in range(20, 26)]
    head = paper(30, title="Lane Marking Detection: Are We There Yet?", abstract="Lane marking detection is hard.")
    assert find_named("What is lane marking detection?", [*many, head]) is None
    assert find_named("What is lane marking detection?", [head])
