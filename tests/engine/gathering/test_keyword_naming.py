"""Keywords named by a model, and what is said where it could not be asked."""

from __future__ import annotations

from typing import NoReturn

from bot.wording.proposals import proposal
from engine.gathering.keywords import ClusterNamer
from engine.llm.model import Unreachable
from engine.session.proposal_edits import edit_keywords
from engine.session.state import State
from engine.values import Brief, Keyword, KeywordPool
from tests.fakes import FakeModel, papers


def fail(prompt: str, schema: str) -> NoReturn:
    raise Unreachable("ConnectError")


async def test_after_a_failure_the_model_is_not_asked_again_and_the_failure_is_kept() -> None:
    model = FakeModel(fail)
    namer = ClusterNamer(model, "stance detection", 0)
    pool = [Keyword("stance detection", "topic")]
    assert [await namer.name([papers(2)], pool) for _ in range(2)] == [[""], [""]]
    assert len(model.requests) == 1
    assert "could not be reached" in namer.failure


def test_the_proposal_of_keywords_says_that_no_model_named_them() -> None:
    pool = KeywordPool((Keyword("stance detection", "topic"),), note="These keywords come from the papers alone.")
    state = State(phase="keywords", brief=Brief("stance detection"), keywords=edit_keywords(pool, ("polls",), ()))
    assert "⚠ These keywords come from the papers alone." in proposal(state)
    assert "⚠" not in proposal(State(phase="keywords", brief=state.brief, keywords=KeywordPool(pool.keywords)))
