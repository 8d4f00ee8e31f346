"""AutoSurvey (Wang et al., NeurIPS 2024), algorithm 1, without its barriers and without writing text twice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.errors import LanguageModelError, LimitExceeded
from engine.gathering.search import require_papers
from engine.limits import Limits
from engine.llm.model import LanguageModel, Request
from engine.llm.prompting import data, fill
from engine.recipes.keyword_search import KeywordSearch
from engine.retrieval.embedding import embed_papers
from engine.revising.model_changes import RevisedByModel
from engine.run import CallChain, PlannedCall, RunContext, WritingPlan, WritingTask
from engine.session.events import Candidate, Written
from engine.session.kept_text import KeptText
from engine.survey import Section, Survey, SurveyWarning, walk
from engine.values import (
    Brief,
    FoundPaper,
    Outline,
    PaperSelection,
)
from engine.writing.assembly import (
    add_warnings,
    assemble_survey,
    count_references,
    fail_with_nothing,
    supply_papers,
    with_same_papers,
    words_for_each,
)
from engine.writing.composing import Composition, with_bodies
from engine.writing.drafting import Assignment, JudgeAnswer
from engine.writing.estimates import PROMPT_OVERHEAD, Steps, plan_subsections
from engine.writing.field_views import view_field
from engine.writing.notices import list_read, with_notice
from engine.writing.planning import Planner, plan_outline, try_work

METHOD = "This survey was written by a language model from the abstracts of the papers it cites{}."
AND_TEXTS = " and from the openings of those whose texts could be read"
SECTIONS = 8
JUDGE_TOKENS = 40
"""What a judge answers: three scores."""


@dataclass(frozen=True, slots=True)
class AutoSurveyRecipe(KeywordSearch, RevisedByModel):
    """The recipe with its options: candidates (N), and the switches of the paper's ablations.

    Without ``retrieve`` every subsection is written from the same papers, the first of the initial retrieval.
    """

    candidates: int = 1
    retrieve: bool = True
    check: bool = True
    connect: bool = True
    whole_abstracts: bool = False
    cite_known: bool = False
    name: str = "autosurvey"
    source: str = "Wang et al., AutoSurvey: Large Language Models Can Automatically Write Surveys, NeurIPS 2024"
    needs_model: bool = True

    def paper_count(self, limits: Limits) -> int:
        """It plans from many, and retrieves for each subsection among them."""
        return limits.outline_papers

    def plan_calls(self, plan: WritingPlan) -> Sequence[CallChain]:
        """Every subsection of every trial, and the judge's call for each trial where there are several."""
        brief = plan.brief
        task = Assignment(brief.topic, plan.outline, words_for_each(brief, plan.outline), audience=brief.audience)
        steps = Steps(check=self.check, connect=self.connect)
        chains = plan_subsections(plan, task, steps)
        for _ in range(self.candidates - 1):
            chains += plan_outline(plan.outline, list(plan.papers.values()), whole_abstracts=self.whole_abstracts)
            chains += plan_subsections(replace(plan, kept=KeptText()), task, steps)
        if self.candidates > 1:
            drafts = (call for chain in chains for call in chain if call.task == "drafting")
            written = sum(call.output_tokens for call in drafts) // self.candidates
            chains += [(PlannedCall("judging", written + PROMPT_OVERHEAD, JUDGE_TOKENS),)] * self.candidates
        return chains

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """O = Outline(T, P_init)."""
        planner = await _planner(brief, selection, context, whole_abstracts=self.whole_abstracts)
        return await planner.outline(brief.sections or SECTIONS)

    async def write(self, task: WritingTask, context: RunContext) -> Survey:
        """The best of the trials' surveys."""
        written = await self.write_candidates(task, context)
        return written.candidates[written.best - 1].survey

    async def write_candidates(self, task: WritingTask, context: RunContext) -> Written:
        """F_t for each of N trials; F_best = Evaluate(F_1 … F_N).

        The first trial has the papers and the outline that were approved, each further one its own. One that fails is
        named in the others. Raises what the first one raises.
        """
        trials = [await self._trial(task, _trial_context(context, 0, self.candidates))]
        lost: list[SurveyWarning] = []
        for number in range(1, self.candidates):
            own = _trial_context(context, number, self.candidates)
            try:
                trials.append(await self._trial(await self._plan_trial(task, own), own))
            except* (LanguageModelError, LimitExceeded) as group:
                lost.append(SurveyWarning("unfinished", f"Candidate {number + 1}", str(_first(group))))
        trials = [replace(trial, survey=add_warnings(trial.survey, lost)) for trial in trials]
        return await self._judge(trials, task, context) if len(trials) > 1 else Written(tuple(trials))

    async def _judge(self, trials: Sequence[Candidate], task: WritingTask, context: RunContext) -> Written:
        """All with their scores, and which is the best; the first where none could be judged."""
        model = context.require_model()
        async with asyncio.TaskGroup() as group:
            scoring = [
                group.create_task(try_work(_score(model, task.brief, trial.survey, i)))
                for i, trial in enumerate(trials)
            ]
        found = [task.result() for task in scoring]
        scores = [score if isinstance(score, tuple) else () for score in found]
        best = max(range(len(trials)), key=lambda i: (sum(scores[i]), -i))
        names = (f"Candidate {i}, coverage/structure/relevance" for i in range(1, len(trials) + 1))
        said = ("/".join(map(str, score)) or "not judged" for score in scores)
        judged = tuple(zip(names, said, strict=True))
        shown = (replace(trial.survey, facts=(*trial.survey.facts, *judged)) for trial in trials)
        whole = (
            replace(trial, survey=survey, scores=score)
            for trial, survey, score in zip(trials, shown, scores, strict=True)
        )
        return Written(tuple(whole), best + 1)

    async def _plan_trial(self, task: WritingTask, context: RunContext) -> WritingTask:
        """P_init and O of a further trial: other keywords and what they find; a person's list stays all there is."""
        selection = task.selection
        if not selection.listed:
            pool = await self.keywords(task.brief, context)
            found = await self.papers(task.brief, pool, len(selection.found), context)
            selection = replace(found, excluded=tuple(dict.fromkeys((*found.excluded, *selection.excluded))))
        outline = await self.outline(replace(task.brief, sections=len(task.outline.nodes)), selection, context)
        return WritingTask(task.brief, selection, outline)

    async def _trial(self, task: WritingTask, context: RunContext) -> Candidate:
        """S_i = Draft(O_i, P_sec); R_i = Refine(S_i); F_t = Merge(R_1 … R_n)."""
        brief, count, included = task.brief, context.limits.papers_per_node, task.selection.included()
        outline = await asyncio.to_thread(supply_papers, task.outline, included, context.embedder, count)
        outline = outline if self.retrieve else with_same_papers(outline, [p.key for p in included[:count]])
        papers = await with_bodies({p.key: p for p in included}, context)
        words = words_for_each(brief, outline)
        assignment = Assignment(
            brief.topic, outline, words, context.attempt, brief.audience, cite_known=self.cite_known
        )
        composition = Composition(context.require_model(), assignment, papers, context, self.check, self.connect)
        sections = await composition.sections(task.finished)
        if not sections:
            raise fail_with_nothing(composition.warnings)
        known = tuple(FoundPaper(paper, 0.0) for paper in composition.known.values())
        selection = replace(task.selection, found=(*task.selection.found, *known))
        whole = replace(task, outline=outline, selection=selection)
        read = [key for key, paper in papers.items() if paper.body]
        sections, field = await view_field(whole, sections, context)
        survey = assemble_survey(whole, sections, METHOD.format(AND_TEXTS if read else ""), field)
        if composition.abstract:
            counted = count_references(survey)
            abstract = f"{counted} {composition.abstract.text}"
            survey = with_notice(replace(survey, abstract=abstract, tally=composition.abstract.tally))
        if read:
            survey = replace(survey, facts=(*survey.facts, list_read(read)))
        cited = {paper.key for paper in survey.references}
        kept = (item for item in selection.found if item not in known or item.paper.key in cited)
        survey = add_warnings(survey, composition.warnings)
        return Candidate(replace(selection, found=tuple(kept)), task.outline, survey)


async def _unseen(_: Section, __: int) -> None:
    """A reader sees the sections of the first trial alone while they are written."""


def _first(group: BaseExceptionGroup[Exception]) -> BaseException:
    """The first failure of a group."""
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


def _trial_context(context: RunContext, trial: int, trials: int) -> RunContext:
    """The context of one trial: the first goes on with what stays, each has a number of its own in every attempt."""
    numbered = replace(context, attempt=context.attempt * trials + trial)
    return numbered if trial == 0 else replace(numbered, kept={}, section_finished=_unseen)


async def _planner(brief: Brief, selection: PaperSelection, context: RunContext, *, whole_abstracts: bool) -> Planner:
    papers = require_papers(selection)[: context.limits.outline_papers]
    model = context.require_model()
    vectors = await asyncio.to_thread(embed_papers, context.embedder, papers)
    return Planner(model, brief.topic, papers, vectors, context, whole_abstracts)


async def _score(model: LanguageModel, brief: Brief, survey: Survey, at: int) -> tuple[int, int, int]:
    text = "\n\n".join(f"{number} {s.title}\n{s.text}" for number, s in walk(survey.sections))
    prompt = fill("autosurvey/judge", topic=data(brief.topic), survey=data(text))
    answer = await model.answer_typed(Request("judging", f"judge/{at}", prompt, 512, 0.0), JudgeAnswer)
    return answer.coverage, answer.structure, answer.relevance
