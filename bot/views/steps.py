"""What is proposed at a step, as values: everything that a surface needs to show it and nothing of how. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from bot.views.actions import Action, list_actions
from engine.session.outline_edits import find_unsupported
from engine.session.state import State
from engine.survey import Survey
from engine.values import KeywordPool, OutlineNode, Paper, PaperKey, PaperSelection, walk_outline


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A section of an outline, its papers by fame; where it ``lacks_papers``, no gathered paper speaks of it.

    ``share`` is its part, 0 to 1, of the hints of the section with most.
    """

    number: str
    node: OutlineNode
    papers: tuple[Paper, ...]
    share: float
    lacks_papers: bool


@dataclass(frozen=True, slots=True)
class PlannedOutline:
    """An outline to be approved."""

    title: str
    sections: tuple[PlannedSection, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PaperGroup:
    """Papers that may become a section, by their numbers in the list."""

    number: int
    title: str
    description: str
    papers: tuple[tuple[int, Paper], ...]


@dataclass(frozen=True, slots=True)
class PaperGroups:
    """Groups to be approved."""

    groups: tuple[PaperGroup, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """What a survey is asked about; empty where nothing was asked for yet."""

    topic: str = ""


@dataclass(frozen=True, slots=True)
class WrittenSections:
    """How many sections are written."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class FinishedReview:
    """A quick review with the papers it was made from."""

    survey: Survey
    selection: PaperSelection


Proposal = (
    Topic | KeywordPool | PaperSelection | PlannedOutline | PaperGroups | WrittenSections | FinishedReview | Survey
)


def view_step(state: State) -> tuple[Proposal, tuple[Action, ...]]:
    """What is proposed, and what can be done with it."""
    proposal = view_proposal(state)
    return proposal, () if proposal == Topic() else list_actions(state)


def view_proposal(state: State) -> Proposal:
    match state.phase:
        case "topic":
            return Topic(state.topic)
        case "keywords":
            return state.keywords or Topic()
        case "papers":
            return state.papers or Topic()
        case "outline":
            return _view_outline(state)
        case "writing":
            return WrittenSections(len(state.sections), len(state.outline.nodes) if state.outline else 0)
        case "discussion":
            if state.survey is None:
                return Topic()
            if state.brief and state.brief.quick and state.papers:
                return FinishedReview(state.survey, state.papers)
            return state.survey
        case _:
            assert_never(state.phase)


def index_papers(selection: PaperSelection | None) -> dict[PaperKey, Paper]:
    """The papers that were found, by their keys, excluded ones too."""
    return {item.paper.key: item.paper for item in selection.found} if selection else {}


def _view_outline(state: State) -> PlannedOutline | PaperGroups | Topic:
    outline, selection = state.outline, state.papers
    if outline is None:
        return Topic()
    if outline.is_grouping and selection:
        return _view_groups(outline.nodes, selection)
    papers = index_papers(selection)
    most = max((len(node.hint_papers) for _, node in walk_outline(outline.nodes)), default=0)
    lacking = find_unsupported(outline, selection, state.brief.topic) if selection and state.brief else ()
    sections = []
    for number, node in walk_outline(outline.nodes):
        own = sorted((papers[k] for k in node.all_papers() if k in papers), key=lambda paper: -(paper.citations or 0))
        share = len(node.hint_papers) / most if most else 0.0
        sections.append(PlannedSection(number, node, tuple(own), share, number in lacking))
    return PlannedOutline(outline.title, tuple(sections), outline.notes)


def _view_groups(nodes: Sequence[OutlineNode], selection: PaperSelection) -> PaperGroups:
    place: dict[PaperKey, int] = {found.paper.key: n for n, found in enumerate(selection.found, start=1)}
    groups = []
    for number, node in enumerate(nodes, start=1):
        places = sorted(place[key] for key in node.all_papers() if key in place)
        papers = tuple((at, selection.found[at - 1].paper) for at in places)
        groups.append(PaperGroup(number, node.title, node.description, papers))
    return PaperGroups(tuple(groups))
