"""Abbreviations as abstracts define them: "graph neural networks (GNNs)"."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from engine.text import find_long_form
from engine.values import Paper

LEAST_SPELT_OUT = 0.1
"""Share of the papers that use an abbreviation which say what it stands for."""

_ACRONYM = re.compile(r"[A-Za-z][\w-]*[A-Z]s?")
_IN_BRACKETS = re.compile(r"\(([A-Za-z][\w-]*[A-Z]s?)\)")


def find_abbreviations(papers: Sequence[Paper]) -> dict[str, str]:
    """Abbreviation in the singular → the words it mostly stands for, as they are mostly written.

    One that fewer than `LEAST_SPELT_OUT` of the papers that use it spell out, such as LiDAR, is a word by now.
    """
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    used: Counter[str] = Counter()
    for paper in papers:
        used.update({strip_plural(token) for token in _ACRONYM.findall(f"{paper.title} {paper.content}")})
        for match in _IN_BRACKETS.finditer(paper.content):
            short = strip_plural(match[1])
            if long := find_long_form(short, paper.content[: match.start()]):
                written[short][long] += 1
    spelt_out = {short: forms for short, forms in written.items() if forms.total() >= LEAST_SPELT_OUT * used[short]}
    return {short: forms.most_common(1)[0][0] for short, forms in spelt_out.items()}


def strip_plural(token: str) -> str:
    """``GNN`` for ``GNNs``."""
    return token[:-1] if re.search(r"[A-Z]s$", token) else token
