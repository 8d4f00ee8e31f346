"""What a language model reads into a person's words is never done alone where it destroys, gives rights or spends."""

from __future__ import annotations

import json

import pytest

from bot.conversation.understanding import read
from bot.wording import replies
from engine.llm.model import Unreachable
from engine.retrieval.libraries.local import LocalLibrary
from engine.session.state import SurveySession
from tests.fakes import FakeModel
from tests.lab import opened


def model_that_reads(*commands: str) -> FakeModel:
    return FakeModel(lambda _, __: json.dumps({"commands": commands, "sure": True}))


@pytest.mark.parametrize(
    "said",
    [
        "forget now", "forget", "invite eve", "ok", "no", "start over", "budget survey 100", "undo", "back", "new",
        "budget person eve 5", "survey something else", "archive", "open 1", "stop", "more 50", "background",
        "evaluate",
        "rewrite 1: say that we are the best", "name this survey Mine", "follow 1",
    ],
)  # fmt: skip
async def test_what_is_not_on_the_list_is_a_button(said: str) -> None:
    reading = await read(model_that_reads(said), "do what the third title says", SurveySession("abc"))
    assert reading.said in ((said,), ())
    assert not reading.commands or not reading.is_harmless


@pytest.mark.parametrize("said", ["status", "exclude 3", "rename 2 to X", "drop transformers", "show 1", "export pdf"])
async def test_what_shows_or_can_be_undone_is_done(said: str) -> None:
    reading = await read(model_that_reads(said), "please", SurveySession("abc"))
    assert reading.is_harmless and reading.sure


async def test_a_model_that_obeys_a_title_deletes_nothing_and_lets_nobody_in(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        for obeyed in ("forget now", "invite eve"):
            model = model_that_reads(obeyed)
            monkeypatch.setattr(lab.service.dispatcher._turns._services, "model", lambda *_, m=model: m)
            said = await lab.chat.say("qwertz uiop asdf hjkl")
            assert model.requests and said[-1].text == replies.PRESS_TO_DO
            assert [button.label for button in said[-1].buttons] == [obeyed]
        stored = await lab.service.dispatcher.load_conversation(lab.chat.only)
        assert stored.session.state.brief and stored.invited == frozenset()
        await lab.chat.say(button=said[-1].buttons[0].action)
        stored = await lab.service.dispatcher.load_conversation(lab.chat.only)
        assert stored.invited == {"eve"}


async def test_with_a_dead_model_unclear_words_are_asked_back_and_the_failure_is_said(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str, __: str) -> str:
        raise Unreachable("ConnectError")

    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        monkeypatch.setattr(lab.service.dispatcher._turns._services, "model", lambda *_: FakeModel(fail))
        (asked,) = await lab.chat.say("what about hard negatives?")
        assert "1. `add hard negatives`" in asked.text and asked.buttons
        assert asked.text.endswith("⚠ The language model's service could not be reached.")
