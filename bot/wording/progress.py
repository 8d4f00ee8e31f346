"""What is said of a job: that it began, waits, how far it is, that it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.wording.sentences import pluralize
from engine.citations import remove_citations
from engine.rendering.markdown import escape_markdown
from engine.run import Progress
from engine.session.events import Job, JobKind
from engine.session.state import State
from engine.survey import Section, walk
from engine.text import clean, shorten

SECTION_SHOWN = 1_200
"""Characters of the section written last that are shown while the others are written."""

_STAGES = {
    "keywords": "Looking for keywords",
    "retractions": "Checking for retractions",
    "choosing": "Judging which papers are relevant",
    "filtering": "Ranking what was found",
    "grouping": "Grouping the papers by what they are about",
    "dividing": "Dividing the groups",
    "outlining": "Drafting outlines",
    "words": "Indexing words",
    "fitting": "Learning how this library's words go together",
    "vectors": "Placing papers by meaning",
    "moving": "Moving papers",
    "list": "Looking for papers of your list",
    "background": "Reading Wikipedia",
    "full texts": "Reading full texts",
    "trees": "Reading papers into attribute trees",
    "refining": "Refining abstract, conclusion and title",
}
"""Of stages that are not called by their own words."""


_JOBS: dict[JobKind, tuple[str, str]] = {
    "keywords": ("Looking for keywords …", "Keywords found"),
    "papers": ("Gathering papers …", "Papers gathered"),
    "list": ("Looking for the papers of your list …", "List read"),
    "outline": ("Drafting an outline …", "Outline drafted"),
    "write": ("Writing …", "Written"),
    "revise": ("Changing that section …", "Changed"),
    "answer": ("Looking through the papers …", "Answered"),
    "gaps": ("Drawing a map of the field …", "Map drawn"),
    "evaluate": ("Judging the survey …", "Judged"),
    "background": ("Looking for background …", "Background added"),
    "headings": ("Writing headings for the groups …", "Headings written"),
    "divide": ("Dividing it by its papers …", "Divided"),
    "review": ("Reviewing. References appear here as they are found.", "Reviewed"),
}
"""What is said when a job begins, and when it has come to its end."""


def word_started(job: Job) -> str:
    return _JOBS[job.kind][0]


def progress(step: Progress) -> str:
    stage = _STAGES.get(step.stage, step.stage.capitalize())
    return f"{stage}: {escape_markdown(shorten(step.detail, 80))}" if step.detail else stage


def word_status(job: Job, step: Progress | None, finished: Mapping[int, Section]) -> str:
    """What is being done; then a line for each section that is written, and how the newest of them begins."""
    head = progress(step) if step else word_started(job)
    if not finished:
        return head
    lines = []
    for position, section in sorted(finished.items()):
        words = sum(len(part.text.split()) for _, part in walk((section,)))
        lines.append(f"✓ {position + 1} {escape_markdown(clean(section.title))} ({pluralize(words, 'word')})")
    newest = list(finished.values())[-1]
    said = " ".join(part.text for _, part in walk((newest,)) if part.text)
    opening = escape_markdown(shorten(clean(remove_citations(said)), SECTION_SHOWN))
    title = escape_markdown(clean(newest.title))
    return "\n\n".join([head, "\n".join(lines), *([f"**{title}**: {opening}"] if opening else [])])


def word_stopped(by: str) -> str:
    return f"**Stopped{by}.**"


def word_kept(state: State, job: Job) -> str:
    """What is left of a job that came to no end; empty where it had made nothing."""
    if state.survey:
        return "The survey is as it was before." if job.kind in {"revise", "background", "write"} else ""
    count = len(state.sections)
    if job.kind != "write" or not count:
        return ""
    return f"{pluralize(count, 'finished section')} {'is' if count == 1 else 'are'} kept."


def word_ended(job: Job) -> str:
    return f"✓ {_JOBS[job.kind][1]}"


def facts(step: Progress | None, seconds: float, spent: float, left_s: float | None) -> tuple[str, ...]:
    """How much is done, for how long it runs, how long it will yet take, what it cost so far."""
    counted = (f"{step.done} of {step.total}",) if step and step.total else ()
    left = (f"about {_duration(left_s)} left",) if left_s and left_s >= 1 else ()
    money = (f"${spent:.2f}{' so far' if step else ''}",) if spent >= 0.005 else ()
    time = (_duration(seconds),) if step or seconds >= 3 else ()
    return (*counted, *time, *left, *money)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


NOBODY_WORKS = "It waits: no process runs jobs at the moment. Whoever runs Scholium has to start `scholium worker`."


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """Why a job waits. ``ahead`` is how many are before it; ``running`` how many of its owner's or workspace's run.

    ``reason``: its owner's own jobs come first, its workspace has as many running as it may, or all are busy.
    """

    reason: Literal["person", "workspace", "busy"]
    ahead: int
    running: int


def word_queued(place: QueuePlace) -> str:
    run, wait = ("is" if number == 1 else "are" for number in (place.running, place.ahead))
    behind = f", and {place.ahead:,} more {wait} ahead of it." if place.ahead else ". It is next."
    if place.reason != "busy":
        whose = "your" if place.reason == "person" else "this workspace's"
        return f"It waits: {place.running:,} of {whose} jobs {run} running{behind}"
    if place.ahead:
        return f"It waits for a free place, with about {pluralize(place.ahead, 'job')} ahead of it."
    return "It is next in the queue."


def word_going_on(job: Job) -> str:
    return f"Welcome back. Still at work: {word_started(job)}"
