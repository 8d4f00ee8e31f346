"""What a recipe is given to run with, and what every recipe can do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engine.errors import UserError
from engine.limits import Limits
from engine.llm.model import LanguageModel, Task
from engine.local_models import CrossEncoder
from engine.reading.full_text import FullText
from engine.reading.open_access import FullTexts
from engine.reading.trees.forests import Forest, MemoryForest
from engine.retrieval.embedding import Embedder
from engine.retrieval.libraries.library import Library
from engine.retrieval.online.sources import Online
from engine.retrieval.online.wikipedia import Wikipedia
from engine.session.events import Candidate, Exchange, Review, Written
from engine.session.kept_text import KeptText
from engine.survey import Claim, Section, Survey
from engine.values import Brief, FoundPaper, KeywordPool, Outline, Paper, PaperKey, PaperSelection

Judging = Literal["none", "unsure", "all"]
"""Of the papers found, those that are judged once more."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: its stage, how much is done of how much (0: unknown), and what is being done now."""

    stage: str
    done: int = 0
    total: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a follow-up question; no claims where the papers do not say.

    A claim without citations is general knowledge, and has to be shown as such.
    """

    question: str
    claims: tuple[Claim, ...]
    survey: Survey
    papers: tuple[Paper, ...] = ()
    records: str = ""
    """What the records of the papers say that the question names, which cites them."""
    counts: bool = False
    """Whether the records, of all papers, are the whole answer."""
    unchecked: int = 0
    """Sentences that were left out because the check gave no verdict."""
    faint: bool = False
    """Whether the claims are only what comes nearest to the question."""
    silent: tuple[Paper, ...] = ()
    """The few papers that the question names and no claim cites."""
    searched: int | None = None
    """How many further papers a search for the question brought in; ``None`` where none was made."""

    @property
    def text(self) -> str:
        """All that it says, with its citations; empty where the papers do not say."""
        return " ".join(filter(None, (*(claim.text for claim in self.claims), self.records)))


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """A quick review as far as it is: the studies kept so far, and the questions answered so far."""

    title: str
    questions: tuple[str, ...]
    studies: tuple[FoundPaper, ...]
    findings: tuple[Section, ...] = ()


async def ignore(*_: object) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class RunContext:
    """Everything a recipe needs from outside; all of it is owned by the caller."""

    library: Library
    embedder: Embedder
    limits: Limits = field(default_factory=Limits)
    model: LanguageModel | None = None
    progress: Callable[[Progress], Awaitable[None]] = ignore
    section_finished: Callable[[Section, int], Awaitable[None]] = ignore
    answering: Callable[[Answer], Awaitable[None]] = ignore
    """Hears an answer each time a checked sentence is added to it."""
    reviewing: Callable[[ReviewDraft], Awaitable[None]] = ignore
    """Hears a quick review each time a study or an answered question is added to it."""
    online: Online | None = None
    texts: FullTexts | None = None
    """Online sources, and full texts with the pictures of their figures; ``None`` where they are not to be fetched."""
    wikipedia: Wikipedia | None = None
    """What explains a topic's background; ``None`` where it is not to be asked."""
    forest: Forest = field(default_factory=MemoryForest)
    """Where attribute trees are kept; without another one they are kept for this run only."""
    accepted: tuple[Paper, ...] = ()
    refused: tuple[Paper, ...] = ()
    """Papers of the former proposal that a person who looked through it left in, and left out."""
    asked: tuple[Exchange, ...] = ()
    """Questions about the survey that were answered before the one that is asked, the latest last."""
    judge: Judging = "none"
    """Which of the papers found the language model judges, or, where there is none, the cross-encoder."""
    cross_encoder: CrossEncoder | None = None
    seed: int = 0
    attempt: int = 0
    """How many proposals of this step the person has refused; the next must be another one."""

    def require_model(self) -> LanguageModel:
        """The language model; raises `UserError` where none is configured."""
        if self.model is None:
            raise UserError(
                "This needs a language model. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, "
                "or say: survey TOPIC recipe=cluster"
            )
        return self.model

    async def read_texts(self, papers: Sequence[Paper]) -> dict[PaperKey, FullText]:
        """Full texts of the first papers that have one, as many as the limits allow; none where none may be read."""

        async def on_read(done: int, total: int) -> None:
            await self.progress(Progress("full texts", done, total))

        return await self.texts.read(papers, self.limits.full_texts, on_read) if self.texts else {}


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call to a language model that writing will make; sizes in tokens.

    Those of a later ``wave`` begin when all of the earlier ones have ended.
    """

    task: Task
    input_tokens: int
    output_tokens: int
    wave: int = 0


@dataclass(frozen=True, slots=True)
class WritingTask:
    """What was approved for writing, and what of it is there already: finished, or ``kept`` of an earlier text."""

    brief: Brief
    selection: PaperSelection
    outline: Outline
    kept: KeptText = field(default_factory=KeptText)


CallChain = tuple[PlannedCall, ...]
"""Calls that follow one another; chains run side by side."""


Step = Literal["search", "prepare", "outline", "headings", "write", "review"]
"""What a recipe may do, in order: search for papers, read them all, plan, name approved groups, write; or all in one
go."""

SURVEY_STEPS: frozenset[Step] = frozenset(("search", "outline", "write"))
STEP_MISSING = "A step before this one is missing. Say “start over” and name the topic again."


class Recipe:
    """A way to write: what it says of itself, the steps that it has, and what they cost.

    ``steps`` says which of its methods may be called; every other raises `UserError`, or plans no calls.
    """

    name: str
    """What a person writes after ``recipe=``."""
    source: str
    """The publication it implements."""
    needs_model: bool
    steps: frozenset[Step] = SURVEY_STEPS
    follows_template: bool = False
    """Whether its sections can be those of a person's template."""

    def paper_count(self, limits: Limits) -> int:
        """How many papers it proposes at first."""
        return limits.survey_papers

    def plan_preparation(self, papers: Sequence[Paper], full_texts: int) -> Sequence[CallChain]:
        """The calls that reading the papers before planning takes at most, so many of them from their full texts."""
        return ()

    def plan_calls(self, task: WritingTask, limits: Limits) -> Sequence[CallChain]:
        """The calls that writing the outline will make; none where no language model writes it."""
        return ()

    def plan_review_calls(
        self, brief: Brief, limits: Limits, papers: Sequence[Paper] = (), *, with_texts: bool = False
    ) -> Sequence[CallChain]:
        """About the calls that a review will make; ``with_texts`` where full texts are fetched for it.

        Its size follows from the mean length of ``papers``, some of those that it may read; without any, a usual one.
        """
        return ()

    async def keywords(self, brief: Brief, context: RunContext) -> KeywordPool:
        """Search phrases to propose."""
        raise UserError(STEP_MISSING)

    async def papers(self, brief: Brief, pool: KeywordPool, limit: int, context: RunContext) -> PaperSelection:
        """Papers to propose, each with the reasons it was found."""
        raise UserError(STEP_MISSING)

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """Sections and subsections with the papers meant for each; where it names groups later, the groups."""
        raise UserError(STEP_MISSING)

    async def headings(
        self, brief: Brief, selection: PaperSelection, grouping: Outline, context: RunContext
    ) -> Outline:
        """The outline of the approved groups."""
        raise UserError(STEP_MISSING)

    async def write(self, task: WritingTask, context: RunContext) -> Survey:
        """The survey; sections that are finished already are taken as they are."""
        raise UserError(STEP_MISSING)

    async def write_candidates(self, task: WritingTask, context: RunContext) -> Written:
        """Every survey that was written, where it writes several for one brief."""
        return Written((Candidate(task.selection, task.outline, await self.write(task, context)),))

    async def review(self, brief: Brief, carried: Sequence[Paper], context: RunContext) -> Review:
        """The review, beginning with the papers ``carried`` over from the one before."""
        raise UserError(STEP_MISSING)
