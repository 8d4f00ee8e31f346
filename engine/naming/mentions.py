"""Whether a paper says a heading: its words side by side, in the title, of its own work, or in passing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

TITLE, TEXT, PASSING = 2.0, 1.0, 0.5
"""How much a mention tells: in the title, in the text, in one sentence that is not of the paper's own work."""

GAP = 1
"""Words that may stand between those of a heading."""

OWN_WORK = re.compile(
    r"\b(?:we|our|ours|us|this (?:paper|work|article|study|thesis|survey|report)|"
    r"is (?:proposed|presented|introduced))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: the stems ``own``, and of the topic's one at least beside them, where there are any.

    What is ``telling`` says enough in a title without them: *heterogeneous* of *heterogeneous graph neural networks*;
    but *search* of *person search* does not, nor *knowledge* of *knowledge graphs*.
    """

    own: frozenset[str]
    topical: frozenset[str] = frozenset()
    telling: bool = False


@dataclass(frozen=True, slots=True)
class PaperStems:
    """The stems of a paper's title, and those of each sentence of its text with whether it is of the paper's work."""

    title: tuple[str, ...]
    sentences: tuple[tuple[tuple[str, ...], bool], ...]

    def mention(self, wanted: Wanted) -> float:
        """`TITLE`, `TEXT` or `PASSING`, 0 where the paper does not say it."""
        if _is_in_title(wanted, self.title):
            return TITLE
        told = [is_own for stems, is_own in self.sentences if _is_beside(wanted, stems)]
        if not told:
            return 0.0
        return TEXT if len(told) > 1 or any(told) else PASSING


def _is_in_title(wanted: Wanted, stems: Sequence[str]) -> bool:
    if wanted.telling and _is_within(wanted.own, stems, len(wanted.own) + GAP):
        return True
    return _is_beside(wanted, stems, GAP)


def _is_beside(wanted: Wanted, stems: Sequence[str], gap: int = 0) -> bool:
    """Whether the stems stand near one another, and so far from one of the topic's at most."""
    if not wanted.topical:
        return _is_within(wanted.own, stems, len(wanted.own) + GAP)
    span = len(wanted.own) + 1 + (2 * GAP if wanted.telling else gap)
    return any(_is_within(wanted.own | {one}, stems, span) for one in wanted.topical)


def _is_within(wanted: frozenset[str], stems: Sequence[str], span: int) -> bool:
    """Whether all stand in a row of so many."""
    if not wanted.issubset(stems):
        return False
    return any(wanted.issubset(stems[i : i + span]) for i in range(max(1, len(stems) - len(wanted) + 1)))
