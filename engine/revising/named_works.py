"""Which papers a question names: by number, by section, by name, by title, by author. Exact strings. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.citations import list_cited_keys
from engine.retrieval.paper_keys import surname
from engine.survey import Survey, walk
from engine.text import STOP_WORDS, fold, words
from engine.values import Paper

MOST_NAMED = 3
"""Papers that one name may stand for; what more of them have is a common word."""

_NUMBERED = re.compile(
    r"(?:\b(?:papers?|references?|sources?|numbers?|nos?\.?) )?\[(?P<listed>\d+(?:\s*[,;–-]\s*\d+)*)\]|"
    r"\b(?:paper|reference|source|number|no\.?) (?P<bare>\d{1,3})\b",
    re.I,
)
_SECTION = re.compile(r"\b(?:in |of )?(?:sub)?(?:section|chapter)s? (?P<place>\d[\d.]*\d|\d)\b", re.I)
_WORD = re.compile(r"[\w-]*\w")


@dataclass(frozen=True, slots=True)
class Scope:
    """The papers that a question is about, and the question without what names them."""

    papers: tuple[Paper, ...]
    rest: str


def find_scope(question: str, papers: Sequence[Paper], survey: Survey) -> Scope | None:
    """The papers that a question names in any way; ``None`` where it names none."""
    return (
        find_numbered(question, papers, survey)
        or find_named(question, papers)
        or find_titled(question, papers)
        or find_by_author(question, papers)
    )


def find_numbered(question: str, papers: Sequence[Paper], survey: Survey) -> Scope | None:
    """The papers of a number of the list of references, or those that a section cites; a number of none gives none."""
    listed = dict(enumerate(survey.references, start=1))
    numbered = [int(n) for m in _NUMBERED.finditer(question) for n in re.findall(r"\d+", m["listed"] or m["bare"])]
    if numbered:
        found = tuple(listed[n] for n in dict.fromkeys(numbered) if n in listed)
        return Scope(found, _NUMBERED.sub(" ", question))
    places = {match["place"] for match in _SECTION.finditer(question)}
    if not places:
        return None
    within = [s for n, s in walk(survey.sections) if any(n == p or n.startswith(f"{p}.") for p in places)]
    texts = [text for s in within for text in (s.text, *(c for t in s.tables for row in t.rows for c in row))]
    cited = dict.fromkeys(key for text in texts for key in list_cited_keys(text))
    by_key = {paper.key: paper for paper in papers}
    return Scope(tuple(by_key[key] for key in cited if key in by_key), _SECTION.sub(" ", question))


def find_named(question: str, papers: Sequence[Paper]) -> Scope | None:
    """The papers with a name that the question says: the head of a title, or a word with inner capitals or digits.

    Such a word stands in the title, or else in the abstract, of a few papers only.
    """
    found: dict[str, tuple[Paper, ...]] = {}
    for word in dict.fromkeys(_WORD.findall(question)):
        if len(word) > 2 and word.lower() not in STOP_WORDS and (own := list_called(word, papers)):
            found[word] = own
    if not found:
        return None
    rest = question
    for name in found:
        rest = re.sub(rf"\b{re.escape(name)}\b", " ", rest)
    return Scope(tuple(dict.fromkeys(paper for own in found.values() for paper in own)), rest)


def list_called(name: str, papers: Sequence[Paper]) -> tuple[Paper, ...]:
    """The papers that a name stands for; none where it stands for more than a few."""
    wanted = fold(name)
    heads = [p for p in papers if ":" in p.title and fold(p.title.partition(":")[0]) == wanted]
    if heads or not any(ch.isupper() or ch.isdigit() for ch in name[1:]):
        return tuple(heads[:MOST_NAMED])
    for texts in ([p.title for p in papers], [p.content for p in papers]):
        own = [p for p, text in zip(papers, texts, strict=True) if wanted in map(fold, _WORD.findall(text))]
        if own:
            return tuple(own) if len(own) <= MOST_NAMED else ()
    return ()


def find_titled(question: str, papers: Sequence[Paper]) -> Scope | None:
    """The papers whose title, or its head of three words and more, the question says word for word."""
    said = f" {' '.join(words(question))} "
    for paper in papers:
        for title in (paper.title, paper.title.partition(":")[0]):
            own = " ".join(words(title))
            if len(own.split()) >= MOST_NAMED and f" {own} " in said:
                return Scope((paper,), said.replace(f" {own} ", " "))
    return None


def find_by_author(question: str, papers: Sequence[Paper]) -> Scope | None:
    """The papers whose first author the question names, with a capital, as "what did Pascual find?" does."""
    names = {fold(word): word for word in _WORD.findall(question) if word[0].isupper()}
    own = [p for p in papers if p.authors and fold(surname(p.authors[0])) in names and len(surname(p.authors[0])) > 2]
    year = re.search(r"\b(?:19|20)\d\d\b", question)
    own = [p for p in own if not year or p.year == int(year[0])]
    if not own:
        return None
    said = [names[fold(surname(p.authors[0]))] for p in own]
    return Scope(tuple(own), re.sub(rf"\b(?:{'|'.join(map(re.escape, said))})\b|\bet al\b\.?", " ", question))
