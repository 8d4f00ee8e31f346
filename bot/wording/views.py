"""What a person can ask to be shown. Nothing here changes anything."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, assert_never

from bot.commands.commands import Show
from bot.views.actions import Action, turn_pages
from bot.views.reading import view_section, view_sources
from bot.wording import candidates, floats, proposals, replies
from bot.wording import sentences as wording
from bot.wording import survey as survey_wording
from bot.wording.buttons import draw_buttons
from bot.wording.cards import Card, make_card
from bot.wording.helping import make_help
from bot.wording.items import word_paper, word_planned_section
from engine.errors import UserError
from engine.evidence import evidence_of_reference, evidence_of_section, figure_at, table_at
from engine.run import WritingTask
from engine.session.state import Phase, State, SurveySession
from engine.survey import Survey
from engine.values import PaperSelection
from engine.writing.assembly import assemble_survey


def view(session: SurveySession, show: Show) -> Card:
    """What a person asked to be shown; money is shown elsewhere. Raises `UserError` where it is not there."""
    state = session.state
    match show.view:
        case "help":
            return make_help(session, everything=show.target == "all")
        case "hello" | "thanks" | "status" | "sources" | "history":
            return Card(_word_standing(session, show.view), ())
        case "show":
            return _show(session, show.target)
        case "references":
            return _references(session, require_survey(state), show.target)
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
        return Card(text, draw_buttons(session, [Action("choose", f"choose {n}", str(n)) for n in numbers]))
    if name in _LISTS:
        shown = replace(state, phase=_LISTS[name])
        return Card(proposals.proposal(shown), ())
    if state.phase == "papers" and state.papers and what.isdecimal():
        return Card(word_paper(state.papers, int(what)), ())
    if state.phase == "outline" and state.outline and what[0].isdecimal():
        return Card(word_planned_section(state.outline, state.papers, what), ())
    place, _, turned = what.partition(" page ")
    survey = require_survey(state)
    section = view_section(survey, place, int(turned or 1))
    actions = (*section.actions, *survey_wording.offer_sources(section.list_cited(), survey))
    text = survey_wording.word_section_page(survey, section)
    return Card(text, draw_buttons(session, actions), slot=READING, anew=not turned)


def _references(session: SurveySession, survey: Survey, target: str) -> Card:
    """``1 3 of CHECKSUM page 2``, each part left out where it says nothing."""
    target, _, page = target.partition("page ")
    numbers, _, meant = target.partition("of ")
    wanted = tuple(map(int, numbers.split()))
    if meant and int(meant) != survey_wording.checksum(survey, wanted):
        raise UserError(survey_wording.RENUMBERED)
    shown = view_sources(survey, wanted, int(page or 1))
    turns = turn_pages(f"references {target}page {{}}", shown.page, shown.pages)
    return Card(survey_wording.word_sources(shown), draw_buttons(session, turns), slot=SOURCES, anew=not page)


def _papers(session: SurveySession, selection: PaperSelection, page: int) -> Card:
    pages = proposals.paper_pages(selection)
    return Card(
        proposals.word_papers(selection, page), draw_buttons(session, turn_pages("show papers {}", page, pages))
    )


READING, SOURCES = "reading", "sources"
"""The slots of the one section page and the one page of sources that a conversation shows."""


def _why_section(session: SurveySession, survey: Survey, target: str) -> Card:
    place, _, page = target.partition(" ")
    items, number = evidence_of_section(survey, place), int(page or 1)
    text = survey_wording.why_section(survey, place, items, number)
    pages = survey_wording.evidence_pages(items)
    return Card(text, draw_buttons(session, turn_pages(f"why {place} page {{}}", number, pages)))


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
