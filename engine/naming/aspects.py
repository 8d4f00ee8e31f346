"""What papers of any field have in common beside its own lines of work: robustness, an application, a kind of model."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from engine.naming.mentions import OWN_WORK
from engine.naming.phrases import stems_of
from engine.text import sentences
from engine.values import Paper
from engine.wordlists import read_lines

MOST_TITLES = 1 / 3
"""Share of a field's titles above which an aspect is what the whole field is about."""

TITLES_ALONE = ("Efficiency", "Analysis")
"""Groups of aspects whose words are in most texts, so that titles alone tell."""

GATHERED = ("Trustworthiness", "Applications", "Learning Methods", "Models and Representations")
"""Groups under whose own name papers of several aspects stand that are too few for one aspect each."""

SETTINGS = frozenset({"Scenes", "Events", "Tracking", "Videos", "Anomaly Detection"})
"""Aspects of the applications that a title may say of what is seen, not of what the work is for."""

FURTHER_OF = "Further Work on "
"""Before a group's name where aspects of the group have headings of their own."""

LEAST_SAID = 4
"""How often a text has to say an aspect that the title does not, once at least of the paper's own work."""


_COMMON = stems_of("learning methods models networks and the data")
"""Words of headings that any paper says."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """One of them: its group and heading, what the titles of its papers say, and the aspects that it joins."""

    group: str
    heading: str
    said: re.Pattern[str]
    joined: tuple[str, ...] = ()


@cache
def load_aspects() -> tuple[Aspect, ...]:
    """All aspects, those of one group together; a paper is under the first group that it fits."""
    rows = [[cell.strip() for cell in line.split("|")] for line in read_lines("naming/wordlists/aspects.txt")]
    told = {heading: said for _, heading, said in rows}
    return tuple(_read_aspect(group, heading, said, told) for group, heading, said in rows)


def _read_aspect(group: str, heading: str, said: str, told: Mapping[str, str]) -> Aspect:
    joined = tuple(name.strip() for name in said.split("+")) if "+" in said else ()
    words = ", ".join(told[name] for name in joined) if joined else said
    ways = (r"[\s\-–]?".join(map(re.escape, word.split())).replace(r"\*", r"\w*") for word in words.split(","))
    return Aspect(group, heading, re.compile(rf"(?<!\w)(?:{'|'.join(ways)})(?!\w)", re.I), joined)


def find_aspects(
    papers: Sequence[Paper], field: Sequence[Paper], topic: str, least: int, avoid: Collection[str]
) -> dict[str, list[int]]:
    """Headings of aspects, each with the positions of the papers under it, ``least`` or more: those that say it.

    Papers of aspects with too few are under the name of their group, where they are enough together.
    No aspect that the topic or a heading to ``avoid`` names, nor one that a third of the ``field`` has in the title.
    """
    topical = stems_of(topic)
    titles = {paper.key: _leave_out(topical, paper.title) for paper in field}
    usable = [
        aspect
        for aspect in load_aspects()
        if not aspect.said.search(topic)
        and not any(is_like(one, heading) for heading in avoid for one in (aspect.heading, *aspect.joined))
        and sum(bool(aspect.said.search(title)) for title in titles.values()) < MOST_TITLES * len(field)
    ]
    saying = {
        aspect.heading: {i for i, paper in enumerate(papers) if aspect.said.search(titles[paper.key])}
        for aspect in usable
    }
    found: dict[str, list[int]] = {}
    left = set(range(len(papers)))
    for _, several in groupby(usable, key=lambda aspect: (aspect.group, bool(aspect.joined))):
        waiting = list(several)
        while waiting:
            aspect = max(waiting, key=lambda one: len(saying[one.heading] & left))
            waiting.remove(aspect)
            rows = saying[aspect.heading] & left
            is_free = found.keys().isdisjoint(aspect.joined)
            if is_free and len(rows) >= least and _is_said(aspect.heading, [papers[i] for i in rows]):
                found[aspect.heading] = sorted(rows)
                left -= rows
    for aspect in usable:
        if aspect.heading in found and aspect.group not in TITLES_ALONE:
            rows = {i for i in left if _is_told(aspect, papers[i])}
            found[aspect.heading] = sorted({*found[aspect.heading], *rows})
            left -= rows
    for group in GATHERED:
        ways = [one.said for one in usable if one.group == group and one.heading not in SETTINGS]
        rows = {i for i in left if any(said.search(titles[papers[i].key]) for said in ways)}
        name = f"{FURTHER_OF}{group}" if group in map(group_of, found) else group
        if len(rows) >= least and not any(is_like(group, heading) for heading in avoid):
            found[name] = sorted(rows)
            left -= rows
    return found


def _is_said(heading: str, papers: Sequence[Paper]) -> bool:
    """Whether half of the papers say a word of the heading."""
    wanted = stems_of(heading) - _COMMON
    saying = [paper for paper in papers if wanted & stems_of(f"{paper.title} {paper.content}")]
    return len(saying) >= len(papers) / 2


def find_like(heading: str, papers: Sequence[Paper], topic: str) -> NDArray[np.bool_]:
    """Which of the papers have in the title an aspect that is named like the heading, and that the topic does not name.

    What both have of the topic's words does not make them alike: *evolutionary architecture search* is no *architecture
    search* where that is the topic.
    """
    own = stems_of(heading) - stems_of(topic)
    usable = (aspect for aspect in load_aspects() if not aspect.said.search(topic))
    like = [aspect for aspect in usable if _share_half(stems_of(aspect.heading), own)]
    return np.array([any(aspect.said.search(paper.title) for aspect in like) for paper in papers], np.bool_)


def find_broader(heading: str, field: Sequence[Paper], topic: str) -> Aspect | None:
    """The aspect that says the heading's last words alone, less than half of the field's titles: *language models*."""
    words = heading.casefold().split()
    tails = {" ".join(words[i:]) for i in range(1, len(words))}
    for aspect in load_aspects():
        if aspect.heading.casefold() in tails and not aspect.said.search(topic):
            titled = sum(bool(aspect.said.search(paper.title)) for paper in field)
            return aspect if titled < len(field) / 2 else None
    return None


def group_of(heading: str) -> str:
    """The group of the aspect with that heading, or that the heading names; empty where there is none."""
    group = heading.removeprefix(FURTHER_OF)
    return group if is_group(group) else next((one.group for one in load_aspects() if one.heading == heading), "")


def is_group(heading: str) -> bool:
    """Whether the heading stands over several aspects of a group, not over one."""
    return any(aspect.group == heading.removeprefix(FURTHER_OF) for aspect in load_aspects())


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


def is_like(heading: str, other: str) -> bool:
    """Whether half of the words of one are among the other's."""
    return _share_half(stems_of(heading), stems_of(other))


def _share_half(stems: set[str], others: set[str]) -> bool:
    return len(stems & others) > 0.5 * min(len(stems), len(others))


def _is_told(aspect: Aspect, paper: Paper) -> bool:
    """Whether the paper's text is on the aspect."""
    if len(aspect.said.findall(paper.content)) < LEAST_SAID:
        return False
    return any(OWN_WORK.search(text) for text in sentences(paper.content) if aspect.said.search(text))
