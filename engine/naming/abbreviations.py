"""Abbreviations as abstracts define them: "graph neural networks (GNNs)"."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from engine.values import Paper

_SMALL_WORDS = frozenset(["a", "an", "and", "by", "for", "from", "in", "of", "on", "the", "to", "via", "with"])
LEAST_SPELT_OUT = 0.1
"""Share of the papers that use an abbreviation which say what it stands for."""

_ACRONYM = re.compile(r"[A-Za-z][\w-]*[A-Z]s?")
_IN_BRACKETS = re.compile(r"\(([A-Za-z][\w-]*[A-Z]s?)\)")


def find_long_form(abbreviation: str, before: str) -> str:
    """The words at the end of the text whose initials are the abbreviation; empty where there are none."""
    letters = "".join(ch.lower() for ch in abbreviation if ch.isalpha() and ch.isupper())
    words = before.split()
    for count in range(1, min(len(words), 2 * len(letters)) + 1):
        tail = words[-count:]
        all_initials = "".join(part[0] for word in tail for part in word.split("-") if part).lower()
        initials = "".join(p[0] for w in tail if w.lower() not in _SMALL_WORDS for p in w.split("-") if p).lower()
        if letters in (all_initials, initials):
            return " ".join(tail)
    return ""


def find_abbreviations(papers: Sequence[Paper], least: float = LEAST_SPELT_OUT) -> dict[str, str]:
    """Abbreviation in the singular → the words it mostly stands for, as they are mostly written.

    One that fewer than the share ``least`` of the papers that use it spell out, such as LiDAR, is a word by now.
    """
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    used: Counter[str] = Counter()
    for paper in papers:
        used.update({strip_plural(token) for token in _ACRONYM.findall(f"{paper.title} {paper.content}")})
        for match in _IN_BRACKETS.finditer(paper.content):
            short = strip_plural(match[1])
            if long := find_long_form(short, paper.content[: match.start()]):
                written[short][long] += 1
    spelt_out = {short: forms for short, forms in written.items() if forms.total() >= least * used[short]}
    return {short: forms.most_common(1)[0][0] for short, forms in spelt_out.items()}


def strip_plural(token: str) -> str:
    """``GNN`` for ``GNNs``."""
    return token[:-1] if re.search(r"[A-Z]s$", token) else token
