"""What can be done at a step, as values; each surface gives them its labels and buttons. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from engine.session.outline_edits import find_unsupported
from engine.session.state import Phase, State
from engine.text import clean


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done: ``deed`` says it, and names it where a surface has another label for it.

    Sending ``command`` does it, ``about`` is what it is done to.
    One that ``asks`` wants a form filled in first; one that is not ``typed`` is no word for people.
    """

    deed: str
    command: str
    about: str = ""
    asks: bool = False
    typed: bool = True


EDIT = Action("edit", "edit", asks=True, typed=False)
STOP = Action("stop", "stop")
FIGURES = Action("all figures and reasons", "evaluate details")
NEW_SURVEY = Action("new survey", "start", asks=True, typed=False)
_EXPORT = Action("export", "export")
_MORE = Action("more papers", "more")
_BACK = Action("back", "back")
_BACK_TO_OUTLINE = Action("back to the outline", "back")
_SEARCH_ONLINE = Action("search online", "search online")
_OTHERWISE = (
    _SEARCH_ONLINE,
    Action("other words", "start", asks=True, typed=False),
    Action("stop here", "start over"),
)
"""What can be done where the library has no paper about the topic, or few."""

BEGIN = Action("look for keywords", "ok")
_OF_STEP: dict[Phase, tuple[Action, ...]] = {
    "topic": (BEGIN, *_OTHERWISE),
    "keywords": (
        Action("search with these", "ok"),
        EDIT,
        Action("other keywords", "no"),
        Action("quick review first", "quick"),
    ),
    "papers": (
        Action("make an outline", "ok"),
        EDIT,
        _MORE,
        Action("all papers", "show papers"),
        _BACK,
    ),
    "outline": (Action("write it", "ok"), EDIT, Action("another outline", "no"), _BACK),
    "writing": (Action("go on", "ok"), _EXPORT, _BACK_TO_OUTLINE),
    "discussion": (
        Action("all files", "export"),
        Action("sources", "references"),
        Action("change a section", "edit", asks=True, typed=False),
        _BACK_TO_OUTLINE,
    ),
}
_OF_GROUPS = (Action("write headings", "ok"), EDIT, Action("other groups", "no"), _BACK)

SECTIONS_OFFERED = 15


def list_actions(state: State) -> tuple[Action, ...]:
    """What can be done with the proposal of the step; nothing that would change nothing."""
    if state.phase == "discussion" and state.survey:
        if state.brief and state.brief.quick:
            asked = enumerate(state.survey.follow_up, start=1)
            follow = [Action("follow up", f"follow {i}", question) for i, question in asked]
            return (*follow, Action("write a full survey", "full survey"), _OF_STEP["discussion"][0])
        numbered = enumerate(state.survey.sections[:SECTIONS_OFFERED], start=1)
        shown = [Action("show section", f"show {n}", f"{n} {clean(s.title)}", typed=False) for n, s in numbered]
        return (*shown, *_OF_STEP["discussion"])
    if state.phase == "outline" and state.outline and state.outline.is_grouping:
        return _OF_GROUPS
    is_thin = state.phase == "papers" and state.papers is not None and state.papers.is_thin()
    otherwise = _OTHERWISE if is_thin else ()
    is_online = state.brief is not None and state.brief.online
    empty = [_SEARCH_ONLINE] * is_online + [_EXPORT] * (state.phase == "writing" and not state.sections)
    empty += [_MORE] * (state.keywords is None)  # the papers are those of a list
    offered = (*_OF_STEP[state.phase], *otherwise, *_offer_for_thin(state))
    return tuple(action for action in offered if action not in empty)


def _offer_for_thin(state: State) -> list[Action]:
    """What can be done about the first section that rests on very few papers, or has none that speaks of it."""
    if state.phase != "outline" or state.outline is None:
        return []
    doubtful = find_unsupported(state.outline, state.papers, state.brief.topic) if state.papers and state.brief else ()
    body = [(n, node) for n, node in enumerate(state.outline.nodes, start=1) if node.role == "body"]
    thin = next((n for n, node in body if node.is_thin or str(n) in doubtful), 0)
    if not thin:
        return []
    offered = [Action("search for section", f"search for {thin}", str(thin))]
    if others := [n for n, _ in body if n != thin]:
        other = min(others, key=lambda n: (abs(n - thin), n))
        first, second = sorted((other, thin))
        offered.append(Action("merge", f"merge {first} {second}", f"{first} and {second}"))
        offered.append(Action("drop", f"drop {thin}", str(thin)))
    return offered


def turn_pages(command: str, page: int, last: int) -> tuple[Action, ...]:
    """To the pages before and after; ``command`` has ``{}`` for the page's number."""
    turns = (("earlier", page - 1), ("later", page + 1))
    return tuple(Action(deed, command.format(at)) for deed, at in turns if 1 <= at <= last)
