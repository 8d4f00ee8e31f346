"""Greetings, thanks, and what is said to words that were not understood."""

from __future__ import annotations

from collections.abc import Sequence

from bot.wording.sentences import SUGGESTIONS, WELCOME, status
from engine.rendering.markdown import escape_markdown
from engine.session.state import Phase, SurveySession
from engine.text import clean, shorten

THANKS = "You are welcome."
NOTHING_TO_CHOOSE = "There is nothing to choose now."


def hello(session: SurveySession) -> str:
    """A greeting that says what can be done now."""
    if session.state.phase == "topic" and session.state.brief is None:
        return f"Hello. {WELCOME}"
    return f"Hello. {status(session)}"


def asked_back(text: str, choices: Sequence[str]) -> str:
    """Words that were not understood, and what they likeliest mean."""
    said = escape_markdown(shorten(clean(text), 80))
    listed = "\n".join(f"{number}. `{choice}`" for number, choice in enumerate(choices, start=1))
    return f"I am not sure what you mean by “{said}”. Did you mean one of these?\n\n{listed}"


def not_understood(text: str, phase: Phase) -> str:
    """An honest answer to words that mean nothing here."""
    return f"I did not understand “{escape_markdown(shorten(clean(text), 80))}”. You can say {SUGGESTIONS[phase]}."
