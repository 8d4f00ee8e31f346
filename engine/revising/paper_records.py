"""Questions that the papers' records answer: how many, of which year, by whom, where, how often cited. Pure.

The grammar is small: a question of these words and no other is one of the records.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.citations import cite
from engine.retrieval.merging.venues import conference_of
from engine.retrieval.paper_keys import surname
from engine.revising.named_works import MOST_NAMED, Scope, find_numbered, find_scope
from engine.survey import Survey
from engine.text import STOP_WORDS, fold, inert, list_words, terms, words
from engine.values import Paper

MOST_LISTED = 30
"""Papers that are cited one by one behind a count."""

MOST_TIED = 3
"""Authors, venues or papers of one rank that are named together."""

_PAPERS = frozenset(
    words(
        "paper papers work works study studies article articles source sources reference references publication "
        "publications survey here"
    )
)
_FILLER = _PAPERS | frozenset(
    words(
        "publish published write writes wrote written appear appears appeared come comes came gathered found cite "
        "cited many number total often frequent frequently contribute contributed prolific have has had list show give "
        "mention mentions about deal deals concern concerns"
    )
)
_AUTHOR, _VENUE = frozenset({"who", "author", "authors"}), frozenset({"venue", "venues", "journal", "journals"})
_CONFERENCE = _VENUE | {"conference", "conferences"}

_YEAR = r"((?:19|20)\d\d)"
_SPANS: tuple[tuple[re.Pattern[str], Callable[[int, int], tuple[int, int]]], ...] = (
    (re.compile(rf"\b(?:between|from) {_YEAR} (?:and|to|until) {_YEAR}\b", re.I), lambda a, b: (a, b)),
    (re.compile(rf"\b(?:since {_YEAR}|from {_YEAR} on(?:wards)?)\b", re.I), lambda a, _: (a, 9_999)),
    (re.compile(rf"\b(?:after|later than|newer than) {_YEAR}\b", re.I), lambda a, _: (a + 1, 9_999)),
    (re.compile(rf"\b(?:before|earlier than|older than) {_YEAR}\b", re.I), lambda a, _: (0, a - 1)),
    (re.compile(rf"\b(?:from|in|of) {_YEAR}\b", re.I), lambda a, _: (a, a)),
)
_COUNTED = re.compile(r"^(?:and )?how many\b", re.I)
_LISTED = re.compile(r"^(?:and )?(?:which|what|list|show|give)\b", re.I)
_PLACE = re.compile(r"\b(?:sub)?(?:section|chapter)s? \d[\d.]*\b", re.I)
_EARLIEST, _LATEST = frozenset({"oldest", "earliest"}), frozenset({"newest", "latest", "recent"})


@dataclass(frozen=True, slots=True)
class _Limits:
    """The papers that a question limits itself to, in which words, and what of the question is left."""

    papers: tuple[Paper, ...]
    said: tuple[str, ...]
    rest: str


def answer_from_records(question: str, papers: Sequence[Paper], survey: Survey, spoken_of: Sequence[Paper] = ()) -> str:
    """Sentences of what the records say, which cite the papers; empty where they do not answer the question.

    ``spoken_of`` are those that the question refers to by a pronoun.
    """
    said, asked_of = question.strip().rstrip("?.! "), spoken_of or papers
    return _count(said, asked_of, survey) or _rank(said, asked_of) or _tell_of_work(said, papers, survey, spoken_of)


def _content(text: str) -> list[str]:
    """The words that ask for something beside papers and their records."""
    return [w for w in re.findall(r"[\w-]*\w", text.lower()) if w not in STOP_WORDS and w not in _FILLER]


def _count(question: str, papers: Sequence[Paper], survey: Survey) -> str:
    counted = bool(_COUNTED.match(question))
    named_papers = any(word in _PAPERS for word in question.lower().split())
    limits = _limit(question, papers, survey)
    about = [w for w in _content(limits.rest) if w not in _CONFERENCE]
    if not (counted or _LISTED.match(question)) or not (named_papers or (counted and limits.said)):
        return ""
    if about and not counted:
        return ""
    if not about and not counted and not limits.said:
        return ""
    chosen, told = limits.papers, limits.said
    if about:
        wanted = set(terms(" ".join(about)))
        chosen = tuple(p for p in chosen if wanted <= set(terms(f"{p.title}. {p.content}")))
        told = (*told, f"with “{', '.join(about)}” in title or abstract")
    return _word_count(chosen, papers, told)


def _limit(question: str, papers: Sequence[Paper], survey: Survey) -> _Limits:
    rest, chosen, said = question, list(papers), list[str]()
    place = _PLACE.search(rest)
    if place and (scope := find_numbered(rest, papers, survey)):
        chosen = [p for p in chosen if p in scope.papers]
        said.append(f"cited in {place[0].lower()}")
        rest = scope.rest
    for pattern, bounds in _SPANS:
        if span := pattern.search(rest):
            years = [int(year) for year in span.groups() if year]
            first, last = bounds(years[0], years[-1])
            chosen = [p for p in chosen if p.year and first <= p.year <= last]
            said.append(re.sub(r"^in (?=\d)", "from ", span[0].strip().lower()))
            rest = rest.replace(span[0], " ")
    for word in re.findall(r"[\w&’'-]*\w", rest):
        own = [p for p in chosen if _identify_venue(word) == _identify_venue(p.venue)] if word[0].isupper() else []
        by = [p for p in chosen if word[0].isupper() and fold(word) in {fold(surname(a)) for a in p.authors}]
        if own or conference_of(word):
            chosen, rest = own, rest.replace(word, " ")
            said.append(f"in the proceedings or issues of {word}")
        elif by:
            chosen, rest = by, rest.replace(word, " ")
            said.append(f"by {word}")
    return _Limits(tuple(chosen), tuple(said), rest)


def _identify_venue(venue: str) -> str:
    """What two names of one venue have in common: NIPS and NeurIPS."""
    return conference_of(venue) or conference_of(venue.upper()) or fold(venue)


def _word_count(chosen: Sequence[Paper], papers: Sequence[Paper], said: Sequence[str]) -> str:
    """How many of the papers are what is said, and which."""
    if not said:
        return f"There are {len(papers):,} papers here."
    if not chosen:
        return f"None of the {len(papers):,} papers here is {' and '.join(said)}."
    is_or_are = "is" if len(chosen) == 1 else "are"
    behind = f" {cite([p.key for p in chosen])}" if len(chosen) <= MOST_LISTED else ""
    return f"{len(chosen):,} of the {len(papers):,} papers here {is_or_are} {' and '.join(said)}{behind}."


def _rank(question: str, papers: Sequence[Paper]) -> str:
    """Who wrote most, where most appeared, in which year; what is oldest, newest or cited most."""
    asked = set(re.findall(r"\w+", question.lower()))
    ranks = {"most", "oldest", "earliest", "newest", "latest", "often", "recent"}
    left = set(_content(question)) - ranks - _AUTHOR - _CONFERENCE - {"year", "years", "one", "ones"}
    if left or not asked & ranks:
        return ""
    if asked & _EARLIEST or asked & _LATEST or ("cited" in asked and "most" in asked):
        return _rank_papers(asked, papers)
    if asked & _AUTHOR:
        return _most_frequent(((a, p) for p in papers for a in p.authors), papers, "by", "an author")
    if asked & _CONFERENCE:
        known = ((p.venue, p) for p in papers if p.venue)
        return _most_frequent(known, papers, "from", "a venue")
    if asked & {"year", "years"}:
        return _most_frequent(((str(p.year), p) for p in papers if p.year), papers, "from", "a year")
    return ""


def _most_frequent(pairs: Iterable[tuple[str, Paper]], papers: Sequence[Paper], by: str, what: str) -> str:
    """Which name most of the papers have, and how many have the next."""
    owned: dict[str, list[Paper]] = {}
    names: dict[str, str] = {}
    for name, paper in pairs:
        own = _identify_venue(name)
        names.setdefault(own, name)
        owned.setdefault(own, []).append(paper)
    if not owned:
        return f"None of the records of the {len(papers):,} papers here names {what}."
    ranked = Counter({own: len(found) for own, found in owned.items()}).most_common()
    most = ranked[0][1]
    first = [own for own, count in ranked if count == most]
    if most == 1 and len(first) > 1:
        return f"None has more than one of the {len(papers):,} papers here."
    told = [f"{inert(names[own])} {cite([p.key for p in owned[own]][:MOST_LISTED])}" for own in first[:MOST_TIED]]
    tied = f", and as many {by} {len(first) - MOST_TIED} more" if len(first) > MOST_TIED else ""
    each = " each" if len(first) > 1 else ""
    then = [f"{inert(names[own])} ({count})" for own, count in ranked if 1 < count < most][:MOST_TIED]
    after = f" Then {list_words(then)}." if then else ""
    return f"Most of the {len(papers):,} papers here are {by} {list_words(told)}: {most}{each}{tied}.{after}"


def _rank_papers(asked: set[str], papers: Sequence[Paper]) -> str:
    """The papers that are the oldest, the newest or cited most."""
    by_citations = "cited" in asked
    values = {p.key: p.citations if by_citations else p.year for p in papers}
    known = [value for value in values.values() if value]
    if not known:
        return ""
    best = min(known) if asked & _EARLIEST else max(known)
    first = [p for p in papers if values[p.key] == best]
    rank = "oldest" if asked & _EARLIEST else "newest"
    head = f"Cited most, {best:,} times" if by_citations else f"The {rank}, of {best}"
    told = [f"“{inert(p.title)}” {cite([p.key])}" for p in first[:MOST_TIED]]
    more = f" and {len(first) - MOST_TIED} more" if len(first) > MOST_TIED else ""
    return f"{head}: {list_words(told) if not more else ', '.join(told) + more}."


def _tell_of_work(question: str, papers: Sequence[Paper], survey: Survey, spoken_of: Sequence[Paper]) -> str:
    """When, where or by whom the works that are named were published, or how often they are cited."""
    asked = re.findall(r"\w+", question.lower())
    scope = find_scope(question, papers, survey) or Scope(tuple(spoken_of), question)
    if not asked or not 0 < len(scope.papers) <= MOST_NAMED or _content_beside(scope):
        return ""
    told = [line for paper in scope.papers if (line := _tell_record(set(asked), paper))]
    return " ".join(told)


def _content_beside(scope: Scope) -> list[str]:
    said = {"year", "times", "citations", "when", "where", "proposed", "introduced", "released", "out", "propose"}
    return [w for w in _content(scope.rest) if w not in said | _AUTHOR | _CONFERENCE]


def _tell_record(asked: set[str], paper: Paper) -> str:
    what = ""
    if asked & {"when", "year"} and paper.year:
        what = f"is of {paper.year}"
    if asked & ({"where"} | _CONFERENCE) and paper.venue:
        what = f"{what} and appeared at {inert(paper.venue)}".removeprefix(" and ")
    if asked & _AUTHOR and paper.authors:
        what = f"is by {inert(list_words(paper.authors))}"
    if asked & {"cited", "citations"} and paper.citations:
        what = f"is cited {paper.citations:,} times" + (f" by {paper.counted}" if paper.counted else "")
    return f"“{inert(paper.title)}” {what} {cite([paper.key])}." if what else ""
