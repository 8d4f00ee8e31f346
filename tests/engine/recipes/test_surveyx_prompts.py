"""Which papers each of SurveyX's prompts holds: its step's and no others."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from dataclasses import dataclass

import pytest

from bot.bench.simulation import simulate_answer
from engine.citations import list_cited_keys, replace_citations
from engine.llm.model import Request
from engine.reading.forests import MemoryForest
from engine.survey import Survey, walk
from engine.values import Outline, walk_outline
from tests.engine.recipes.test_surveyx import EVERYTHING, context, keys_in, whole_survey
from tests.fakes import FakeModel, WordEmbedder, whole


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


def test_no_subsection_sees_the_papers_of_another(run: Run) -> None:
    model, outline, survey = run.model, run.outline, run.survey
    numbers = {node.title: number for number, node in walk_outline(outline.nodes)}
    hinted: dict[str, set[str]] = {}
    for request in model.asked("hints/"):
        answer = json.loads(simulate_answer(whole(request), "HintsAnswer"))
        assert {hint["key"] for hint in answer["hints"]} <= set(keys_in(request))
        for hint in answer["hints"]:
            hinted.setdefault(hint["part"], set()).add(hint["key"])
    drafts = [request for request in model.asked("draft/") if "/again" not in request.step]
    assert len(drafts) >= 4
    for request in drafts:
        title = request.step.removeprefix("draft/0/")
        assert set(keys_in(request)) == hinted[numbers[title]]
        assert not list_cited_keys(inside(request, "before"))
    assert len({frozenset(keys_in(request)) for request in drafts}) == len(drafts)
    for number, section in walk(survey.sections):
        assert set(list_cited_keys(section.text)) <= {p.key for p in survey.references}, number


def test_outline_check_table_and_frame_prompts_hold_their_own_papers_only(run: Run) -> None:
    model, outline, survey = run.model, run.outline, run.survey
    kinds = {request.step.partition("/")[0] for request in model.requests}
    assert kinds == {
        "primary", "kinds", "trees", "mount", "divide", "reorganise", "hints", "draft", "rewrite", "check", "frame",
        "cells",
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
    allowed = {
        title: {key for step in ("draft/", "rewrite/", "frame/") for request in model.asked(step + "0/" + title)
                for key in keys_in(request)}
        for title in numbers
    }  # fmt: skip
    for request in model.asked("check/"):
        title = next(title for title in numbers if f"/{title}/" in request.step)
        assert set(keys_in(request)) <= allowed[title], request.step
    cited = {
        str(i): {key for _, part in walk((section,)) for key in list_cited_keys(part.text)}
        for i, section in enumerate(survey.sections, start=1)
    }
    assert model.asked("cells/")
    for request in model.asked("cells/"):
        assert set(keys_in(request)) <= cited[request.step.split("/")[1]]
    body = set().union(*(cited[number] for number in list(cited)[1:-1]))
    assert len(model.asked("frame/")) == 2
    for request in model.asked("frame/"):
        assert set(keys_in(request)) <= body


def test_every_paper_is_asked_about_once_and_mounted_with_its_own_notes(run: Run) -> None:
    model = run.model
    for step in ("kinds/", "trees/", "mount/", "hints/"):
        asked = Counter(key for request in model.asked(step) for key in keys_in(request))
        assert asked == Counter(p.key for p in EVERYTHING), step
    assert {request.task for request in model.asked("trees/")} == {"extraction"}
    for request in model.asked("mount/"):
        for block in re.findall(r"<paper key=.*?</paper>", whole(request), re.S):
            (key,) = re.findall(r'key="[^"]*?(\d{5})"', block)
            models = set(re.findall(r"(?:Model|variant|Number)(\d+)", block))
            assert models <= {str(int(key))}


def test_the_subsection_before_is_seen_and_its_papers_are_not(run: Run) -> None:
    drafts = {request.step.removeprefix("draft/0/"): request for request in run.model.asked("draft/")}
    for top in run.outline.nodes:
        for i, node in enumerate(top.children):
            before = inside(drafts[node.title], "before")
            assert [child.title for child in top.children if child.title in before.split("\n")] == [
                child.title for child in top.children[:i]
            ]


async def test_rewriting_sees_what_is_cited_and_what_its_paragraphs_find() -> None:
    model = FakeModel(simulate_answer)
    forest = MemoryForest(WordEmbedder())
    await whole_survey(context(model, forest))
    everything = [p.key for p in EVERYTHING]
    assert model.asked("rewrite/")
    for request in model.asked("rewrite/"):
        draft = inside(request, "draft")
        cited = list_cited_keys(draft)
        found: set[str] = set()
        for paragraph in draft.split("\n\n"):
            asked = replace_citations(
                " ".join(re.sub(r"^\d+\. ", "", line) for line in paragraph.split("\n")), lambda _: ""
            )
            found |= set(await forest.search(asked, everything, 3 + len(cited)))
        assert set(cited) <= set(keys_in(request)) <= {*cited, *found}


def test_rewriting_sees_what_the_draft_was_written_from_and_drafts_read_clean_text(run: Run) -> None:
    drafts = {request.step: request for request in run.model.asked("draft/")}
    hinted = [json.loads(simulate_answer(whole(r), "HintsAnswer"))["hints"] for r in run.model.asked("hints/")]
    fields = {(hint["key"], hint["part"]): hint["fields"] for some in hinted for hint in some}
    numbers = {node.title: number for number, node in walk_outline(run.outline.nodes)}
    seen = 0
    for request in run.model.asked("rewrite/"):
        part = numbers[request.step.split("/")[-1]]
        for key, inside_paper in re.findall(r'<paper key="([^"]+)">\n(.*?)</paper>', whole(request), re.S):
            for name in fields.get((key, part), ()):
                assert f"\n{name}: " in inside_paper
                seen += 1
    assert seen
    assert not any(" ." in inside(request, "before") for request in drafts.values())
