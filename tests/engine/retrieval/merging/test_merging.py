"""When records of several sources are one paper, and what the merged record says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.merging.merged_papers import MergedPapers, merge_records
from engine.retrieval.merging.same_paper import same_paper
from engine.retrieval.merging.venues import is_published
from engine.values import Paper, PaperKey
from tests.fakes import paper, papers

DOI, ARXIV, S2 = PaperKey("doi:10.1000/x"), PaperKey("arxiv:2005.11401"), PaperKey("s2:abc")


def record(title: str = "Dense Passage Retrieval", *identifiers: PaperKey, **changes: object) -> Paper:
    key = identifiers[0] if identifiers else PaperKey(f"title:{title[:5].strip().lower()}")
    base = Paper(key, title, authors=("Vladimir Karpukhin",), year=2020, identifiers=identifiers)
    return replace(base, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (record("A", DOI), record("Quite Another Title", DOI), True),
        (record("A", ARXIV), record("B", S2, ARXIV), True),
        (record(identifiers=(S2,)), record(identifiers=(ARXIV,)), True),
        (record(), record("Dense passage retrieval."), True),
        (record(), record("Dense Passage Retrievals"), True),
        (record(), record("Dense Passage Retrieval", year=2021), True),
        (record(), record("Dense Passage Retrieval", year=2023), False),
        (record(), record("Dense Passage Retrieval", authors=("Ada Other",)), False),
        (record(), record("Dense Passage Retrieval for Graphs"), False),
        (record(), record("Sparse Passage Retrieval"), False),
        (record(), record("Dense Passage Retrieval", authors=()), False),
        (record("X", DOI), record("X", PaperKey("doi:10.1000/y")), False),
        (record("X", PaperKey("doi:10.1101/2020.1")), record("X", DOI), True),
        (record("X", ARXIV), record("X", PaperKey("arxiv:2101.00001")), False),
        (record("X", ARXIV), record("X", DOI), True),
        (record("Sparse Graphs", DOI, year=2017), record("Loud Codes", DOI, year=2020), False),
        (record("Sparse Graphs", DOI, year=2017), record("Loud Codes", DOI, year=2019), True),
        (record("Sparse Graphs", DOI, year=2017), record("Loud Codes", DOI, year=None), True),
        # two introductions by one author are one paper only where one source names them by one key
        (record("Introduction"), record("Introduction"), True),
        (record("Introduction"), record("Introduction", key=PaperKey("title:other")), False),
        (record("Introduction", S2), record("Introduction", PaperKey("s2:another")), False),
    ],
)
def test_what_is_one_paper(one: Paper, other: Paper, *, same: bool) -> None:
    assert same_paper(one, other) is same
    assert same_paper(other, one) is same


LONGER = "Dense Passage Retrieval Models"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        # a preprint and its publication may be two years apart, two records of one publication one year
        (record(), record(venue="EMNLP", year=2022), True),
        (record(), record(venue="EMNLP", year=2023), False),
        (record(venue="EMNLP"), record(venue="EMNLP", year=2021), True),
        (record(venue="EMNLP"), record(venue="EMNLP", year=2022), False),
        (record(), record("Dense Passage Retrievals", year=2021), True),
        (record(), record("Dense Passage Retrievals", year=2022), False),
        (record("Transformers"), record("Transformers", year=2021), True),
        (record("Transformers"), record("Transformers", year=2022), False),
        # a year that is not known speaks neither for nor against it, where people do
        (record(), record(year=None), True),
        (record(venue="EMNLP"), record(venue="EMNLP", year=None), True),
        (record("Transformers"), record("Transformers", year=None), False),
        (record(LONGER, authors=()), record(LONGER), True),
        (record(LONGER, authors=()), record(LONGER, year=None), False),
        (record(LONGER, authors=()), record(LONGER, year=2021), False),
    ],
)
def test_how_far_apart_the_years_of_one_paper_may_be(one: Paper, other: Paper, *, same: bool) -> None:
    assert same_paper(one, other) is same
    assert same_paper(other, one) is same


def test_the_best_of_each_field_with_its_source() -> None:
    preprint = record(
        "Dense Retrieval", ARXIV, venue="arXiv", year=2019, abstract="Long abstract.", citations=3, pdf="https://a/b",
        origins=(("abstract", "arXiv"), ("venue", "arXiv"), ("citations", "arXiv")),
    )  # fmt: skip
    published = record(
        "Dense Retrieval", DOI, venue="EMNLP", year=2020, abstract="Short.", citations=9,
        origins=(("abstract", "OpenAlex"), ("venue", "OpenAlex"), ("citations", "OpenAlex")), retracted=True,
    )  # fmt: skip
    both = merge_records(preprint, published)
    assert (both.key, both.venue, both.year, both.citations) == (ARXIV, "EMNLP", 2020, 9)
    assert (both.abstract, both.pdf, both.retracted) == ("Long abstract.", "https://a/b", True)
    assert dict(both.origins) == {"abstract": "arXiv", "venue": "OpenAlex", "citations": "OpenAlex"}
    assert both.identifiers == (ARXIV, DOI)


@pytest.mark.parametrize(
    ("venue", "published"),
    [
        ("Corrosion Science", True),
        ("EMNLP", True),
        ("CoRR", False),
        ("arXiv.org", False),
        ("bioRxiv", False),
        ("", False),
    ],
)
def test_venues_of_preprints_are_told_from_others(venue: str, *, published: bool) -> None:
    assert is_published(record(venue=venue)) is published


def test_a_record_that_knows_both_makes_two_papers_one() -> None:
    distinct = MergedPapers()
    first, second = distinct.add(record("A", DOI)), distinct.add(record("B entirely different", S2))
    assert first != second
    distinct.add(record("A", PaperKey("acl:x"), identifiers=(DOI, S2)))
    assert len(distinct.papers) == 1
    assert distinct.key_of(second) == distinct.key_of(first) == DOI
    assert distinct.repeats == 2


def test_two_editions_of_one_title_stay_two_beside_their_preprint() -> None:
    distinct = MergedPapers()
    for given_record in (record("T", DOI), record("T", ARXIV), record("T", PaperKey("doi:10.1000/second"))):
        distinct.add(given_record)
    assert len(distinct.papers) == 2


@given(st.lists(st.integers(1, 30), max_size=40), st.randoms())
def test_each_paper_once_whatever_the_order(numbers: list[int], random: object) -> None:
    distinct = MergedPapers()
    for n in numbers:
        base = paper(n)
        variant = replace(base, key=PaperKey(f"s2:{n}"), identifiers=(PaperKey(f"s2:{n}"),), title=f"{base.title}.")
        distinct.add(random.choice([base, variant]))  # type: ignore[attr-defined]
    assert len(distinct.papers) == len(set(numbers))
    assert distinct.repeats == len(numbers) - len(set(numbers))


def test_many_papers_are_merged_quickly_enough_to_wait_for() -> None:
    distinct = MergedPapers()
    for found in papers(3_000):
        distinct.add(found)
    assert len(distinct.papers) == 3_000
