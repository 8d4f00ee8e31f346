"""Plain words without a language model: on sentences that the classifier was not made from."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat import Place
from bot.bench.understand import Utterance, measure_understanding, read_utterance
from bot.bench.yardstick_report import read_json_lines
from bot.commands.commands import FreeText, StartSurvey
from bot.commands.intents.features import Heard
from bot.commands.intents.plain_words import understand
from engine.errors import UserError
from engine.session.events import Approve, EditKeywords, EditPapers, Job
from engine.session.state import PHASES, Phase, State
from engine.survey import Section, Survey
from engine.values import Keyword, KeywordPool, Outline, OutlineNode
from tests.measures.train_intents import load_examples

DATA = Path(__file__).with_name("data")


def measure(name: str) -> dict[str, Any]:
    return measure_understanding(read_json_lines(DATA / f"{name}.jsonl", Utterance))


def test_eight_people_of_a_lab_are_understood_and_nothing_is_done_that_they_did_not_say() -> None:
    figures = measure("lab_sentences")
    assert figures["share"] >= 0.85, figures["wrong"]
    assert figures["offered"] >= 0.95, figures["wrong"]
    assert figures["for_us_alone"] >= 60 and figures["not_for_us"] >= 30
    assert (figures["wrong_changes"], figures["unheard"], figures["overheard"]) == (0, 0, 0), figures["wrong"]


def test_requests_beyond_its_powers_change_nothing_and_get_an_answer() -> None:
    figures = measure("beyond_powers")
    assert figures["share"] >= 0.85, figures["wrong"]
    assert (figures["wrong_changes"], figures["unheard"]) == (0, 0), figures["wrong"]


def test_what_was_written_down_before_there_was_a_classifier_is_read() -> None:
    figures = measure("utterances")
    assert figures["share"] >= 0.8, figures["wrong"]
    assert (figures["unheard"], figures["overheard"]) == (0, 0), figures["wrong"]


def test_no_held_out_sentence_stands_among_the_examples() -> None:
    held_out = {
        said.text.lower()
        for f in ("lab_sentences", "beyond_powers")
        for said in read_json_lines(DATA / f"{f}.jsonl", Utterance)
    }
    shared = {example.text.lower() for example in load_examples()} & held_out
    assert all(len(text.split()) <= 2 for text in shared), shared


@pytest.mark.parametrize("question", ["how many papers are from 2022?", "which papers are from 2025?"])
def test_a_question_with_a_year_in_it_is_asked_of_the_survey_and_is_no_section(question: str) -> None:
    survey = Survey("Bees", "", tuple(Section(name, "They fly.") for name in "ABC"), ())
    found = understand(question, Heard("discussion"), State(phase="discussion", survey=survey))
    assert isinstance(found, FreeText) and found.guess == f"ask {question}"


@pytest.mark.parametrize(
    "question", ["can models forget?", "do list methods help?", "is status a predictor of health?"]
)
def test_a_question_reaches_its_command_whole(question: str) -> None:
    for said in (f"quick {question}", f"/survey quick {question}"):
        assert understand(said, Heard("topic"), State()) == StartSurvey(question, {"recipe": "quick"})
    assert understand(f"ask {question}", Heard("discussion"), State(phase="discussion")) == Job(
        "answer", question=question
    )


def test_numbers_name_what_is_proposed_at_the_step() -> None:
    pool = KeywordPool((Keyword("dense retrieval", "topic"), Keyword("hashing", "topic")))
    state = State(phase="keywords", keywords=pool)
    assert understand("drop 2", Heard("keywords"), state) == EditKeywords(drop=("hashing",))
    assert understand("remove 3 and 5", Heard("papers"), State(phase="papers")) == EditPapers(exclude=(3, 5))
    assert understand("drop the keyword hashing", Heard("keywords"), state) == EditKeywords(drop=("hashing",))
    with pytest.raises(UserError):
        understand("drop 9", Heard("keywords"), state)


def test_a_keyword_to_be_included_is_no_number_that_cannot_be_read() -> None:
    read = understand("include haptic rendering please", Heard("keywords"), State(phase="keywords"))
    assert isinstance(read, FreeText) and read.offers[0] == "add haptic rendering"


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("could 5 be called Open Problems?", "rename 5 to Open Problems"),
        ("let section 2 have the title Search for Answers", "rename 2 to Search for Answers"),
        ("the title of 2 should be Old and New Problems", "rename 2 to Old and New Problems"),
    ],
)
def test_what_is_named_is_offered_whole_though_it_holds_words_of_commands(text: str, offered: str) -> None:
    read = understand(text, Heard("outline"), State(phase="outline"))
    assert isinstance(read, FreeText) and read.offers[0] == offered


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("the second one is too broad, take it out", "exclude 2"),
        ("Leave out 30 to 33.", "exclude 30 31 32 33"),
        ("number 5 until 8 is about animals, please leave these out", "exclude 5 6 7 8"),
    ],
)
def test_what_would_do_what_was_said_is_offered_with_its_numbers(text: str, offered: str) -> None:
    read = understand(text, Heard("papers"), State(phase="papers"))
    assert isinstance(read, FreeText) and offered in read.offers and not read.guess


def test_the_same_words_are_an_answer_to_whoever_spoke_last() -> None:
    to_us = understand(
        "yes", Heard("papers", "thread", others=True, before=("colleague", "bot")), State(phase="papers")
    )
    to_them = understand(
        "yes", Heard("papers", "thread", others=True, before=("bot", "colleague?")), State(phase="papers")
    )
    assert isinstance(to_us, Approve)
    assert to_them is None or (isinstance(to_them, FreeText) and not to_them.guess)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("please make the section Agent Memory shorter", "shorten 2"),
        ("the memory section is far too long, shorten it", "shorten 2"),
        ("shorten the benchmarks part", "shorten 3"),
    ],
)
def test_a_section_is_found_by_its_name_or_most_of_it(said: str, meant: str) -> None:
    outline = Outline("Agents", tuple(map(OutlineNode, ("Introduction", "Agent Memory", "Tool Benchmarks"))))
    read = understand(said, Heard("discussion"), State(phase="discussion", outline=outline))
    assert isinstance(read, FreeText)
    assert meant in read.offers


PIECES = st.sampled_from(["the ", "9", "1.", "x,", "please ", "add ", "] ", "\n", "“", "and 1 ", "drop 1 ", "= ", "?"])


@given(
    PIECES, st.sampled_from(["", "add ", "rename 1.", "drop ", "survey ", "move 1 ", "cite "]), st.sampled_from(PHASES)
)
def test_a_message_is_read_in_linear_time(piece: str, beginning: str, phase: Phase) -> None:
    before = time.process_time()
    try:
        understand(beginning + piece * (40_000 // len(piece)), Heard(phase), State(phase=phase))
    except UserError as error:
        assert str(error)
    assert time.process_time() - before < 0.4  # half of it on a machine at rest


@given(st.text(max_size=80), st.sampled_from(PHASES), st.sampled_from(["direct", "thread", "mentioned"]))
def test_anything_is_read(text: str, phase: Phase, place: Place) -> None:
    read_utterance(Utterance(text, phase, place, "?"))
