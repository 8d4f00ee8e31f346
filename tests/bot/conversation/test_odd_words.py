"""Whatever is said, at whatever step: a command, a question back, or a sentence; never a traceback."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.chat import Incoming
from bot.commands.commands import NOT_FOR_THE_SESSION, FreeText, Show, StartSurvey
from bot.conversation import showing
from bot.conversation.understanding import command_of
from bot.store.notes import Talk
from bot.wording.sentences import OUR_FAULT
from engine.errors import UserError
from engine.retrieval.libraries.local import LocalLibrary
from engine.session.events import Approve, JobDone, Start
from engine.session.proposal_edits import edit_keywords
from engine.session.state import SurveySession, advance
from engine.survey import Survey
from engine.values import Brief, FoundPaper, Keyword, KeywordPool, Outline, OutlineNode, PaperSelection
from tests.fakes import HERE, FakeChat, papers, section
from tests.lab import opened

BEGINNINGS = (
    "",
    "add ",
    "drop ",
    "exclude ",
    "include ",
    "more ",
    "rename ",
    "rename 2 to ",
    "move 1 before ",
    "merge ",
    "split ",
    "add section ",
    "show ",
    "show papers ",
    "why ",
    "why [",
    "rewrite 1: ",
    "expand ",
    "cite [",
    "tree ",
    "undo ",
    "open ",
    "name this survey ",
    "invite ",
    "budget survey ",
    "budget person x ",
    "export ",
    "survey ",
    "survey x sections=",
    "survey x years=",
    "papers: ",
    "quick ",
    "follow ",
    "choose ",
    "archive ",
    "references ",
    "translate 1 to ",
)
ODD = st.one_of(
    st.text(max_size=40),
    st.text(st.characters(categories=["Cs", "Cc", "Cf", "No", "Nd", "Nl", "Sk"]), max_size=20),
    st.sampled_from(
        ["²", "①", "٣", "1²", "9" * 5_000, "1-²", "0", "-1", "1.²", "1." * 3_000, "\ud800", "a\0b", "[²]", "1e9"]
    ),
    st.integers(-10, 10**9).map(str),
)


def steps() -> list[SurveySession]:
    """A session at each step."""
    session, found = SurveySession("abc"), papers(4)
    made = [session]
    results: tuple[KeywordPool | PaperSelection | Outline | Survey, ...] = (
        KeywordPool((Keyword("dense retrieval", "topic"),)),
        PaperSelection(tuple(FoundPaper(p, 1.0) for p in found)),
        Outline("A Survey", (OutlineNode("One", papers=(found[0].key,)), OutlineNode("Two"))),
        Survey("A Survey", "", (section("One", "Words."), section("Two", "More.")), ()),
    )
    session, _ = advance(session, Start(Brief("dense retrieval"), 200))
    for number, result in enumerate(results, start=1):
        session, _ = advance(session, JobDone(f"abc-{number}", result))
        made.append(session)
        if number < len(results):
            session, _ = advance(session, Approve())
    return made


STEPS = steps()


@given(st.sampled_from(BEGINNINGS), ODD, st.sampled_from(STEPS), st.sampled_from(["direct", "thread", "mentioned"]))
@example("exclude ", "²", STEPS[2], "direct")
@example("rename 2 to ", "x" * 100_000, STEPS[3], "direct")
@example("why ", "9" * 5_000, STEPS[4], "direct")
@example("", "9" * 5_000, STEPS[2], "direct")
@example("drop ", "1 2 " * 500, STEPS[2], "direct")
@example("show ", "9" * 5_000, STEPS[2], "direct")
@example("show papers ", "9" * 5_000, STEPS[2], "direct")
def test_what_is_said_is_understood_or_answered(beginning: str, odd: str, session: SurveySession, place: str) -> None:
    try:
        command = command_of(Incoming(HERE, "mara", "k", beginning + odd, place=place), session, Talk())  # type: ignore[arg-type]
        if isinstance(command, Show) and command.view not in {"cost", "budget", "tree"}:
            showing.view(session, command)
        elif command and not isinstance(command, NOT_FOR_THE_SESSION | StartSurvey):
            advance(session, command)
    except UserError as error:
        assert str(error)


SAID = st.one_of(
    st.tuples(st.sampled_from(["words", "button", "form", "stranger"]), st.sampled_from(BEGINNINGS), ODD),
    st.tuples(
        st.just("words"), st.sampled_from(["ok", "no", "back", "undo", "stop", "start over", "export"]), st.just("")
    ),
)
QUICK = settings().max_examples <= 25
"""The same conversations each time; --hypothesis-profile=thorough looks for others."""


@settings(max_examples=2 if QUICK else 100, derandomize=QUICK)
@given(st.lists(SAID, min_size=20, max_size=20))
def test_a_conversation_of_anything_has_an_answer_each_time(
    indexed_library: Path, said: Sequence[tuple[str, str, str]]
) -> None:
    """Through dispatcher, store, jobs and outbox: none of it is silent, and nothing is our fault."""
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as environment:
        environment.setenv("SCHOLIUM_HOME", home)
        shutil.copytree(indexed_library, Path(home) / "libraries" / "main")
        asyncio.run(converse([("words", "survey dense retrieval", ""), *said]))


async def converse(said: Sequence[tuple[str, str, str]]) -> None:
    chat = FakeChat()
    async with opened(chat) as lab:
        for number, (how, beginning, odd) in enumerate(said):
            before, text = len(chat.sent), beginning + odd
            session = await lab.session()
            button = f"{text}:{session.id}:{session.revision}" if how in {"button", "form"} else ""
            values = ((odd, beginning), ("topic", odd)) if how == "form" else ()
            person = "noor" if how == "stranger" else "mara"
            words = "" if button else text
            incoming = Incoming(HERE, person, f"k{number}", words, button, values=values)
            await lab.service.dispatcher.handle(incoming)
            await lab.settled()
            if text.strip():
                assert chat.sent[before:], incoming
        assert [message.text for message in chat.sent if OUR_FAULT in message.text] == []


async def test_characters_that_no_database_takes_are_left_out_where_they_come_in(library: LocalLibrary) -> None:
    async with opened() as lab:
        said = await lab.chat.say("survey dense\0 retrieval \ud800")
        assert "Something went wrong" not in said[-1].text
        brief = (await lab.state()).brief
        assert brief and brief.topic == "dense retrieval"
        said = await lab.chat.say("add passage\ud800 index\0")
        assert "passage index" in said[-1].text or "passage index" in lab.chat.sent[-1].text


@pytest.mark.parametrize("piece", ["the ", "please ", "a\n", "and 1 ", "ok "])
def test_a_very_long_message_is_read_as_what_it_begins_with(piece: str) -> None:
    said = command_of(Incoming(HERE, "mara", "k", piece * 5_000), SurveySession("abc"), Talk())
    assert isinstance(said, FreeText)
    with pytest.raises(UserError, match="A title has at most 300 characters; this one has"):
        edit = command_of(Incoming(HERE, "mara", "k", "rename 1 to " + piece * 5_000), SurveySession("abc"), Talk())
        edit.apply(Outline("Parsing", (OutlineNode("Models"),)))
    pool = KeywordPool((Keyword("dense retrieval", "topic"),))
    with pytest.raises(UserError, match="A keyword has at most 200 characters"):
        edit_keywords(pool, (piece * 5_000,), ())
