"""The entries of a paper's list of references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from engine.reading.page_layout import Line, join_lines
from engine.text import clean

_MARKS = (
    re.compile(r"\[(\d{1,3})\]"),
    re.compile(r"(\d{1,3})\.\s+\S"),
    re.compile(r"(\d{1,3})\)\s*\S"),
    re.compile(r"(\d{1,3})(?=[A-Z])"),
    re.compile(r"\[[A-Z][^\]]{1,20}\]\s*\S"),
)
"""How entries begin: [1], 1., 1), 1 as an exponent, or [Gu20]."""
_FIRST = re.compile(r"\[1\] |1(?=[A-Z])|1\.\s")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_FLOAT = re.compile(r"(?:Figure|Fig\.|Table)\s+\d")
_AUTHOR = re.compile(r"[A-Z][\w'’-]+, [A-Z]\.")
LONGEST_ENTRY = 12
"""Lines of one entry; what is further apart are footnotes."""
LEAST_ENTRIES = 3
MOST_FIRSTS = 20
"""Lines that could be a list's first and are looked at, the last of them; a hostile file has any number."""
LEAST_UNHEADED = 5
"""Entries without a heading above them that are a list of references."""
LEAST_COUNTED = 0.75
"""Share of the numbers up to the last that must be there; fewer are numbers of volumes, or of parts."""
LEAST_INDENT = 3.0
"""Points by which the lines after an entry's first one begin further right."""


def read_entries(lines: Sequence[Line]) -> list[str]:
    """Each entry begins with its mark; or, without marks, further left than its other lines, or after a full stop."""
    lines = [line for line in lines if line.text]
    starts = _find_marked(lines) or _find_outdented(lines) or _after_full_stop(lines)
    bounds = [*starts, len(lines)]
    parts = (lines[first:last] for first, last in pairwise(bounds))
    return [entry for part in parts if (entry := clean(join_lines([line.text for line in part])))]


def _find_marked(lines: Sequence[Line]) -> list[int]:
    """Where entries with a mark begin; none where there are too few marks, or they do not count up."""
    for mark in _MARKS:
        found = [(at, match) for at, line in enumerate(lines) if (match := mark.match(line.text))]
        if mark.groups:
            due, kept = 1, []
            for at, match in found:
                if due <= int(match[1]) <= due + 2:  # one that was not recognised may be missing
                    kept.append(at)
                    due = int(match[1]) + 1
            if len(kept) < LEAST_COUNTED * (due - 1):
                continue
        else:
            kept = [at for at, _ in found]
        if len(kept) >= LEAST_ENTRIES:
            return kept
    return []


def find_list(lines: Sequence[Line]) -> slice | None:
    """The lines of a list of references that has no heading and goes on to the end, or to the captions that follow it.

    ``None`` where there is none.
    """
    for at in [at for at, line in enumerate(lines) if _FIRST.match(line.text)][-MOST_FIRSTS:]:
        starts = _find_marked(lines[at:])
        if len(starts) >= LEAST_UNHEADED:
            longest = max(b - a for a, b in pairwise(starts))
            last = at + starts[-1]
            end = next((n for n in range(last, len(lines)) if _FLOAT.match(lines[n].text)), len(lines))
            dated = sum(bool(_YEAR.search(line.text)) for line in lines[at:end])
            # Entries have years; the items of a list have not.
            if longest <= LONGEST_ENTRY and end - last <= longest + 1 and dated >= len(starts) / 2:
                return slice(at, end)
    return None


def _find_outdented(lines: Sequence[Line]) -> list[int]:
    """Where lines begin at the left edge of their column, of which the other lines are indented."""
    lefts = Counter(round(line.style.left) for line in lines if line.style)
    edges = [
        left
        for left, count in lefts.items()
        if count >= 2 and any(left + LEAST_INDENT <= other <= left + 60 and n >= 2 for other, n in lefts.items())
    ]
    # The indent of one column is no edge of it: an edge has no edge directly left of it.
    edges = [left for left in edges if not any(left - 60 <= other <= left - LEAST_INDENT for other in edges)]
    starts = [at for at, ln in enumerate(lines) if ln.style and any(abs(ln.style.left - edge) < 2 for edge in edges)]
    return starts if len(starts) >= LEAST_ENTRIES else []


def _after_full_stop(lines: Sequence[Line]) -> list[int]:
    """Where a line begins with a capital after one that ends with a full stop, or with an author after a bracket."""
    return [
        at
        for at, line in enumerate(lines)
        if at == 0
        or (lines[at - 1].text.endswith(".") and line.text[:1].isupper())
        or (lines[at - 1].text.endswith(")") and _AUTHOR.match(line.text))
    ]
