"""What a model's changes and answers may say: only what their papers say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import pytest

from bot.wording.discussion import answer as word_answer
from engine.citations import cite
from engine.errors import LanguageModelError, UserError
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import Task
from engine.llm.openai import OpenAIProvider
from engine.llm.prompting import paper_block
from engine.revising.answers import answer_question
from engine.revising.model_changes import TRANSLATION_ATTEMPTS, revise_survey
from engine.run import Answer, RunContext
from engine.session.events import Exchange
from engine.survey import Citation, Claim, Note, Section, SectionChange, Survey
from engine.values import Brief, FoundPaper, Paper, PaperSelection
from tests.fakes import FakeModel, WordEmbedder, paper, section, whole
from tests.stand_ins.simulation import SimulatedService, run_simulated_service, simulate_answer

LENSES = "Soft lenses focus light without moving parts"
FIRST = paper(1, title="Soft Lenses", abstract=f"{LENSES}. They are made of gel.")
SECOND = paper(2, title="Gel Optics", abstract=f"We review gel optics. {LENSES}. They cost little.")
OTHER = paper(3)
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in (FIRST, SECOND, OTHER)))
TEXT = f"{LENSES} {cite([FIRST.key])}. They are made of gel {cite([FIRST.key])}."
SURVEY = Survey("S", "", (section("Lenses", TEXT),), (FIRST, SECOND))
BRIEF = Brief("soft lenses")


async def cited_in_section(wanted: Paper) -> str:
    context = RunContext(None, WordEmbedder(), model=FakeModel(simulate_answer))  # type: ignore[arg-type]
    change = SectionChange("1", "cite", wanted.key)
    return (await revise_survey(BRIEF, SELECTION, SURVEY, change, context)).sections[0].text


async def test_a_paper_is_cited_after_the_sentence_that_it_supports() -> None:
    assert await cited_in_section(SECOND) == (
        f"{LENSES} {cite([FIRST.key])} {cite([SECOND.key])}. They are made of gel {cite([FIRST.key])}."
    )


async def test_a_paper_that_supports_no_sentence_is_not_cited() -> None:
    with pytest.raises(UserError, match="No sentence"):
        await cited_in_section(OTHER)


async def test_a_rewriting_sees_the_parts_around_it_and_the_papers_it_cites_first() -> None:
    parts = (section("Gel", f"Gel is soft {cite([SECOND.key])}."), section("Lenses", TEXT))
    opened = replace(section("Optics", "This section covers Gel and Lenses."), sections=parts)
    survey = Survey("S", "", (opened, section("Cost", f"They cost little {cite([SECOND.key])}.")), (FIRST, SECOND))
    simple = paper(4, title="Simpler Words", abstract="Simpler words are read sooner.")
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in (simple, SECOND, OTHER, FIRST)))
    model = FakeModel(simulate_answer)
    context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
    await revise_survey(BRIEF, selection, survey, SectionChange("1.2", "rewrite", "simpler words"), context)
    asked = model.asked("revise/")[0].prompt
    around = asked.question.split("<neighbours>\n")[1].split("\n</neighbours>")[0]
    assert around == f"Before it:\n{parts[0].text}\n\nAfter it:\nThey cost little {cite([SECOND.key])}."
    assert re.findall('<paper key="([^"]+)">', asked.question)[0] == FIRST.key


async def test_general_knowledge_in_an_answer_names_and_counts_nothing() -> None:
    said = (
        f"{LENSES} {cite([FIRST.key])}. LensNet is the best of them. They bend by 40 degrees. "
        "Lenses collect light at a point."
    )
    model = FakeModel(lambda prompt, kind: simulate_answer(prompt, kind) if kind else said)
    context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
    answer = await answer_question(BRIEF, "how do soft lenses focus light?", SELECTION, SURVEY, context)
    assert [c.text for c in answer.claims] == [f"{LENSES} {cite([FIRST.key])}.", "Lenses collect light at a point."]


async def _ask(question: str, said: str, check: Callable[[str, str], str] = simulate_answer) -> Answer:
    model = FakeModel(lambda prompt, kind: check(prompt, kind) if kind else said)
    context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
    return await answer_question(BRIEF, question, SELECTION, SURVEY, context)


def _answer_late(*_: str) -> str:
    raise LanguageModelError("The model did not answer in time.", retryable=True)


@pytest.mark.parametrize("check", [_answer_late, lambda *_: json.dumps({"supported": [], "others": []})])
async def test_an_answer_that_nothing_judged_is_no_silence_of_the_papers(check: Callable[[str, str], str]) -> None:
    with pytest.raises(LanguageModelError, match="no verdict"):
        await _ask("how do soft lenses focus light?", f"{LENSES} {cite([FIRST.key])}.", check)


async def test_sentences_that_nothing_judged_are_left_out_and_counted() -> None:
    def judge_once(prompt: str, kind: str) -> str:
        return (
            _answer_late() if kind == "CheckAnswer" and ">\nThey are made" in prompt else simulate_answer(prompt, kind)
        )

    answer = await _ask("how do soft lenses focus light?", TEXT, judge_once)
    assert (len(answer.claims), answer.unchecked) == (1, 1)
    assert "1 further sentence could not be checked and is left out." in word_answer(answer)


async def test_an_answer_that_was_checked_is_shown_whatever_was_asked() -> None:
    answer = await _ask("was kosten weiche Linsen in Norwegen?", f"{LENSES} {cite([FIRST.key])}.")
    assert [claim.text for claim in answer.claims] == [f"{LENSES} {cite([FIRST.key])}."]


async def test_a_question_over_all_papers_is_shown_a_sentence_of_each() -> None:
    told = " ".join(f"The racing drone number {n} has flown fast on a track." for n in range(80))
    crowd = [paper(50, abstract=told), paper(51, abstract="A racing drone of ours has once flown over a wide lake.")]
    model = FakeModel(lambda prompt, kind: simulate_answer(prompt, kind) if kind else "NONE")
    context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
    selection = PaperSelection(tuple(FoundPaper(one, 1.0) for one in crowd))
    await answer_question(BRIEF, "Which racing drones have flown fast?", selection, SURVEY, context)
    assert "over a wide lake" in whole(model.asked("answer")[0])


async def test_a_question_over_all_papers_is_shown_what_was_noted_when_the_survey_was_written() -> None:
    told = " ".join(f"The racing drone number {n} has flown fast on a track." for n in range(80))
    silent = paper(51, abstract="Our policy steers through gates at 60 km/h. It crossed a lake.")
    note = Note(silent.key, (1,), "hardware", "quadrotor", "policy", "60 km/h through gates", "")
    model = FakeModel(lambda prompt, kind: simulate_answer(prompt, kind) if kind else "NONE")
    context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
    selection = PaperSelection(tuple(FoundPaper(one, 1.0) for one in (paper(50, abstract=told), silent)))
    survey = replace(SURVEY, notes=(note,))
    await answer_question(BRIEF, "Which racing drones have flown fast?", selection, survey, context)
    shown = whole(model.asked("answer")[0])
    assert "(hardware) quadrotor; policy; 60 km/h through gates" in shown
    assert "1. Our policy steers through gates at 60 km/h." in shown


async def test_counts_come_from_the_records_and_no_model_is_asked() -> None:
    model = FakeModel(lambda *_: "There are ninety.")
    context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
    for question in ("how many papers are there?", "How many papers are from 1999?"):
        answer = await answer_question(BRIEF, question, SELECTION, SURVEY, context)
        assert re.match(r"By the papers’ records: [03] papers\b", word_answer(answer))
    assert not model.asked("")


async def test_the_model_is_shown_the_sentences_that_rank_first_wherever_they_stand() -> None:
    crowd = tuple(FoundPaper(paper(number), 1.0) for number in range(10, 60))
    model = FakeModel(lambda prompt, kind: simulate_answer(prompt, kind) if kind else "NONE")
    context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
    selection = PaperSelection((*crowd, FoundPaper(FIRST, 1.0)))
    await answer_question(BRIEF, "what are soft lenses made of?", selection, SURVEY, context)
    shown = whole(model.asked("answer")[0])
    assert LENSES in shown
    assert "2. They are made of gel." in shown


async def test_the_papers_that_a_question_names_by_number_are_shown_with_what_the_number_means() -> None:
    crowd = tuple(FoundPaper(paper(number), 1.0) for number in range(10, 40))
    selection = PaperSelection((*crowd, FoundPaper(SECOND, 1.0)))
    model = FakeModel(
        lambda prompt, kind: simulate_answer(prompt, kind) if kind else f"They cost little {cite([SECOND.key])}."
    )
    context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
    answer = await answer_question(BRIEF, "what does [2] say about retrieval cost?", selection, SURVEY, context)
    (asked,) = model.asked("answer")
    assert paper_block([SECOND]) in whole(asked)
    assert f"means: {cite([SECOND.key])}" in whole(asked)
    assert answer.papers[0] == SECOND
    assert answer.silent == ()


async def test_a_paper_that_a_question_names_and_the_answer_does_not_speak_of_is_named() -> None:
    said = f"{LENSES} {cite([SECOND.key])}."
    answer = await _ask("how do the lenses of [1] focus light?", said)
    assert answer.silent == (FIRST,)
    assert word_answer(answer).startswith("I found nothing on this in [1]. From the papers of this survey")


async def test_a_question_after_one_that_found_nothing_refers_to_the_answer_before() -> None:
    crowd = tuple(FoundPaper(paper(number), 1.0) for number in range(10, 40))
    model = FakeModel(lambda prompt, kind: simulate_answer(prompt, kind) if kind else "NONE")
    asked = (
        Exchange("what do soft lenses cost?", f"They cost little {cite([SECOND.key])}."),
        Exchange("which of them are made of glass?", ""),
    )
    context = RunContext(None, WordEmbedder(), model=model, asked=asked)  # type: ignore[arg-type]
    selection = PaperSelection((*crowd, FoundPaper(SECOND, 1.0)))
    await answer_question(BRIEF, "why?", selection, SURVEY, context)
    assert paper_block([SECOND]) in whole(model.asked("answer")[0])


async def test_a_translation_keeps_quotations_word_for_word_and_is_judged_sentence_by_sentence() -> None:
    said = f"One: “{LENSES}” {cite([FIRST.key])}."
    plain = f"They are made of gel {cite([FIRST.key])}."
    claims = (
        Claim(said, (Citation(FIRST.key, LENSES, "quoted"),)),
        Claim(plain, (Citation(FIRST.key, "They are made of gel", "supported"),)),
    )
    survey = Survey("S", "", (Section("Lenses", f"{said} {plain}", claims),), (FIRST,))
    german = f"Sie bestehen aus Gel {cite([FIRST.key])}."
    denied = german.replace("bestehen", "bestehen nicht")
    given = [said.replace("focus light", "sammeln Licht"), said.replace("One", "Eins"), said.replace("One", "Eins")]
    answers = list(zip(given, (german, denied, german), strict=True))

    def reply(prompt: str, kind: str) -> str:
        if kind == "TranslationAnswer":
            return json.dumps({"sentences": answers.pop(0)})
        follows = [{"statement": n, "follows": "nicht" not in prompt} for n in (1, 2)]
        return json.dumps({"judgements": follows})

    model = FakeModel(reply)
    context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
    change = SectionChange("1", "translate", "German")
    (new,) = (await revise_survey(BRIEF, SELECTION, survey, change, context)).sections
    assert new.text == f"{said.replace('One', 'Eins')} {german}"
    assert [c.citations[0].verdict for c in new.claims] == ["quoted", "supported"]


async def test_a_translation_that_failed_is_asked_for_anew_and_one_that_was_paid_is_not() -> None:
    survey = Survey("S", "", (section("Lenses", TEXT),), (FIRST,))
    lost = {"sentences": ["Weiche Linsen.", "Gel."]}
    whole = {"sentences": [f"Weiche Linsen {cite([FIRST.key])}.", f"Sie bestehen aus Gel {cite([FIRST.key])}."]}
    same = {"judgements": [{"statement": n, "follows": True} for n in (1, 2)]}
    answers = [*[lost] * TRANSLATION_ATTEMPTS, whole, same]
    service = SimulatedService(pace=0, reply=lambda *_: json.dumps(answers.pop(0)))
    async with run_simulated_service(service):
        models, provider = dict.fromkeys(get_args(Task), "m"), OpenAIProvider("k", f"{service.url}/v1", 10.0)
        model = MeteredModel(provider, models, Throttle(1), Account(), MemoryRecord(), "job")
        context = RunContext(None, WordEmbedder(), model=model)  # type: ignore[arg-type]
        change = SectionChange("1", "translate", "German")
        with pytest.raises(LanguageModelError, match="lost something"):
            await revise_survey(BRIEF, SELECTION, survey, change, context)
        texts = [(await revise_survey(BRIEF, SELECTION, survey, change, context)) for _ in range(2)]
        await provider.close()
    assert [one.sections[0].text for one in texts] == [" ".join(whole["sentences"])] * 2
    assert not answers
