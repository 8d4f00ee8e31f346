"""What the figures of a survey come to, in three sentences: its topic, what supports its claims, its references."""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.evaluation.scores import Score

KEEPS, STRAYS = 0.7, 0.45
"""Closeness to the topic from which a survey keeps to it, and below which it is hardly about it."""

WELL, BADLY = 0.8, 0.5
"""Shares of supported claims from which claims are well supported, and below which they are badly supported."""


FEW = 5
"""Sentences with citations below which their share says little."""


def write_verdict(scores: Mapping[str, Score], topic: str) -> str:
    """Three sentences, each in plain words and with the figure behind it."""
    return " ".join((_judge_topic(scores, topic), _judge_claims(scores), _judge_references(scores)))


def _judge_topic(scores: Mapping[str, Score], topic: str) -> str:
    found = scores.get("closeness to the topic")
    if found is None or found.value is None:
        why = f": {found.how}" if found else ""
        return f"Whether it keeps to its topic, “{topic}”, cannot be judged{why}."
    basis = "".join(f"; {detail}" for detail in found.details)
    figure = f"{found.value:.2f} of 1, where 1 is as close as the library's nearest papers{basis}"
    if found.value < STRAYS:
        return f"This survey is hardly about “{topic}” ({figure})."
    kept = "keeps to" if found.value >= KEEPS else "keeps only in part to"
    return f"This survey {kept} its topic, “{topic}” ({figure})."


def _judge_claims(scores: Mapping[str, Score]) -> str:
    known = scores.get("citation recall, sources known")
    found = known if known and known.value is not None else scores.get("citation recall")
    if found is None or found.value is None:
        return "It has no sentences with citations that could be read."
    of_known = " whose sources are known" if found is known else ""
    if 0 < (count := _count_claims(scores, of_known=bool(of_known))) < FEW:
        sentences = "sentence has citations" if count == 1 else "sentences have citations"
        return f"Only {count} {sentences}{of_known}, too few to say how well its claims are supported."
    word = "well" if found.value >= WELL else "in part" if found.value >= BADLY else "badly"
    ruled = ", as far as a rule of words can tell" if found.how.startswith("approximation") else ""
    return f"Its claims are {word} supported{ruled}: {found.value:.0%} of the sentences with citations{of_known} hold."


def _count_claims(scores: Mapping[str, Score], *, of_known: bool) -> int:
    """The sentences with citations; ``of_known``, those whose sources are all known."""
    named = ("claims", "claims whose sources are all known") if of_known else ("claims",)
    return round(math.prod((scores[name].value or 0.0) if name in scores else 0.0 for name in named))


def _judge_references(scores: Mapping[str, Score]) -> str:
    listed, real = scores.get("references"), scores.get("references real")
    if listed is None or not listed.value or real is None or real.value is None:
        return "Its list of references could not be read."
    total = round(listed.value)
    wrong, missing = (_count(scores, f"references {kind}", total) for kind in ("real with wrong metadata", "not found"))
    details = [f"{wrong} of them with wrong metadata"] if wrong else []
    details += [f"{missing} {_was(missing)} not, which does not prove that they are invented"] if missing else []
    found = total - missing
    return f"Of its {total:,} references, {found:,} {_was(found)} found{''.join(f', {d}' for d in details)}."


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _count(scores: Mapping[str, Score], name: str, total: int) -> int:
    score = scores.get(name)
    return round((score.value or 0.0) * total) if score else 0
