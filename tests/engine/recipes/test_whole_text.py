"""What happens to a text once it is drafted: what is missing is asked for, and a reviewer reads the whole."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from engine.citations import list_cited_keys
from engine.llm.model import Request
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.rendering.files import as_json, from_json
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import WritingTask
from engine.session.kept_text import KeptText
from engine.survey import Section
from engine.text import all_sentences, split_sentences
from engine.writing.drafting import Steps
from tests.engine.recipes.test_autosurvey import BRIEF, SELECTION, context
from tests.fakes import FakeModel, whole
from tests.stand_ins.simulation import simulate_answer


async def test_a_reviewer_reads_every_sentence_once_and_edits_by_address(library: LocalLibrary) -> None:
    edited = "Put more carefully, it says less than before"

    def reply(prompt: str, schema: str) -> str:
        if schema != "CritiqueAnswer":
            return simulate_answer(prompt, schema)
        addresses = re.findall(r"^([\w.]+:\d+) ", prompt, re.M)
        if "abstract:1" in addresses:  # the frame, beside what the sections say
            assert {"1:1", "4:1"} <= set(addresses) and "<others>\n2 " in prompt
            return json.dumps({"edits": [{"address": "4:1", "text": ""}]})
        wanted = [("2.1:2", ""), ("2.2:1", edited), ("9.9:9", "It was never there"), ("2.1:999", "")]
        assert {"2.1:2", "2.2:1"} <= set(addresses) and not list_cited_keys(prompt)
        return json.dumps({"edits": [{"address": a, "reason": "r", "text": t} for a, t in wanted]})

    model, recipe = FakeModel(reply), AutoSurveyRecipe()
    outline = await recipe.outline(BRIEF, SELECTION, context(library, model))
    shown: dict[int, list[Section]] = {}

    async def section_finished(section: Section, position: int) -> None:
        shown.setdefault(position, []).append(section)

    run = replace(context(library, model), section_finished=section_finished)
    survey = await recipe.write(WritingTask(BRIEF, SELECTION, outline), run)
    before, after = shown[1]  # shown when it stood, and once more when it was edited
    old = split_sentences(before.sections[0].text)
    gone = old[0][1]
    assert gone not in after.sections[0].text
    assert [line for p in old for line in p if line != gone] == all_sentences(after.sections[0].text)
    reworded = all_sentences(after.sections[1].text)[0]
    first = all_sentences(before.sections[1].text)[0]
    assert reworded == first or (reworded.startswith(edited) and list_cited_keys(reworded) == list_cited_keys(first))
    assert any(edited in whole(request) for request in model.asked("check/"))
    assert survey.sections[1].sections[0].text == after.sections[0].text
    assert len(model.asked("critique/")) == 2
    assert survey.notes and from_json(as_json(survey)).notes == survey.notes
    assert len(all_sentences(survey.sections[3].text)) == len(re.findall(r"^4:\d", whole(of_frame(model)), re.M)) - 1


async def test_several_judges_find_what_is_refined_and_score_it_before_and_after(library: LocalLibrary) -> None:
    def reply(prompt: str, schema: str) -> str:
        if schema != "CritiqueAnswer" or "abstract:1" in prompt:
            return simulate_answer(prompt, schema)
        place = "2.1:2" if sum(request.step.startswith("critique/body") for request in model.requests) == 1 else "2.2:2"
        return json.dumps({"edits": [{"address": place, "text": ""}]})

    model, recipe = FakeModel(reply), AutoSurveyRecipe(writing=Steps(judges=("one", "two")))
    outline = await recipe.outline(BRIEF, SELECTION, context(library, model))
    survey = await recipe.write(WritingTask(BRIEF, SELECTION, outline), context(library, model))
    assert [request.model for request in model.asked("critique/body")] == ["one", "two"]
    assert sorted(request.model for request in model.asked("judge/")) == ["one", "one", "two", "two"]
    assert {request.model for request in model.requests} == {"", "one", "two"}
    before, after = (whole(model.asked(f"judge/{when}")[0]) for when in ("before", "after"))
    assert len(all_sentences(after)) == len(all_sentences(before)) - 2  # one that each of them found
    judged = {name: value for name, value in survey.facts if "before and after" in name}
    assert [name.rpartition(", ")[2] for name in judged] == ["one", "two"]
    assert all(re.fullmatch(r"\d/\d/\d, \d/\d/\d", value) for value in judged.values())


def of_frame(model: FakeModel) -> Request:
    return next(request for request in model.asked("critique/") if "abstract:1" in whole(request))


async def test_what_is_missing_of_a_part_is_asked_for_once_and_told_where_it_does_not_come(
    library: LocalLibrary,
) -> None:
    def reply(prompt: str, schema: str) -> str:
        text = simulate_answer(prompt, schema)
        if schema or "Write the subsection" not in prompt:
            return "No more." if refuses and "Write on from there" in prompt else text
        points, _, said = text.partition("---")
        return f"{points}---\n{' '.join(all_sentences(said)[:3])}"

    for refuses in (False, True):
        model, recipe = FakeModel(reply), AutoSurveyRecipe(writing=Steps(review=False))
        outline = await recipe.outline(BRIEF, SELECTION, context(library, model))
        survey = await recipe.write(WritingTask(BRIEF, SELECTION, outline), context(library, model))
        parts = [part for section in survey.sections for part in section.sections]
        assert len(model.asked("lengthen/")) == len(parts) > 3
        told = {w.place for w in survey.warnings if w.kind == "length"}
        assert told == {part.title for part in parts if len(part.text.split()) < 0.9 * 80}
        assert (told == {part.title for part in parts}) is refuses


async def test_a_section_that_stays_has_the_claims_of_its_new_table_alone(library: LocalLibrary) -> None:
    run, recipe = context(library, FakeModel(simulate_answer)), AutoSurveyRecipe()
    task = WritingTask(BRIEF, SELECTION, await recipe.outline(BRIEF, SELECTION, run))
    first = await recipe.write(task, run)

    def as_earlier(section: Section) -> Section:
        """With its table's claims as another version worded them."""
        own = section.claims_in_text()
        return replace(
            section, claims=tuple(c if c in own else replace(c, text=f"Once, {c.text}") for c in section.claims)
        )

    assert any(section.tables and section.claims for section in first.sections)
    kept = KeptText(tuple(enumerate(map(as_earlier, first.sections))))
    again = await recipe.write(replace(task, kept=kept), run)
    assert [section.claims for section in again.sections] == [section.claims for section in first.sections]
