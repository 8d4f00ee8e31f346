"""A thread in which people talk to one another: who is asked what, and what a pressed offer does."""

from __future__ import annotations

from adapters.chat import Incoming, Outgoing
from engine.retrieval.libraries.local import LocalLibrary
from tests.fakes import HERE
from tests.lab import Lab, opened


async def say(lab: Lab, person: str, text: str) -> list[Outgoing]:
    """Something said in the thread, and all that it is answered with."""
    before = len(lab.chat.sent)
    await lab.chat.backend.handle(Incoming(HERE, person, f"{person}: {text}", text, place="thread"))
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
