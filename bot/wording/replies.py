"""Greetings, thanks, what is said to words that were not understood, and of a person's surveys."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.commands import ListSurveys
from bot.store.surveys import StoredSurvey
from bot.wording.labels import survey_line
from bot.wording.sentences import WELCOME, pluralize, status
from engine.citations import reference_text
from engine.rendering.markdown import escape_markdown
from engine.retrieval.named_papers import NamedPapers
from engine.session.state import SurveySession
from engine.text import clean, shorten

THANKS = "You are welcome."
NOTHING_TO_CHOOSE = "There is nothing to choose now."


def hello(session: SurveySession) -> str:
    """A greeting that says what can be done now."""
    if session.state.phase == "topic" and session.state.brief is None:
        return f"Hello. {WELCOME}"
    return f"Hello. {status(session)}"


def ask_meaning(
    text: str, choices: Sequence[str], usage: str = "", failure: str = "", *, is_private: bool = False
) -> str:
    """Words that no command does, and the commands that come nearest; ``failure`` is why no language model read them.

    ``usage`` is how the command is written that they begin with.

    Said in private, they were perhaps meant for somebody else.
    """
    said = escape_markdown(shorten(clean(text), 80))
    lead = f"Did you mean me with “{said}”?" if is_private else f"I know no command that does “{said}” for certain."
    lead += f" It is written `{usage}`." if usage and not is_private else ""
    listed = "\n".join(f"{number}. `{choice}`" for number, choice in enumerate(choices, start=1))
    nearest = f" Nearest to it:\n\n{listed}" if choices else " `help` shows what I can do."
    if is_private:
        nearest = f" Then press what you want:\n\n{listed}" if choices else " Then say it with my name before it."
    return f"{lead}{nearest}" + (f"\n\n⚠ {escape_markdown(failure)}" if failure else "")


def word_left_out(kept: int, left_out: int) -> str:
    """A message was too long to be read to its end."""
    return (
        f"I read the first {kept:,} characters of your message and left out {left_out:,}. "
        "A long list of papers is better sent as a file (BibTeX, RIS, CSV), or after `papers:`."
    )


STILL_AT_WORK = "I am still working on a survey here. Say stop first, or wait until it is done."
NO_SURVEYS = "You have no survey yet. Name a topic, for example: survey graph neural networks"
NO_SURVEY_HERE = "No survey is open here. Say list to see yours, or name a topic."


def word_kept_survey(topic: str) -> str:
    """Another survey is begun beside the one at hand."""
    return f"Your survey on “{escape_markdown(topic)}” is kept; `list` shows all, and `open` with a number opens one."


SURVEYS_A_PAGE = 20
"""Lines of a list that one message holds on every platform."""


def list_surveys(found: Sequence[StoredSurvey], current: str, wanted: ListSurveys) -> str:
    """A page of a person's surveys with their numbers, the latest on the first.

    Where none is ``current`` the list is not read in a survey's own place, and none can be opened.
    """
    listed = [survey for survey in found if wanted.everything or not survey.is_archived]
    if not listed:
        return f"{pluralize(len(found), 'survey')} archived; `list all` shows them." if found else NO_SURVEYS
    pages = -(-len(listed) // SURVEYS_A_PAGE)
    page = min(max(1, wanted.page), pages)
    end = len(listed) - (page - 1) * SURVEYS_A_PAGE
    shown = listed[max(0, end - SURVEYS_A_PAGE) : end]
    lines = [f"{survey.number}. {survey_line(survey)}{_marks(survey, current)}" for survey in shown]
    if page < pages:
        command = f"list all {page + 1}" if wanted.everything else f"list {page + 1}"
        lines.append(f"\n`{command}` shows {pluralize(end - len(shown), 'earlier survey')}.")
    hidden = len(found) - len(listed)
    more = f"\n\n{hidden} archived; `list all` shows them too." if hidden else ""
    here = "\n\n`open 2` goes on with the second." if len(found) > 1 else ""
    hint = here if current else "\n\nEach goes on in its own thread."
    return "**Your surveys**\n\n" + "\n".join(lines) + hint + more


def _marks(survey: StoredSurvey, current: str) -> str:
    here = " ← here" if survey.session_id == current else ""
    return f"{' · archived' if survey.is_archived else ''}{here}"


def word_opened_survey(survey: StoredSurvey) -> str:
    """Another survey is at hand now."""
    return f"This is your survey on “{escape_markdown(survey.title)}”:"


def elsewhere(survey: StoredSurvey) -> str:
    """A survey that is talked about in another place."""
    return f"The survey on “{survey.title}” belongs to another conversation; continue it there."


def no_such_survey(number: int, count: int) -> str:
    """A number that the list does not have."""
    return f"There is no survey {number}; you have {count}. Say list to see them."


def word_named_survey(name: str) -> str:
    """The survey has a name of its own."""
    return f"This survey is called “{escape_markdown(name)}” now."


def word_archived_survey(title: str) -> str:
    """A survey is out of the list."""
    return f"“{escape_markdown(title)}” is archived: `list all` still shows it, and `open` brings it back."


def word_named_papers(named: NamedPapers) -> str:
    """Who wrote the papers of a name, where and when."""
    lines = [f"- {escape_markdown(clean(reference_text(paper)))}" for paper in named.papers]
    name = f"“{escape_markdown(named.name)}”"
    one, many = (
        f"This paper is known as {name}, or has it in its title",
        f"These papers are known as {name}, or have it in their titles",
    )
    return f"{one if len(lines) == 1 else many}:\n\n" + "\n".join(lines)


PRESS_TO_DO = (
    "I think I know what you mean, but I do not do that on a guess. Press the button, or write the command itself; "
    "anything else leaves all as it is."
)
