"""What a survey shows of its field beside the text: overview, time line, what it leaves out.

Frozen, without I/O. Texts with citations write them ``[@key]``; other text here is plain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.values import PaperKey


@dataclass(frozen=True, slots=True)
class LineOfWork:
    """A line of work: its section's number, one sentence with citations, its papers and the years they span."""

    number: str
    title: str
    text: str
    papers: int
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """A paper to read first, and why."""

    key: PaperKey
    reason: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The field at a glance: a paragraph of counts, the lines of work, where to start reading."""

    text: str
    lines: tuple[LineOfWork, ...]
    start: tuple[StartingPoint, ...]


AT_A_GLANCE = "At a Glance"
NOT_COVERED, HOW_SEARCHED = "What This Survey Does Not Cover", "How This Survey Was Searched"
"""Headings of what stands around a survey's sections in its files."""

TurnKind = Literal["first", "burst", "most cited"]
"""The first paper of a line of work, the year in which its papers multiplied, its most cited paper."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that a time line marks in a year."""

    year: int
    kind: TurnKind
    label: str
    key: PaperKey | None = None


@dataclass(frozen=True, slots=True)
class TimeLane:
    """One line of work over time: papers in each year of the span, and its turns."""

    group: str
    counts: tuple[tuple[int, int], ...]
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class TimeLine:
    """Lines of work side by side over the same years."""

    caption: str
    lanes: tuple[TimeLane, ...]
    introduction: str = ""


@dataclass(frozen=True, slots=True)
class NearbyGroup:
    """Papers near the topic that the survey leaves out: what they are about, how many, some of their titles."""

    title: str
    papers: int
    examples: tuple[str, ...]
