"""Whether a paper is of a kind of publication, and whether it says that it is a survey of others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.options import PaperKind
from engine.values import Paper

_SURVEY = re.compile(
    r"\b(?:an?|the|this|systematic|literature|critical|comprehensive|brief|short|selective|structured|scoping|comparative|"
    r"recent|historical|empirical|technical|state-of-the-art)[ -](?:[\w-]+ ){0,2}?(?:surveys?|reviews?|overviews?)\b"
    r"(?! data)|"
    r"\b(?:surveys?|reviews?|overviews?|tutorial) (?:of|on|and|for|to)\b|"
    r"(?:^|[:—–-] )(?:surveys?|surveying|reviewing|overview|tutorial|reviews?(?= (?:of|on)\b|,|$))\b|"
    r"\b(?:survey|(?<!for )review|overview|tutorial)$|(?:^|: )(?:the )?state[- ]of[- ]the[- ]art in\b|"
    r": (?:a )?(?:[\w-]+ )?(?:taxonomy (?:of|and)\b|roadmap\b(?! \w+ing\b))",
    re.I,
)
_ABOUT_REVIEWS = re.compile(
    r"\b(?:peer|product|movie|film|hotel|restaurant|book|customer|consumer|user|online|app|code|expert|paper)"
    r"[- ]reviews?\b|"
    r"\breviews?[- ](?:generation|summari[sz]ation|mining|classification|scores?|helpfulness)\b|,? and reviews?\b(?!:)|"
    r"\btaxonomy (?:expansion|induction|learning|construction|completion|enrichment)\b|"
    r"\bsurvey (?:data|propagation|vessel)\b",
    re.I,
)


def is_survey(paper: Paper) -> bool:
    """Whether the title says that the paper surveys others."""
    return bool(_SURVEY.search(_ABOUT_REVIEWS.sub(" ", paper.title)))


def is_of_kind(paper: Paper, kinds: Sequence[PaperKind]) -> bool:
    """Whether a service says that the paper is one of these, or its title says that it is a review."""
    return any(kind in paper.kinds for kind in kinds) or ("review" in kinds and is_survey(paper))
