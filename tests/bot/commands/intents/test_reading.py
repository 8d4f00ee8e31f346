from __future__ import annotations

import random
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat import Place
from bot.bench.understand import measure_understanding, read_utterance, read_utterances
from bot.commands.commands import FreeText, StartSurvey
from bot.commands.grammar import parse
from bot.commands.intents import intents
from bot.commands.intents.intents import load_intents
from bot.commands.intents.reading import ReadingContext, read_plain, understand
from bot.commands.intents.suggestions import suggest_commands
from bot.commands.intents.vocabulary import command_words
from engine.errors import UserError
from engine.session.events import AskQuestion
from engine.session.state import PHASES, Phase, State
from engine.values import Keyword, KeywordPool, Outline, OutlineNode

HERE = Path(__file__).parent


EXAMPLES = Path(intents.__file__).with_name("examples.jsonl")


def test_what_people_type_is_understood_and_what_is_not_for_us_is_left_alone() -> None:
    """On utterances that neither the classifier nor a pattern was made from."""
    figures = measure_understanding(read_utterances(HERE / "utterances.jsonl"))
    assert figures.share >= 0.95, figures.wrong
    assert all(share >= 0.9 for share in figures.phases.values()), figures.phases
    assert figures.not_for_us >= 60
    assert figures.acted_on == 0


def test_the_examples_are_read_as_they_were_meant() -> None:
    figures = measure_understanding(read_utterances(EXAMPLES)[::4])
    assert figures.share >= 0.985, figures.wrong
    assert figures.acted_on == 0


@pytest.mark.parametrize(
    ("text", "phase", "command"),
    [
        ("section 4 is a bit thin, can you flesh it out?", "discussion", "expand 4"),
        ("8 is a preprint of 3. Kill it.", "papers", "exclude 8"),
        ("the introduction goes on forever, cut it down", "discussion", "shorten introduction"),
        ("drop 3 and shorten it", "discussion", "?"),
    ],
)
def test_a_pronoun_stands_for_what_was_named_before(text: str, phase: Phase, command: str) -> None:
    assert read_utterance(text, phase, "direct") == command


@pytest.mark.parametrize(
    ("text", "phase", "command"),
    [
        ("throw out 2, no sorry, 3", "papers", "exclude 3"),
        ("remove number two, I meant number ten", "papers", "exclude 10"),
        ("drop the third, no wait, the fourth please", "outline", "drop 4"),
        ("no not 3, I meant 4", "keywords", "?"),
        ("drop 3, oh and 5 as well", "keywords", "drop 3 5"),
    ],
)
def test_who_corrects_a_number_means_the_second(text: str, phase: Phase, command: str) -> None:
    assert read_utterance(text, phase, "direct") == command


@pytest.mark.parametrize(
    ("text", "phase", "command"),
    [
        ('insert a new section "Datasets" after 2', "outline", "add section Datasets after 2"),
        ('add "Open problems" as a section before 6', "outline", "add section Open problems before 6"),
        ("add a section about fairness and one about privacy", "outline", "?"),
        ("do we need section 5?", "outline", "?"),
        ("keep all of them", "papers", "ok"),
        ("rename section 2 to Foundations", "discussion", "rename 2 to Foundations"),
        ("delete section 3 please", "discussion", "drop 3"),
        ("simplify section 2", "discussion", "rewrite 2: simpler"),
        ("where does the second sentence of 3.2 come from?", "discussion", "why 3.2"),
        ("what's reference 8 doing here?", "discussion", "why [8]"),
        ("that doesn't look too bad, go ahead", "keywords", "ok"),
        ("dig up whatever there is on LiDAR odometry", "topic", "survey LiDAR odometry"),
        ("hold on a sec", "topic", "?"),
        (
            "retrieval-augmented generation, no older than 2021",
            "topic",
            "survey retrieval-augmented generation years=2021..",
        ),
        ("number 6 was fine after all", "papers", "include 6"),
        ("we should also look at domain shift", "keywords", "add domain shift"),
    ],
)
def test_words_of_other_people(text: str, phase: Phase, command: str) -> None:
    assert read_utterance(text, phase, "direct") == command


@pytest.mark.parametrize(
    ("text", "phase", "place", "command"),
    [
        ("none of them answer my question", "papers", "direct", "no"),
        ("all of these miss the mark", "keywords", "direct", "no"),
        ("this misses the point", "papers", "thread", ""),
        ("what has nobody explored so far?", "discussion", "direct", "gaps"),
        ("I'm deeply indebted to you", "writing", "direct", "thanks"),
    ],
)
def test_a_refusal_a_question_for_gaps_and_thanks(text: str, phase: Phase, place: Place, command: str) -> None:
    assert read_utterance(text, phase, place) == command


@pytest.mark.parametrize(
    ("text", "phase", "command"),
    [
        ("we ought to do traffic forecasting", "topic", "survey traffic forecasting"),
        ("could somebody check the literature on beekeeping? seven sections", "topic", "survey beekeeping sections=7"),
        ('I miss "graph transformers" in this list', "keywords", "add graph transformers"),
        ("graph pooling would be worth a search too", "keywords", "add graph pooling"),
        ("I would give fairness a section of its own", "outline", "add section fairness"),
    ],
)
def test_the_words_that_a_command_needs_are_found_where_no_pattern_fits(text: str, phase: Phase, command: str) -> None:
    assert read_utterance(text, phase, "direct") == command


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ("rename 2 to Benchmarks and drop 5", "outline"),
        ("drop 4 and give me ten more", "papers"),
        ("remove 3 and look for more", "papers"),
        ("add vocoders but without audio", "keywords"),
        ("export it and evaluate it", "discussion"),
        ("add drones and start the search", "keywords"),
    ],
)
def test_of_two_wishes_none_is_done_by_halves(text: str, phase: Phase) -> None:
    assert read_utterance(text, phase, "direct") == "?"


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ("let me read it first", "discussion"),
        ("what's the status of your visa?", "writing"),
        ("take care!", "keywords"),
        ("I'd have thought there'd be more on attention tbh", "keywords"),
        ("we should do a survey among the freshmen", "topic"),
    ],
)
def test_talk_that_sounds_like_a_command_is_left_alone(text: str, phase: Phase) -> None:
    assert read_utterance(text, phase, "thread") == ""


def test_a_question_of_a_subject_is_asked_though_it_sounds_like_a_command() -> None:
    for text in ("what is the price of coffee in Lima?", "how far are we with fusion reactors?"):
        assert read_utterance(text, "discussion", "direct") == f"ask {text}"
    assert read_utterance("what's the price for writing this", "discussion", "direct") == "cost"


def test_words_that_no_pattern_fits_are_classified_for_those_who_talk_to_us_alone() -> None:
    text = "which section are you writing now?"
    assert read_utterance(text, "writing", "direct") == "status"
    assert read_utterance(text, "writing", "thread") == ""


@pytest.mark.parametrize(
    ("text", "phase", "command"),
    [
        ("those keywords are way off, suggest some others", "keywords", "no"),
        ("go a step back to the keywords", "papers", "back"),
        ("make these a lot more specific", "keywords", "?"),
    ],
)
def test_a_pattern_that_fits_is_not_followed_where_the_examples_speak_against_it(
    text: str, phase: Phase, command: str
) -> None:
    assert read_utterance(text, phase, "direct") == command


@pytest.mark.parametrize(
    ("text", "phase", "place", "command"),
    [
        ("graph colouring isn't our field, remove it", "keywords", "direct", "drop graph colouring"),
        ("The sixth one is a copy of the first. Remove the sixth.", "papers", "direct", "exclude 6"),
        ("drop numbers 2 and 7 for me", "keywords", "direct", "drop 2 7"),
        ("could you get sixty additional papers", "papers", "direct", "more 60"),
        ("Review: drones. German, 7 sections.", "topic", "direct", "survey drones sections=7 language=German"),
        ("named entity recognition in Arabic", "topic", "direct", "survey named entity recognition in Arabic"),
        ("something with oceans maybe", "topic", "direct", "?"),
        ('drop "cars", add "trucks"', "keywords", "direct", "?"),
        ("please do not write any further", "writing", "direct", "stop"),
        ("make it a bit nicer", "discussion", "direct", "?"),
        ("drop these", "keywords", "direct", "?"),
        ("bin 2.1 and 2.3", "outline", "direct", "drop 2.1 2.3"),
        ("7 stays", "papers", "direct", "include 7"),
        ("newest first", "papers", "direct", "?"),
        ("remove all from 2015", "papers", "direct", "?"),
        ("put back the one I just deleted", "keywords", "direct", "undo"),
        ("please take “robotics” off the list", "keywords", "direct", "drop robotics"),
        ("let Jonas in as well", "discussion", "direct", "invite Jonas"),
        ("the fourth isn't relevant", "keywords", "direct", "drop 4"),
        ("keywords 1 to 3 are too general, remove them", "keywords", "direct", "drop 1-3"),
        ("please write in German about tides", "topic", "direct", "survey tides language=German"),
        ("are we done here?", "writing", "thread", ""),
        ("rewrite 2.2 in shorter sentences", "discussion", "direct", "rewrite 2.2: in shorter sentences"),
        ("make 2.2 shorter", "discussion", "direct", "shorten 2.2"),
        ("chuck in “layout stability”", "keywords", "direct", "add layout stability"),
        ("show me everything I've worked on so far", "topic", "direct", "list"),
        ("how much per survey?", "topic", "direct", "cost"),
        ("do you have ideas for a topic?", "topic", "direct", "?"),
        ("add another cup next time", "keywords", "thread", ""),
        ("paper 2 is really good, worth reading", "papers", "thread", ""),
        ("we should write a review one day", "topic", "thread", ""),
    ],
)  # fmt: skip
def test_reasons_options_and_doubts_in_one_message(text: str, phase: Phase, place: Place, command: str) -> None:
    assert read_utterance(text, phase, place) == command


@pytest.mark.parametrize("command", sorted({intent.command for intent in load_intents()}))
def test_every_intent_is_a_command_of_the_grammar(command: str) -> None:
    example = command.format(
        place="2", other="3", earlier="2", later="3", where="after", numbers="3 7", count="3", reference="4",
        formats="pdf", language="German", person="mara", text="evaluation", title="Evaluation", terms="evaluation",
    )  # fmt: skip
    assert not isinstance(parse(example), FreeText), example


def test_a_position_becomes_what_stands_there() -> None:
    pool = KeywordPool((Keyword("graphs", "topic"), Keyword("attention", "library", 3)))
    state = State(phase="keywords", keywords=pool)
    context = ReadingContext("keywords")
    assert understand("please drop the second keyword", context, state).said == "drop attention"
    assert understand("remove the last one", context, state).said == "drop attention"
    assert understand("drop the last two keywords", context, state).said == "drop graphs, attention"
    assert understand("keywords 1 and 2 can go", context, state).said == "drop graphs, attention"
    assert understand("drop the ninth keyword", context, state).said == "drop 9"


def test_the_front_and_the_end_are_those_between_introduction_and_conclusion() -> None:
    body = tuple(OutlineNode(title) for title in ("Graphs", "Attention", "Data"))
    ends = OutlineNode("Introduction", role="introduction"), OutlineNode("Conclusion", role="conclusion")
    outline = Outline("T", (ends[0], *body, ends[1]))
    context, state = ReadingContext("outline"), State(phase="outline", outline=outline)
    assert understand("move 4 to the front", context, state).said == "move 4 before 2"
    assert understand("put section 2 at the end please", context, state).said == "move 2 after 4"
    assert understand("can section 3 go first?", context, state).said == "move 3 before 2"
    assert understand("move 5 before 1", context, state).said == "move 5 before 1"


@pytest.mark.parametrize("name", ["papers", "keywords", "outline"])
def test_what_was_approved_before_is_shown_by_its_name(name: str) -> None:
    assert read_utterance(name, "discussion", "direct") == f"show {name}"


@pytest.mark.parametrize(
    ("text", "phase", "first"),
    [
        ("what about cross-encoders?", "keywords", "add cross-encoders"),
        ("hmm paper 4 I don't know", "papers", "exclude 4"),
        ("transformers", "topic", "survey transformers"),
        ("mmmh", "writing", "status"),
        ("Does any paper study quantum computing?", "topic", "quick Does any paper study quantum computing?"),
    ],
)
def test_what_is_not_sure_is_asked_back_with_two_readings(text: str, phase: Phase, first: str) -> None:
    assert read_utterance(text, phase, "direct") == "?"
    choices = suggest_commands(text, phase, 20)
    assert choices[0] == first
    assert choices[0] != choices[1]


def test_what_is_asked_back_names_no_section_that_is_not_there() -> None:
    assert suggest_commands("lunch at 12?", "discussion", 6)[0] == "ask lunch at 12"


@given(st.text(max_size=300), st.sampled_from(PHASES), st.sampled_from(["direct", "thread", "mentioned"]))
def test_any_text_is_read_or_asked_back(text: str, phase: Phase, place: Place) -> None:
    try:
        understand(text, ReadingContext(phase, place), State(phase=phase))
    except UserError as error:
        assert str(error)


def test_no_long_text_takes_long_to_read() -> None:
    draw = random.Random(0)
    vocabulary = [*sorted(command_words()), "the", "a", "please", "2", "3.1", ",", "and", "to", "it", "section", "of"]
    for phase in PHASES:
        read_plain("warm", ReadingContext(phase))
        for _ in range(12):
            text = " ".join(draw.choices(vocabulary, k=60))
            began = time.process_time()
            read_plain(text, ReadingContext(phase))
            assert time.process_time() - began < 1.0, text


def test_the_last_years_are_counted_from_this_one() -> None:
    said = read_utterance("sea ice forecasting from the last five years", "topic", "direct")
    assert said == f"survey sea ice forecasting years={datetime.now(UTC).year - 5}.."


def test_the_options_of_a_survey_in_quotation_marks_are_read_as_they_stand() -> None:
    said = 'survey dense retrieval recipe="autosurvey" sections="4" words="120" without="arxiv:2004.04906"'
    read = understand(said, ReadingContext("topic"), State())
    assert (read.said, read.command) == (said, parse(said))
    assert isinstance(read.command, StartSurvey)
    assert read.command.topic == "dense retrieval"


@pytest.mark.parametrize("phase", ["outline", "discussion"])
@pytest.mark.parametrize("command", ["add section Noise after 2", "add section Part-of-speech tagging before 3"])
def test_the_commands_own_words_are_no_part_of_a_title(command: str, phase: Phase) -> None:
    assert read_utterance(command, phase, "direct") == command


@pytest.mark.parametrize(
    ("text", "phase", "offered"),
    [
        ("rename 2 to Signs and drop 5", "outline", ("rename 2 to Signs", "drop 5")),
        ("add pruning and remove 3", "keywords", ("add pruning", "drop 3")),
        ("shorten 2 and expand 3", "discussion", ("shorten 2", "expand 3")),
    ],
)
def test_of_two_wishes_each_is_offered(text: str, phase: Phase, offered: tuple[str, str]) -> None:
    assert suggest_commands(text, phase, 8) == offered


@pytest.mark.parametrize(
    ("text", "command"), [("survey list", "list"), ("/survey list all", "list all"), ("survey help", "help")]
)
def test_what_follows_the_slash_command_is_no_topic(text: str, command: str) -> None:
    for phase in PHASES:
        assert understand(text, ReadingContext(phase), State(phase=phase)).command == parse(command)
    assert read_utterance("survey list decoding", "topic", "direct") == "survey list decoding"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("why?", "why?"),
        ("and which of them are fast?", "and which of them are fast?"),
        ("this is rubbish, you stupid bot, just tell me what REALM does", "what REALM does"),
    ],
)
def test_a_plain_question_is_asked_whatever_is_said_around_it(text: str, question: str) -> None:
    assert read_plain(text, ReadingContext("discussion")).said == f"ask {question}"


@pytest.mark.parametrize("place", ["direct", "mentioned", "thread"])
def test_the_word_ask_is_no_part_of_the_question(place: Place) -> None:
    found = understand(
        "ask which systems use sparse attention?", ReadingContext("discussion", place), State("discussion")
    )
    assert found.command == AskQuestion("which systems use sparse attention?")
