"""Whether a source supports a claim: decided by a language model, a local cross-encoder, or a stated rule."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.local_models import LocalEntailment
from engine.retrieval.embedding import Embedder
from engine.text import sentences, terms

SHARED_TERMS = 0.5
CLOSE = 0.35
"""The rule: half of the claim's terms stand in the source, or a sentence of it is as close as this (cosine)."""

EVEN = 0.5


class Entailment(Protocol):
    """h(claim, sources) of the papers' definitions (AE3)."""

    @property
    def how(self) -> str:
        """Who decides, as it is printed beside every figure."""
        ...

    async def is_supported(self, claim: str, sources: Sequence[str]) -> bool:
        """Whether the sources together support the core of the claim; no source supports nothing."""
        ...


@dataclass
class CachedEntailment:
    """Asks the same question once, however often it comes."""

    inner: Entailment
    _answers: dict[tuple[str, tuple[str, ...]], asyncio.Task[bool]] = field(default_factory=dict)

    @property
    def how(self) -> str:
        """As the inner one."""
        return self.inner.how

    async def is_supported(self, claim: str, sources: Sequence[str]) -> bool:
        """The answer, from the first time it was asked."""
        if not any(source.strip() for source in sources):
            return False
        key = (claim, tuple(sorted(set(sources))))
        if key not in self._answers:
            self._answers[key] = asyncio.create_task(self.inner.is_supported(claim, key[1]))
        return await self._answers[key]


@dataclass(frozen=True)
class RuleEntailment:
    """An approximation that needs no model; its figures are no judge's and are labelled so."""

    embedder: Embedder

    @property
    def how(self) -> str:
        """The rule."""
        return f"approximation: half of the terms shared, or a sentence with cosine ≥ {CLOSE} ({self.embedder.name})"

    async def is_supported(self, claim: str, sources: Sequence[str]) -> bool:
        """Whether the rule holds."""
        wanted = set(terms(claim))
        there = {term for source in sources for term in terms(source)}
        if wanted and len(wanted & there) >= SHARED_TERMS * len(wanted):
            return True
        lines = [line for source in sources for line in sentences(source)]
        return await asyncio.to_thread(self._close, claim, lines)

    def _close(self, claim: str, lines: Sequence[str]) -> bool:
        vectors = self.embedder.embed([claim, *lines])
        return bool(len(lines) and np.max(vectors[1:] @ vectors[0]) >= CLOSE)


class EntailmentAnswer(TypedAnswer):
    """The answer to AutoSurvey's question."""

    faithful: bool


@dataclass(frozen=True)
class ModelEntailment:
    """A language model asked AutoSurvey's question (AE5), the source being what the reader has: the abstract."""

    model: LanguageModel
    name: str

    @property
    def how(self) -> str:
        """The judge."""
        return f"judged by {self.name}"

    async def is_supported(self, claim: str, sources: Sequence[str]) -> bool:
        """Whether the model says yes."""
        prompt = fill("evaluation/entailment", claim=data(claim), source=data("\n\n".join(sources)))
        return (
            await self.model.answer_typed(Request("judging", "entailment", prompt, 128, 0.0), EntailmentAnswer)
        ).faithful


@dataclass(frozen=True)
class LocalModelEntailment:
    """A model for natural-language inference that runs on this machine."""

    model: LocalEntailment

    @property
    def how(self) -> str:
        """The model."""
        return f"decided by {self.model.name}"

    async def is_supported(self, claim: str, sources: Sequence[str]) -> bool:
        """Whether entailment is likelier than all else together."""
        scores = await asyncio.to_thread(self.model.judge, [("\n\n".join(sources), claim)])
        return bool(scores[0] > EVEN)
