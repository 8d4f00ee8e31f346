"""Which papers each of SurveyX's prompts holds: its step's and no others."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from dataclasses import dataclass

import pytest

from engine.citations import list_cited_keys, replace_citations
from engine.llm.model import Request
from engine.reading.trees.forests import MemoryForest, TreeIndex
from engine.recipes.surveyx_material import Material
from engine.survey import Survey, walk
from engine.values import Outline, walk_outline
from tests.engine.recipes.test_surveyx import EVERYTHING, context, keys_in, whole_survey
from tests.fakes import FakeModel, WordEmbedder, paper, whole
from tests.stand_ins.simulation import simulate_answer


@dataclass(frozen=True)
class Run:
    """A whole survey and what was asked for it."""

    model: FakeModel
    outline: Outline
    survey: Survey


@pytest.fixture(scope="module")
def run() -> Run:
    model = FakeModel(simulate_answer)
    return Run(model, *asyncio.run(whole_survey(context(model))))


def inside(request: Request, tag: str) -> str:
    """What stands in a block of the prompt; empty without one."""
    return request.prompt.question.partition(f"<{tag}>\n")[2].partition(f"\n</{tag}>")[0]


def test_a_subsection_is_written_from_what_was_noted_for_it(run: Run) -> None:
    numbered = {number: node for number, node in walk_outline(run.outline.nodes)}
    noted: dict[str, set[str]] = {}
    for request in run.model.asked("notes/"):
        number, _, title = request.step.removeprefix("notes/").rpartition("/")[0].partition(" ")
        assert set(keys_in(request)) <= set(numbered[number].papers)
        answer = json.loads(simulate_answer(whole(request), "NotesAnswer"))
        noted.setdefault(title, set()).update(note["key"] for note in answer["notes"])
    drafts = {request.step.split("/")[2]: request for request in run.model.asked("draft/")}
    assert len(drafts) >= 4
    for title, request in drafts.items():
        assert set() < set(keys_in(request)) <= noted[title]
    for number, section in walk(run.survey.sections):
        assert set(list_cited_keys(section.text)) <= {p.key for p in run.survey.references}, number


def test_the_subsection_before_is_seen_and_its_papers_are_not(run: Run) -> None:
    drafts = {request.step.removeprefix("draft/0/"): request for request in run.model.asked("draft/")}
    for top in run.outline.nodes:
        for i, node in enumerate(top.children):
            around = drafts[node.title].prompt.question.partition("stand with their text:\n")[2].partition("Hints")[0]
            lines = dict(line.split(": ", 1) for line in around.strip().split("\n") if ": " in line)
            seen = [child.title for child in top.children if len(lines.get(child.title, "").split()) > 40]
            assert seen == [child.title for child in top.children[:i]]
            assert not list_cited_keys(around)


def test_outline_check_table_and_frame_prompts_hold_their_own_papers_only(run: Run) -> None:
    model, outline, survey = run.model, run.outline, run.survey
    kinds = {request.step.partition("/")[0] for request in model.requests}
    assert kinds == {
        "primary", "kinds", "trees", "mount", "divide", "reorganise", "notes", "draft", "rewrite", "check", "critique",
        "frame", "cells",
    }  # fmt: skip
    (primary,), (reorganise,) = model.asked("primary"), model.asked("reorganise")
    assert keys_in(primary) == [paper.key for paper in EVERYTHING[:60]]
    assert keys_in(reorganise) == []
    mounted: dict[str, set[str]] = {}
    for request in model.asked("mount/"):
        for hint in json.loads(simulate_answer(whole(request), "MountAnswer"))["hints"]:
            mounted.setdefault(hint["section"], set()).add(hint["hint"])
    numbers = {node.title: number for number, node in walk_outline(outline.nodes)}
    for request in model.asked("divide/"):
        shown = {re.sub(r"^\d+\. ", "", line) for line in inside(request, "hints").split("\n")}
        assert shown == mounted[numbers[request.step.removeprefix("divide/")]]
        assert keys_in(request) == []
    cited = {
        str(i): {key for _, part in walk((section,)) for key in list_cited_keys(part.text)}
        for i, section in enumerate(survey.sections, start=1)
    }
    assert model.asked("cells/")
    for request in model.asked("cells/"):
        assert set(keys_in(request)) <= cited[request.step.split("/")[1]]


def test_every_paper_is_asked_about_once_and_mounted_with_its_own_notes(run: Run) -> None:
    model = run.model
    for step in ("kinds/", "trees/", "mount/"):
        asked = Counter(key for request in model.asked(step) for key in keys_in(request))
        assert asked == Counter(p.key for p in EVERYTHING), step
    assert {request.task for request in model.asked("trees/")} == {"extraction"}
    for request in model.asked("mount/"):
        for block in re.findall(r"<paper key=.*?</paper>", whole(request), re.S):
            (key,) = re.findall(r'key="[^"]*?(\d{5})"', block)
            models = set(re.findall(r"(?:Model|variant|Number)(\d+)", block))
            assert models <= {str(int(key))}


async def test_rewriting_sees_what_is_cited_and_what_its_paragraphs_find() -> None:
    model = FakeModel(simulate_answer)
    forest = MemoryForest()
    await whole_survey(context(model, forest))
    index = TreeIndex(list(forest.trees.values()), WordEmbedder())
    assert model.asked("rewrite/")
    for request in model.asked("rewrite/"):
        draft = inside(request, "draft")
        cited = list_cited_keys(draft)
        found: set[str] = set()
        for paragraph in draft.split("\n\n"):
            asked = replace_citations(
                " ".join(re.sub(r"^\d+\. ", "", line) for line in paragraph.split("\n")), lambda _: ""
            )
            found |= set(index.search(asked, 3 + len(cited)))
        assert set(cited) <= set(keys_in(request)) <= {*cited, *found}


def test_a_paper_without_a_tree_is_shown_to_the_end_of_a_long_abstract() -> None:
    """Results stand last: a rewriting that did not see them took true figures out."""
    long = paper(1, abstract=f"{'Robots fold cloth of every kind with care. ' * 30}It improves unfolding by 20%.")
    assert "It improves unfolding by 20%." in Material({long.key: long}, {}).notes([long.key])
