"""The gathered papers that a question speaks of by number, section, title, or the name of what they propose. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.checking.lexicon import split_terms
from engine.citations import list_cited_keys
from engine.quoting.abstracts import read_abstract
from engine.reading.roles import Statement
from engine.survey import Survey, walk
from engine.text import STOP_WORDS, fold, terms, words
from engine.values import Paper

_NUMBERED = re.compile(
    r"(?<!\w)(?:(?:the )?(?:papers?|references?|sources?|works?|articles?|numbers?|no\.?|refs?\.?) )?"
    r"\[(?P<listed>\d{1,4}(?:\s?[,;]\s?\d{1,4})*)\]|"
    r"\b(?:papers?|references?|sources?|works?|articles?|refs?\.?) (?:no\.? |number |#)?(?P<bare>\d{1,4})\b",
    re.I,
)
_SECTION = re.compile(r"\b(?:the )?(?:sections?|chapters?|subsections?) (?P<place>\d{1,2}(?:\.\d{1,2})*)\b", re.I)
MOST_NAMED = 3
"""Papers that a name may stand for; more have it in common."""

TITLE_SAID = 0.8
"""Share of a title's words that a question has which names it so."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The papers that a question is about, and its words without those that name them."""

    papers: tuple[Paper, ...]
    rest: str
    name: frozenset[str] = frozenset()
    """The terms by which they are named."""
    said: tuple[str, ...] = ()
    """The names as they are said."""


def find_numbered(question: str, papers: Sequence[Paper], survey: Survey) -> Scope | None:
    """The papers of numbers in the survey's list, or those cited in its sections; ``None`` where it names none.

    A number or place that the survey does not have names no paper.
    """
    by_key = {paper.key: paper for paper in papers}
    listed = {number: paper for number, paper in enumerate(survey.references, start=1)}
    numbered = [int(n) for m in _NUMBERED.finditer(question) for n in re.findall(r"\d+", m["listed"] or m["bare"])]
    if numbered:
        found = tuple(listed[n] for n in dict.fromkeys(numbered) if n in listed)
        return Scope(found, _NUMBERED.sub(" ", question))
    places = {match["place"] for match in _SECTION.finditer(question)}
    if not places:
        return None
    within = [s for n, s in walk(survey.sections) if any(n == p or n.startswith(f"{p}.") for p in places)]
    texts = [text for s in within for text in (s.text, *(c for t in s.tables for row in t.rows for c in row))]
    keys = dict.fromkeys(key for text in texts for key in list_cited_keys(text))
    return Scope(tuple(by_key[key] for key in keys if key in by_key), _SECTION.sub(" ", question))


def find_named(question: str, papers: Sequence[Paper]) -> Scope | None:
    """The papers whose name or title the question says; ``None`` where it says none.

    A name is what a title begins with before a colon, or a word with inner capitals or digits that few titles, or else
    few papers present under it. A title is said by most of its words.
    """
    found: dict[str, list[Paper]] = {}
    for token in dict.fromkeys(_tokens(question)):
        if len(fold(token)) < 3 or token.lower() in STOP_WORDS:
            continue
        own = _called(token, papers)
        if 0 < len(own) <= MOST_NAMED:
            found[token] = own
    titled = {} if found else _titled(question, papers)
    if not found and not titled:
        return None
    named = {paper.key: paper for own in found.values() for paper in own} | {p.key: p for p, _ in titled.values()}
    names = {term for token in found for term in (*split_terms(token), *terms(token))}
    names |= {term for _, own in titled.values() for term in own}
    return Scope(tuple(named.values()), question, frozenset(names), tuple(found))


def _called(token: str, papers: Sequence[Paper]) -> list[Paper]:
    """The papers that a name stands for: by the head of their title, else in it, else in their contribution."""
    wanted = fold(token)
    heads = [p for p in papers if ":" in p.title and fold(p.title.partition(":")[0]) == wanted]
    if heads or not _is_name(token):
        return heads
    in_title = [p for p in papers if any(_is_name(w) and fold(w) == wanted for w in _tokens(p.title))]
    if in_title:
        return in_title
    given = re.compile(
        r"\b(?:propose|introduce|present|develop|release|call|name|dub|term)(?:s|ed|d|ly)?\b(?<!proposed)"
        rf"(?:\W+[\w-]+){{0,12}}?\W+{re.escape(token)}\b",
        re.I,
    )
    return [p for p in papers if any(given.search(text) for text in _states(p, "contribution"))]


def _is_name(token: str) -> bool:
    return len(token) > 2 and any(ch.isupper() or ch.isdigit() for ch in token[1:])


def _tokens(text: str) -> list[str]:
    return re.findall(r"[\w-]*\w", text)


def _states(paper: Paper, statement: Statement) -> list[str]:
    return [s.text for s in read_abstract(paper) if s.statement == statement]


def _titled(question: str, papers: Sequence[Paper]) -> dict[str, tuple[Paper, frozenset[str]]]:
    """The papers whose title, or its head, the question says nearly whole, with the terms that say it."""
    asked = split_terms(question)
    texts = [split_terms(f"{paper.title}. {paper.content}") for paper in papers]
    found: dict[str, tuple[Paper, frozenset[str]]] = {}
    for paper in papers:
        for title in {paper.title, paper.title.partition(":")[0]}:
            own = split_terms(title)
            is_subject = sum(own <= text for text in texts) > MOST_NAMED
            if not is_subject and len(own) >= MOST_NAMED and len(own & asked) >= TITLE_SAID * len(own):
                found[paper.key] = (paper, frozenset(own))
    if found:
        return found if len(found) <= MOST_NAMED else {}
    begun = [paper for paper in papers if _begins_as(paper.title, question)]
    if len(begun) != 1:
        return {}
    shared = asked & split_terms(begun[0].title)
    return {begun[0].key: (begun[0], shared)} if sum(shared <= text for text in texts) <= MOST_NAMED else {}


def _begins_as(title: str, question: str) -> bool:
    """Whether the question says the first words of a title, at least three that tell something, one after another."""
    first = [word for word in words(title.replace("-", " "))][:MOST_NAMED]
    return (
        len(first) == MOST_NAMED
        and not set(first) & STOP_WORDS
        and " ".join(first) in " ".join(words(question.replace("-", " ")))
    )
