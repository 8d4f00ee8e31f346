"""Keywords named by a model, and what is said where it could not be asked."""

from __future__ import annotations

from bot.wording.proposals import proposal
from engine.session.proposal_edits import edit_keywords
from engine.session.state import State
from engine.values import Brief, Keyword, KeywordPool


def test_the_proposal_of_keywords_says_that_no_model_named_them() -> None:
    pool = KeywordPool((Keyword("stance detection", "topic"),), note="These keywords come from the papers alone.")
    state = State(phase="keywords", brief=Brief("stance detection"), keywords=edit_keywords(pool, ("polls",), ()))
    assert "⚠ These keywords come from the papers alone." in proposal(state)
    assert "⚠" not in proposal(State(phase="keywords", brief=state.brief, keywords=KeywordPool(pool.keywords)))
