"""Questions about a paper's record, “who wrote the GAT paper?”, and the papers that they name. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.values import Paper

_PAPER = (
    r"(?:the |a |an )?(?:(?:original|first) )?(?:paper |article |work )?(?:on |about |called |titled )?(?P<name>.+?)"
)
_TAIL = r"(?: (?:paper|article|work|method|model))?\s*[?.!]*"
_QUESTIONS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"who (?:wrote|authored|published|proposed|introduced|invented|developed|created|is behind) {_PAPER}{_TAIL}",
        rf"who (?:are|is|were|was) the (?:first |main |lead )?authors? of {_PAPER}{_TAIL}",
        rf"(?:authors?|year|venue) of {_PAPER}{_TAIL}",
        rf"(?:when|where|in (?:what|which) year|what year) (?:was|were|did) {_PAPER}"
        rf"{_TAIL.removesuffix('[?.!]*')}(?:published|written|proposed|introduced|come out|appear|released)[?.!]*",
    )
)
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_LONGEST_NAME = 12
NAMED = 3
"""Papers given at most."""


@dataclass(frozen=True, slots=True)
class NamedPapers:
    """The name in a question about a paper's record, and the papers it fits, the most cited first."""

    name: str
    papers: tuple[Paper, ...]


def find_named_papers(question: str, papers: Sequence[Paper]) -> NamedPapers | None:
    """The papers that a question about authors, year or venue names; ``None`` where it is another question."""
    match = next((m for pattern in _QUESTIONS if (m := pattern.fullmatch(" ".join(question.split())))), None)
    if match is None or len(match["name"].split()) > _LONGEST_NAME:
        return None
    name = match["name"].strip(" \"'“”")
    found = [paper for paper in papers if _is_named(name, paper)]
    found.sort(key=lambda paper: (-(paper.citations or 0), paper.year or 0))
    return NamedPapers(name, tuple(found[:NAMED])) if found else None


def _is_named(name: str, paper: Paper) -> bool:
    """Whether the title holds the name's words, or is abbreviated by it, or the abstract introduces it in brackets."""
    wanted = _WORD.findall(name.casefold())
    title = _WORD.findall(paper.title.casefold())
    if wanted and all(word in title for word in wanted):
        return True
    acronym = name.replace("-", "")
    if len(wanted) > 1 or not acronym.isalnum() or len(acronym) < 2:
        return False
    initials = "".join(word[0] for word in re.findall(r"[^\W_]+", paper.title) if word[0].isupper())
    return (
        initials.upper().startswith(acronym.upper()) or f"({name})" in paper.abstract or f"({name}s)" in paper.abstract
    )
