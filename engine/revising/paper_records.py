"""Which papers a question names, and what their records answer: how many, when, by whom, where, how often cited."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.citations import cite, list_cited_keys
from engine.retrieval.merging.venues import is_named
from engine.retrieval.paper_keys import surname
from engine.survey import Survey, walk
from engine.text import STOP_WORDS, fold, inert, list_words, terms, words
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
_OF_RECORDS = frozenset(words("year times citations when where proposed introduced released out propose"))
_EARLIEST, _LATEST = frozenset({"oldest", "earliest"}), frozenset({"newest", "latest", "recent"})


def answer_from_records(question: str, papers: Sequence[Paper], survey: Survey, spoken_of: Sequence[Paper] = ()) -> str:
    """Sentences of what the records say, which cite the papers; empty where they do not answer the question.

    ``spoken_of`` are those that the question refers to by a pronoun. The grammar is small: a question of these words
    and no other is one of the records.
    """
    said, asked_of = question.strip().rstrip("?.! "), spoken_of or papers
    return _count(said, asked_of, survey) or _rank(said, asked_of) or _tell_of_work(said, papers, survey, spoken_of)


def _content(text: str) -> list[str]:
    """The words that ask for something beside papers and their records."""
    return [w for w in re.findall(r"[\w-]*\w", text.lower()) if w not in STOP_WORDS and w not in _FILLER]


def _count(question: str, papers: Sequence[Paper], survey: Survey) -> str:
    """How many of the papers are what is asked for, and which."""
    counted = bool(_COUNTED.match(question))
    named_papers = any(word in _PAPERS for word in question.lower().split())
    chosen, told, rest = _limit(question, papers, survey)
    about = [w for w in _content(rest) if w not in _CONFERENCE]
    is_listed = bool(_LISTED.match(question) and told and not about)
    if not (counted or is_listed) or not (named_papers or (counted and told)):
        return ""
    if about:
        wanted = set(terms(" ".join(about)))
        chosen = [p for p in chosen if wanted <= set(terms(f"{p.title}. {p.content}"))]
        told.append(f"with “{', '.join(about)}” in title or abstract")
    if not told:
        return f"There are {len(papers):,} papers here."
    behind = f" {cite([p.key for p in chosen])}" if 0 < len(chosen) <= MOST_LISTED else ""
    is_or_are = "are" if len(chosen) > 1 else "is"
    count = f"{len(chosen):,}" if chosen else "None"
    return f"{count} of the {len(papers):,} papers here {is_or_are} {' and '.join(told)}{behind}."


def _limit(question: str, papers: Sequence[Paper], survey: Survey) -> tuple[list[Paper], list[str], str]:
    """The papers that a question limits itself to, in which words, and what of the question is left."""
    rest, chosen, said = question, list(papers), list[str]()
    place = _PLACE.search(rest)
    if place and (scope := find_numbered(rest, papers, survey)):
        chosen, rest = [p for p in chosen if p in scope.papers], scope.rest
        said.append(f"cited in {place[0].lower()}")
    for pattern, bounds in _SPANS:
        if span := pattern.search(rest):
            years = [int(year) for year in span.groups() if year]
            first, last = bounds(years[0], years[-1])
            chosen, rest = [p for p in chosen if p.year and first <= p.year <= last], rest.replace(span[0], " ")
            said.append(re.sub(r"^in (?=\d)", "from ", span[0].strip().lower()))
    for word in re.findall(r"[\w&’'-]*\w", rest):
        own = [p for p in chosen if word[0].isupper() and is_named(p.venue, word)]
        by = [p for p in chosen if word[0].isupper() and fold(word) in {fold(surname(a)) for a in p.authors}]
        if own or by:
            said.append(f"by {word}" if by and not own else f"in the proceedings or issues of {word}")
            chosen, rest = own or by, rest.replace(word, " ")
    return chosen, said, rest


_RANKED: tuple[tuple[frozenset[str], str, str, Callable[[Paper], Sequence[str]]], ...] = (
    (_AUTHOR, "by", "an author", lambda paper: paper.authors),
    (_CONFERENCE, "from", "a venue", lambda paper: [paper.venue]),
    (frozenset({"year", "years"}), "from", "a year", lambda paper: [str(paper.year or "")]),
)


def _rank(question: str, papers: Sequence[Paper]) -> str:
    """Who wrote most, where most appeared, in which year; what is oldest, newest or cited most."""
    asked = set(re.findall(r"\w+", question.lower()))
    ranks = {"most", "often"} | _EARLIEST | _LATEST
    left = set(_content(question)) - ranks - _AUTHOR - _CONFERENCE - {"year", "years", "one", "ones"}
    if left or not asked & ranks:
        return ""
    if asked & _EARLIEST or asked & _LATEST or {"cited", "most"} <= asked:
        return _rank_papers(asked, papers)
    for said, by, what, read in _RANKED:
        if asked & said:
            found = [(name, p) for p in papers for name in read(p) if name]
            venues = sorted({name for name, _ in found if said is _CONFERENCE}, key=len)
            named = [(next((short for short in venues if is_named(name, short)), name), p) for name, p in found]
            return _find_most_frequent(named, papers, by, what)
    return ""


def _find_most_frequent(pairs: Sequence[tuple[str, Paper]], papers: Sequence[Paper], by: str, what: str) -> str:
    """Which names most of the papers have."""
    owned: dict[str, list[tuple[str, Paper]]] = {}
    for name, paper in pairs:
        owned.setdefault(fold(name), []).append((name, paper))
    if not owned:
        return f"None of the records of the {len(papers):,} papers here names {what}."
    most = max(map(len, owned.values()))
    first = [own for own in owned.values() if len(own) == most]
    if most == 1 and len(first) > 1:
        return f"None has more than one of the {len(papers):,} papers here."
    told = [f"{inert(own[0][0])} {cite([paper.key for _, paper in own][:MOST_LISTED])}" for own in first]
    return f"Most of the {len(papers):,} papers here are {by} {_list_tied(told)}: {most}{' each' * (len(first) > 1)}."


def _list_tied(told: Sequence[str]) -> str:
    return list_words([*told[:MOST_TIED], *([f"{len(told) - MOST_TIED} more"] if len(told) > MOST_TIED else [])])


def _rank_papers(asked: set[str], papers: Sequence[Paper]) -> str:
    """The papers that are the oldest, the newest or cited most."""
    by_citations, is_oldest = "cited" in asked, bool(asked & _EARLIEST)
    values = {p: value for p in papers if (value := p.citations if by_citations else p.year)}
    if not values:
        return ""
    best = min(values.values()) if is_oldest else max(values.values())
    head = f"The {'oldest' if is_oldest else 'newest'}, of {best}"
    told = [f"“{inert(p.title)}” {cite([p.key])}" for p, value in values.items() if value == best]
    return f"{f'Cited most, {best:,} times' if by_citations else head}: {_list_tied(told)}."


def _tell_of_work(question: str, papers: Sequence[Paper], survey: Survey, spoken_of: Sequence[Paper]) -> str:
    """When, where or by whom the works that are named were published, or how often they are cited."""
    asked = set(re.findall(r"\w+", question.lower()))
    scope = find_scope(question, papers, survey) or Scope(tuple(spoken_of), question)
    if not 0 < len(scope.papers) <= MOST_NAMED or not set(_content(scope.rest)) <= _OF_RECORDS | _AUTHOR | _CONFERENCE:
        return ""
    return " ".join(line for paper in scope.papers if (line := _tell_record(asked, paper)))


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
