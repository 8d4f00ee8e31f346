"""What a person can ask to be shown. Nothing here changes anything."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, assert_never

from adapters.chat import Button
from bot.commands.commands import Show
from bot.wording import candidates, floats, proposals, replies
from bot.wording import sentences as wording
from bot.wording import survey as survey_wording
from bot.wording.cards import Card, action_buttons, make_card
from bot.wording.items import word_paper, word_planned_section
from engine.errors import UserError
from engine.evidence import evidence_of_reference, evidence_of_section, figure_at, section_at, table_at
from engine.run import WritingTask
from engine.session.state import Phase, State, SurveySession
from engine.survey import Survey, walk
from engine.values import PaperSelection
from engine.writing.assembly import assemble_survey


def view(session: SurveySession, show: Show) -> Card:
    """What a person asked to be shown; money is shown elsewhere. Raises `UserError` where it is not there."""
    state = session.state
    match show.view:
        case "help":
            return Card(wording.HELP, ())
        case "hello" | "thanks" | "status" | "sources" | "history":
            return Card(_word_standing(session, show.view), ())
        case "show":
            return _show(session, show.target)
        case "references":
            numbers, _, meant = show.target.partition(" of ")
            wanted = [int(number) for number in numbers.split()]
            text = survey_wording.word_references(require_survey(state), wanted, int(meant) if meant else None)
            return Card(text, ())
        case "why section":
            return _why_section(session, require_survey(state), show.target)
        case "why reference":
            survey = require_survey(state)
            paper, items = evidence_of_reference(survey, int(show.target))
            return Card(survey_wording.why_reference(survey, paper, int(show.target), items), ())
        case "why float":
            return Card(_why_float(require_survey(state), show.target), ())
        case "cost" | "budget" | "tree":
            raise ValueError(f"{show.view} is not in the session")
        case _:
            assert_never(show.view)


def _why_float(survey: Survey, target: str) -> str:
    """``table 2`` or ``figure 1``."""
    kind, _, place = target.partition(" ")
    number = int(place)
    if kind == "table":
        return floats.why_table(survey, table_at(survey, number), number)
    return floats.why_figure(survey, figure_at(survey, number), number)


_LISTS: dict[str, Phase] = {"keywords": "keywords", "outline": "outline", "survey": "discussion"}


def _show(session: SurveySession, what: str) -> Card:
    """The card of the step, or a part of what was made: papers by pages, keywords, the outline, a section."""
    state = session.state
    name, _, page = what.lower().partition(" ")
    if not what:
        return make_card(session)
    if name == "papers" and state.papers:
        return _papers(session, state.papers, int(page) if page.isdigit() else 1)
    if name in {"candidates", "candidate"}:
        text, numbers = candidates.word_candidates(state), candidates.numbers_to_choose(state)
        return Card(text, action_buttons(session, [(f"Choose {n}", f"choose {n}", f"choose {n}") for n in numbers]))
    if name in _LISTS:
        shown = replace(state, phase=_LISTS[name])
        return Card(proposals.proposal(shown), ())
    if state.phase == "papers" and state.papers and what.isdecimal():
        return Card(word_paper(state.papers, int(what)), ())
    if state.phase == "outline" and state.outline and what[0].isdecimal():
        return Card(word_planned_section(state.outline, state.papers, what), ())
    survey = require_survey(state)
    found = section_at(survey, what)
    parts = [found, *(below for _, below in walk(found.sections))]
    cells = [cell for part in parts for table in part.tables for row in table.rows for cell in row]
    texts = [*(part.text for part in parts), *cells]
    buttons = survey_wording.sources_button(texts, survey, session)
    return Card(survey_wording.word_section(survey, what, found), buttons)


def _papers(session: SurveySession, selection: PaperSelection, page: int) -> Card:
    pages = proposals.paper_pages(selection)
    return Card(proposals.word_papers(selection, page), _turn_pages(session, "show papers {}", page, pages))


def _why_section(session: SurveySession, survey: Survey, target: str) -> Card:
    place, _, page = target.partition(" ")
    items, number = evidence_of_section(survey, place), int(page or 1)
    text = survey_wording.why_section(survey, place, items, number)
    pages = survey_wording.evidence_pages(items)
    return Card(text, _turn_pages(session, f"why {place} page {{}}", number, pages))


def _turn_pages(session: SurveySession, command: str, page: int, last: int) -> tuple[Button, ...]:
    """Buttons to the pages before and after."""
    turns = ((wording.EARLIER, page - 1), (wording.LATER, page + 1))
    there = [(label, command.format(at)) for label, at in turns if 1 <= at <= last]
    return action_buttons(session, [(label, said, said) for label, said in there])


def _word_standing(session: SurveySession, view: Literal["hello", "thanks", "status", "sources", "history"]) -> str:
    match view:
        case "hello":
            return replies.hello(session)
        case "thanks":
            return replies.THANKS
        case "status":
            return wording.status(session)
        case "sources":
            return proposals.sources(session.state)
        case "history":
            return wording.history(session)
        case _:
            assert_never(view)


def survey_so_far(state: State) -> Survey | None:
    """The survey, or what is finished of it."""
    if state.survey or not (state.brief and state.outline and state.papers and state.sections):
        return state.survey
    task = WritingTask(state.brief, state.papers, state.outline)
    return assemble_survey(task, dict(state.sections), wording.UNFINISHED)


def require_survey(state: State) -> Survey:
    """The survey or what is finished of it; raises `UserError` where nothing is."""
    survey = survey_so_far(state)
    if survey is None:
        raise UserError(wording.NO_SURVEY_YET)
    return survey
