"""What a person can ask to be shown. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from bot.commands.commands import Show
from bot.views.actions import Action, turn_pages
from bot.views.steps import Topic, view_step
from bot.views.survey_pages import take_page, view_section, view_sources
from bot.wording import proposals, replies, reviews
from bot.wording import sentences as wording
from bot.wording import survey_text as survey_wording
from bot.wording.cards import Card, make_card
from bot.wording.labels import draw_button, draw_buttons
from bot.wording.proposals import paper_line
from bot.wording.replies import list_hints
from bot.wording.sentences import HELP, list_first, pluralize
from bot.wording.survey_text import link
from engine.errors import UserError, pick
from engine.evidence import evidence_of_reference, evidence_of_section, figure_at, table_at
from engine.quoting.attribution import name_paper
from engine.reading.trees.attribute_trees import AttributeTree, AttributeValue
from engine.rendering.markdown import escape_markdown
from engine.run import WritingTask
from engine.session.outline_edits import node_at
from engine.session.state import Phase, State, SurveySession
from engine.survey import Survey
from engine.text import clean, shorten
from engine.values import Outline, Paper, PaperSelection
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
        return Card(word_paper(state.papers, int(what[:9])))
    if state.phase == "outline" and state.outline and what[0].isdecimal():
        return Card(word_planned_section(state.outline, state.papers, what))
    place, _, turned = what.partition(" page ")
    survey = require_survey(state)
    section = view_section(survey, place, int(turned[:9] or 1))
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


ABSTRACT_CHARACTERS, QUOTE_CHARACTERS = 1_200, 240
SHOWN_PAPERS = 15


def word_paper(selection: PaperSelection, number: int) -> str:
    """A paper of the list, with why it was found and its abstract. Raises `UserError` where there is none."""
    item = pick("paper", selection.found, number, "the list")
    text = clean(item.paper.abstract or item.paper.summary)
    told = escape_markdown(shorten(text, ABSTRACT_CHARACTERS)) if text else "No abstract of it is known."
    return f"{paper_line(number, item, selection)}\n\n{told}"


def word_planned_section(outline: Outline, selection: PaperSelection | None, place: str) -> str:
    """A section of the outline: what it is about, its parts, its papers. Raises `UserError` where there is none."""
    node = node_at(outline, place)
    found = {item.paper.key: item.paper for item in selection.found} if selection else {}
    papers = [found[key] for key in node.all_papers() if key in found]
    lines = [f"**{place} {escape_markdown(node.title)}**"]
    lines += [escape_markdown(node.description)] if node.description else []
    lines += ["", *(f"- **{place}.{n}** {escape_markdown(c.title)}" for n, c in enumerate(node.children, start=1))]
    if papers:
        lines += ["", f"{pluralize(len(papers), 'paper')}:", ""]
        named = [f"- {link(shorten(clean(p.title), 80), p)} · {escape_markdown(name_paper(p))}" for p in papers]
        lines += list_first(named, SHOWN_PAPERS, "\n… and {} more.")
    else:
        chosen = "Its papers are chosen when it is written."
        lines += ["", chosen if node.role == "body" else "It is written last, from the other sections."]
    return "\n".join(lines)


def find_paper(state: State, number: str) -> Paper:
    """The paper of that number: among the references of a survey, before that in the list of papers.

    Raises `UserError` where there is none.
    """
    if state.survey:
        return pick("paper", state.survey.references, int(number))
    if state.papers is None:
        raise UserError("There are no papers yet. Name a topic first.")
    return pick("paper", state.papers.found, int(number), "the list").paper


def show_tree(paper: Paper, tree: AttributeTree | None) -> str:
    """The paper's attributes; a field that it says nothing about is named at the end."""
    title = escape_markdown(clean(paper.title))
    if tree is None:
        return f"No attribute tree of “{title}” was made: `recipe=surveyx` makes those of the full texts that it reads."
    lines = [f"- **{name}**: {escape_markdown(value.text)}\n  {_place(value)}" for name, value in tree.list_known()]
    missing = [name for name, value in tree.values if value is None]
    silent = f"\n\nNot said in its {tree.level}: {', '.join(missing)}." if missing else ""
    head = f"**{title}** is a {tree.kind} paper. This was read from its {tree.level}:"
    return "\n".join([head, "", *lines]) + silent


def _place(value: AttributeValue) -> str:
    where = ", ".join(part for part in (value.section, f"page {value.page}" if value.page else "") if part)
    words = escape_markdown(shorten(value.quote, QUOTE_CHARACTERS))
    # A summary is not the authors' words.
    said = f"Summary: {words}" if value.level == "summary" else f"“{words}”"
    return f"{said} ({escape_markdown(where)})" if where else said


SHOWN = 5
_TO_BEGIN = (
    "`survey TOPIC` begins a literature survey",
    "`quick QUESTION` answers a question from its papers",
    "`search TOPIC` lists papers",
    "`list` shows your surveys",
    "or send a file with your papers (BibTeX, RIS, CSV, PDF)",
)


def make_help(session: SurveySession, *, everything: bool) -> Card:
    """The five things that are done most at this step, or all there are."""
    if everything:
        return Card(HELP)
    proposal, actions = view_step(session.state)
    typed = [draw_button(action) for action in actions if action.typed and action.deed != "follow up"]
    hints = [f"`{hint}`" for hint in list_hints(session.state)[:2]] if proposal != Topic() else []
    lines = [f"`{button.typed}`: {button.label}" for button in typed[: SHOWN - len(hints)]] + hints
    text = "\n".join(["**What you can say now**", "", *(f"- {line}" for line in lines or _TO_BEGIN)])
    return Card(text, draw_buttons(session, (Action("more commands", "help all"),)))
