"""The forms in which models cite, each from an answer of a real one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.checking.citation_forms import read_citations
from engine.citations import list_cited_keys
from tests.fakes import paper

DPR = paper(
    1, key="arxiv:2004.04906", title="Dense Passage Retrieval for Open-Domain Question Answering",
    authors=("Vladimir Karpukhin", "Barlas Oguz"), year=2020, identifiers=("arxiv:2004.04906",),
)  # fmt: skip
BART = paper(
    2,
    key="acl:2020.acl-main.1",
    title="BART: Denoising Pre-training",
    authors=("Mike Lewis",),
    year=2020,
    identifiers=(),
)
COLBERT = paper(
    3, key="doi:10.1145/3397271", title="ColBERT: Efficient and Effective Passage Search",
    authors=("Omar Khattab", "Matei Zaharia"), year=2020, identifiers=(),
)  # fmt: skip
A, B, C = (f"@{p.key}" for p in (DPR, BART, COLBERT))


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (f"A fact. [{A}] Another fact. [{C}]", f"A fact [{A}]. Another fact [{C}]."),
        (f"Dense helps.[{A}] Sparse too.[{B}]", f"Dense helps [{A}]. Sparse too [{B}]."),
        (f"It was large.” [{A}]", f"It was large” [{A}]."),
        (f"X [{A}][{C}].", f"X [{A}; {C}]."),
        (f"X [{A}, {C}].", f"X [{A}; {C}]."),
        (f"X [{A}] and [{C}].", f"X [{A}; {C}]."),
        (f"X ({A}). Y 【{A.upper()}】.", f"X [{A}]. Y [{A}]."),
        (f"X ([{A}]; [{B}]).", f"X [{A}; {B}]."),
        ("X [arXiv:2004.04906v2].", f"X [{A}]."),
        ("X [https://arxiv.org/abs/2004.04906].", f"X [{A}]."),
        ("X [dense passage retrieval for open domain question-answering].", f"X [{A}]."),
        ("X [Dense Passage Retrieval for Open Domain Question Answerings].", f"X [{A}]."),
        ("X (Karpukhin et al., 2020; Lewis, 2020).", f"X [{A}; {B}]."),
        ("As shown by @arxiv:2004.04906, it works.", f"As shown by [{A}], it works."),
        (f"X [see {A}, p. 3].", f"X [{A}]."),
        ("X [Source: BART].", f"X [{B}]."),
        (f"X [{A}]【4:0†source】.", f"X [{A}]."),
        ("X (https://arxiv.org/abs/2004.04906).", f"X [{A}]."),
        ('X [paper key="arxiv:2004.04906"].', f"X [{A}]."),
        (f"[{A}] proposes x.", f"[{A}] proposes x."),
        ("X [sic]. Y [a, b]. Z (in short).", "X [sic]. Y [a, b]. Z (in short)."),
    ],
)
def test_a_form_is_read_as_the_paper_it_names(said: str, read: str) -> None:
    assert read_citations(said, [DPR, BART, COLBERT]).text == read


@pytest.mark.parametrize(
    "said",
    [
        "X [@doi:10.1234/invented].",
        "X [Smith et al., 2020].",
        "X (Smith et al., 2019).",
        "X [17].",
        "X [1, 2].",
        "X 【3†source】.",
        "X [A Title of a Paper That Nobody Gathered].",
        "X @arxiv:1234.56789.",
    ],
)
def test_what_looks_like_a_citation_and_is_none_of_the_papers_goes_and_is_named(said: str) -> None:
    found = read_citations(said, [DPR, BART, COLBERT])
    assert found.text == "X."
    assert len(found.unknown) == 1


def test_a_reading_that_is_not_exact_is_recorded_with_its_certainty() -> None:
    found = read_citations("X [Dense Passage Retrieval for Open Domain Question Answerings].", [DPR, BART])
    (repair,) = found.repairs
    assert repair.key == DPR.key
    assert 0.9 <= repair.certainty < 1


def test_of_two_papers_that_could_be_meant_none_is_taken() -> None:
    twin = paper(4, key="arxiv:9999.00001", title="Another", authors=("Jo Karpukhin",), year=2020)
    assert read_citations("X [Karpukhin et al., 2020].", [DPR, twin]).text == "X."


def test_a_year_in_brackets_is_no_identifier() -> None:
    numbered = paper(5, key="trial:1997", title="A Trial", authors=("Ann Other",), year=2001, identifiers=())
    said = "Karpukhin et al. (2020) say (1997) what others say."
    assert read_citations(said, [DPR, numbered]).text == said


@given(st.text(max_size=200))
def test_any_text_cites_only_what_was_given(text: str) -> None:
    assert set(list_cited_keys(read_citations(text, [DPR, BART, COLBERT]).text)) <= {DPR.key, BART.key, COLBERT.key}
