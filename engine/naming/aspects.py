"""What papers of any field have in common beside its own lines of work: robustness, an application, a kind of model."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.naming.mentions import OWN_WORK
from engine.naming.phrases import stems_of
from engine.text import sentences
from engine.values import Paper
from engine.wordlists import read_lines

MOST_TITLES = 1 / 3
"""Share of a field's titles above which an aspect is what the whole field is about."""

_OTHER = "Other "
"""What begins the heading of the aspects of a group, beside others of it, that are too small for headings."""

TITLES_ALONE = ("Efficiency and Optimization", "Analysis")
"""Groups of aspects whose words are in most texts, so that titles alone tell."""

LEAST_SAID = 3
"""How often a text has to say an aspect that the title does not, once at least of the paper's own work."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """One of them: the group that it is in, its heading, and what the titles of its papers say."""

    group: str
    heading: str
    said: re.Pattern[str]


@cache
def load_aspects() -> tuple[Aspect, ...]:
    """All aspects, those of one group together; of several that fit a paper and are as frequent, the first is taken."""
    rows = [[cell.strip() for cell in line.split("|")] for line in read_lines("naming/wordlists/aspects.txt")]
    return tuple(Aspect(group, heading, _read_words(said)) for group, heading, said in rows)


def _read_words(said: str) -> re.Pattern[str]:
    words = (word.strip() for word in said.split(","))
    patterns = (r"[\s\-–]?".join(map(re.escape, word.split())).replace(r"\*", r"\w*") for word in words)
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", re.I)


def find_aspects(
    papers: Sequence[Paper], field: Sequence[Paper], topic: str, least: int, avoid: Collection[str]
) -> dict[str, list[int]]:
    """Headings of aspects, each with the positions of the papers under it, ``least`` or more: those that say it.

    No aspect that the topic or a heading to ``avoid`` names, nor one that a third of the ``field`` has in the title.
    """
    topical = stems_of(topic)
    titles = {paper.key: _leave_out(topical, paper.title) for paper in field}
    usable = [
        aspect
        for aspect in load_aspects()
        if not aspect.said.search(topic)
        and not any(_is_like(aspect.heading, heading) for heading in avoid)
        and sum(bool(aspect.said.search(title)) for title in titles.values()) < MOST_TITLES * len(field)
    ]
    saying = {
        aspect.heading: {i for i, paper in enumerate(papers) if aspect.said.search(titles[paper.key])}
        for aspect in usable
    }
    found: dict[str, list[int]] = {}
    left = set(range(len(papers)))
    while saying:
        heading = max(saying, key=lambda name: len(saying[name] & left))
        rows = saying.pop(heading) & left
        if len(rows) < least:
            break
        found[heading] = sorted(rows)
        left -= rows
    for aspect in usable:
        if aspect.heading in found and aspect.group not in TITLES_ALONE:
            rows = {i for i in left if _is_told(aspect, papers[i])}
            found[aspect.heading] = sorted({*found[aspect.heading], *rows})
            left -= rows
    for group in dict.fromkeys(aspect.group for aspect in usable):
        said = [aspect.said for aspect in usable if aspect.group == group]
        rows = {i for i in left if any(one.search(titles[papers[i].key]) for one in said)}
        name = _OTHER + group if any(group_of(heading) == group for heading in found) else group
        if len(rows) >= least and not any(_is_like(name, heading) for heading in avoid):
            found[name] = sorted(rows)
            left -= rows
    return found


def find_like(heading: str, papers: Sequence[Paper]) -> NDArray[np.bool_]:
    """Which of the papers have in the title an aspect that is named like the heading."""
    like = [aspect for aspect in load_aspects() if _is_like(aspect.heading, heading)]
    return np.array([any(aspect.said.search(paper.title) for aspect in like) for paper in papers], np.bool_)


def group_of(heading: str) -> str:
    """The group of the aspect, or of the small aspects together, with that heading; empty where it is neither."""
    return _groups().get(heading, "")


def is_group(heading: str) -> bool:
    """Whether the heading stands over several aspects, not over one."""
    return heading in (group_of(heading), _OTHER + group_of(heading)) and bool(group_of(heading))


@cache
def _groups() -> dict[str, str]:
    return {
        heading: aspect.group
        for aspect in load_aspects()
        for heading in (aspect.heading, aspect.group, _OTHER + aspect.group)
    }


def _leave_out(topical: set[str], title: str) -> str:
    """The title without what names the topic in two words or more."""
    words = re.split(r"([\s\-–]+)", title)
    named = [bool(stems_of(word)) and stems_of(word) <= topical for word in words[::2]]
    kept = [
        word
        for i, word in enumerate(words[::2])
        if not (named[i] and ((i and named[i - 1]) or (i + 1 < len(named) and named[i + 1])))
    ]
    return " ".join(kept)


def _is_like(heading: str, other: str) -> bool:
    """Whether half of the words of one are among the other's."""
    said, others = stems_of(heading), stems_of(other)
    return len(said & others) > 0.5 * min(len(said), len(others))


def _is_told(aspect: Aspect, paper: Paper) -> bool:
    """Whether the paper's text is on the aspect."""
    if len(aspect.said.findall(paper.content)) < LEAST_SAID:
        return False
    return any(OWN_WORK.search(text) for text in sentences(paper.content) if aspect.said.search(text))
