"""What a model answers when it is asked about claims and their evidence."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from engine.llm.model import TypedAnswer

JudgedAs = Literal["supported", "partly", "contradicted", "not said", "frames"]


class ClaimVerdict(TypedAnswer):
    """What the evidence makes of a claim; ``beyond`` is what goes further, ``evidence`` the letters that say it."""

    claim: int
    verdict: JudgedAs
    beyond: str = ""
    evidence: list[str] = Field(default_factory=list)


class CheckAnswer(TypedAnswer):
    """A verdict for each claim asked about."""

    verdicts: list[ClaimVerdict] = Field(default_factory=list)


class SecondVerdict(TypedAnswer):
    """Whether a statement follows from its text."""

    statement: int
    follows: bool


class SecondAnswer(TypedAnswer):
    """A second judgement of statements."""

    judgements: list[SecondVerdict] = Field(default_factory=list)


class Rewording(TypedAnswer):
    """A sentence written anew; empty where nothing can be said."""

    sentence: int
    text: str = ""


class RewordAnswer(TypedAnswer):
    """Sentences written anew."""

    sentences: list[Rewording] = Field(default_factory=list)
