"""Whether a source supports a claim: decided by a language model, a local cross-encoder, or a stated rule."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
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
        """Whether the sources, one at least, together support the core of the claim."""
        ...


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
        vectors = await asyncio.to_thread(self.embedder.embed, [claim, *lines])
        return bool(lines and np.max(vectors[1:] @ vectors[0]) >= CLOSE)


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
        request = Request("judging", "entailment", prompt, 128, 0.0)
        return (await self.model.answer_typed(request, EntailmentAnswer)).faithful


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
