"""What recipes of surveys share: the search by keywords, and AutoSurvey's N trials, of which the best is chosen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.errors import LanguageModelError, LimitExceeded, ScholiumError, find_known
from engine.gathering.keywords import Selector
from engine.gathering.search import gather, propose_keywords
from engine.limits import Limits
from engine.llm.attempts import try_all
from engine.run import CallChain, PlannedCall, Recipe, RunContext, WritingTask, ignore
from engine.session.events import Candidate, Written
from engine.session.kept_text import KeptText
from engine.survey import Survey, SurveyWarning, walk
from engine.values import Brief, Keyword, KeywordPool, Outline, PaperSelection
from engine.writing.assembly import add_warnings
from engine.writing.critique import score_text, word_score
from engine.writing.estimates import JUDGE_TOKENS, PROMPT_OVERHEAD
from engine.writing.planning import plan_outline


@dataclass(frozen=True, slots=True)
class KeywordSearch(Recipe):
    """Base of the recipes that search by keywords; ``selector`` says which keywords expansion adds to the topic."""

    expand_keywords: bool = True
    selector: Selector = "farthest"

    async def keywords(self, brief: Brief, context: RunContext) -> KeywordPool:
        """The topic, with keywords from what it finds (SurveyX, algorithm 1) where it is to be expanded."""
        if not self.expand_keywords:
            return KeywordPool((Keyword(brief.topic, "topic"),))
        return await propose_keywords(brief, context, self.selector)

    async def papers(self, brief: Brief, pool: KeywordPool, limit: int, context: RunContext) -> PaperSelection:
        """What the keywords find, fused and filtered; the baselines search the topic alone."""
        return await gather(brief, pool, limit, context)


@dataclass(frozen=True, slots=True)
class Trials(KeywordSearch, ABC):
    """Base of the recipes that can write several surveys; ``candidates`` is how many (AutoSurvey's N)."""

    candidates: int = 1
    whole_abstracts: bool = False
    """Whether outlines are drafted from whole abstracts, as AutoSurvey publishes it."""

    @abstractmethod
    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """The outline of one trial."""

    @abstractmethod
    async def write_trial(self, task: WritingTask, context: RunContext) -> Candidate:
        """The survey of one trial."""

    @abstractmethod
    def plan_trial(self, task: WritingTask, limits: Limits) -> Sequence[CallChain]:
        """The calls that write one trial."""

    def plan_outline(self, task: WritingTask) -> Sequence[CallChain]:
        """About the calls that make the outline of a further trial from as many papers, as AutoSurvey makes it."""
        papers = task.selection.list_included()
        preparing = self.plan_preparation(papers, sum(bool(paper.body) for paper in papers))
        return [*preparing, *plan_outline(task.outline, papers, whole_abstracts=self.whole_abstracts)]

    def plan_calls(self, task: WritingTask, limits: Limits) -> Sequence[CallChain]:
        """Those of every trial, and the judge's call for each trial where there are several."""
        chains = list(self.plan_trial(task, limits))
        for _ in range(self.candidates - 1):
            chains += self.plan_outline(task)
            chains += self.plan_trial(replace(task, kept=KeptText()), limits)
        if self.candidates > 1:
            drafts = (call for chain in chains for call in chain if call.task == "drafting")
            written = sum(call.output_tokens for call in drafts) // self.candidates
            chains += [(PlannedCall("judging", written + PROMPT_OVERHEAD, JUDGE_TOKENS),)] * self.candidates
        return chains

    async def write(self, task: WritingTask, context: RunContext) -> Survey:
        """The best of the trials' surveys."""
        written = await self.write_candidates(task, context)
        return written.candidates[written.best - 1].survey

    async def write_candidates(self, task: WritingTask, context: RunContext) -> Written:
        """F_t for each of N trials; F_best = Evaluate(F_1 … F_N).

        The first trial has the papers and the outline that were approved, each further one its own. One that fails is
        named in the others. Raises what the first one raises.
        """
        trials = [await self.write_trial(task, _trial_context(context, 0, self.candidates))]
        lost: list[SurveyWarning] = []
        for number in range(1, self.candidates):
            own = _trial_context(context, number, self.candidates)
            try:
                trials.append(await self.write_trial(await self._plan_further(task, own), own))
            except* (LanguageModelError, LimitExceeded) as group:
                lost.append(SurveyWarning("unfinished", f"Candidate {number + 1}", str(find_known(group))))
        trials = [replace(trial, survey=add_warnings(trial.survey, lost)) for trial in trials]
        return await _judge(trials, task.brief, context) if len(trials) > 1 else Written(tuple(trials))

    async def _plan_further(self, task: WritingTask, context: RunContext) -> WritingTask:
        """P_init and O of a further trial: other keywords and what they find; a person's list stays all there is."""
        selection = task.selection
        if not selection.listed:
            pool = await self.keywords(task.brief, context)
            found = await self.papers(task.brief, pool, len(selection.found), context)
            selection = replace(found, excluded=tuple(dict.fromkeys((*found.excluded, *selection.excluded))))
        outline = await self.outline(replace(task.brief, sections=len(task.outline.nodes)), selection, context)
        return WritingTask(task.brief, selection, outline)


async def _judge(trials: Sequence[Candidate], brief: Brief, context: RunContext) -> Written:
    """All with their scores, and which is the best; the first where none could be judged."""
    texts = ["\n\n".join(f"{n} {s.title}\n{s.text}" for n, s in walk(trial.survey.sections)) for trial in trials]
    model = context.require_model()
    given = await try_all(score_text(model, brief.topic, text, f"judge/{at}") for at, text in enumerate(texts))
    scores = [() if isinstance(score, ScholiumError) else score for score in given]
    best = max(range(len(trials)), key=lambda i: (sum(scores[i]), -i))
    told = enumerate(map(word_score, given), start=1)
    facts = [(f"Candidate {number}, coverage/structure/relevance", score) for number, score in told]
    judged = (
        replace(trial, survey=replace(trial.survey, facts=(*trial.survey.facts, *facts)), scores=score)
        for trial, score in zip(trials, scores, strict=True)
    )
    return Written(tuple(judged), best + 1)


def _trial_context(context: RunContext, trial: int, trials: int) -> RunContext:
    """The context of one trial: the first is shown as it is written; each has a number."""
    numbered = replace(context, attempt=context.attempt * trials + trial)
    return numbered if trial == 0 else replace(numbered, section_finished=ignore)
