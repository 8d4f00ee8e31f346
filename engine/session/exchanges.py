"""What was asked about a survey and answered, which the next question is read with."""

from __future__ import annotations

from dataclasses import dataclass

EXCHANGES_KEPT = 3
"""Questions and answers that a new question is read with."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question about a survey and what was answered: its sentences with their citations, or nothing."""

    question: str
    answer: str


def keep_exchange(before: tuple[Exchange, ...], kind: str, question: str, answered: str) -> tuple[Exchange, ...]:
    """The exchanges after a job of this kind; a survey that is begun anew forgets those of the last."""
    if kind in {"keywords", "review"}:
        return ()
    return (*before, Exchange(question, answered))[-EXCHANGES_KEPT:] if kind == "answer" else before
