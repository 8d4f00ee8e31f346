"""One subsection's draft: its length, its papers, and the citations in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from engine.checking.citation_forms import UNKNOWN
from engine.citations import list_cited_keys
from engine.errors import LanguageModelError
from engine.values import Outline, OutlineNode, Paper
from engine.writing.drafting import (
    Assignment,
    Material,
    build_draft_request,
    count_words,
    draft_subsection,
    mark_unchecked,
    most_words,
)
from tests.fakes import FakeModel, paper, papers, whole


def of(own: Sequence[Paper], node: OutlineNode | None = None) -> Material:
    """What a part is written from, where nothing was noted."""
    return Material(node or OutlineNode("Part"), tuple(own))


async def test_a_draft_that_stays_too_short_or_has_no_papers_is_no_draft() -> None:
    task = Assignment("t", Outline("T", (OutlineNode("Part"),)), 50)
    model = FakeModel(lambda _, __: "Certainly! Here it is.")
    with pytest.raises(LanguageModelError, match="too short"):
        await draft_subsection(model, task, of(papers(2)))
    assert "Your last draft was not used" not in whole(model.requests[0])
    for request in model.requests[1:]:
        assert re.search(r"Your last draft was not used: it had \d words of prose\.", whole(request))
    assert [request.step for request in model.requests] == [f"draft/0/Part{n}" for n in ("", "/again 1")]
    with pytest.raises(LanguageModelError, match="no paper"):
        await draft_subsection(model, task, of([]))


LONG = " ".join(f"Sentence {i} says what [@arxiv:2001.00001] and [@arxiv:2001.00002] say of it." for i in range(60))


async def test_a_model_that_writes_far_too_much_is_held() -> None:
    model = FakeModel(lambda _, __: LONG)
    task = Assignment("topic", Outline("T", (OutlineNode("Part"),)), 100)
    draft = await draft_subsection(model, task, of(papers(2)))
    assert len(model.requests) == 2
    assert "it had" in whole(model.requests[1])
    assert 200 < count_words(draft.text) <= most_words(100)
    assert draft.text.endswith(".")
    assert [w.kind for w in draft.warnings if w.kind == "length"] == ["length"]


async def test_citations_are_no_words_of_a_draft() -> None:
    sentences = [f"Sentence {i} says [@arxiv:2001.00001] [@arxiv:2002.00002] what they say." for i in range(40)]
    model = FakeModel(lambda _, __: " ".join(sentences))  # 240 words that people read, 320 with the citations
    task = Assignment("topic", Outline("T", (OutlineNode("Part"),)), 100)
    draft = await draft_subsection(model, task, of(papers(2)))
    assert most_words(100) == 260 and len(model.requests) == 1
    assert draft.text.count("Sentence") == 40 and draft.warnings == ()


async def test_a_title_is_read_as_the_paper_of_the_survey_that_it_nearly_names() -> None:
    own, gathered = papers(2), [paper(7, title="Learning to Retrieve Passages without Supervision")]
    title = "Learning to Retrieve Passages Without Supervison"
    said = f"The works agree [@{own[0].key}]. Another differs [{title}]. A third [No Such Work At All]."
    model = FakeModel(lambda _, __: said)
    task = Assignment("topic", Outline("T", (OutlineNode("Part"),)), 10)
    draft = await draft_subsection(model, task, of(own), gathered)
    assert list_cited_keys(draft.text) == (own[0].key, gathered[0].key, UNKNOWN)
    assert list_cited_keys(mark_unchecked(draft).text) == (own[0].key, gathered[0].key)
    assert "A third" not in mark_unchecked(draft).text  # nothing else is behind it
    assert gathered[0] in draft.papers  # so that the check sees it
    details = " ".join(w.detail for w in draft.warnings)
    assert "was not shown for this part (99% alike)" in details or "(98% alike)" in details
    assert "removed: No Such Work At All" in details


def test_subsections_of_the_same_name_are_asked_for_within_their_own_sections() -> None:
    parts = [OutlineNode("Evaluation", "How it is measured.", papers=(papers(1)[0].key,)) for _ in range(2)]
    sections = [OutlineNode(name, "", children=(part,)) for name, part in zip(("Dense", "Sparse"), parts, strict=True)]
    task = Assignment("retrieval", Outline("A Survey", tuple(sections)), 100)
    asked = [build_draft_request(task, of(papers(1), part)).prompt.question for part in parts]
    assert ["of the section “Dense”" in asked[0], "of the section “Sparse”" in asked[1]] == [True, True]


async def test_a_draft_that_cites_too_few_of_its_papers_is_asked_for_again() -> None:
    own = papers(3)
    replies = [" ".join(["It says nothing of anybody."] * 40), " ".join([f"It says so [@{p.key}]." for p in own] * 20)]
    model = FakeModel(lambda _, __: replies.pop(0))
    task = Assignment("t", Outline("T", (OutlineNode("Part"),)), 160)
    draft = await draft_subsection(model, task, of(own))
    assert "it cited 0 of the papers by their keys, not 2." in whole(model.requests[1])
    assert set(list_cited_keys(draft.text)) == {p.key for p in own}


def test_a_subsection_is_asked_for_with_its_place_its_length_and_its_papers() -> None:
    parts = tuple(OutlineNode(name, f"About {name.lower()}.") for name in ("Dense", "Sparse", "Hybrid"))
    section = OutlineNode("Ways", "How texts are found", children=parts)
    outline = Outline("A Survey", (section, OutlineNode("Alone")))
    task = Assignment("retrieval", outline, 500, trial=2, wishes="written for students", temperature=0.5, top_p=0.9)
    request = build_draft_request(task, of(papers(9), parts[0]), 1)
    asked = whole(request)
    assert "retrieval (written for students)" in asked
    assert "“Dense” of the section “Ways” (How texts are found). It says: About dense." in asked
    assert "not yours:\nSparse: About sparse.\nHybrid: About hybrid.\n" in asked
    assert "Write more than 500 words" in asked and "cite at least 6 of these papers" in asked
    assert asked.count("<paper key=") == 9
    assert request.step == "draft/2/Dense/again 1"
    assert (request.max_tokens, request.temperature, request.top_p) == (1_500, 0.5, 0.9)
    assert "by its full title" not in asked
    alone = build_draft_request(Assignment("retrieval", outline, 50, cite_known=True), of(papers(2), outline.nodes[1]))
    assert "Write the subsection “Alone”. It says: Alone\n" in whole(alone)
    assert "not yours:\n(none)\n" in whole(alone)
    assert "cite at least 1 of these" in whole(alone) and "by its full title" in whole(alone)
    assert alone.max_tokens == 1_024
