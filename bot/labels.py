"""Labels of forms; see `bot.wording`."""

from __future__ import annotations

from engine.session import Phase
from engine.values import Way

NEW_SURVEY, BEGIN, SAVE = "New survey", "Begin", "Save"
TOPIC, TOPIC_HINT = "Topic", "retrieval-augmented generation"
RECIPE, LENGTH, LENGTHS = "Method", "Length", "{} tokens"
YEARS, YEARS_HINT = "Years of publication", "2018..2025"
BUDGET, BUDGET_HINT = "Most it may cost, in dollars", "2.50"
ONE_PER_LINE = "One keyword a line"
LEFT_OUT, LEFT_OUT_HINT = "Numbers of papers to leave out", "3 7 12-15"
OUTLINE_LINES = "One section a line; a new one has no number"
PLACE, PLACE_HINT, PLACE_WANTED = "Section", "3.2", "Write the number of the section, for example 3.2"
WAY, WISH, WISH_HINT = "What to do", "How", "focus on evaluation · a paper's number · German"
EDIT_TITLES: dict[Phase, str] = {
    "keywords": "Keywords",
    "papers": "Papers",
    "outline": "Outline",
    "discussion": "Change a section",
}
WAYS: dict[Way, str] = {
    "rewrite": "Rewrite it",
    "expand": "Make it longer",
    "shorten": "Make it shorter",
    "paragraph": "Add a paragraph",
    "cite": "Cite a paper",
    "remove": "Remove a claim",
    "translate": "Translate it",
}
