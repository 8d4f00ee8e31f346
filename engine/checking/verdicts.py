"""What a model answers when it is asked about claims and their evidence."""

from __future__ import annotations

from itertools import takewhile
from typing import Literal

from pydantic import Field

from engine.llm.model import TypedAnswer


class ClaimVerdict(TypedAnswer):
    """What the evidence makes of a claim that it does not say whole; ``beyond`` is what goes further."""

    claim: int
    verdict: Literal["partly", "contradicted", "not said", "frames", "common", "all papers"]
    beyond: str = ""


class CheckAnswer(TypedAnswer):
    """Every claim asked about in one of two lists: most are supported, and are told in a few characters each."""

    supported: list[str] = Field(default_factory=list)
    """The number of the claim with the letters of the sentences that say it: ``3a``, ``4bc``."""
    others: list[ClaimVerdict] = Field(default_factory=list)

    def list_verdicts(self) -> dict[int, ClaimVerdict | str]:
        """By the number of the claim its verdict, or, where it is supported, the letters; in both lists, the former."""
        numbers = {said: "".join(takewhile(str.isdecimal, said.strip())) for said in self.supported}
        held: dict[int, ClaimVerdict | str] = {int(n): said.strip()[len(n) :] for said, n in numbers.items() if n}
        return held | {verdict.claim: verdict for verdict in self.others}


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
