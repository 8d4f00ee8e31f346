"""Several surveys of one person in one conversation."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from adapters.chat import Incoming
from bot.commands.commands import SurveyCommand
from bot.commands.grammar import parse
from bot.store.surveys import StoredSurvey
from bot.wording.replies import list_surveys
from engine.retrieval.libraries.local import LocalLibrary
from engine.values import YearRange
from tests.fakes import HERE, FakeChat
from tests.lab import opened
from tests.stand_ins.changes import PATIENCE_S


async def test_a_new_topic_begins_another_survey_and_the_former_is_kept(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "ok")
        first = await lab.session()
        said = await lab.chat.say("survey graph attention")
        assert "“dense retrieval” is kept" in said[0].text
        assert (await lab.session()).id != first.id
        await lab.chat.say("list")
        assert "1. **dense retrieval** (papers, your turn)" in lab.chat.last
        assert "2. **graph attention** (keywords, your turn) ← here" in lab.chat.last
        await lab.chat.say("open 1")
        assert (await lab.session()).state == first.state
        await lab.chat.say(f"name {'Retrieval ' * 21}")
        assert "A survey's name has at most 200 characters; this one has 209." in lab.chat.last
        await lab.chat.say("name Retrieval, a Review")
        await lab.chat.say("archive 2")
        await lab.chat.say("list")
        assert "1. **Retrieval, a Review** (papers, your turn) ← here" in lab.chat.last
        assert "graph attention" not in lab.chat.last
        await lab.chat.say("list all")
        assert "**graph attention** (keywords, your turn) · archived" in lab.chat.last
        await lab.chat.say("open 2")
        assert (await lab.state()).phase == "keywords"
        await lab.chat.say("open 7")
        assert "There is no survey 7; you have 2." in lab.chat.last


@pytest.mark.parametrize(
    "says",
    ["status", "how is the survey going?", "shorten 2", "make section 2 shorter", "the pdf please", "export", "show 1"],
)
async def test_where_nothing_was_begun_a_persons_surveys_elsewhere_are_meant(library: LocalLibrary, says: str) -> None:
    elsewhere = replace(HERE, channel="D7", thread="9")
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        for person in ("mara", "ben"):
            await lab.chat.backend.handle(Incoming(elsewhere, person, person, says, place="direct"))
            await lab.settled()
    hers, his = (m.text for m in lab.chat.messages() if m.conversation == elsewhere and m.text)
    assert "1. **dense retrieval** (keywords, your turn)" in hers
    assert "dense retrieval" not in his


async def test_surveys_are_listed_where_each_gets_a_thread_of_its_own(library: LocalLibrary) -> None:
    channel = replace(HERE, thread="")
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        for person, says in (("ben", "list"), ("mara", "list all")):
            await lab.chat.backend.handle(Incoming(channel, person, says, says, opens=True))
            await lab.settled()
    none, some = lab.chat.messages()[-2:]
    assert (none.conversation, none.only_for) == (channel, "ben") and "dense retrieval" not in none.text
    assert some.only_for == "mara" and "1. **dense retrieval** (keywords, your turn)" in some.text
    assert some.text.endswith("Each goes on in its own thread.")


async def test_a_topic_asked_for_in_a_surveys_own_thread_announces_no_other(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        before = len(lab.chat.messages())
        await lab.chat.backend.handle(Incoming(HERE, "mara", "this", "survey graph attention", opens=True))
        await lab.settled()
        assert not any("A literature survey on" in message.text for message in lab.chat.messages()[before:])


async def test_forgetting_one_survey_leaves_the_others(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "new survey")
        assert "Name a topic" in lab.chat.last
        await lab.talk("survey graph attention", "forget now")
        closed = [message for message in lab.chat.sent if message.closes][-1]
        assert (closed.slot, closed.text) == ("card", "✗ This survey was forgotten by @mara.")
        await lab.talk("list")
        assert "1. **dense retrieval** (keywords, your turn) ← here" in lab.chat.last
        assert "graph attention" not in lab.chat.last


async def test_the_stop_button_of_one_survey_does_not_stop_another(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        (stop,) = {button for message in lab.chat.messages() for button in message.buttons if button.typed == "stop"}
        lab.chat.holds = lambda outgoing: outgoing.kind == "progress"
        lab.chat.turn.clear()
        await lab.chat.backend.handle(Incoming(HERE, "mara", "another", "survey graph attention"))
        async with asyncio.timeout(PATIENCE_S):
            await lab.chat.stored.wait()
        running = (await lab.session()).job
        assert running
        await lab.chat.backend.handle(Incoming(HERE, "mara", "press", "", stop.action))
        await lab.service.dispatcher.drain()
        assert (await lab.session()).job == running
        lab.chat.release.set()
        await lab.chat.turn.wait()
        await lab.settled()
        assert (await lab.state()).keywords


async def test_undo_and_redo_are_each_others_inverse(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "add query encoder", "add passage index")
        last = await lab.state()
        await lab.talk("undo 2", "redo")
        assert [k.text for k in (await lab.state()).keywords.keywords][-1] == "query encoder"  # type: ignore[union-attr]
        await lab.talk("redo")
        assert await lab.state() == last
        await lab.talk("redo")
        assert "nothing to redo" in lab.chat.last


async def test_what_is_not_understood_is_asked_back_and_a_number_or_a_button_chooses(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "what about hard negatives?")
        asked = lab.chat.messages()[-1]
        assert "1. `add hard negatives`" in asked.text
        assert asked.buttons[0].label == "add hard negatives"
        await lab.chat.say(button=asked.buttons[0].action)
        assert "**hard negatives** (added by you)" in lab.chat.last
        await lab.talk("what about soft negatives?", "1")
        assert "**soft negatives** (added by you)" in lab.chat.last


class FakeTerminal(FakeChat):
    """Two conversations of one person, as `scholium write` and `scholium chat` have them."""

    platform = "terminal"
    only = None  # type: ignore[assignment]

    async def say_in(self, thread: str, text: str) -> str:
        """Say something in one of them, and return the last answer."""
        self.turn.clear()
        self.said += 1
        at = replace(HERE, platform=self.platform, thread=thread)
        await self.backend.handle(Incoming(at, "mara", f"t{self.said}", text))
        async with asyncio.timeout(PATIENCE_S):
            await self.turn.wait()
        return self.last


async def test_a_terminal_opens_what_was_begun_in_another_conversation(library: LocalLibrary) -> None:
    async with opened(chat := FakeTerminal()):
        await chat.say_in("write", "survey dense retrieval")
        await chat.say_in("1", "open 1")
        assert "**Keywords** to search with" in chat.last
        assert "“dense retrieval”" in await chat.say_in("1", "status")
        assert "dense retrieval" in await chat.say_in("1", "add query encoder")
        assert "No survey is open here" in await chat.say_in("write", "archive")
        listed = await chat.say_in("write", "list")
        assert listed.count("dense retrieval") == 1
        await chat.say_in("write", "open 1")
        assert "query encoder" in chat.last


async def test_a_yes_takes_the_topic_that_was_meant_as_it_was_asked_for(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.chat.say("survey dence retreival years=2001..2020")
        await lab.chat.say("yes")
        state = await lab.state()
        assert state.phase == "keywords" and state.brief and state.brief.topic == "dense retrieval"
        assert state.brief.years == YearRange(2001, 2020)


async def test_a_topic_without_papers_offers_what_was_meant_and_nothing_that_fails_again(library: LocalLibrary) -> None:
    async with opened() as lab:
        (refused,) = [m for m in await lab.chat.say("survey dence retreival") if m.buttons and "Did you mean" in m.text]
        labels = [button.label for button in refused.buttons]
        assert labels[0] == "Survey “dense retrieval”" and "Other words" in labels
        assert "Look for keywords" not in labels
        await lab.chat.say(button=refused.buttons[0].action)
        state = await lab.state()
        assert state.phase == "keywords" and state.brief and state.brief.topic == "dense retrieval"
        (refused,) = [
            m for m in await lab.chat.say("survey quux frobnication") if m.buttons and "has no paper" in m.text
        ]
        assert [button.label for button in refused.buttons] == ["Search online", "Other words", "Stop here"]


@pytest.mark.parametrize(("said", "numbers"), [("list", (101, 120)), ("list 2", (81, 100)), ("list 99", (1, 20))])
def test_many_surveys_are_listed_a_page_at_a_time_the_latest_first(said: str, numbers: tuple[int, int]) -> None:
    found = [
        StoredSurvey(HERE, f"s{n}", f"Topic {n}", "discussion", is_running=False, money=0.0, number=n)
        for n in range(1, 121)
    ]
    command = parse(said)
    assert isinstance(command, SurveyCommand)
    text = list_surveys(found, "s1", command)
    shown = [int(line.partition(".")[0]) for line in text.splitlines() if line[:1].isdigit()]
    assert (shown[0], shown[-1]) == numbers and len(text) < 3_000
    assert ("`list 2`" in text) == (said == "list")
