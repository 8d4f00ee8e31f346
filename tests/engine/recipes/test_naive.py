"""The naive baseline: it writes on from what it wrote, until the length is there, below its own headings."""

from __future__ import annotations

from dataclasses import replace

from engine.citations import list_cited_keys
from engine.recipes.naive import NaiveRagRecipe
from engine.retrieval.libraries.local import LocalLibrary
from engine.writing.drafting import count_words, most_words
from tests.engine.recipes.test_autosurvey import BRIEF, write
from tests.fakes import FakeModel, whole
from tests.stand_ins.simulation import simulate_answer


async def test_the_naive_baseline_writes_on_until_the_length_is_there(library: LocalLibrary) -> None:
    model = FakeModel(simulate_answer)
    long = replace(BRIEF, sections=2, subsection_words=1_000)
    outline, survey = await write(NaiveRagRecipe(), library, model, long)
    (section,) = survey.sections
    assert len(section.text.split()) >= 2_000
    assert "2 sections were asked for" in outline.notes[0]
    assert len(model.asked("draft/")) >= 2
    assert "(nothing yet)" in whole(model.asked("draft/0")[0])
    assert {c.verdict for claim in section.claims for c in claim.citations} == {"unchecked"}
    assert set(list_cited_keys(section.text)) == {p.key for p in survey.references}


async def test_the_naive_baseline_ends_a_stretch_that_is_far_too_long(library: LocalLibrary) -> None:
    model = FakeModel(lambda prompt, schema: "\n\n".join([simulate_answer(prompt, schema)] * 5))
    short = replace(BRIEF, sections=1, subsection_words=700)
    _, survey = await write(NaiveRagRecipe(), library, model, short)
    assert 700 <= count_words(survey.sections[0].text) <= most_words(700)
    assert [warning.kind for warning in survey.warnings] == ["length"]


async def test_the_naive_baseline_writes_on_from_what_it_wrote_last(library: LocalLibrary) -> None:
    headings = iter(["## First\n\n", "## Second\n\n", "## First\n\n", "", ""])
    model = FakeModel(lambda prompt, schema: next(headings) + simulate_answer(prompt, schema))
    _, survey = await write(NaiveRagRecipe(), library, model, replace(BRIEF, sections=1, subsection_words=2_500))
    last = whole(model.asked("draft/3")[0]).partition("\n</draft>")[0]
    assert last.rpartition("\n\n## ")[2].startswith("First\n")
    assert [section.title for section in survey.sections] == ["First", "Second"]
    first, second = (count_words(section.text) for section in survey.sections)
    assert first > 2 * second


async def test_the_naive_baseline_writes_its_own_sections_in_markdown(library: LocalLibrary) -> None:
    headings = iter(["Introduction", "**Literature Review**", "Literature Review", "3. Discussion"])

    def reply(prompt: str, schema: str) -> str:
        return "\n\n".join(f"## {next(headings)}\n\n{simulate_answer(prompt, schema)}" for _ in range(2))

    model, long = FakeModel(reply), replace(BRIEF, sections=1, subsection_words=1_500)
    _, survey = await write(NaiveRagRecipe(), library, model, long)
    assert [section.title for section in survey.sections] == ["Introduction", "Literature Review", "Discussion"]
    assert "## Literature Review" in whole(model.asked("draft/1")[0])
