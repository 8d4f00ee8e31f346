"""A thread in which people talk to one another: who is asked what, and what a pressed offer does."""

from __future__ import annotations

import itertools
import json

import pytest

from adapters.chat import Incoming, Outgoing
from bot.commands.intents.features import Heard
from bot.commands.intents.plain_words import understand
from engine.retrieval.libraries.local import LocalLibrary
from engine.session.state import State
from tests.fakes import HERE, FakeModel
from tests.lab import Lab, opened

_KEYS = itertools.count()


async def say(lab: Lab, person: str, text: str) -> list[Outgoing]:
    """Something said in the thread, and all that it is answered with."""
    before = len(lab.chat.sent)
    await lab.chat.backend.handle(Incoming(HERE, person, f"said {next(_KEYS)}", text, place="thread"))
    await lab.settled()
    return lab.chat.messages(before)


async def test_an_offered_number_is_the_keyword_that_is_proposed(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "add query encoder")
        (asked,) = await lab.chat.say("the second one is too broad, take it out")
        offered = next(button for button in asked.buttons if button.label == "drop 2")
        await lab.chat.say(button=offered.action)
        pool = (await lab.state()).keywords
        assert pool and [keyword.text for keyword in pool.keywords] == ["dense retrieval"]


async def test_who_may_not_change_the_survey_is_not_asked_whether_to(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        await say(lab, "tom", "have you seen the mail?")
        assert await say(lab, "tom", "what about hashing") == []
        (asked,) = await say(lab, "mara", "what about hashing")
        assert asked.only_for == "mara" and "add hashing" in [button.label for button in asked.buttons]
        assert "say its number in the thread" in asked.text  # Discord shows a message for one person without buttons
        await say(lab, "mara", str([button.label for button in asked.buttons].index("add hashing") + 1))
        pool = (await lab.state()).keywords
        assert pool and "hashing" in pool


async def test_a_language_model_may_hear_a_wish_of_the_owner_in_what_sounds_like_talk(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        await say(lab, "tom", "have you seen the mail?")
        # Which words the classifier is not sure of depends on what it was trained on.
        subjects = ("hashing", "bees", "trees", "graphs", "old maps")
        frames = ("what about {}", "we could look at {}", "I wonder about {}", "{}, maybe?", "{} might fit")
        wishes = [frame.format(subject) for subject in subjects for frame in frames]
        heard = Heard("keywords", "thread", others=True, before=("bot", "colleague?"), by_owner=True)
        said = next(wish for wish in wishes if (found := understand(wish, heard, State())) and found.quiet)
        assert await say(lab, "mara", said) == []
        for for_bot in (False, True):
            answer = json.dumps({"commands": ["add hashing"] if for_bot else [], "sure": True, "for_bot": for_bot})
            model = FakeModel(lambda *_, text=answer: text)
            monkeypatch.setattr(lab.service.dispatcher._turns.services, "model", lambda *_, m=model: m)
            answered = await say(lab, "mara", said)
            assert [b.label for message in answered for b in message.buttons] == (["add hashing"] if for_bot else [])
            assert len(model.requests) == 1
