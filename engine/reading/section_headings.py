"""Which lines of a paper are headings: by their type, the sequence of their numbers, their names and their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.reading.page_layout import Line, TextBlock
from engine.text import fold

HEADING_CHARACTERS = 90
LONGEST_HEADING = 160
"""Characters of a heading in several lines."""
LARGER = 1.06
"""Type that is so much larger than the text's is a heading's."""
MOST_SKIPPED = 2
"""Headings that may be missing between two numbers, because they were not recognised."""
_FLOAT = re.compile(r"(?:fig(?:ure|\.)|tab(?:le|\.)|algorithm|listing)\s+[\dIVX]", re.I)
LEAST_FREQUENT = 4
"""Lines without a number, each different, from which on their type is one of headings."""
LEAST_HEADINGS = 2
"""Lines in a heading's type from which on the type is what tells headings."""

KNOWN_HEADINGS = frozenset(
    fold(name)
    for name in (
        "abstract", "introduction", "background", "related work", "preliminaries", "methods", "method", "methodology",
        "approach", "materials and methods", "experiments", "experimental setup", "results", "evaluation", "analysis",
        "discussion", "limitations", "conclusion", "conclusions", "conclusion and future work",
        "conclusions and future work", "future work", "acknowledgment", "acknowledgments", "acknowledgement",
        "acknowledgements", "data availability", "author contributions", "references", "bibliography", "appendix",
    )
)  # fmt: skip
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


@dataclass(frozen=True, slots=True)
class SectionLines:
    """The lines of a section, without those of its heading, which is empty before the first."""

    heading: str
    lines: tuple[Line, ...]


def divide(lines: Sequence[Line], text: TextBlock | None) -> list[SectionLines]:
    """The sections of a paper in order."""
    is_set = text is not None and sum(_is_marked(line, text) for line in lines) >= LEAST_HEADINGS
    reader = _StyledHeadings(lines, text) if text is not None and is_set else _PlainHeadings(lines)
    found = [SectionLines("", ())]
    held: list[Line] = []
    at = 0
    while at < len(lines):
        heading, used = reader.read(at)
        run_in = None if used else _RUN_IN.match(lines[at].text)
        if run_in and run_in[2]:
            heading = run_in[2]
        elif run_in and _may_run_in(run_in[1], found[-1].heading):
            heading = "Abstract" if run_in[1].lower() in {"abstract", "summary"} else "Keywords"
        elif not used and (run_in := _NUMBERED_RUN_IN.match(lines[at].text)) and _opens_section(run_in[2], lines, at):
            heading = run_in[2] if reader.numbering.take(run_in[1]) else ""
        if heading:
            found[-1] = SectionLines(found[-1].heading, tuple(held))
            found.append(SectionLines(heading, ()))
            held = []
        if not used:
            rest = lines[at].text[run_in.end() :] if run_in and heading else lines[at].text
            held.append(Line(rest, lines[at].page, lines[at].style))
        at += used or 1
    found[-1] = SectionLines(found[-1].heading, tuple(held))
    return found


def _opens_section(words: str, lines: Sequence[Line], at: int) -> bool:
    """Whether words at the beginning of a line can be a heading: a sentence, or nothing, ends before."""
    before = next((line.text for line in reversed(lines[:at]) if line.text), "")
    return reads_as_heading(words) and (before.rstrip().endswith((".", "!", "?", ":")) or len(before) < 40)


def _may_run_in(word: str, section: str) -> bool:
    """Whether a paragraph that begins with this word is a section of its own here."""
    return fold(section) in ({"", "abstract"} if word.lower().startswith(("key", "index")) else {""})


class Numbering:
    """The sequence of the numbers of headings: 1, 1.1, 2; or I, A, 1, 2, B, II; or II-A; then A, A.1 of an appendix."""

    def __init__(self) -> None:
        self._main = 0
        self._letter = 0
        self._is_roman = False
        self._below: tuple[int, ...] = ()

    def take(self, number: str) -> bool:
        """Whether a number comes next; then it is the last one."""
        first, *rest = re.split(r"[.-]", number)
        if rest:
            return self._take_below(first, tuple(_place(part) for part in rest))
        value = int(first) if first.isdigit() else _ROMANS.index(first) + 1 if first in _ROMANS else 0
        if self._is_roman and self._letter and first.isdigit():
            return self._take_below(chr(ord("A") + self._letter - 1), (value,))
        if self._main < value <= self._main + 1 + MOST_SKIPPED:
            self._main, self._letter, self._below = value, 0, ()
            self._is_roman = not first.isdigit()
            return True
        letter = _place(first) if first.isalpha() and len(first) == 1 else 0
        if self._letter < letter <= self._letter + MOST_SKIPPED:
            self._letter, self._below = letter, ()
            return True
        return False

    def _take_below(self, first: str, rest: tuple[int, ...]) -> bool:
        is_letter = first.isalpha() and first not in _ROMANS
        value = _place(first) if is_letter else int(first) if first.isdigit() else _ROMANS.index(first) + 1
        last = self._letter if is_letter else self._main
        if not max(1, last) <= value <= last + 1 + MOST_SKIPPED or not all(rest):
            return False
        before = self._below if value == last else ()
        if not _comes_after(rest, before):
            return False
        self._below = rest
        if is_letter:
            self._letter = value
        else:
            self._main, self._letter = value, 0
        return True


def _comes_after(rest: tuple[int, ...], before: tuple[int, ...]) -> bool:
    for at, value in enumerate(rest):
        then = before[at] if at < len(before) else 0
        if value != then:
            return then < value <= then + 1 + MOST_SKIPPED
    return False


def _place(part: str) -> int:
    return int(part) if part.isdigit() else ord(part[0]) - ord("A") + 1


class _PlainHeadings:
    """Headings of a text without styles: known names, and numbers in sequence on lines of their own."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self.numbering = Numbering()
        self._last = -1

    def read(self, at: int) -> tuple[str, int]:
        """The heading that begins at a line, and how many lines it has; empty and 0 where none does."""
        line = self._lines[at].text
        numbered = _NUMBERED.fullmatch(line)
        bare = numbered["name"] if numbered else line
        is_known = fold(bare) in KNOWN_HEADINGS
        is_possible = 3 <= len(line) <= HEADING_CHARACTERS
        if not is_possible or not (is_known or (numbered and reads_as_heading(bare) and self._is_alone(at))):
            return "", 0
        follows = numbered is not None and self.numbering.take(numbered["number"])
        if not (is_known or follows):
            return "", 0
        self._last = at
        return bare, 1

    def _is_alone(self, at: int) -> bool:
        """Whether the line before is at its end, and the one after at its beginning."""
        above = self._lines[max(self._last + 1, at - 3) : at]
        before = next((line.text for line in reversed(above) if line.text), "")
        after = self._lines[at + 1].text if at + 1 < len(self._lines) else ""
        return not re.search(r"[a-z,;(–-]$", before) and not re.match(r"[a-z(),;]", after)


def reads_as_heading(text: str) -> bool:
    """Whether the words could be a heading: a capital first, no sentence, no names with initials."""
    if re.match(r"(?:We|It|They|This|These|Our|Then|In this)\b", text):
        return False
    if re.search(r",\s+[A-Z]\.|[a-z]{3}\.+\s+[A-Z]", text):  # names; a sentence that begins behind another's end
        return False
    is_title = text[:1].isupper() and not text.endswith((".", ",", ";", ":")) and 1 <= len(text.split()) <= 10
    return is_title and sum(ch.isalpha() for ch in text) > len(text) / 2


class _StyledHeadings:
    """Headings told by their type: larger, bold, italic or in capitals, as those with a number or a known name are."""

    def __init__(self, lines: Sequence[Line], text: TextBlock) -> None:
        self._lines = lines
        self._text = text
        self.numbering = Numbering()
        self._is_open = False  # nothing above the abstract is a heading
        marked = [line for line in lines if _is_marked(line, text)]
        self._is_numbered = sum(bool(_NUMBERED.fullmatch(line.text)) for line in marked) > len(marked) / 3
        self._types = {_type_of(line) for line in marked}
        self._frequent = self._find_frequent()

    def read(self, at: int) -> tuple[str, int]:
        """The heading that begins at a line, and how many lines it has; empty and 0 where none does."""
        if not _is_prominent(self._lines[at], self._text):
            return "", 0
        used = self._count_lines(at)
        whole = " ".join(line.text for line in self._lines[at : at + used]).replace("\u00ad ", "")
        numbered = _NUMBERED.fullmatch(whole)
        if numbered and _is_article(numbered) and not self._is_numbered:
            numbered = None
        bare = numbered["name"] if numbered else whole
        name = fold(bare)
        if not name or len(whole) > LONGEST_HEADING:
            return "", 0
        if name in KNOWN_HEADINGS and (self._stands_free(at, used) or not self._is_numbered):
            is_heading = True
            if numbered:
                self.numbering.take(numbered["number"])
        elif numbered:
            is_heading = (
                bare[:1].isupper() and not bare.endswith((",", ";")) and self.numbering.take(numbered["number"])
            )
        else:
            is_heading = self._is_open and self._is_like_others(at, used, bare)
        self._is_open = self._is_open or is_heading
        return (bare, used) if is_heading else ("", 0)

    def _find_frequent(self) -> set[tuple[float, bool, bool, bool]]:
        """Bold or larger types in which several different lines stand free and read as headings."""
        said: dict[tuple[float, bool, bool, bool], set[str]] = {}
        for at, line in enumerate(self._lines):
            style = line.style
            if style is None or not (style.is_bold or style.size >= LARGER * self._text.size):
                continue
            if reads_as_heading(line.text) and not _FLOAT.match(line.text) and self._stands_free(at, 1):
                said.setdefault(_type_of(line), set()).add(fold(line.text))
        return {kind for kind, texts in said.items() if len(texts) >= LEAST_FREQUENT}

    def _count_lines(self, at: int) -> int:
        """How many lines of one type stand directly below each other here."""
        used = 1
        while at + used < len(self._lines) and used < 3:
            line, above = self._lines[at + used], self._lines[at + used - 1]
            if not (line.style and above.style) or _type_of(line) != _type_of(above) or line.page != above.page:
                break
            if not self._text.is_directly_below(line.style, above.style) or _NUMBERED.fullmatch(line.text):
                break
            used += 1
        return used

    def _is_like_others(self, at: int, used: int, bare: str) -> bool:
        """Whether a line without a number is set as headings are, free of the text around it."""
        style = self._lines[at].style
        if style is None or not reads_as_heading(bare) or _FLOAT.match(bare) or not self._stands_free(at, used):
            return False
        is_larger = style.size >= LARGER * self._text.size
        kind = _type_of(self._lines[at])
        if self._is_numbered:
            return is_larger and kind in self._types | self._frequent
        is_of_text = self._text.is_in_column(style) and style.size > 0.97 * self._text.size
        return is_larger or is_of_text or kind in self._frequent

    def _stands_free(self, at: int, used: int) -> bool:
        """Whether the lines before and after are further away than lines of the text, or not of this column."""
        style = self._lines[at].style
        before = self._lines[at - 1] if at else None
        if style is None or before is None or before.style is None or before.page != self._lines[at].page:
            return True
        distance = style.baseline - before.style.baseline
        return not 0 < distance <= 1.15 * self._text.pitch


def _is_marked(line: Line, text: TextBlock | None) -> bool:
    """Whether a line has a heading's type, and a number or a known name."""
    if text is None or not _is_prominent(line, text) or len(line.text) > HEADING_CHARACTERS:
        return False
    numbered = _NUMBERED.fullmatch(line.text)
    bare = numbered["name"] if numbered else line.text
    return fold(bare) in KNOWN_HEADINGS or (numbered is not None and reads_as_heading(bare))


def _is_prominent(line: Line, text: TextBlock) -> bool:
    style = line.style
    if style is None or not any(ch.isalpha() for ch in line.text):
        return False
    in_capitals = line.text.isupper() and sum(ch.isalpha() for ch in line.text) >= 4
    return style.size >= LARGER * text.size or style.is_bold or style.is_italic or in_capitals


def _is_article(numbered: re.Match[str]) -> bool:
    """Whether what could be the letter of an appendix could be the word "A"."""
    return numbered["number"] == "A" and not numbered["appendix"] and re.match(r"A\s", numbered[0]) is not None


def _type_of(line: Line) -> tuple[float, bool, bool, bool]:
    style = line.style
    if style is None:
        return 0.0, False, False, False
    return round(style.size), style.is_bold, style.is_italic, line.text.isupper()
