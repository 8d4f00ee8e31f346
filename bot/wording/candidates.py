"""The surveys that were written for one brief, beside one another."""

from __future__ import annotations

from bot.wording.sentences import pluralize
from engine.errors import UserError
from engine.rendering.markdown import escape_markdown
from engine.session.candidates import ONE_SURVEY
from engine.session.events import Candidate
from engine.session.state import State
from engine.survey import walk
from engine.text import clean, list_words, shorten

CRITERIA = ("coverage", "structure", "relevance")
TITLE_CHARACTERS = 100


def word_candidates(state: State) -> str:
    """A line for each candidate with a judge's scores. Raises `UserError` where only one survey was written."""
    if not state.candidates:
        raise UserError(ONE_SURVEY)
    lines = [
        _line(number, candidate, is_chosen=number == state.chosen)
        for number, candidate in enumerate(state.candidates, start=1)
    ]
    return "\n".join(["**Candidates**, each from its own papers and outline:", "", *lines])


def numbers_to_choose(state: State) -> list[int]:
    """The candidates beside the one that was taken."""
    return [number for number in range(1, len(state.candidates) + 1) if number != state.chosen]


def word_taken(state: State) -> str:
    """That another candidate is the survey from now on."""
    size = _word_size(state.candidates[state.chosen - 1])
    return f"Candidate {state.chosen} is the survey now: {size}. `candidates` shows all, `undo` takes this back."


def _word_size(candidate: Candidate) -> str:
    survey = candidate.survey
    words = sum(len(section.text.split()) for _, section in walk(survey.sections))
    return (
        f"{pluralize(len(survey.sections), 'section')}, {words:,} words, {pluralize(len(survey.references), 'source')}"
    )


def _line(number: int, candidate: Candidate, *, is_chosen: bool) -> str:
    survey = candidate.survey
    headings = list_words([escape_markdown(clean(section.title)) for section in survey.sections])
    scores = [f"{name} {score} of 5" for name, score in zip(CRITERIA, candidate.scores, strict=False)]
    title = escape_markdown(shorten(clean(survey.title), TITLE_CHARACTERS))
    taken = " · **this is the survey**" if is_chosen else ""
    return f"{number}. {title} · {_word_size(candidate)} · {', '.join(scores) or 'not judged'}{taken}\n   {headings}"
