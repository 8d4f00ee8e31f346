"""What a model is told of a claim that could not be found in its sources, and people of what it did not answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.checking.faults import FaultKind
from engine.survey import UNCHECKED, UNJUDGED

UNCITED = "it cites no paper: name the one above that says it, or give empty text"
DANGLING = "what it refers to was taken out, or is another paper's: name what it speaks of"
IN_OTHER_WORDS = (
    "does a source say this in other words? Then call it supported and name those words; else call it not supported"
)
NOT_THERE = "the words that were named do not stand in"
NOT_OF_IT = "nothing of this sentence stands in the words that were named of"

DOUBTS: Mapping[FaultKind, str] = {
    "number": "“{}” stands in none of its sources",
    "place": "its source says “{}” of something else, or as another measure",
    "name": "“{}” is named in none of its sources",
    "strength": "its sources say nothing as strong as “{}”",
    "polarity": "its source seems to say the opposite (“{}”)",
    "hedge": "its source says it less surely (“{}”)",
    "order": "its source has the sides of “{}” the other way round",
    "contrast": "its source has the counterpart of “{}” there",
    "term": "its sources say nothing of “{}”",
    "reach": "its sources do not say so much as “{}”",
    "addition": "its sources say nothing like “{}”",
    "author": "“{}” is no first author or year of its sources",
    "role": "its source says of another what is said of “{}”, or the other way round",
    "speakers": "it says “{}”, and cites one paper",
    "merged": "the paper that speaks of “{}” does not say this of it: another one does",
    "reason": "its source gives another reason than “{}”, or none",
    "quotation": "“{}” stands in quotation marks, and so in none of its sources",
    "empty": "it says that something was tried or works, and not what was found",
    "subject": "its sources speak of something else",
}
"""What the model is told of a fault."""


def word_failures(reasons: Iterable[str], unanswered: int) -> list[str]:
    """Why claims stayed unchecked, and how many the model said nothing of, which were removed."""
    which = "1 claim, which was" if unanswered == 1 else f"{unanswered} claims, which were"
    removed = [f"{UNJUDGED} for {which} removed"] if unanswered else []
    return [*(f"{UNCHECKED}: {why}" for why in reasons), *removed]
