"""What is said of quick reviews, of groups of papers, and of several surveys written for one brief."""

from __future__ import annotations

from collections.abc import Sequence

from bot.views.steps import PaperGroups
from bot.wording.sentences import list_first, pluralize
from bot.wording.survey_text import word_reference, word_size
from engine.citations import numbers
from engine.errors import UserError
from engine.rendering.markdown import escape_markdown, render_table, with_numbers
from engine.reviews.review import HEADER
from engine.run import ReviewDraft
from engine.session.proposal_edits import ONE_SURVEY
from engine.session.state import State
from engine.survey import Survey, walk
from engine.text import clean, list_words, shorten
from engine.values import Paper, PaperSelection

CHAT_COLUMNS = ("Study", "Questions", "Evidence", "Key insight")
MORE_COLUMNS = "The files have each study's argument, limitation and figures too; `export` makes them."

NO_REVIEW = "That belongs to a quick review. Write for example: quick does caffeine impair sleep?"
SEARCHED_ONLINE = "Online sources are searched for this topic already. Try other words: survey TOPIC"
NO_TOPIC = "Ask a question or name a topic, for example: quick does caffeine impair sleep?"


def word_growing_review(draft: ReviewDraft) -> str:
    """The questions answered so far, and the studies found so far, numbered as they are listed here."""
    lines = [f"**{escape_markdown(draft.title)}**", ""]
    papers = [found.paper for found in draft.studies]
    listed = {paper.key: i for i, paper in enumerate(papers, start=1)}
    for section in draft.findings:
        lines += [f"**{escape_markdown(section.title)}**", "", with_numbers(section.text, listed), ""]
    return "\n".join([*lines, *_list_references(papers)])


def _list_references(papers: Sequence[Paper]) -> list[str]:
    return [f"{i}. {word_reference(paper, cited=True)}" for i, paper in enumerate(papers, start=1)]


def word_review(survey: Survey, selection: PaperSelection) -> str:
    """The review: conclusions, findings, studies and questions; the table follows below."""
    known = numbers(survey)
    lines = [f"**{escape_markdown(survey.title)}**", "", escape_markdown(survey.abstract)]
    for number, section in walk(survey.sections):
        if section.title in {"Question and Search", "Follow-up Questions"}:
            continue
        text = with_numbers(section.text, known)
        lines += ["", f"**{number} {escape_markdown(section.title)}**", *(["", text] if text else [])]
    lines += ["", "**References**", "", *_list_references(survey.references)] if survey.references else []
    if survey.follow_up:
        lines += ["", "**Follow-up questions** (`follow 1` asks the first)", ""]
        lines += [f"{i}. {escape_markdown(question)}" for i, question in enumerate(survey.follow_up, start=1)]
    failed = list(dict.fromkeys(f"{s.source} {s.note}" for s in selection.searches if s.note and not s.found))
    lines += ["", *(f"⚠ {escape_markdown(note)}" for note in failed[:4])] if failed else []
    end = "Ask a question, say `why 3.1`, `full survey` to write one from these papers, or `export`."
    return "\n".join([*lines, "", end])


def tabulate(survey: Survey) -> str:
    """The table of a quick review in the columns that a chat has room for."""
    known = numbers(survey)
    tables = [table for _, section in walk(survey.sections) for table in section.tables]
    lines: list[str] = []
    for table in tables:
        shown = [i for i, name in enumerate(table.header) if table.header != HEADER or name in CHAT_COLUMNS]
        rows = [[with_numbers(row[i], known) for i in shown] for row in table.rows]
        lines.append(render_table([escape_markdown(table.header[i]) for i in shown], rows))
        lines += ["", MORE_COLUMNS] if len(shown) < len(table.header) else []
    return "\n".join(lines)


SHOWN_PAPERS = 6
"""Papers of a group that are named before it is approved."""


def word_groups(found: PaperGroups) -> str:
    """Groups of papers for approval, each with its terms and its first papers by their numbers in the list."""
    lines = []
    for group in found.groups:
        lines.append(f"- **{group.number}** {escape_markdown(group.title)} ({pluralize(len(group.papers), 'paper')})")
        lines += [f"    - {escape_markdown(group.description)}"] if group.description else []
        named = [f"{number} {escape_markdown(shorten(clean(paper.title), 60))}" for number, paper in group.papers]
        lines.append(f"    - papers {'; '.join(list_first(named, SHOWN_PAPERS, '…'))}")
    return "\n".join([f"**{pluralize(len(found.groups), 'group')} of papers**", "", *lines, "", CHANGES_OF_GROUPS])


CHANGES_OF_GROUPS = (
    "`ok` writes headings for these groups. To change them: `rename GROUP to …`, `split GROUP`, `merge GROUP GROUP`, "
    "`drop GROUP`, `move PAPER to GROUP`, each by its number."
)
HERE_IS_THE_MAP = "The groups on a map:"
CRITERIA = ("coverage", "structure", "relevance")
TITLE_CHARACTERS = 100


def word_candidates(state: State) -> str:
    """A line for each candidate with a judge's scores. Raises `UserError` where only one survey was written."""
    if not state.candidates:
        raise UserError(ONE_SURVEY)
    lines = ["**Candidates**, each from its own papers and outline:", ""]
    for number, candidate in enumerate(state.candidates, start=1):
        survey = candidate.survey
        headings = list_words([escape_markdown(clean(section.title)) for section in survey.sections])
        scores = [f"{name} {score} of 5" for name, score in zip(CRITERIA, candidate.scores, strict=False)]
        title = escape_markdown(shorten(clean(survey.title), TITLE_CHARACTERS))
        taken = " · **this is the survey**" if number == state.chosen else ""
        judged = ", ".join(scores) or "not judged"
        lines += [f"{number}. {title} · {word_size(survey)} · {judged}{taken}", f"   {headings}"]
    return "\n".join(lines)


def word_taken(state: State) -> str:
    size = word_size(state.candidates[state.chosen - 1].survey)
    return f"Candidate {state.chosen} is the survey now: {size}. `candidates` shows all, `undo` takes this back."
