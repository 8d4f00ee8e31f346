"""Which papers a question names, and what their records say of them: authors, years, venues, citations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.citations import cite, list_section_keys, read_ranges
from engine.retrieval.paper_keys import surname
from engine.survey import Survey, walk
from engine.text import STOP_WORDS, fold, inert, list_words, words
from engine.values import Paper

MOST_NAMED = 3
"""Papers that one name may stand for, what more of them have is a common word; and papers whose records are told."""

_NUMBERED = re.compile(
    r"(?:\b(?:papers?|references?|sources?|numbers?|nos?\.?) )?\[(?P<listed>\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)\]|"
    r"\b(?:paper|reference|source|number|no\.?) (?P<bare>\d{1,3})\b",
    re.I,
)
_SECTION = re.compile(r"\b(?:in |of )?(?:sub)?(?:section|chapter)s? (?P<place>\d[\d.]*\d|\d)\b", re.I)
_COUNTING = re.compile(
    r"(?:and )?how many (?:of the )?(?:papers|studies|works|articles|publications|sources)"
    r"(?: (?:do we have|did you find|there|here|are|were|have|been|gathered|published|written|appeared))*"
    r"(?: (?P<when>from|in|of|since|before|after) (?P<year>(?:19|20)\d\d))?\W*",
    re.I,
)
_WORD = re.compile(r"[\w-]*\w")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Scope:
    """The papers that a question is about, and the question without what names them."""

    papers: tuple[Paper, ...]
    rest: str


def find_scope(question: str, papers: Sequence[Paper], survey: Survey) -> Scope | None:
    """The papers that a question names by number, section, title, name or first author; ``None`` where it has none."""
    return _find_numbered(question, papers, survey) or _find_titled(question, papers) or _find_named(question, papers)


def _find_numbered(question: str, papers: Sequence[Paper], survey: Survey) -> Scope | None:
    listed = dict(enumerate(survey.references, start=1))
    numbered = [n for m in _NUMBERED.finditer(question) for n in read_ranges(m["listed"] or m["bare"])]
    if numbered:
        found = tuple(listed[n] for n in dict.fromkeys(numbered) if n in listed)
        return Scope(found, _NUMBERED.sub(" ", question))
    places = {match["place"] for match in _SECTION.finditer(question)}
    if not places:
        return None
    within = [s for n, s in walk(survey.sections) if any(n == p or n.startswith(f"{p}.") for p in places)]
    cited = dict.fromkeys(key for section in within for key in list_section_keys(section))
    by_key = {paper.key: paper for paper in papers}
    return Scope(tuple(by_key[key] for key in cited if key in by_key), _SECTION.sub(" ", question))


def _find_titled(question: str, papers: Sequence[Paper]) -> Scope | None:
    """The paper whose title, or its head of three words and more, the question says word for word."""
    said = f" {' '.join(words(question))} "
    for paper in papers:
        for title in (paper.title, paper.title.partition(":")[0]):
            own = " ".join(words(title))
            if len(own.split()) >= MOST_NAMED and f" {own} " in said:
                return Scope((paper,), said.replace(f" {own} ", " "))
    return None


def _find_named(question: str, papers: Sequence[Paper]) -> Scope | None:
    """The papers that a word of the question stands for; of an author's those of the year that is said."""
    years = {int(year) for year in _YEAR.findall(question)}
    dated = [paper for paper in papers if not years or paper.year in years]
    found: dict[str, Sequence[Paper]] = {}
    for word in dict.fromkeys(_WORD.findall(question)):
        if len(word) > 2 and word.lower() not in STOP_WORDS:
            by = [p for p in dated if word[0].isupper() and p.authors and fold(surname(p.authors[0])) == fold(word)]
            found[word] = _list_called(word, papers) or by
    names = [re.escape(word) for word, own in found.items() if own]
    if not names:
        return None
    rest = re.sub(rf"\b(?:{'|'.join(names)})\b|\bet al\b\.?", " ", question)
    return Scope(tuple(dict.fromkeys(paper for own in found.values() for paper in own)), rest)


def _list_called(name: str, papers: Sequence[Paper]) -> Sequence[Paper]:
    """The few papers with a name: the head of a title, or a word with inner capitals or digits that few papers have."""
    wanted = fold(name)
    heads = [p for p in papers if ":" in p.title and fold(p.title.partition(":")[0]) == wanted]
    if heads or name.isdecimal() or not any(ch.isupper() or ch.isdigit() for ch in name[1:]):
        return heads[:MOST_NAMED]
    for texts in ([p.title for p in papers], [p.content for p in papers]):
        own = [p for p, text in zip(papers, texts, strict=True) if wanted in map(fold, _WORD.findall(text))]
        if own:
            return own if len(own) <= MOST_NAMED else ()
    return ()


def tell_records(papers: Sequence[Paper]) -> str:
    """A sentence of what the record of each paper says, which cites it; empty for more than a few."""
    return " ".join(map(_tell_record, papers)) if len(papers) <= MOST_NAMED else ""


def _tell_record(paper: Paper) -> str:
    cited = f"cited {paper.citations:,} times" if paper.citations else ""
    counted = f"{cited} by {paper.counted}" if cited and paper.counted else cited
    by = f"by {list_words(paper.authors)}" if paper.authors else ""
    known = ", ".join(filter(None, (by, str(paper.year or ""), paper.venue, counted)))
    return f"“{inert(paper.title)}”{known and f': {inert(known)}'} {cite([paper.key])}."


def answer_count(question: str, papers: Sequence[Paper]) -> str:
    """What the records say where a question counts papers, all or those of some years; empty for any other question."""
    match = _COUNTING.fullmatch(question.strip())
    if not match or not match["when"]:
        return count_records(papers) if match else ""
    year = int(match["year"])
    spans = {"since": (year, 9_999), "after": (year + 1, 9_999), "before": (1, year - 1)}
    first, last = spans.get(match["when"].lower(), (year, year))
    return count_records([paper for paper in papers if first <= (paper.year or 0) <= last])


def count_records(papers: Sequence[Paper]) -> str:
    """How many papers are of each year, who wrote most of them, where most appeared, which is cited most."""
    told = [f"{len(papers):,} {'paper' if len(papers) == 1 else 'papers'}"]
    years = Counter(str(paper.year) for paper in papers if paper.year)
    authors = Counter(author for paper in papers for author in paper.authors)
    venues = Counter(paper.venue for paper in papers if paper.venue)
    for said, counts in (
        ("of", sorted(years.items())),
        ("most by", authors.most_common(MOST_NAMED)),
        ("most in", venues.most_common(MOST_NAMED)),
    ):
        told += [f"{said} {list_words(f'{inert(name)} ({count:,})' for name, count in counts)}"] if counts else []
    most = max(papers, key=lambda paper: paper.citations or 0, default=None)
    if most and most.citations:
        told.append(f"cited most, {most.citations:,} times, “{inert(most.title)}” {cite([most.key])}")
    return f"{'; '.join(told)}."
