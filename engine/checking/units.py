"""Units of measure behind numbers, and how many of one are one of another: 1 h is 60 min."""

from __future__ import annotations

import re
from dataclasses import replace

from engine.checking.quantities import Quantity

LONGEST_BEFORE = 80
"""Characters before a percentage in which it may be called absolute."""

_UNITS = (
    (
        "time",
        (
            ("ns", "ns|nanoseconds?", 1e-9),
            ("µs", "[µμu]s|microseconds?", 1e-6),
            ("ms", "ms|milliseconds?", 1e-3),
            ("s", "s|secs?|seconds?", 1.0),
            ("min", "mins?|minutes?", 60.0),
            ("h", "h|hrs?|hours?", 3600.0),
            ("d", "days?", 86_400.0),
            ("w", "weeks?", 604_800.0),
            ("month", "months?", 2_629_746.0),
            ("y", "years?", 31_556_952.0),
        ),
    ),
    (
        "speed",
        (
            ("m/s", "m/s|met(?:er|re)s per second", 1.0),
            ("km/h", "km/h|kilomet(?:er|re)s per hour", 1 / 3.6),
            ("mph", "mph|miles per hour", 0.447_04),
        ),
    ),
    (
        "length",
        (
            ("nm", "nm|nanomet(?:er|re)s?", 1e-9),
            ("µm", "[µμ]m|microns?|micromet(?:er|re)s?", 1e-6),
            ("mm", "mm|millimet(?:er|re)s?", 1e-3),
            ("cm", "cm|centimet(?:er|re)s?", 1e-2),
            ("m", "m|met(?:er|re)s?", 1.0),
            ("km", "km|kilomet(?:er|re)s?", 1e3),
            ("inch", "inch(?:es)?", 0.025_4),
            ("foot", "ft|foot|feet", 0.304_8),
            ("yard", "yards?", 0.914_4),
            ("mile", "miles?", 1_609.344),
        ),
    ),
    (
        "mass",
        (
            ("mg", "mg|milligrams?", 1e-3),
            ("g", "g|grams?", 1.0),
            ("kg", "kg|kilograms?|kilos?", 1e3),
            ("t", "tons?|tonnes?", 1e6),
            ("ounce", "oz|ounces?", 28.349_523),
            ("pound", "lbs?|pounds?", 453.592_37),
        ),
    ),
    (
        "memory",
        (
            ("KB", "KB|kilobytes?", 1.0),
            ("MB", "MB|megabytes?", 1e3),
            ("GB", "GB|gigabytes?", 1e6),
            ("TB", "TB|terabytes?", 1e9),
        ),
    ),
    ("bits", (("bit", "bits?", 1.0), ("byte", "bytes?", 8.0))),
    (
        "rate",
        (
            ("Hz", "Hz|hertz", 1.0),
            ("kHz", "kHz|kilohertz", 1e3),
            ("MHz", "MHz|megahertz", 1e6),
            ("GHz", "GHz|gigahertz", 1e9),
        ),
    ),
    ("frames", (("fps", "fps|FPS|frames per second", 1.0),)),
    (
        "turns",
        (("rps", "rps|(?:revolutions|rotations|turns) per second", 60.0), ("rpm", "rpm|revolutions per minute", 1.0)),
    ),
    ("force", (("mN", "mN|millinewtons?", 1e-3), ("N", "N|newtons?", 1.0), ("kN", "kN|kilonewtons?", 1e3))),
    ("pressure", (("Pa", "Pa|pascals?", 1.0), ("kPa", "kPa|kilopascals?", 1e3), ("MPa", "MPa", 1e6))),
    ("energy", (("mJ", "mJ", 1e-3), ("J", "J|joules?", 1.0), ("kJ", "kJ", 1e3), ("kWh", "kWh", 3.6e6))),
    ("power", (("mW", "mW|milliwatts?", 1e-3), ("W", "W|watts?", 1.0), ("kW", "kW|kilowatts?", 1e3))),
    ("torque", (("Nm", "Nm", 1.0),)),
    ("temperature", (("C", "°\\s?C|degrees? (?:C|Celsius)", 1.0),)),
    ("heat", (("F", "°\\s?F|degrees? (?:F|Fahrenheit)", 1.0),)),
    ("angle", (("degree", "°|degrees?", 1.0), ("rad", "rad(?:ians?)?", 57.295_779_5))),
    ("sound", (("dB", "dB|decibels?", 1.0),)),
    ("dollars", (("dollar", "dollars?|USD", 1.0),)),
    ("euros", (("euro", "euros?|EUR", 1.0),)),
    (
        "share",
        (
            (
                "points",
                "(?:%|per ?cent|percentage)?[- ]?(?:absolute )?points?|pp|%p|% (?:on the |in )?abs(?:olute)?|absolute",
                1.0,
            ),
        ),
    ),
)
"""What is measured, and its units: name, written forms, how many of the smallest written without a prefix they are."""

_UNIT = re.compile(
    r"[\s-]*(?:"
    + "|".join(rf"(?P<u{i}_{j}>{form})" for i, (_, forms) in enumerate(_UNITS) for j, (_, form, _) in enumerate(forms))
    + r")(?![\w])"
)
_FACTORS = {name: (kind, factor) for kind, forms in _UNITS for name, _, factor in forms}

_ABSOLUTE_BEFORE = re.compile(r"\babsolute (?:[a-z]+ ){0,2}?(?:of |by )?(?:over |about |up to |around )?$", re.I)
"""What makes a percentage one of points: "an absolute improvement of 3.4%"."""

_CURRENCIES = {"$": "dollar", "€": "euro"}
_CURRENCY = re.compile(r"[$€]\s?$")


def are_unlike(one: str, other: str) -> bool:
    """Whether what the first unit measures is not counted in the other, which may be none: dollars, kilograms."""
    kind, _ = _FACTORS.get(one, ("share", 1.0))
    return kind not in {"share", _FACTORS.get(other, ("", 1.0))[0]}


def find_unit(text: str, number: Quantity) -> str:
    """The name of the unit behind a number of the text; empty where none stands there."""
    for start in (number.end, number.end - len(number.words) + len(number.words.rstrip("%percntag -"))):
        if found := _UNIT.match(text, start):
            i, j = (int(part) for part in str(found.lastgroup)[1:].split("_"))
            return _UNITS[i][1][j][0]
    before = text[max(0, number.start - LONGEST_BEFORE) : number.start]
    if sign := _CURRENCY.search(before):
        return _CURRENCIES[sign[0][0]]
    return "points" if number.unit == "percent" and _ABSOLUTE_BEFORE.search(before) else ""


def convert(number: Quantity, unit: str, wanted: str) -> Quantity | None:
    """The number in another unit of the same kind; ``None`` where there is no such unit."""
    kind, factor = _FACTORS.get(unit, ("", 0.0))
    other, per = _FACTORS.get(wanted, ("-", 1.0))
    return replace(number, value=number.value * factor / per) if kind == other else None
