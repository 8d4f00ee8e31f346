"""What a model answers when it is asked whether papers say what sentences say."""

from __future__ import annotations

from pydantic import Field

from engine.llm.model import TypedAnswer


class Support(TypedAnswer):
    """Whether one paper says what one sentence says of it, and in which words."""

    sentence: int
    key: str
    supported: bool
    quote: str = ""


class Repair(TypedAnswer):
    """A sentence that says what a paper says; empty where none says anything like it."""

    sentence: int
    text: str = ""


class CheckAnswer(TypedAnswer):
    """Verdicts for the sentences asked about, and repairs of those that do not hold."""

    verdicts: list[Support] = Field(default_factory=list)
    repairs: list[Repair] = Field(default_factory=list)
