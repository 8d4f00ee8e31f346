"""What is said to a person: greetings, where a survey stands, what can be typed, words that were not understood."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.commands.commands import FreeText, SurveyCommand
from bot.store.surveys import StoredSurvey
from bot.wording.labels import survey_line
from bot.wording.progress import word_started
from bot.wording.sentences import WELCOME, phrase, pluralize
from engine.rendering.markdown import escape_markdown
from engine.session.events import Notice
from engine.session.state import Phase, State, SurveySession
from engine.text import clean, list_words, shorten
from engine.values import KeywordPool, Outline, PaperSelection

THANKS = "You are welcome."
NOTHING_TO_CHOOSE = "There is nothing to choose now."


def hello(session: SurveySession) -> str:
    return f"Hello. {status(session) if session.state.brief else WELCOME}"


def ask_meaning(words: FreeText, usage: str = "", failure: str = "") -> str:
    """Words that no command does, and the commands that come nearest; ``failure`` is why no language model read them.

    ``usage`` is how the command is written that they begin with.
    """
    said = escape_markdown(shorten(clean(words.text), 80))
    listed = "\n".join(f"{number}. `{choice}`" for number, choice in enumerate(words.offers, start=1))
    if words.private:
        lead = f"Did you mean me with “{said}”? Then "
        lead += "press what you want, or say its number in the thread:" if listed else "say it with my name before it."
    elif words.likely and not usage:
        which = "this" if len(words.offers) == 1 else "the first of these"
        lead = f"I take “{said}” for {which}, and do it when you press it:"
    else:
        lead = f"I know no command that does “{said}” for certain."
        lead += f" It is written `{usage}`." if usage else ""
        lead += " Nearest to it:" if listed else " `help` shows what I can do."
    return "\n\n".join(part for part in (lead, listed, failure and f"⚠ {escape_markdown(failure)}") if part)


word_left_out = phrase(
    "I read the first {:,} characters of your message and left out {:,}. "
    "A long list of papers is better sent as a file (BibTeX, RIS, CSV), or after `papers:`."
)
STILL_AT_WORK = "I am still working on a survey here. Say stop first, or wait until it is done."
NO_SURVEYS = "You have no survey yet. Name a topic, for example: survey graph neural networks"
NO_SURVEY_HERE = "No survey is open here. Say list to see yours, or name a topic."
word_kept_survey = phrase("Your survey on “{}” is kept; `list` shows all, and `open` with a number opens one.")
no_such_survey = phrase("There is no survey {}; you have {}. Say list to see them.")
word_long_name = phrase("A survey's name has at most {} characters; this one has {:,}.")
word_named_survey = phrase("This survey is called “{}” now.")
word_opened_survey = phrase("This is your survey on “{}”:")
word_elsewhere = phrase("The survey on “{}” belongs to another conversation; continue it there.")
word_archived_survey = phrase("“{}” is archived: `list all` still shows it, and `open` brings it back.")

SURVEYS_A_PAGE = 20
"""Lines of a list that one message holds on every platform."""


def list_surveys(found: Sequence[StoredSurvey], current: str, wanted: SurveyCommand) -> str:
    """A page of a person's surveys with their numbers, the latest on the first.

    Where none is ``current`` the list is not read in a survey's own place, and none can be opened.
    """
    listed = [survey for survey in found if wanted.everything or not survey.is_archived]
    if not listed:
        return f"{pluralize(len(found), 'survey')} archived; `list all` shows them." if found else NO_SURVEYS
    pages = -(-len(listed) // SURVEYS_A_PAGE)
    page = min(max(1, wanted.number), pages)
    end = len(listed) - (page - 1) * SURVEYS_A_PAGE
    shown = listed[max(0, end - SURVEYS_A_PAGE) : end]
    lines = []
    for survey in shown:
        here = " ← here" if survey.session_id == current else ""
        lines.append(f"{survey.number}. {survey_line(survey)}{' · archived' if survey.is_archived else ''}{here}")
    if page < pages:
        command = f"list all {page + 1}" if wanted.everything else f"list {page + 1}"
        lines.append(f"\n`{command}` shows {pluralize(end - len(shown), 'earlier survey')}.")
    hidden = len(found) - len(listed)
    more = f"\n\n{hidden} archived; `list all` shows them too." if hidden else ""
    hint = "\n\n`open 2` goes on with the second." if len(found) > 1 else ""
    hint = hint if current else "\n\nEach goes on in its own thread."
    return "**Your surveys**\n\n" + "\n".join(lines) + hint + more


PRESS_TO_DO = (
    "I think I know what you mean, but I do not do that on a guess. Press the button, or write the command itself; "
    "anything else leaves all as it is."
)


_NOTICES: dict[Notice, str] = {
    "stale": "That was an earlier proposal; it has changed since. These are the buttons of the present one:",
    "busy": "I am still working; wait for the result, or stop it first.",
    "running already": "I am already working on a survey here. Stop it first, then name the new topic.",
    "nothing to approve": "There is nothing to approve now.",
    "nothing to undo": "There is nothing to undo.",
    "nothing to redo": "There is nothing to redo.",
    "nothing to stop": "Nothing is running. To leave this survey and begin another, say `start over`.",
    "stopped": "Stopped.",
    "undone": "Undone.",
    "redone": "Done again.",
    "no way back": "This is the beginning; name a topic.",
    "not now": "That cannot be done at this step.",
    "started over": "All right, from the beginning. Name a topic, for example: `survey graph neural networks`. "
    "(`undo` brings the former survey back.)",
    "needs topic": "Name a topic first, for example: `survey graph neural networks`",
}


def notice(kind: Notice, session: SurveySession) -> str:
    if kind == "not now":
        return f"{_NOTICES[kind]} You can say {suggest_words(session.state)}."
    return _NOTICES[kind]


_STANDING: dict[Phase, str] = {
    "topic": "The survey has not begun.",
    "keywords": "Step 1 of 4: keywords.",
    "papers": "Step 2 of 4: papers.",
    "outline": "Step 3 of 4: outline.",
    "writing": "Step 4 of 4: writing.",
    "discussion": "The survey is written.",
}
"""Where a survey is, for people."""


def status(session: SurveySession) -> str:
    state = session.state
    topic = f"“{escape_markdown(state.brief.topic)}”" if state.brief else "no topic yet"
    now = f"Now: {word_started(session.job)}" if session.job else f"It is your turn: {suggest_words(state)}."
    count = len(state.sections)
    written = f" {count} {'section is' if count == 1 else 'sections are'} written." if state.phase == "writing" else ""
    return f"Topic: {topic}. {_STANDING[state.phase]}{written} {now}"


def history(session: SurveySession) -> str:
    """The steps so far, the latest last."""
    states = [*session.past, session.state]
    shown = [*enumerate(states)][-12:]
    lines = [
        f"{i}. {'survey' if state.phase == 'discussion' else state.phase}: {summarize(state)}" for i, state in shown
    ]
    return "\n".join(["**So far** (`undo 2` takes back two):", "", *lines])


def summarize(state: State) -> str:
    """What was proposed at a step, in a line."""
    match state:
        case State(phase="keywords", keywords=KeywordPool(keywords=keywords)):
            return ", ".join(escape_markdown(keyword.text) for keyword in keywords) + "."
        case State(phase="papers", papers=PaperSelection() as selection):
            kept = len(selection.list_included())
            out = len(selection.found) - kept
            return f"{pluralize(kept, 'paper')}{f', {out} left out' if out else ''}."
        case State(phase="outline", outline=Outline() as outline):
            return list_in_order(outline)
        case State(phase="discussion", survey=survey) if survey:
            return f"{escape_markdown(survey.title)}."
        case _:
            return f"“{escape_markdown(state.brief.topic)}”." if state.brief else "no topic yet."


def list_in_order(outline: Outline) -> str:
    return " · ".join(f"{n} {escape_markdown(node.title)}" for n, node in enumerate(outline.nodes, start=1))


_CHANGES_OF_OUTLINE = ("rename 2 to …", "drop 3", "move 4 before 2", "merge 3 4", "add section … after 2")


def list_hints(state: State) -> tuple[str, ...]:
    """What can be typed besides the buttons' words; each names only what is there."""
    match state:
        case State(phase="keywords", keywords=KeywordPool(keywords=keywords)):
            return ("add WORDS", "drop WORDS") if len(keywords) > 1 else ("add WORDS",)
        case State(phase="papers", papers=PaperSelection() as selection):
            out = selection.list_excluded()
            exclude = "exclude 3 7" if len(selection.found) >= 7 else "exclude 1"
            return (*((exclude,) if selection.list_included() else ()), *((f"include {out[0]}",) if out else ()))
        case State(phase="outline", outline=Outline(nodes=nodes)):
            there = {str(number) for number in range(1, len(nodes) + 1)}
            return tuple(hint for hint in _CHANGES_OF_OUTLINE if set(re.findall(r"\d+", hint)) <= there)
        case State(phase="discussion", survey=survey) if survey:
            last = min(2, len(survey.sections))
            part = f"{last}.1" if last and survey.sections[last - 1].sections else str(last)
            return (f"show {last}", f"why {last}", f"shorten {part}", "ask …") if last else ("ask …",)
        case _:
            return ()


_FIRST_SAID: dict[Phase, tuple[str, ...]] = {
    "topic": ("`survey TOPIC` to begin", "`help`"),
    "keywords": ("`ok` to search with these keywords",),
    "papers": ("`ok` to go on to the outline", "`more`"),
    "outline": ("`ok` to write",),
    "writing": ("`ok` to write on", "`back` to change the outline", "`export` what is finished"),
    "discussion": ("a question", "`export`"),
}


def suggest_words(state: State) -> str:
    """The few things that are said most at this step, as the end of a sentence."""
    first, *others = _FIRST_SAID[state.phase]
    return list_words([first, *(f"`{hint}`" for hint in list_hints(state)[:2]), *others], "or")
