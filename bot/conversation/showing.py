"""What a command shows, found in the session. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from bot.commands.commands import Show
from bot.views.actions import Action, turn_pages
from bot.views.steps import index_papers
from bot.views.survey_pages import checksum, offer_sources, take_page, view_section, view_sources
from bot.wording import proposals, replies, reviews
from bot.wording import sentences as wording
from bot.wording import survey_text as survey_wording
from bot.wording.cards import Card, make_card, make_help
from bot.wording.labels import draw_buttons
from engine.errors import UserError, pick
from engine.evidence import evidence_of_reference, evidence_of_section, figure_at, table_at
from engine.run import WritingTask
from engine.session.outline_edits import node_at
from engine.session.state import Phase, State, SurveySession
from engine.survey import Survey
from engine.values import Paper
from engine.writing.assembly import assemble_survey

_STANDING: dict[str, Callable[[SurveySession], str]] = {
    "hello": replies.hello,
    "thanks": lambda _: replies.THANKS,
    "status": replies.status,
    "sources": lambda session: proposals.sources(session.state),
    "history": replies.history,
}


def view(session: SurveySession, show: Show) -> Card:
    """What a person asked to be shown; money is shown elsewhere. Raises `UserError` where it is not there."""
    state = session.state
    match show.view:
        case "help":
            return make_help(session, everything=show.target == "all")
        case "hello" | "thanks" | "status" | "sources" | "history":
            return Card(_STANDING[show.view](session))
        case "show":
            return _show(session, show.target)
        case "references":
            return _references(session, require_survey(state), show.target)
        case "why section":
            return _why_section(session, require_survey(state), show.target)
        case "why reference":
            survey = require_survey(state)
            paper, items = evidence_of_reference(survey, int(show.target))
            return Card(survey_wording.why_reference(survey, paper, int(show.target), items))
        case "why float":
            kind, _, number = show.target.partition(" ")  # ``table 2`` or ``figure 1``
            survey, place = require_survey(state), int(number)
            if kind == "table":
                return Card(survey_wording.why_table(survey, table_at(survey, place), place))
            return Card(survey_wording.why_figure(survey, figure_at(survey, place), place))
        case "cost" | "budget" | "tree":
            raise ValueError(f"{show.view} is not in the session")
        case _:
            assert_never(show.view)


_LISTS: dict[str, Phase] = {"keywords": "keywords", "outline": "outline", "survey": "discussion"}


def _show(session: SurveySession, what: str) -> Card:
    """The card of the step, or a part of what was made: papers by pages, keywords, the outline, a section."""
    state = session.state
    name, _, page = what.lower().partition(" ")
    if not what:
        return make_card(session)
    if name == "papers" and state.papers:
        number = int(page[:9]) if page.isdecimal() else 1
        listed = take_page(state.papers.found, number, proposals.PAGE_OF_PAPERS, "the papers have")
        turns = turn_pages("show papers {}", number, listed.last)
        return Card(proposals.word_papers(state.papers, listed), draw_buttons(session, turns))
    if name in {"candidates", "candidate"}:
        others = [number for number in range(1, len(state.candidates) + 1) if number != state.chosen]
        offered = [Action("choose", f"choose {number}", str(number)) for number in others]
        return Card(reviews.word_candidates(state), draw_buttons(session, offered))
    if name in _LISTS:
        return Card(proposals.proposal(replace(state, phase=_LISTS[name])))
    if state.phase == "papers" and state.papers and what.isdecimal():
        item = pick("paper", state.papers.found, number := int(what[:9]), "the list")
        return Card(proposals.word_paper(number, item, state.papers))
    if state.phase == "outline" and state.outline and what[0].isdecimal():
        node = node_at(state.outline, what)
        found = index_papers(state.papers)
        papers = [found[key] for key in node.all_papers() if key in found]
        return Card(proposals.word_planned_section(what, node, papers))
    place, _, turned = what.partition(" page ")
    survey = require_survey(state)
    section = view_section(survey, place, int(turned[:9] or 1))
    actions = (*section.actions, *offer_sources(section.list_cited(), survey))
    text = survey_wording.word_section_page(survey, section)
    return Card(text, draw_buttons(session, actions), slot=READING, anew=not turned)


def _references(session: SurveySession, survey: Survey, target: str) -> Card:
    """``1 3 of CHECKSUM page 2``, each part left out where it says nothing."""
    target, _, page = target.partition("page ")
    numbers, _, meant = target.partition("of ")
    wanted = tuple(map(int, numbers.split()))
    if meant and int(meant) != checksum(survey, wanted):
        raise UserError(survey_wording.RENUMBERED)
    shown = view_sources(survey, wanted, int(page or 1))
    turns = turn_pages(f"references {target}page {{}}", shown.number, shown.last)
    text = survey_wording.word_sources(shown, are_all=not wanted)
    return Card(text, draw_buttons(session, turns), slot=SOURCES, anew=not page)


READING, SOURCES = "reading", "sources"
"""The slots of the one section page and the one page of sources that a conversation shows."""


def _why_section(session: SurveySession, survey: Survey, target: str) -> Card:
    place, _, page = target.partition(" ")
    items = evidence_of_section(survey, place)
    shown = take_page(items, int(page or 1), survey_wording.EVIDENCE_PER_PAGE, "this evidence has")
    turns = turn_pages(f"why {place} page {{}}", shown.number, shown.last)
    return Card(survey_wording.why_section(survey, place, shown), draw_buttons(session, turns))


def survey_so_far(state: State) -> Survey | None:
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


def find_paper(state: State, number: str) -> Paper:
    """The paper of that number: among the references of a survey, before that in the list of papers.

    Raises `UserError` where there is none.
    """
    if state.survey:
        return pick("paper", state.survey.references, int(number))
    if state.papers is None:
        raise UserError("There are no papers yet. Name a topic first.")
    return pick("paper", state.papers.found, int(number), "the list").paper
