"""What a person may choose: the options of a quick review, with the published defaults, and a template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

PaperKind = Literal["review", "meta-analysis", "clinical trial", "case report", "dataset", "conference paper"]
KINDS: tuple[PaperKind, ...] = get_args(PaperKind)

Sampling = Literal["weighted", "random"]
"""By relevance, citations and full text; or, as published, at random among the best."""


@dataclass(frozen=True, slots=True)
class QuickOptions:
    """What a quick review looks at: papers of each query in each place, and how much of the review they may fill."""

    space: int = 50
    share: int = 50
    """Percent of the review's tokens that the summaries of the studies may fill."""
    sampling: Sampling = "weighted"
    only_search: bool = False
    """Whether the papers are shown as a table, and no review is written of them."""
    background: bool = False
    """Whether Wikipedia explains the topic first."""


@dataclass(frozen=True, slots=True)
class TemplateSection:
    """A section that the survey must have, what it must hold, and its subsections where the template names them."""

    title: str
    holds: str = ""
    parts: tuple[TemplateSection, ...] = ()
