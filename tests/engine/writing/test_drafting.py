"""One subsection's draft: its length, its papers, and the citations in it."""

from __future__ import annotations

import pytest

from engine.citations import list_cited_keys
from engine.errors import LanguageModelError
from engine.values import Outline, OutlineNode
from engine.writing.drafting import Assignment, OtherPapers, build_draft_request, draft_subsection, most_words
from tests.fakes import FakeModel, paper, papers, whole


async def test_a_draft_that_stays_too_short_or_has_no_papers_is_no_draft() -> None:
    task = Assignment("t", Outline("T", (OutlineNode("Part"),)), 50)
    model = FakeModel(lambda _, __: "Certainly! Here it is.")
    with pytest.raises(LanguageModelError, match="too short"):
        await draft_subsection(model, task, OutlineNode("Part"), papers(2))
    assert len(model.requests) == 3
    with pytest.raises(LanguageModelError, match="no paper"):
        await draft_subsection(model, task, OutlineNode("Part"), [])


LONG = " ".join(f"Sentence {i} says what [@arxiv:2001.00001] and [@arxiv:2001.00002] say of it." for i in range(60))


async def test_a_model_that_writes_far_too_much_is_held() -> None:
    model = FakeModel(lambda _, __: LONG)
    task = Assignment("topic", Outline("T", (OutlineNode("Part"),)), 100)
    draft = await draft_subsection(model, task, OutlineNode("Part"), papers(2))
    assert len(model.requests) == 2
    assert "it had" in whole(model.requests[1])
    assert 200 < len(draft.text.split()) <= most_words(100)
    assert draft.text.endswith(".")
    assert [w.kind for w in draft.warnings if w.kind == "length"] == ["length"]


async def test_a_title_is_read_as_the_paper_of_the_survey_that_it_nearly_names() -> None:
    own, gathered = papers(2), [paper(7, title="Learning to Retrieve Passages without Supervision")]
    title = "Learning to Retrieve Passages Without Supervison"
    said = f"The works agree [@{own[0].key}]. Another differs [{title}]. A third [No Such Work At All]."
    model = FakeModel(lambda _, __: said)
    task = Assignment("topic", Outline("T", (OutlineNode("Part"),)), 10)
    draft = await draft_subsection(model, task, OutlineNode("Part"), own, others=OtherPapers(gathered))
    assert list_cited_keys(draft.text) == (own[0].key, gathered[0].key)
    assert gathered[0] in draft.papers  # so that the check sees it
    details = " ".join(w.detail for w in draft.warnings)
    assert "was not shown for this part (99% alike)" in details or "(98% alike)" in details
    assert "removed: No Such Work At All" in details


def test_subsections_of_the_same_name_are_asked_for_within_their_own_sections() -> None:
    parts = [OutlineNode("Evaluation", "How it is measured.", papers=(papers(1)[0].key,)) for _ in range(2)]
    sections = [OutlineNode(name, "", children=(part,)) for name, part in zip(("Dense", "Sparse"), parts, strict=True)]
    task = Assignment("retrieval", Outline("A Survey", tuple(sections)), 100)
    asked = [build_draft_request(task, part, papers(1)).prompt.question for part in parts]
    assert ["of the section “Dense”" in asked[0], "of the section “Sparse”" in asked[1]] == [True, True]
