"""Units of measure behind a number, in any notation: ``60 km/h``, ``60kmh−1``, ``60 km h^-1``, 60 kilometres per hour.

A unit is read as a product of powers of base units and a factor; the symbols and prefixes are those of the SI (BIPM,
9th edition, tables 2 to 8) with byte, bit and a few that science uses beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_PREFIXES = {
    "n": 1e-9, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "": 1.0,
    "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
}  # fmt: skip
_PREFIX_NAMES = {
    "nano": 1e-9, "micro": 1e-6, "milli": 1e-3, "centi": 1e-2, "deci": 1e-1, "": 1.0,
    "kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12,
}  # fmt: skip
_SYMBOLS: dict[str, tuple[str, float]] = {
    "m": ("m", 1.0), "g": ("g", 1.0), "s": ("s", 1.0), "A": ("A", 1.0), "K": ("K", 1.0), "mol": ("mol", 1.0),
    "Hz": ("Hz", 1.0), "N": ("N", 1.0), "Pa": ("Pa", 1.0), "J": ("J", 1.0), "W": ("W", 1.0), "V": ("V", 1.0),
    "Wh": ("J", 3600.0), "eV": ("eV", 1.0), "T": ("T", 1.0), "L": ("L", 1.0), "l": ("L", 1.0), "B": ("bit", 8.0),
    "b": ("bit", 1.0), "bit": ("bit", 1.0), "bps": ("bps", 1.0), "Sv": ("Sv", 1.0), "Gy": ("Gy", 1.0),
}  # fmt: skip
_ALONE: dict[str, tuple[str, float]] = {
    "min": ("s", 60.0), "h": ("s", 3600.0), "hr": ("s", 3600.0), "hrs": ("s", 3600.0), "d": ("s", 86_400.0),
    "sec": ("s", 1.0), "ha": ("ha", 1.0), "t": ("g", 1e6), "°C": ("°C", 1.0), "°F": ("°F", 1.0), "°": ("°", 1.0),
    "rad": ("rad", 1.0), "dB": ("dB", 1.0), "fps": ("frame/s", 1.0), "rpm": ("rpm", 1.0), "mph": ("mph", 1.0),
    "ft": ("ft", 1.0), "lb": ("lb", 1.0), "oz": ("oz", 1.0), "mi": ("mi", 1.0), "ppm": ("ppm", 1.0), "IU": ("IU", 1.0),
    "mmHg": ("mmHg", 1.0), "px": ("px", 1.0), "$": ("$", 1.0), "€": ("€", 1.0), "£": ("£", 1.0), "USD": ("$", 1.0),
    "feet": ("ft", 1.0), "foot": ("ft", 1.0), "cd": ("cd", 1.0),
}  # fmt: skip
_NAMES: dict[str, tuple[str, float]] = {
    "metre": ("m", 1.0), "meter": ("m", 1.0), "gram": ("g", 1.0), "second": ("s", 1.0), "minute": ("s", 60.0),
    "hour": ("s", 3600.0), "day": ("s", 86_400.0), "week": ("s", 604_800.0), "month": ("month", 1.0),
    "year": ("month", 12.0), "litre": ("L", 1.0), "liter": ("L", 1.0), "watt": ("W", 1.0), "volt": ("V", 1.0),
    "joule": ("J", 1.0), "newton": ("N", 1.0), "pascal": ("Pa", 1.0), "hertz": ("Hz", 1.0), "tesla": ("T", 1.0),
    "kelvin": ("K", 1.0), "mole": ("mol", 1.0), "byte": ("bit", 8.0), "bit": ("bit", 1.0), "tonne": ("g", 1e6),
    "ton": ("g", 1e6), "degree": ("°", 1.0), "decibel": ("dB", 1.0), "hectare": ("ha", 1.0), "mile": ("mi", 1.0),
    "pound": ("lb", 1.0), "ounce": ("oz", 1.0), "dollar": ("$", 1.0), "euro": ("€", 1.0), "pixel": ("px", 1.0),
}  # fmt: skip

Powers = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of powers of base units, sorted, times a factor: km/h is ``(("m", 1), ("s", -1))`` times 1/3.6."""

    powers: Powers
    factor: float


@cache
def _word_units() -> dict[str, tuple[str, float]]:
    """Every symbol and every name with each prefix that it may have."""
    found: dict[str, tuple[str, float]] = {}
    for symbol, (base, factor) in _SYMBOLS.items():
        found |= {f"{prefix}{symbol}": (base, scale * factor) for prefix, scale in _PREFIXES.items()}
    for name, (base, factor) in _NAMES.items():
        for prefix, scale in _PREFIX_NAMES.items():
            found |= {f"{prefix}{name}{ending}": (base, scale * factor) for ending in ("", "s")}
    return found | _ALONE  # “dB” is no tenth of a byte


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−–", "0123456789---")
_PART = r"(?:°[CF]?|[$€£]|[A-Za-zµμ]+)"
_POWER = r"(?:\^?\{?-?[1-3]\}?(?!\d|\.\d))?"
_JOINT = r"(?:\s?[·*]\s?|\s?/\s?|\s(?:per\s)?|(?<=\d))"
_EXPRESSION = re.compile(rf"{_PART}{_POWER}(?:{_JOINT}{_PART}{_POWER}){{0,3}}")
_TOKEN = re.compile(rf"(?P<divided>/\s?|\bper\s)?(?P<part>{_PART})(?P<power>{_POWER})")
LONGEST_UNIT = 60
"""Characters behind a number in which its unit is looked for."""


def read_units(text: str) -> tuple[Unit, ...]:
    """What the beginning of a text may be as a unit, of as many parts as can be; ``ms−1`` is a speed or a rate."""
    expression = _EXPRESSION.match(text[:LONGEST_UNIT].translate(_SUPERSCRIPTS))
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
