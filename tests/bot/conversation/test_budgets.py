"""A survey's budget in the conversation: what is left is said before it is spent, and its owner can raise it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from engine.retrieval.libraries.local import LocalLibrary
from engine.survey import Survey, walk
from tests.lab import opened
from tests.stand_ins.simulation import SimulatedService, run_simulated_service, simulate_answer


@pytest.fixture(autouse=True)
async def service(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SimulatedService]:
    async with run_simulated_service(SimulatedService(pace=0.002)) as made:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{made.url}/v1")
        yield made


async def test_an_owner_raises_what_they_asked_for_but_not_what_is_set_for_all(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_BUDGET", "3")
    monkeypatch.setenv("SCHOLIUM_ADMINISTRATORS", '["fake:lab:ada"]')
    async with opened() as lab:
        chat = lab.chat
        await chat.say("survey dense retrieval budget=0.50")
        await chat.say("budget survey 1", person="ben")
        assert "Only @mara can do that" in chat.last
        await chat.say("budget survey 1")
        assert chat.last == "$1.00 more for this survey: $1.50 of $1.50 left."
        await chat.say("budget survey to 2.50")
        assert chat.last == "$1.00 more for this survey: $2.50 of $2.50 left."
        await chat.say("budget survey to 2")
        assert "The budget for this survey is $2.50 already" in chat.last
        await chat.say("budget survey 1")
        assert "may go up to $3.00; an administrator" in chat.last
        await chat.say("budget survey 1", person="ada")
        assert chat.last == "$1.00 more for this survey: $3.50 of $3.50 left."
        await chat.say("budget workspace 1")
        assert "Only an administrator" in chat.last


async def test_a_survey_without_a_budget_has_none_to_raise(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "budget survey 1")
        assert lab.chat.last == "No budget is set for this survey, so there is nothing to add to."


async def test_the_card_says_what_is_left_of_the_budget_and_whether_it_is_enough(library: LocalLibrary) -> None:
    async with opened() as lab:
        chat = lab.chat
        await lab.talk("survey dense retrieval sections=3 words=80 budget=30k", "ok", "ok")
        card = chat.last
        assert "of 30,000 tokens are left for this survey. " in card
        assert "30,000 of 30,000" not in card
        assert "That is not enough for all sections; what is finished by then is kept." in card
        await lab.talk("budget survey to 500k", "show")
        assert "of 500,000 tokens are left for this survey." in chat.last
        assert "not enough" not in chat.last


async def test_a_call_that_does_not_fit_is_said_as_such_and_small_amounts_keep_their_digits(
    library: LocalLibrary,
) -> None:
    async with opened() as lab:
        chat = lab.chat
        await chat.say("survey dense retrieval sections=3 words=80 budget=0.000001")
        await chat.say("budget")
        assert "this survey: $0.000001 of $0.000001 left" in chat.last
        await lab.talk("ok", "ok", "ok")
        told = "\n".join(m.text for m in chat.sent)
        assert "used up" not in told
        assert "The budget of $0.000001 for this survey has no room for the next call. " in told
        assert "“budget survey 1” adds $1.00." in told


@pytest.mark.parametrize("recipe", ["autosurvey", "surveyx"])
async def test_claims_that_could_not_be_checked_are_said_and_checked_when_writing_goes_on(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    refuses = True

    def reply(prompt: str, schema: str) -> str:
        return "no" if refuses and schema == "CheckAnswer" else simulate_answer(prompt, schema)

    async with run_simulated_service(SimulatedService(pace=0, reply=reply)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened() as lab:
            await lab.talk(f"survey dense retrieval recipe={recipe} sections=4 words=80", "ok", "ok", "ok")
            told = "\n".join(m.text for m in lab.chat.sent)
            assert "⚠ Claims not checked: " in told
            assert "`back`, then `ok`, writes and checks what is missing; what is finished stays." in told
            assert unchecked(await lab.survey())
            drafts = [str(c.body["messages"]) for c in service.calls if c.kind == "text"]
            refuses = False
            await lab.talk("back")
            assert "which could not be checked, are checked now" in lab.chat.last
            assert "Written anew: 2" not in lab.chat.last
            said, before = int(re.findall(r"about (\d+) calls?", lab.chat.last)[-1]), len(service.calls)
            await lab.talk("ok")
            used = len(service.calls) - before
            assert abs(said - used) <= max(3, 0.2 * used)
            assert not unchecked(await lab.survey())
            again = [str(c.body["messages"]) for c in service.calls if c.kind == "text"][len(drafts) :]
            assert not any("Write the subsection" in prompt for prompt in again)


def unchecked(survey: Survey) -> list[str]:
    return [
        number
        for number, section in walk(survey.sections)
        for claim in section.claims
        if any(citation.verdict == "unchecked" for citation in claim.citations)
    ]


async def test_each_change_of_an_outline_is_answered_with_what_it_will_take(library: LocalLibrary) -> None:
    async with opened() as lab:
        chat = lab.chat
        await lab.talk("survey dense retrieval recipe=autosurvey sections=4 words=60", "ok", "ok")
        for edit, answer in (
            ("rename 2 to Indexes", "Section 2 is now"),
            ("add section Noise after 2", "Added “3 Noise”"),
        ):
            before = len(chat.sent)
            await chat.say(edit)
            told = [m.text for m in chat.sent[before:] if not m.slot]
            assert any(answer in text and "Writing it takes about" in text for text in told), told
        await lab.talk("ok", "back", "move 3 before 2")
        told = [m.text for m in chat.sent if not m.slot]
        assert "Put into another order" in told[-1]
        assert "of the text stay as written" in told[-1]
        await chat.say("rewrite all")
        told = [m.text for m in chat.sent if not m.slot]
        assert told[-1].startswith("Writing it takes about")
