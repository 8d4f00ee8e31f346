"""What a recipe is given to run with, and what every recipe can do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from engine.errors import UserError
from engine.limits import Limits
from engine.llm.model import LanguageModel
from engine.retrieval.embedding import Embedder
from engine.retrieval.library import Library
from engine.values import Brief, Claim, KeywordPool, Outline, PaperSelection, Section, Survey


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: its stage, how much is done of how much (0: unknown), and what is being done now."""

    stage: str
    done: int = 0
    total: int = 0
    detail: str = ""


async def _nobody(_: Progress) -> None:
    """Nobody watches."""


async def _nowhere(_: Section, __: int) -> None:
    """Nobody waits for sections."""


@dataclass(frozen=True)
class RunContext:
    """Everything a recipe needs from outside; all of it is owned by the caller."""

    library: Library
    embedder: Embedder
    limits: Limits = field(default_factory=Limits)
    model: LanguageModel | None = None
    progress: Callable[[Progress], Awaitable[None]] = _nobody
    section_finished: Callable[[Section, int], Awaitable[None]] = _nowhere
    seed: int = 0
    attempt: int = 0
    """How many proposals of this step the person has refused; the next must be another one."""

    def needed_model(self) -> LanguageModel:
        """The language model; raises `UserError` where none is configured."""
        if self.model is None:
            raise UserError(
                "This needs a language model. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, "
                "or say: survey TOPIC recipe=cluster"
            )
        return self.model


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a follow-up question: quoted and cited claims; none where the papers do not say."""

    question: str
    claims: tuple[Claim, ...]
    survey: Survey


class Recipe(Protocol):
    """The steps of a survey; each gets what the person approved in the step before."""

    @property
    def name(self) -> str:
        """What a person writes after ``recipe=``."""
        ...

    @property
    def source(self) -> str:
        """The publication it implements."""
        ...

    async def keywords(self, brief: Brief, context: RunContext) -> KeywordPool:
        """Search phrases to propose."""
        ...

    async def papers(self, brief: Brief, pool: KeywordPool, limit: int, context: RunContext) -> PaperSelection:
        """Papers to propose, each with the reasons it was found."""
        ...

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """Sections and subsections with the papers meant for each."""
        ...

    async def write(
        self,
        brief: Brief,
        selection: PaperSelection,
        outline: Outline,
        finished: Mapping[int, Section],
        context: RunContext,
    ) -> Survey:
        """The survey; sections already ``finished`` (by position in the outline, from 0) are taken as they are."""
        ...

    async def revise(
        self,
        brief: Brief,
        selection: PaperSelection,
        survey: Survey,
        place: str,
        wish: str,
        context: RunContext,
    ) -> Survey:
        """The survey with one section (``place``: its number) changed as wished, the rest untouched."""
        ...

    async def answer(
        self, brief: Brief, question: str, selection: PaperSelection, survey: Survey, context: RunContext
    ) -> Answer:
        """What the gathered papers say to a question."""
        ...
