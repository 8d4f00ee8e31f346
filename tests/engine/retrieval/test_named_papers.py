from __future__ import annotations

import pytest

from engine.retrieval.named_papers import find_named_papers
from tests.fakes import paper

PAPERS = [
    paper(1, title="Graph Attention Networks", citations=9_000, abstract="We present graph attention networks (GATs)."),
    paper(2, title="Self-RAG: Learning to Retrieve, Generate, and Critique", citations=500),
    paper(3, title="Semi-Supervised Classification", abstract="We call it a graph convolutional network (GCN)."),
    paper(4, title="How Attentive are Graph Attention Networks?", citations=700),
]


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("who wrote the GAT paper?", [PAPERS[0].title]),
        ("Who proposed Self-RAG", [PAPERS[1].title]),
        ("who introduced graph attention networks?", [PAPERS[0].title, PAPERS[3].title]),
        ("when was the GCN paper published?", [PAPERS[2].title]),
        ("who are the authors of Self-RAG?", [PAPERS[1].title]),
    ],
)
def test_a_paper_is_found_by_its_name_or_abbreviation(question: str, titles: list[str]) -> None:
    found = find_named_papers(question, PAPERS)
    assert found is not None
    assert [p.title for p in found.papers] == titles


@pytest.mark.parametrize(
    "question", ["who wrote the BERT paper?", "why do networks oversmooth?", "who uses attention?"]
)
def test_other_questions_are_left_to_the_texts(question: str) -> None:
    assert find_named_papers(question, PAPERS) is None
