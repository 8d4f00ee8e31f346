"""The labels of what can be done; each is said here only."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.chat import Button
from bot.views.actions import Action, Deed
from engine.session.state import SurveySession
from engine.text import shorten

LABEL_CHARACTERS = 70
"""Slack allows 75 on a button, Discord 80."""

SECTION_CHARACTERS = 32
"""More of a heading is not shown on a phone."""

_LABELS: dict[Deed, str] = {
    "all files": "All files",
    "all papers": "All papers",
    "another outline": "Another outline",
    "back": "Back",
    "back to outline": "Back to the outline",
    "change section": "Change a section",
    "choose": "Choose {}",
    "continue": "Continue",
    "drop": "Drop {}",
    "earlier": "← Earlier",
    "edit": "Edit",
    "evidence": "Evidence",
    "export": "Export",
    "figures": "All figures and reasons",
    "follow up": "{}",
    "full survey": "Write a full survey",
    "later": "More →",
    "look for keywords": "Look for keywords",
    "make outline": "Make an outline",
    "merge": "Merge {}",
    "more commands": "Everything I can do",
    "more papers": "More papers",
    "new survey": "New survey",
    "other groups": "Other groups",
    "other keywords": "Other keywords",
    "other words": "Other words",
    "quick review": "Quick review first",
    "resume": "Go on",
    "search": "Search with these",
    "search for section": "Search for {}",
    "search more": "Search more",
    "search online": "Search online",
    "show section": "{}",
    "sources": "Sources",
    "stop": "Stop",
    "stop here": "Stop here",
    "survey meant": "Survey “{}”",
    "write": "Write it",
    "write headings": "Write headings",
}


def draw_buttons(session: SurveySession, actions: Iterable[Action]) -> tuple[Button, ...]:
    """Actions as buttons; each carries only its command, session and revision."""
    return tuple(draw_button(action, f"{session.id}:{session.revision}") for action in actions)


def draw_button(action: Action, session: str = "") -> Button:
    """One of them; ``session`` with its revision where they matter."""
    about = shorten(action.about, SECTION_CHARACTERS if action.deed == "show section" else LABEL_CHARACTERS - 10)
    sent = f"{action.command}:{session}" if session else action.command
    return Button(_LABELS[action.deed].format(about), sent, action.command if action.typed else "", asks=action.asks)
