"""What a part loses in the check, and when it loses so much that it is written once more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from engine.checking.sentence_state import LostClaim
from engine.llm.prompting import data
from engine.survey import ClaimTally
from engine.text import shorten

MOST_LOST = 1 / 3
"""A part that loses a greater share of its claims in the check is drafted once more."""

MOST_LOST_SHOWN, LOST_CHARACTERS = 12, 300
"""Sentences that the check took out which a new draft is told of, and how much of each."""


def share_lost(tally: ClaimTally | None) -> float:
    """The share of its claims that a part lost in the check; all of them where it had none."""
    return tally.removed / tally.claims if tally and tally.claims else 1.0


class Checked(Protocol):
    """What came out of a check: how many claims there were and went, and which these are."""

    @property
    def tally(self) -> ClaimTally | None:
        """The count."""
        ...

    @property
    def lost(self) -> tuple[LostClaim, ...]:
        """What the check took out."""
        ...


C = TypeVar("C", bound=Checked)


async def write_again_if_lost(first: C, write: Callable[[Sequence[LostClaim]], Awaitable[C | None]]) -> C:
    """The first version, or, where it lost too many of its claims, the better of it and one more.

    ``write`` gets what the check took out of the first one, and gives ``None`` where there is no other.
    """
    if share_lost(first.tally) <= MOST_LOST:
        return first
    other = await write(first.lost)
    return min(first, other, key=lambda version: share_lost(version.tally)) if other else first


def word_lost_claims(lost: Sequence[LostClaim]) -> str:
    """Why a draft of which the check took out these claims was not used."""
    if not lost:
        return "it says nothing of the papers"
    shown = lost[:MOST_LOST_SHOWN]
    whys = (f" ({data(claim.why)})" if claim.why else "" for claim in shown)
    lines = [f"- {data(shorten(claim.text, LOST_CHARACTERS))}{why}" for claim, why in zip(shown, whys, strict=True)]
    return "\n".join(["sentences of it say what the papers they cite do not say:", *lines])
