"""The state machine: every phase with every event, and what no sequence of events may do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UserError
from engine.session import outline_edits
from engine.session.events import (
    Action,
    Approve,
    Control,
    EditKeywords,
    EditPapers,
    Event,
    Exchange,
    Job,
    JobDone,
    JobFailed,
    JobKind,
    JobResult,
    MorePapers,
    Regenerate,
    SectionFinished,
    Start,
    Undo,
)
from engine.session.proposal_edits import edit_papers
from engine.session.state import PHASES, Phase, State, SurveySession, advance
from engine.survey import Section, SectionChange, Survey
from engine.values import (
    Brief,
    FoundPaper,
    Keyword,
    KeywordPool,
    Outline,
    OutlineNode,
    PaperSelection,
    Reason,
)
from tests.fakes import papers

BRIEF = Brief("dense retrieval")
POOL = KeywordPool((Keyword("dense retrieval", "topic"), Keyword("query encoder", "library", 3)))
SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers(7)))
OUTLINE = Outline(
    "A Survey",
    (
        OutlineNode("Introduction", role="introduction"),
        OutlineNode("One", papers=tuple(f.paper.key for i, f in enumerate(SELECTION.found) if i != 1)),
        OutlineNode("Two", papers=(SELECTION.found[1].paper.key,)),
        OutlineNode("Conclusion", role="conclusion"),
    ),
)
SURVEY = Survey("A Survey", "", (Section("One", "text"),), ())

AT: dict[Phase, State] = {
    "topic": State(),
    "keywords": State("keywords", BRIEF, POOL, paper_limit=4),
    "papers": State("papers", BRIEF, POOL, SELECTION, 4),
    "outline": State("outline", BRIEF, POOL, SELECTION, 4, OUTLINE),
    "writing": State("writing", BRIEF, POOL, SELECTION, 4, OUTLINE),
    "discussion": State("discussion", BRIEF, POOL, SELECTION, 4, OUTLINE, (), SURVEY),
}
EVENTS: dict[str, Event] = {
    "start": Start(BRIEF, 4),
    "approve": Approve(),
    "regenerate": Regenerate(),
    "keywords": EditKeywords(add=("passage index",)),
    "papers": EditPapers(exclude=(1,)),
    "more": MorePapers(10),
    "search section": Job("papers", section="3"),
    "split": Job("divide", section="2"),
    "outline": outline_edits.rename("2", "Other"),
    "rewrite all": Control.REWRITE_ALL,
    "revise": Job("revise", SectionChange("1", "rewrite", "shorter")),
    "gaps": Job("gaps"),
    "evaluate": Job("evaluate"),
    "ask": Job("answer", question="why?"),
    "back": Control.GO_BACK,
    "undo": Undo(),
    "over": Control.START_OVER,
    "stop": Control.STOP,
}
# What happens at rest: a job that starts, a notice, or a new proposal.
TABLE: dict[str, tuple[str, str, str, str, str, str]] = {
    "start": ("keywords",) * 6,
    "approve": ("nothing to approve", "papers", "outline", "write", "write", "nothing to approve"),
    "regenerate": ("nothing to approve", "keywords", "papers", "outline", "nothing to approve", "nothing to approve"),
    "keywords": ("needs topic", "propose", "not now", "not now", "not now", "not now"),
    "papers": ("needs topic", "not now", "propose", "not now", "not now", "not now"),
    "more": ("needs topic", "not now", "papers", "not now", "not now", "papers"),
    "search section": ("needs topic", "not now", "not now", "papers", "not now", "not now"),
    "split": ("needs topic", "not now", "not now", "divide", "divide", "divide"),
    "outline": ("needs topic", "not now", "not now", "propose", "propose", "propose"),
    "rewrite all": ("needs topic", "not now", "not now", "propose", "propose", "propose"),
    "revise": ("needs topic", "not now", "not now", "not now", "not now", "revise"),
    "evaluate": ("needs topic", "not now", "not now", "not now", "not now", "evaluate"),
    "gaps": ("needs topic", "not now", "gaps", "gaps", "gaps", "gaps"),
    "ask": ("needs topic", "not now", "not now", "not now", "not now", "answer"),
    "back": ("no way back", "propose", "propose", "propose", "propose", "propose"),
    "undo": ("nothing to undo",) * 6,
    "over": ("started over",) * 6,
    "stop": ("nothing to stop",) * 6,
}


def begin(session: SurveySession, event: Event) -> tuple[SurveySession, Job]:
    """What follows from an event that begins a job, with the job."""
    session, actions = advance(session, event)
    assert actions == ("start job",)
    assert session.job is not None
    return session, session.job


def summary(session: SurveySession, actions: tuple[Action, ...]) -> str:
    return session.job.kind if session.job and actions[-1] == "start job" else actions[-1]


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("name", EVENTS)
def test_every_phase_answers_every_event(phase: Phase, name: str) -> None:
    session = SurveySession("s", 7, AT[phase])
    after, actions = advance(session, EVENTS[name])
    assert summary(after, actions) == TABLE[name][PHASES.index(phase)]


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("name", sorted(set(EVENTS) - {"stop", "over"}))
def test_while_a_job_runs_nothing_changes_but_by_stop(phase: Phase, name: str) -> None:
    running, _ = advance(SurveySession("s", 7, AT[phase]), EVENTS["start"])
    after, actions = advance(running, EVENTS[name])
    assert after == running
    assert summary(after, actions) == ("running already" if name == "start" else "busy")


@pytest.mark.parametrize("phase", ["keywords", "papers", "outline"])
def test_an_answer_to_an_old_revision_is_refused(phase: Phase) -> None:
    session = SurveySession("s", 7, AT[phase])
    after, actions = advance(session, Approve(6))
    assert after == session
    assert actions == ("stale", "propose")
    begin(session, Approve(7))


def test_stop_ends_the_job_and_its_late_result_is_ignored() -> None:
    running, job = begin(SurveySession("s", 0, AT["keywords"]), Approve())
    stopped, actions = advance(running, Control.STOP)
    assert actions == ("stop job", "stopped")
    assert advance(stopped, JobDone(job.id, SELECTION)) == (stopped, ())


def test_excluded_papers_stay_excluded_when_more_are_gathered() -> None:
    session, _ = advance(SurveySession("s", 0, AT["papers"]), EditPapers(exclude=(2,)))
    session, job = begin(session, MorePapers(5))
    assert session.state.paper_limit == 9
    session, _ = advance(session, JobDone(job.id, SELECTION))
    kept = [f.paper.key for i, f in enumerate(SELECTION.found) if i != 1]
    assert [p.key for p in session.state.papers.list_included()] == kept


def test_a_section_that_a_person_added_is_searched_for_and_gets_what_is_found() -> None:
    session, _ = advance(SurveySession("s", 0, AT["outline"]), outline_edits.add("Speed"))
    session, job = begin(session, Job("papers", section="4"))
    assert session.state.keywords is not None
    query = Keyword("dense retrieval Speed", "person")  # the title alone says nothing of the topic
    assert session.state.keywords.keywords[-1] == query
    late, new = SELECTION.found[1], [FoundPaper(paper, 1.0, (Reason(query.text, 2),)) for paper in papers(9)[7:]]
    session, _ = advance(session, JobDone(job.id, PaperSelection((*new, late))))
    assert session.state.phase == "papers"
    session, _ = advance(session, EditPapers(exclude=(1,)))
    session, actions = advance(session, Approve())
    assert actions == ("propose",)
    outline = session.state.outline
    assert outline is not None
    assert [node.title for node in outline.nodes] == ["Introduction", "One", "Two", "Speed", "Conclusion"]
    assert outline.nodes[3].papers == tuple(item.paper.key for item in new)
    assert session.state.papers is not None
    assert {item.paper.key for item in SELECTION.found[:2]} <= {p.key for p in session.state.papers.list_included()}
    assert new[0].paper not in session.state.papers.list_included()


def test_papers_found_for_a_section_go_to_the_part_that_they_speak_of() -> None:
    passage, index = (
        replace(paper, title=f"A {word}", abstract="", summary="")
        for paper, word in zip(papers(9)[7:], ("Passage", "Index"), strict=True)
    )
    parts = (OutlineNode("The Index"), OutlineNode("The Passage"))
    whole = replace(OUTLINE, nodes=(OutlineNode("Dense Retrieval", children=parts),))
    session, job = begin(SurveySession("s", 0, replace(AT["outline"], outline=whole)), Job("papers", section="1"))
    reasons = (Reason("Dense Retrieval", 1),)
    found = PaperSelection(tuple(FoundPaper(paper, 1.0, reasons) for paper in (passage, index)))
    session, _ = advance(session, JobDone(job.id, found))
    outline = session.state.outline
    assert outline is not None
    assert [part.papers for part in outline.nodes[0].children] == [(index.key,), (passage.key,)]
    again, _ = advance(session, Approve())
    again, job = begin(again, Job("papers", section="1"))
    again, _ = advance(again, JobDone(job.id, found))
    assert again.state.outline == outline  # what it has already is not added twice


def test_a_section_that_is_not_there_cannot_be_searched_for() -> None:
    with pytest.raises(UserError, match="no section 9"):
        advance(SurveySession("s", 0, AT["outline"]), Job("papers", section="9"))


def test_a_section_is_divided_by_a_job_and_the_outline_stays_the_persons() -> None:
    session, job = begin(SurveySession("s", 0, AT["outline"]), Job("divide", section="2"))
    assert (job.kind, job.section) == ("divide", "2")
    parts = tuple(OutlineNode(title, papers=OUTLINE.nodes[1].papers[:3]) for title in ("Some", "Others"))
    divided = outline_edits.splice(OUTLINE, "2", *parts)
    session, actions = advance(session, JobDone(job.id, divided))
    assert actions == ("propose",)
    assert session.state.outline == divided
    assert session.state.keeps_outline
    session, _ = advance(session, Undo())
    assert session.state.outline == OUTLINE


def test_a_section_with_parts_is_split_into_them_at_once() -> None:
    parts = (OutlineNode("Some"), OutlineNode("Others"))
    whole = replace(OUTLINE, nodes=(OutlineNode("One", children=parts), *OUTLINE.nodes[2:]))
    session, actions = advance(SurveySession("s", 0, replace(AT["outline"], outline=whole)), Job("divide", section="1"))
    assert actions == ("propose",)
    assert session.state.outline is not None
    assert [node.title for node in session.state.outline.nodes] == ["Some", "Others", "Two", "Conclusion"]


@pytest.mark.parametrize(
    ("place", "said"),
    [("3", "Section 3 has 1 paper, too few to split: it takes 6"), ("1", "cannot be split"), ("9", "no section 9")],
)
def test_what_cannot_be_split_says_why(place: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        advance(SurveySession("s", 0, AT["outline"]), Job("divide", section=place))


def test_papers_that_were_left_out_do_not_count_for_a_split() -> None:
    assert AT["outline"].papers is not None
    fewer = replace(AT["outline"], papers=edit_papers(SELECTION, EditPapers(exclude=(1,))))
    with pytest.raises(UserError, match="has 5 papers"):
        advance(SurveySession("s", 0, fewer), Job("divide", section="2"))


def test_an_outline_that_a_person_changed_stays_until_another_is_asked_for() -> None:
    session, _ = advance(SurveySession("s", 0, AT["outline"]), outline_edits.rename("2", "Other"))
    changed = session.state.outline
    for event in (Control.GO_BACK, EditPapers(exclude=(2,)), Approve()):
        session, actions = advance(session, event)
        assert actions == ("propose",)
    assert session.state.phase == "outline"
    assert session.state.outline == changed
    session, job = begin(session, Regenerate())
    session, _ = advance(session, JobDone(job.id, OUTLINE))
    session, _ = advance(session, Control.GO_BACK)
    _, job = begin(session, Approve())
    assert job.kind == "outline"


def test_an_edit_that_cannot_be_done_raises_and_changes_nothing() -> None:
    session = SurveySession("s", 0, AT["keywords"])
    with pytest.raises(UserError, match="topic itself"):
        advance(session, EditKeywords(drop=("Dense Retrieval",)))
    with pytest.raises(UserError, match="not among"):
        advance(session, EditKeywords(drop=("fish",)))
    with pytest.raises(UserError, match="no paper 9"):
        advance(SurveySession("s", 0, AT["papers"]), EditPapers(exclude=(9,)))


JOB_RESULTS: dict[JobKind, JobResult] = {
    "keywords": POOL,
    "papers": SELECTION,
    "outline": OUTLINE,
    "write": SURVEY,
    "revise": SURVEY,
}
steps = st.lists(st.sampled_from([*EVENTS, "done", "fail", "section", "foreign"]), max_size=40)


def play(session: SurveySession, name: str) -> SurveySession:
    job = session.job
    if name in EVENTS:
        return advance(session, EVENTS[name])[0]
    if job is None or name == "foreign":
        return advance(session, JobDone("another", SURVEY))[0]
    if name == "section":
        return advance(session, SectionFinished(job.id, 1, Section("One", "text")))[0]
    return advance(session, JobFailed(job.id) if name == "fail" else JobDone(job.id, JOB_RESULTS.get(job.kind)))[0]


@given(steps)
def test_no_sequence_of_events_reaches_an_impossible_state(names: list[str]) -> None:
    session = SurveySession("s")
    for name in names:
        before = session
        session = play(session, name)
        state = session.state
        needed = {
            "topic": True,
            "keywords": state.keywords,
            "papers": state.papers,
            "outline": state.outline,
            "writing": state.outline and state.papers,
            "discussion": state.survey,
        }
        assert needed[state.phase]
        assert state.brief or state.phase == "topic"
        assert session.revision >= before.revision
        assert (session.revision > before.revision) == (session.past != before.past or state != before.state) or (
            name == "section"
        )
        assert session.job is None or session.job.id == f"s-{session.jobs_started}"


def test_undo_of_what_was_written_leads_to_its_outline_and_then_to_the_survey_before() -> None:
    first = SurveySession("s", state=AT["discussion"])
    changed, _ = advance(first, outline_edits.rename("2", "Others"))
    session, job = begin(changed, Approve())
    session, _ = advance(session, JobDone(job.id, SURVEY))
    assert session.state.phase == "discussion"
    session, _ = advance(session, Undo())
    assert session.state == changed.state
    session, _ = advance(session, Undo())
    assert session.state == first.state


@given(steps, st.integers(1, 5))
def test_undo_restores_exactly(names: list[str], back: int) -> None:
    session = SurveySession("s")
    states = [session.state]
    for name in names:
        if name in {"undo", "section"}:
            continue
        before = session
        session = play(session, name)
        if session.revision > before.revision and session.past == before.past:  # a text that was being written
            states[-1] = session.state
        elif session.revision > before.revision:
            states.append(session.state)
    session, _ = advance(session, Control.STOP)
    if len(states) > 1:
        undone, actions = advance(session, Undo(back))
        assert undone.state == states[max(0, len(states) - 1 - back)]
        assert undone.revision == session.revision + 1
        assert actions == ("undone", "propose")
        assert replace(undone, revision=0).past == session.past[: max(0, len(session.past) - back)]


def test_a_question_is_asked_with_the_questions_and_answers_before_it() -> None:
    session = SurveySession("s", 0, AT["discussion"])
    session, job = begin(session, Job("answer", question="What is dense retrieval?"))
    assert job.before == ()
    session, _ = advance(session, JobDone(job.id, answered="It is search by vectors [@a]."))
    _, job = begin(session, Job("answer", question="Which of them are fast?"))
    assert job.before == (Exchange("What is dense retrieval?", "It is search by vectors [@a]."),)


def test_more_papers_are_searched_for_from_the_discussion_too() -> None:
    session = SurveySession("s", 0, AT["discussion"])
    _, job = begin(session, MorePapers(5))
    assert job.kind == "papers"
