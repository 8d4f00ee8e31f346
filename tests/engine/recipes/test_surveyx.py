"""SurveyX step by step: which papers each prompt held, what the forest saves, and what a crash costs."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from bot.bench.simulation import simulate_answer
from engine.citations import list_cited_keys, replace_citations
from engine.errors import LimitExceeded
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import A, Completion, Request, Task, tokens_of
from engine.reading.forests import FOREST_FILE, Forest, LocalForest, MemoryForest
from engine.reading.full_text import FullText
from engine.reading.paper_figures import PaperFigure
from engine.reading.pictures import Picture
from engine.recipes.surveyx import SurveyXRecipe
from engine.recipes.surveyx_writing import CitationChanges, SentenceEdit, apply_edits
from engine.retrieval.libraries.library import EmptyLibrary
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext, WritingPlan, WritingTask
from engine.survey import Reproduction, Survey, walk
from engine.values import (
    Brief,
    FoundPaper,
    Outline,
    Paper,
    PaperKey,
    PaperSelection,
    Passage,
    walk_outline,
)
from engine.writing.estimates import estimate_cost
from tests.fakes import FakeModel, WordEmbedder, papers, whole

BRIEF = Brief("dense retrieval", "surveyx", sections=5, subsection_words=120)
EVERYTHING = [*papers(30), *papers(20, "graph", 101), *papers(14, "vision", 201)]
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in EVERYTHING))


def context(model: Any, forest: Forest | None = None, **more: Any) -> RunContext:
    return RunContext(
        EmptyLibrary(), WordEmbedder(), model=model, forest=forest or MemoryForest(WordEmbedder()), **more
    )


async def whole_survey(run: RunContext, recipe: SurveyXRecipe | None = None) -> tuple[Outline, Survey]:
    used = recipe or SurveyXRecipe()
    outline = await used.outline(BRIEF, SELECTION, run)
    return outline, await used.write(WritingTask(BRIEF, SELECTION, outline), run)


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


def keys_in(request: Request) -> list[str]:
    return re.findall(r'<paper key="([^"]+)">', whole(request))


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
    drafts = model.asked("draft/")
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


async def test_a_figure_that_no_sentence_has_is_not_in_any_tree() -> None:
    model = FakeModel(simulate_answer)
    forest = MemoryForest(WordEmbedder())
    await whole_survey(context(model, forest))
    answers = [simulate_answer(whole(request), "TreesAnswer") for request in model.asked("trees/")]
    assert any("99999" in answer for answer in answers)
    assert not any("99999" in tree.text() for tree in (await forest.get([p.key for p in EVERYTHING])).values())
    assert not any("99999" in whole(request) for request in model.asked("draft/"))


async def test_a_second_survey_of_the_lab_pays_for_no_tree_but_those_of_changed_abstracts(tmp_path: Path) -> None:
    first = FakeModel(simulate_answer)
    await SurveyXRecipe().outline(BRIEF, SELECTION, context(first, LocalForest(tmp_path / FOREST_FILE, WordEmbedder())))
    changed = replace(EVERYTHING[5], abstract="It is another abstract now. Model6 learns anew.")
    found = tuple(FoundPaper(changed if p.key == changed.key else p, 1.0) for p in EVERYTHING)
    again = FakeModel(simulate_answer)
    run = context(again, LocalForest(tmp_path / FOREST_FILE, WordEmbedder()))
    await SurveyXRecipe().outline(BRIEF, PaperSelection(found), run)
    assert len(first.asked("trees/")) > 20
    assert [keys_in(request) for request in again.asked("trees/")] == [[changed.key]]


async def test_a_paper_that_fails_stays_with_its_abstract_and_is_listed() -> None:
    unlucky = EVERYTHING[2]

    class Failing(FakeModel):
        async def answer_typed(self, request: Request, kind: type[A]) -> A:
            if request.step.startswith("trees/") and unlucky.key in keys_in(request):
                self.requests.append(request)
                answer = json.loads(simulate_answer(whole(request), "TreesAnswer"))
                answer["trees"] = [tree for tree in answer["trees"] if tree["key"] != unlucky.key]
                return kind.model_validate(answer)
            return await super().answer_typed(request, kind)

    model = Failing(simulate_answer)
    outline, _ = await whole_survey(context(model))
    assert outline.notes[0].startswith(
        f"1 papers have no attribute tree and stay with their abstracts: “{unlucky.title}”"
    )
    (mounted,) = [request for request in model.asked("mount/") if unlucky.key in keys_in(request)]
    assert unlucky.abstract in whole(mounted)
    asked = [request for request in model.asked("trees/") if unlucky.key in keys_in(request)]
    assert [len(keys_in(request)) for request in asked[:2]][1] == 1  # the second time alone
    assert len(asked) == 4  # twice for the outline, twice for the writing: bounded


class WholeTexts:
    """Every paper's text can be had, and a figure that may be shown."""

    async def read(self, papers: Sequence[Paper], most: int, on_read: object) -> dict[PaperKey, FullText]:
        return {
            p.key: FullText(
                p.title,
                p.abstract,
                self.passages(p),
                licence="CC BY 4.0",
                figures=(PaperFigure("1", p.abstract, f"https://arxiv.org/html/{p.key}/x1.png"),),
            )
            for p in papers[:most]
        }

    async def fetch_picture(self, address: str) -> Picture:
        return Picture("png", 300, 200, "")

    @staticmethod
    def passages(of: Paper) -> tuple[Passage, ...]:
        number = of.key.rpartition(".")[2].lstrip("0")
        sentences = (
            ("1 Introduction", f"Retrieval with Model{number} begins with a question.", 1),
            ("2 Method", f"Model{number} trains its encoder with {number} negatives for each question.", 3),
            ("3 Results", f"Model{number} reaches {number} points on the passage index.", 5),
        )
        return tuple(Passage(text, section, page) for section, text, page in sentences)


async def test_trees_come_from_full_texts_where_they_can_be_read() -> None:
    model = FakeModel(simulate_answer)
    forest = MemoryForest(WordEmbedder())
    texts = WholeTexts()
    recipe = SurveyXRecipe(paper_figures=1)
    _, survey = await whole_survey(context(model, forest, texts=texts, pictures=texts), recipe)
    trees = await forest.get([p.key for p in EVERYTHING])
    read = [p.key for p in EVERYTHING[:20]]
    assert [key for key, tree in trees.items() if tree.level == "full text"] == read
    values = [value for _, value in trees[read[1]].known()]
    assert {(v.section, v.page) for v in values} >= {("2 Method", 3), ("3 Results", 5)}
    assert [len(keys_in(r)) for r in model.asked("trees/") if keys_in(r)[0] in read] == [1] * 20
    assert ("Papers read beyond the abstract", f"20: {', '.join(read)}") in survey.facts
    assert sum(isinstance(f, Reproduction) for s in survey.sections for f in s.figures) == 1


class Killed(Exception):
    """The process ended here."""


class Recorded:
    """A provider that answers at once, counts what it was asked, and dies at a call."""

    def __init__(self, dies_at: str = "") -> None:
        self.asked: list[str] = []
        self._dies_at = dies_at

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        await asyncio.sleep(0)
        if self._dies_at and request.step.startswith(self._dies_at) and self.count(self._dies_at) >= 1:
            raise Killed
        self.asked.append(request.step)
        text = simulate_answer(whole(request), (schema or {}).get("title", ""))
        return Completion(text, tokens_of(whole(request)), tokens_of(text))

    def count(self, step: str) -> int:
        return sum(asked.startswith(step) for asked in self.asked)

    async def close(self) -> None:
        """Nothing is open."""


KILLED_AT = ("kinds", "trees", "mount", "divide", "hints", "draft", "rewrite", "check", "frame", "cells")
"""Stages of two calls and more, in their order: the second call of each ends one run."""


async def test_what_was_paid_before_a_kill_is_not_paid_again(tmp_path: Path) -> None:
    record = MemoryRecord()
    models = dict.fromkeys(get_args(Task), "simulated")
    asked: Counter[str] = Counter()

    async def run(provider: Recorded) -> Survey:
        model = MeteredModel(provider, models, Throttle(4), Account(), record, "job")  # type: ignore[arg-type]
        survey = context(model, LocalForest(tmp_path / FOREST_FILE, WordEmbedder()))
        return (await whole_survey(survey))[1]

    def pay(provider: Recorded, stage: str) -> None:
        now = Counter(provider.asked)
        assert now and not asked & now, stage
        asked.update(now)

    for stage in KILLED_AT:
        killed = Recorded(stage)
        with pytest.raises((Killed, ExceptionGroup)):
            await run(killed)
        pay(killed, stage)
    last = Recorded()
    survey = await run(last)
    pay(last, "the end")
    assert survey.sections
    untouched = Recorded()
    assert await run(untouched) == survey
    assert untouched.asked == []


async def test_citations_go_and_come_by_edits() -> None:
    text = "First fact [@a:1]. Second claim [@a:1; @a:2].\n\nThird thing [@a:3]. Last words."
    edits = [
        SentenceEdit(sentence=1, text="First fact [@a:2]."),
        SentenceEdit(sentence=2, text="Second claim, said better [@a:2; @b:9]."),
        SentenceEdit(sentence=3, text=""),
        SentenceEdit(sentence=9, text="Never there [@a:1]."),
    ]
    changes = CitationChanges()
    allowed = [PaperKey(f"a:{i}") for i in (1, 2, 3)]
    changed = apply_edits(text, edits, allowed, changes)
    assert changed == "First fact [@a:2]. Second claim, said better [@a:2].\n\nLast words."
    assert (changes.removed, changes.added, changes.reworded) == (3, 1, 2)


SWITCHES = {
    "trees": (SurveyXRecipe(grow_trees=False), ("kinds/", "trees/")),
    "outline": (SurveyXRecipe(optimise_outline=False), ("mount/", "divide/", "reorganise")),
    "rewriting": (SurveyXRecipe(rewrite=False), ("rewrite/",)),
}


@pytest.mark.parametrize("switch", SWITCHES)
async def test_each_part_can_be_left_out(switch: str) -> None:
    recipe, steps = SWITCHES[switch]
    model = FakeModel(simulate_answer)
    outline, survey = await whole_survey(context(model), recipe)
    assert not [request.step for request in model.requests if request.step.startswith(steps)]
    assert survey.references
    assert any(node.children for node in outline.nodes)


async def test_what_the_budget_does_not_cover_is_named_and_the_rest_is_kept() -> None:
    calls = [0]

    def reply(prompt: str, schema: str) -> str:
        calls[0] += not schema
        if not schema and calls[0] > 2:
            raise LimitExceeded("The budget of $1.00 is used up.")
        return simulate_answer(prompt, schema)

    _, survey = await whole_survey(context(FakeModel(reply)))
    assert [w for w in survey.warnings if "budget" in w.detail]
    assert sum(bool(section.claims) for _, section in walk(survey.sections)) == 2


async def test_two_candidates_share_the_forest_and_the_estimate_has_both(library: LocalLibrary) -> None:
    account = Account()
    models = dict.fromkeys(get_args(Task), "gpt-4o")
    model = MeteredModel(Recorded(), models, Throttle(20), account, MemoryRecord(), "job")  # type: ignore[arg-type]
    run = replace(context(model), library=library)
    recipe, brief = SurveyXRecipe(candidates=2), replace(BRIEF, sections=4)
    approved = replace(SELECTION, excluded=(EVERYTHING[0].key,))
    outline = await recipe.outline(brief, approved, run)
    trees, before = account.steps["trees"].calls, account.total()
    written = await recipe.write_candidates(WritingTask(brief, approved, outline), run)
    first, second = written.candidates
    assert first.outline == outline
    assert first.scores
    assert second.scores
    assert EVERYTHING[0].key not in {paper.key for paper in second.papers.included()}
    assert {paper.key for paper in second.survey.references} <= {paper.key for paper in second.papers.included()}
    assert {paper.key for paper in second.papers.included()} <= {paper.key for paper in approved.included()}
    assert account.steps["trees"].calls == trees
    assert account.steps["judge"].calls == 2
    plan = WritingPlan(brief, outline, {p.key: p for p in approved.included()})
    expected = estimate_cost(recipe.plan_calls(plan), models, 20)
    assert expected.calls >= account.total().calls - before.calls  # the trees of other papers are among them


async def test_the_estimate_is_close_to_what_is_paid() -> None:
    account, provider = Account(), Recorded()
    models = dict.fromkeys(get_args(Task), "gpt-4o")
    model = MeteredModel(provider, models, Throttle(20), account, MemoryRecord(), "job")  # type: ignore[arg-type]
    run, recipe, brief = context(model), SurveyXRecipe(), replace(BRIEF, subsection_words=400)
    outline = await recipe.outline(brief, SELECTION, run)
    before = account.total()
    await recipe.write(WritingTask(brief, SELECTION, outline), run)
    paid = account.total()
    chains = recipe.plan_calls(WritingPlan(brief, outline, {p.key: p for p in EVERYTHING}))
    expected = estimate_cost(chains, models, 20)
    assert expected.calls == pytest.approx(paid.calls - before.calls, rel=0.2)
    assert expected.input_tokens == pytest.approx(paid.input_tokens - before.input_tokens, rel=0.2)
    assert expected.output_tokens == pytest.approx(paid.output_tokens - before.output_tokens, rel=0.2)
