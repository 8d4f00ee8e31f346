"""Numbers in text, however they are written: digits, words, percentages, multiples, years, orders of magnitude."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from engine.checking.lexicon import TEXTS_KEPT

Unit = Literal["", "percent", "times"]
"""``percent``: of a hundred, percentage points included; ``times``: a multiple; empty: a count, a score, a year."""

_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = {word: float(n) for n, word in enumerate(_UNITS)} | {word: 10.0 * n for n, word in enumerate(_TENS, start=2)}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_COUNTED_SCALES = frozenset({"dozen", "hundred", "thousand", "million", "billion", "trillion"})
"""Of which "a" counts one: "a thousand graphs"."""

_SUFFIXES = {"k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12}
_MULTIPLES = {"once": 1.0, "twice": 2.0, "thrice": 3.0, "double": 2.0, "triple": 3.0, "quadruple": 4.0, "halve": 0.5}
_PARTS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1}

LARGEST_EXPONENT = 300
"""Of a power of ten that is read; none beyond it is a float."""

_WORDED = "|".join(sorted([*_SMALL, *_SCALES], key=len, reverse=True))
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_EXPONENT = r"[-–−+]?\d+"
_POWER = (
    rf"(?P<power>[eE](?P<e>{_EXPONENT})\b|(?:\s*(?:×|\*|\\times|\\cdot)\s*10|(?<=\b10))"
    rf"(?:\s*(?:\^|\*\*)\s*\{{?(?P<raised>{_EXPONENT})\}}?|(?P<superscript>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))"
)
"""A power of ten behind a number: 1e-5, 3.2 × 10^{-3}, 10⁻⁵."""
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺–−", "0123456789-+--")
_AFTER = (
    r"(?P<percent>\s*(?:\\?%|‰|per ?cent\b|percentage\b|pp\b))"
    r"|(?P<times>\s*(?:x\b|×|times\b|-?fold\b|\{?\\(?:text)?times\b\}?))"
)
_NUMBER = re.compile(
    rf"(?<![\w.,])(?!\d{{4}}[A-Z]\b)(?P<digits>{_DIGITS})"  # "2014T" is a name
    rf"{_POWER}?(?:(?P<suffix>[kKMBT]|bn)\b(?!-)|[\s-]*(?P<scale>hundred|thousand|million|billion|trillion)s?\b)?"
    rf"(?:{_AFTER})?(?P<ordinal>(?:st|nd|rd|th)\b)?(?![\w]*[A-Za-z]\d)",
)
_WORD_NUMBER = re.compile(
    rf"\b(?:(?:{_WORDED})(?:(?<=hundred)\s+and\s+(?=(?:{_WORDED})\b)|(?<=thousand)\s+and\s+(?=(?:{_WORDED})\b)|[\s-]+)?)+\b"
    rf"(?:{_AFTER})?",
    re.I,
)
_MULTIPLE = re.compile(
    r"\b(?P<word>(?:twice|thrice)(?=\s(?:as|the|that|its|their|more|faster|over)\b)|doubl(?:e[sd]?|ing)|tripl(?:e[sd]?|ing)|quadrupl(?:e[sd]?|ing)|halv(?:e[sd]?|ing))\b",
    re.I,
)
_ONE_OF_MANY = re.compile(
    rf"\b(?P<top>{_WORDED}|\d+)\s(?:[a-z]+s\s(?:out of|in)|in|out of|of)\s(?:every\s)?(?P<of>{_WORDED}|\d+)\b(?!\s*%)",
    re.I,
)
_FRACTION = re.compile(
    r"\b(?:(?P<top>one|two|three|four|a)[\s-]+)?(?P<part>half|thirds?|quarters?|fifths?|tenths?)\b", re.I
)
_RANGE = re.compile(
    rf"(?<![\w.])({_DIGITS})\s*(?:-|–|—|~|∼|～|/|to|and)\s*({_DIGITS})(\s*(?:%|per ?cent|x\b|×|times))", re.I
)


_LIST = re.compile(r"[^\s,;.:()][^,;.:()]{0,80}(?:, [^,;.:()]{1,80}?){1,20}(?P<comma>,)? (?:and|or|&) ", re.I)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit; ``words`` is how it stands in the text, ``start`` where (from 0)."""

    value: float
    unit: Unit
    words: str
    start: int = 0
    bounds: tuple[float, float] = (1.0, 1.0)
    """What it may be told of, as multiples of it: ``(0.96, 1.04)`` of "about 7"."""
    step: float = 0.0
    """The last place that is written: .1 of 3.2; 0 where it says nothing of that."""

    @property
    def end(self) -> int:
        """Where the text goes on."""
        return self.start + len(self.words)

    def equals(self, other: Quantity) -> bool:
        """Whether this one says of the ``other`` what is so: the same, rounded, or "about" and "nearly" so much.

        A bare number may stand for a percentage, not the other way round.
        """
        if {self.unit, other.unit} == {"percent", "times"}:  # half is 50 %
            lowest, highest = (_share(self) * bound for bound in self.bounds)
            return _close(_share(self), _share(other)) or lowest < _share(other) < highest
        if self.unit not in {other.unit, ""}:
            return False
        least, most = (self.value * bound for bound in self.bounds)
        rounded = 0 < other.step < self.step and abs(self.value - other.value) <= self.step / 2 + 1e-9 * self.value
        return _close(self.value, other.value) or least < other.value < most or rounded


@lru_cache(maxsize=TEXTS_KEPT)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every number of a text, in the order of their kinds; "one", "no" and ordinals are not numbers here."""
    spread = spread_ranges(text)
    shares = _from_multiples(spread)
    inside = [(one.start, one.end) for one in shares]
    plain = (*_from_digits(spread), *_from_words(spread))
    found = [*(q for q in plain if not any(start <= q.start < end for start, end in inside)), *shares]
    return tuple(replace(one, bounds=_bounds_of(one, spread)) for one in found)


LONGEST_BEFORE = 40
"""Characters before a number in which a word may stand that makes it a rough one."""

_ROUGH = (
    (
        re.compile(
            r"(?:\b(?:about|around|approximately|roughly|nearly|almost|some|close to|circa)|[~≈])\s*(?:an?\s)?$",
            re.I,
        ),
        (0.96, 1.04),
    ),
    (re.compile(r"\b(?:over|more than|above|exceeding|upwards of)\s+$", re.I), (1.0, 1.25)),
    (re.compile(r"\b(?:under|below|less than|fewer than|within)\s+$", re.I), (0.8, 1.0)),
)
"""Words that make a number a rough one, and what it may then be told of."""

FEWEST_DIGITS = 10.0
"""From so many of its last place a number is taken for a rounded one: 13 of 13.06, and not 3 of 2.7."""

ROUGHLY_A_PART = (0.9, 1.1)
"""What "about a third" and "almost doubled" may be told of."""


def _bounds(before: str) -> tuple[float, float]:
    return next((bounds for pattern, bounds in _ROUGH if pattern.search(before)), (1.0, 1.0))


def _bounds_of(quantity: Quantity, text: str) -> tuple[float, float]:
    """Those of the words before it; a part that is told in words is a rounded one."""
    told = _bounds(text[max(0, quantity.start - LONGEST_BEFORE) : quantity.start])
    if quantity.unit != "times" or quantity.words[:1].isdigit():
        return told
    return {(1.0, 1.0): _ROUGH[0][1], _ROUGH[0][1]: ROUGHLY_A_PART}.get(told, told)


@lru_cache(maxsize=TEXTS_KEPT)
def spread_ranges(text: str) -> str:
    """The text with "9-19%" written "9% to 19%"; the places of its quantities are those in this text."""
    return _RANGE.sub(lambda m: f"{m[1]}{m[3]} to {m[2]}{m[3]}", text)


@lru_cache(maxsize=TEXTS_KEPT)
def read_changes(text: str) -> tuple[tuple[Quantity, Quantity], ...]:
    """The two numbers of each "from 1 to 2"."""
    spread = spread_ranges(text)
    numbers = sorted(quantities(text), key=lambda number: number.start)
    return tuple(
        (start, end)
        for start, end in pairwise(numbers)
        if _FROM.search(spread[: start.start]) and _TO.fullmatch(spread[start.end : end.start])
    )


@lru_cache(maxsize=TEXTS_KEPT)
def count_listed(text: str) -> frozenset[int]:
    """How many items the lists of a text have, where it does not say so itself: 3 for "A, B and C"."""
    if _from_words(text):
        return frozenset()
    lists = _LIST.finditer(text)
    return frozenset(1 + match[0].count(",") + (0 if match["comma"] else 1) for match in lists)


def _from_digits(text: str) -> list[Quantity]:
    found = []
    for match in _NUMBER.finditer(text):
        if match["ordinal"]:
            continue
        scale = (
            _SUFFIXES[match["suffix"].lower()] if match["suffix"] else _SCALES.get((match["scale"] or "").lower(), 1.0)
        )
        scale *= _power(match)
        value = float(match["digits"].replace(",", "")) * scale
        step = scale * 10.0 ** -len(match["digits"].partition(".")[2])
        exact = step if value >= FEWEST_DIGITS * step else 0.0
        found.append(Quantity(value, _unit(match), match[0].strip(), match.start(), step=exact))
    return found


def _power(match: re.Match[str]) -> float:
    """What the power of ten behind a number multiplies it by; of "10^-5", what makes it of the ten."""
    exponent = match["e"] or match["raised"] or match["superscript"]
    if not exponent:
        return 1.0
    is_alone = match["power"].lstrip()[:1] not in {"e", "E", "×", "*", "\\"} or match["power"].lstrip().startswith("**")
    return 10.0 ** (min(int(exponent.translate(_PLAIN_DIGITS)), LARGEST_EXPONENT) - is_alone)


def _from_words(text: str) -> list[Quantity]:
    found = []
    for match in _WORD_NUMBER.finditer(text):
        parts = [w for w in re.split(r"[\s-]+", match[0].lower()) if w in _SMALL or w in _SCALES]
        before = text[: match.start()].rstrip()
        is_dozen = parts[0] in _COUNTED_SCALES and len(parts) == 1 and re.search(r"\ban?$", before, re.I)
        if before.endswith(tuple("0123456789")) or (
            parts == ["one"] or not (is_dozen or any(p in _SMALL for p in parts))
        ):
            continue  # a scale that belongs to digits; "one" is mostly a pronoun; "hundreds of" counts nothing
        total, current = 0.0, 0.0
        for part in parts:
            if part in _SMALL:
                current += _SMALL[part]
            elif _SCALES[part] == 100.0:
                current = max(current, 1.0) * 100.0
            else:
                total, current = total + max(current, 1.0) * _SCALES[part], 0.0
        found.append(Quantity(total + current, _unit(match), match[0].strip(), match.start()))
    return found


def _from_multiples(text: str) -> list[Quantity]:
    found = []
    for match in _MULTIPLE.finditer(text):
        stem = next(value for word, value in _MULTIPLES.items() if match["word"].lower().startswith(word[:4]))
        found.append(Quantity(stem, "times", match[0], match.start()))
    for match in _VULGAR.finditer(text):
        numeral = unicodedata.numeric(match["part"])
        unit: Unit = "" if match["whole"] else "times"
        found.append(Quantity(float(match["whole"] or 0) + numeral, unit, match[0], match.start()))
    for match in _ONE_OF_MANY.finditer(text):
        top, whole = (_SMALL.get(match[side].lower()) or _plain_value(match[side]) for side in ("top", "of"))
        if 0 < top < whole:
            found.append(Quantity(top / whole, "times", match[0], match.start()))
    for match in _FRACTION.finditer(text):
        part = match["part"].lower().rstrip("s")
        if part != "half" and not match["top"]:
            continue  # "the third" is an ordinal
        if part in _ORDINALS and (match["top"] or "").lower() == "a" and not _is_share(text, match):
            continue  # so is "a third study"
        top = {"two": 2.0, "three": 3.0, "four": 4.0}.get((match["top"] or "").lower(), 1.0)
        if scaled := _OF_A_SCALE.match(text, match.end()):  # a quarter of a million
            value = top * _PARTS[part] * _SCALES[scaled["scale"].lower()]
            found.append(Quantity(value, "", text[match.start() : scaled.end()], match.start()))
            continue
        found.append(Quantity(top * _PARTS[part], "times", match[0], match.start()))
    return found


_FROM = re.compile(r"\bfrom\s(?:about\s|around\s|~)?$", re.I)
_TO = re.compile(r"[^,;.]{0,20}?\sto\s(?:about\s|around\s|~)?", re.I)
_FACTOR = re.compile(r"\bfactors? of (?:(?:about|around|approximately|roughly|nearly|almost|over|up to) )?$", re.I)
_VULGAR = re.compile(r"(?P<whole>\d+)?\s?(?P<part>[¼½¾⅐-⅞])")
_OF_A_SCALE = re.compile(r"\s(?:of\s)?an?\s(?P<scale>hundred|thousand|million|billion|trillion|dozen)\b", re.I)
_ORDINALS = frozenset({"third", "fifth", "tenth"})
_SHARE_BEHIND = re.compile(r"\s+(?:of|less|more|fewer|as|the|smaller|larger|faster|slower|cheaper)\b|\s*[.)]?$", re.I)
_SHARE_BEFORE = re.compile(r"\b(?:by|to|about|than|nearly|almost|roughly|over|under|least|most|only|just)\s+$", re.I)


def _is_share(text: str, match: re.Match[str]) -> bool:
    return bool(_SHARE_BEHIND.match(text, match.end()) or _SHARE_BEFORE.search(text[: match.start()]))


def _plain_value(digits: str) -> float:
    return float(digits) if digits.isdigit() else _SCALES[digits.lower()]


def _unit(match: re.Match[str]) -> Unit:
    is_multiple = match["times"] or _FACTOR.search(match.string, 0, match.start())
    return "percent" if match["percent"] else "times" if is_multiple else ""


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


def _share(quantity: Quantity) -> float:
    return quantity.value / 100 if quantity.unit == "percent" else quantity.value
