"""SurveyX step by step: which papers each prompt held, what the forest saves, and what a crash costs."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from engine.errors import LimitExceeded, RetrievalError
from engine.limits import Limits
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import A, Completion, Request, Task, tokens_of
from engine.reading.full_text import FullText
from engine.reading.paper_figures import PaperFigure, Picture
from engine.reading.trees.forests import FOREST_FILE, Forest, LocalForest, MemoryForest
from engine.recipes.surveyx import SurveyXRecipe
from engine.recipes.surveyx_material import SentenceEdit, apply_edits
from engine.retrieval.libraries.library import EmptyLibrary
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext, WritingTask
from engine.survey import Reproduction, Survey, walk
from engine.text import sentences
from engine.values import (
    Brief,
    FoundPaper,
    Outline,
    Paper,
    PaperKey,
    PaperSelection,
    Passage,
)
from engine.writing.estimates import estimate_cost
from tests.fakes import FakeModel, WordEmbedder, papers, whole
from tests.stand_ins.simulation import simulate_answer

BRIEF = Brief("dense retrieval", "surveyx", sections=5, subsection_words=120)
EVERYTHING = [*papers(30), *papers(20, "graph", 101), *papers(14, "vision", 201)]
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in EVERYTHING))


def context(model: Any, forest: Forest | None = None, **more: Any) -> RunContext:
    """Every paper's text can be read, unless other ``texts`` are given."""
    told = {"texts": Abstracts(), "limits": Limits(full_texts=100), **more}
    return RunContext(EmptyLibrary(), WordEmbedder(), model=model, forest=forest or MemoryForest(), **told)


class Abstracts:
    """A paper's text says what its abstract says, and nothing else."""

    async def read(self, papers: Sequence[Paper], most: int, on_read: object) -> dict[PaperKey, FullText]:
        return {p.key: FullText(p.title, p.abstract, (Passage(p.abstract, "1 Introduction"),)) for p in papers[:most]}

    async def fetch_picture(self, address: str) -> Picture:
        raise RetrievalError(f"there is no {address}")


async def whole_survey(run: RunContext, recipe: SurveyXRecipe | None = None) -> tuple[Outline, Survey]:
    used = recipe or SurveyXRecipe()
    outline = await used.outline(BRIEF, SELECTION, run)
    return outline, await used.write(WritingTask(BRIEF, SELECTION, outline), run)


def keys_in(request: Request) -> list[str]:
    return re.findall(r'<paper key="([^"]+)">', whole(request))


async def test_a_figure_that_no_sentence_has_is_not_in_any_tree() -> None:
    model = FakeModel(simulate_answer)
    forest = MemoryForest()
    await whole_survey(context(model, forest))
    answers = [simulate_answer(whole(request), "TreesAnswer") for request in model.asked("trees/")]
    assert any("99999" in answer for answer in answers)
    assert not any("99999" in tree.text() for tree in (await forest.get([p.key for p in EVERYTHING])).values())
    assert not any("99999" in whole(request) for request in model.asked("draft/"))


async def test_a_second_survey_of_the_lab_pays_for_no_tree_but_those_of_changed_abstracts(tmp_path: Path) -> None:
    first = FakeModel(simulate_answer)
    await SurveyXRecipe().outline(BRIEF, SELECTION, context(first, LocalForest(tmp_path / FOREST_FILE)))
    changed = replace(EVERYTHING[5], abstract="It is another abstract now. Model6 learns anew.")
    found = tuple(FoundPaper(changed if p.key == changed.key else p, 1.0) for p in EVERYTHING)
    again = FakeModel(simulate_answer)
    run = context(again, LocalForest(tmp_path / FOREST_FILE))
    await SurveyXRecipe().outline(BRIEF, PaperSelection(found), run)
    assert len(first.asked("trees/")) > 20
    assert [keys_in(request) for request in again.asked("trees/")] == [[changed.key]]


async def test_texts_are_divided_into_sentences_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of one group of papers would hold up whoever else is answered for a second on a small machine."""
    loop, divided = threading.get_ident(), dict[str, bool]()

    def divide(text: str) -> list[str]:
        divided.setdefault(text, threading.get_ident() == loop)
        return sentences(text)

    class Texts(Abstracts):
        async def read(self, papers: Sequence[Paper], most: int, on_read: object) -> dict[PaperKey, FullText]:
            return {p.key: FullText(p.title, "", (Passage(f"{p.abstract} It is unseen.", "1"),)) for p in papers}

    monkeypatch.setattr("engine.addresses.sentences", divide)
    await SurveyXRecipe().outline(BRIEF, SELECTION, context(FakeModel(simulate_answer), texts=Texts()))
    assert [held_up for text, held_up in divided.items() if "unseen" in text] == [False] * len(EVERYTHING)


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
    assert all(said in whole(mounted) for said in sentences(unlucky.abstract))
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
    forest = MemoryForest()
    texts = WholeTexts()
    recipe = SurveyXRecipe(paper_figures=1)
    run = context(model, forest, texts=texts, limits=Limits(full_texts=20))
    outline, survey = await whole_survey(run, recipe)
    assert outline.notes == ("44 of 64 papers have only an abstract: no attribute tree is made of those",)
    trees = await forest.get([p.key for p in EVERYTHING])
    read = [p.key for p in EVERYTHING[:20]]
    assert list(trees) == read and {tree.level for tree in trees.values()} == {"full text"}
    values = [value for _, value in trees[read[1]].list_known()]
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


KILLED_AT = ("kinds", "trees", "mount", "divide", "notes", "draft", "rewrite", "check", "frame", "cells")
"""Stages of two calls and more, in their order: the second call of each ends one run."""


async def test_what_was_paid_before_a_kill_is_not_paid_again(tmp_path: Path) -> None:
    record = MemoryRecord()
    models = dict.fromkeys(get_args(Task), "simulated")
    asked: Counter[str] = Counter()

    async def run(provider: Recorded) -> Survey:
        model = MeteredModel(provider, models, Throttle(4), Account(), record, "job")  # type: ignore[arg-type]
        survey = context(model, LocalForest(tmp_path / FOREST_FILE))
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
    allowed = [PaperKey(f"a:{i}") for i in (1, 2, 3)]
    changed = apply_edits(text, edits, allowed)
    assert changed == "First fact [@a:2]. Second claim, said better [@a:2].\n\nLast words."


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
    assert EVERYTHING[0].key not in {paper.key for paper in second.papers.list_included()}
    assert {paper.key for paper in second.survey.references} <= {paper.key for paper in second.papers.list_included()}
    assert {paper.key for paper in second.papers.list_included()} <= {paper.key for paper in approved.list_included()}
    assert account.steps["trees"].calls == trees
    assert account.steps["judge"].calls == 2
    task = WritingTask(brief, approved, outline)
    expected = estimate_cost(recipe.plan_calls(task, run.limits), models, 20)
    assert expected.calls >= account.total().calls - before.calls  # the trees of other papers are among them


async def test_the_estimate_is_close_to_what_is_paid() -> None:
    account, provider = Account(), Recorded()
    models = dict.fromkeys(get_args(Task), "gpt-4o")
    model = MeteredModel(provider, models, Throttle(20), account, MemoryRecord(), "job")  # type: ignore[arg-type]
    run, recipe, brief = context(model, texts=None), SurveyXRecipe(), replace(BRIEF, subsection_words=400)
    outline = await recipe.outline(brief, SELECTION, run)
    before = account.total()
    await recipe.write(WritingTask(brief, SELECTION, outline), run)
    paid = account.total()
    chains = recipe.plan_calls(WritingTask(brief, SELECTION, outline), run.limits)
    expected = estimate_cost(chains, models, 20)
    assert expected.calls == pytest.approx(paid.calls - before.calls, rel=0.4)
    assert expected.input_tokens == pytest.approx(paid.input_tokens - before.input_tokens, rel=0.5)
    assert expected.output_tokens == pytest.approx(paid.output_tokens - before.output_tokens, rel=0.4)
