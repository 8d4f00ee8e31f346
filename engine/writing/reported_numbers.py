"""Numbers that papers report on the same data set and metric, and whether they agree.

Only what a sentence says plainly is read: one value, one metric and the data set after it. Differences ("by 4.2
points", "a gain of 3 %") are no results and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.naming.names import METRICS
from engine.values import Paper
from engine.writing.extractive import AbstractSentence

AGREEING = 0.02
"""Share of the larger value within which two values are called close."""

_VALUE = re.compile(r"(?<![\w.,/@+-])(\d{1,3}(?:\.\d+)?)\s?(%|\\%|percent\b)?(?![\w/@-]|[.,]\d|\s?(?:times|x\b|×))")
_DIFFERENCE = re.compile(
    r"\b(?:by|gains?|improv\w+|increas\w+|decreas\w+|reduc\w+|margins?|drops?|boosts?|more|less|higher|lower|relative|"
    r"absolute|points?|than|over|additional|further|from|only|top)\b",
    re.I,
)
_REACH = 60
"""Characters between a value and its metric, or its data set, at most."""


@dataclass(frozen=True, slots=True)
class ReportedNumber:
    """A value as a sentence of a paper writes it; ``shown`` has its unit."""

    sentence: AbstractSentence
    metric: str
    value: float
    shown: str

    @property
    def paper(self) -> Paper:
        """The paper that reports it."""
        return self.sentence.paper


def read_number(sentence: AbstractSentence, data_set: str) -> ReportedNumber | None:
    """The value that the sentence reports on the data set; ``None`` where it names several, or none plainly."""
    text = sentence.text
    values = list(_VALUE.finditer(text))
    metrics = [(name, found) for name, pattern in METRICS.items() for found in pattern.finditer(text)]
    kinds = {name for name, _ in metrics}
    if len(values) != 1 or len(kinds) != 1:
        return None
    value, metric = values[0], metrics[0][1]
    place = re.compile(rf"(?<![\w-]){re.escape(data_set)}(?![\w-])").search(text, value.end())
    if place is None or place.start() - value.end() > _REACH:
        return None
    apart = metric.start() - value.end() if metric.start() > value.start() else value.start() - metric.end()
    around = text[max(0, min(value.start(), metric.start()) - 25) : place.start()]
    if apart > _REACH / 2 or _DIFFERENCE.search(around):
        return None
    return ReportedNumber(sentence, metrics[0][0], float(value[1]), f"{value[1]}{' %' if value[2] else ''}")


def same_metric(numbers: Sequence[ReportedNumber]) -> list[tuple[ReportedNumber, ...]]:
    """Numbers of at least two papers by the same metric and in the same unit, highest first."""
    groups: dict[tuple[str, bool], list[ReportedNumber]] = {}
    for number in numbers:
        groups.setdefault((number.metric, "%" in number.shown), []).append(number)
    return [
        tuple(sorted(group, key=lambda n: -n.value))
        for group in groups.values()
        if len({number.paper.key for number in group}) > 1
    ]


def are_close(numbers: Sequence[ReportedNumber]) -> bool:
    """Whether the lowest value is within `AGREEING` of the highest."""
    values = [number.value for number in numbers]
    return max(values) - min(values) <= AGREEING * max(values)
