"""What each score of a survey means, by criterion: for judging one, and for choosing among several of a topic."""

from __future__ import annotations

from typing import Literal

Criterion = Literal["coverage", "structure", "relevance", "synthesis", "critical analysis"]

CRITERIA: dict[Criterion, tuple[str, str, str, str, str]] = {
    "coverage": (
        "It touches few of the main areas, and what a reader needs for an overview is missing",
        "It treats part of the main areas; important lines of work are left out",
        "It treats the main areas, with gaps in some of them",
        "It treats nearly all main areas and many at the edge; little is missing",
        "It treats all main areas and those at the edge, each in the depth it deserves",
    ),
    "structure": (
        "No order can be seen; sections do not follow from one another",
        "An order is there, but sections overlap, jump or are arranged badly",
        "Mostly logical; some transitions are weak, or some parts repeat others",
        "Logical and clear throughout, with small weaknesses in transitions",
        "Tight and clear: each part follows from the one before, nothing is repeated",
    ),
    "relevance": (
        "It is mostly about other things than the topic",
        "It turns to the topic in places, and away from it in many",
        "It is on the topic, with digressions that could go",
        "It keeps to the topic; few sentences do not serve it",
        "Every part serves the topic and helps to understand it",
    ),
    "synthesis": (
        "Works are listed one after the other without connection",
        "Works are grouped, but hardly related to one another",
        "Some works are compared or combined; others only stand side by side",
        "Most works are related to one another, and patterns are named",
        "Works are woven into a view of the field that none of them gives alone",
    ),
    "critical analysis": (
        "It only describes; nothing is weighed",
        "Single remarks on strengths or weaknesses, without grounds",
        "Some methods and results are weighed, others taken as they are",
        "Most methods and results are weighed with grounds, and limits are named",
        "It weighs methods and evidence throughout and derives open questions from that",
    ),
}
"""What each score from 1 to 5 means. The first three are AutoSurvey's (AE6), all five SurveyX's (XE1)."""

AUTOSURVEY: tuple[Criterion, ...] = ("coverage", "structure", "relevance")


def list_levels(criterion: Criterion) -> str:
    """Each score of a criterion with what it means, one on each line."""
    return "\n".join(f"{score}: {said}." for score, said in enumerate(CRITERIA[criterion], start=1))
