"""Which lines of a paper are headings: by their type, the sequence of their numbers, their names and their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TypeAlias

from engine.reading.page_layout import CAPTION, TextBlock
from engine.reading.pdf_text import Line
from engine.text import fold

HEADING_CHARACTERS = 90
LONGEST_HEADING = 160
"""Characters of a heading in several lines."""
LARGER = 1.06
"""Type that is so much larger than the text's is a heading's."""
MOST_SKIPPED = 2
"""Headings that may be missing between two numbers, because they were not recognised."""
LEAST_HEADINGS = 2
"""Lines in a heading's type from which on the type is what tells headings."""

_THANKS = ("acknowledgment", "acknowledgments", "acknowledgement", "acknowledgements")
AFTER_BODY = frozenset(("references", "bibliography", "appendix", *_THANKS))
KNOWN_HEADINGS = AFTER_BODY | {"abstract", "introduction", "conclusion", "conclusions"}
"""Parts that papers of all fields have under these names, folded, with a number or without."""
_NUMBER = r"\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}(?:[.-](?:[A-Z]|\d{1,2}))?|[A-H](?:\.\d{1,2}){0,2}"
_NUMBERED = re.compile(rf"(?P<appendix>(?i:appendix)\s+)?(?P<number>{_NUMBER})(?(appendix)[.:]?|\.?)\s+(?P<name>\S.*)")
_RUN_IN = re.compile(
    r"(abstract|summary|key ?words|index terms)\s*(?:[—–:]|\.(?=\s|$)|-+(?=\s*[A-Z]))\s*|"
    r"(acknowledge?ments?)\b[.:]?\s+(?-i:(?=[A-Z]))",
    re.I,
)
_NUMBERED_RUN_IN = re.compile(r"(\d{1,2}(?:\.\d{1,2}){1,3})\.?\s+([^.!?]{3,80})\.\s+(?=\S)")
"""“2.1. Data sets. We collect …”: a numbered heading in the line of its text, as mathematicians set it."""
_ROMANS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV")


Section: TypeAlias = tuple[str, list[Line]]
"""A heading, empty before the first, and the lines below it."""


def divide(lines: Sequence[Line], text: TextBlock | None) -> list[Section]:
    """The sections of a paper in order."""
    reader = _Headings(lines, text)
    found: list[Section] = [("", [])]
    at = 0
    while at < len(lines):
        line = lines[at]
        heading, used = reader.read(at)
        run_in = None if used else _RUN_IN.match(line.text)
        if run_in and run_in[2]:
            heading = run_in[2]
        elif run_in and fold(found[-1][0]) in {"", "abstract"}:
            heading = "Abstract" if run_in[1].lower() in {"abstract", "summary"} else "Keywords"
        elif not used and (run_in := _NUMBERED_RUN_IN.match(line.text)) and reads_as_heading(run_in[2]):
            heading = run_in[2] if reader.numbering.take(run_in[1]) else ""
        if heading:
            found.append((heading, []))
        if not used:
            found[-1][1].append(replace(line, text=line.text[run_in.end() :]) if run_in and heading else line)
        at += used or 1
    return found


class Numbering:
    """The sequence of the numbers of headings: 1, 1.1, 2; or I, A, 1, 2, B, II; or II-A; then A, A.1 of an appendix."""

    def __init__(self) -> None:
        self._last: list[tuple[str, tuple[int, ...]]] = []

    def take(self, number: str) -> bool:
        """Whether a number comes next; then it is the last one of its kind, and those of kinds below begin anew."""
        for kind, values in _readings(number):
            kinds = [known for known, _ in self._last]
            level = kinds.index(kind) if kind in kinds else len(kinds)
            before = self._last[level][1][: len(values)] if level < len(kinds) else ()
            steps = (value - then for value, then in zip_longest(values, before, fillvalue=0))
            if 0 < next((step for step in steps if step), 0) <= 1 + MOST_SKIPPED:  # of the first part that differs
                self._last[level:] = [(kind, values)]
                return True
        return False


def _readings(number: str) -> list[tuple[str, tuple[int, ...]]]:
    """The kinds of number it may be, each with the values of its parts: “V” is a Roman five before it is a letter."""
    first, *rest = re.split(r"[.-]", number)
    below = tuple(int(part) if part.isdigit() else ord(part) - ord("A") + 1 for part in rest)
    if first.isdigit():
        return [("figure", (int(first), *below))]
    readings = [("roman", (_ROMANS.index(first) + 1, *below))] if first in _ROMANS else []
    return readings + ([("letter", (ord(first) - ord("A") + 1, *below))] if len(first) == 1 else [])


def reads_as_heading(text: str) -> bool:
    """Whether the words could be a heading: a capital first, few words, no sentence, and no caption."""
    is_title = text[:1].isupper() and not text.endswith((".", ",", ";", ":")) and 1 <= len(text.split()) <= 10
    is_other = re.search(r"[a-z]{3}\.\s", text) or CAPTION.match(text)
    return is_title and not is_other and sum(ch.isalpha() for ch in text) > len(text) / 2


class _Headings:
    """Headings have a number in sequence, a known name, or the type of those that have, where types tell anything."""

    def __init__(self, lines: Sequence[Line], text: TextBlock | None) -> None:
        self._lines = lines
        self.numbering = Numbering()
        self._last = -1
        marked = [line for line in lines if _is_marked(line, text)]
        self._text = text if len(marked) >= LEAST_HEADINGS else None
        self._is_numbered = sum(bool(_NUMBERED.fullmatch(line.text)) for line in marked) > len(marked) / 3
        self._types = {_type_of(line) for line in marked}

    def read(self, at: int) -> tuple[str, int]:
        """The heading that begins at a line, and how many lines it has; empty and 0 where none does."""
        line = self._lines[at]
        if not (_is_prominent(line, self._text) if self._text else 3 <= len(line.text) <= HEADING_CHARACTERS):
            return "", 0
        used = self._count_lines(at, self._text) if self._text else 1
        whole = " ".join(line.text for line in self._lines[at : at + used]).replace("\u00ad ", "")
        numbered = _NUMBERED.fullmatch(whole)
        bare = numbered["name"] if numbered else whole
        if not fold(bare) or len(whole) > LONGEST_HEADING:
            return "", 0
        if fold(bare) in KNOWN_HEADINGS and (self._stands_free(at) or not self._is_numbered):
            is_heading = True
            if numbered:
                self.numbering.take(numbered["number"])
        elif numbered:
            is_heading = self._may_be_numbered(at, bare) and self.numbering.take(numbered["number"])
        else:
            # Nothing above the abstract is a heading.
            is_heading = self._text is not None and self._last >= 0 and self._is_like_others(at, bare, self._text)
        if not is_heading:
            return "", 0
        self._last = at
        return bare, used

    def _may_be_numbered(self, at: int, bare: str) -> bool:
        """Whether words behind a number may be a heading; those of no type only where they are alone on their line."""
        if self._text:
            return bare[:1].isupper() and not bare.endswith((",", ";"))
        above = self._lines[max(self._last + 1, at - 3) : at]
        before = next((line.text for line in reversed(above) if line.text), "")
        after = self._lines[at + 1].text if at + 1 < len(self._lines) else ""
        is_alone = not re.search(r"[a-z,;(–-]$", before) and not re.match(r"[a-z(),;]", after)
        return is_alone and reads_as_heading(bare)

    def _count_lines(self, at: int, text: TextBlock) -> int:
        used = 1
        while at + used < len(self._lines) and used < 3:
            line, above = self._lines[at + used], self._lines[at + used - 1]
            if _type_of(line) != _type_of(above) or line.page != above.page:
                break
            if not text.is_directly_below(line.style, above.style) or _NUMBERED.fullmatch(line.text):
                break
            used += 1
        return used

    def _is_like_others(self, at: int, bare: str, text: TextBlock) -> bool:
        """Whether a line without a number is set as headings are, free of the text around it."""
        style = self._lines[at].style
        if not reads_as_heading(bare) or not self._stands_free(at):
            return False
        is_larger = style.size >= LARGER * text.size
        if self._is_numbered:
            return is_larger and _type_of(self._lines[at]) in self._types
        return is_larger or (text.is_in_column(style) and style.size > 0.97 * text.size)

    def _stands_free(self, at: int) -> bool:
        """Whether the line before is further away than lines of the text, or not of this column."""
        if self._text is None or not at:
            return True
        line, before = self._lines[at], self._lines[at - 1]
        distance = line.style.baseline - before.style.baseline
        return before.page != line.page or not 0 < distance <= 1.15 * self._text.pitch


def _is_marked(line: Line, text: TextBlock | None) -> bool:
    """Whether a line has a heading's type, and a number or a known name."""
    if text is None or not _is_prominent(line, text) or len(line.text) > HEADING_CHARACTERS:
        return False
    numbered = _NUMBERED.fullmatch(line.text)
    bare = numbered["name"] if numbered else line.text
    return fold(bare) in KNOWN_HEADINGS or (numbered is not None and reads_as_heading(bare))


def _is_prominent(line: Line, text: TextBlock) -> bool:
    style = line.style
    if not any(ch.isalpha() for ch in line.text):
        return False
    in_capitals = line.text.isupper() and sum(ch.isalpha() for ch in line.text) >= 4
    return style.size >= LARGER * text.size or style.is_bold or style.is_italic or in_capitals


def _type_of(line: Line) -> tuple[float, bool, bool, bool]:
    style = line.style
    return round(style.size), style.is_bold, style.is_italic, line.text.isupper()
