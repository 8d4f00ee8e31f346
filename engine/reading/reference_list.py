"""The entries of a paper's list of references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from engine.reading.page_layout import Line, join_lines
from engine.text import clean

_MARKS = (re.compile(r"\[(\d{1,3})\]"), re.compile(r"(\d{1,3})\.\s+\S"), re.compile(r"\[[A-Z][^\]]{1,20}\]\s*\S"))
"""How entries begin: [1], 1., or [Gu20]."""
LEAST_ENTRIES = 3
LEAST_INDENT = 3.0
"""Points by which the lines after an entry's first one begin further right."""


def read_entries(lines: Sequence[Line]) -> list[str]:
    """Each entry begins with its mark; or, without marks, further left than its other lines, or after a full stop."""
    lines = [line for line in lines if line.text]
    starts = _marked(lines) or _outdented(lines) or _after_full_stop(lines)
    bounds = [*starts, len(lines)]
    parts = (lines[first:last] for first, last in pairwise(bounds))
    return [entry for part in parts if (entry := clean(join_lines([line.text for line in part])))]


def _marked(lines: Sequence[Line]) -> list[int]:
    """Where entries with a mark begin; none where there are too few marks, or they do not count up."""
    for mark in _MARKS:
        found = [(at, match) for at, line in enumerate(lines) if (match := mark.match(line.text))]
        if mark.groups:
            due, kept = 1, []
            for at, match in found:
                if due <= int(match[1]) <= due + 2:  # one that was not recognised may be missing
                    kept.append(at)
                    due = int(match[1]) + 1
        else:
            kept = [at for at, _ in found]
        if len(kept) >= LEAST_ENTRIES:
            return kept
    return []


def _outdented(lines: Sequence[Line]) -> list[int]:
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
    """Where a line begins with a capital after one that ends with a full stop."""
    return [
        at for at, line in enumerate(lines) if at == 0 or (lines[at - 1].text.endswith(".") and line.text[:1].isupper())
    ]
