"""Numbers of a claim that stand in none of its sources, however they are written there."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from engine.checking.lexicon import TEXTS_KEPT
from engine.checking.quantities import Quantity, count_listed, quantities, read_changes, spread_ranges
from engine.checking.units import convert, find_unit
from engine.text import terms


def find_unfounded_numbers(claim: str, sentences: Sequence[tuple[str, bool]], years: Collection[float]) -> list[str]:
    """The words of those numbers; ``years`` are those in which the sources appeared.

    ``sentences`` are the sources', each with whether it speaks of anything that the claim speaks of.
    """
    about = [text for text, is_about in sentences if is_about]
    every = [(is_about, q) for text, is_about in sentences for q in _all_numbers(text)]
    known = [q for is_about, q in every if is_about or q.unit or not q.value.is_integer()]  # few have 0.35 twice
    measured = [item for text in about for item in _find_measured(text)]
    worked_out = [q for text in about for q in _work_out_changes(text)]
    listed = {size for text in about for size in count_listed(text)}
    return [
        q.words
        for q in quantities(claim)
        if not (
            q.words.isalpha()
            and not find_unit(spread_ranges(claim), q)
            and (q.value in listed or q.value in count_listed(_behind_colon(claim, q)))
        )
        and not (0 < q.value < 1 and q.unit == "times" and _is_reduction(q, [text for text, _ in sentences]))
        and not (q.value == 2 and q.words.isalpha() and _NAMED_PAIR.match(spread_ranges(claim)[q.end :]))
        and not (q.value == 2 and q.words.isalpha() and any(_PAIR.search(text) for text in about))
        and not (q.value == 2 and _is_dual(spread_ranges(claim)[q.end :], about))
        and not _PRONOUN.search(spread_ranges(claim)[max(0, q.start - 4) :])
        and not _IN_A_NAME.search(spread_ranges(claim)[: q.start])
        and not any(q.equals(k) for k in (*known, *worked_out))
        and not _is_converted(q, find_unit(spread_ranges(claim), q), measured)
        and not (q.unit == "" and q.value in years)
    ]


@lru_cache(maxsize=TEXTS_KEPT)
def _work_out_changes(text: str) -> tuple[Quantity, ...]:
    """How much each "from 15% to 30%" adds or takes away, and how many times as much it becomes, about."""
    found = []
    for start, end in read_changes(text):
        low, high = sorted((start.value, end.value))
        step = max(start.step, end.step)
        found.append(replace(start, value=round(high - low, 9), step=step))
        if start.value:
            found.append(Quantity(end.value / start.value, "times", ""))
    return tuple(found)


def _is_reduction(part: Quantity, sentences: Sequence[str]) -> bool:
    """Whether the source has it as a reduction by so many times: a quarter, "reduced by a factor of 4"."""
    return any(
        q.value and part.equals(Quantity(1 / q.value, "times", ""))
        for text in sentences
        if _REDUCED.search(text)
        for q in quantities(text)
    )


def _is_dual(behind: str, about: Sequence[str]) -> bool:
    """Whether the two things that follow are dual in the source: two slaves, a dual-slave system."""
    counted = set(terms(" ".join(behind.split()[:3])))
    return any(counted & set(terms(match["thing"])) for text in about for match in _DUAL.finditer(text))


@lru_cache(maxsize=TEXTS_KEPT)
def _find_measured(text: str) -> tuple[tuple[Quantity, str], ...]:
    """The numbers of a sentence that have a unit, with its name."""
    return tuple((q, unit) for q in quantities(text) if (unit := find_unit(spread_ranges(text), q)))


def _is_converted(number: Quantity, unit: str, measured: Sequence[tuple[Quantity, str]]) -> bool:
    """Whether the source has it in another unit: 138.4 seconds, a little over two minutes."""
    others = (convert(other, theirs, unit) for other, theirs in measured if theirs != unit)
    return bool(unit) and any(number.equals(other) for other in others if other)


def _behind_colon(claim: str, number: Quantity) -> str:
    """The list that a claim counts itself: "three sources are combined: A, B and C"."""
    return spread_ranges(claim)[number.end :].partition(":")[2]


_IN_A_NAME = re.compile(r"(?:[A-Za-z]-|\b(?:(?:sub)?section|table|figure|chapter)s?\s)$", re.I)
"""What stands before the digits of a name, "MATH-500", of which is asked elsewhere, or of a place in the text."""

_GLUED = re.compile(r"(?<=[A-Za-z])(?<!\d[eE])-?(\d+(?:\.\d+)?[kKMBT]?)(?![\d.]*\d)|\b(\d{4})(?=[A-Z]\b)")


@lru_cache(maxsize=TEXTS_KEPT)
def _all_numbers(text: str) -> tuple[Quantity, ...]:
    """The numbers of a source's sentence, those glued to letters among them: "trained14B"."""
    powers = (
        Quantity(10.0 ** _POWERS.get((m[1] or "an").lower(), 1), "times", m[0]) for m in _MAGNITUDE.finditer(text)
    )
    return (
        *quantities(text),
        *(q for match in _GLUED.finditer(text) for q in quantities(match[1] or match[2])),
        *powers,
    )


_PAIR = re.compile(r"\b[Bb]oth\b|(?<!, )(?<![\w-])[\w-]*[A-Z][\w-]* and (?:the )?[\w-]*[A-Z][\w-]*\b(?!,? and\b)")
"""Two things, both or by their names: "on ImageNet and COCO"."""

_NAMED_PAIR = re.compile(r"\s(?:[\w-]+\s){0,3}[\w-]+[,:(] [^,;:.]+?,? and [^,;:.]+?(?:[,;:).]|$)")
"""Behind "two": the two things themselves, "two parts, a reader and a writer"."""

_PRONOUN = re.compile(r"^the two(?= (?:[a-z]+[^s\W]\b(?! [a-z]+s\b)|is\b)|[.,;]|$)", re.I)
"""What counts nothing: "how the two relate"."""

_REDUCED = re.compile(
    r"\b(?:reduc|lower|decreas|less|few|small|short|cut|shrink|compress|fast|speed|sav)\w*\b.*\b(?:factor|times|fold|x)\b|"
    r"\d ?(?:x|×|-fold)|times (?:fast|less|few|small|low|cheap|short)\w*",
    re.I,
)
_DUAL = re.compile(r"\b(?:dual|twin|double)[- ](?P<thing>[a-z]+)", re.I)
_MAGNITUDE = re.compile(r"\b(?:(an|one|two|three|four|five|six)\s)?orders? of magnitude", re.I)
_POWERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
