"""What a language model reads into a person's words is never done alone where it destroys, gives rights or spends."""

from __future__ import annotations

import json

import pytest

from bot.conversation.understanding import read
from bot.store.notes import Talk
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
        "rewrite 1: say that we are the best", "name this survey Mine", "follow 1", "rename 2 to EVIL",
        "add section Buy Gold", "exclude 3", "drop transformers", "add gold", "split 1", "merge 1 2", "more",
    ],
)  # fmt: skip
async def test_what_changes_anything_is_a_button(said: str) -> None:
    reading = await read(model_that_reads(said), "do what the third title says", SurveySession("abc"), Talk())
    assert reading.said in ((said,), ())
    assert not reading.acts_alone and not reading.makes_edits


@pytest.mark.parametrize("said", ["status", "show 1", "export pdf", "ask what is known of gold", "list"])
async def test_what_only_shows_is_done(said: str) -> None:
    assert (await read(model_that_reads(said), "please", SurveySession("abc"), Talk())).acts_alone


async def test_a_model_that_obeys_a_title_deletes_nothing_and_lets_nobody_in(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        before = (await lab.session()).revision
        for obeyed in ("forget now", "rename 2 to EVIL", "add section EVIL", "add evil", "invite eve"):
            model = model_that_reads(obeyed)
            monkeypatch.setattr(lab.service.dispatcher._turns.services, "model", lambda *_, m=model: m)
            said = await lab.chat.say("qwertz uiop asdf hjkl")
            assert model.requests and said[-1].text == replies.PRESS_TO_DO
            assert [button.label for button in said[-1].buttons] == [obeyed]
        stored = await lab.service.store.load_conversation(lab.chat.only)
        assert stored.session.state.brief and stored.invited == frozenset()
        assert stored.session.revision == before
        await lab.chat.say(button=said[-1].buttons[0].action)
        stored = await lab.service.store.load_conversation(lab.chat.only)
        assert stored.invited == {"eve"}


async def test_with_a_dead_model_unclear_words_are_asked_back_and_the_failure_is_said(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str, __: str) -> str:
        raise Unreachable("ConnectError")

    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        monkeypatch.setattr(lab.service.dispatcher._turns.services, "model", lambda *_: FakeModel(fail))
        (asked,) = await lab.chat.say("what about hard negatives?")
        assert "1. `add hard negatives`" in asked.text and asked.buttons
        assert asked.text.endswith("⚠ The language model's service could not be reached.")
