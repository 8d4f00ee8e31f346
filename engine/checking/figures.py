"""Figures in text, in any notation: digits, number words, per cent, multiples, powers of ten, ranges, with their units.

A unit (``60 km/h``, ``60kmh−1``, 60 kilometres per hour) is a product of powers of base units and a factor; symbols and
prefixes are those of the SI (BIPM, 9th edition, tables 2 to 8) with byte, bit and a few that science uses beside it.
On ``../shared/claims`` (whole sources) 31 of 479 false claims have a figure that the source does not have, and 6 of
457 true ones (qags-xsum: 20 of 123, and 3 of 116).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

_PREFIXES = {
    "n": 1e-9, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "": 1.0,
    "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
}  # fmt: skip
_PREFIX_NAMES = {
    "nano": 1e-9, "micro": 1e-6, "milli": 1e-3, "centi": 1e-2, "deci": 1e-1, "": 1.0,
    "kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12,
}  # fmt: skip
_SCALED = "m g s A K mol Hz N Pa J W V eV T L bit bps Sv Gy"
_UNSCALED = "month ha °C °F ° rad dB rpm mph ft lb oz mi ppm IU mmHg px cd $ € £"
"""Base units, which are their own symbols, with prefixes and without; then what is told in them, likewise."""
_SCALED_OTHERS = {"Wh": ("J", 3600.0), "l": ("L", 1.0), "B": ("bit", 8.0), "b": ("bit", 1.0)}
_UNSCALED_OTHERS = {
    "sec": ("s", 1.0), "min": ("s", 60.0), "h": ("s", 3600.0), "hr": ("s", 3600.0), "hrs": ("s", 3600.0),
    "d": ("s", 86_400.0), "week": ("s", 604_800.0), "year": ("month", 12.0), "t": ("g", 1e6), "fps": ("frame/s", 1.0),
    "USD": ("$", 1.0), "feet": ("ft", 1.0), "foot": ("ft", 1.0),
}  # fmt: skip
_NAMES = {
    "metre": "m", "meter": "m", "gram": "g", "second": "s", "minute": "min", "hour": "h", "day": "d", "week": "week",
    "month": "month", "year": "year", "litre": "L", "liter": "L", "watt": "W", "volt": "V", "joule": "J", "newton": "N",
    "pascal": "Pa", "hertz": "Hz", "tesla": "T", "kelvin": "K", "mole": "mol", "byte": "B", "bit": "bit", "tonne": "t",
    "ton": "t", "degree": "°", "decibel": "dB", "hectare": "ha", "mile": "mi", "pound": "lb", "ounce": "oz",
    "dollar": "$", "euro": "€", "pixel": "px",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of powers of base units, sorted, times a factor: km/h is ``(("m", 1), ("s", -1))`` times 1/3.6."""

    powers: tuple[tuple[str, int], ...]
    factor: float


@cache
def _word_units() -> dict[str, tuple[str, float]]:
    """Every symbol and every name with each prefix that it may have."""
    scaled = {symbol: (symbol, 1.0) for symbol in _SCALED.split()} | _SCALED_OTHERS
    alone = {symbol: (symbol, 1.0) for symbol in _UNSCALED.split()} | _UNSCALED_OTHERS
    named = {f"{name}{ending}": (scaled | alone)[symbol] for name, symbol in _NAMES.items() for ending in ("", "s")}
    found = {
        f"{prefix}{word}": (base, scale * factor)
        for prefixes, words in ((_PREFIXES, scaled), (_PREFIX_NAMES, named))
        for word, (base, factor) in words.items()
        for prefix, scale in prefixes.items()
    }
    return found | alone  # “dB” is no tenth of a byte


_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺–−", "0123456789-+--")
_PART = r"(?:°[CF]?|[$€£]|[A-Za-zµμ]+)"
_POWER = r"(?:\^?\{?-?[1-3]\}?(?!\d|\.\d))?"
_JOINT = r"(?:\s?[·*]\s?|\s?/\s?|\s(?:per\s)?|(?<=\d))"
_EXPRESSION = re.compile(rf"{_PART}{_POWER}(?:{_JOINT}{_PART}{_POWER}){{0,3}}")
_TOKEN = re.compile(rf"(?P<divided>/\s?|\bper\s)?(?P<part>{_PART})(?P<power>{_POWER})")
LONGEST_UNIT = 60
"""Characters behind a number in which its unit is looked for."""


def read_units(text: str) -> tuple[Unit, ...]:
    """What the beginning of a text may be as a unit, of as many parts as can be; ``ms−1`` is a speed or a rate."""
    expression = _EXPRESSION.match(text[:LONGEST_UNIT].translate(_PLAIN_DIGITS))
    tokens = list(_TOKEN.finditer(expression[0])) if expression else []
    for length in range(len(tokens), 0, -1):
        readings = [Unit((), 1.0)]
        for token in tokens[:length]:
            readings = [_multiply(unit, factors) for unit in readings for factors in _factorise(token)]
        if readings:
            return tuple(readings)
    return ()


def _factorise(token: re.Match[str]) -> list[list[tuple[str, int]]]:
    """The known units that one run of letters is made of: one, or two of which the second has the power."""
    word, sign = token["part"], -1 if token["divided"] else 1
    power = sign * int(re.sub(r"[^\d-]", "", token["power"]) or "1")
    found = [[(word, power)]] if word in _word_units() else []
    if token["power"]:
        found += [
            [(word[:at], sign), (word[at:], power)]
            for at in range(1, len(word))
            if word[:at] in _word_units() and word[at:] in _word_units()
        ]
    return found


def _multiply(unit: Unit, factors: list[tuple[str, int]]) -> Unit:
    powers, factor = dict(unit.powers), unit.factor
    for word, power in factors:
        base, scale = _word_units()[word]
        factor *= scale**power
        for name in base.split("/"):
            powers[name] = powers.get(name, 0) + (power if name == base.split("/")[0] else -power)
    return Unit(tuple(sorted((name, power) for name, power in powers.items() if power)), factor)


TEXTS_KEPT = 8_192
"""Texts whose figures and terms are kept: a source is compared with every claim that cites it."""

PERCENT, TIMES = Unit((("%", 1),), 1.0), Unit((("×", 1),), 1.0)
LARGEST_EXPONENT = 300
"""Of a power of ten that is read; none beyond it is a float."""

SMALL_COUNT = 10.0
"""Bare counts up to here are not looked for: a reader counts what a source lists."""

ROUGHLY = 0.05
"""By how much of it a figure may differ that is told with a sign or a word of approximation."""

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: float(n) for n, word in enumerate(_SMALL.split())}
_VALUES |= {word: 10.0 * n for n, word in enumerate(_TENS.split(), start=2)}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SUFFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "m": 1e6, "B": 1e9, "bn": 1e9, "T": 1e12}
_WORDED = "|".join(sorted((*_VALUES, *_SCALES), key=len, reverse=True))
_DIGITS = r"\d{1,3}(?:[,\u2009\u202f]\d{3})+(?:\.\d+)?|\d+(?:[.·]\d+)?|\.\d+"
_EXPONENT = r"[-–−+]?\d{1,4}"
_FIGURE = re.compile(
    rf"(?<![\w.,])(?<![A-Za-z][-−–⁻^])(?:(?P<digits>{_DIGITS})"
    rf"(?:[eE](?P<e>{_EXPONENT})\b|\s*(?:×|x|\*|\\times)\s*10\^?\{{?(?P<times_ten>{_EXPONENT}|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)\}}?"
    rf"|(?<=\b10)(?:\^\{{?(?P<ten>{_EXPONENT})\}}?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?"
    rf"(?:(?P<suffix>bn|[kKMBTm])(?![\w-]))?(?:[\s-](?P<scale>{'|'.join(_SCALES)})\b)?"
    rf"|(?P<words>(?:{_WORDED})(?:(?:\s+and\s+|[\s-]+)(?:{_WORDED}))*)\b)",
    re.I,
)
_PERCENT = re.compile(r"\s?(?:\\?%|per ?cent\b|percentage\b|pp\b)|-percent\b", re.I)
_TIMES = re.compile(r"\s?(?:×|x\b(?!\s?\d)|times\b)|[\s-]?fold\b", re.I)
_NAMED = re.compile(r"[A-Za-z]|-(?:[A-Z]|\d*[A-Za-z]+\d)")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_ROUGH = re.compile(
    r"(?:[~≈∼]|\b(?:about|around|approximately|roughly|nearly|almost|over|under|above|below|than|least|most))\s?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it stands in a text: its words and place, its value, and the units it may be in (none: bare).

    ``step`` is its last written place: .1 of 3.2; ``scaled`` the value with a letter read as thousands and more.
    """

    words: str
    start: int
    value: float
    units: tuple[Unit, ...] = ()
    step: float = 0.0
    scaled: float = 0.0
    is_rough: bool = False

    @property
    def is_year(self) -> bool:
        """Whether it reads like a year of our time."""
        return not self.units and len(self.words) == 4 and self.words.isdigit() and 1800 <= self.value <= 2099

    @property
    def is_small_count(self) -> bool:
        """Whether it only counts a few things."""
        return not self.units and self.value <= SMALL_COUNT and self.value == int(self.value)

    def agrees_with(self, other: Figure) -> bool:
        """Whether this figure tells the ``other``: the same, converted, rounded, or roughly; 79 % and .79 are one."""
        if self.units and other.units:
            alike = [(one.factor, its.factor) for one in self.units for its in other.units if one.powers == its.powers]
            return any(self._is_near(self.value * own, other.value * its, self.step * own) for own, its in alike)
        scales = (1.0, 100.0, 0.01) if PERCENT in (*self.units, *other.units) else (1.0,)
        values, told = ((figure.value, figure.scaled or figure.value) for figure in (self, other))
        return any(
            self._is_near(value, that * scale, self.step) for value in values for that in told for scale in scales
        )

    def _is_near(self, value: float, told: float, step: float) -> bool:
        """Whether they are equal, or the one is the other rounded to its last place."""
        margin = 1e-6 * max(abs(value), abs(told))
        if self.is_rough:
            margin = ROUGHLY * abs(told)
        elif value >= 10 * step:
            margin += step / 2
        return abs(value - told) <= margin


@lru_cache(maxsize=TEXTS_KEPT)
def read_figures(text: str) -> tuple[Figure, ...]:
    """Every figure of a text in order; digits inside names (GPT-4, 3D) and ordinals are none."""
    return tuple(figure for match in _FIGURE.finditer(text) if (figure := _read(match)))


def _read(match: re.Match[str]) -> Figure | None:
    rest = match.string[match.end() :]
    if match["words"]:
        value, step, scaled = _read_words(match["words"]), 0.0, 0.0
        if value is None:
            return None
    else:
        if _ORDINAL.match(rest):
            return None
        digits = re.sub(r"[,\u2009\u202f]", "", match["digits"]).replace("·", ".")
        scale = _SCALES.get((match["scale"] or "").lower(), 1.0) * _read_power(match)
        value, step = float(digits) * scale, scale * 10.0 ** -len(digits.partition(".")[2])
        scaled = value * _SUFFIXES.get(match["suffix"] or "", 0.0)
    symbol = match.string[: match.start()].rstrip()[-1:]
    units = _units_behind(match["suffix"] or "", rest) or (read_units(symbol) if symbol in {"$", "€", "£"} else ())
    if not units and not match["words"] and not match["suffix"] and _NAMED.match(rest):
        return None
    is_rough = bool(_ROUGH.search(match.string[max(0, match.start() - 20) : match.start()]))
    return Figure(match[0].strip(), match.start(), value, units, step, scaled, is_rough)


def _units_behind(suffix: str, rest: str) -> tuple[Unit, ...]:
    if _PERCENT.match(rest):
        return (PERCENT,)
    if _TIMES.match(rest):
        return (TIMES,)
    return read_units(suffix + rest if suffix else rest[1:] if rest[:1] in " -\u00a0\u2009\u202f" else rest)


def _read_power(match: re.Match[str]) -> float:
    said = match["e"] or match["times_ten"]
    alone = match["ten"] or match["raised"]
    exponent = int((said or alone or "0").translate(_PLAIN_DIGITS)) - bool(alone)
    return 10.0 ** max(-LARGEST_EXPONENT, min(exponent, LARGEST_EXPONENT))


def _read_words(said: str) -> float | None:
    """21 of "twenty-one"; nothing of "one", mostly a pronoun, and of "hundred" alone, which counts nothing."""
    parts = [part for part in re.split(r"[\s-]+", said.lower()) if part != "and"]
    if parts == ["one"] or parts[0] in _SCALES:
        return None
    total = current = 0.0
    for part in parts:
        if part in _VALUES:
            current += _VALUES[part]
        elif part == "hundred":
            current = max(current, 1.0) * 100.0
        else:
            total, current = total + max(current, 1.0) * _SCALES[part], 0.0
    return total + current


def find_missing_figures(claim: str, evidence: str, years: frozenset[int] = frozenset()) -> tuple[str, ...]:
    """The figures of a claim that no figure of the evidence tells; a year also stands where a cited paper is of it."""
    there = read_figures(evidence)
    return tuple(
        figure.words
        for figure in read_figures(claim)
        if not figure.is_small_count
        and not (figure.is_year and int(figure.value) in years)
        and not any(figure.agrees_with(other) for other in there)
    )


def derive_figures(evidence: str) -> tuple[float, ...]:
    """Sums, differences and ratios of two figures of the evidence: what a sentence may compute that compares."""
    values = sorted({figure.value for figure in read_figures(evidence)})[:40]
    pairs = [(one, other) for one in values for other in values if one < other]
    return tuple(v for low, high in pairs for v in (high - low, high + low, *((high / low,) if low else ())))
