"""“Search more” under an answer: the question is searched, and the survey stays."""

from __future__ import annotations

from dataclasses import replace

from bot.wording.discussion import answer as word_answer
from engine.retrieval.libraries.local import LocalLibrary
from engine.revising.answers import answer_question, search_question
from engine.run import RunContext
from engine.session.events import Exchange, JobDone, MorePapers
from engine.session.state import State, SurveySession, advance
from engine.survey import Section, Survey
from engine.values import Brief, FoundPaper, PaperSelection
from tests.fakes import WordEmbedder, paper, papers

BRIEF = Brief("dense retrieval")
SELECTION = PaperSelection(tuple(FoundPaper(one, 1.0) for one in papers(7)))
SURVEY = Survey("A Survey", "", (Section("One", "text"),), ())


def test_more_after_a_question_searches_for_it_and_leaves_the_survey_alone() -> None:
    finished = State("discussion", BRIEF, papers=SELECTION, survey=SURVEY)
    asked = SurveySession("s", state=finished, exchanges=(Exchange("what does it cost?", ""),))
    searching, actions = advance(asked, MorePapers(10))
    job = searching.job
    assert actions == ("start job",)
    assert job is not None
    assert (job.kind, job.question, job.searches) == ("answer", "what does it cost?", True)
    assert job.before == ()
    answered, _ = advance(searching, JobDone(job.id, answered="Little."))
    assert answered.state == finished


async def test_an_answer_cites_what_was_searched_for_it_and_not_what_was_left_out(library: LocalLibrary) -> None:
    costly = paper(900, title="Costs of moth traps", abstract="Moth traps cost nine euros a piece in every garden.")
    refused = paper(901, title="More costs of moth traps", abstract="Moth traps cost ten euros a piece in gardens.")
    await library.add([costly, refused])
    await library.index(lambda _: None)
    found = (*SELECTION.found, FoundPaper(refused, 0.1))
    selection = PaperSelection(found, excluded=(refused.key,))
    context = RunContext(library, WordEmbedder())
    question = "what do moth traps cost?"
    assert not (await answer_question(BRIEF, question, selection, SURVEY, context)).claims
    wider, new = await search_question(question, BRIEF, selection, context)
    answer = replace(await answer_question(BRIEF, question, wider, SURVEY, context), searched=new)
    assert {c.key for claim in answer.claims for c in claim.citations} == {costly.key}
    assert "more that I searched for this" in word_answer(answer)
    assert "not cited in the survey: " in word_answer(answer)
