"""Sentences, proposals and buttons of quick reviews. See `bot.wording.sentences`."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.chat import Button
from engine.citations import numbers, reference_text
from engine.rendering.markdown import escape_markdown, with_numbers
from engine.run import ReviewDraft
from engine.session.outline_edits import find_divisible
from engine.session.state import State, SurveySession
from engine.survey import Survey, walk
from engine.text import clean, shorten
from engine.values import Outline, Paper, PaperKey, PaperSelection
from engine.writing.review import HEADER

LABEL_CHARACTERS = 70
"""Slack allows 75 on a button, Discord 80."""

CHAT_COLUMNS = ("Study", "Questions", "Evidence", "Key insight")
MORE_COLUMNS = "The files have each study's argument, limitation and figures too; `export` makes them."

NO_FOLLOW_UP = "There is no follow-up question {}. The review names {}; write for example: follow 1"
NO_REVIEW = "That belongs to a quick review. Write for example: quick does caffeine impair sleep?"
SEARCHED_ONLINE = "Online sources are searched for this topic already. Try other words: survey TOPIC"
NO_TOPIC = "Ask a question or name a topic, for example: quick does caffeine impair sleep?"
FULL_SURVEY = "Write a full survey"
QUICK_REVIEW = "Quick review first"


def word_growing_review(draft: ReviewDraft) -> str:
    """The questions answered so far, and the studies found so far, numbered as they are listed here."""
    lines = [f"**{escape_markdown(draft.title)}**", ""]
    listed = {found.paper.key: i for i, found in enumerate(draft.studies, start=1)}
    for section in draft.findings:
        lines += [f"**{escape_markdown(section.title)}**", "", with_numbers(section.text, listed), ""]
    lines += [f"{i}. {_reference(found.paper)}" for i, found in enumerate(draft.studies, start=1)]
    return "\n".join(lines)


def word_review(survey: Survey, selection: PaperSelection) -> str:
    """The review: conclusions, findings, studies and questions; the table follows below."""
    known = numbers(survey)
    lines = [f"**{escape_markdown(survey.title)}**", "", escape_markdown(survey.abstract)]
    for number, section in walk(survey.sections):
        if section.title in {"Question and Search", "Follow-up Questions"}:
            continue
        text = with_numbers(section.text, known)
        lines += ["", f"**{number} {escape_markdown(section.title)}**", *(["", text] if text else [])]
    if survey.references:
        lines += ["", "**References**", ""]
        lines += [f"{i}. {_reference(paper)}" for i, paper in enumerate(survey.references, start=1)]
    if survey.follow_up:
        lines += ["", "**Follow-up questions** (`follow 1` asks the first)", ""]
        lines += [f"{i}. {escape_markdown(question)}" for i, question in enumerate(survey.follow_up, start=1)]
    failed = list(dict.fromkeys(f"{s.source} {s.note}" for s in selection.searches if s.note and not s.found))
    lines += ["", *(f"⚠ {escape_markdown(note)}" for note in failed[:4])] if failed else []
    end = "Ask a question, say `why 3.1`, `full survey` to write one from these papers, or `export`."
    return "\n".join([*lines, "", end])


def more(state: State) -> str:
    """The table of a quick review in the columns that a chat has room for; empty for everything else."""
    is_review = state.phase == "discussion" and state.brief and state.brief.quick and state.survey
    return _tabulate(state.survey) if is_review and state.survey else ""


def _tabulate(survey: Survey) -> str:
    known = numbers(survey)
    tables = [table for _, section in walk(survey.sections) for table in section.tables]
    lines: list[str] = []
    for table in tables:
        shown = [i for i, name in enumerate(table.header) if table.header != HEADER or name in CHAT_COLUMNS]
        rows = [" | ".join(with_numbers(row[i], known).replace("|", r"\|") for i in shown) for row in table.rows]
        head = " | ".join(escape_markdown(table.header[i]) for i in shown)
        lines += [f"| {head} |", f"|{' --- |' * len(shown)}", *(f"| {row} |" for row in rows)]
        lines += ["", MORE_COLUMNS] if len(shown) < len(table.header) else []
    return "\n".join(lines)


def _reference(paper: Paper) -> str:
    """Authors, title with its link, journal, year, and how often it was cited."""
    text = escape_markdown(clean(reference_text(paper))).rstrip(".")
    cited = f", cited: {paper.citations:,}" if paper.citations is not None else ""
    link = f" <{paper.url}>" if paper.url else ""
    return f"{text}{cited}{link}"


def list_review_buttons(session: SurveySession, usual: tuple[Button, ...]) -> tuple[Button, ...]:
    """The usual buttons, and, before a survey, a quick review; after a review its follow-ups and a whole survey."""
    state, end = session.state, f":{session.id}:{session.revision}"
    if state.phase == "keywords":
        return (*usual, Button(QUICK_REVIEW, f"quick{end}", "quick"))
    if not (state.phase == "discussion" and state.brief and state.brief.quick and state.survey):
        return usual
    follow = [
        Button(shorten(question, LABEL_CHARACTERS), f"follow {i}{end}", f"follow {i}")
        for i, question in enumerate(state.survey.follow_up, start=1)
    ]
    return (*follow, Button(FULL_SURVEY, f"full survey{end}", "full survey"), *usual[:1])


SHOWN_PAPERS = 6
"""Papers of a group that are named before it is approved."""


def word_groups(outline: Outline, selection: PaperSelection) -> str:
    """Groups of papers for approval, each with its terms and its first papers by their numbers in the list."""
    place = {found.paper.key: i for i, found in enumerate(selection.found, start=1)}
    titles = {found.paper.key: found.paper.title for found in selection.found}
    lines = []
    for number, node in enumerate(outline.nodes, start=1):
        keys = sorted((key for key in node.all_papers() if key in place), key=lambda key: place[key])
        lines.append(f"- **{number}** {escape_markdown(node.title)} ({len(keys)} papers)")
        lines += [f"    - {escape_markdown(node.description)}"] if node.description else []
        shown = [f"{place[key]} {escape_markdown(shorten(clean(titles[key]), 60))}" for key in keys[:SHOWN_PAPERS]]
        lines.append(f"    - papers {'; '.join(shown)}{'; …' if len(keys) > SHOWN_PAPERS else ''}")
    end = f"`ok` writes headings for these groups. To change them: {_list_group_changes(outline, selection, place)}."
    return "\n".join(
        [f"**{len(outline.nodes)} {'group' if len(outline.nodes) == 1 else 'groups'} of papers**", "", *lines, "", end]
    )


def _list_group_changes(outline: Outline, selection: PaperSelection, place: Mapping[PaperKey, int]) -> str:
    """What can be typed to change the groups; each example can be done as it stands."""
    last = len(outline.nodes)
    changes = ["`rename 1 to …`"]
    if divisible := find_divisible(outline, selection):
        changes.append(f"`split {divisible}`")
    if last > 1:
        changes += [f"`merge {last - 1} {last}`", f"`drop {last}`"]
        movable = min((place[key] for key in outline.nodes[0].all_papers() if key in place), default=0)
        changes += [f"`move {movable} to {last}` (paper {movable} into group {last})"] if movable else []
    return ", ".join(changes)


HERE_IS_THE_MAP = "The groups on a map:"
