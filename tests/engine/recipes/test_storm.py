"""STORM: which papers the readers hear of, and which stand behind each subsection."""

from __future__ import annotations

import re

from engine.recipes.storm import HEARD, PERSPECTIVES, QUESTIONS, ROUNDS, StormRecipe
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import WritingTask
from engine.survey import walk
from engine.values import walk_outline
from tests.engine.recipes.test_autosurvey import BRIEF, EVERYTHING, SELECTION, context, keys_in
from tests.fakes import FakeModel, whole
from tests.stand_ins.simulation import simulate_answer


async def test_readers_hear_papers_and_the_outline_stands_on_them(library: LocalLibrary) -> None:
    model, recipe = FakeModel(simulate_answer), StormRecipe()
    run = context(library, model)
    outline = await recipe.outline(BRIEF, SELECTION, run)
    (named,) = model.asked("perspectives")
    assert keys_in(named) == [paper.key for paper in EVERYTHING]
    turns = model.asked("questions/")
    assert len(turns) == PERSPECTIVES * ROUNDS
    for request in turns:
        heard = len(keys_in(request))
        assert heard == (QUESTIONS * HEARD if request.step.endswith("/1") else 0)
    (planned,) = model.asked("storm")
    asked = dict(re.findall(r"^(\d+)\. (.+)$", whole(planned), re.M))
    assert len(asked) == PERSPECTIVES * ROUNDS * QUESTIONS
    assert [node.role for node in outline.nodes] == ["introduction", "body", "body", "conclusion"]
    leaves = [node for _, node in walk_outline(outline.nodes) if node.role == "body" and not node.children]
    assert leaves and all(leaf.papers for leaf in leaves)
    survey = await recipe.write(WritingTask(BRIEF, SELECTION, outline), run)
    for leaf in leaves:
        read = [request for request in model.asked("notes/") if f" {leaf.title}/" in request.step]
        assert {key for request in read for key in keys_in(request)} == set(leaf.papers)
    assert {leaf.title for leaf in leaves} <= {section.title for _, section in walk(survey.sections)}
