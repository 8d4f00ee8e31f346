"""What stands on the card of a step, and what is said of it afterwards: who decided, what was changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.chat import Button
from bot.views.actions import BEGIN, Action, list_actions
from bot.views.changes import list_changed_places
from bot.views.steps import Topic, view_step
from bot.wording.labels import draw_button, draw_buttons
from bot.wording.proposals import word_proposal, word_restrictions
from bot.wording.replies import list_hints, list_in_order, summarize
from bot.wording.reviews import word_taken
from bot.wording.sentences import HELP, list_first, pluralize
from engine.rendering.markdown import escape_markdown
from engine.session import events
from engine.session.events import Event, JobKind
from engine.session.state import Phase, State, SurveySession
from engine.survey import Survey
from engine.text import clean, list_words, shorten
from engine.values import KeywordPool, Outline, PaperSelection, walk_outline

CARD = "card"
"""The slot of the one proposal that a conversation waits for."""

PROPOSING: frozenset[JobKind] = frozenset(
    {"keywords", "papers", "list", "outline", "headings", "divide", "write", "review"}
)
"""Jobs that end with a card; the card of the step before is closed when they begin."""

EDITS = events.EditKeywords | events.EditOutline | events.EditPapers | events.MovePaper | events.TakeCandidate
"""What changes the proposal of a step, which is then said besides."""

NAMED = 3
"""Papers or sections that a sentence names; the others are counted."""


@dataclass(frozen=True, slots=True)
class Card:
    """What is shown: its text, its buttons, and the words that can be typed besides those of the buttons.

    One with a ``slot`` is for everybody; it takes the place of what stands there or, ``anew``, stands at the end.
    """

    text: str
    buttons: tuple[Button, ...] = ()
    hints: tuple[str, ...] = ()
    slot: str = ""
    anew: bool = False


_UNCHANGED: dict[Phase, str] = {
    "papers": "The papers are as they were: `show papers` lists them.",
    "outline": "The outline is as it was: `show outline` shows it.",
}


def make_card(session: SurveySession, price: str = "") -> Card:
    """The card of the step that the session is in; ``price`` is what accepting it will cost, as a sentence."""
    state, (shown, actions) = session.state, view_step(session.state)
    hints = ("survey TOPIC", "help") if shown == Topic() else list_hints(state)
    restricted = word_restrictions(state.brief) if state.brief and state.phase in {"keywords", "papers"} else ""
    text = "\n\n".join(part for part in (word_proposal(shown), restricted, price) if part)
    return Card(text, draw_buttons(session, actions), hints)


def make_refused_card(session: SurveySession, meant: str) -> Card:
    """The card of a step whose topic has no papers: no button does it again, the first is the topic that was meant."""
    offered = (Action("survey meant", "choose 1", meant),) if meant else ()
    actions = (*offered, *(action for action in list_actions(session.state) if action != BEGIN))
    return replace(make_short_card(session), buttons=draw_buttons(session, actions))


def make_short_card(session: SurveySession) -> Card:
    """The card of a step whose list has been seen and has not changed: what it says of it, and its buttons."""
    card = make_card(session)
    unchanged = _UNCHANGED.get(session.state.phase)
    return replace(card, text=unchanged) if unchanged else card


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


def by_whom(actor: str) -> str:
    """`` by @NAME``; empty where nobody in particular did it."""
    return f" by @{escape_markdown(actor)}" if actor else ""


def word_decision(before: State, event: Event, actor: str) -> str:
    """What became of the card of the step before: one line, with who decided."""
    subject = "**Survey**" if before.phase == "discussion" else f"**{before.phase.title()}**"
    by, kept = by_whom(actor), summarize(before)
    match event:
        case events.Approve() if before.phase == "writing":
            return f"✓ Writing was resumed{by}."
        case events.Approve() if before.phase == "papers" and before.keeps_outline:
            return f"✓ {subject} approved{by}: {kept} Your outline stays; `no` proposes another from these papers."
        case events.Approve():
            return f"✓ {subject} approved{by}: {kept}"
        case events.Regenerate():
            return f"↻ {subject} not accepted{by}; others were asked for. These were: {kept}"
        case events.MorePapers():
            return f"↻ More papers were asked for{by}. Until then: {kept}"
        case events.Job("papers" | "divide" as kind, section=place):
            asked = "Papers for" if kind == "papers" else "Parts of"
            return f"↻ {asked} section {place} were asked for{by}. Until then: {kept}"
        case events.Job("list"):
            return f"↻ {subject}: a list of papers was given{by}."
        case events.Control.GO_BACK:
            return f"↩ {subject} set aside{by}, back to the step before: {kept}"
        case _:
            why = " for another survey" if isinstance(event, events.Start) or event is events.Control.START_OVER else ""
            return f"↩ {subject} set aside{by}{why}: {kept}"


_SAME = "Nothing to change: that is how it stands already."


def word_change(before: State, after: State, actor: str, price: str = "") -> str:
    """What an edit has changed in a proposal; ``actor`` is named where a form or a button did it.

    An outline as it is now has another ``price``.
    """
    who = f"@{escape_markdown(actor)}: " if actor else ""
    match before, after:
        case State(keywords=KeywordPool() as old), State(phase="keywords", keywords=KeywordPool() as new):
            return who + _word_changed_keywords(old, new)
        case State(papers=PaperSelection() as old), State(phase="papers", papers=PaperSelection() as new):
            return who + _word_changed_papers(old, new)
        case State(outline=Outline() as old), State(phase="outline", outline=Outline() as new):
            said = _word_moved_papers(old, new, after) or _word_changed_outline(old, new)
            return "\n\n".join(part for part in (f"{who}{said}", price) if part)
        case State(chosen=int(was)), State(phase="discussion", chosen=int(number)) if number and number != was:
            return f"{who}{word_taken(after)}"
        case State(survey=Survey() as old), State(phase="discussion", survey=Survey() as new):
            places = list_changed_places(old, new)
            return f"{who}Changed: {list_words([f'section {place}' for place in places])}." if places else _SAME
        case _:
            return f"{who}changed."


def word_return(said: str, before: State, after: State) -> str:
    """What an undo or a redo has changed, where the step is the same; another step's card says it itself."""
    same = before.phase == after.phase and after.phase not in {"topic", "writing"}
    changed = word_change(before, after, "") if same else _SAME
    return said if changed == _SAME else f"{said} {changed}"


def _word_changed_keywords(old: KeywordPool, new: KeywordPool) -> str:
    added = [k.text for k in new.keywords if k.text not in old]
    dropped = [k.text for k in old.keywords if k.text not in new]
    changes = _word_changes(("added", added), ("dropped", dropped))
    if not changes:
        known = [k.text for k in new.keywords if k not in old.keywords]  # asked for, so the person's from now on
        return f"{_quote_first(known)} {'was' if len(known) == 1 else 'were'} in the list already." if known else _SAME
    return f"{changes} That makes {pluralize(len(new.keywords), 'keyword')}."


def _word_changed_papers(old: PaperSelection, new: PaperSelection) -> str:
    if {f.paper.key for f in old.found} != {f.paper.key for f in new.found}:
        return f"That makes {pluralize(len(new.list_included()), 'paper')}."
    titles = {f.paper.key: f"{n} {clean(f.paper.title)}" for n, f in enumerate(new.found, start=1)}
    was, now = set(old.excluded), set(new.excluded)
    out, back = ([titles[key] for key in titles if key in which] for which in (now - was, was - now))
    changes = _word_changes(("excluded", out), ("included", back))
    return f"{changes} That makes {pluralize(len(new.list_included()), 'paper')}." if changes else _SAME


def _word_moved_papers(old: Outline, new: Outline, after: State) -> str:
    """The papers that are in another section of the same outline; empty where the outline is another."""
    homes = [{key: number for number, node in walk_outline(o.nodes) for key in node.papers} for o in (old, new)]
    moved = {key: number for key, number in homes[1].items() if homes[0].get(key, number) != number}
    if not (moved and _titles(old) == _titles(new) and after.papers):
        return ""
    found = enumerate(after.papers.found, start=1)
    named = [f"“{n} {escape_markdown(shorten(clean(f.paper.title), 80))}”" for n, f in found if f.paper.key in moved]
    places = list_words(sorted(set(moved.values())))
    return f"{list_words(named)} {'is' if len(named) == 1 else 'are'} in section {places} now."


def _titles(outline: Outline) -> dict[str, str]:
    return {number: node.title for number, node in walk_outline(outline.nodes)}


def _word_changed_outline(old: Outline, new: Outline) -> str:
    """The sections that differ, by number and title as they were and as they are."""
    was, now = _titles(old), _titles(new)
    gone = [title for title in was.values() if title not in now.values()]
    made = [f"{number} {title}" for number, title in now.items() if title not in was.values()]
    renamed = [n for n in now if n in was and was[n] != now[n]]
    if len(was) == len(now) and len(renamed) == 1:
        number, *_ = renamed
        return f"Section {number} is now “{escape_markdown(now[number])}” (was “{escape_markdown(was[number])}”)."
    before = {number: node.description for number, node in walk_outline(old.nodes)}
    told = [(n, x.description) for n, x in walk_outline(new.nodes) if before.get(n, x.description) != x.description]
    if was == now and len(told) == 1:
        return f"Section {told[0][0]} is now about: {escape_markdown(told[0][1])}"
    if old.nodes == new.nodes:
        return _SAME
    papers = [{key for node in outline.nodes for key in node.all_papers()} for outline in (old, new)]
    match len(gone), len(made):
        case 2, 1 if papers[0] == papers[1]:
            said = f"{_quote_first(gone)} are one section now: {escape_markdown(made[0])}."
        case 1, parts if papers[0] == papers[1] and parts > 1 and len(now) > len(was):
            said = f"{_quote_first(gone)} is {parts} sections now: {_quote_first(made)}."
        case 1, 0 if papers[0] == papers[1] and len(new.nodes) > len(old.nodes):
            said = f"The parts of {_quote_first(gone)} are sections of their own now."
        case _:
            said = _word_changes(("dropped", gone), ("added", made)) or "Put into another order."
    return f"{said} Now: {list_in_order(new)}"


def _quote_first(items: Sequence[str]) -> str:
    return list_words(list_first([f"“{escape_markdown(shorten(item, 80))}”" for item in items], NAMED, "{} more"))


def _word_changes(*changes: tuple[str, Sequence[str]]) -> str:
    """``Added “a”; dropped “b” and “c”.``; empty where there is none of them."""
    text = "; ".join(f"{verb} {_quote_first(which)}" for verb, which in changes if which)
    return f"{text[0].upper()}{text[1:]}." if text else ""
