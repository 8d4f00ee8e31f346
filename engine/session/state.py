"""The conversation about one survey as a pure state machine: `advance` decides, others act.

::

    topic ──start──► (keywords job) ──► keywords ──approve──► (papers job) ──► papers
                                           ▲                                     │ approve
                                           └───────────── go back ───────────┐   ▼
    discussion ◄── writing ◄──approve── outline ◄───────── (outline job) ────┴───┘

    topic ──start quick──► (review job) ──► discussion ──write full──► papers

A change of the outline of what is written proposes the outline again; what it does not touch is kept (`kept_text`).

Every phase but topic holds a proposal with a revision; an answer to an older revision changes nothing.
A job runs between two phases; while it runs, the proposal cannot be changed, only stopped. Undo restores
the contents exactly, any number of steps; the revision never goes back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from engine.errors import UserError, pick
from engine.session import events
from engine.session.events import Action, Candidate, Control, Job, JobKind
from engine.session.kept_text import KeptPart, KeptText, keep_text, pair_sections
from engine.session.outline_edits import find_parts, splice, supply_section, word_section_query
from engine.session.proposal_edits import ONE_SURVEY, edit_keywords, edit_papers, follow_selection, move_paper
from engine.survey import UNCHECKED, Section, Survey
from engine.values import Brief, KeywordPool, Outline, PaperSelection

Phase = Literal["topic", "keywords", "papers", "outline", "writing", "discussion"]
PHASES: tuple[Phase, ...] = ("topic", "keywords", "papers", "outline", "writing", "discussion")

WITH_OUTLINE: frozenset[Phase] = frozenset({"outline", "writing", "discussion"})
"""Phases in which the outline can be changed; it is then proposed again."""


@dataclass(frozen=True, slots=True)
class State:
    """Everything a person has decided and received so far; what undo restores."""

    phase: Phase = "topic"
    brief: Brief | None = None
    keywords: KeywordPool | None = None
    papers: PaperSelection | None = None
    paper_limit: int = 0
    outline: Outline | None = None
    sections: tuple[tuple[int, Section], ...] = ()
    survey: Survey | None = None
    written_from: Outline | None = None
    """The outline that ``sections`` and ``survey`` were written from; ``None`` before that, or to write all anew."""
    kept: tuple[KeptPart, ...] = ()
    """Parts that stay of a text written before; those of whole sections stand in ``sections``."""
    candidates: tuple[Candidate, ...] = ()
    """The surveys that were written for the brief, where there are several."""
    chosen: int = 0
    """Which of the ``candidates`` is the survey, from 1; 0 without any."""
    keeps_outline: bool = False
    """Whether approved papers lead back to the ``outline``, which a person has changed or searched papers for."""
    attempt: int = 0
    """How often another proposal was asked for; it varies every random choice."""

    @property
    def topic(self) -> str:
        """What the survey is about; empty before that is known."""
        return self.brief.topic if self.brief else ""


@dataclass(frozen=True, slots=True)
class SurveySession:
    """One survey's conversation. ``past`` holds former states, the latest last; ``undone`` what undo took back."""

    id: str
    revision: int = 0
    state: State = State()
    past: tuple[State, ...] = ()
    job: Job | None = None
    jobs_started: int = 0
    undone: tuple[State, ...] = ()
    exchanges: tuple[events.Exchange, ...] = ()


EXCHANGES_KEPT = 3
"""Questions and answers that a new question is read with."""

Step = tuple[SurveySession, tuple[Action, ...]]

_APPROVED: dict[Phase, JobKind] = {
    "topic": "keywords", "keywords": "papers", "papers": "outline", "outline": "write", "writing": "write",
}  # fmt: skip
_PROPOSED_BY: dict[Phase, JobKind] = {"keywords": "keywords", "papers": "papers", "outline": "outline"}


def advance(session: SurveySession, event: events.Event) -> Step:
    """What happens next. Pure; raises `UserError` where an edit cannot be done, and then nothing changed."""
    match event:
        case events.SectionFinished() | events.JobDone() | events.JobFailed():
            return _from_job(session, event)
        case Control.STOP | Control.START_OVER:
            return _end(session, event)
        case _ if session.job is not None:
            return session, ("running already" if isinstance(event, events.Start) else "busy",)
        case _:
            return _at_rest(session, event)


def _at_rest(session: SurveySession, event: events.PersonEvent) -> Step:
    """Events that need the person's turn."""
    state = session.state
    match event:
        case events.Approve() | events.Regenerate():
            if event.revision is not None and event.revision != session.revision:
                return session, ("stale", "propose")
            return _approve(session) if isinstance(event, events.Approve) else _regenerate(session)
        case events.Undo(steps):
            return _undo(session, steps)
        case events.Start():
            return _start(session, event)
        case events.TakeCandidate(number):
            return _take_candidate(session, number)
        case Job("revise" | "answer" | "gaps" | "evaluate" | "background" as kind):
            has_papers = state.papers and state.phase not in {"topic", "keywords"}
            may_begin = has_papers if kind == "gaps" else state.phase == "discussion"
            return _begin(session, event) if may_begin else _not_now(session)
        case Control():
            return _CONTROLS[event](session)
        case events.MorePapers() if state.phase == "discussion" and session.exchanges:
            return _begin(session, Job("answer", question=session.exchanges[-1].question, searches=True))
        case _:
            return _content(session, event)


def _start(session: SurveySession, event: events.Start) -> Step:
    """Begin anew, or with the papers of the quick review that is there."""
    before, brief = session.state, event.brief
    if event.carries and not brief.quick:
        if before.survey is None or before.papers is None:
            return _not_now(session)
        limit = max(event.papers, len(before.papers.found))
        return _apply_edit(session, State("papers", brief, before.keywords, before.papers, limit))
    fresh = State(brief=brief, papers=before.papers if event.carries else None, paper_limit=event.papers)
    return _begin(_with_state(session, fresh), Job("review" if brief.quick else "keywords"))


def _content(session: SurveySession, event: events.ContentChange) -> Step:
    """Changes of a proposal, each in its phase only."""
    state = session.state
    match event:
        case events.EditKeywords(add, drop) if state.phase == "keywords" and state.keywords:
            return _apply_edit(session, replace(state, keywords=edit_keywords(state.keywords, add, drop)))
        case events.EditPapers() if state.phase == "papers" and state.papers:
            return _apply_edit(session, replace(state, papers=edit_papers(state.papers, event)))
        case events.EditOutline(apply) if state.phase in WITH_OUTLINE and state.outline:
            return _apply_outline(session, apply(state.outline))
        case events.MovePaper(position, place) if state.phase in WITH_OUTLINE and state.outline and state.papers:
            return _apply_outline(session, move_paper(state.outline, state.papers, position, place))
        case Job("divide", section=place) if state.phase in WITH_OUTLINE and state.outline and state.papers:
            if parts := find_parts(state.outline, place, state.papers):
                return _apply_outline(session, splice(state.outline, place, *parts))
            return _begin(session, event)
        case events.MorePapers(count) if state.phase in {"papers", "discussion"} and not (
            state.brief and state.brief.quick
        ):
            return _search_more(session, count)
        case Job("papers", section=place) if state.phase == "outline" and state.outline and state.keywords:
            edited = edit_keywords(state.keywords, (word_section_query(state.outline, place, state.keywords),), ())
            searching = replace(state, keywords=edited, keeps_outline=True)
            return _begin(_with_state(session, searching), event)
        case Job("list") if state.brief and state.phase in {"topic", "keywords", "papers"}:
            return _begin(session, event)
        case _:
            return _not_now(session)


def _search_more(session: SurveySession, count: int) -> Step:
    """So many papers more than keywords have found. Raises `UserError` where the papers came from a person's list."""
    if session.state.keywords is None:
        raise UserError("These are the papers of your list, and no others. To search for papers, say: back")
    more = replace(session.state, paper_limit=session.state.paper_limit + count)
    return _begin(_with_state(session, more), Job("papers"))


def find_kept_text(state: State) -> KeptText:
    """What of the text written before stays when the outline is written as it is now."""
    before, survey = state.written_from, state.survey
    if before is None or state.outline is None or state.papers is None:
        return KeptText()
    usable = {paper.key for paper in state.papers.list_included()}
    if survey is None:
        return keep_text(before, dict(state.sections), state.outline, usable, state.kept)
    written = dict(pair_sections(before.nodes, survey.sections))
    unchecked = {w.place for w in survey.warnings if w.kind == "unfinished" and w.detail.startswith(UNCHECKED)}
    return keep_text(before, written, state.outline, usable, unchecked=unchecked)


def _rewrite_all(session: SurveySession) -> Step:
    """Propose the outline once more, of which nothing is to stay as it was written."""
    state = session.state
    if state.phase not in WITH_OUTLINE or state.outline is None:
        return _not_now(session)
    # Another attempt: the calls of the one before are recorded, and would be found again.
    return _apply_edit(session, replace(state, phase="outline", written_from=None, attempt=state.attempt + 1))


def _take_candidate(session: SurveySession, number: int) -> Step:
    """Take another of the surveys that were written, with its outline and papers."""
    state = session.state
    if state.phase != "discussion":
        return _not_now(session)
    if not state.candidates:
        raise UserError(ONE_SURVEY)
    pick("candidate", state.candidates, number)
    return _apply_edit(session, _with_candidate(state, number))


def _with_candidate(state: State, number: int) -> State:
    taken = state.candidates[number - 1]
    fresh = replace(state, phase="discussion", sections=(), kept=(), chosen=number)
    return replace(fresh, papers=taken.papers, outline=taken.outline, survey=taken.survey, written_from=taken.outline)


def _not_now(session: SurveySession) -> Step:
    return session, ("needs topic" if session.state.phase == "topic" else "not now",)


def _approve(session: SurveySession) -> Step:
    kind = _APPROVED.get(session.state.phase)
    if kind == "outline" and session.state.outline and session.state.keeps_outline:
        return _apply_edit(session, replace(session.state, phase="outline"))
    if session.state.brief is None or kind is None:
        return session, ("nothing to approve",)
    if session.state.brief.quick:  # it has one step only
        kind = "review"
    if kind == "write" and session.state.outline and session.state.outline.is_grouping:
        kind = "headings"
    if kind == "write" and session.state.phase == "outline":
        state, stays = session.state, find_kept_text(session.state)
        fresh = replace(state, phase="writing", survey=None, written_from=state.outline, candidates=(), chosen=0)
        session = _with_state(session, replace(fresh, sections=stays.sections, kept=stays.parts))
    return _begin(session, Job(kind))


def _regenerate(session: SurveySession) -> Step:
    kind = _PROPOSED_BY.get(session.state.phase)
    if kind is None:
        return session, ("nothing to approve",)
    again = replace(session.state, attempt=session.state.attempt + 1)
    return _begin(_with_state(session, again), Job(kind))


def _begin(session: SurveySession, asked: Job) -> Step:
    """The job that was asked for, with its id and what a question comes after."""
    number = session.jobs_started + 1
    before = session.exchanges if asked.kind == "answer" else ()
    before = before[:-1] if asked.searches else before  # the question is asked again
    job = replace(asked, id=f"{session.id}-{number}", before=before)
    return replace(session, job=job, jobs_started=number), ("start job",)


def _end(session: SurveySession, event: Control) -> Step:
    """End what runs; keep what is there, or begin anew."""
    stopped: tuple[Action, ...] = ("stop job",) if session.job else ()
    quiet = replace(session, job=None)
    if event is Control.START_OVER:
        return _with_state(quiet, State()), (*stopped, "started over")
    return quiet, (*stopped, "stopped" if stopped else "nothing to stop")


def _undo(session: SurveySession, steps: int) -> Step:
    if not session.past:
        return session, ("nothing to undo",)
    kept = max(0, len(session.past) - max(1, steps))
    later = (*session.past[kept + 1 :], session.state)
    undone = (*session.undone, *reversed(later))
    restored = replace(_at_state(session, session.past[kept]), past=session.past[:kept], undone=undone)
    return restored, ("undone", "propose")


def _redo(session: SurveySession) -> Step:
    if not session.undone:
        return session, ("nothing to redo",)
    again = replace(_at_state(session, session.undone[-1]), past=(*session.past, session.state))
    return replace(again, undone=session.undone[:-1]), ("redone", "propose")


def _at_state(session: SurveySession, state: State) -> SurveySession:
    return replace(session, state=state, revision=session.revision + 1)


def _go_back(session: SurveySession) -> Step:
    before: dict[Phase, Phase] = {"keywords": "topic", "papers": "keywords", "outline": "papers"}
    target = before.get(session.state.phase, "outline")
    if target == "keywords" and session.state.keywords is None:  # the papers came from a list
        target = "topic"
    if session.state.phase == "topic":
        return session, ("no way back",)
    if target == "outline" and session.state.outline is None:  # a quick review has none
        return _not_now(session)
    return _with_state(session, replace(session.state, phase=target)), ("propose",)


_CONTROLS = {Control.GO_BACK: _go_back, Control.REDO: _redo, Control.REWRITE_ALL: _rewrite_all}


def _from_job(session: SurveySession, event: events.SectionFinished | events.JobDone | events.JobFailed) -> Step:
    job = session.job
    if job is None or job.id != event.job_id:  # a job that was stopped, or another's
        return session, ()
    match event:
        case events.SectionFinished(_, position, section):
            sections = tuple(sorted({**dict(session.state.sections), position: section}.items()))
            return replace(session, state=replace(session.state, sections=sections)), ()
        case events.JobFailed():
            return replace(session, job=None), ()
        case events.JobDone(_, result, answered):
            kept = session.exchanges
            if job.kind in {"keywords", "review"}:  # of another survey
                kept = ()
            elif job.kind == "answer":
                kept = (*kept, events.Exchange(job.question, answered))[-EXCHANGES_KEPT:]
            return _apply_result(replace(session, job=None, exchanges=kept), job, result)


def _apply_result(session: SurveySession, job: Job, result: events.JobResult) -> Step:
    state = session.state
    match result:
        case None:
            return session, ()
        case KeywordPool():
            new = replace(state, phase="keywords", keywords=result)
        case PaperSelection():
            outline = state.outline if state.keeps_outline else None
            papers = follow_selection(state.papers, result, outline)
            if job.section and outline and state.keywords:
                outline = supply_section(outline, job.section, state.keywords, papers)
            new = replace(state, phase="papers", papers=papers, outline=outline or state.outline)
        case Outline():
            kept = job.kind == "divide" or (state.keeps_outline and job.kind == "headings")
            new = replace(state, phase="outline", outline=result, keeps_outline=kept)
        case Survey():
            new = replace(state, phase="discussion", survey=result)
        case events.Written(candidates, best):
            new = _with_candidate(replace(state, candidates=candidates), best)
            new = new if len(candidates) > 1 else replace(new, candidates=(), chosen=0)
        case events.Review(keywords, papers, survey):
            new = replace(state, phase="discussion", keywords=keywords, papers=papers, survey=survey)
    written = replace(_at_state(session, new), undone=())  # one step with its approval: undo leads to the outline
    return (written, ("propose",)) if state.phase == "writing" else _apply_edit(session, new)


def _apply_outline(session: SurveySession, outline: Outline) -> Step:
    """An outline as a person has changed it."""
    return _apply_edit(session, replace(session.state, phase="outline", outline=outline, keeps_outline=True))


def _apply_edit(session: SurveySession, state: State) -> Step:
    """The proposal as it is by now; an edit that changes nothing is none that undo takes back."""
    return (session if state == session.state else _with_state(session, state)), ("propose",)


def _with_state(session: SurveySession, state: State) -> SurveySession:
    return replace(_at_state(session, state), past=(*session.past, session.state), undone=())
